"""Services of the settings: the HTTPRoute that each of them declares, and which hostnames its exposure keeps internal.

Only `exposure` decides over the annotations of a route. An internal one is for a controller that does not exist, under
both prefixes of external-dns, so that no instance of any version takes it; a public one says nothing.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from edge_dns.core.claims import Rejection
from edge_dns.core.exposure import CLAIM, EXPOSURE_LABEL, PREFIXES, Exposure
from edge_dns.core.gateway_state import GATEWAY_GROUP, GatewayState, ObservedService, ParentRef, ServiceExposure
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.names import split_hostnames
from edge_dns.core.rules import Refusal
from edge_dns.core.service_names import InternalNames, of_services
from edge_dns.core.settings import Cluster, Service, Settings, cluster_of
from edge_dns.core.values import Source, Visibility

NOBODY = "edge-dns-internal"
"""The value of the controller annotation of internal objects; external-dns takes only `dns-controller`."""

OWNER_ANNOTATION = "edge-dns/owner"
"""The annotation by which a route says which stack has declared it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRoute:
    """The HTTPRoute of a service; `hostnames` in normal form, sorted, at least one.

    One that `waits` turns internal, and is written as the public one that it was until then.
    """

    cluster: str
    namespace: str
    name: str
    exposure: Exposure
    private_zones: bool
    hostnames: tuple[str, ...]
    parent: ParentRef
    port: int
    waits: bool = False

    @property
    def id(self) -> str:
        """Its Pulumi name, and its key in memory."""
        return route_id(self.cluster, self.namespace, self.name)

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels that it has to carry."""
        return {EXPOSURE_LABEL: self.written}

    @property
    def annotations(self) -> Mapping[str, str]:
        """The annotations by which external-dns leaves it alone, none when it is public."""
        return exposure_annotations(self.written)

    @property
    def written(self) -> Exposure:
        """The exposure that label and annotations say."""
        return "public" if self.waits else self.exposure

    def __str__(self) -> str:
        return f"HTTPRoute {self.namespace}/{self.name} in cluster {self.cluster}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMark:
    """The annotations that keep the Service object of an internal service from the `service` source of external-dns."""

    cluster: str
    namespace: str
    name: str
    annotations: Mapping[str, str]

    @property
    def id(self) -> str:
        """Its Pulumi name."""
        return route_id(self.cluster, self.namespace, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePlan:
    """One service: its hostnames in normal form, sorted, the malformed ones, and its route if it declares one."""

    service: Service
    source: Source
    visibility: Visibility
    hostnames: tuple[str, ...]
    malformed: tuple[Rejection, ...]
    route: PlannedRoute | None

    @property
    def why_internal(self) -> Refusal | None:
        """Why its hostnames are internal; None for a public one."""
        if self.service.exposure == "public":
            return None
        return Refusal(rule="exposure-internal", reason=f"{self} is internal")

    @property
    def exposure_of_route(self) -> ServiceExposure:
        """What its exposure says of a route of its name, whoever has made that."""
        return "private" if self.why_internal and self.service.private_zones else self.service.exposure

    @property
    def id(self) -> str:
        """The Pulumi name of what is declared for it."""
        return route_id(self.source.cluster or "", *self.key)

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return (self.service.namespace, self.service.name)

    def __str__(self) -> str:
        return f"service {self.service.namespace}/{self.service.name}"


def plan_services(settings: Settings) -> tuple[ServicePlan, ...]:
    """Return the plans of the services, sorted by cluster, namespace and name."""
    plans = (_plan(service, cluster_of(service, settings)) for service in settings.services)
    return tuple(sorted(plans, key=lambda one: one.source.sort_key))


def internal_names(plans: Collection[ServicePlan], *, private_zones: Collection[bool]) -> InternalNames:
    """Return the names of internal services, of those whose `privateZones` is among these values."""
    found: dict[str, Refusal] = {}
    for plan in plans:
        if plan.why_internal and plan.service.private_zones in private_zones:
            for hostname in plan.hostnames:
                found.setdefault(hostname, plan.why_internal)
    return of_services(found, frozenset(hostname for plan in plans for hostname in plan.hostnames))


def planned_marks(
    plans: Iterable[ServicePlan],
    settings: Settings,
    states: Mapping[str, GatewayState],
    waiting: Collection[str] = (),
) -> tuple[PlannedMark, ...]:
    """Return the marks of internal services whose Service is in a cluster that can be written to.

    A service with a hostname that is `waiting` to become internal waits with its mark as with its route. What somebody
    else has annotated stays: every value but `dns-controller` keeps external-dns away as well.
    """
    found = {
        (cluster.name, one.namespace, one.name): one
        for cluster in settings.clusters
        if cluster.files is None
        for one in states[cluster.name].services
    }
    internal = (one for one in plans if one.why_internal and not set(one.hostnames) & set(waiting))
    services = ((plan.source, found.get((plan.source.cluster or "", *plan.key))) for plan in internal)
    marks = (_mark(source.cluster or "", service) for source, service in services if service)
    return tuple(mark for mark in marks if mark.annotations)


def _mark(cluster: str, service: ObservedService) -> PlannedMark:
    annotations = {
        key: value
        for key, value in exposure_annotations("internal").items()
        if service.annotations.get(key, CLAIM) in (value, CLAIM)
    }
    return PlannedMark(cluster=cluster, namespace=service.namespace, name=service.name, annotations=annotations)


def exposure_annotations(exposure: Exposure) -> Mapping[str, str]:
    """Return the annotations of an object of this exposure: a function of nothing else."""
    return {f"{prefix}controller": NOBODY for prefix in PREFIXES} if exposure == "internal" else {}


def route_id(cluster: str, namespace: str, name: str) -> str:
    """Return the Pulumi name of a service's route."""
    return f"{cluster}/{namespace}/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What is written of a Kubernetes object."""

    metadata: Object
    spec: Object


def manifest(route: PlannedRoute, owner: str, annotations: Mapping[str, str] = MappingProxyType({})) -> Manifest:
    """Return the HTTPRoute (Gateway API v1); `owner` stands for this stack in markers.

    `annotations` are further ones; those that follow from the exposure win.
    """
    parent = route.parent
    section = {"sectionName": parent.section} if parent.section else {}
    return Manifest(
        metadata={
            "namespace": route.namespace,
            "name": route.name,
            "labels": dict(route.labels),
            "annotations": {**annotations, **route.annotations, OWNER_ANNOTATION: owner},
        },
        spec={
            "hostnames": list(route.hostnames),
            "parentRefs": [
                {
                    "group": parent.group,
                    "kind": parent.kind,
                    "namespace": parent.namespace,
                    "name": parent.name,
                    **section,
                }
            ],
            "rules": [{"backendRefs": [{"group": "", "kind": "Service", "name": route.name, "port": route.port}]}],
        },
    )


def _plan(service: Service, cluster: Cluster | None) -> ServicePlan:
    source = Source(
        cluster=cluster.name if cluster else None, kind="Service", namespace=service.namespace, name=service.name
    )
    own: Visibility = cluster.visibility if cluster else "public"
    visibility: Visibility = "private" if service.exposure == "internal" and service.private_zones else own
    declared = split_hostnames(service.hostnames)
    malformed = []
    for shown, problem in sorted(declared.broken):
        reason = f"service {service.namespace}/{service.name}: {shown!r} is not a DNS name: {problem}"
        refusal = Refusal(rule="name-syntax", reason=reason)
        malformed.append(Rejection(hostname=shown, source=source, visibility=visibility, refusal=refusal))
    names = tuple(sorted(declared.valid))
    return ServicePlan(
        service=service,
        source=source,
        visibility=visibility,
        hostnames=names,
        malformed=tuple(malformed),
        route=_route(service, cluster, names) if cluster else None,
    )


def _route(service: Service, cluster: Cluster, hostnames: tuple[str, ...]) -> PlannedRoute | None:
    """Without any hostname there is no route: it would take everything that its Gateway is asked for."""
    gateway = service.gateway
    if gateway is None or not hostnames:
        return None
    return PlannedRoute(
        cluster=cluster.name,
        namespace=service.namespace,
        name=service.name,
        exposure=service.exposure,
        private_zones=service.exposure == "internal" and service.private_zones,
        hostnames=hostnames,
        parent=ParentRef(
            group=GATEWAY_GROUP,
            kind="Gateway",
            namespace=gateway.namespace or service.namespace,
            name=gateway.name,
            section=gateway.section_name or "",
            port=None,
        ),
        port=service.port,
    )
