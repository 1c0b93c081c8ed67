"""What the lists `elsewhere`, `adopt` and `release` must not say."""

from collections.abc import Iterator

from edge_dns.core.names import in_zone
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.models import Listed, Settings, Zone


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


def handed_on_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries for names that an external-dns serves: it owns their records."""
    for name, entries in (("adopt", settings.adopt), ("release", settings.release)):
        for index, one in enumerate(entries):
            zones = [zone for zone in settings.zones if _covers(one, zone, settings)]
            if zones and all(zone.provider == "external-dns" for zone in zones):
                yield (
                    (name, index),
                    f"external-dns owns the records of zone {zones[0].domain}: there is nothing to {name}",
                )


def _covers(one: Listed, zone: Zone, settings: Settings) -> bool:
    """Say whether an entry means a zone, or a hostname whose longest domain is that of the zone."""
    if one.hostname is None:
        return one.means(zone)
    longest = max(
        (other.domain for other in settings.zones if in_zone(one.hostname, other.domain)), key=len, default=""
    )
    return zone.domain == longest


def adopted_and_released_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `release` that `adopt` has too."""
    adopted = {(one.hostname, one.zone) for one in settings.adopt}
    for index, one in enumerate(settings.release):
        if (one.hostname, one.zone) in adopted:
            yield ("release", index), f"{one.hostname or one.zone} is in adopt too; keep it in one of both"
