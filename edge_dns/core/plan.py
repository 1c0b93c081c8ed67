"""The plan: from settings, observations and memory to one value that says everything; sorted and deterministic."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_dns.core.admission import Admission, GatewaySet, admit, gateway_set_name
from edge_dns.core.claims import Claim, Rejection, by_hostname
from edge_dns.core.conversion import check_together
from edge_dns.core.decide import Context, Decision, Published, decide_claims, decide_rejections, revert
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.guard import Listing, Stop, check_guard, hub_account
from edge_dns.core.hub_view import HubView
from edge_dns.core.memory import InviteMemory, Memory, SetMemory
from edge_dns.core.receipts import GatewayMemory
from edge_dns.core.rules import Level, Refusal
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.slots import plain_slot
from edge_dns.core.sources import gateway_claims
from edge_dns.core.tunnels import TunnelPlan, fixed_on_hub, invites_without_proof, plan_tunnel, tunnel_key
from edge_dns.core.values import RRset, SlotRecord, Source, Target, Visibility
from edge_dns.core.zones import ZoneIndex, zone_key

Key = tuple[str, Visibility]
"""What is decided once: a hostname in the zones of one visibility."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was read outside: the state of each cluster by its name, and the hub (None: not observed, all predicted)."""

    clusters: Mapping[str, GatewayState] = field(default_factory=dict)
    hub: HubView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSet:
    """One endpoint record set: `id` is its Pulumi name, `name` its deterministic name inside the cluster.

    `hostnames`, `targets` and `retained` are what admission gives. Of the record resources by hostname, `records` are
    declared directly and `conditional` ones once the hub confirms the hostname. `memory` holds both.
    """

    id: str
    name: str
    source: Source
    visibility: Visibility
    hostnames: tuple[str, ...]
    targets: tuple[Target, ...]
    retained: tuple[str, ...]
    records: Mapping[str, tuple[SlotRecord, ...]]
    conditional: Mapping[str, tuple[SlotRecord, ...]]
    memory: SetMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that one run wants, sorted. `stops` end the run before anything is registered."""

    sets: tuple[PlannedSet, ...]
    tunnels: tuple[TunnelPlan, ...]
    decisions: tuple[Decision, ...]
    stops: tuple[Stop, ...]
    memory: Memory

    @property
    def failures(self) -> tuple[Decision, ...]:
        """The decisions under a rule of level error: they make the run unsuccessful, at its end."""
        return tuple(one for one in self.decisions if one.refusal and one.refusal.level is Level.ERROR)


def make_plan(settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool = False) -> Plan:
    """Return the plan of one run.

    `adopt_by_name` (offline only) finds invites that memory does not know by their name. Raises ObservationFailed when
    the input does not suffice to decide.
    """
    zones = ZoneIndex.of(settings.zones)
    tunnels = _plan_tunnels(settings, observed, memory, adopt_by_name=adopt_by_name)
    admissions = {cluster.name: _admit(cluster, observed, memory) for cluster in settings.clusters}
    claims, rejections = _claims(settings, admissions, tunnels)
    context = _context(settings, observed, memory, zones, admissions)
    decisions = _decide(claims, rejections, context)
    _raise_unreadable(decisions)
    sets = _planned_sets(settings, admissions, tunnels, decisions)
    stops = (
        *_account_stops(settings, observed, memory),
        *_guard_stops(settings, memory, admissions, decisions),
    )
    next_memory = memory if stops else _next_memory(sets, decisions, tunnels, memory)
    return Plan(sets=sets, tunnels=tunnels, decisions=decisions, stops=stops, memory=next_memory)


def _plan_tunnels(
    settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool
) -> tuple[TunnelPlan, ...]:
    ordered = sorted(settings.tunnels, key=tunnel_key)
    return tuple(
        plan_tunnel(
            tunnel,
            settings=settings,
            view=observed.hub,
            memory=memory.invites.get(tunnel_key(tunnel)),
            adopt_by_name=adopt_by_name,
        )
        for tunnel in ordered
        if tunnel.kind == "towonel"
    )


def _admit(cluster: Cluster, observed: Observed, memory: Memory) -> Admission:
    remembered = {
        gateway_set_name(one.source.namespace, one.source.name): GatewayMemory(
            receipts=one.receipts, targets=one.targets, hostnames=frozenset(one.published)
        )
        for one in memory.sets.values()
        if one.source.kind == "Gateway" and one.source.cluster == cluster.name
    }
    return admit(cluster, observed.clusters[cluster.name], remembered)


def _claims(
    settings: Settings, admissions: Mapping[str, Admission], tunnels: Sequence[TunnelPlan]
) -> tuple[list[Claim], list[Rejection]]:
    claims = [claim for tunnel in tunnels for claim in tunnel.claims]
    rejections = [rejection for tunnel in tunnels for rejection in tunnel.rejections]
    for cluster in settings.clusters:
        more_claims, more_rejections = gateway_claims(cluster, admissions[cluster.name])
        claims += more_claims
        rejections += more_rejections
    return claims, rejections


def _context(
    settings: Settings,
    observed: Observed,
    memory: Memory,
    zones: ZoneIndex,
    admissions: Mapping[str, Admission],
) -> Context:
    acknowledge = settings.safety.acknowledge
    return Context(
        zones=zones,
        published=_published(settings, memory, zones),
        slots=_slots_by_name(memory),
        namespace_labels={name: state.namespaces for name, state in observed.clusters.items()},
        internal=frozenset().union(*(one.internal for admission in admissions.values() for one in admission.sets)),
        acknowledged=frozenset(acknowledge.names or ()) if acknowledge else frozenset(),
    )


def _published(settings: Settings, memory: Memory, zones: ZoneIndex) -> Mapping[str, Sequence[Published]]:
    """Return by hostname what the last run published; the visibility is that of its zone, or else of its source."""
    published: dict[str, list[Published]] = defaultdict(list)
    for _, one in sorted(memory.sets.items()):
        visibility = _visibility(one.source, settings)
        for hostname, records in one.published.items():
            zone = zones.by_key(records[0].rrset.zone_id)
            published[hostname].append(
                Published(
                    hostname=hostname,
                    visibility=zone.visibility if zone else visibility,
                    source=one.source,
                    zone=zone,
                    records=tuple(records),
                )
            )
    return published


def _visibility(source: Source, settings: Settings) -> Visibility:
    """Return the visibility of a source, public when it left the settings."""
    if source.cluster is not None:
        found = [cluster.visibility for cluster in settings.clusters if cluster.name == source.cluster]
    else:
        key = f"{source.namespace}/{source.name}"
        found = [tunnel.visibility for tunnel in settings.tunnels if tunnel_key(tunnel) == key]
    return found[0] if found else "public"


def _slots_by_name(memory: Memory) -> Mapping[str, Mapping[str, RRset]]:
    """Group what every slot holds by plain slot; a resource that exists counts more than what a set remembers."""
    slots = {
        record.slot: record.rrset
        for one in memory.sets.values()
        for records in one.published.values()
        for record in records
    }
    grouped: dict[str, dict[str, RRset]] = defaultdict(dict)
    for slot, rrset in {**slots, **memory.slots}.items():
        grouped[plain_slot(slot)][slot] = rrset
    return grouped


def _decide(claims: Iterable[Claim], rejections: Iterable[Rejection], context: Context) -> tuple[Decision, ...]:
    decided = {key: decide_claims(group, context) for key, group in by_hostname(claims).items()}
    decided = _without_clashes(decided, context)
    for key, group in by_hostname(rejections).items():
        decided[key] = _with_notes(decided[key], group) if key in decided else decide_rejections(group, context)
    for published in (one for group in context.published.values() for one in group):
        decided.setdefault((published.hostname, published.visibility), _not_declared(published))
    return tuple(sorted(decided.values(), key=lambda one: (one.hostname, one.visibility)))


def _with_notes(decision: Decision, rejections: Sequence[Rejection]) -> Decision:
    """Add what other sources say of a name that one source claims."""
    notes = tuple(f"{one.source}: {one.refusal.rule}: {one.refusal.reason}" for one in rejections)
    return replace(decision, notes=(*decision.notes, *notes))


def _without_clashes(decided: dict[Key, Decision], context: Context) -> dict[Key, Decision]:
    """Refuse names whose records clash, such as CNAMEs in a circle; what is held instead may clash again."""
    while True:
        clashes = check_together(record.rrset for one in decided.values() for record in _one_per_type(one))
        reverted = {
            key: revert(decision, clash, context)
            for key, decision in decided.items()
            if (clash := _clash(decision, clashes)) and decision.refusal != clash
        }
        if not reverted:
            return decided
        decided = {**decided, **reverted}


def _clash(decision: Decision, clashes: Mapping[tuple[str, str], Refusal]) -> Refusal | None:
    zone = decision.zone if decision.promised else None
    return clashes.get((zone_key(zone), decision.hostname)) if zone else None


def _one_per_type(decision: Decision) -> tuple[SlotRecord, ...]:
    """Return one record per type: several values of one RRset in slots of their own are no duplicates."""
    return tuple({record.rrset.type: record for record in decision.promised}.values())


def _not_declared(published: Published) -> Decision:
    return Decision(
        hostname=published.hostname,
        visibility=published.visibility,
        source=published.source,
        state="withdrawn",
        refusal=Refusal(rule="not-declared", reason=f"{published.source} no longer declares it"),
        zone=published.zone,
        published_before=True,
    )


def _raise_unreadable(decisions: Iterable[Decision]) -> None:
    """A check of one name that lacks an observation stops the whole run."""
    for decision in decisions:
        if decision.refusal and decision.refusal.level is Level.STOP:
            raise ObservationFailed(f"{decision.hostname}: {decision.refusal.reason}", rule=decision.refusal.rule)


def _planned_sets(
    settings: Settings,
    admissions: Mapping[str, Admission],
    tunnels: Iterable[TunnelPlan],
    decisions: Iterable[Decision],
) -> tuple[PlannedSet, ...]:
    by_source: dict[Source, list[Decision]] = defaultdict(list)
    for decision in decisions:
        by_source[decision.source].append(decision)
    sets = [
        _gateway_set(cluster, gateway, by_source.get(gateway.source, ()))
        for cluster in settings.clusters
        for gateway in admissions[cluster.name].sets
    ]
    sets += [_tunnel_set(tunnel, by_source.get(tunnel.source, ())) for tunnel in tunnels]
    return tuple(sorted(sets, key=lambda one: one.id))


def _gateway_set(cluster: Cluster, gateway: GatewaySet, decisions: Iterable[Decision]) -> PlannedSet:
    return _planned_set(
        set_id=f"{cluster.name}/{gateway.name}",
        name=gateway.name,
        visibility=cluster.visibility,
        hostnames=gateway.hostnames if gateway.exists else (),
        retained=tuple(name.hostname for name in gateway.admitted if name.hold),
        memory=SetMemory(source=gateway.source, targets=gateway.targets, receipts=gateway.receipts),
        decisions=decisions,
    )


def _tunnel_set(plan: TunnelPlan, decisions: Iterable[Decision]) -> PlannedSet:
    name = f"towonel.{plan.source.namespace}.{plan.source.name}"
    return _planned_set(
        set_id=name,
        name=name,
        visibility=plan.tunnel.visibility,
        hostnames=tuple(claim.hostname for claim in plan.claims if claim.doubt is None),
        retained=(),
        memory=SetMemory(source=plan.source, targets=(plan.target,) if plan.claims and plan.target else ()),
        decisions=decisions,
    )


def _planned_set(
    *,
    set_id: str,
    name: str,
    visibility: Visibility,
    hostnames: tuple[str, ...],
    retained: tuple[str, ...],
    memory: SetMemory,
    decisions: Iterable[Decision],
) -> PlannedSet:
    with_records = [decision for decision in decisions if decision.records]
    return PlannedSet(
        id=set_id,
        name=name,
        source=memory.source,
        visibility=visibility,
        hostnames=hostnames,
        targets=memory.targets if hostnames else (),
        retained=retained,
        records={one.hostname: one.records for one in with_records if not one.conditional},
        conditional={one.hostname: one.records for one in with_records if one.conditional},
        memory=replace(memory, published={one.hostname: _settled(one.records) for one in with_records}),
    )


def _settled(records: Iterable[SlotRecord]) -> tuple[SlotRecord, ...]:
    """Return the records as the next run finds them: a rename has been done by then."""
    return tuple(replace(record, former=None) if record.former else record for record in records)


def _next_memory(
    sets: Iterable[PlannedSet], decisions: Iterable[Decision], tunnels: Iterable[TunnelPlan], memory: Memory
) -> Memory:
    """Return the memory after this run where no engine tells what really exists: predictions are taken for done."""
    promised = {(one.source, one.hostname) for one in decisions if one.promised}
    remembered = {
        one.id: replace(
            one.memory,
            published={
                hostname: records
                for hostname, records in one.memory.published.items()
                if (one.source, hostname) in promised
            },
        )
        for one in sets
    }
    return Memory(
        sets={set_id: one for set_id, one in remembered.items() if one.published or one.receipts},
        invites={tunnel_key(plan.tunnel): _invite_memory(plan, memory) for plan in tunnels if plan.invite_id},
    )


def _invite_memory(plan: TunnelPlan, memory: Memory) -> InviteMemory:
    """Return what is remembered of an invite. That another invite holds a name is seen anew each time."""
    known = memory.invites.get(tunnel_key(plan.tunnel))
    doubted = {claim.hostname for claim in plan.claims if claim.doubt}
    return InviteMemory(
        invite_id=plan.invite_id or "",
        generation=plan.tunnel.generation,
        fixed=fixed_on_hub(plan.tunnel),
        refused=tuple(sorted(doubted & set(known.refused))) if known else (),
    )


def _account_stops(settings: Settings, observed: Observed, memory: Memory) -> tuple[Stop, ...]:
    invites = invites_without_proof(settings.tunnels, observed.hub, memory.invites)
    hostnames = {
        hostname
        for one in memory.sets.values()
        if one.source.kind == "TowonelTunnel" and f"{one.source.namespace}/{one.source.name}" in invites
        for hostname in one.published
    }
    return hub_account(invites, hostnames, settings.safety.acknowledge)


def _guard_stops(
    settings: Settings, memory: Memory, admissions: Mapping[str, Admission], decisions: Iterable[Decision]
) -> tuple[Stop, ...]:
    published: dict[str | None, set[str]] = defaultdict(set)
    for one in memory.sets.values():
        published[one.source.cluster].update(one.published)
    return check_guard(
        settings,
        before=[
            record.rrset for one in memory.sets.values() for records in one.published.values() for record in records
        ],
        after=[record.rrset for decision in decisions for record in decision.promised],
        clusters={name: Listing(gateways=one.gateways, routes=one.routes) for name, one in admissions.items()},
        published_by_cluster=published,
    )
