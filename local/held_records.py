"""What the providers hold: one form for all of them, as a table for a person, and the difference of two readings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from edge_dns.core.markers import marker_name, parse_marker
from edge_dns.core.settings import Settings, Zone
from local.route53 import HostedRecord
from local.services import LocalServices

_WIDTH = 80
_HEADINGS = ("NAME", "TYPE", "TTL", "PROXY", "MARKER")
_PROVIDER_NAMES = {"cloudflare": "Cloudflare", "route53": "Route 53"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class HeldRecord:
    """One value of one name at a provider; `zone` is its domain, `name` an FQDN.

    `ttl` is in seconds, `auto`, or `alias` for a Route 53 alias, which has none. `proxied` is None where the provider
    proxies nothing. `marker` is the ownership marker that stands with the record, empty for none.
    """

    zone: str
    name: str
    type: str
    value: str
    ttl: str
    proxied: bool | None
    marker: str


def held_records(services: LocalServices, settings: Settings) -> tuple[HeldRecord, ...]:
    """Read every record that the services hold in the zones of the settings, sorted by zone and name."""
    found: list[HeldRecord] = []
    for zone in settings.zones:
        zone_id = zone.zone_id or ""
        if zone.provider == "cloudflare":
            found += cloudflare_records(zone.domain, services.cloudflare.records(zone_id))
        else:
            found += route53_records(zone.domain, services.route53.records(zone_id))
    return tuple(sorted(found))


def cloudflare_records(domain: str, records: Iterable[Mapping[str, object]]) -> list[HeldRecord]:
    """Return the records of a zone from the API's own form; the marker is the comment."""
    return [
        HeldRecord(
            zone=domain,
            name=str(record["name"]),
            type=str(record["type"]),
            value=str(record["content"]),
            ttl="auto" if record["ttl"] == 1 else str(record["ttl"]),
            proxied=bool(record["proxied"]),
            marker=str(record.get("comment") or ""),
        )
        for record in records
    ]


def route53_records(domain: str, records: Iterable[HostedRecord]) -> list[HeldRecord]:
    """Return the records of a hosted zone.

    A TXT that marks another name stands with that name's records; one whose name has no record stands for itself.
    """
    every = list(records)
    marked = {marker_name(one.name, domain) for one in every if one.type != "TXT"}
    markers = {one.name: one.values[0].strip('"') for one in every if one.type == "TXT" and one.name in marked}
    return [
        HeldRecord(
            zone=domain,
            name=one.name,
            type=one.type,
            value=value,
            ttl="alias" if one.alias else str(one.ttl),
            proxied=None,
            marker=markers.get(marker_name(one.name, domain), ""),
        )
        for one in every
        if not (one.type == "TXT" and one.name in marked)
        for value in ((one.alias[0].removesuffix("."),) if one.alias else one.values)
    ]


def table_lines(records: Sequence[HeldRecord], zones: Sequence[Zone]) -> Iterator[str]:
    """Yield the lines of the table, at most 80 columns as long as names and values allow it.

    Names are relative to the zone's, `@` is the zone itself. A value that does not fit stands on a line of its own.
    """
    rows = {record: _cells(record) for record in sorted(records)}
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows.values(), strict=True)]
    yield f"  {_padded(_HEADINGS, widths)}  VALUE"
    titles = {zone.domain: _title(zone) for zone in zones}
    for domain, group in groupby(rows, key=lambda record: record.zone):
        yield titles[domain]
        for record in group:
            line = f"  {_padded(rows[record], widths)}  {record.value}"
            if len(line) <= _WIDTH:
                yield line
            else:
                yield f"  {_padded(rows[record], widths)}".rstrip()
                yield f"{record.value:>{_WIDTH}}"


def surprises(before: Sequence[HeldRecord], after: Sequence[HeldRecord], removed: Iterable[str]) -> tuple[str, ...]:
    """Say what is wrong unless exactly the records of the removed hostnames went from one reading to the next."""
    gone = set(removed)
    expected = {record for record in before if record.name not in gone}
    found = set(after)
    return (
        *(f"{name} had no record to remove" for name in sorted(gone - {record.name for record in before})),
        *(f"{record.name} {record.type} {record.value} is gone or changed" for record in sorted(expected - found)),
        *(f"{record.name} {record.type} {record.value} is there" for record in sorted(found - expected)),
    )


def _cells(record: HeldRecord) -> tuple[str, ...]:
    relative = record.name.removesuffix(record.zone).removesuffix(".") or "@"
    proxied = {None: "-", True: "yes", False: "no"}[record.proxied]
    return (relative, record.type, record.ttl, proxied, short_marker(record.marker))


def short_marker(text: str) -> str:
    """Return the namespace and name of the source that a marker names, `-` for no marker of ours."""
    marker = parse_marker(text)
    return "/".join(marker.source.split("/")[-2:]) if marker else "-"


def _title(zone: Zone) -> str:
    return f"{zone.domain} ({_PROVIDER_NAMES[zone.provider]}, {zone.visibility})"


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
