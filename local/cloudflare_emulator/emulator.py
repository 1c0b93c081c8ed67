"""The emulator as tests and the local stack use it."""

import secrets
from collections.abc import Mapping

from local.cloudflare_emulator.app import BASE_PATH, CloudflareApp
from local.cloudflare_emulator.store import Store
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

    def add_zone(
        self, name: str, *, zone_id: str | None = None, zone_type: str = "full", status: str = "active"
    ) -> str:
        """Add an empty zone; returns its id (32 hex digits, made up unless given)."""
        return self._store.add_zone(name, zone_id=zone_id, zone_type=zone_type, status=status)

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
