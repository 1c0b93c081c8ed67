"""Values of the hub's API, and their parsers.

A parser takes the decoded JSON and returns a value, or raises `ShapeError` with the place and what was expected there.
Unknown extra fields are ignored. Hostnames are lower-cased, since the hub stores them as sent and compares them
without case; regions are upper-cased.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

DEFAULT_REGION = "EU"
"""The region of an invite whose region is null."""


class ShapeError(ValueError):
    """A body of the wrong shape; the message names the place and what was expected, never the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """An invite as the hub lists it. `hostnames` is the hub's own set, lower-cased; times are epoch milliseconds."""

    invite_id: str
    tenant_id: str = field(repr=False)
    name: str
    hostnames: frozenset[str]
    status: str
    expires_at_ms: int | None = None
    created_at_ms: int | None = None
    region: str | None = None
    failover_regions: tuple[str, ...] = ()

    @property
    def revoked(self) -> bool:
        """True only for the status `revoked`: a status that we do not know counts as alive."""
        return self.status == "revoked"

    @property
    def effective_region(self) -> str:
        """The region that the hub acts on: null means `EU`."""
        return self.region or DEFAULT_REGION


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whose API key it is: on the hub with this url, the user with this id; an operator sees every invite."""

    url: str
    user_id: str
    is_operator: bool

    def __str__(self) -> str:
        return f"{self.user_id} at {self.url}"

    def must_see(self, owner: str | None) -> bool:
        """Say whether the hub shows this account an invite that `owner` (an account as text) has made or read."""
        return owner is not None and (str(self) == owner or (self.is_operator and owner.endswith(f" at {self.url}")))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvite:
    """The answer to a create: the only answer that ever holds the token."""

    invite_id: str
    tenant_id: str = field(repr=False)
    token: str = field(repr=False)
    name: str
    expires_at_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A connected remote edge."""

    node_id: str = field(repr=False)
    public_ips: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionEndpoints:
    """The edges that serve an invite in one region; `role` is `primary` or `failover`."""

    region: str
    role: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A port reservation. `edge_addresses` is known only from the answer to the reservation itself."""

    port: int
    protocol: str
    ip: str | None
    label: str | None
    claimed_at_ms: int | None
    edge_addresses: tuple[str, ...] = ()


def parse_invite(body: object, where: str = "body") -> Invite:
    """An InviteSummary; `region`, `failover_regions` and the times may be absent, as on hubs before 1.x."""
    row = _mapping(body, where)
    region = _optional(row, "region", where, _text)
    return Invite(
        invite_id=_required(row, "invite_id", where, _filled),
        tenant_id=_required(row, "tenant_id", where, _filled),
        name=_required(row, "name", where, _text),
        hostnames=frozenset(name.lower() for name in _required(row, "hostnames", where, _texts)),
        status=_required(row, "status", where, _filled),
        expires_at_ms=_optional(row, "expires_at_ms", where, _integer),
        created_at_ms=_optional(row, "created_at_ms", where, _integer),
        region=(region or "").strip().upper() or None,
        failover_regions=tuple(r.upper() for r in _optional(row, "failover_regions", where, _texts) or ()),
    )


def parse_invites(body: object) -> tuple[Invite, ...]:
    """The body of `GET /v1/invites`: an object with the list `invites`, in the hub's order."""
    rows = _required(_mapping(body, "body"), "invites", "body", _list)
    return tuple(parse_invite(row, f"body.invites[{index}]") for index, row in enumerate(rows))


def parse_account(body: object, url: str) -> Account:
    """The answer to `GET /v1/auth/me` of the hub with this url."""
    row = _mapping(body, "body")
    role = _required(row, "role", "body", _filled)
    return Account(url=url, user_id=_required(row, "id", "body", _filled), is_operator=role == "operator")


def parse_new_invite(body: object) -> NewInvite:
    """The answer to `POST /v1/invites`."""
    row = _mapping(body, "body")
    return NewInvite(
        invite_id=_required(row, "invite_id", "body", _filled),
        tenant_id=_required(row, "tenant_id", "body", _filled),
        token=_required(row, "token", "body", _filled),
        name=_required(row, "name", "body", _text),
        expires_at_ms=_optional(row, "expires_at_ms", "body", _integer),
    )


def parse_regions(body: object) -> tuple[RegionEndpoints, ...]:
    """The answer to `GET /v1/invites/{id}/status`, primary region first."""
    rows = _required(_mapping(body, "body"), "regions", "body", _list)
    return tuple(_region(row, f"body.regions[{index}]") for index, row in enumerate(rows))


def _region(body: object, where: str) -> RegionEndpoints:
    row = _mapping(body, where)
    edges = _required(row, "edges", where, _list)
    return RegionEndpoints(
        region=_required(row, "region", where, _filled).upper(),
        role=_required(row, "role", where, _filled),
        edges=tuple(_edge(edge, f"{where}.edges[{index}]") for index, edge in enumerate(edges)),
    )


def _edge(body: object, where: str) -> Edge:
    row = _mapping(body, where)
    return Edge(
        node_id=_required(row, "node_id", where, _filled),
        public_ips=tuple(_optional(row, "public_ips", where, _texts) or ()),
    )


def parse_port(body: object, where: str = "body") -> Port:
    """A port reservation, from a list or from the answer to a reserve."""
    row = _mapping(body, where)
    edge = _optional(row, "edge", where, _mapping)
    addresses = _optional(edge, "addresses", f"{where}.edge", _texts) if edge is not None else None
    return Port(
        port=_required(row, "port", where, _integer),
        protocol=_required(row, "protocol", where, _filled),
        ip=_optional(row, "ip", where, _text),
        label=_optional(row, "label", where, _text),
        claimed_at_ms=_optional(row, "claimed_at_ms", where, _integer),
        edge_addresses=tuple(addresses or ()),
    )


def parse_ports(body: object) -> tuple[Port, ...]:
    """The body of `GET /v1/tenants/{id}/ports`: an object with the list `ports`."""
    rows = _required(_mapping(body, "body"), "ports", "body", _list)
    return tuple(parse_port(row, f"body.ports[{index}]") for index, row in enumerate(rows))


def _required(row: Mapping[str, object], key: str, where: str, parse: Callable[[object, str], T]) -> T:
    if key not in row:
        raise ShapeError(f"{where}.{key} is missing")
    return parse(row[key], f"{where}.{key}")


def _optional(row: Mapping[str, object], key: str, where: str, parse: Callable[[object, str], T]) -> T | None:
    return None if row.get(key) is None else parse(row[key], f"{where}.{key}")


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ShapeError(f"{where} should be an object")
    return value


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise ShapeError(f"{where} should be a list")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ShapeError(f"{where} should be a string")
    return value


def _filled(value: object, where: str) -> str:
    if not _text(value, where):
        raise ShapeError(f"{where} should not be empty")
    return str(value)


def _texts(value: object, where: str) -> list[str]:
    return [_text(item, f"{where}[{index}]") for index, item in enumerate(_list(value, where))]


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ShapeError(f"{where} should be an integer")
    return value
