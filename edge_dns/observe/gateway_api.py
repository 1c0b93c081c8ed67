"""Gateway state from the API servers of clusters: complete lists or an error, never less.

Paging follows the Kubernetes API concepts, "Retrieving large results sets in chunks".
"""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from edge_dns.core.errors import GatewayStateInvalid, ObservationFailed
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_state import GATEWAY_GROUP, GatewayState
from edge_dns.core.json_values import load_json
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.settings import Cluster
from edge_dns.observe.kubernetes_access import Answer, ApiServer, connect
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Lasting, Passing, Tell, silent

READ_SECONDS = 120.0
"""How long reading all clusters may take."""
PAGE_ITEMS = 500
RESTARTS = 3
"""How often a list whose continue token has expired is started anew."""

_EXPERIMENTAL = "gateway.networking.x-k8s.io"


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind of objects in one API version, as the API server lists it for the whole cluster."""

    kind: str
    plural: str
    group: str = GATEWAY_GROUP
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """Group and version as objects write them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """Where the server lists them."""
        return f"/{'apis' if self.group else 'api'}/{self.api_version}/{self.plural}"

    @property
    def rule(self) -> str:
        """The rule of a ClusterRole that allows to list them."""
        return f'{{apiGroups: ["{self.group}"], resources: ["{self.plural}"], verbs: ["list"]}}'


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a reading goes: its end as a time of `time.monotonic`, the seconds that it had, and the size of a page."""

    deadline: float
    seconds: float
    page_items: int


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
    `root`. Raises ObservationFailed, with everything that is
    wrong in any of the clusters, when one cannot be read completely within the seconds.
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
    readings: dict[str, Callable[[Tell], list[Object]]] = {
        resource.plural: partial(_read_required, server, resource, reading)
        for resource in (*REQUIRED, *([SERVICES] if services else []))
    }
    readings |= {versions[0].plural: partial(_read_optional, server, versions, reading) for versions in OPTIONAL}
    found = side_by_side(
        readings,
        tell=tell,
        deadline=reading.deadline + 0.5,
        late=lambda plural: f"cluster {cluster.name}: its {plural} could not be read within {reading.seconds:.0f} s",
    )
    counts = ", ".join(f"{len(objects):,} {plural}" for plural, objects in found.items() if objects)
    tell(Passing(f"cluster {cluster.name}: {counts or 'nothing there'}"))
    return [item for objects in found.values() for item in objects]


def _read_required(server: ApiServer, resource: Resource, reading: Reading, tell: Tell) -> list[Object]:
    try:
        return _list(server, resource, reading, tell)
    except _Refused as refused:
        if refused.status == 403:
            raise server.failed(
                f"forbids to list {resource.plural} (API group {resource.group or 'core'}); add to the ClusterRole "
                f"of {server.origin}: {resource.rule}"
            ) from None
        raise server.failed(_why_missing(server, resource, reading)) from None


def _read_optional(server: ApiServer, versions: tuple[Resource, ...], reading: Reading, tell: Tell) -> list[Object]:
    for resource in versions:
        try:
            return _list(server, resource, reading, tell)
        except _Refused as refused:
            if refused.status == 403:
                tell(Lasting(f"cluster {server.cluster}: {resource.plural} are not read, listing them is forbidden"))
                return []
    tell(Passing(f"cluster {server.cluster}: {versions[0].plural} are not installed"))
    return []


class _Refused(Exception):  # noqa: N818 - private: the server does not list a kind
    """Not found or forbidden."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Expired(Exception):  # noqa: N818 - private: the list starts anew
    """The continue token of a list has expired (410)."""


def try_list(server: ApiServer, resource: Resource, reading: Reading, tell: Tell) -> list[Object] | int:
    """Return all objects of a kind, or the status (403, 404) with which the server refuses to list it."""
    try:
        return _list(server, resource, reading, tell)
    except _Refused as refused:
        return refused.status


def _list(server: ApiServer, resource: Resource, reading: Reading, tell: Tell) -> list[Object]:
    for _ in range(RESTARTS + 1):
        try:
            return _pages(server, resource, reading, tell)
        except _Expired:
            tell(Lasting(f"cluster {server.cluster}: the list of {resource.plural} has expired, reading it anew"))
    raise server.failed(
        f"let the list of {resource.plural} expire {RESTARTS + 1} times before it was read; run it again later"
    )


def _pages(server: ApiServer, resource: Resource, reading: Reading, tell: Tell) -> list[Object]:
    items: list[Object] = []
    token = ""
    while True:
        query = {"limit": str(reading.page_items)} | ({"continue": token} if token else {})
        answer = server.get(resource.path, query, deadline=reading.deadline)
        page, metadata = _page(server, resource, answer)
        items += [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in page]
        following = str(metadata.get("continue") or "")
        if not following:
            if metadata.get("remainingItemCount"):
                raise server.failed(_incomplete(resource, "it says that more follows, but not where"))
            return items
        if following == token:
            raise server.failed(_incomplete(resource, "a page leads back to itself"))
        token = following
        tell(Passing(f"reading cluster {server.cluster}: {len(items):,} {resource.plural} so far"))


def _page(server: ApiServer, resource: Resource, answer: Answer) -> tuple[list[Object], Object]:
    """Return the items and the metadata of one page. Raises _Expired, _Refused or ObservationFailed."""
    if answer.status == 410:
        raise _Expired
    if answer.status in {403, 404}:
        raise _Refused(answer.status)
    if answer.status == 401:
        raise server.failed(f"says Unauthorized; renew the credentials of {server.origin}")
    body = _json(answer)
    if answer.status != 200:
        reason = body.get("reason") if isinstance(body, dict) else None
        word = f" {reason}" if isinstance(reason, str) and reason.isalnum() else ""
        raise server.failed(f"answers {answer.status}{word} to the list of {resource.plural}; run it again")
    if not isinstance(body, dict):
        raise server.failed(
            f"answers the list of {resource.plural} with {answer.media_type or 'something'} that is not JSON; "
            f"is it an API server? See 'server' in {server.origin}"
        )
    if (body.get("kind"), body.get("apiVersion")) != (f"{resource.kind}List", resource.api_version):
        raise server.failed(_incomplete(resource, f"it is no {resource.kind}List of {resource.api_version}"))
    metadata, items = body.get("metadata"), body.get("items")
    if not isinstance(metadata, dict) or not metadata.get("resourceVersion"):
        raise server.failed(_incomplete(resource, "it has no resourceVersion"))
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise server.failed(_incomplete(resource, "its items are no list of objects"))
    return items, metadata


def _incomplete(resource: Resource, why: str) -> str:
    return f"gives a list of {resource.plural} that is not complete: {why}; is a proxy in between?"


def _json(answer: Answer) -> object:
    try:
        body: object = load_json(answer.body)
    except (ValueError, RecursionError):
        return None
    return body


def _why_missing(server: ApiServer, resource: Resource, reading: Reading) -> str:
    """Say why the server does not have a required kind, by what it says of the API group."""
    if not resource.group:
        return f"has no {resource.plural}; is it an API server? See 'server' in {server.origin}"
    install = "install the CRDs of Gateway API 1.1 or newer"
    answer = server.get(f"/apis/{resource.group}", {}, deadline=reading.deadline)
    served = _versions(_json(answer))
    if answer.status == 404:
        return f"has no Gateway API ({resource.group}): its CRDs are missing; {install}"
    if served and resource.version not in served:
        return f"serves {resource.group} as {', '.join(served)}, not as {resource.version}; {install}"
    return f"has no {resource.plural} in {resource.api_version}: this CRD is missing; {install}"


def _versions(group: object) -> list[str]:
    versions = group.get("versions") if isinstance(group, dict) else None
    return [str(one.get("version")) for one in versions if isinstance(one, dict)] if isinstance(versions, list) else []
