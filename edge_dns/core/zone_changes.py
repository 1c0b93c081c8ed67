"""What one run does to the own records of each zone, in numbers: what the guard judges and the summary shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_dns.core.rrsets import describe_rrset, join_rrsets
from edge_dns.core.settings import Zone
from edge_dns.core.values import Alias, RecordType, RRset
from edge_dns.core.zones import ZoneIndex, zone_title

_Types = Mapping[RecordType, Sequence[RRset]]
_Names = dict[str, dict[RecordType, list[RRset]]]
"""What each name of a zone holds by type; the values of one RRset may be spread over several items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneChanges:
    """One zone: own RRsets before and after the run, without markers, and how many are withdrawn and changed.

    `withdrawn` and `changed` count them by hostname; a change of type is one change. `deleting` are the hostnames of
    which the provider has to delete a record. `became` tells by hostname what a name that keeps records held and holds.
    `zone` is None when it left the settings; `domain` is its domain as far as it is known.
    """

    key: str
    zone: Zone | None
    domain: str | None
    before: int
    after: int
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    deleting: frozenset[str] = frozenset()
    became: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The zone in words."""
        return zone_title(self.key, self.domain, left=self.zone is None)

    @property
    def withdrawals(self) -> int:
        """Number of RRsets that are withdrawn."""
        return sum(self.withdrawn.values())

    @property
    def updates(self) -> int:
        """Number of RRsets that are changed."""
        return sum(self.changed.values())


def zone_changes(
    before: Iterable[RRset], after: Iterable[RRset], zones: ZoneIndex, domains: Mapping[str, str] | None = None
) -> tuple[ZoneChanges, ...]:
    """Return the changes of every zone that holds or will hold own records, in order of the zones' keys.

    `domains` are those that zones had by key, which tell one that left the settings.
    """
    old, new = _by_zone(before), _by_zone(after)
    found = (_changes(key, old.get(key, {}), new.get(key, {}), zones) for key in sorted(old.keys() | new.keys()))
    return tuple(replace(one, domain=one.domain or (domains or {}).get(one.key)) for one in found)


def _by_zone(rrsets: Iterable[RRset]) -> dict[str, _Names]:
    zones: dict[str, _Names] = {}
    for rrset in rrsets:
        zones.setdefault(rrset.zone_id, {}).setdefault(rrset.name, {}).setdefault(rrset.type, []).append(rrset)
    return zones


def _changes(key: str, before: _Names, after: _Names, zones: ZoneIndex) -> ZoneChanges:
    zone = zones.by_key(key)
    withdrawn: dict[str, int] = {}
    changed: dict[str, int] = {}
    became: dict[str, str] = {}
    deleting: set[str] = set()
    for name, old in before.items():
        new = after.get(name, {})
        gone, added = old.keys() - new.keys(), new.keys() - old.keys()
        updated = sum(_contents(old[kind]) != _contents(new[kind]) for kind in old.keys() & new.keys())
        if gone and not added:
            withdrawn[name] = len(gone)
        if updated := updated + bool(gone and added):
            changed[name] = updated
        if new and (gone or updated):
            became[name] = f"{_described(old)} becomes {_described(new)}"
        if len(gone) > len(added) or (gone and not _changes_type_in_place(zone)):
            deleting.add(name)
    return ZoneChanges(
        key=key,
        zone=zone,
        domain=zone.domain if zone else None,
        before=sum(map(len, before.values())),
        after=sum(map(len, after.values())),
        withdrawn=withdrawn,
        changed=changed,
        deleting=frozenset(deleting),
        became=became,
    )


def _changes_type_in_place(zone: Zone | None) -> bool:
    """Route 53 changes a type in one transaction; the other providers delete the record first."""
    return zone is not None and zone.provider == "route53"


def _contents(rrsets: Iterable[RRset]) -> set[tuple[str | Alias | None, int | None, bool | None]]:
    return {(value, one.ttl, one.proxied) for one in rrsets for value in one.values or (one.alias,)}


def _described(types: _Types) -> str:
    return " + ".join(describe_rrset(one) for one in join_rrsets(one for group in types.values() for one in group))
