"""Gateway state from the API servers of clusters: which kinds are read, and what becomes of those that are missing."""

import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path

from edge_dns.core.errors import GatewayStateInvalid, ObservationFailed
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.settings import Cluster
from edge_dns.observe.kubernetes_access import connect
from edge_dns.observe.kubernetes_lists import (
    PAGE_ITEMS,
    READ_SECONDS,
    NotListed,
    ObjectLists,
    Reading,
    Resource,
    json_of,
)
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Lasting, Passing, Tell, silent

_EXPERIMENTAL = "gateway.networking.x-k8s.io"


REQUIRED = (
    Resource("GatewayClass", "gatewayclasses"),
    Resource("Gateway", "gateways"),
    Resource("HTTPRoute", "httproutes"),
    Resource("Namespace", "namespaces", group=""),
)
SERVICES = Resource("Service", "services", group="")
"""Required as well, but only in clusters whose Services the settings need."""
OPTIONAL = (
    (Resource("ListenerSet", "listenersets"), Resource("XListenerSet", "xlistenersets", _EXPERIMENTAL, "v1alpha1")),
    (Resource("GRPCRoute", "grpcroutes"),),
    (
        Resource("TLSRoute", "tlsroutes"),
        Resource("TLSRoute", "tlsroutes", version="v1alpha3"),
        Resource("TLSRoute", "tlsroutes", version="v1alpha2"),
    ),
)
"""Kinds that get a line 'not supported'; of each the first version that the server has counts."""


def read_states(
    clusters: Iterable[Cluster],
    root: Path,
    *,
    services: Collection[str] = (),
    tell: Tell = silent,
    seconds: float = READ_SECONDS,
    page_items: int = PAGE_ITEMS,
) -> dict[str, GatewayState]:
    """Return the state of each cluster by its name; raises what `read_objects` raises."""
    objects = read_objects(clusters, root, services=services, tell=tell, seconds=seconds, page_items=page_items)
    return {name: _state(name, found) for name, found in objects.items()}


def read_objects(
    clusters: Iterable[Cluster],
    root: Path,
    *,
    services: Collection[str] = (),
    tell: Tell = silent,
    seconds: float = READ_SECONDS,
    page_items: int = PAGE_ITEMS,
) -> dict[str, list[Object]]:
    """Return all objects that matter in each cluster by its name, the clusters read side by side.

    `services` names the clusters whose Services are read too. `tell` gets progress lines; kubeconfig paths count from
    `root`. Raises ObservationFailed, with everything that is wrong in any of the clusters, when one cannot be read
    completely within the seconds.
    """
    reading = Reading(deadline=time.monotonic() + seconds, seconds=seconds, page_items=page_items)
    return side_by_side(
        {
            cluster.name: partial(_read_cluster, cluster, root, reading, services=cluster.name in services)
            for cluster in clusters
        },
        tell=tell,
        # The request that hangs should be the one that says so.
        deadline=reading.deadline + 1,
        late=lambda name: f"cluster {name} could not be read within {seconds:.0f} s; run it again",
    )


def _state(cluster: str, objects: list[Object]) -> GatewayState:
    try:
        return parse_objects([{"apiVersion": "v1", "kind": "List", "items": objects}], services=True)
    except GatewayStateInvalid as error:
        raise ObservationFailed(f"cluster {cluster}: {error}") from None


def _read_cluster(cluster: Cluster, root: Path, reading: Reading, tell: Tell, *, services: bool) -> list[Object]:
    # A credential plugin may take its time.
    tell(f"reading cluster {cluster.name}")
    server = connect(cluster, root)
    tell(Passing(f"reading cluster {cluster.name} ({server.url})"))
    lists = ObjectLists(server, reading)
    readings: dict[str, Callable[[Tell], list[Object]]] = {
        resource.plural: partial(_read_required, lists, resource)
        for resource in (*REQUIRED, *([SERVICES] if services else []))
    }
    readings |= {versions[0].plural: partial(_read_optional, lists, versions) for versions in OPTIONAL}
    found = side_by_side(
        readings,
        tell=tell,
        deadline=reading.deadline + 0.5,
        late=lambda plural: f"cluster {cluster.name}: its {plural} could not be read within {reading.seconds:.0f} s",
    )
    counts = ", ".join(f"{len(objects):,} {plural}" for plural, objects in found.items() if objects)
    tell(Passing(f"cluster {cluster.name}: {counts or 'nothing there'}"))
    return [item for objects in found.values() for item in objects]


def _read_required(lists: ObjectLists, resource: Resource, tell: Tell) -> list[Object]:
    try:
        return lists.read(resource, tell)
    except NotListed as refused:
        if refused.status == 403:
            raise lists.forbidden(resource) from None
        raise lists.server.failed(_why_missing(lists, resource)) from None


def _read_optional(lists: ObjectLists, versions: tuple[Resource, ...], tell: Tell) -> list[Object]:
    cluster = lists.server.cluster
    for resource in versions:
        try:
            return lists.read(resource, tell)
        except NotListed as refused:
            if refused.status == 403:
                tell(Lasting(f"cluster {cluster}: {resource.plural} are not read, listing them is forbidden"))
                return []
    tell(Passing(f"cluster {cluster}: {versions[0].plural} are not installed"))
    return []


def _why_missing(lists: ObjectLists, resource: Resource) -> str:
    """Say why the server does not have a required kind, by what it says of the API group."""
    server = lists.server
    if not resource.group:
        return f"has no {resource.plural}; is it an API server? See 'server' in {server.origin}"
    install = "install the CRDs of Gateway API 1.1 or newer"
    answer = server.get(f"/apis/{resource.group}", {}, deadline=lists.reading.deadline)
    served = _versions(json_of(answer))
    if answer.status == 404:
        return f"has no Gateway API ({resource.group}): its CRDs are missing; {install}"
    if served and resource.version not in served:
        return f"serves {resource.group} as {', '.join(served)}, not as {resource.version}; {install}"
    return f"has no {resource.plural} in {resource.api_version}: this CRD is missing; {install}"


def _versions(group: object) -> list[str]:
    versions = group.get("versions") if isinstance(group, dict) else None
    return [str(one.get("version")) for one in versions if isinstance(one, dict)] if isinstance(versions, list) else []
