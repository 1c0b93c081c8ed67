"""Whose the live records at a wanted name are: the state's, this stack's by their marker, or somebody else's.

A record that the state does not hold and that carries this stack's marker is our own create, cut off by a crash, where
the state was about to declare its name: it is imported. Every other record that the state does not hold is never
touched, but where the settings adopt it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edge_dns.core.adoption import (
    Adopting,
    adopt,
    adopt_line,
    adopting,
    described,
    listed,
)
from edge_dns.core.conversion import check_beside
from edge_dns.core.foreign_markers import RELEASE_THERE, find_foreign, told
from edge_dns.core.live import Live, LiveRecord, LiveZone, same_content
from edge_dns.core.markers import marker_name, marks_only, owners_in
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Adoption, Zone
from edge_dns.core.slots import slot_key
from edge_dns.core.txt_registry import registry_entries
from edge_dns.core.values import RECORD_TYPES, RRset, SlotRecord
from edge_dns.core.zones import zone_key

_APEX_TYPES = frozenset({"NS", "SOA"})
REMEDY = "`pulumi up --refresh` puts it right"
_FIRST = "mend what holds the name first: `pulumi up --refresh` would make it anew beside the other record"
_BESIDE_OTHERS = frozenset({"owner-foreign", "adopt-differs"})
_GOES = "the state proves that it is this stack's, so it goes all the same"


@dataclass(frozen=True, slots=True)
class _Drift:
    """What changed outside in one record of the state, in words; `is_gone`: the provider has it no more."""

    told: str
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A name that is free for us: `imports` are the import ids of the live records to take over, by slot.

    `notes` say what is adopted, `warnings` what somebody has to look at.
    """

    imports: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    """The live records at one name: those that the state holds, those with our marker only, those to adopt, all others.

    `marker` is the TXT record on Route 53 that marks the name as ours, `in_its_place` another record that stands there.
    `owners` are those that the markers name, this stack among them where the state holds a record.
    """

    remembered: tuple[LiveRecord, ...]
    marked: tuple[LiveRecord, ...]
    adoptable: tuple[LiveRecord, ...]
    foreign: tuple[LiveRecord, ...]
    marker: LiveRecord | None
    in_its_place: LiveRecord | None
    owners: frozenset[str]


def check_ownership(
    records: Sequence[SlotRecord],
    zone: Zone,
    live: Live,
    adopted: Iterable[Adoption] = (),
    waived: Collection[str] = (),
) -> Claimed:
    """Return what to import for the wanted records of one name (at least one); nothing where its zone was not read.

    `adopted` are the entries of the setting `adopt`. Raises Refused with `owner-duplicate`, `cname-coexistence` (unless
    it is in `waived`), `owner-foreign` or `adopt-differs`.
    """
    live_zone = live.zones.get(zone_key(zone))
    if live_zone is None:
        return Claimed()
    fqdn = records[0].rrset.name
    allowed = adopting(fqdn, zone, adopted)
    site = _site(fqdn, zone, live_zone, allowed, live)
    _refuse_duplicate(fqdn, site, zone, live, adopts=len(site.adoptable) > 0 and allowed.by_name)
    if "cname-coexistence" not in waived:
        check_beside([one.rrset for one in records], {one.type for one in site.foreign} - set(RECORD_TYPES), zone)
    _refuse_foreign(records, site, allowed, live.owner)
    imports = _imports(records, site, zone, live.import_ids)
    left = [one for one in site.marked if one.import_id not in imports.values()]
    _refuse_differing(records, left, zone)
    if site.adoptable:
        vacant = [one for one in _vacant(records, site, live.import_ids) if one.slot not in imports]
        imports |= adopt([one for one in vacant if one.rrset.type in allowed.types], site.adoptable)
    if site.marker and site.marker.import_id not in live.in_state:
        imports[_marker_slot(fqdn, zone)] = site.marker.import_id
    return Claimed(
        imports=imports,
        notes=(f"adopts {listed(site.adoptable)}",) if site.adoptable else (),
        warnings=(*_warnings(fqdn, site, live_zone, live.owner), *(_unknown_to_state(one) for one in left)),
    )


def find_drift(
    slots: Mapping[str, RRset], wanted: Iterable[SlotRecord], zone: Zone, live: Live, held_by: str | None = None
) -> tuple[str, ...]:
    """Return what changed outside in the records of one name that the state holds (`slots`), with the remedy.

    A record that is already as this run wants it has not drifted. `held_by` is the rule that refuses the name.
    """
    live_zone = live.zones.get(zone_key(zone))
    if live_zone is None:
        return ()
    intended = {slot: record.rrset for record in wanted for slot in (record.slot, record.former) if slot}
    drift: list[_Drift | None] = []
    for slot, known in sorted(slots.items()):
        if import_id := live.import_ids.get(slot):
            found = next((one for one in live_zone.at(known.name) if one.import_id == import_id), None)
            drift.append(_drift(known, intended.get(slot), found, zone, live.owner))
    drift += [_marker_drift(fqdn, zone, live_zone, live) for fqdn in sorted({known.name for known in slots.values()})]
    stays = _FIRST if held_by in _BESIDE_OTHERS else REMEDY
    return tuple(f"{one.told}; {stays if intended else _when_it_goes(one)}" for one in drift if one)


def _when_it_goes(drift: _Drift) -> str:
    """Return the remedy of a name that is withdrawn: no deletion of what is gone, it fails at Cloudflare (81044)."""
    return REMEDY if drift.is_gone else _GOES


def _site(fqdn: str, zone: Zone, live_zone: LiveZone, allowed: Adopting, live: Live) -> _Site:
    owner, state = live.owner, live.in_state
    # A zone's own NS and SOA exclude nothing.
    found = [one for one in live_zone.at(fqdn) if fqdn != zone.domain or one.type not in _APEX_TYPES]
    remembered = tuple(one for one in found if one.import_id in state)
    others = [one for one in found if one.import_id not in state]
    at_marker = _at_marker(fqdn, zone, live_zone)
    announced = live.announced is None or slot_key(zone_key(zone), fqdn) in live.announced or len(remembered) > 0
    marks = announced and at_marker is not None and marks_only(at_marker.values, owner)
    owners = {*owners_in(one.comment for one in found), *owners_in(at_marker.values if at_marker else ())}
    may_adopt = allowed.by_name or not owners - {owner}
    # The marker of an adoption stands before its record is imported: it does not make the record one of ours yet.
    marked = [
        one
        for one in others
        if _can_be_ours(one)
        and ((marks and one.type not in allowed.types) or (announced and owner in owners_in([one.comment])))
    ]
    adoptable = [
        one for one in others if one not in marked and may_adopt and _can_be_ours(one) and one.type in allowed.types
    ]
    is_ours = marks or (
        at_marker is not None and len(adoptable) > 0 and allowed.by_name and marks_only(at_marker.values, None)
    )
    return _Site(
        remembered=remembered,
        marked=tuple(marked),
        adoptable=tuple(adoptable),
        foreign=tuple(one for one in others if one not in marked and one not in adoptable),
        marker=at_marker if is_ours else None,
        in_its_place=None if is_ours or at_marker is None or at_marker.import_id in state else at_marker,
        owners=frozenset(owners | {owner} if remembered else owners),
    )


def _at_marker(fqdn: str, zone: Zone, live_zone: LiveZone) -> LiveRecord | None:
    """Return what stands where the marker of a name belongs on Route 53: a TXT record, or one that excludes it."""
    if zone.provider != "route53" or zone.marker != "txt":
        return None
    found = live_zone.at(marker_name(fqdn, zone.domain))
    return next((one for one in found if one.type in {"TXT", "CNAME"}), None)


def _marker_slot(fqdn: str, zone: Zone) -> str:
    return slot_key(zone_key(zone), marker_name(fqdn, zone.domain))


def _can_be_ours(record: LiveRecord) -> bool:
    return record.type in RECORD_TYPES and not record.set_identifier


def _refuse_duplicate(fqdn: str, site: _Site, zone: Zone, live: Live, *, adopts: bool) -> None:
    slots = [live.slots[one.import_id] for one in site.remembered]
    if found := find_foreign(fqdn, slots, zone, live):
        refuse("owner-duplicate", told(found))
    if len(site.owners) < 2 or adopts:
        return
    owners, others = ", ".join(sorted(site.owners)), ", ".join(sorted(site.owners - {live.owner}))
    if site.remembered and site.owners - {live.owner} <= live.former:
        refuse("owner-duplicate", f"its marker has the former name of this stack, which this update replaces: {others}")
    if site.remembered:
        beside = listed(one for one in site.foreign if owners_in([one.comment]))
        refuse(
            "owner-duplicate",
            f"beside this stack's records stands {beside}, marked as that of {others}: take the "
            "hostname out of one of the two stacks",
        )
    refuse("owner-duplicate", f"its records carry the markers of several owners: {owners}; remove those that are wrong")


def _refuse_foreign(records: Sequence[SlotRecord], site: _Site, allowed: Adopting, owner: str) -> None:
    blocking = [one for one in site.foreign if one.type in RECORD_TYPES]
    if site.in_its_place:
        blocking.append(site.in_its_place)
    if blocking:
        others = sorted(site.owners - {owner})
        whose = "".join(f" (it is marked as that of {other})" for other in others)
        if not whose and owner in site.owners and not site.remembered:
            whose = (
                " (its marker names this stack, whose state never declared the hostname: it is of another installation "
                "with a stack of this name, or the state was lost, for which see edge-dns audit orphans)"
            )
        reason = f"a record that is not of this stack is there{whose}: {listed(blocking)}"
        way_out = f"{RELEASE_THERE if others else 'remove it'}, or take the hostname out"
        refuse("owner-foreign", f"{reason}; {way_out}{_how_to_adopt(records, site, blocking, allowed)}")


def _how_to_adopt(records: Sequence[SlotRecord], site: _Site, blocking: Sequence[LiveRecord], allowed: Adopting) -> str:
    """Return the way to adopt what blocks the name, nothing where there is none."""
    theirs = site.in_its_place is not None and not marks_only(site.in_its_place.values, None)
    left = [one for one in blocking if one is not site.in_its_place]
    # A marker is adopted with a record only.
    if not left or theirs or allowed.by_name or not all(map(_can_be_ours, left)):
        return ""
    line = adopt_line(records[0].rrset.name)
    wanted = [record.rrset for record in records]
    if len(left) == len(wanted) and all(any(same_content(rrset, one) for one in left) for rrset in wanted):
        return f"; it equals the wanted one: {line} takes it over"
    wants = "; ".join(described(rrset, full=True) for rrset in wanted)
    return f"; once it equals the wanted one, {wants}, {line} takes it over"


def _warnings(fqdn: str, site: _Site, live_zone: LiveZone, owner: str) -> Iterator[str]:
    others = site.owners - {owner}
    if site.adoptable and others:
        yield f"it is adopted from {', '.join(sorted(others))}, which must not manage it any more"
    for name, manager in sorted({(one.record.name, one.owner) for one in registry_entries(fqdn, live_zone)}):
        yield (
            f"TXT {name} says that external-dns{f' ({manager})' if manager else ''} manages it: see that it no longer "
            "does, then remove that TXT record"
        )


def _vacant(records: Sequence[SlotRecord], site: _Site, import_ids: Mapping[str, str]) -> list[SlotRecord]:
    """Return the wanted records whose slots hold no live record."""
    alive = {one.import_id for one in site.remembered}
    return [one for one in records if not alive & {import_ids.get(slot) for slot in (one.slot, one.former) if slot}]


def _imports(records: Sequence[SlotRecord], site: _Site, zone: Zone, import_ids: Mapping[str, str]) -> dict[str, str]:
    """Match the live records with our marker only with the slots that hold no live record: the most alike first."""
    vacant = _vacant(records, site, import_ids)
    left = list(site.marked)
    imports: dict[str, str] = {}
    for alike in _likenesses(site, zone):
        for record in vacant:
            found = next((one for one in left if alike(record.rrset, one)), None)
            if found and record.slot not in imports:
                imports[record.slot] = found.import_id
                left.remove(found)
    return imports


def _likenesses(site: _Site, zone: Zone) -> Sequence[Callable[[RRset, LiveRecord], bool]]:
    """Return the tests by which a live record is taken for a wanted one.

    On Route 53 the marker is that of the whole name. Where records of ours stand already, another one beside them may
    be anybody's unless it is exactly the wanted one.
    """
    if zone.provider == "route53" and site.remembered:
        return (same_content,)
    return (same_content, _same_values, _same_type)


def _same_values(wanted: RRset, live: LiveRecord) -> bool:
    return _same_type(wanted, live) and frozenset(wanted.values) == frozenset(live.values)


def _same_type(wanted: RRset, live: LiveRecord) -> bool:
    return wanted.type == live.type


def _refuse_differing(records: Sequence[SlotRecord], left: Sequence[LiveRecord], zone: Zone) -> None:
    """Refuse a name with a record of ours that no wanted one can take over; at Cloudflare a value too many may stay."""
    types = {record.rrset.type for record in records} if zone.provider == "cloudflare" else set()
    differing = [one for one in left if one.type not in types]
    if differing:
        wanted = "; ".join(described(record.rrset, full=True) for record in records)
        refuse(
            "adopt-differs",
            "a record with the marker of this stack that its state does not hold is not the wanted one: "
            f"live {listed(differing, full=True)}; wanted {wanted}; remove the live one at the provider",
        )


def _unknown_to_state(record: LiveRecord) -> str:
    return f"{listed([record])} carries the marker of this stack, whose state does not hold it; remove it if it is old"


def _drift(known: RRset, wanted: RRset | None, found: LiveRecord | None, zone: Zone, owner: str) -> _Drift | None:
    if found is None:
        return _Drift(f"{described(known)} is gone at the provider", is_gone=True)
    if not same_content(known, found) and not (wanted and same_content(wanted, found)):
        return _Drift(f"{described(known, full=True)} is now {described(found, full=True)} at the provider")
    if zone.provider == "cloudflare" and owner not in owners_in([found.comment]):
        now = f"now {found.comment!r}" if found.comment else "now empty"
        return _Drift(f"{described(known)} has lost its ownership marker, the comment, {now}")
    return None


def _marker_drift(fqdn: str, zone: Zone, live_zone: LiveZone, live: Live) -> _Drift | None:
    if zone.provider != "route53" or zone.marker != "txt" or _marker_slot(fqdn, zone) not in live.import_ids:
        return None
    found = _at_marker(fqdn, zone, live_zone)
    if found is None:
        return _Drift(
            f"its ownership marker TXT {marker_name(fqdn, zone.domain)} is gone at the provider", is_gone=True
        )
    if not marks_only(found.values, live.owner):
        return _Drift(f"its ownership marker at {found.name} is now {described(found)}")
    return None
