"""Handlers of `/v1/invites…`. The order of checks in each is part of the hub's behaviour."""

from collections.abc import Sequence

from local.hub_emulator import hostnames as validator
from local.hub_emulator.bodies import Field, Schema
from local.hub_emulator.calls import Call
from local.hub_emulator.identifiers import new_name
from local.hub_emulator.model import Edge, Invite
from local.hub_emulator.replies import JsonObject, JsonValue, Reply, invalid, not_found, ok
from local.hub_emulator.state import HubState

MAX_EXPIRY_SECONDS = 2_592_000

CREATE_V0: Schema = {
    "hostnames": Field(kind="strings", required=True),
    "name": Field(kind="string"),
    "expires_in_secs": Field(kind="u64"),
}
CREATE: Schema = {
    **CREATE_V0,
    "region": Field(kind="string"),
    "failover_regions": Field(kind="strings", nullable=False),
    "owner_email": Field(kind="string"),
}
ADD_HOSTNAMES: Schema = {"hostnames": Field(kind="strings", required=True)}


def create(state: HubState, call: Call) -> Reply:
    """POST /v1/invites."""
    names = call.strings("hostnames")
    _check_hostnames(names)
    expires_at_ms = _expiry(call.number("expires_in_secs"), state.clock.now_ms())
    owner_id = _owner(state, call)
    name = call.optional("name")
    invite = state.create_invite(
        name=name if name and name.strip() else new_name(),
        hostnames=names,
        expires_at_ms=expires_at_ms,
        region=(call.optional("region") or "").strip().upper() or None,
        failover_regions=[label for raw in call.strings("failover_regions") if (label := raw.strip().upper())],
        owner_id=owner_id,
    )
    fields = ("token", "invite_id", "tenant_id", "name", "expires_at_ms")
    return ok({"status": "ok", **{field: getattr(invite, field) for field in fields}})


def _check_hostnames(names: Sequence[str]) -> None:
    if not names:
        raise invalid("at least one hostname is required")
    for name in names:
        check_hostname(name)


def check_hostname(name: str) -> None:
    """400 when the hub's validator refuses the name."""
    if problem := validator.problem(name):
        raise invalid(f"invalid hostname `{name}`: {problem}")


def _expiry(seconds: int | None, now_ms: int) -> int | None:
    if seconds is not None and seconds > MAX_EXPIRY_SECONDS:
        raise invalid(f"expires_in_secs must be None (forever) or in 1..={MAX_EXPIRY_SECONDS}, got {seconds}")
    return now_ms + seconds * 1000 if seconds else None


def _owner(state: HubState, call: Call) -> str | None:
    email = call.optional("owner_email")
    if call.caller.user_id is not None or email is None:
        return call.caller.user_id
    if not email.strip():
        raise invalid("owner_email must not be blank")
    user = state.user_by_email(email.strip())
    if user is None:
        raise not_found(f"no user with email {email.strip()}")
    return user.user_id


def list_invites(state: HubState, call: Call) -> Reply:
    """GET /v1/invites."""
    rows = [] if state.settings.list_content == "empty" else list(state.invites.values())
    if state.settings.legacy:
        rows.sort(key=lambda invite: invite.invite_id)
        return ok({"invites": [_summary_v0(invite) for invite in rows]})
    caller = call.caller
    sees_all = caller.is_operator and (caller.user_id is None or call.query.get("scope") == "all")
    mine = [invite for invite in rows if sees_all or invite.owner_id == caller.user_id]
    mine.sort(key=lambda invite: (invite.created_at_ms, invite.invite_id), reverse=True)
    page = [_summary(state, call, invite) for invite in call.page(mine)]
    return ok({"invites": page}, total=len(mine))


def _summary_v0(invite: Invite) -> JsonObject:
    return {
        "invite_id": invite.invite_id,
        "name": invite.name,
        "hostnames": sorted(invite.hostnames),
        "status": invite.status,
        "expires_at_ms": invite.expires_at_ms,
        "tenant_id": invite.tenant_id,
        "created_at_ms": invite.created_at_ms,
    }


def _summary(state: HubState, call: Call, invite: Invite) -> JsonObject:
    owner = state.users.get(invite.owner_id or "") if call.caller.is_operator else None
    return {
        **_summary_v0(invite),
        "hostnames": invite.hostnames,
        "region": invite.region or state.settings.region_default_serialised,
        "failover_regions": invite.failover_regions,
        "owner_user_id": owner.user_id if owner else None,
        "owner_email": owner.email if owner else None,
        **_unknown_fields(state),
    }


def _unknown_fields(state: HubState) -> JsonObject:
    return {"x_future": {"shape": [1]}} if state.settings.unknown_fields else {}


def get(state: HubState, call: Call) -> Reply:
    """GET /v1/invites/{invite_id}: revoked rows too, while they exist."""
    return ok(_summary(state, call, state.visible(call.invite_id, call.caller)))


def delete(state: HubState, call: Call) -> Reply:
    """DELETE /v1/invites/{invite_id}: revoke and remove the tenant."""
    invite = state.visible(call.invite_id, call.caller)
    if invite.revoked:
        gone = "invite is already revoked or does not exist" if state.settings.legacy else "invite does not exist"
        raise not_found(gone)
    state.delete_invite(invite)
    return ok({"status": "revoked"})


def add_hostnames(state: HubState, call: Call) -> Reply:
    """POST /v1/invites/{invite_id}/hostnames: the answer echoes the request, never the whole set."""
    invite_id, names = call.invite_id, call.strings("hostnames")
    _check_hostnames(names)
    accepts_revoked = state.settings.add_on_revoked == "accepted"
    find = state.visible if accepts_revoked else state.visible_live
    state.add_hostnames(find(invite_id, call.caller), names)
    return ok({"status": "ok", "hostnames": names})


def remove_hostname(state: HubState, call: Call) -> Reply:
    """DELETE /v1/invites/{invite_id}/hostnames/{hostname}."""
    invite_id, hostname = call.invite_id, call.params["hostname"]
    check_hostname(hostname)
    left = state.remove_hostname(state.visible_live(invite_id, call.caller), hostname)
    return ok({"status": "ok", "hostname": hostname, "remaining_hostnames": left.hostnames})


def status(state: HubState, call: Call) -> Reply:
    """GET /v1/invites/{invite_id}/status: the connected edges of the invite's regions."""
    invite = state.visible(call.invite_id, call.caller)
    regions: list[JsonValue] = [
        {"region": region, "role": "failover" if position else "primary", "edges": _edges(state, region)}
        for position, region in enumerate(invite.regions)
    ]
    body = {"invite_id": invite.invite_id, "tenant_id": invite.tenant_id, "regions": regions}
    return ok({**body, **_unknown_fields(state)})


def _edges(state: HubState, region: str) -> list[JsonValue]:
    def listed(edge: Edge) -> bool:
        return state.settings.colocated_in_status or not edge.colocated

    return [{"node_id": edge.node_id, "public_ips": edge.public_ips} for edge in state.edges_in(region) if listed(edge)]
