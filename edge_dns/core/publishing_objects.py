"""Objects that external-dns makes records for, as manifests and API servers write them, read one by one."""

from collections.abc import Mapping
from dataclasses import dataclass

from edge_dns.core.gateway_state import GATEWAY_GROUP
from edge_dns.core.kubernetes_fields import (
    Object,
    list_at,
    object_at,
    optional_object_at,
    optional_text_at,
    text_at,
    texts_at,
    texts_by_key_at,
)
from edge_dns.core.names import as_shown
from edge_dns.core.values import RECORD_TYPES

ROUTES = frozenset({"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"})
_GROUPS = {
    **dict.fromkeys((*ROUTES, "Gateway"), GATEWAY_GROUP),
    "Service": "",
    "Ingress": "networking.k8s.io",
    "DNSEndpoint": "externaldns.k8s.io",
}
_PARENTS = frozenset({"Gateway", "ListenerSet", "XListenerSet"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishingObject:
    """A route, Service, Ingress, DNSEndpoint or Gateway; `where` is its file or cluster, `cluster` None in a file.

    `hostnames` are those of its spec as shown, sorted; `gateways` namespace and name of the Gateways that a route
    refers to; `targets` the values of a DNSEndpoint; `class_name` the GatewayClass of a Gateway.
    """

    kind: str
    cluster: str | None
    namespace: str
    name: str
    where: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    hostnames: tuple[str, ...] = ()
    gateways: frozenset[tuple[str, str]] = frozenset()
    targets: tuple[str, ...] = ()
    class_name: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


def publishing_object(
    item: Object, *, where: str, cluster: str | None = None, namespace: str = "default"
) -> PublishingObject | None:
    """Return the object of a Kubernetes object, None for other kinds; `namespace` is that of objects that name none.

    Raises Malformed.
    """
    kind = item.get("kind")
    group = str(item.get("apiVersion")).rpartition("/")[0]
    if not isinstance(kind, str) or _GROUPS.get(kind) != group:
        return None
    metadata = object_at(item.get("metadata"), "metadata")
    spec = optional_object_at(item.get("spec"), "spec")
    space = optional_text_at(metadata.get("namespace"), "metadata.namespace") or namespace
    return PublishingObject(
        kind=kind,
        cluster=cluster,
        namespace=space,
        name=text_at(metadata.get("name"), "metadata.name"),
        where=where,
        labels=texts_by_key_at(metadata.get("labels"), "metadata.labels"),
        annotations=texts_by_key_at(metadata.get("annotations"), "metadata.annotations"),
        hostnames=tuple(sorted(set(map(as_shown, _hostnames(kind, spec))))),
        gateways=_gateways(spec, space) if kind in ROUTES else frozenset(),
        targets=_targets(spec) if kind == "DNSEndpoint" else (),
        class_name=optional_text_at(spec.get("gatewayClassName"), "spec.gatewayClassName"),
    )


def _hostnames(kind: str, spec: Object) -> tuple[str, ...]:
    if kind in ROUTES:
        return texts_at(spec.get("hostnames"), "spec.hostnames")
    if kind == "DNSEndpoint":
        return tuple(text_at(one.get("dnsName"), "spec.endpoints.dnsName") for one in _endpoints(spec))
    if kind == "Ingress":
        rules = [object_at(rule, "spec.rules") for rule in list_at(spec.get("rules"), "spec.rules")]
        tls = [object_at(one, "spec.tls") for one in list_at(spec.get("tls"), "spec.tls")]
        hosts = [optional_text_at(rule.get("host"), "spec.rules.host") for rule in rules]
        return (*filter(None, hosts), *(host for one in tls for host in texts_at(one.get("hosts"), "spec.tls.hosts")))
    return ()


def _endpoints(spec: Object) -> list[Object]:
    return [object_at(one, "spec.endpoints") for one in list_at(spec.get("endpoints"), "spec.endpoints")]


def _targets(spec: Object) -> tuple[str, ...]:
    """Return what the names point at, also where that is a CNAME; texts of other records are neither."""
    found = [
        one
        for one in _endpoints(spec)
        if optional_text_at(one.get("recordType"), "spec.endpoints.recordType") in RECORD_TYPES
    ]
    return tuple(target for one in found for target in texts_at(one.get("targets"), "spec.endpoints.targets"))


def _gateways(spec: Object, namespace: str) -> frozenset[tuple[str, str]]:
    refs = [object_at(ref, "spec.parentRefs") for ref in list_at(spec.get("parentRefs"), "spec.parentRefs")]
    return frozenset(
        (
            optional_text_at(ref.get("namespace"), "spec.parentRefs.namespace") or namespace,
            text_at(ref.get("name"), "spec.parentRefs.name"),
        )
        for ref in refs
        if (optional_text_at(ref.get("kind"), "spec.parentRefs.kind") or "Gateway") in _PARENTS
    )
