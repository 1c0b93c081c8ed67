"""The values that pass between the steps of the plan: sources, targets, records."""

from dataclasses import dataclass
from typing import Literal

TargetType = Literal["Hostname", "IPAddress"]
RecordType = Literal["A", "AAAA", "CNAME"]
Provider = Literal["cloudflare", "route53", "external-dns"]
Visibility = Literal["public", "private"]

PRIVATE_VIEW = " (private)"
"""What stands behind the names of private zones and of hostnames in them."""

RECORD_TYPES: tuple[RecordType, ...] = ("A", "AAAA", "CNAME")
"""The types of the records that make a hostname point at its targets, the only ones that this project writes."""


def record_type(value: object) -> RecordType | None:
    """Return a value as one of these types, None for any other one."""
    return next((one for one in RECORD_TYPES if one == value), None)


def in_view(name: str, visibility: Visibility) -> str:
    """Return a name as it is shown: the same one may be public and private."""
    return name if visibility == "public" else f"{name}{PRIVATE_VIEW}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a hostname was declared: a Gateway of a cluster, or a tunnel (cluster is None).

    An HTTPRoute is the source of names that it attaches to no Gateway at all, a Service of those that nothing publishes
    for it; of ListenerSets, GRPCRoutes and TLSRoutes nothing is published.
    """

    cluster: str | None
    kind: Literal[
        "Gateway",
        "TowonelTunnel",
        "CloudflareTunnel",
        "Service",
        "HTTPRoute",
        "ListenerSet",
        "GRPCRoute",
        "TLSRoute",
    ]
    namespace: str
    name: str

    @property
    def sort_key(self) -> tuple[str, str, str, str]:
        """Orders sources; tunnels sort before Gateways of any cluster."""
        return (self.cluster or "", self.kind, self.namespace, self.name)

    def __str__(self) -> str:
        place = f"{self.cluster}:" if self.cluster else ""
        return f"{self.kind} {place}{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """What a hostname points at; `value` is canonical: lower case, no dot at the end, RFC 5952 for IPv6."""

    type: TargetType
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A Route 53 alias target. `name` ends with a dot; `zone_id` is the hosted zone of the target."""

    name: str
    zone_id: str
    evaluate_target_health: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RRset:
    """One resource record set as wanted at a provider: every value of one (zone, name, type).

    `ttl` is in seconds, 1 means automatic (Cloudflare), None goes with `alias`. `proxied` is None except on Cloudflare.
    """

    zone_id: str
    name: str
    type: RecordType
    values: tuple[str, ...]
    ttl: int | None
    alias: Alias | None = None
    proxied: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRecord:
    """One provider record resource. `slot` is its Pulumi name, `former` the slot that it is renamed from.

    On Cloudflare a slot holds one value, on Route 53 a whole RRset.
    """

    slot: str
    rrset: RRset
    former: str | None = None
