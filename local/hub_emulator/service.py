"""Handlers outside invites and ports: health, edges, tenants and the agent's bootstrap."""

import hmac

from local.hub_emulator.bodies import Field, Schema
from local.hub_emulator.calls import Call
from local.hub_emulator.identifiers import invite_secret
from local.hub_emulator.replies import JsonObject, Reply, ok, refuse
from local.hub_emulator.state import HubState

BOOTSTRAP: Schema = {
    "invite_id": Field(kind="string", required=True),
    "invite_secret": Field(kind="string", required=True),
}


def health(state: HubState, _call: Call) -> Reply:
    """GET /v1/health: `version` never changes, so it says nothing about features."""
    return ok({"status": "ok", "node_id": state.node_id, "version": "0.0.1", "protocol_version": 1})


def ready(_state: HubState, _call: Call) -> Reply:
    """GET /v1/readyz."""
    return ok({"status": "ok"})


def edges(state: HubState, call: Call) -> Reply:
    """GET /v1/edges: without regions."""
    connected = state.settings.edges
    rows = [{"node_id": edge.node_id, "addresses": edge.public_ips} for edge in call.page(connected)]
    return ok({"edges": rows}, total=None if state.settings.legacy else len(connected))


def remove_tenant(state: HubState, call: Call) -> Reply:
    """DELETE /v1/tenants/{tenant_id}: 200 for unknown tenants too."""
    tenant_id = call.tenant_id
    state.remove_tenant(tenant_id)
    return ok({"status": "removed", "tenant_id": tenant_id})


def bootstrap(state: HubState, call: Call) -> Reply:
    """POST /v1/bootstrap: an agent shows its invite's secret and claims the invite."""
    invite = state.invites.get(call.optional("invite_id") or "")
    secret = call.optional("invite_secret") or ""
    if invite is None or invite.revoked or not hmac.compare_digest(invite_secret(invite.token), secret):
        raise refuse(401, "unauthorized", "invite_secret is invalid or the invite has been revoked")
    if invite.expires_at_ms is not None and invite.expires_at_ms <= state.clock.now_ms():
        raise refuse(410, "invite_expired", "invite has expired")
    state.set_status(invite.invite_id, "claimed")
    body: JsonObject = {
        "status": "ok",
        "tenant_id": invite.tenant_id,
        "hostnames": sorted(invite.hostnames),
        "hub_node_id": state.node_id,
        "trusted_edges": [edge.node_id for edge in state.settings.edges],
    }
    legacy: JsonObject = {"edge_node_id": None, "edge_addresses": []}
    return ok({**body, **(legacy if state.settings.legacy else {"iroh_endpoints": []})})
