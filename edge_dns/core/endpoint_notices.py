"""DNSEndpoints with the marker of this stack that neither its state nor this run knows: nobody would delete them."""

from collections.abc import Iterable

from edge_dns.core.decide import Decision
from edge_dns.core.endpoint_entries import KIND
from edge_dns.core.endpoint_places import ObjectKey, Places
from edge_dns.core.live import Live
from edge_dns.core.notices import Notice
from edge_dns.core.settings import Zone


def unknown_objects(
    decisions: Iterable[Decision], places: Places, zones: Iterable[Zone], live: Live | None
) -> tuple[Notice, ...]:
    """Return a warning for each such object, sorted; none where no cluster was read."""
    if live is None or not live.endpoints:
        return ()
    sources, served = {one.source for one in decisions}, [zone for zone in zones if zone.provider == "external-dns"]
    wanted = {key.id for source in sources for zone in served if (key := places.key(source, zone))}
    found = (
        ObjectKey(cluster=cluster, namespace=namespace, name=name)
        for cluster, endpoints in sorted(live.endpoints.items())
        for path, one in sorted((endpoints.objects or {}).items())
        if one.owner == live.owner
        for namespace, _, name in [path.partition("/")]
    )
    return tuple(_notice(key) for key in found if key.id not in live.objects and key.id not in wanted)


def _notice(key: ObjectKey) -> Notice:
    message = (
        f"{KIND} {key.path} of cluster {key.cluster} carries the marker of this stack, whose state does not hold it, "
        "and nothing declares it: delete it, unless another installation has a stack of this name"
    )
    return Notice(rule=None, path="edge-dns:zones", message=message)
