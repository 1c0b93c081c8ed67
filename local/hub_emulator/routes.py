"""Which paths exist at which API level, who may see them, and what handles them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import unquote

from local.hub_emulator import accounts, invites, ports, service
from local.hub_emulator.bodies import Schema
from local.hub_emulator.calls import Call
from local.hub_emulator.replies import Reply
from local.hub_emulator.settings import HubSettings
from local.hub_emulator.state import HubState

Handler = Callable[[HubState, Call], Reply]
Access = Literal["public", "any", "operator"]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A handler and, when it reads a body, the body's fields."""

    handler: Handler
    schema: Schema | None = None


@dataclass(frozen=True, kw_only=True)
class Route:
    """A path with `{name}` segments; `endpoints` by method, in the order of the `allow` header."""

    path: str
    endpoints: Mapping[str, Endpoint]
    access: Access = "any"
    web: bool = False

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path))

    def match(self, raw_path: str) -> dict[str, str] | None:
        """The decoded segments by name, or None when the path is another."""
        found = self._pattern.fullmatch(raw_path)
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None

    def endpoint(self, method: str) -> Endpoint | None:
        """The endpoint of a method; HEAD is answered by GET."""
        return self.endpoints.get("GET" if method == "HEAD" else method)

    @property
    def allow(self) -> str:
        """The `allow` header."""
        return ",".join("GET,HEAD" if method == "GET" else method for method in self.endpoints)


def _on(handler: Handler, schema: Schema | None = None) -> Endpoint:
    return Endpoint(handler=handler, schema=schema)


_LIST, _DELETE = _on(invites.list_invites), _on(invites.delete)
_HEALTH = Route(path="/v1/health", endpoints={"GET": _on(service.health)}, access="public")
_BOOTSTRAP = Route(path="/v1/bootstrap", endpoints={"POST": _on(service.bootstrap, service.BOOTSTRAP)}, access="public")
_TENANT = Route(path="/v1/tenants/{tenant_id}", endpoints={"DELETE": _on(service.remove_tenant)}, access="operator")

ROUTES_V0: Sequence[Route] = (
    _HEALTH,
    _BOOTSTRAP,
    Route(path="/v1/edges", endpoints={"GET": _on(service.edges)}, access="public"),
    Route(path="/v1/invites", endpoints={"POST": _on(invites.create, invites.CREATE_V0), "GET": _LIST}),
    Route(path="/v1/invites/{invite_id}", endpoints={"DELETE": _DELETE}),
    _TENANT,
)

ROUTES_V1: Sequence[Route] = (
    _HEALTH,
    _BOOTSTRAP,
    _TENANT,
    Route(path="/v1/readyz", endpoints={"GET": _on(service.ready)}, access="public"),
    Route(path="/v1/edges", endpoints={"GET": _on(service.edges)}, access="operator"),
    Route(path="/v1/invites", endpoints={"POST": _on(invites.create, invites.CREATE), "GET": _LIST}),
    Route(path="/v1/invites/{invite_id}", endpoints={"GET": _on(invites.get), "DELETE": _DELETE}),
    Route(path="/v1/invites/{invite_id}/status", endpoints={"GET": _on(invites.status)}),
    Route(
        path="/v1/invites/{invite_id}/hostnames",
        endpoints={"POST": _on(invites.add_hostnames, invites.ADD_HOSTNAMES)},
    ),
    Route(
        path="/v1/invites/{invite_id}/hostnames/{hostname}",
        endpoints={"DELETE": _on(invites.remove_hostname)},
    ),
    Route(
        path="/v1/tenants/{tenant_id}/ports",
        endpoints={"POST": _on(ports.reserve, ports.RESERVE), "GET": _on(ports.list_ports)},
    ),
    Route(path="/v1/tenants/{tenant_id}/ports/{protocol}/{port}", endpoints={"DELETE": _on(ports.release)}),
    Route(path="/v1/ports/available", endpoints={"GET": _on(ports.available)}),
    Route(path="/v1/ports", endpoints={"GET": _on(ports.list_all)}, access="operator"),
    Route(path="/v1/auth/me", endpoints={"GET": _on(accounts.me)}, web=True),
    Route(
        path="/v1/auth/api-keys",
        endpoints={"POST": _on(accounts.create_key, accounts.CREATE_KEY), "GET": _on(accounts.list_keys)},
        web=True,
    ),
    Route(path="/v1/auth/api-keys/{key_id}", endpoints={"DELETE": _on(accounts.delete_key)}, web=True),
)


def find(settings: HubSettings, raw_path: str) -> tuple[Route, dict[str, str]] | None:
    """The route of an undecoded path and its decoded segments, or None when the hub has no such route."""
    for route in ROUTES_V0 if settings.legacy else ROUTES_V1:
        params = route.match(raw_path)
        if params is not None and (settings.web_enabled or not route.web):
            return route, params
    return None
