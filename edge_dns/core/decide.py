"""One hostname's decision: claim, zone, permission, target, conversion and address checks in their fixed order.

The first check that hits decides. What was published before is held or withdrawn: a rule of `HELD` keeps the last
values; after every other refusal the record is not declared, so the engine deletes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.conversion import ConversionOptions, check_public, convert
from edge_dns.core.names import relative_name
from edge_dns.core.permission import check_permission
from edge_dns.core.rules import Level, Refusal, Refused
from edge_dns.core.settings import Zone
from edge_dns.core.slots import assign, slot_key
from edge_dns.core.values import RRset, SlotRecord, Source, Target, Visibility
from edge_dns.core.zones import ZoneIndex, check_wildcard, choose_zone, zone_key

State = Literal["published", "held", "withdrawn", "refused"]

HELD = frozenset(
    {
        "host-claimed-twice",
        "zone-ambiguous",
        "record-not-allowed-by-zone",
        "target-mixed-kinds",
        "target-syntax",
        "target-not-ip",
        "value-ip-syntax",
        "alias-unknown",
        "cname-single",
        "cname-apex",
        "cname-self",
        "cname-loop",
        "ttl-range",
        "proxied-ttl",
        "consumer-capability",
        "type-transition",
    }
)
"""Rules that keep the last values of a name that is published already."""

_SEVERITY = {Level.STOP: 0, Level.ERROR: 1, Level.WAIT: 2, Level.WARNING: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A hostname as it was declared last: by which source, in which zone, as which record resources."""

    hostname: str
    source: Source
    zone_key: str
    records: tuple[SlotRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What happens to one hostname of one visibility.

    `records` are the resources to declare. With `conditional` they are declared only once the hub confirms the name;
    where the hub has refused it before, the state is `refused` all the same, so that nothing is promised.
    """

    hostname: str
    visibility: Visibility
    source: Source
    state: State
    refusal: Refusal | None = None
    zone: Zone | None = None
    targets: tuple[Target, ...] = ()
    records: tuple[SlotRecord, ...] = ()
    conditional: bool = False
    notes: tuple[str, ...] = ()

    @property
    def promised(self) -> tuple[SlotRecord, ...]:
        """The records that this run is expected to leave at the provider."""
        return self.records if self.state in ("published", "held") else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every decision needs.

    `published` lists by hostname what the last run declared, `slots` by plain slot what every slot holds,
    `namespace_labels` by cluster and namespace, `internal` the hostnames that must never be published.
    """

    zones: ZoneIndex
    published: Mapping[str, Sequence[Published]]
    slots: Mapping[str, Mapping[str, RRset]]
    namespace_labels: Mapping[str | None, Mapping[str, Mapping[str, str]]]
    internal: frozenset[str]
    acknowledged: frozenset[str]


def decide_claims(claims: Sequence[Claim], context: Context) -> Decision:
    """Decide one hostname from all claims on it of one visibility, sorted by source; at least one claim."""
    first = claims[0]
    before = _before(first.hostname, first.visibility, context)
    if first.hostname in context.internal:
        reason = "a route with this hostname opts out of publishing by its controller annotation"
        return _refuse(first, Refusal(rule="exposure-internal", reason=reason), before, context)
    claim = _agreed(claims, before)
    if claim is None:
        names = ", ".join(str(claim.source) for claim in claims)
        owner = next((one for one in claims if before and one.source == before.source), first)
        refusal = Refusal(rule="host-claimed-twice", reason=f"claimed with different records by {names}")
        return _refuse(owner, refusal, before, context)
    decision = _decide_one(claim, before, context)
    others = tuple(f"also declared by {other.source}" for other in claims if other is not claim)
    return replace(decision, notes=(*decision.notes, *others))


def decide_rejections(rejections: Sequence[Rejection], context: Context) -> Decision:
    """Decide a hostname that no source claims, from what its sources say; the most severe rule speaks for all."""
    told = min(rejections, key=lambda one: (_SEVERITY[one.refusal.level], one.source.sort_key))
    before = _before(told.hostname, told.visibility, context)
    return Decision(
        hostname=told.hostname,
        visibility=told.visibility,
        source=told.source,
        state="withdrawn" if before else "refused",
        refusal=told.refusal,
        zone=context.zones.by_key(before.zone_key) if before else None,
    )


def _before(hostname: str, visibility: Visibility, context: Context) -> Published | None:
    """Return what is published of a hostname in a zone of this visibility that is still in the settings."""
    for published in context.published.get(hostname, ()):
        zone = context.zones.by_key(published.zone_key)
        if zone is not None and zone.visibility == visibility:
            return published
    return None


def _agreed(claims: Sequence[Claim], before: Published | None) -> Claim | None:
    """Return the claim that speaks for all, None when they want different records.

    A name that the hub has not confirmed never competes with one that stands on its own.
    """
    sure = [claim for claim in claims if claim.doubt is None] or claims
    if any(not claim.wants_the_same(sure[0]) for claim in sure):
        return None
    direct = [claim for claim in sure if not claim.conditional] or sure
    return next((claim for claim in direct if before and claim.source == before.source), direct[0])


def _decide_one(claim: Claim, before: Published | None, context: Context) -> Decision:
    try:
        zone = choose_zone(claim.hostname, context.zones, claim.visibility)
        if not claim.wildcards:
            check_wildcard(claim.hostname, zone)
        rrsets, notes = _convert(claim, zone, context)
        records = _assign(claim, zone, rrsets, context)
    except Refused as refused:
        return _refuse(claim, refused.refusal, before, context)
    decision = Decision(
        hostname=claim.hostname,
        visibility=claim.visibility,
        source=claim.source,
        state="held" if claim.hold else "published",
        refusal=claim.hold,
        zone=zone,
        targets=claim.targets,
        records=records,
        conditional=claim.conditional,
        notes=notes,
    )
    return _doubted(decision, claim.doubt, before) if claim.doubt else decision


def _doubted(decision: Decision, doubt: Refusal, before: Published | None) -> Decision:
    """A name that the hub refused before: declared if the hub confirms it after all, promised to nobody."""
    return replace(decision, state="withdrawn" if before else "refused", refusal=doubt)


def _convert(claim: Claim, zone: Zone, context: Context) -> tuple[tuple[RRset, ...], tuple[str, ...]]:
    is_tunnel = claim.source.kind != "Gateway"
    options = ConversionOptions(
        prefer_cname=claim.prefer_cname, ttl=claim.ttl, is_tunnel=is_tunnel, proxied=zone.proxied and not is_tunnel
    )
    rrsets = convert(claim.hostname, claim.targets, zone, options)
    check_permission(
        relative_name(claim.hostname, zone.domain),
        [rrset.type for rrset in rrsets],
        zone,
        {name: _labels(name, claim.source, context) for name in claim.namespaces},
    )
    warnings = check_public(rrsets, zone, context.zones)
    return rrsets, tuple(f"{warning.rule}: {warning.reason}" for warning in warnings)


def _labels(namespace: str, source: Source, context: Context) -> Mapping[str, str] | None:
    """Return the labels of a namespace, None where they were not read; a tunnel's namespace has none."""
    if source.cluster is None:
        return {}
    return context.namespace_labels.get(source.cluster, {}).get(namespace)


def _assign(claim: Claim, zone: Zone, rrsets: Sequence[RRset], context: Context) -> tuple[SlotRecord, ...]:
    key = slot_key(zone_key(zone), claim.hostname)
    acknowledged = claim.hostname in context.acknowledged
    return assign(key, rrsets, context.slots.get(key, {}), provider=zone.provider, acknowledged=acknowledged)


def _refuse(claim: Claim, refusal: Refusal, before: Published | None, context: Context) -> Decision:
    """Refuse a claim: what is published already is held under the rules of `HELD`, withdrawn under all others."""
    zone = context.zones.by_key(before.zone_key) if before else None
    held = before is not None and refusal.rule in HELD
    return Decision(
        hostname=claim.hostname,
        visibility=claim.visibility,
        source=claim.source,
        state="held" if held else "withdrawn" if before else "refused",
        refusal=refusal,
        zone=zone,
        targets=claim.targets,
        records=before.records if before and held else (),
        # A record that stands already is not taken down for the sake of a confirmation.
        conditional=False,
    )
