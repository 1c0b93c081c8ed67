"""The state of Gateways and HTTPRoutes of one cluster as immutable values.

Field meanings follow the Gateway API v1 reference (gateway.networking.k8s.io).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.settings.selectors import Selector

GATEWAY_GROUP = "gateway.networking.k8s.io"

ServiceExposure = Literal["public", "private", "internal"]
"""Who may see the hostnames of a service of the settings; private: only private zones."""

ConditionStatus = Literal["True", "False", "Unknown"]
NamespacesFrom = Literal["Same", "All", "Selector"]
NotSupportedKind = Literal["GRPCRoute", "TLSRoute", "ListenerSet", "XListenerSet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentRef:
    """A parentRef with its defaults filled in (Gateway API, ParentReference); `section` is empty when not set."""

    group: str
    kind: str
    namespace: str
    name: str
    section: str
    port: int | None

    @property
    def is_gateway(self) -> bool:
        """Whether it refers to a Gateway."""
        return self.kind == "Gateway" and self.group == GATEWAY_GROUP

    @property
    def key(self) -> str:
        """The whole reference as one text, NUL between the fields."""
        port = "" if self.port is None else str(self.port)
        return "\0".join((self.group, self.kind, self.namespace, self.name, self.section, port))

    def __str__(self) -> str:
        section = f" section {self.section}" if self.section else ""
        port = f" port {self.port}" if self.port is not None else ""
        return f"{self.kind} {self.namespace}/{self.name}{section}{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One condition of type Accepted; `observed_generation` is None where the controller left it out."""

    status: ConditionStatus
    observed_generation: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentStatus:
    """What one controller says about one parentRef of a route."""

    ref: ParentRef
    controller: str
    accepted: tuple[Accepted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPRoute:
    """An HTTPRoute; `hostnames` as written. The UID may be empty in hand-written files: it then gets no receipt.

    `service` is the exposure of the service of the settings that declares it, None for all other routes.
    """

    namespace: str
    name: str
    uid: str
    generation: int
    deleting: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    hostnames: tuple[str, ...]
    parent_refs: tuple[ParentRef, ...]
    parents: tuple[ParentStatus, ...]
    service: ServiceExposure | None = None

    def __str__(self) -> str:
        return f"HTTPRoute {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listener; `hostname` as written, empty when it takes any. `kinds` holds (group, kind), None when not limited.

    `selector` is None unless `namespaces_from` is Selector. `digest` is the SHA-256 of the whole listener.
    """

    name: str
    hostname: str
    port: int
    protocol: str
    kinds: tuple[tuple[str, str], ...] | None
    namespaces_from: NamespacesFrom
    selector: Selector | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One entry of Gateway.status.addresses."""

    type: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A Gateway; UID and class may be empty in hand-written files: its names get no receipt."""

    namespace: str
    name: str
    uid: str
    generation: int
    class_name: str
    deleting: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    listeners: tuple[Listener, ...]
    addresses: tuple[Address, ...]
    accepted: tuple[Accepted, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return (self.namespace, self.name)

    def __str__(self) -> str:
        return f"Gateway {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSupported:
    """An object that carries hostnames, as written, but that nothing is published for."""

    kind: NotSupportedKind
    namespace: str
    name: str
    annotations: Mapping[str, str]
    hostnames: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedService:
    """A core/v1 Service; `type` is ClusterIP where it is not given."""

    namespace: str
    name: str
    type: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __str__(self) -> str:
        return f"Service {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayState:
    """Everything observed of one cluster, sorted; `namespaces` maps a name to its labels, `classes` to a controller.

    `services` is empty where the settings need no Services: they are not read then (`reads_services`).
    """

    gateways: tuple[Gateway, ...]
    routes: tuple[HTTPRoute, ...]
    namespaces: Mapping[str, Mapping[str, str]]
    classes: Mapping[str, str]
    not_supported: tuple[NotSupported, ...]
    services: tuple[ObservedService, ...] = ()

    @classmethod
    def of_nothing(cls) -> "GatewayState":
        """Return the state of a cluster whose objects are not read."""
        return cls(gateways=(), routes=(), namespaces={}, classes={}, not_supported=())
