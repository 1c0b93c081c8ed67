"""The emulator as tests and the local stack use it."""

import secrets
from collections.abc import Mapping, Sequence

from local.cloudflare_emulator.app import BASE_PATH, CloudflareApp
from local.cloudflare_emulator.store import ACCOUNT_ID, Store
from local.cloudflare_emulator.tunnels import ingress_texts
from local.loopback import LoopbackServer


class CloudflareEmulator(LoopbackServer):
    """Cloudflare's API for one account while the context is open; `token` is the only one it accepts.

    What the helpers below do is in no request log and passes the API's own checks (ApiError).
    """

    def __init__(self, *, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(30)
        self._store = Store()
        super().__init__(CloudflareApp(self._store, self.token))

    @property
    def url(self) -> str:
        """The base URL as the official clients take it, ending in /client/v4."""
        return self.origin + BASE_PATH

    @property
    def zone_ids(self) -> Mapping[str, str]:
        """The ids of the zones by name."""
        return self._store.zone_ids()

    @property
    def account_id(self) -> str:
        """The id of the account that the token belongs to."""
        return ACCOUNT_ID

    def add_zone(
        self,
        name: str,
        *,
        zone_id: str | None = None,
        zone_type: str = "full",
        status: str = "active",
        account_id: str = ACCOUNT_ID,
    ) -> str:
        """Add an empty zone, maybe of another account that shares it; returns its id (32 hex digits)."""
        return self._store.add_zone(name, zone_id=zone_id, zone_type=zone_type, status=status, account_id=account_id)

    def add_record(self, zone_id: str, **fields: object) -> dict[str, object]:
        """Add a record as somebody else would: fields as the API's POST takes them; returns the API's record."""
        return self._store.create(zone_id, fields).to_json()

    def edit_record(self, zone_id: str, record_id: object, **fields: object) -> dict[str, object]:
        """Change a record behind the owner's back: fields as the API's PATCH takes them."""
        return self._store.edit(zone_id, str(record_id), fields).to_json()

    def delete_record(self, zone_id: str, record_id: object) -> None:
        """Remove a record behind the owner's back."""
        self._store.delete(zone_id, str(record_id))

    def records(self, zone_id: str) -> list[dict[str, object]]:
        """All records of the zone as the API prints them, sorted by name, type and content."""
        found = self._store.select(zone_id, {})
        return [
            record.to_json() for record in sorted(found, key=lambda record: (record.name, record.type, record.content))
        ]

    def add_tunnel(self, name: str, *, config_src: str = "cloudflare", ingress: Sequence[object] = ()) -> str:
        """Add a tunnel as somebody else would, with these ingress rules; returns its id."""
        with self._store.tunnels() as tunnels:
            tunnel_id = tunnels.create({"name": name, "config_src": config_src}).id
            if ingress:
                tunnels.configure(tunnel_id, {"config": {"ingress": ingress}})
            return tunnel_id

    def configure_tunnel(self, tunnel_id: str, ingress: Sequence[object]) -> None:
        """Put ingress rules behind the owner's back."""
        with self._store.tunnels() as tunnels:
            tunnels.configure(tunnel_id, {"config": {"ingress": ingress}})

    def delete_tunnel(self, tunnel_id: str) -> None:
        """Delete a tunnel behind the owner's back."""
        with self._store.tunnels() as tunnels:
            tunnels.disconnect(tunnel_id)
            tunnels.delete(tunnel_id)

    def connect(self, tunnel_id: str) -> None:
        """Connect to a tunnel, as cloudflared does."""
        with self._store.tunnels() as tunnels:
            tunnels.connect(tunnel_id)

    def disconnect(self, tunnel_id: str) -> None:
        """End all connections of a tunnel."""
        with self._store.tunnels() as tunnels:
            tunnels.disconnect(tunnel_id)

    def tunnels(self, *, deleted: bool = False) -> dict[str, str]:
        """The ids of the tunnels by name, of the live ones or of the deleted ones."""
        with self._store.tunnels() as tunnels:
            return {one.name: one.id for one in tunnels.select({"is_deleted": str(deleted).lower()})}

    def ingress(self, tunnel_id: str) -> list[str]:
        """The ingress rules of a tunnel, also of a deleted one, each as `<hostname or *><path> -> <service>`."""
        with self._store.tunnels() as tunnels:
            rules = (tunnels.get(tunnel_id).config or {}).get("ingress")
            return ingress_texts(rules if isinstance(rules, list) else [])

    def tunnel_token(self, tunnel_id: str) -> str:
        """The token of a live tunnel."""
        with self._store.tunnels() as tunnels:
            return tunnels.token(tunnel_id)
