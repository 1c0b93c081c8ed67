"""The sweep: live records with this stack's marker that its state does not hold, and what becomes of each.

Only the marker makes a record this stack's here, so a record without it is never found. Nothing is deleted: what is
found is proposed for import, so that the next reviewed update reaps it, or adopts what is wanted.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.decision import Decision
from edge_dns.core.live import Live, LiveRecord, LiveZone, normal_name
from edge_dns.core.lost_objects import LostObject, lost_objects
from edge_dns.core.markers import is_marker_name, marked_name, marker_name, marks_only, owners_in, parse_marker
from edge_dns.core.memory import Memory
from edge_dns.core.notices import Notice
from edge_dns.core.plan import Plan
from edge_dns.core.rules import ENDS, Refused
from edge_dns.core.settings import Zone
from edge_dns.core.slots import free_slot, plain_slot, slot_key
from edge_dns.core.texts import first_of
from edge_dns.core.tunnels import tunnel_key
from edge_dns.core.values import RECORD_TYPES, Provider, RRset, Source
from edge_dns.core.zones import zone_key, zone_title

UNREMEMBERED = "unremembered"
"""Name of the component under which records are imported that no source wants; the program never declares it."""

_NAMES_TOLD = 3
Standing = Literal["wanted", "waiting", "unwanted", "unclear"]
"""What the plan says of a record: the next update takes it over; its name is refused for now; nobody wants it; it may
be somebody else's."""
Judged = tuple[Standing, str]
"""A standing and its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unremembered:
    """A live record with our marker that the state does not hold.

    `hostname` is the name that it serves, `source` that of its marker. `slot` is where an import puts it, None where it
    is not to be imported; `parent` is the endpoint record set above it.
    """

    zone: str
    zone_id: str
    provider: Provider
    hostname: str
    record: LiveRecord
    source: str
    standing: Standing
    reason: str
    slot: str | None
    parent: str

    @property
    def target(self) -> str | None:
        """The hostname that it points at, None for addresses and markers."""
        return target_of(self.record)

    @property
    def is_marker(self) -> bool:
        """Whether it is a marker itself, a TXT record at Route 53."""
        return self.record.type == "TXT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A record of the state that points at a hostname."""

    zone: str
    hostname: str
    type: str
    slot: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LostInvite:
    """An invite of the hub that is taken for a tunnel's own by its name, while the state holds none.

    `name` is that on the hub, which it keeps when its tunnel is renamed. `unissued`: the state holds one that the hub
    has refused everything, so that no other can be imported.
    """

    tunnel: str
    name: str
    invite_id: str
    hostnames: tuple[str, ...]
    unissued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What one sweep found, sorted. `objects` are those of the clusters that zones name.

    `blind` are zones without markers, in which nothing can be found.
    """

    unremembered: tuple[Unremembered, ...]
    remembered: tuple[Remembered, ...]
    invites: tuple[LostInvite, ...]
    objects: tuple[LostObject, ...]
    blind: tuple[str, ...]


def sweep(
    zones: Sequence[Zone], live: Live, memory: Memory, plan: Plan, announced: Collection[str] | None = None
) -> Sweep:
    """Return what the live zones hold of this stack beside its state; `plan` is what the next update wants.

    `announced` are the plain slots of the names that the last state was about to declare (see `Live`), None: all are.
    """
    read = [zone for zone in zones if zone_key(zone) in live.zones]
    ordered = sorted(read, key=lambda one: (one.domain, zone_key(one)))
    invites = tuple(_lost_invites(plan, memory))
    by_tunnel = {invite.tunnel: invite for invite in invites}
    lost = {one.source: by_tunnel.get(tunnel_key(one.tunnel)) for one in plan.tunnels}
    wanted = _wanted(plan, live, lost)
    found = tuple(one for zone in ordered for one in _in_zone(zone, live, wanted, announced))
    named = {one.hostname for one in found}
    return Sweep(
        unremembered=found,
        remembered=tuple(_pointing_at_names(memory, {zone_key(zone): zone.domain for zone in ordered})),
        invites=tuple(one for one in invites if named.intersection(one.hostnames)),
        objects=lost_objects(plan.decisions, plan.basis.context, live),
        blind=tuple(zone.domain for zone in ordered if zone.provider == "route53" and zone.marker == "none"),
    )


def unwanted_notice(found: Sweep) -> Notice | None:
    """Return a warning of the records with this stack's marker that neither its state nor its settings know."""
    records = [one for one in found.unremembered if one.standing == "unwanted"]
    if not records:
        return None
    names = sorted({one.hostname for one in records})
    message = (
        f"records of {first_of(names, _NAMES_TOLD)} carry the marker of this stack, which neither its state "
        "nor its settings know: edge-dns audit orphans tells where they come from and how they go"
    )
    return Notice(rule=None, path="edge-dns:zones", message=message)


def target_of(record: LiveRecord | RRset) -> str | None:
    """Return the hostname that a record points at in normal form: of a CNAME, or of an alias at Route 53."""
    if record.alias:
        return normal_name(record.alias.name)
    return normal_name(record.values[0]) if record.type == "CNAME" and record.values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    """What is found for one hostname: its records with our marker, and the marker itself where it is a record.

    `purely_ours` says that no text of anybody else stands beside the marker.
    """

    hostname: str
    records: Sequence[LiveRecord]
    source: str
    marker: LiveRecord | None = None
    purely_ours: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the records of one site are judged by.

    `taken` are its slots that the state holds or the plan declares, `state` the import ids of the state. `lost` is the
    invite on which the name depends, where the state does not hold it; `without_invite` is a name of a Towonel tunnel
    for which no invite is known or found. `taken_over` says whether an update takes what it wants by the marker alone:
    where the state was about to declare the name, or holds another record of it. `home` is another zone that holds the
    name after the next update.
    """

    zone: Zone
    state: Collection[str]
    taken: Collection[str]
    decision: Decision | None
    parent: str
    lost: LostInvite | None
    without_invite: bool
    taken_over: bool
    home: Zone | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What the plan and the state say of names in all zones at once.

    By hostname, `decisions` are those of its zones, `homes` the zone that holds it after the next update. `parents` are
    the Pulumi names of the sets, `slots` those of the state by plain slot. `lost` and `without_invite` are by source.
    """

    decisions: Mapping[str, Sequence[Decision]]
    homes: Mapping[str, Zone | None]
    parents: Mapping[tuple[Source, str], str]
    slots: Mapping[str, Sequence[str]]
    lost: Mapping[Source, LostInvite | None]
    without_invite: Collection[Source]


def _wanted(plan: Plan, live: Live, lost: Mapping[Source, LostInvite | None]) -> _Wanted:
    decisions: dict[str, list[Decision]] = defaultdict(list)
    for one in plan.decisions:
        decisions[one.hostname].append(one)
    slots: dict[str, list[str]] = defaultdict(list)
    for slot in live.import_ids:
        slots[plain_slot(slot)].append(slot)
    return _Wanted(
        decisions=decisions,
        homes={one.hostname: one.zone for one in plan.decisions if one.promised},
        parents={(one.source, name): one.id for one in plan.sets for name in (*one.records, *one.conditional)},
        slots=slots,
        lost=lost,
        without_invite={one.source for one in plan.tunnels if one.invite_id is None},
    )


def _in_zone(zone: Zone, live: Live, wanted: _Wanted, announced: Collection[str] | None) -> Iterator[Unremembered]:
    live_zone, state = live.zones[zone_key(zone)], live.in_state
    sites = _commented(live_zone, live.owner) if zone.provider == "cloudflare" else _marked(zone, live_zone, live.owner)
    for site in sorted(sites, key=lambda one: one.hostname):
        decision = next((one for one in reversed(wanted.decisions.get(site.hostname, ())) if _is_of(one, zone)), None)
        names = (site.hostname, *([site.marker.name] if site.marker else []))
        held = (slot for name in names for slot in wanted.slots.get(slot_key(zone_key(zone), name), ()))
        known = _Known(
            zone=zone,
            state=state,
            taken={*held, *(record.slot for record in decision.records)} if decision else {*held},
            decision=decision,
            parent=wanted.parents.get((decision.source, site.hostname), UNREMEMBERED) if decision else UNREMEMBERED,
            lost=wanted.lost.get(decision.source) if decision else None,
            without_invite=decision is not None and decision.source in wanted.without_invite,
            taken_over=announced is None
            or slot_key(zone_key(zone), site.hostname) in announced
            or any(one.import_id in state for one in site.records),
            home=wanted.homes.get(site.hostname),
        )
        yield from _at_site(site, known)


def _is_of(decision: Decision, zone: Zone) -> bool:
    if decision.zone is None:
        return decision.visibility == zone.visibility
    return zone_key(decision.zone) == zone_key(zone)


def _commented(live_zone: LiveZone, owner: str) -> Iterator[_Site]:
    for name, records in live_zone.by_name.items():
        ours = [one for one in records if one.type in RECORD_TYPES and owner in owners_in([one.comment])]
        if ours:
            yield _Site(hostname=name, records=ours, source=_source([ours[0].comment], owner))


def _marked(zone: Zone, live_zone: LiveZone, owner: str) -> Iterator[_Site]:
    """Yield the names that a TXT record marks as ours, also where only the marker is left."""
    marked_by = _names_by_marker(zone, live_zone) if zone.marker == "txt" else {}
    for name, records in live_zone.by_name.items():
        marker = next((one for one in records if one.type == "TXT" and owner in owners_in(one.values)), None)
        if marker and zone.marker == "txt" and is_marker_name(name):
            hostname = marked_by.get(name) or marked_name(name) or name
            yield _Site(
                hostname=hostname,
                records=[one for one in live_zone.at(hostname) if one.type in RECORD_TYPES and not one.set_identifier],
                source=_source(marker.values, owner),
                marker=marker,
                purely_ours=marks_only(marker.values, owner),
            )


def _names_by_marker(zone: Zone, live_zone: LiveZone) -> dict[str, str]:
    """Return the names with records by that of their marker, which may be a hash."""
    names = {}
    for name, records in live_zone.by_name.items():
        if any(one.type in RECORD_TYPES for one in records):
            with suppress(Refused):
                names[marker_name(name, zone.domain)] = name
    return names


def _source(texts: Iterable[str], owner: str) -> str:
    return next(marker.source for text in texts if (marker := parse_marker(text)) and marker.owner == owner)


# --- one hostname -----------------------------------------------------------------------------------------------------


def _at_site(site: _Site, known: _Known) -> Iterator[Unremembered]:
    taken = set(known.taken)
    standings: list[Standing] = []
    for record in site.records:
        if record.import_id not in known.state:
            found = _found(site, record, known, _standing(site, record, known), taken)
            taken.add(found.slot or "")
            standings.append(found.standing)
            yield found
    if site.marker and site.marker.import_id not in known.state:
        yield _found(site, site.marker, known, _marker_standing(site, site.marker, known, standings), taken)


def _standing(site: _Site, record: LiveRecord, known: _Known) -> Judged:
    if not site.purely_ours:
        return "unclear", "another text stands beside the marker of the name"
    if judged := _by_plan(record, known):
        return judged
    if site.marker and any(one.import_id in known.state for one in site.records):
        return "unclear", "the marker is that of the whole name, of which the state holds another record"
    return "unwanted", _why_unwanted(known)


def _marker_standing(site: _Site, marker: LiveRecord, known: _Known, standings: Sequence[Standing]) -> Judged:
    if not site.purely_ours:
        return "unclear", "another text stands beside it"
    if judged := _by_plan(marker, known):
        return judged
    if any(one.import_id in known.state for one in site.records):
        return "waiting", "the state holds records of its name"
    if left := {"waiting", "unclear"}.intersection(standings):
        return ("waiting" if "waiting" in left else "unclear"), "it marks records that stay"
    return "unwanted", _why_unwanted(known)


def _by_plan(record: LiveRecord, known: _Known) -> Judged | None:
    """Return what the plan says of a record that it wants, or that it may want again; None: it wants it not."""
    decision = known.decision
    if decision is None:
        return None
    if known.lost and known.lost.unissued:
        return "waiting", (
            f"the hub's invite {known.lost.invite_id} holds the name, but the state has an unissued one in its place"
        )
    if record.import_id in decision.imports.values() and decision.promised:
        if decision.conditional:
            return "waiting", f"declared by {decision.source}, but the hub does not confirm the name"
        return "wanted", f"declared by {decision.source}{_way_in(known)}"
    if decision.refusal and not _is_for_good(decision.refusal.rule, known.zone):
        told = f"{decision.refusal.rule}: {decision.refusal.reason}"
        return "waiting", f"declared by {decision.source}, but {decision.state}: {told}{_way_on(decision, known)}"
    return None


def _way_on(decision: Decision, known: _Known) -> str:
    """Return what lets a record of a lost state be found for its tunnel, which the state knows nothing of."""
    rule = decision.refusal.rule if decision.refusal else None
    if rule == "host-taken" and known.without_invite:
        return (
            "; where that invite is the tunnel's own, from before it was renamed, enter its name into the tunnel's "
            "aliases and run the audit again"
        )
    if rule == "tunnel-foreign":
        return "; where it is this stack's own, set cloudflare.adopt to its id and run the audit again with --all"
    return ""


def _way_in(known: _Known) -> str:
    """Return how a wanted record comes into the state."""
    if known.lost:
        return ", whose invite has to be imported with it"
    if known.taken_over:
        return "; the next update takes it over"
    return (
        "; the state never declared the name, so no update takes it over: import it (--all), or list the name under "
        "edge-dns:adopt"
    )


def _is_for_good(rule: str, zone: Zone) -> bool:
    """At Route 53 the marker alone does not tell a record of ours that differs from one that is to be adopted."""
    return rule in ENDS or (rule == "adopt-differs" and zone.provider == "cloudflare")


def _why_unwanted(known: _Known) -> str:
    decision, home = known.decision, known.home
    if decision is None and home:
        return f"no source declares the name in this zone: it is in {zone_title(zone_key(home), home.domain)}"
    if decision is None:
        return "no source declares the name"
    if decision.refusal:
        return f"{decision.state}: {decision.refusal.rule}: {decision.refusal.reason}"
    return f"{decision.source} wants other records"


def _found(site: _Site, record: LiveRecord, known: _Known, judged: Judged, taken: Collection[str]) -> Unremembered:
    standing, reason = judged
    slot = _slot(record, standing, known, taken) if standing in ("wanted", "unwanted") else None
    if slot is None and standing in ("wanted", "unwanted"):
        standing, reason = "unclear", "the state holds other records in its place; `pulumi up --refresh` tells which"
    zone = known.zone
    return Unremembered(
        zone=zone.domain,
        zone_id=zone_key(zone),
        provider=zone.provider,
        hostname=site.hostname,
        record=record,
        source=site.source,
        standing=standing,
        reason=reason,
        slot=slot,
        parent=known.parent if standing == "wanted" else UNREMEMBERED,
    )


def _slot(record: LiveRecord, standing: Standing, known: _Known, taken: Collection[str]) -> str | None:
    key = slot_key(zone_key(known.zone), record.name)
    if standing == "wanted" and known.decision:
        return next(slot for slot, import_id in known.decision.imports.items() if import_id == record.import_id)
    if record.type == "TXT":
        return None if key in taken else key
    return free_slot(key, record.type, record.values, taken, known.zone.provider)


# --- the state --------------------------------------------------------------------------------------------------------


def _pointing_at_names(memory: Memory, domains: Mapping[str, str]) -> Iterator[Remembered]:
    for slot, rrset in sorted(memory.slots.items(), key=lambda item: (item[1].name, item[0])):
        if target := target_of(rrset):
            yield Remembered(
                zone=domains.get(rrset.zone_id, rrset.zone_id),
                hostname=rrset.name,
                type=rrset.type,
                slot=slot,
                target=target,
            )


def _lost_invites(plan: Plan, memory: Memory) -> Iterator[LostInvite]:
    """Yield what a plan made with `adopt_by_name` took for the invites of tunnels that the state knows none of."""
    known = {one.invite_id for one in memory.invites.values()}
    for one in plan.tunnels:
        if one.invite_id and one.confirmed and one.invite_id not in known:
            yield LostInvite(
                tunnel=tunnel_key(one.tunnel),
                name=one.invite_name,
                invite_id=one.invite_id,
                hostnames=one.confirmed,
                unissued=not memory.invites.keys().isdisjoint({tunnel_key(one.tunnel), *one.tunnel.aliases}),
            )
