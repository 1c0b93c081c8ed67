"""What the lists `elsewhere`, `adopt`, `release` and `safety.protect` must not say."""

from collections.abc import Iterator, Sequence

from edge_dns.core.names import in_zone
from edge_dns.core.settings.lists import Listed
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings
from edge_dns.core.settings.zone import Zone


def elsewhere_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `elsewhere` for a zone of this stack; the other view of it may be."""
    own = {(zone.domain, zone.visibility) for zone in settings.zones}
    for index, one in enumerate(settings.elsewhere):
        if (one.domain, one.visibility) in own:
            yield (
                ("elsewhere", index),
                f"the {one.visibility} zone {one.domain} is in zones too; keep it in one of both",
            )


def listed_zone_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries for a zone that the settings do not have."""
    for name, entries in (("adopt", settings.adopt), ("release", settings.release)):
        for index, one in enumerate(entries):
            if one.zone is not None and not any(one.means(zone) for zone in settings.zones):
                known = ", ".join(sorted({zone.domain for zone in settings.zones})) or "none"
                yield (name, index, "zone"), f'is "{one.zone}", expected a zone of the settings (known: {known})'


def protected_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of protected hostnames outside of every zone: nothing there could be withdrawn."""
    domains = sorted({zone.domain for zone in settings.zones})
    for index, hostname in enumerate(settings.safety.protect):
        if not any(in_zone(hostname, domain) for domain in domains):
            known = ", ".join(domains) or "none"
            yield (
                ("safety", "protect", index),
                f'is "{hostname}", expected a hostname in a zone of the settings (known: {known})',
            )


def handed_on_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries for names that an external-dns serves: it owns their records."""
    for name, entries in (("adopt", settings.adopt), ("release", settings.release)):
        for index, one in enumerate(entries):
            zones = _meant(one, settings.zones)
            if zones and all(zone.provider == "external-dns" for zone in zones):
                yield (
                    (name, index),
                    f"external-dns owns the records of zone {zones[0].domain}: there is nothing to {name}",
                )


def _meant(one: Listed, zones: Sequence[Zone]) -> list[Zone]:
    """Return the zones that an entry means: those that it names, or those of the longest domain of its hostname."""
    if one.hostname is None:
        return [zone for zone in zones if one.means(zone)]
    longest = max((zone.domain for zone in zones if in_zone(one.hostname, zone.domain)), key=len, default="")
    return [zone for zone in zones if zone.domain == longest]


def adopted_and_released_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `release` that `adopt` has too."""
    adopted = {(one.hostname, one.zone) for one in settings.adopt}
    for index, one in enumerate(settings.release):
        if (one.hostname, one.zone) in adopted:
            yield ("release", index), f"{one.hostname or one.zone} is in adopt too; keep it in one of both"
