"""The TXT registry of external-dns: which instance owns which live records of a name.

Known are the names of its entries without a prefix or suffix of its settings (external-dns, registry/txt): before 0.18
the name itself, since then `<type>-<name>`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from edge_dns.core.live import LiveRecord, LiveZone

_HERITAGE = "heritage=external-dns,"
_OWNER = re.compile(r"external-dns/owner=([^,]*)")
_TYPES: Mapping[str, Collection[str]] = {
    "": ("A", "AAAA", "CNAME"),
    "a-": ("A",),
    "aaaa-": ("AAAA",),
    "cname-": ("CNAME",),
}
"""The types of the records that an entry stands for, by what is put before the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryEntry:
    """One entry: its TXT record, the instance's `txtOwnerId` (empty where it names none), the types that it owns."""

    record: LiveRecord
    owner: str
    types: Collection[str]

    def owns(self, record: LiveRecord) -> bool:
        """Say whether it stands for a record of its name; up to 0.21 an alias at Route 53 counted as a CNAME."""
        return record.type in self.types or (record.alias is not None and "CNAME" in self.types)


def registry_entries(fqdn: str, live_zone: LiveZone) -> list[RegistryEntry]:
    """Return the entries of a name, sorted by their own name and owner."""
    found = [
        RegistryEntry(record=record, owner=_owner(text), types=types)
        for before, types in _TYPES.items()
        for record in live_zone.at(f"{before}{fqdn}")
        if record.type == "TXT"
        for text in record.values
        if text.startswith(_HERITAGE)
    ]
    return sorted(found, key=lambda one: (one.record.name, one.owner, one.record.import_id))


def _owner(text: str) -> str:
    match = _OWNER.search(text)
    return match[1] if match else ""
