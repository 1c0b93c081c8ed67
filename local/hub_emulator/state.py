"""What the hub holds and the rules on it. The caller holds the lock."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from local.hub_emulator.clock import Clock
from local.hub_emulator.identifiers import USER_KEY_PREFIX, new_credentials, new_node_id, new_secret
from local.hub_emulator.model import REVOKED, ApiKey, Edge, Invite, PortReservation, Principal, Role, User
from local.hub_emulator.replies import Refusal, not_found, refuse
from local.hub_emulator.settings import HubSettings

LAST_USED_STEP_MS = 60_000


class HubState:
    """Invites, ports, users and keys, plus the hub's in-memory policy: the tenants that hold names at the edge."""

    def __init__(self, settings: HubSettings, operator_key: str) -> None:
        self.settings = settings
        self.operator_key = operator_key
        self.clock = Clock()
        self.node_id = new_node_id()
        self.public_url = settings.public_url or "http://127.0.0.1"
        self.invites: dict[str, Invite] = {}
        self.policy: set[str] = set()
        self.ports: list[PortReservation] = []
        self.users: dict[str, User] = {}
        self.disabled_users: set[str] = set()
        self.keys: dict[str, ApiKey] = {}
        self.removals_to_fail = 0

    # Callers

    def principal(self, credential: str) -> Principal | None:
        """Who shows this credential, or None when nobody does."""
        if credential == self.operator_key:
            return Principal(name="operator", user_id=None, role="operator")
        if self.settings.legacy or not self.settings.web_enabled:
            return None
        key = self._live_key(credential)
        if key is None or key.user_id in self.disabled_users:
            return None
        user = self.users[key.user_id]
        return Principal(name=f"user:{user.email}", user_id=user.user_id, role=user.role)

    def _live_key(self, credential: str) -> ApiKey | None:
        if not credential.startswith(USER_KEY_PREFIX):
            return None
        digest, now = key_digest(credential), self.clock.now_ms()
        key = next((key for key in self.keys.values() if key.digest == digest), None)
        if key is None or (key.expires_at_ms is not None and key.expires_at_ms <= now):
            return None
        if key.last_used_at_ms is None or now - key.last_used_at_ms >= LAST_USED_STEP_MS:
            key = self.keys[key.key_id] = replace(key, last_used_at_ms=now)
        return key

    def add_user(self, email: str, role: Role) -> User:
        """A verified user with one API key."""
        key = USER_KEY_PREFIX + new_secret()
        user = User(user_id=new_node_id()[:32], email=email, role=role, key=key)
        self.users[user.user_id] = user
        self.add_key(user.user_id, "first", key, None)
        return user

    def add_key(self, user_id: str, name: str, key: str, expires_at_ms: int | None) -> ApiKey:
        """Store a personal key by its digest."""
        stored = ApiKey(
            key_id=new_node_id()[:32],
            user_id=user_id,
            name=name,
            digest=key_digest(key),
            created_at_ms=self.clock.now_ms(),
            expires_at_ms=expires_at_ms,
        )
        self.keys[stored.key_id] = stored
        return stored

    def user_by_email(self, email: str) -> User | None:
        """The user with this address."""
        return next((user for user in self.users.values() if user.email == email), None)

    # Invites

    def visible(self, invite_id: str, caller: Principal) -> Invite:
        """The invite, revoked or not; 404 when it does not exist or is not the caller's."""
        invite = self.invites.get(invite_id)
        if invite is None or not (caller.is_operator or invite.owner_id == caller.user_id):
            raise not_found("invite does not exist")
        return invite

    def visible_live(self, invite_id: str, caller: Principal) -> Invite:
        """Like `visible`, and 404 for a revoked row."""
        invite = self.visible(invite_id, caller)
        if invite.revoked:
            raise not_found("invite does not exist")
        return invite

    def _check_free(self, hostnames: Iterable[str], own_tenant: str | None = None) -> None:
        """409 for the first name that is taken: by another tenant of the policy, or by any live row."""
        for hostname in hostnames:
            self._check_one_free(hostname, own_tenant)

    def _check_one_free(self, hostname: str, own_tenant: str | None) -> None:
        holders = [invite for invite in self.invites.values() if hostname.lower() in invite.folded]
        for holder in holders:
            if holder.tenant_id in self.policy and holder.tenant_id != own_tenant:
                raise conflict(f"hostname `{hostname}` is already owned by tenant {holder.tenant_id}")
        if any(not holder.revoked for holder in holders):
            raise conflict(f"hostname `{hostname}` is already reserved by an active invite")

    def create_invite(
        self,
        *,
        name: str,
        hostnames: Sequence[str],
        expires_at_ms: int | None = None,
        region: str | None = None,
        failover_regions: Sequence[str] = (),
        owner_id: str | None = None,
    ) -> Invite:
        """Store a new invite with all its names, or none: 409 when one is taken, on v0.0.22 500 for a duplicate."""
        self._check_free(hostnames)
        if self.settings.legacy and len({name.lower() for name in hostnames}) < len(hostnames):
            raise internal_error()
        credentials = new_credentials(self.public_url)
        invite = Invite(
            invite_id=credentials.invite_id,
            tenant_id=credentials.tenant_id,
            token=credentials.token,
            name=name,
            hostnames=tuple(hostnames),
            status="pending",
            created_at_ms=self.clock.now_ms(),
            expires_at_ms=expires_at_ms,
            region=region,
            failover_regions=tuple(failover_regions),
            owner_id=owner_id,
        )
        self.invites[invite.invite_id] = invite
        self.policy.add(invite.tenant_id)
        return invite

    def add_hostnames(self, invite: Invite, hostnames: Sequence[str]) -> None:
        """Add all names, each once in any case, or none: 409 when one is taken."""
        self._check_free(hostnames, invite.tenant_id)
        known = set(invite.folded)
        added = []
        for hostname in hostnames:
            if hostname.lower() not in known:
                known.add(hostname.lower())
                added.append(hostname)
        if not added:
            raise conflict("all hostnames already exist on this invite")
        self.invites[invite.invite_id] = replace(invite, hostnames=(*invite.hostnames, *added))

    def remove_hostname(self, invite: Invite, hostname: str) -> Invite:
        """Remove a name in any case; the last one stays (400), an absent one is 404."""
        if len(invite.hostnames) <= 1 and self.settings.last_hostname == "refused":
            raise refuse(400, "invalid_request", "an invite must keep at least one hostname")
        if hostname.lower() not in invite.folded:
            raise not_found("hostname not found on invite")
        kept = tuple(name for name in invite.hostnames if name.lower() != hostname.lower())
        self.invites[invite.invite_id] = replace(invite, hostnames=kept)
        return self.invites[invite.invite_id]

    def delete_invite(self, invite: Invite) -> None:
        """Revoke, then remove the tenant; the second step can be made to fail with 500 (see `removals_to_fail`)."""
        self.set_status(invite.invite_id, REVOKED)
        if self.removals_to_fail > 0:
            self.removals_to_fail -= 1
            raise internal_error()
        self.policy.discard(invite.tenant_id)
        if not self.settings.keeps_revoked_rows:
            del self.invites[invite.invite_id]
        if self.settings.ports_of_deleted_invite == "released":
            self.ports = [port for port in self.ports if port.tenant_id != invite.tenant_id]

    def remove_tenant(self, tenant_id: str) -> None:
        """Drop a tenant from the policy; on 1.x its invite and ports too."""
        self.policy.discard(tenant_id)
        if not self.settings.legacy:
            self.invites = {key: invite for key, invite in self.invites.items() if invite.tenant_id != tenant_id}
            self.ports = [port for port in self.ports if port.tenant_id != tenant_id]

    def set_status(self, invite_id: str, status: str) -> None:
        """Set the status of a row."""
        self.invites[invite_id] = replace(self.invites[invite_id], status=status)

    def set_expiry(self, invite_id: str, expires_at_ms: int) -> None:
        """Set the end of a row."""
        self.invites[invite_id] = replace(self.invites[invite_id], expires_at_ms=expires_at_ms)

    def rebuild_policy(self) -> None:
        """What a restart does: the policy is read again from the live rows."""
        self.policy = {invite.tenant_id for invite in self.invites.values() if not invite.revoked}

    # Tenants and edges

    def invite_of_tenant(self, tenant_id: str) -> Invite | None:
        """The tenant's invite row."""
        return next((invite for invite in self.invites.values() if invite.tenant_id == tenant_id), None)

    def edges_in(self, region: str) -> list[Edge]:
        """Connected edges of a region."""
        return [edge for edge in self.settings.edges if edge.served_region == region.upper()]


def key_digest(key: str) -> str:
    """SHA-256 of the part after `twk_`."""
    return hashlib.sha256(key.removeprefix(USER_KEY_PREFIX).encode()).hexdigest()


def conflict(message: str) -> Refusal:
    """409 `hostname_conflict`."""
    return refuse(409, "hostname_conflict", message)


def internal_error() -> Refusal:
    """500, whatever went wrong."""
    return refuse(500, "internal", "internal error")
