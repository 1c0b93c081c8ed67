"""The plan: from settings, observations and memory to one value that says everything; sorted and deterministic."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from edge_dns.core.admission import Admission, admit
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.decide import Context, Decision
from edge_dns.core.decisions import decide_all
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.guard import Listing, Stop, check_guard, hub_account
from edge_dns.core.hub_view import HubView
from edge_dns.core.live import Live
from edge_dns.core.memory import Memory
from edge_dns.core.recall import gateway_memory, published_by_hostname, slots_by_name
from edge_dns.core.record_sets import PlannedSet, next_memory, planned_sets
from edge_dns.core.renames import with_present_names
from edge_dns.core.rules import Level
from edge_dns.core.settings import Cluster, Settings, gateway_edge_targets
from edge_dns.core.sources import gateway_claims
from edge_dns.core.tunnels import TunnelPlan, invites_without_proof, plan_moves, plan_tunnel, tunnel_key
from edge_dns.core.zones import ZoneIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was read outside: the state of each cluster by its name, the hub and the live zones.

    Without the hub all of it is predicted; without live zones nobody else is taken to hold a name.
    """

    clusters: Mapping[str, GatewayState] = field(default_factory=dict)
    hub: HubView | None = None
    live: Live | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the decisions were made from."""

    claims: Sequence[Claim]
    rejections: Sequence[Rejection]
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that one run wants, sorted. `stops` end the run before anything is registered."""

    sets: tuple[PlannedSet, ...]
    tunnels: tuple[TunnelPlan, ...]
    decisions: tuple[Decision, ...]
    stops: tuple[Stop, ...]
    memory: Memory
    basis: Basis

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
    given, memory = memory, with_present_names(memory, settings.tunnels, observed.clusters)
    tunnels = _plan_tunnels(settings, observed, memory, adopt_by_name=adopt_by_name)
    admissions = {cluster.name: _admit(cluster, settings, observed, memory) for cluster in settings.clusters}
    claims, rejections = _claims(settings, admissions, tunnels)
    context = _context(settings, observed, memory, zones, admissions)
    decisions = decide_all(claims, rejections, context)
    sets = planned_sets(settings, admissions, tunnels, decisions)
    stops = (
        *_account_stops(settings, observed, memory),
        *_guard_stops(settings, memory, admissions, decisions),
    )
    remembered = given if stops else next_memory(sets, decisions, tunnels, memory)
    basis = Basis(claims=claims, rejections=rejections, context=context)
    return Plan(sets=sets, tunnels=tunnels, decisions=decisions, stops=stops, memory=remembered, basis=basis)


def _plan_tunnels(
    settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool
) -> tuple[TunnelPlan, ...]:
    ordered = sorted(settings.tunnels, key=tunnel_key)
    plans = [
        plan_tunnel(
            tunnel,
            settings=settings,
            view=observed.hub,
            memory=memory.invites.get(tunnel_key(tunnel)),
            adopt_by_name=adopt_by_name,
        )
        for tunnel in ordered
        if tunnel.kind == "towonel"
    ]
    return plan_moves(plans)


def _admit(cluster: Cluster, settings: Settings, observed: Observed, memory: Memory) -> Admission:
    return admit(
        cluster,
        observed.clusters[cluster.name],
        gateway_memory(memory, cluster.name),
        gateway_edge_targets(cluster, settings),
    )


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
        published=published_by_hostname(settings, memory, zones),
        slots=slots_by_name(memory),
        namespace_labels={name: state.namespaces for name, state in observed.clusters.items()},
        internal=frozenset().union(*(one.internal for admission in admissions.values() for one in admission.sets)),
        acknowledged=frozenset(acknowledge.names or ()) if acknowledge else frozenset(),
        live=observed.live,
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
