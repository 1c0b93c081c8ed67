"""The checks every request passes, in the hub's order, around the handlers."""

from dataclasses import dataclass, field

from werkzeug.datastructures import Headers

from local.hub_emulator import routes
from local.hub_emulator.bodies import MAX_BODY_BYTES, parse
from local.hub_emulator.calls import ANONYMOUS, Call
from local.hub_emulator.faults import rate_limited
from local.hub_emulator.limiter import Limiter
from local.hub_emulator.model import Principal
from local.hub_emulator.patterns import matches
from local.hub_emulator.replies import Refusal, Reply, not_found, refuse, text
from local.hub_emulator.routes import Route
from local.hub_emulator.state import HubState


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request as it arrived; `path` is not decoded. `declared_length` is the Content-Length, None when unknown."""

    method: str
    path: str
    query: dict[str, str]
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    declared_length: int | None
    client: str


def answer(state: HubState, limiter: Limiter, request: Incoming) -> Reply:
    """The hub's answer: limiter, body size, authentication, route, method, path, body, handler."""
    try:
        _check_rate(state, limiter, request)
        _check_size(request.declared_length)
        return _route(state, request)
    except Refusal as refusal:
        return refusal.reply


def caller_of(state: HubState, request: Incoming) -> Principal:
    """Who calls, without refusing anybody."""
    credential = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return state.principal(credential) or ANONYMOUS


def _check_rate(state: HubState, limiter: Limiter, request: Incoming) -> None:
    limit = state.settings.limiter
    if any(matches(pattern, request.path) for pattern in limit.paths):
        wait = limiter.wait_seconds(request.client, limit, state.clock.now_ms())
        if wait is not None:
            raise Refusal(rate_limited(wait))


def _check_size(size: int | None) -> None:
    if size is not None and size > MAX_BODY_BYTES:
        raise Refusal(text(413, "length limit exceeded"))


def _route(state: HubState, request: Incoming) -> Reply:
    found = routes.find(state.settings, request.path)
    public = found is not None and found[0].access == "public"
    caller = ANONYMOUS if public else _authenticate(state, request)
    if found is None or not (public or _may_see(found[0], caller)):
        raise not_found("not found") if not caller.is_operator else Refusal(Reply(status=404))
    route, params = found
    endpoint = route.endpoint(request.method)
    if endpoint is None:
        return Reply(status=405, headers=(("allow", route.allow),))
    call = Call(caller=caller, params=params, query=request.query)
    _check_path(call)
    if endpoint.schema is None:
        return endpoint.handler(state, call)
    _check_size(len(request.body))
    body = parse(request.body, request.headers.get("Content-Type"), endpoint.schema)
    return endpoint.handler(state, Call(caller=caller, params=params, query=request.query, body=body))


def _may_see(route: Route, caller: Principal) -> bool:
    return route.access != "operator" or caller.is_operator


def _check_path(call: Call) -> None:
    if "invite_id" in call.params:
        _ = call.invite_id
    if "tenant_id" in call.params:
        _ = call.tenant_id


def _authenticate(state: HubState, request: Incoming) -> Principal:
    header = request.headers.get("Authorization")
    legacy = state.settings.legacy
    if header is None:
        raise _unauthorized("missing Authorization header" if legacy else None)
    if not header.startswith("Bearer "):
        raise _unauthorized("Authorization must be `Bearer <operator_api_key>`" if legacy else None)
    caller = state.principal(header.removeprefix("Bearer "))
    if caller is None:
        raise _unauthorized("invalid operator API key" if legacy else None)
    return caller


def _unauthorized(message: str | None) -> Refusal:
    return refuse(401, "unauthorized", message or "authentication required")
