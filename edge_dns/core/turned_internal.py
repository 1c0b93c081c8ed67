"""Names that turn internal: what goes of each of them, at this stack and at external-dns instances."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from edge_dns.core.blast_radius import BlastRadius, ExternallyOwned, what_answers
from edge_dns.core.decision import Context, Decision, published_before
from edge_dns.core.live import Live
from edge_dns.core.markers import marker_name
from edge_dns.core.names import in_zone
from edge_dns.core.notices import Notice
from edge_dns.core.rrsets import join_slots
from edge_dns.core.settings import Zone
from edge_dns.core.slots import plain_slot, slot_key
from edge_dns.core.txt_registry import owned_by_external_dns
from edge_dns.core.zones import zone_key

RULE = "exposure-internal"


def with_blast_radius(decisions: Sequence[Decision], context: Context) -> tuple[Decision, ...]:
    """Return the decisions, those of internal names with what goes of them; nothing where nothing goes."""
    internal = [one for one in decisions if is_internal(one)]
    if not internal:
        return tuple(decisions)
    external = {(one.hostname, one.visibility): tuple(_external(one, internal, context)) for one in internal}
    names = _names_after(decisions, [one for group in external.values() for one in group], context)
    return tuple(_with_radius(one, external.get((one.hostname, one.visibility)), names, context) for one in decisions)


def is_internal(decision: Decision) -> bool:
    """Say whether a decision takes a name away, or keeps it away, because it is internal."""
    return decision.refusal is not None and decision.refusal.rule == RULE and not decision.records


def _with_radius(
    decision: Decision, external: tuple[ExternallyOwned, ...] | None, names: Mapping[str, set[str]], context: Context
) -> Decision:
    if external is None:
        return decision
    before = published_before(decision.hostname, decision.visibility, context)
    own = join_slots(before.records) if before else ()
    if not own and not external:
        return decision
    zone = decision.zone or (external[0].zone if external else None)
    radius = BlastRadius(
        own=own,
        marker=_marker(decision.hostname, decision.zone) if own else None,
        external=external,
        afterwards="; ".join(_afterwards(decision.hostname, zone, names, context)),
    )
    return replace(decision, blast_radius=radius)


def _external(decision: Decision, internal: Iterable[Decision], context: Context) -> Iterator[ExternallyOwned]:
    """What external-dns instances own of a name: in the zones of its visibility, and in those of no other decision."""
    views = sorted({one.visibility for one in internal if one.hostname == decision.hostname})
    for zone in context.zones.longest(decision.hostname):
        its_own = zone.visibility == decision.visibility
        of_nobody = zone.visibility not in views and decision.visibility == views[0]
        live_zone = context.live.zones.get(zone_key(zone)) if context.live else None
        if live_zone and context.live and (its_own or of_nobody):
            ours = context.live.in_state
            for owner, records, registry in owned_by_external_dns(decision.hostname, live_zone, ours):
                yield ExternallyOwned(zone=zone, owner=owner, records=records, registry=registry)


def baseline_notice(decisions: Iterable[Decision]) -> Iterator[Notice]:
    """Yield a warning where published names turn internal: what to do before, since a revert restores no zone."""
    names = sorted({one.hostname for one in decisions if one.state == "withdrawn" and is_internal(one)})
    if names:
        what = names[0] if len(names) == 1 else f"{len(names)} names, {names[0]} first,"
        message = (
            f"{what} turned internal and would be withdrawn by this run: save the live records before with "
            "`edge-dns baseline`, since taking the change back does not restore those of external-dns"
        )
        yield Notice(rule=None, path="edge-dns:services", message=message)


# --- what answers when all of it is gone ------------------------------------------------------------------------------


def _names_after(
    decisions: Iterable[Decision], external: Iterable[ExternallyOwned], context: Context
) -> Mapping[str, set[str]]:
    """Return by zone key the names that hold records once this run is done and external-dns has followed."""
    names: dict[str, set[str]] = defaultdict(set)
    leaving = {record.import_id for one in external for record in (*one.records, *one.registry)}
    if context.live:
        leaving |= _own_import_ids(decisions, context.live)
        for key, live_zone in context.live.zones.items():
            for name, records in live_zone.by_name.items():
                if any(one.import_id not in leaving for one in records):
                    names[key].add(name)
    for one in decisions:
        if one.zone and one.promised:
            names[zone_key(one.zone)].add(one.hostname)
    return names


def _own_import_ids(decisions: Iterable[Decision], live: Live) -> set[str]:
    """Return the import ids of the records, markers included, of the names that are withdrawn."""
    plain = set()
    for one in decisions:
        if one.state == "withdrawn" and one.zone:
            plain.add(slot_key(zone_key(one.zone), one.hostname))
            if marker := _marker(one.hostname, one.zone):
                plain.add(slot_key(zone_key(one.zone), marker))
    return {import_id for slot, import_id in live.import_ids.items() if plain_slot(slot) in plain}


def _marker(hostname: str, zone: Zone | None) -> str | None:
    has_one = zone is not None and zone.provider == "route53" and zone.marker == "txt"
    return marker_name(hostname, zone.domain) if zone and has_one else None


def _afterwards(hostname: str, zone: Zone | None, names: Mapping[str, set[str]], context: Context) -> Iterator[str]:
    if zone is None:
        yield "NXDOMAIN, as far as the settings tell"
        return
    public = what_answers(hostname, names.get(zone_key(zone), set()) | {zone.domain}, zone.domain)
    was_read = context.live is not None and zone_key(zone) in context.live.zones
    yield public if was_read else f"{public}, as far as the plan tells: its zone is not read here"
    inside = tuple(_inside(hostname, names, context))
    yield from inside
    if told := context.turning.overruled.get(hostname):
        yield f"acknowledged although the internal resolver does not answer ({told})"
    if was_read and public == "NXDOMAIN" and not inside:
        yield "no wildcard, no private zone and no internal resolver stands in"


def _inside(hostname: str, names: Mapping[str, set[str]], context: Context) -> Iterator[str]:
    if told := context.turning.inside.get(hostname):
        yield f"inside, {told}"
    for zone in _private_zones(hostname, context):
        held = names.get(zone_key(zone), set())
        if hostname in held:
            yield f"inside, private zone {zone.domain} ({zone_key(zone)}) has the name"
        elif (found := what_answers(hostname, held | {zone.domain}, zone.domain)).startswith("the wildcard"):
            yield f"inside, {found} of private zone {zone.domain} ({zone_key(zone)})"


def _private_zones(hostname: str, context: Context) -> Iterator[Zone]:
    for domain, group in context.zones.by_domain.items():
        if in_zone(hostname, domain):
            yield from (zone for zone in group if zone.visibility == "private")
