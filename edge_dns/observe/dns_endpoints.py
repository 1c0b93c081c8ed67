"""DNSEndpoints of clusters, and the external-dns instances that read them, from the API servers. Read-only."""

import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from edge_dns.core.endpoint_entries import GROUP, KIND, VERSION, marker_of, object_records, uid_of
from edge_dns.core.endpoint_readers import Reader, readers_of
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.live_endpoints import LiveEndpoints, LiveObject
from edge_dns.core.settings import Cluster
from edge_dns.observe.kubernetes_access import connect
from edge_dns.observe.kubernetes_lists import PAGE_ITEMS, READ_SECONDS, NotListed, ObjectLists, Reading, Resource
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Lasting, Tell, silent

DNS_ENDPOINTS = Resource(KIND, "dnsendpoints", GROUP, VERSION)
DEPLOYMENTS = Resource("Deployment", "deployments", "apps", "v1")


def read_endpoints(
    clusters: Iterable[Cluster], root: Path, *, tell: Tell = silent, seconds: float = READ_SECONDS
) -> dict[str, LiveEndpoints]:
    """Return the DNSEndpoints of each cluster by its name, the clusters read side by side.

    Kubeconfig paths count from `root`. Raises ObservationFailed when one cannot be read completely within the seconds;
    a CRD that is missing, and Deployments that may not be listed, are answers.
    """
    reading = Reading(deadline=time.monotonic() + seconds, seconds=seconds, page_items=PAGE_ITEMS)
    return side_by_side(
        {cluster.name: partial(_read, cluster, root, reading) for cluster in clusters},
        tell=tell,
        deadline=reading.deadline + 1,
        late=lambda name: f"the DNSEndpoints of cluster {name} could not be read within {seconds:.0f} s; run it again",
    )


def _read(cluster: Cluster, root: Path, reading: Reading, tell: Tell) -> LiveEndpoints:
    tell(f"reading the DNSEndpoints of cluster {cluster.name}")
    lists = ObjectLists(connect(cluster, root), reading)
    return LiveEndpoints(objects=_objects(lists, tell), readers=_readers(lists, tell))


def _readers(lists: ObjectLists, tell: Tell) -> tuple[Reader, ...] | None:
    try:
        return readers_of(lists.read(DEPLOYMENTS, tell))
    except NotListed:
        cluster = lists.server.cluster
        tell(Lasting(f"cluster {cluster}: deployments are not read, so external-dns instances are not looked at"))
        return None


def _objects(lists: ObjectLists, tell: Tell) -> dict[str, LiveObject] | None:
    try:
        return {_path(one): _live(one) for one in lists.read(DNS_ENDPOINTS, tell)}
    except NotListed as refused:
        if refused.status == 404:
            return None
        raise lists.forbidden(DNS_ENDPOINTS) from None


def _live(one: Object) -> LiveObject:
    marker = marker_of(one)
    return LiveObject(
        owner=marker.owner if marker else None,
        source=marker.source if marker else "",
        entries=object_records(one),
        uid=uid_of(one),
    )


def _path(one: Object) -> str:
    metadata = one.get("metadata")
    return f"{metadata['namespace']}/{metadata['name']}" if isinstance(metadata, dict) else ""
