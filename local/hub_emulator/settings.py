"""The knobs of the emulator. All may be changed while it runs."""

from dataclasses import dataclass
from typing import Literal

from local.hub_emulator.model import Edge

ApiLevel = Literal["v0.0.22", "1.x"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Token bucket per client address: `burst` calls, then one per `period_seconds`.

    `paths` are patterns (`*` one segment, `**` any rest); an empty tuple limits nothing.
    """

    burst: int
    period_seconds: float
    paths: tuple[str, ...]


DEFAULT_RATE_LIMITS: dict[ApiLevel, RateLimit] = {
    "v0.0.22": RateLimit(burst=20, period_seconds=2, paths=("/v1/bootstrap",)),
    "1.x": RateLimit(burst=30, period_seconds=5, paths=("/v1/bootstrap", "/v1/auth/**")),
}


@dataclass(slots=True, kw_only=True)
class HubSettings:
    """How this hub behaves where hubs differ; each field changes one observable thing.

    api_level: routes and messages of that version. v0.0.22 always keeps revoked rows.
    delete_mode: `hard` removes a deleted invite's row, `soft` keeps it with status `revoked`.
    region_default_serialised: what a missing region reads as in GET and list.
    web_enabled: False hides `/v1/auth/*`, and only the operator key works.
    rate_limit: None is the default of the api level.
    edges: connected edges, the colocated one included. colocated_in_status: list that one in `/status`.
    bound_ports: (port, protocol) pairs an agent serves, so that their release is refused.
    list_content: `empty` answers the invite list with 200 and no rows.
    add_on_revoked: whether a hostname add on a kept, revoked row is accepted.
    last_hostname: `removed` lets the last hostname go (and gives up that invariant).
    ports_of_deleted_invite: whether deleting an invite releases its ports.
    unknown_fields: add a field that no client knows to invite and status bodies.
    user_port_quota: ports per user, 0 for no limit; the operator key is exempt.
    public_url: the URL inside tokens; None is the URL it is served at.
    """

    api_level: ApiLevel = "1.x"
    delete_mode: Literal["hard", "soft"] = "hard"
    region_default_serialised: Literal["EU"] | None = None
    web_enabled: bool = True
    rate_limit: RateLimit | None = None
    edges: tuple[Edge, ...] = ()
    colocated_in_status: bool = False
    bound_ports: frozenset[tuple[int, str]] = frozenset()
    list_content: Literal["normal", "empty"] = "normal"
    add_on_revoked: Literal["accepted", "refused"] = "accepted"
    last_hostname: Literal["refused", "removed"] = "refused"
    ports_of_deleted_invite: Literal["released", "kept"] = "released"
    unknown_fields: bool = False
    user_port_quota: int = 0
    public_url: str | None = None

    @property
    def legacy(self) -> bool:
        """Whether it behaves as v0.0.22."""
        return self.api_level == "v0.0.22"

    @property
    def keeps_revoked_rows(self) -> bool:
        """Whether a deleted invite is still listed."""
        return self.legacy or self.delete_mode == "soft"

    @property
    def limiter(self) -> RateLimit:
        """The rate limit in force."""
        return self.rate_limit or DEFAULT_RATE_LIMITS[self.api_level]
