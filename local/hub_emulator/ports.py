"""Handlers of `/v1/tenants/{tenant_id}/ports…` and `/v1/ports…`."""

from collections.abc import Sequence
from ipaddress import ip_address

from local.hub_emulator.bodies import Field, Schema
from local.hub_emulator.calls import Call
from local.hub_emulator.model import DEFAULT_REGION, Edge, PortReservation
from local.hub_emulator.replies import JsonObject, JsonValue, Refusal, Reply, invalid, not_found, ok, refuse, text
from local.hub_emulator.state import HubState

FIRST_PORT, LAST_PORT = 10_000, 32_767
HUB_PORTS = frozenset({4443, 8443, 51820})

RESERVE: Schema = {
    "protocol": Field(kind="string", required=True),
    "preferred": Field(kind="u16"),
    "ip": Field(kind="string"),
    "label": Field(kind="string"),
}


def reserve(state: HubState, call: Call) -> Reply:
    """POST /v1/tenants/{tenant_id}/ports: 201, and not idempotent."""
    tenant_id = _owned_tenant(state, call)
    protocol = _protocol(call.optional("protocol"))
    preferred, wanted_ip = call.number("preferred"), call.optional("ip")
    if preferred is not None and (preferred < 1024 or preferred in HUB_PORTS):
        raise invalid(f"port {preferred} cannot be reserved")
    edges = _candidate_edges(state, tenant_id)
    candidates: list[str | None] = [ip for edge in edges for ip in edge.public_ips]
    if wanted_ip is not None:
        candidates = [_served_ip(wanted_ip, candidates)]
    _check_quota(state, call, tenant_id)
    ip, port = _choose(state, protocol, preferred, candidates)
    reservation = PortReservation(
        tenant_id=tenant_id,
        ip=ip,
        port=port,
        protocol=protocol,
        label=call.optional("label"),
        claimed_at_ms=state.clock.now_ms(),
    )
    state.ports.append(reservation)
    edge = next((edge for edge in edges if ip in edge.public_ips), None)
    shown: JsonObject = {"edge": {"node_id": edge.node_id, "addresses": edge.public_ips}} if edge else {}
    return ok({"status": "ok", **_row(reservation), **shown}, status=201)


def _owned_tenant(state: HubState, call: Call) -> str:
    tenant_id = call.tenant_id
    invite = state.invite_of_tenant(tenant_id)
    owned = invite is not None and invite.owner_id == call.caller.user_id
    if not (call.caller.is_operator or owned):
        raise refuse(403, "forbidden", "you do not own this tenant")
    return tenant_id


def _protocol(value: str | None) -> str:
    if value not in ("tcp", "udp"):
        raise invalid(f"protocol must be tcp or udp, got {value}")
    return value


def _candidate_edges(state: HubState, tenant_id: str) -> list[Edge]:
    invite = state.invite_of_tenant(tenant_id)
    regions = invite.regions if invite else (DEFAULT_REGION,)
    return [edge for region in regions for edge in state.edges_in(region) if edge.public_ips]


def _served_ip(wanted: str, candidates: Sequence[str | None]) -> str:
    try:
        canonical = str(ip_address(wanted))
    except ValueError:
        canonical = wanted
    if canonical not in candidates:
        raise invalid(f"ip {wanted} is not served in the tenant's regions")
    return canonical


def _check_quota(state: HubState, call: Call, tenant_id: str) -> None:
    quota = state.settings.user_port_quota
    if not quota or call.caller.user_id is None:
        return
    mine = {invite.tenant_id for invite in state.invites.values() if invite.owner_id == call.caller.user_id}
    if sum(port.tenant_id in mine | {tenant_id} for port in state.ports) >= quota:
        raise refuse(403, "port_quota_exceeded", f"port quota of {quota} reached")


def _choose(
    state: HubState, protocol: str, preferred: int | None, candidates: Sequence[str | None]
) -> tuple[str | None, int]:
    any_address = any(edge.public_ips for edge in state.settings.edges)
    if not candidates and (preferred is not None or any_address):
        raise refuse(503, "no_assignable_ip", "no edge address is available in the tenant's regions")
    taken = {(port.ip, port.port) for port in state.ports if port.protocol == protocol}
    if preferred is not None:
        free = next((ip for ip in candidates if (ip, preferred) not in taken), None)
        if free is None:
            raise refuse(409, "port_in_use", f"port {preferred}/{protocol} is already in use")
        return free, preferred
    ip = candidates[0] if candidates else None
    number = next((port for port in range(FIRST_PORT, LAST_PORT + 1) if (ip, port) not in taken), None)
    if number is None:
        raise refuse(409, "port_pool_exhausted", "no free port in the automatic range")
    return ip, number


def _row(port: PortReservation) -> JsonObject:
    return {
        "port": port.port,
        "protocol": port.protocol,
        "ip": port.ip,
        "label": port.label,
        "claimed_at_ms": port.claimed_at_ms,
    }


def list_ports(state: HubState, call: Call) -> Reply:
    """GET /v1/tenants/{tenant_id}/ports: oldest claim first."""
    tenant_id = _owned_tenant(state, call)
    rows = [port for port in state.ports if port.tenant_id == tenant_id]
    return ok({"ports": [_row(port) for port in call.page(rows)]}, total=len(rows))


def list_all(state: HubState, call: Call) -> Reply:
    """GET /v1/ports: the operator's view."""
    rows: list[JsonValue] = [{**_row(port), "tenant_id": port.tenant_id} for port in call.page(state.ports)]
    return ok({"ports": rows}, total=len(state.ports))


def release(state: HubState, call: Call) -> Reply:
    """DELETE /v1/tenants/{tenant_id}/ports/{protocol}/{port}: on every address the tenant holds it on."""
    number = _path_port(call.params["port"])
    tenant_id = call.tenant_id
    protocol = _protocol(call.params["protocol"])
    _owned_tenant(state, call)
    held = [p for p in state.ports if (p.tenant_id, p.protocol, p.port) == (tenant_id, protocol, number)]
    if not held:
        raise not_found("port reservation does not exist")
    if (number, protocol) in state.settings.bound_ports:
        raise refuse(409, "port_in_use", f"port {number}/{protocol} is still bound by a service")
    state.ports = [port for port in state.ports if port not in held]
    return ok({"status": "released"})


def _path_port(value: str) -> int:
    if not (value.isascii() and value.isdigit()) or int(value) > 65_535:
        raise Refusal(text(400, f"Invalid URL: Cannot parse `port` with value `{value}` to a `u16`"))
    return int(value)


def available(state: HubState, call: Call) -> Reply:
    """GET /v1/ports/available: free on every address, across all tenants."""
    protocol = _protocol(call.query.get("protocol"))
    count = call.unsigned("count")
    wanted = 20 if count is None else min(max(count, 1), 200)
    taken = {port.port for port in state.ports if port.protocol == protocol}
    free = [port for port in range(FIRST_PORT, LAST_PORT + 1) if port not in taken][:wanted]
    return ok({"protocol": protocol, "range_start": FIRST_PORT, "range_end": LAST_PORT, "ports": free})
