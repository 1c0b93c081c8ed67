"""Records that move between two zones of the stack: made in the new one, deleted in the old one in the same run.

The hostname stays published, so that no refusal tells the deletion.
"""

from collections.abc import Iterator
from dataclasses import replace

from edge_dns.core.decision import Context, Decision, Published
from edge_dns.core.foreign_markers import find_foreign
from edge_dns.core.names import in_zone
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.settings import Zone
from edge_dns.core.slots import slot_key
from edge_dns.core.zones import zone_key, zone_title


def with_rehomed(decision: Decision, context: Context) -> Decision:
    """Return the decision with a warning of each zone in which this run deletes the records of its hostname."""
    zone = decision.zone if decision.promised else None
    if zone is None:
        return decision
    told = tuple(_told(decision, zone, context))
    return replace(decision, warnings=(*decision.warnings, *told)) if told else decision


def _told(decision: Decision, zone: Zone, context: Context) -> Iterator[str]:
    for before in context.published.get(decision.hostname, ()):
        key = before.records[0].rrset.zone_id
        if before.visibility != decision.visibility or key == zone_key(zone):
            continue
        records = ", ".join(map(describe_rrset, join_slots(before.records)))
        domain = before.zone.domain if before.zone else context.domains.get(key)
        old, new = zone_title(key, domain, left=before.zone is None), zone_title(zone_key(zone), zone.domain)
        verb = "forgets" if _is_foreign(before, context) else "deletes"
        missing = _undelegated(decision.hostname, before.zone, zone, context)
        yield f"this run {verb} {records} in {old}: it moves to {new}{missing}"


def _is_foreign(before: Published, context: Context) -> bool:
    """Say whether the records carry another owner's marker, so that they are not deleted."""
    if before.zone is None or context.live is None:
        return False
    slots = context.slots.get(slot_key(zone_key(before.zone), before.hostname), {})
    return find_foreign(before.hostname, slots, before.zone, context.live) is not None


def _undelegated(hostname: str, old: Zone | None, new: Zone, context: Context) -> str:
    """Say that the zone above leads nobody to the new one (RFC 1034 §4.2.1); private zones need no delegation."""
    live = context.live.zones.get(zone_key(old)) if context.live and old else None
    if old is None or live is None or old.visibility != "public" or not in_zone(new.domain, old.domain):
        return ""
    if new.domain == old.domain or any(in_zone(hostname, cut) for cut in live.delegations):
        return ""
    return f"; zone {old.domain} does not delegate {new.domain} yet, and no resolver asks the new zone until it does"
