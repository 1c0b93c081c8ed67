"""Handlers of `/v1/auth/…`: personal API keys and who the caller is."""

from local.hub_emulator.bodies import Field, Schema
from local.hub_emulator.calls import Call
from local.hub_emulator.identifiers import USER_KEY_PREFIX, new_secret
from local.hub_emulator.model import ApiKey
from local.hub_emulator.replies import JsonObject, Reply, invalid, not_found, ok, refuse
from local.hub_emulator.state import HubState

MAX_KEYS = 50
_DAY_MS = 86_400_000

CREATE_KEY: Schema = {
    "name": Field(kind="string", required=True),
    "expires_in_days": Field(kind="u64"),
}


def me(state: HubState, call: Call) -> Reply:
    """GET /v1/auth/me."""
    user = state.users.get(call.caller.user_id or "")
    identity: JsonObject = {"id": user.user_id if user else "operator-key", "email": user.email if user else None}
    return ok({**identity, "role": call.caller.role, "twofa_enabled": False, "passkeys_enabled": False})


def create_key(state: HubState, call: Call) -> Reply:
    """POST /v1/auth/api-keys: 201, the only time the key is shown."""
    user_id = _user_id(call)
    name, days = (call.optional("name") or "").strip(), call.number("expires_in_days")
    if not 1 <= len(name.encode()) <= 128:
        raise invalid("name must be 1 to 128 bytes")
    if days is not None and not 1 <= days <= 365:
        raise invalid("expires_in_days must be in 1..=365")
    if len(_keys(state, user_id)) >= MAX_KEYS:
        raise invalid(f"at most {MAX_KEYS} API keys per user")
    token = USER_KEY_PREFIX + new_secret()
    key = state.add_key(user_id, name, token, state.clock.now_ms() + days * _DAY_MS if days else None)
    shown = {"id": key.key_id, "name": name, "expires_at_ms": key.expires_at_ms, "created_at_ms": key.created_at_ms}
    return ok({**shown, "token": token}, status=201)


def list_keys(state: HubState, call: Call) -> Reply:
    """GET /v1/auth/api-keys."""
    return ok({"keys": [_shown(key) for key in _keys(state, _user_id(call))]})


def delete_key(state: HubState, call: Call) -> Reply:
    """DELETE /v1/auth/api-keys/{key_id}: 404 also for somebody else's key."""
    user_id = _user_id(call)
    key = state.keys.get(call.params["key_id"])
    if key is None or key.user_id != user_id:
        raise not_found("API key does not exist")
    del state.keys[key.key_id]
    return ok({"ok": True})


def _user_id(call: Call) -> str:
    if call.caller.user_id is None:
        raise refuse(403, "user_required", "this endpoint needs a user account")
    return call.caller.user_id


def _keys(state: HubState, user_id: str) -> list[ApiKey]:
    return [key for key in state.keys.values() if key.user_id == user_id]


def _shown(key: ApiKey) -> JsonObject:
    return {
        "id": key.key_id,
        "name": key.name,
        "expires_at_ms": key.expires_at_ms,
        "last_used_at_ms": key.last_used_at_ms,
        "created_at_ms": key.created_at_ms,
    }
