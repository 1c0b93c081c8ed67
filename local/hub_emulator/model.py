"""The things a hub keeps: invites, port reservations, edges, users and their keys."""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["user", "operator"]

REVOKED = "revoked"
DEFAULT_REGION = "EU"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """One invite = one tenant = one token. Times are epoch milliseconds; hostnames are kept as sent."""

    invite_id: str
    tenant_id: str
    name: str
    hostnames: tuple[str, ...]
    status: str
    created_at_ms: int
    expires_at_ms: int | None
    region: str | None
    failover_regions: tuple[str, ...]
    owner_id: str | None
    token: str = field(repr=False)

    @property
    def revoked(self) -> bool:
        """Whether the invite has ended; any other status, known or not, is alive."""
        return self.status == REVOKED

    @property
    def folded(self) -> frozenset[str]:
        """The hostnames in lower case, as the hub compares them."""
        return frozenset(hostname.lower() for hostname in self.hostnames)

    @property
    def regions(self) -> tuple[str, ...]:
        """Primary region first, then the failover regions, each once."""
        return tuple(dict.fromkeys((self.region or DEFAULT_REGION, *self.failover_regions)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PortReservation:
    """A reserved port; `ip` None is the one shared pool of a hub whose edges advertise no address."""

    tenant_id: str
    ip: str | None
    port: int
    protocol: str
    label: str | None
    claimed_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A connected edge node; `colocated` is the hub's own one. A region of None counts as EU."""

    node_id: str
    region: str | None = None
    public_ips: tuple[str, ...] = ()
    colocated: bool = False

    @property
    def served_region(self) -> str:
        """The region in upper case."""
        return (self.region or DEFAULT_REGION).upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the hub with one personal API key (`twk_…`)."""

    user_id: str
    email: str
    role: Role
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A personal API key as the hub stores it: only the digest of the secret part."""

    key_id: str
    user_id: str
    name: str
    digest: str = field(repr=False)
    created_at_ms: int
    expires_at_ms: int | None
    last_used_at_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who calls. `user_id` None is the operator key."""

    name: str
    user_id: str | None
    role: Role

    @property
    def is_operator(self) -> bool:
        """Operator key, or a user of role operator."""
        return self.role == "operator"
