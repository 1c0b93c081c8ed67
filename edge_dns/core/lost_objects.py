"""DNSEndpoints with the marker of this stack that its state does not hold: nothing of it would delete them."""

from collections.abc import Iterable
from dataclasses import dataclass

from edge_dns.core.decide import Decision
from edge_dns.core.endpoint_entries import KIND
from edge_dns.core.endpoint_places import ObjectKey, Places
from edge_dns.core.live import Live
from edge_dns.core.notices import Notice
from edge_dns.core.settings import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class LostObject:
    """Such an object: `source` is that of its marker; `wanted` says whether this run has names for an object there."""

    key: ObjectKey
    hostnames: tuple[str, ...]
    source: str
    wanted: bool


def lost_objects(
    decisions: Iterable[Decision], places: Places, zones: Iterable[Zone], live: Live | None
) -> tuple[LostObject, ...]:
    """Return each such object, sorted; none where no cluster was read."""
    if live is None or not live.endpoints:
        return ()
    sources, served = {one.source for one in decisions}, [zone for zone in zones if zone.provider == "external-dns"]
    wanted = {key.id for source in sources for zone in served if (key := places.key(source, zone))}
    uids = frozenset(live.objects.values())
    return tuple(
        LostObject(
            key=key,
            hostnames=tuple(sorted({rrset.name for rrset in one.entries.values()})),
            source=one.source,
            wanted=key.id in wanted,
        )
        for cluster, endpoints in sorted(live.endpoints.items())
        for path, one in sorted((endpoints.objects or {}).items())
        if one.owner == live.owner
        for namespace, _, name in [path.partition("/")]
        for key in [ObjectKey(cluster=cluster, namespace=namespace, name=name)]
        # The state may know it under another name of the cluster.
        if key.id not in live.objects and (not one.uid or one.uid not in uids)
    )


def unknown_objects(found: Iterable[LostObject]) -> tuple[Notice, ...]:
    """Return a warning for each of them that nothing declares."""
    return tuple(_notice(one.key) for one in found if not one.wanted)


def _notice(key: ObjectKey) -> Notice:
    message = (
        f"{KIND} {key.path} of cluster {key.cluster} carries the marker of this stack, whose state does not hold it, "
        "and nothing declares it: delete it (edge-dns audit orphans tells what it holds), unless another installation "
        "has a stack of this name"
    )
    return Notice(rule=None, path="edge-dns:zones", message=message)
