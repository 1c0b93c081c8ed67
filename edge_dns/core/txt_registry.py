"""The TXT registry of external-dns: which instance owns which live records of a name.

Known are the names of its entries without a prefix or suffix of its settings (external-dns, registry/txt): before 0.18
the name itself, since then `<type>-<name>`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from edge_dns.core.live import LiveRecord, LiveZone
from edge_dns.core.values import RECORD_TYPES

_HERITAGE = "heritage=external-dns,"
_OWNER = re.compile(r"external-dns/owner=([^,]*)")
_TYPES: Mapping[str, Collection[str]] = {
    "": RECORD_TYPES,
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


def registry_names(fqdn: str) -> tuple[str, ...]:
    """Return the names at which the entries of a name stand."""
    return tuple(f"{before}{fqdn}" for before in _TYPES)


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


def owned_by_external_dns(
    fqdn: str, live_zone: LiveZone, ours: Collection[str]
) -> Iterator[tuple[str, tuple[LiveRecord, ...], tuple[LiveRecord, ...]]]:
    """Yield by owner the records of a name that each external-dns instance owns, and its registry's TXT records.

    `ours` are the import ids of the records of this stack, which no entry makes those of somebody else.
    """
    records = [one for one in live_zone.at(fqdn) if one.type in RECORD_TYPES and one.import_id not in ours]
    by_owner: dict[str, list[RegistryEntry]] = defaultdict(list)
    for entry in registry_entries(fqdn, live_zone):
        by_owner[entry.owner].append(entry)
    for owner, entries in sorted(by_owner.items()):
        owned = tuple(one for one in records if any(entry.owns(one) for entry in entries))
        yield owner, owned, tuple(dict.fromkeys(entry.record for entry in entries))


def _owner(text: str) -> str:
    match = _OWNER.search(text)
    return match[1] if match else ""
