"""One hostname's decision: the checks from claim to ownership in their fixed order.

The first check that hits decides. What was published before is held or withdrawn: a rule of `HELD` keeps the last
values, unless they must not stand in a public zone any more; after every other refusal the record is not declared, so
the engine deletes it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.conversion import ConversionOptions, check_public, convert
from edge_dns.core.decision import Context, Decision, Published, published_before, without_record
from edge_dns.core.endpoint_checks import check_owner, check_place, check_readers, object_drift
from edge_dns.core.exceptions import with_exceptions
from edge_dns.core.live import spelt_as
from edge_dns.core.names import relative_name
from edge_dns.core.ownership import Claimed, check_ownership, find_drift
from edge_dns.core.permission import check_permission
from edge_dns.core.rules import HELD, Level, Refusal, Refused, refuse
from edge_dns.core.service_claims import declared_elsewhere
from edge_dns.core.settings import RuleException, Zone
from edge_dns.core.slots import assign, is_released, managed_slot, plain_slot, slot_key, take_back
from edge_dns.core.values import RRset, SlotRecord
from edge_dns.core.zones import check_delegation, check_wildcard, choose_zone, zone_key

_SEVERITY = {Level.STOP: 0, Level.ERROR: 1, Level.WAIT: 2, Level.WARNING: 3}


def decide_claims(claims: Sequence[Claim], context: Context) -> Decision:
    """Decide one hostname from all claims on it of one visibility, sorted by source; at least one claim."""
    first = claims[0]
    before = published_before(first.hostname, first.visibility, context)
    if internal := context.why_internal(first.hostname, first.visibility):
        # What the hub has refused is never held.
        waits = None if first.doubt else _why_waiting(first.hostname, before, context)
        return _refuse(first, waits or internal, before, context)
    # A name that the hub has refused never competes with one that stands on its own.
    asked = _without_followers(claims)
    sure = [claim for claim in asked if claim.doubt is None] or asked
    if reason := _why_twice(sure, context):
        owner = next((claim for claim in sure if before and claim.source == before.source), sure[0])
        return _refuse(owner, owner.doubt or Refusal(rule="host-claimed-twice", reason=reason), before, context)
    decision = _decide_one(_joined(sure), before, context)
    others = tuple(f"also declared by {claim.source}" for claim in claims if claim is not sure[0])
    return replace(decision, notes=(*decision.notes, *others)) if others else decision


def decide_rejections(rejections: Sequence[Rejection], context: Context) -> Decision:
    """Decide a hostname that no source claims, from what its sources say; the most severe rule speaks for all."""
    told = min(rejections, key=_most_severe_first)
    before = published_before(told.hostname, told.visibility, context)
    refusal = told.refusal
    if refusal.rule == "exposure-internal" and told.hostname in context.of_services:
        # That of the service itself, and not that of the route that has its name.
        refusal = context.why_internal(told.hostname, told.visibility) or refusal
    return Decision(
        hostname=told.hostname,
        visibility=told.visibility,
        source=told.source,
        state="withdrawn" if before else "refused",
        refusal=refusal,
        zone=before.zone if before else None,
        published_before=before is not None,
        notes=notes_of(one for one in rejections if one.source != told.source),
    )


def notes_of(rejections: Iterable[Rejection]) -> tuple[str, ...]:
    """Return what sources say of a hostname that is decided by another one."""
    return tuple(f"{one.source}: {one.refusal.rule}: {one.refusal.reason}" for one in rejections)


def _without_followers(claims: Sequence[Claim]) -> Sequence[Claim]:
    """Leave out Gateways at the edge where a tunnel wants the same: there the hub's answer to the tunnel decides."""
    tunnels = [claim for claim in claims if claim.at_edge and claim.source.kind != "Gateway"]
    return [
        claim
        for claim in claims
        if claim in tunnels or not (claim.at_edge and any(claim.wants_the_same(tunnel) for tunnel in tunnels))
    ]


def _most_severe_first(one: Rejection) -> tuple[int, bool, tuple[str, ...]]:
    # What an HTTPRoute waits for can still come about, so it tells more.
    return _SEVERITY[one.refusal.level], one.refusal.rule == "not-supported", one.source.sort_key


def wait_for_authority(decision: Decision, context: Context) -> Decision:
    """Hold a name that is withdrawn as internal while its internal resolver does not answer it.

    One that only others have published is refused all the same, for the same reason: its route waits.
    """
    before = published_before(decision.hostname, decision.visibility, context)
    waits = _why_waiting(decision.hostname, before, context)
    if waits is None or decision.refusal is None or decision.refusal.rule != "exposure-internal":
        return decision
    return _fall_back(replace(decision, source=before.source if before else decision.source), waits, before, context)


def hold_rebound(decision: Decision, context: Context) -> Decision:
    """Hold a name of a Gateway whose service has another route, until the controller has judged that one.

    The change is one of the settings, so that no receipt can match although nobody else has touched anything.
    """
    before = published_before(decision.hostname, decision.visibility, context)
    refusal = decision.refusal
    if before is None or before.source.kind != "Gateway" or decision.hostname not in context.rebound:
        return decision
    if refusal is None or refusal.rule not in {"status-stale", "identity-changed"}:
        return decision
    waits = Refusal(rule="status-stale", reason=f"the settings give it another route or Gateway; {refusal.reason}")
    return _fall_back(replace(decision, source=before.source), waits, before, context)


def _why_waiting(hostname: str, before: Published | None, context: Context) -> Refusal | None:
    can_wait = before is None or (before.zone is not None and before.visibility == "public")
    return context.turning.waiting.get(hostname) if can_wait else None


def revert(decision: Decision, refusal: Refusal, context: Context) -> Decision:
    """Refuse what was decided to be published, after all names were decided: under the same rules as a claim."""
    return _fall_back(decision, refusal, published_before(decision.hostname, decision.visibility, context), context)


def _why_twice(claims: Sequence[Claim], context: Context) -> str | None:
    if not _agree(claims, context):
        return f"claimed with different records by {', '.join(str(claim.source) for claim in claims)}"
    return declared_elsewhere(claims, context.declared.get((claims[0].hostname, claims[0].visibility), ()))


def _agree(claims: Sequence[Claim], context: Context) -> bool:
    """Say whether all claims lead to the same records: by what they want, or else by what the zone makes of it."""
    first = claims[0]
    if all(claim.wants_the_same(first) for claim in claims[1:]):
        return True
    try:
        zones = {zone_key(choose_zone(one.hostname, context.zones, one.visibility, one.served_by)) for one in claims}
        zone = choose_zone(first.hostname, context.zones, first.visibility, first.served_by)
        return len(zones) == 1 and len({_rrsets(claim, zone, context.allowed(first.hostname)) for claim in claims}) == 1
    except Refused:
        return False


def _joined(claims: Sequence[Claim]) -> Claim:
    """Return the first claim, as sure as the surest of all that want the same."""
    first = claims[0]
    if len(claims) == 1:
        return first
    return replace(
        first,
        hold=first.hold if all(claim.hold for claim in claims) else None,
        conditional=all(claim.conditional for claim in claims),
    )


def _decide_one(claim: Claim, before: Published | None, context: Context) -> Decision:
    try:
        decision, excepted = with_exceptions(context.allowed(claim.hostname), partial(_checked, claim, before, context))
    except Refused as refused:
        # What the hub has refused is never held, whatever else is wrong with it.
        return _refuse(claim, claim.doubt or refused.refusal, before, context)
    if excepted:
        decision = replace(decision, excepted=excepted)
    # A name that the hub refused before is declared if the hub confirms it after all, but promised to nobody.
    return without_record(decision, claim.doubt) if claim.doubt else decision


def _checked(claim: Claim, before: Published | None, context: Context, waived: Collection[str]) -> Decision:
    """Ask every rule but the waived ones; raises Refused with the first that hits."""
    zone = choose_zone(claim.hostname, context.zones, claim.visibility, claim.served_by)
    _check_account(claim, zone, context)
    if not claim.wildcards and "wildcard-opt-in" not in waived:
        check_wildcard(claim.hostname, zone)
    _check_delegation(claim.hostname, zone, context)
    rrsets = _rrsets(claim, zone, waived)
    if zone.allowed_record_sets is not None and "record-not-allowed-by-zone" not in waived:
        _check_permission(claim, rrsets, zone, context)
    warnings = check_public(rrsets, zone, context.zones, waived, context.internal_targets)
    records, hold = _assign(claim, zone, rrsets, context, waived)
    claimed = _check_ownership(claim, records, zone, context, waived)
    return Decision(
        hostname=claim.hostname,
        visibility=claim.visibility,
        source=claim.source,
        state="held" if hold else "published",
        refusal=hold,
        zone=zone,
        targets=claim.targets,
        records=records,
        conditional=claim.conditional,
        published_before=before is not None,
        notes=(*(f"{warning.rule}: {warning.reason}" for warning in warnings), *claimed.notes),
        imports=claimed.imports,
        warnings=claimed.warnings,
    )


def with_drift(decision: Decision, context: Context) -> Decision:
    """Return the decision with what changed outside in the records that the state holds of its hostname."""
    if context.live is None or decision.zone is None:
        return decision
    key = slot_key(zone_key(decision.zone), decision.hostname)
    slots = context.slots.get(key, {}).items()
    # Of what is the others' its refusal tells.
    apart = {slot for record in decision.records if record.slot in decision.untouched for slot in _slots_of(record)}
    apart |= decision.imports.keys()
    known = {slot: rrset for slot, rrset in slots if slot not in apart and not is_released(slot)}
    place = context.places.key(decision.source, decision.zone)
    held_by = decision.refusal.rule if decision.refusal else None
    drift = (
        object_drift(place, known, decision.records, context.live)
        if place
        else find_drift(known, decision.records, decision.zone, context.live, held_by)
    )
    return replace(decision, drift=drift) if drift else decision


def _slots_of(record: SlotRecord) -> tuple[str, ...]:
    return (record.slot, record.former) if record.former else (record.slot,)


def with_spelling(decision: Decision, context: Context) -> Decision:
    """Return the decision with its records spelt as at the provider, so that nothing is updated that says the same."""
    if decision.zone is None or decision.zone.provider != "route53":
        return decision
    known = context.slots.get(slot_key(zone_key(decision.zone), decision.hostname), {})
    live_zone = context.live.zones.get(zone_key(decision.zone)) if context.live else None
    live = {one.import_id: one for one in live_zone.at(decision.hostname)} if live_zone else {}
    spelt = {}
    for record in decision.records:
        if imported := live.get(decision.imports.get(record.slot, "")):
            spelt[record.slot] = spelt_as(record.rrset, imported.spelt, imported.alias)
        elif rrset := known.get(record.former or record.slot):
            spelt[record.slot] = spelt_as(record.rrset, rrset.values, rrset.alias)
    return replace(decision, spelt=spelt) if spelt else decision


def _check_account(claim: Claim, zone: Zone, context: Context) -> None:
    """Raise Refused (`tunnel-zone`) where a record would lead to no tunnel: they are reached within an account only."""
    if claim.account is None:
        return
    if zone.provider != "cloudflare":
        reason = f"{claim.source} is reached from Cloudflare zones only, and {zone.domain} is at {zone.provider}"
        refuse("tunnel-zone", reason)
    live = context.live.zones.get(zone_key(zone)) if context.live else None
    if live and live.account != claim.account:
        reason = (
            f"{claim.source} is of account {claim.account}, and zone {zone.domain} of {live.account or 'another one'}"
        )
        refuse("tunnel-zone", reason)


def _check_ownership(
    claim: Claim,
    records: Sequence[SlotRecord],
    zone: Zone,
    context: Context,
    waived: Collection[str],
) -> Claimed:
    live = context.live
    if live is None:
        return Claimed()
    key = context.places.key(claim.source, zone)
    if key is None:
        return check_ownership(records, zone, live, context.adopt, waived)
    found = live.endpoints.get(key.cluster)
    if found is None:
        return Claimed()
    check_place(key, found, context.namespace_labels.get(key.cluster))
    announced = live.announced is None or plain_slot(records[0].slot) in live.announced
    imports = check_owner(key, found, own=key.id in live.objects, owner=live.owner, announced=announced)
    before = published_before(claim.hostname, claim.visibility, context)
    if before is None and claim.hostname not in context.acknowledged:
        check_readers(claim.source, zone, key, found, context.places)
    return Claimed(imports=imports)


def _check_delegation(hostname: str, zone: Zone, context: Context) -> None:
    live = context.live.zones.get(zone_key(zone)) if context.live else None
    if live:
        check_delegation(hostname, zone, live.delegations)


def _rrsets(claim: Claim, zone: Zone, waived: Collection[str]) -> tuple[RRset, ...]:
    options = ConversionOptions(
        prefer_cname=claim.prefer_cname,
        ttl=claim.ttl,
        any_ttl="ttl-range" in waived,
        is_tunnel=claim.at_edge,
        proxied=claim.account is not None or (zone.proxied and not claim.at_edge),
    )
    return convert(claim.hostname, claim.targets, zone, options)


def _check_permission(claim: Claim, rrsets: Sequence[RRset], zone: Zone, context: Context) -> None:
    labels = context.namespace_labels.get(claim.source.cluster, {})
    namespaces = {name: labels.get(name) for name in claim.namespaces}
    relative = relative_name(claim.hostname, zone.domain)
    of_cluster = claim.source.cluster is not None
    check_permission(relative, [rrset.type for rrset in rrsets], zone, namespaces, of_cluster=of_cluster)


def _assign(
    claim: Claim, zone: Zone, rrsets: Sequence[RRset], context: Context, waived: Collection[str]
) -> tuple[tuple[SlotRecord, ...], Refusal | None]:
    """Return the record resources, and why they are not the wanted ones yet."""
    key = slot_key(zone_key(zone), claim.hostname)
    acknowledged = claim.hostname in context.acknowledged
    slots = context.slots.get(key, {})
    remembered = {managed_slot(slot): rrset for slot, rrset in slots.items()}
    records = assign(key, rrsets, remembered, provider=zone.provider, acknowledged=acknowledged)
    if {record.rrset.type for record in records} <= {rrset.type for rrset in rrsets}:
        return take_back(records, slots), claim.hold
    check_public((record.rrset for record in records), zone, context.zones, waived, context.internal_targets)
    reason = "acknowledged: one of its records is kept in this run, the next run switches to the CNAME"
    return take_back(records, slots), Refusal(rule="type-transition", reason=reason, on_purpose=True)


def _refuse(claim: Claim, refusal: Refusal, before: Published | None, context: Context) -> Decision:
    wanted = Decision(
        hostname=claim.hostname,
        visibility=claim.visibility,
        source=claim.source,
        state="published",
        targets=claim.targets,
        conditional=claim.conditional,
    )
    return _fall_back(wanted, refusal, before, context)


def _fall_back(decision: Decision, refusal: Refusal, before: Published | None, context: Context) -> Decision:
    """What is published already is held under the rules of `HELD`, withdrawn under all others.

    It is withdrawn too when today's zones forbid the last values; then `refusal` becomes a note.
    """
    held = before is not None and before.zone is not None and refusal.rule in HELD
    forbidden, excepted = _why_not_public(before, context) if before and held else (None, ())
    held = held and forbidden is None
    return replace(
        decision,
        state="held" if held else "withdrawn" if before else "refused",
        refusal=forbidden or refusal,
        zone=before.zone if before else None,
        records=before.records if before and held else (),
        conditional=decision.conditional and held,
        published_before=before is not None,
        notes=(f"{refusal.rule}: {refusal.reason}",) if forbidden else (),
        imports={},
        warnings=(),
        excepted=excepted,
    )


def _why_not_public(before: Published, context: Context) -> tuple[Refusal | None, tuple[RuleException, ...]]:
    """Return why the last values of a name must not stand in its zone as the settings are today.

    Where they may stand, the exceptions that this takes.
    """
    rrsets = [record.rrset for record in before.records]

    def check(waived: Collection[str]) -> None:
        if before.zone:
            check_public(rrsets, before.zone, context.zones, waived, context.internal_targets)

    try:
        return None, with_exceptions(context.allowed(before.hostname), check)[1]
    except Refused as refused:
        return refused.refusal, ()
