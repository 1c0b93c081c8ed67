"""Records of the state that carry another owner's marker at the provider: they are left as they are, and forgotten.

Two stacks know of such a record, and its marker says that it is the other's. While its hostname is wanted here, it is
declared without a change. Once it would go, one update declares it to be retained, and the next one forgets it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from edge_dns.core.adoption import listed
from edge_dns.core.decision import Context, Decision, Published
from edge_dns.core.live import Live, LiveRecord, LiveZone
from edge_dns.core.markers import marker_name, owners_in
from edge_dns.core.memory import Memory
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Zone
from edge_dns.core.slots import is_released, managed_slot, released_slot, slot_key
from edge_dns.core.values import RRset, SlotRecord
from edge_dns.core.zones import zone_key

RULE = "owner-duplicate"
RELEASE_THERE = 'release it there first (docs/operations.md, "Releasing names")'


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignName:
    """One name of which the state holds records that the markers give to `owners`, others than this stack.

    `slots` are those of these records, `markers` that of their marker where it is a record of the state (Route 53), in
    whichever slot it is. `live` are the records with the marker, as far as they exist.
    """

    owners: tuple[str, ...]
    slots: frozenset[str]
    markers: frozenset[str]
    live: tuple[LiveRecord, ...]

    @property
    def is_released(self) -> bool:
        """Whether the state says of all of them that they are forgotten and not deleted."""
        return all(map(is_released, self.slots | self.markers))


def find_foreign(fqdn: str, slots: Iterable[str], zone: Zone, live: Live) -> ForeignName | None:
    """Return what the markers give to others of the records in these slots of a name; None where they give nothing."""
    live_zone = live.zones.get(zone_key(zone))
    if live_zone is None:
        return None
    found = _at_route53 if zone.provider == "route53" else _at_cloudflare
    return found(fqdn, frozenset(slots), zone, live_zone, live)


def _at_cloudflare(fqdn: str, slots: frozenset[str], zone: Zone, live_zone: LiveZone, live: Live) -> ForeignName | None:
    del zone  # only Route 53 needs it
    there = {one.import_id: one for one in live_zone.at(fqdn)}
    records = {slot: there[found] for slot in slots if (found := live.import_ids.get(slot)) in there}
    theirs = {slot: one for slot, one in records.items() if _others([one.comment], live)}
    if not theirs:
        return None
    return ForeignName(
        owners=_others((one.comment for one in theirs.values()), live),
        slots=frozenset(theirs),
        markers=frozenset(),
        live=tuple(theirs[slot] for slot in sorted(theirs)),
    )


def _at_route53(fqdn: str, slots: frozenset[str], zone: Zone, live_zone: LiveZone, live: Live) -> ForeignName | None:
    """The marker is that of the whole name, also of records in place of those that the state knows."""
    if zone.marker != "txt" or not slots:
        return None
    name = marker_name(fqdn, zone.domain)
    owners = _others((value for one in live_zone.at(name) if one.type == "TXT" for value in one.values), live)
    if not owners:
        return None
    marker = slot_key(zone_key(zone), name)
    ids = {live.import_ids.get(slot) for slot in slots}
    return ForeignName(
        owners=owners,
        slots=slots,
        markers=frozenset({marker, released_slot(marker)} & live.import_ids.keys()),
        live=tuple(one for one in live_zone.at(fqdn) if one.import_id in ids),
    )


def _others(texts: Iterable[str], live: Live) -> tuple[str, ...]:
    return tuple(sorted({*owners_in(texts)} - {live.owner} - live.former))


def told(found: ForeignName) -> str:
    """Return in words whose the records are, and how this stack gets them back."""
    records = listed(found.live) or "its records"
    return (
        f"the state of this stack holds {records}, but the marker is that of {', '.join(found.owners)}, so nothing is "
        f"written: {RELEASE_THERE}, then `pulumi up --refresh` marks it as this stack's; or take the hostname out "
        "here, and this stack forgets the record and leaves it"
    )


# --- the decision -----------------------------------------------------------------------------------------------------


def with_foreign(decision: Decision, context: Context) -> tuple[Decision, ...]:
    """Return the decision such that no record with another owner's marker is written or deleted.

    What would go is declared once more, to be retained, under `owner-duplicate`. Where it is in another zone than the
    one that the hostname moves to, the move waits for the next run, or a decision for the set that has it comes beside.
    """
    kept: list[Decision] = []
    for zone, found, slots in _foreign_places(decision, context):
        own = decision.records if decision.zone and zone_key(decision.zone) == zone_key(zone) else ()
        declared = {slot for record in own for slot in (record.slot, record.former) if slot}
        if found.slots <= declared:
            decision = _untouched(decision, found)
        elif not found.is_released:
            kept.append(_untouched(_retained(decision, zone, found, slots, context), found))
    if kept and decision.records and all(one.source != decision.source for one in kept):
        return (decision, *kept)
    return tuple(kept) or (decision,)


def _foreign_places(decision: Decision, context: Context) -> Iterator[tuple[Zone, ForeignName, Mapping[str, RRset]]]:
    zones = {zone_key(zone): zone for zone in _zones(decision, context)} if context.live else {}
    for key, zone in zones.items():
        slots = context.slots.get(slot_key(key, decision.hostname), {})
        if context.live and (found := find_foreign(decision.hostname, slots, zone, context.live)):
            yield zone, found, slots


def _zones(decision: Decision, context: Context) -> Iterator[Zone]:
    if decision.zone:
        yield decision.zone
    for before in _before(decision, context):
        if before.zone:
            yield before.zone


def _before(decision: Decision, context: Context) -> Iterator[Published]:
    group = context.published.get(decision.hostname, ())
    return (one for one in group if one.visibility == decision.visibility)


def _retained(
    decision: Decision, zone: Zone, found: ForeignName, slots: Mapping[str, RRset], context: Context
) -> Decision:
    why = f"; {decision.refusal.rule}: {decision.refusal.reason}" if decision.refusal else ""
    reason = (
        f"the marker of {listed(found.live) or 'its record'} is that of {', '.join(found.owners)}, so it is not "
        f"deleted: it stays as it is, and the next update forgets it{why}"
    )
    retained = tuple(
        SlotRecord(slot=released_slot(slot), rrset=slots[slot], former=None if is_released(slot) else slot)
        for slot in sorted(found.slots)
    )
    sources = [one.source for one in _before(decision, context) if one.zone and zone_key(one.zone) == zone_key(zone)]
    return Decision(
        hostname=decision.hostname,
        visibility=decision.visibility,
        source=next(iter(sources), decision.source),
        state="released",
        refusal=Refusal(rule=RULE, reason=reason),
        zone=zone,
        records=retained,
        published_before=True,
        notes=decision.notes,
    )


def _untouched(decision: Decision, found: ForeignName) -> Decision:
    """Declare what is the others' as the state has it, markers as well; whatever the hub says, it stays declared."""
    declared = {record.former or record.slot: record.slot for record in decision.records}
    into = released_slot if all(map(is_released, declared.values())) else managed_slot
    markers = {into(slot): slot for slot in found.markers}
    return replace(
        decision,
        conditional=False,
        untouched=frozenset({slot for old, slot in declared.items() if old in found.slots or slot in found.slots})
        | markers.keys(),
        renamed={new: old for new, old in markers.items() if new != old},
    )


# --- former owners ----------------------------------------------------------------------------------------------------


def former_owners(memory: Memory, owner: str) -> frozenset[str]:
    """Return what stood for this stack in markers before it was renamed."""
    return _remembered(memory) - {owner}


def owners_to_remember(live: Live | None, memory: Memory) -> tuple[str, ...]:
    """Return what stands for this stack in markers, with what stood for it before as long as a marker says so."""
    if live is None:
        return tuple(sorted(_remembered(memory)))
    texts = (
        text
        for zone in (live.zones.values() if live.former else ())
        for records in zone.by_name.values()
        for one in records
        for text in (one.comment, *(one.values if one.type == "TXT" else ()))
    )
    return (live.owner, *sorted(live.former.intersection(owners_in(texts))))


def _remembered(memory: Memory) -> frozenset[str]:
    return frozenset(one for known in memory.sets.values() for one in known.owners)
