"""What the lists `adopt` and `release` must not say."""

from collections.abc import Iterator

from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.models import Settings


def listed_zone_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries for a zone that the settings do not have."""
    for name, entries in (("adopt", settings.adopt), ("release", settings.release)):
        for index, one in enumerate(entries):
            if one.zone is not None and not any(one.means(zone) for zone in settings.zones):
                known = ", ".join(sorted({zone.domain for zone in settings.zones})) or "none"
                yield (name, index, "zone"), f'is "{one.zone}", expected a zone of the settings (known: {known})'


def adopted_and_released_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `release` that `adopt` has too."""
    adopted = {(one.hostname, one.zone) for one in settings.adopt}
    for index, one in enumerate(settings.release):
        if (one.hostname, one.zone) in adopted:
            yield ("release", index), f"{one.hostname or one.zone} is in adopt too; keep it in one of both"
