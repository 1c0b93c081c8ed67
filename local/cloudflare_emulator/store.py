"""Zones with their records, and tunnels, in memory, safe for the threads of the server."""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from local.cloudflare_emulator import errors, filters, records
from local.cloudflare_emulator.records import JsonObject, Record
from local.cloudflare_emulator.tunnels import Tunnels

ACCOUNT_ID: Final = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
_ZONE_CREATED_ON: Final = "2026-01-01T00:00:00.000000Z"


@dataclass(slots=True, kw_only=True)
class Zone:
    """A zone and its records by id, oldest first."""

    id: str
    name: str
    type: str
    status: str
    account_id: str
    records: dict[str, Record] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The zone as the API prints it."""
        return {
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "status": self.status,
            "paused": False,
            "development_mode": 0,
            "name_servers": ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
            "original_name_servers": [],
            "original_dnshost": None,
            "original_registrar": None,
            "vanity_name_servers": [],
            "activated_on": _ZONE_CREATED_ON,
            "created_on": _ZONE_CREATED_ON,
            "modified_on": _ZONE_CREATED_ON,
            "account": {"id": self.account_id, "name": "Local"},
            "owner": {"id": None, "name": None, "type": "user"},
            "meta": {"step": 4, "page_rule_quota": 3, "custom_certificate_quota": 0, "phishing_detected": False},
            "permissions": ["#dns_records:read", "#dns_records:edit", "#zone:read"],
            "plan": {"id": "0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "name": "Free Website", "price": 0, "currency": "USD"},
            "tenant": {"id": None, "name": None},
            "tenant_unit": {"id": None},
        }


class Store:
    """All zones that a token sees, and the tunnels of its account.

    Methods that name a missing zone or record raise the API's error.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._zones: dict[str, Zone] = {}
        self._tunnels = Tunnels(ACCOUNT_ID)

    @contextmanager
    def tunnels(self, account_id: str = ACCOUNT_ID) -> Iterator[Tunnels]:
        """The tunnels of the account, locked while the context is open."""
        if account_id != ACCOUNT_ID:
            raise errors.account_hidden()
        with self._lock:
            yield self._tunnels

    def add_zone(self, name: str, *, zone_id: str | None, zone_type: str, status: str, account_id: str) -> str:
        """Add a zone without records; returns its id (32 hex digits)."""
        zone = Zone(
            id=zone_id or secrets.token_hex(16),
            name=name.lower().rstrip("."),
            type=zone_type,
            status=status,
            account_id=account_id,
        )
        with self._lock:
            self._zones[zone.id] = zone
        return zone.id

    def zone_ids(self) -> dict[str, str]:
        """The ids of all zones by name."""
        with self._lock:
            return {zone.name: zone.id for zone in self._zones.values()}

    def zones(self, query: Mapping[str, str]) -> list[Zone]:
        """The zones that the query asks for; without a type in it, internal ones are left out."""
        types = query["type"].split(",") if query.get("type") else None
        with self._lock:
            return [
                zone
                for zone in self._zones.values()
                if query.get("name", zone.name).lower() == zone.name
                and query.get("status", zone.status) == zone.status
                and (zone.type in types if types is not None else zone.type != "internal")
                and query.get("account.id", zone.account_id) == zone.account_id
            ]

    def zone(self, zone_id: str) -> Zone:
        """The zone of this id."""
        with self._lock:
            return self._zone(zone_id)

    def select(self, zone_id: str, query: Mapping[str, str]) -> list[Record]:
        """The zone's records that the query asks for, in its order."""
        with self._lock:
            return filters.select(self._zone(zone_id).records.values(), query)

    def get(self, zone_id: str, record_id: str) -> Record:
        """One record."""
        with self._lock:
            return _record(self._zone(zone_id), record_id)

    def create(self, zone_id: str, body: JsonObject) -> Record:
        """Add a record; refused where it could not coexist with the others of its name."""
        with self._lock:
            zone = self._zone(zone_id)
            record = records.create(zone.name, body, zone.records.values())
            zone.records[record.id] = record
            return record

    def overwrite(self, zone_id: str, record_id: str, body: JsonObject) -> Record:
        """PUT: all fields as `body` says, defaults for the rest."""
        return self._change(zone_id, record_id, body, records.overwrite)

    def edit(self, zone_id: str, record_id: str, body: JsonObject) -> Record:
        """PATCH: the fields that `body` names."""
        return self._change(zone_id, record_id, body, records.edit)

    def delete(self, zone_id: str, record_id: str) -> None:
        """Remove a record; one that is missing is an error."""
        with self._lock:
            zone = self._zone(zone_id)
            del zone.records[_record(zone, record_id).id]

    def _change(self, zone_id: str, record_id: str, body: JsonObject, change: Callable[..., Record]) -> Record:
        with self._lock:
            zone = self._zone(zone_id)
            record = change(zone.name, _record(zone, record_id), body, zone.records.values())
            zone.records[record_id] = record
            return record

    def _zone(self, zone_id: str) -> Zone:
        try:
            return self._zones[zone_id]
        except KeyError:
            raise errors.zone_hidden() from None


def _record(zone: Zone, record_id: str) -> Record:
    try:
        return zone.records[record_id]
    except KeyError:
        raise errors.record_missing() from None
