"""Slots: which record resource holds which value of a name, so that a provider accepts every change.

The slot is the resource's Pulumi name. The plain slot of a name is `<zone key>/<fqdn>`, without the type: a change of
type is one replacement there, deleted first, which Cloudflare requires. Further values sit in slots with a hash behind
the key.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256

from edge_dns.core.rules import Refusal, Refused
from edge_dns.core.values import Provider, RRset, SlotRecord

_HASH_DIGITS = 10
_RELEASED = "#released"

Identity = tuple[str, ...]


def slot_key(zone_key: str, fqdn: str) -> str:
    """Return the plain slot of a name."""
    return f"{zone_key}/{fqdn}"


def plain_slot(slot: str) -> str:
    """Return the plain slot of the name that a slot belongs to."""
    return slot.partition("#")[0]


def is_plain(slot: str) -> bool:
    """Say whether it is the plain slot; the records in the other slots of a name depend on the record in this one."""
    return "#" not in slot


def free_slot(key: str, kind: str, values: Iterable[str], taken: Collection[str], provider: Provider) -> str | None:
    """Return the slot for a record that none holds, the plain slot `key` or one with a hash; None: both are taken."""
    identity = (kind, *values) if provider == "cloudflare" else (kind,)
    return next((slot for slot in (key, _hash_slot(key, identity)) if slot not in taken), None)


def released_slot(slot: str) -> str:
    """Return the slot that a record is renamed to for its release.

    Only a record in such a slot is declared to be retained. The engine stores name and retention in one step, so a
    released slot in the state proves that the record is forgotten, and not deleted, once it is not declared any more.
    """
    return slot if is_released(slot) else slot + _RELEASED


def managed_slot(slot: str) -> str:
    """Return the slot of a record that is not (or no longer) released."""
    return slot.removesuffix(_RELEASED)


def is_released(slot: str) -> bool:
    """Say whether the slot is one of a released record."""
    return slot.endswith(_RELEASED)


def take_back(records: Iterable[SlotRecord], remembered: Mapping[str, RRset]) -> tuple[SlotRecord, ...]:
    """Return the records of a name with those that its slots were released from, for a release that is called off.

    What is released and not wanted any more is declared once again, so that the next run withdraws it: left out now,
    it would be forgotten.
    """
    released = {managed_slot(slot): slot for slot in remembered if is_released(slot)}
    if not released:
        return tuple(records)
    back = [replace(one, former=released.get(one.former or one.slot, one.former)) for one in records]
    taken = {one.slot for one in back} | {one.former for one in back}
    more = [
        SlotRecord(slot=managed, rrset=remembered[slot], former=slot)
        for managed, slot in released.items()
        if slot not in taken and managed not in taken
    ]
    return tuple(sorted([*back, *more], key=lambda one: one.slot))


def assign(
    key: str,
    wanted: Iterable[RRset],
    remembered: Mapping[str, RRset],
    *,
    provider: Provider,
    acknowledged: bool = False,
) -> tuple[SlotRecord, ...]:
    """Return the record resources for all wanted RRsets of one name, the plain slot first.

    `key` is the plain slot, `remembered` the last run's slots of this name. A value stays in the slot it has, also
    while its siblings come and go; on Cloudflare each value has a slot, elsewhere each RRset. Raises Refused with
    `type-transition` when several records would become a CNAME, which no provider can do in one update; `acknowledged`
    keeps one of them instead, so that the next run can switch. The entries of a DNSEndpoint change all at once.
    """
    if provider == "external-dns":
        return entry_slots(key, wanted)
    records = {_identity(record, provider): record for rrset in wanted for record in _split(rrset, provider)}
    if len(remembered) > 1 and any(record.type == "CNAME" for record in records.values()):
        if not acknowledged:
            raise Refused(_transition(key, remembered))
        slot = min(remembered)
        return (SlotRecord(slot=slot, rrset=remembered[slot]),)
    return _place(key, records, {slot: _identity(rrset, provider) for slot, rrset in remembered.items()})


def entry_slots(key: str, rrsets: Iterable[RRset]) -> tuple[SlotRecord, ...]:
    """Return the entries of one name in a DNSEndpoint, which are no resources: their slots follow from the types."""
    in_order = sorted(rrsets, key=lambda rrset: rrset.type)
    return tuple(
        SlotRecord(slot=_hash_slot(key, (rrset.type,)) if index else key, rrset=rrset)
        for index, rrset in enumerate(in_order)
    )


def _place(key: str, records: Mapping[Identity, RRset], memory: Mapping[str, Identity]) -> tuple[SlotRecord, ...]:
    if len(records) == 1 and memory.keys() <= {key}:
        return tuple(SlotRecord(slot=key, rrset=rrset) for rrset in records.values())
    kept = {slot: identity for slot, identity in memory.items() if identity in records}
    lone = next(iter(memory)) if len(memory) == 1 and key not in memory else None
    if lone in kept and len(records) == 1:
        return (SlotRecord(slot=key, rrset=records[kept[lone]], former=lone),)
    new = sorted(records.keys() - set(kept.values()))
    former = None
    if new and key not in kept:
        kept[key] = _successor(new, memory.get(lone or key))
        new.remove(kept[key])
        # A slot that is declared again itself cannot be renamed.
        former = None if lone in kept else lone
    kept |= {_hash_slot(key, identity): identity for identity in new}
    return tuple(
        SlotRecord(slot=slot, rrset=records[identity], former=former if slot == key else None)
        for slot, identity in sorted(kept.items())
    )


def _successor(new: list[Identity], old: Identity | None) -> Identity:
    """Return the new value for the plain slot: of the type that it holds where there is one, so that it is no gap."""
    return next((identity for identity in new if old and identity[0] == old[0]), new[0])


def _split(rrset: RRset, provider: Provider) -> tuple[RRset, ...]:
    if provider != "cloudflare" or len(rrset.values) == 1:
        return (rrset,)
    return tuple(replace(rrset, values=(value,)) for value in rrset.values)


def _identity(rrset: RRset, provider: Provider) -> Identity:
    return (rrset.type, *rrset.values) if provider == "cloudflare" else (rrset.type,)


def _hash_slot(key: str, identity: Identity) -> str:
    return f"{key}#{sha256('/'.join(identity).encode()).hexdigest()[:_HASH_DIGITS]}"


def _transition(key: str, remembered: Mapping[str, RRset]) -> Refusal:
    hostname = key.rpartition("/")[2]
    first = remembered[min(remembered)]
    reason = (
        f"{len(remembered)} records cannot become a CNAME in one update. In two steps: add {hostname} to "
        f"safety.acknowledge.names, which keeps only {_describe(first)} in that run; the next run switches to the CNAME"
    )
    return Refusal(rule="type-transition", reason=reason)


def _describe(rrset: RRset) -> str:
    value = rrset.alias.name if rrset.alias else ", ".join(rrset.values)
    return f"{rrset.type} {value}"
