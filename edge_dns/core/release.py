"""Release: names that this stack stops managing while their records stay. It takes two updates.

Whether the engine deletes or forgets a record that is not declared any more is up to the retention in its last state.
So the first update renames the records to released slots, with retention, and takes their marker away; the second one
declares them no more. Whoever declares the hostname then, nothing is done for it as long as `release` lists it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from edge_dns.core.decision import Context, Decision, Published, published_before
from edge_dns.core.memory import Memory
from edge_dns.core.notices import Notice
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.rules import Refusal, Refused
from edge_dns.core.settings import Adoption, Release, Zone
from edge_dns.core.slots import is_released, managed_slot, released_slot, slot_key
from edge_dns.core.values import RECORD_TYPES, RRset, SlotRecord, Source, Visibility
from edge_dns.core.zones import choose_zone, zone_key

RULE = "release-listed"


def decide_release(hostname: str, visibility: Visibility, source: Source, context: Context) -> Decision | None:
    """Return the decision for a hostname that `release` lists, whatever its sources say of it; None for others.

    A name that must not be public any more is withdrawn all the same, unless its release has begun.
    """
    if not context.release:
        return None
    before = published_before(hostname, visibility, context)
    zone = before.zone if before else _zone(hostname, visibility, context)
    if zone is None or not any(one.covers(hostname, zone) for one in context.release):
        return None
    slots = _slots(hostname, zone, context)
    begun = all(map(is_released, slots))
    if not begun and context.why_internal(hostname, visibility):
        return None
    decision = Decision(
        hostname=hostname,
        visibility=visibility,
        source=before.source if before else source,
        state="released",
        zone=zone,
        published_before=before is not None,
        records=() if begun else _retained(slots, before),
    )
    return replace(decision, refusal=_told(decision, slots, context))


def forgotten(decision: Decision, context: Context) -> Decision:
    """Return the decision for a name that is not declared while its release has begun: its records stay."""
    if decision.records or decision.state == "released" or decision.zone is None:
        return decision
    slots = _slots(decision.hostname, decision.zone, context)
    if not slots or not all(map(is_released, slots)):
        return decision
    why = f"; {decision.refusal.rule}: {decision.refusal.reason}" if decision.refusal else ""
    reason = f"its release had begun, so this update forgets it; {_listed(slots)} stays{why}"
    return replace(decision, state="released", refusal=Refusal(rule=RULE, reason=reason))


def _zone(hostname: str, visibility: Visibility, context: Context) -> Zone | None:
    try:
        return choose_zone(hostname, context.zones, visibility)
    except Refused:
        return None


def _slots(hostname: str, zone: Zone, context: Context) -> Mapping[str, RRset]:
    return context.slots.get(slot_key(zone_key(zone), hostname), {})


def _retained(slots: Mapping[str, RRset], before: Published | None) -> tuple[SlotRecord, ...]:
    """Return the records as they were declared last, so that nothing but their name and their marker changes."""
    declared = {record.slot: record.rrset for record in before.records} if before else {}
    return tuple(
        SlotRecord(
            slot=released_slot(slot),
            rrset=declared.get(managed_slot(slot), rrset),
            former=None if is_released(slot) else slot,
        )
        for slot, rrset in sorted(slots.items())
    )


def _told(decision: Decision, slots: Mapping[str, RRset], context: Context) -> Refusal:
    if decision.records:
        what = f"{_listed(slots)} stays, without our marker; the next update forgets it"
    elif slots:
        what = f"this update forgets it; {_listed(slots)} stays"
    else:
        what = "it is not managed" if _is_live(decision, context) else "it is not managed, and has no record"
    return Refusal(rule=RULE, reason=what)


def _is_live(decision: Decision, context: Context) -> bool:
    """Say whether the name has a record; taken for granted where its zone was not read."""
    live = context.live.zones.get(zone_key(decision.zone)) if context.live and decision.zone else None
    return live is None or any(one.type in RECORD_TYPES for one in live.at(decision.hostname))


def _listed(slots: Mapping[str, RRset]) -> str:
    records = (SlotRecord(slot=slot, rrset=rrset) for slot, rrset in slots.items())
    return ", ".join(describe_rrset(rrset) for rrset in join_slots(records))


def idle_entries(decisions: Iterable[Decision], context: Context) -> tuple[Notice, ...]:
    """Return a warning for each entry of `adopt` and `release` that concerns no hostname of this run."""
    if not context.adopt and not context.release:
        return ()
    every = [(one, _zone(one.hostname, one.visibility, context) or one.zone) for one in decisions]
    placed = [(one, zone) for one, zone in every if zone]
    idle = [
        *(
            (f"adopt[{index}]", f"{_named(entry)} adopts nothing; remove it")
            for index, entry in enumerate(context.adopt)
            if not any(entry.covers(one.hostname, zone) and _wants(one, entry.type) for one, zone in placed)
        ),
        *(
            (f"release[{index}]", f"{_named(entry)} releases nothing; remove it")
            for index, entry in enumerate(context.release)
            if not any(entry.covers(one.hostname, zone) and one.state == "released" for one, zone in placed)
        ),
    ]
    return tuple(
        Notice(rule=None, path=f"edge-dns:{path}", message=f"edge-dns:{path}: {message}") for path, message in idle
    )


def _named(entry: Adoption | Release) -> str:
    """Return what an entry names."""
    return entry.hostname or f"zone {entry.zone}"


def _wants(decision: Decision, kind: str | None) -> bool:
    """Say whether a source wants the hostname published, as a record of this type where one is given."""
    if decision.state == "released" or (decision.refusal and decision.refusal.rule == "not-declared"):
        return False
    return kind is None or not decision.records or any(record.rrset.type == kind for record in decision.records)


def without_released(memory: Memory, decisions: Iterable[Decision]) -> Memory:
    """Return the memory without the names that are released: they are no withdrawal and count nowhere."""
    released = {(one.hostname, zone_key(one.zone)) for one in decisions if one.state == "released" and one.zone}
    sets = {
        name: replace(
            one,
            published={
                hostname: records
                for hostname, records in one.published.items()
                if (hostname, records[0].rrset.zone_id) not in released
            },
        )
        for name, one in memory.sets.items()
    }
    return replace(memory, sets=sets)
