"""The baseline of names before they are withdrawn: their live records, by whose hand each of them comes back."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from edge_dns.core.decision import Decision
from edge_dns.core.live import Live, LiveRecord, LiveZone
from edge_dns.core.markers import marker_name
from edge_dns.core.names import in_zone
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Zone
from edge_dns.core.txt_registry import owned_by_external_dns, registry_names
from edge_dns.core.values import Provider
from edge_dns.core.zones import zone_key


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRecords:
    """What one external-dns instance owns of a name: by its `txtOwnerId`, which may be empty."""

    owner: str
    records: tuple[LiveRecord, ...]
    registry: tuple[LiveRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameBaseline:
    """The live records of one hostname in one zone: those of this stack's state with their marker, and all others."""

    hostname: str
    own: tuple[LiveRecord, ...]
    external: tuple[OwnedRecords, ...]
    others: tuple[LiveRecord, ...]

    @property
    def records(self) -> tuple[LiveRecord, ...]:
        """All of them, each once."""
        owned = (record for one in self.external for record in (*one.records, *one.registry))
        return tuple(dict.fromkeys((*self.own, *owned, *self.others)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneBaseline:
    """A zone with the names that are affected in it, sorted, at least one."""

    domain: str
    provider: Provider
    zone_id: str
    names: tuple[NameBaseline, ...]

    @property
    def records(self) -> tuple[LiveRecord, ...]:
        """The records of all names, sorted by name, type and values."""
        found = dict.fromkeys(record for one in self.names for record in one.records)
        return tuple(sorted(found, key=lambda one: (one.name, one.type, one.values, one.import_id)))


def leaving_names(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Return the hostnames of which records go: those that this run withdraws, and those that external-dns will.

    Those that only wait for their internal resolver are among them.
    """
    waiting = (one.hostname for one in decisions if one.refusal and one.refusal.rule == "internal-authority-missing")
    leaving = (one.hostname for one in decisions if one.state == "withdrawn" or one.blast_radius)
    return tuple(sorted({*leaving, *waiting}))


def baselines(hostnames: Sequence[str], zones: Iterable[Zone], live: Live) -> tuple[ZoneBaseline, ...]:
    """Return the zones that hold records of these hostnames, by domain and id."""
    found = []
    for zone in sorted(zones, key=lambda one: (one.domain, zone_key(one))):
        live_zone = live.zones.get(zone_key(zone))
        names = tuple(_names(hostnames, zone, live_zone, live)) if live_zone else ()
        if names:
            key = zone_key(zone)
            found.append(ZoneBaseline(domain=zone.domain, provider=zone.provider, zone_id=key, names=names))
    return tuple(found)


def _names(hostnames: Sequence[str], zone: Zone, live_zone: LiveZone, live: Live) -> Iterator[NameBaseline]:
    ours = live.in_state
    for hostname in hostnames:
        if not in_zone(hostname, zone.domain):
            continue
        names = (hostname, *_marker_names(hostname, zone), *registry_names(hostname))
        records = [record for name in dict.fromkeys(names) for record in live_zone.at(name)]
        own = tuple(one for one in records if one.import_id in ours)
        external = tuple(
            OwnedRecords(owner=owner, records=owned, registry=registry)
            for owner, owned, registry in owned_by_external_dns(hostname, live_zone, ours)
        )
        owned = {record.import_id for one in external for record in (*one.records, *one.registry)}
        others = tuple(
            one for one in records if one.import_id not in ours | owned and one.name == hostname and one.type != "SOA"
        )
        if own or external or others:
            yield NameBaseline(hostname=hostname, own=own, external=external, others=others)


def _marker_names(hostname: str, zone: Zone) -> tuple[str, ...]:
    try:
        return (marker_name(hostname, zone.domain),)
    except Refused:
        return ()
