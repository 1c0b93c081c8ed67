"""The calls of the hub's API 1.x that edge-dns needs. Each raises `HubError` (see errors.py)."""

import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar
from urllib.parse import quote

from edge_dns.hub import model
from edge_dns.hub.errors import HubBadAnswer, scrub
from edge_dns.hub.model import Account, Invite, NewInvite, Port, RegionEndpoints
from edge_dns.hub.transport import CALL_TIMEOUT_S, Answer, Transport

T = TypeVar("T")

_PERSONAL = "twk_"


class HubClient:
    """A client of one hub with one key. Thread-safe.

    One trailing slash of `url` is cut. `timeout_s` ends one call; `sleep` (seconds) and `jitter` (in [0, 1)) are for
    tests. Raises ValueError for a url or key that cannot be one; the text does not repeat them.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        self._transport = Transport(url, api_key, sleep=sleep, jitter=jitter, timeout_s=timeout_s)
        self._is_personal = api_key.startswith(_PERSONAL)
        self._account: Account | None = None

    @property
    def url(self) -> str:
        """The hub's root, without a slash at the end."""
        return self._transport.url

    def __repr__(self) -> str:
        return f"HubClient({self.url!r})"

    def account(self) -> Account:
        """Whose key it is, asked for once. Personal keys begin with `twk_`; the only other one is the operator's."""
        if self._account is None:
            if self._is_personal:
                self._account = self._get("/v1/auth/me", lambda body: model.parse_account(body, self.url))
            else:
                self._account = Account(url=self.url, user_id="operator-key", is_operator=True)
        return self._account

    def list_invites(self) -> tuple[Invite, ...]:
        """All invites that the key sees. A list shorter than its own `X-Total-Count` is HubBadAnswer."""
        return self._list("/v1/invites", model.parse_invites)

    def get_invite(self, invite_id: str) -> Invite:
        """One invite; a revoked one may be HubNotFound or have the status `revoked`."""
        return self._get(_invite(invite_id), model.parse_invite)

    def create_invite(
        self,
        *,
        name: str,
        hostnames: Iterable[str],
        region: str | None = None,
        failover_regions: Iterable[str] = (),
        expires_in_secs: int | None = None,
    ) -> NewInvite:
        """A new invite with all of `hostnames`, or HubConflict and none. Not idempotent: see outcomes.create_invite."""
        request = {
            "name": name,
            "hostnames": list(hostnames),
            "region": region,
            "failover_regions": list(failover_regions),
            "expires_in_secs": expires_in_secs,
        }
        return self._parsed("POST", "/v1/invites", model.parse_new_invite, request)

    def add_hostnames(self, invite_id: str, hostnames: Iterable[str]) -> None:
        """Adds all of `hostnames` or raises; the hub's echo is not the set, so nothing is returned."""
        self._transport.call("POST", f"{_invite(invite_id)}/hostnames", {"hostnames": list(hostnames)})

    def remove_hostname(self, invite_id: str, hostname: str) -> None:
        """Removes one hostname. HubNotFound: already absent. HubRefused 400: it is the last one."""
        self._transport.call("DELETE", f"{_invite(invite_id)}/hostnames/{_segment(hostname)}")

    def delete_invite(self, invite_id: str) -> None:
        """Revokes the invite and frees its hostnames and ports. HubNotFound: already gone."""
        self._transport.call("DELETE", _invite(invite_id))

    def invite_status(self, invite_id: str) -> tuple[RegionEndpoints, ...]:
        """The invite's regions with their connected remote edges, primary first."""
        return self._get(f"{_invite(invite_id)}/status", model.parse_regions)

    def list_ports(self, tenant_id: str) -> tuple[Port, ...]:
        """The tenant's port reservations, oldest first."""
        return self._list(_ports(tenant_id), model.parse_ports)

    def reserve_port(self, tenant_id: str, *, protocol: str, label: str, preferred: int | None = None) -> Port:
        """A new reservation. Not idempotent: see outcomes.reserve_port."""
        request: dict[str, object] = {"protocol": protocol, "label": label}
        if preferred is not None:
            request["preferred"] = preferred
        return self._parsed("POST", _ports(tenant_id), model.parse_port, request)

    def release_port(self, tenant_id: str, *, protocol: str, port: int) -> None:
        """Releases the port on every address. HubNotFound: already free. HubConflict: an agent still uses it."""
        self._transport.call("DELETE", f"{_ports(tenant_id)}/{_segment(protocol)}/{port}")

    def _get(self, path: str, parse: Callable[[object], T]) -> T:
        return self._parsed("GET", path, parse)

    def _parsed(
        self, method: str, path: str, parse: Callable[[object], T], body: Mapping[str, object] | None = None
    ) -> T:
        answer = self._transport.call(method, path, body)
        return _parse(answer, parse, f"{method} {path}")

    def _list(self, path: str, parse: Callable[[object], tuple[T, ...]]) -> tuple[T, ...]:
        answer = self._transport.call("GET", path)
        rows = _parse(answer, parse, f"GET {path}")
        total = answer.headers.get("x-total-count", "")
        if total.isascii() and total.isdigit() and (total.lstrip("0") or "0") != str(len(rows)):
            detail = f"{len(rows)} entries of {scrub(total)}"
            raise HubBadAnswer(f"GET {path}", detail, request_id=answer.request_id)
        return rows


def _parse(answer: Answer, parse: Callable[[object], T], call: str) -> T:
    try:
        return parse(answer.body)
    except model.ShapeError as error:
        raise HubBadAnswer(call, str(error), request_id=answer.request_id) from None


def _segment(text: str) -> str:
    return quote(text, safe="")


def _invite(invite_id: str) -> str:
    return f"/v1/invites/{_segment(invite_id)}"


def _ports(tenant_id: str) -> str:
    return f"/v1/tenants/{_segment(tenant_id)}/ports"
