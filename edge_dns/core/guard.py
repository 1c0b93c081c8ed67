"""The guard against mass withdrawal: what stops a run before anything is registered.

It compares the records of the last state with the planned ones. Policies cannot do it: they never see deletes.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from textwrap import wrap

from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Acknowledge, Safety, Settings
from edge_dns.core.values import Alias, RecordType, RRset
from edge_dns.core.zones import ZoneIndex

_NAMES_SHOWN = 20
_WIDTH = 78

_Contents = set[tuple[str | Alias | None, int | None, bool | None]]
_Names = dict[str, dict[RecordType, _Contents]]
"""What each name of a zone holds by type: value or alias, TTL, proxied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A reason to stop the whole run, with the hostnames concerned, sorted."""

    refusal: Refusal
    hostnames: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How many objects a cluster listed."""

    gateways: int
    routes: int


@dataclass(slots=True, kw_only=True)
class _Changes:
    """What one run does to one zone: records per hostname, counted as RRsets."""

    existing: int = 0
    withdrawn: dict[str, int] = field(default_factory=dict)
    updated: dict[str, int] = field(default_factory=dict)
    deleting: set[str] = field(default_factory=set)


def check_guard(
    settings: Settings,
    *,
    before: Iterable[RRset],
    after: Iterable[RRset],
    clusters: Mapping[str, Listing],
    published_by_cluster: Mapping[str | None, Collection[str]],
) -> tuple[Stop, ...]:
    """Return why the run must stop, empty when it may go on.

    `before` and `after` are own records of the last state and of this run, without markers and released names; the
    values of one RRset may be spread over several items. For `clusters` and `published_by_cluster` see `empty_desired`.
    """
    wanted = tuple(after)
    names = {rrset.name for rrset in wanted}
    return (
        *empty_desired(published_by_cluster, names, clusters, settings.safety.acknowledge),
        *check_changes(before, wanted, safety=settings.safety, zones=ZoneIndex.of(settings.zones)),
    )


def check_changes(
    before: Iterable[RRset], after: Iterable[RRset], *, safety: Safety, zones: ZoneIndex
) -> tuple[Stop, ...]:
    """Return the stops of each zone, in order of the zones' keys.

    `mass-delete` and `mass-update` when more than the share of the safety settings of at least `minRecords` own RRsets
    would be withdrawn or changed, unless acknowledged; `delete-forbidden` for protected hostnames and, with `withdraw:
    never`, for all, which nothing acknowledges. A change of type counts as one update.
    """
    old, new = _by_zone(before), _by_zone(after)
    stops: list[Stop] = []
    for key in sorted(old):
        changes = _changes(old[key], new.get(key, {}), in_place=_changes_type_in_place(key, zones))
        zone = _zone_name(key, zones)
        stops += _forbidden(changes, zone, safety)
        if safety.withdraw != "free":
            limit = _Limit(rule="mass-delete", verb="withdrawn", setting="maxWithdraw", share=safety.max_withdraw)
            stops += _over(changes.withdrawn, changes.existing, limit, zone, safety)
        limit = _Limit(rule="mass-update", verb="changed", setting="maxUpdate", share=safety.max_update)
        stops += _over(changes.updated, changes.existing, limit, zone, safety)
    return tuple(stops)


def empty_desired(
    published: Mapping[str | None, Collection[str]],
    planned: Collection[str],
    listed: Mapping[str, Listing],
    acknowledge: Acknowledge | None,
) -> tuple[Stop, ...]:
    """Return the `empty-desired` stops: nothing planned where something was, or a cluster that lists nothing any more.

    `published` holds the hostnames of the last state by cluster (None for tunnels), `planned` all hostnames of this
    run, `listed` the clusters of the settings: a cluster that is not among them was removed on purpose.
    """
    everything = frozenset(name for names in published.values() for name in names)
    if everything and not planned:
        return _unless_acknowledged(_empty(everything, "nothing at all would be published"), acknowledge)
    stops: tuple[Stop, ...] = ()
    for cluster, listing in sorted(listed.items()):
        missing = [what for what, count in (("Gateway", listing.gateways), ("route", listing.routes)) if not count]
        names = published.get(cluster, ())
        if names and missing:
            stop = _empty(names, f"cluster {cluster} lists no {' and no '.join(missing)}")
            stops += _unless_acknowledged(stop, acknowledge)
    return stops


def hub_account(
    invites: Collection[str], hostnames: Collection[str], acknowledge: Acknowledge | None
) -> tuple[Stop, ...]:
    """Return the `hub-account` stop for known invites of which the hub shows none, unless it is acknowledged.

    `hostnames` are those published for them; with none at stake nothing can be lost.
    """
    if not invites or not hostnames:
        return ()
    why = (
        f"the hub shows none of the known invites ({', '.join(sorted(invites))}): edge-dns:hub.apiKey is of another "
        f"account, or all are deleted, and {_count(len(hostnames), 'hostname')} would be withdrawn"
    )
    return _unless_acknowledged(_stop("hub-account", why, hostnames, _way_out(len(hostnames))), acknowledge)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    rule: str
    verb: str
    setting: str
    share: float


def _by_zone(rrsets: Iterable[RRset]) -> dict[str, _Names]:
    zones: dict[str, _Names] = {}
    for rrset in rrsets:
        contents = zones.setdefault(rrset.zone_id, {}).setdefault(rrset.name, {}).setdefault(rrset.type, set())
        contents |= {(value, rrset.ttl, rrset.proxied) for value in rrset.values or (rrset.alias,)}
    return zones


def _changes(before: _Names, after: _Names, *, in_place: bool) -> _Changes:
    changes = _Changes(existing=sum(map(len, before.values())))
    for name, old in before.items():
        new = after.get(name, {})
        gone, added = old.keys() - new.keys(), new.keys() - old.keys()
        updated = sum(old[kind] != new[kind] for kind in old.keys() & new.keys())
        if gone and added:
            updated += 1
        elif gone:
            changes.withdrawn[name] = len(gone)
        if updated:
            changes.updated[name] = updated
        if len(gone) > len(added) or (gone and not in_place):
            changes.deleting.add(name)
    return changes


def _changes_type_in_place(key: str, zones: ZoneIndex) -> bool:
    """Route 53 changes a type in one transaction; the other providers delete the record first."""
    zone = zones.by_key(key)
    return zone is not None and zone.provider == "route53"


def _zone_name(key: str, zones: ZoneIndex) -> str:
    zone = zones.by_key(key)
    return f"zone {zone.domain} ({key})" if zone else f"zone {key}, which left the settings"


def _forbidden(changes: _Changes, zone: str, safety: Safety) -> tuple[Stop, ...]:
    protected = changes.deleting & set(safety.protect)
    stops = []
    if protected:
        why = f"{zone}: {_count(len(protected), 'hostname')} of safety.protect would lose a record"
        stops.append(_stop("delete-forbidden", why, protected, "to allow it: take them out of safety.protect"))
    if safety.withdraw == "never" and changes.deleting:
        why = f"{zone}: {_count(len(changes.deleting), 'hostname')} would lose a record, and safety.withdraw is never"
        way_out = "to allow it: set safety.withdraw to guarded for this run"
        stops.append(_stop("delete-forbidden", why, changes.deleting, way_out))
    return tuple(stops)


def _over(affected: Mapping[str, int], existing: int, limit: _Limit, zone: str, safety: Safety) -> tuple[Stop, ...]:
    count = sum(affected.values())
    # The share as it was written: 0.3 is three tenths, not the binary number beside it.
    if existing < safety.min_records or count <= Fraction(str(limit.share)) * existing:
        return ()
    percent, allowed = 100 * count / existing, 100 * limit.share
    why = (
        f"{zone}: {count} of {existing} own records ({percent:.2f} %) would be {limit.verb}, "
        f"safety.{limit.setting} allows {allowed:g} %"
    )
    return _unless_acknowledged(_stop(limit.rule, why, affected, _way_out(len(affected))), safety.acknowledge)


def _empty(names: Collection[str], why: str) -> Stop:
    count = len(frozenset(names))
    return _stop("empty-desired", f"{why}, and {_count(count, 'hostname')} would be withdrawn", names, _way_out(count))


def _unless_acknowledged(stop: Stop, acknowledge: Acknowledge | None) -> tuple[Stop, ...]:
    if acknowledge is None:
        return (stop,)
    if acknowledge.names is not None:
        return () if set(stop.hostnames) <= set(acknowledge.names) else (stop,)
    return () if acknowledge.count == len(stop.hostnames) else (stop,)


def _stop(rule: str, why: str, names: Iterable[str], way_out: str) -> Stop:
    hostnames = tuple(sorted(set(names)))
    shown = [f"  {name}" for name in hostnames[:_NAMES_SHOWN]]
    if len(hostnames) > _NAMES_SHOWN:
        shown.append(f"  and {len(hostnames) - _NAMES_SHOWN} more")
    lines = [*_wrap(f"{why}:" if hostnames else why), *shown, *_wrap(way_out)]
    return Stop(refusal=Refusal(rule=rule, reason="\n".join(lines)), hostnames=hostnames)


def _wrap(text: str) -> list[str]:
    return wrap(text, width=_WIDTH, break_long_words=False, break_on_hyphens=False)


def _way_out(count: int) -> str:
    return (
        f"to allow exactly this in one run: set edge-dns:safety.acknowledge.count to {count}, "
        "or list all these hostnames in edge-dns:safety.acknowledge.names"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
