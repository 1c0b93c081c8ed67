"""The plan: from settings, observations and memory to one value that says everything; sorted and deterministic."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from edge_dns.core.absence import tell_absence
from edge_dns.core.admission import Admission, admit
from edge_dns.core.agent_clusters import agent_ids, rehoused_agents
from edge_dns.core.authority import Answers
from edge_dns.core.causes import Causes
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan, leaving_notices, plan_cloudflare_tunnel
from edge_dns.core.cloudflare_view import AccountTunnels
from edge_dns.core.cluster_plan import ClusterPlan, plan_clusters
from edge_dns.core.decide_all import decide_all
from edge_dns.core.decision import Context, Decision
from edge_dns.core.elsewhere import elsewhere_notices, moved_away
from edge_dns.core.endpoint_checks import taken_objects
from edge_dns.core.endpoint_places import Places
from edge_dns.core.exceptions import exception_notices, in_force
from edge_dns.core.foreign_markers import owners_to_remember
from edge_dns.core.gateway_claims import gateway_claims
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.guard import (
    Finding,
    Listing,
    Stop,
    Verdict,
    agent_identity,
    below_minimum,
    dnsendpoint_identity,
    empty_desired,
    host_transition,
    hub_account,
    judge,
    over_limits,
    route_identity,
    zone_moved,
)
from edge_dns.core.hub_view import HubView
from edge_dns.core.idle_clusters import idle_cluster_notices
from edge_dns.core.invite_notices import invite_notices, without_hostnames
from edge_dns.core.live import Live
from edge_dns.core.lost_objects import lost_objects, unknown_objects
from edge_dns.core.memory import Memory, RegisterMemory
from edge_dns.core.moves import Leaving, Transition, leaving_invites, plan_moves
from edge_dns.core.notices import Notice
from edge_dns.core.publisher_notices import PublisherReport, internal_name_notices, report_publishers
from edge_dns.core.publishers import Publishers, next_register, publishers_of
from edge_dns.core.recall import gateway_memory, published_by_hostname, slots_by_name
from edge_dns.core.record_sets import PlannedSet, next_memory, planned_sets
from edge_dns.core.release import idle_entries, without_released
from edge_dns.core.renames import with_present_names
from edge_dns.core.rules import Level, Refusal
from edge_dns.core.selection import selects_gateway, selects_route
from edge_dns.core.service_claims import declared_places, shared_notices
from edge_dns.core.service_names import InternalNames
from edge_dns.core.service_rejections import service_rejections
from edge_dns.core.service_routes import rebound_hostnames
from edge_dns.core.services import PlannedMark, PlannedRoute, ServicePlan, internal_names, planned_marks
from edge_dns.core.settings import Cluster, RuleException, Settings, gateway_edge_targets
from edge_dns.core.tunnel_internals import internal_hostnames_of_tunnels
from edge_dns.core.tunnels import (
    InternalHostnames,
    TunnelPlan,
    invites_without_proof,
    plan_tunnel,
    tunnel_key,
    tunnel_source,
)
from edge_dns.core.turned_internal import baseline_notice, with_blast_radius
from edge_dns.core.values import RRset, Source
from edge_dns.core.wildcard_notices import wildcard_notices
from edge_dns.core.zone_changes import ZoneChanges, zone_changes
from edge_dns.core.zones import ZoneIndex

_UNUSED = Notice(
    rule=None,
    path="edge-dns:safety.acknowledge",
    message=(
        "edge-dns:safety.acknowledge is set, and this run needs none: take it out, or it may let a later change "
        "through (pulumi config rm --path edge-dns:safety.acknowledge)"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was read outside: the state of each cluster by its name, the hub, the live zones, and the tunnels of each
    Cloudflare account by its id.

    Without the hub all of it is predicted; without live zones nobody else is taken to hold a name. `today` is the day
    of the run in UTC; without it nothing is said of what expires. `owner` stands for this stack in ownership markers.
    `resolvers` are the answers of internal resolvers, None where none was asked.
    """

    clusters: Mapping[str, GatewayState] = field(default_factory=dict)
    hub: HubView | None = None
    live: Live | None = None
    resolvers: Answers | None = None
    cloudflare: Mapping[str, AccountTunnels] = field(default_factory=dict)
    today: date | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the decisions were made from; the clusters as they are once the routes of services are written."""

    claims: Sequence[Claim]
    rejections: Sequence[Rejection]
    context: Context
    clusters: Mapping[str, GatewayState]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that one run wants, sorted. `stops` end the run before anything is registered.

    `routes` are the HTTPRoutes of services that are declared, `marks` their Services that are kept from external-dns;
    `found_routes` are the ids of those that the state does not know yet. `changes` are the numbers that the guard has
    judged, `warnings` what concerns the run as a whole, `notes` what is only worth knowing of it. `register` is what is
    declared of the register of publishers, None where there never was one; `publishers` are the numbers of it, None
    while everybody may publish.
    """

    sets: tuple[PlannedSet, ...]
    tunnels: tuple[TunnelPlan, ...]
    services: tuple[ServicePlan, ...]
    routes: tuple[PlannedRoute, ...]
    marks: tuple[PlannedMark, ...]
    found_routes: frozenset[str]
    cloudflare: tuple[CloudflareTunnelPlan, ...]
    decisions: tuple[Decision, ...]
    changes: tuple[ZoneChanges, ...]
    stops: tuple[Stop, ...]
    warnings: tuple[Notice, ...]
    notes: tuple[Notice, ...]
    register: RegisterMemory | None
    publishers: PublisherReport | None
    memory: Memory
    basis: Basis

    @property
    def failures(self) -> tuple[Decision, ...]:
        """The decisions under a rule of level error: they make the run unsuccessful, at its end."""
        return tuple(one for one in self.decisions if one.refusal and one.refusal.level is Level.ERROR)

    def changes_of(self, decisions: Sequence[Decision]) -> tuple[ZoneChanges, ...]:
        """Return the numbers of the zones for the decisions as they came out."""
        return _changes_of(decisions, self.basis.context)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What a plan is put together from; `observed` and `memory` are those of the present names, with all routes.

    `listed` counts what the clusters list themselves, `transitions` are hostnames that cannot pass between tunnels.
    """

    settings: Settings
    observed: Observed
    memory: Memory
    clusters: ClusterPlan
    listed: Mapping[str, Listing]
    publishers: Publishers | None
    admissions: Mapping[str, Admission]
    leaving: Sequence[Leaving]
    tunnels: tuple[TunnelPlan, ...]
    transitions: tuple[Transition, ...]
    cloudflare: tuple[CloudflareTunnelPlan, ...]
    basis: Basis
    decisions: tuple[Decision, ...]
    changes: tuple[ZoneChanges, ...]


def make_plan(settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool = False) -> Plan:
    """Return the plan of one run.

    `adopt_by_name` (offline only) finds invites that memory does not know by their name. Raises ObservationFailed when
    the input does not suffice to decide.
    """
    draft = _draft(settings, observed, memory, adopt_by_name=adopt_by_name)
    verdict = judge(_findings(draft), settings.safety.acknowledge, Causes(draft.decisions))
    clusters, cloudflare = draft.clusters, draft.cloudflare
    owners = owners_to_remember(draft.observed.live, draft.memory)
    sets = planned_sets(settings, draft.admissions, draft.tunnels, cloudflare, draft.decisions, owners=owners)
    report = _report_publishers(draft)
    register = next_register(settings, draft.memory.register)
    after = next_memory(
        sets,
        draft.decisions,
        draft.tunnels,
        cloudflare,
        draft.memory,
        services=clusters.remembered,
        agents=agent_ids(draft.tunnels, settings),
    )
    return Plan(
        sets=sets,
        tunnels=draft.tunnels,
        services=clusters.services,
        marks=planned_marks(clusters.services, settings, clusters.states, clusters.turning.waiting),
        found_routes=clusters.found,
        routes=clusters.declared,
        cloudflare=cloudflare,
        decisions=draft.decisions,
        changes=draft.changes,
        stops=verdict.stops,
        notes=() if verdict.stops else tuple(_notes(draft)),
        warnings=(*_idle_acknowledgement(draft, verdict), *_warnings(draft, report)),
        register=register,
        publishers=report,
        memory=memory if verdict.stops else replace(after, register=register),
        basis=draft.basis,
    )


def _draft(settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool) -> _Draft:
    """Decide, in this order: what clusters become, what their routes are admitted for, the tunnels, each hostname."""
    clusters = plan_clusters(settings, observed.clusters, memory, observed.resolvers, observed.owner)
    listed = {one.name: _listing(one, observed.clusters[one.name]) for one in settings.clusters}
    observed = replace(observed, clusters=clusters.states)
    memory = with_present_names(memory, settings.tunnels, clusters.states)
    publishers = publishers_of(settings, memory.register)
    admissions = {one.name: _admit(one, settings, observed, memory, publishers) for one in settings.clusters}
    context = _context(settings, observed, memory, admissions, clusters)
    internal = internal_hostnames_of_tunnels(settings, memory, context)
    leaving = _leaving(settings, memory, observed)
    plans = _plan_tunnels(settings, observed, memory, internal, adopt_by_name=adopt_by_name)
    tunnels, transitions = plan_moves(plans, leaving)
    cloudflare = _plan_cloudflare(settings, observed, memory, internal)
    claims, rejections = _claims(settings, admissions, (*tunnels, *cloudflare))
    rejections += _service_rejections(settings, clusters, claims, rejections)
    left = {name: one.left for name, one in clusters.overlaid.items()}
    decided = tell_absence(decide_all(claims, rejections, context), settings, clusters.states, left)
    decisions = with_blast_radius(decided, context)
    return _Draft(
        settings=settings,
        observed=observed,
        memory=memory,
        clusters=clusters,
        listed=listed,
        publishers=publishers,
        admissions=admissions,
        leaving=leaving,
        tunnels=tunnels,
        transitions=transitions,
        cloudflare=cloudflare,
        basis=Basis(claims=claims, rejections=rejections, context=context, clusters=clusters.states),
        decisions=decisions,
        changes=_changes_of(decisions, context),
    )


# --- the steps --------------------------------------------------------------------------------------------------------


def _listing(cluster: Cluster, state: GatewayState) -> Listing:
    """Count what the cluster itself lists: what the settings declare is no proof that it was read."""
    return Listing(
        gateways=sum(not one.deleting and selects_gateway(cluster, one) for one in state.gateways),
        routes=sum(not one.deleting and selects_route(cluster, one) for one in state.routes),
    )


def _leaving(settings: Settings, memory: Memory, observed: Observed) -> tuple[Leaving, ...]:
    kinds = {tunnel_key(tunnel): tunnel.kind for tunnel in settings.tunnels}
    return leaving_invites(memory.invites, kinds, observed.hub)


def _service_rejections(
    settings: Settings, clusters: ClusterPlan, claims: Sequence[Claim], rejections: Sequence[Rejection]
) -> list[Rejection]:
    told = {(one.hostname, one.visibility) for one in claims} | {(one.hostname, one.visibility) for one in rejections}
    return list(service_rejections(clusters.services, settings, clusters.states, clusters.foreign, told))


def _admit(
    cluster: Cluster, settings: Settings, observed: Observed, memory: Memory, publishers: Publishers | None
) -> Admission:
    return admit(
        cluster,
        observed.clusters[cluster.name],
        gateway_memory(memory, cluster.name),
        gateway_edge_targets(cluster, settings),
        publishers,
    )


def _context(
    settings: Settings,
    observed: Observed,
    memory: Memory,
    admissions: Mapping[str, Admission],
    clusters: ClusterPlan,
) -> Context:
    services, receipts = clusters.services, (one for known in memory.sets.values() for one in known.receipts)
    zones = ZoneIndex.of(settings.zones, settings.elsewhere)
    internal = internal_names(services, private_zones={False})
    only_private = internal_names(services, private_zones={True})
    read = {cluster.name for cluster in settings.clusters if cluster.gateways}
    return Context(
        zones=zones,
        published=published_by_hostname(settings, memory, zones),
        slots=slots_by_name(memory),
        namespace_labels={name: state.namespaces for name, state in observed.clusters.items() if name in read},
        internal=_joined((one.internal for one in admissions.values()), internal),
        acknowledged=settings.safety.acknowledged,
        turning=clusters.turning,
        rebound=rebound_hostnames(clusters.routes, clusters.overlaid, receipts),
        live=observed.live,
        adopt=settings.adopt,
        release=settings.release,
        domains={key: domain for one in memory.sets.values() for key, domain in one.domains.items()},
        views={key: view for one in memory.sets.values() for key, view in one.views.items()},
        exceptions=in_force(settings.exceptions, observed.today),
        only_private=_joined((one.only_private for one in admissions.values()), only_private),
        internal_targets=internal_names(services, private_zones={False, True}),
        places=Places.of(settings),
        declared=declared_places(services, admissions),
        of_services=frozenset(name for one in services for name in one.hostnames),
    )


def _joined(found: Iterable[Mapping[str, Refusal]], of_services: InternalNames) -> InternalNames:
    """Return the names of services and those that objects of the clusters keep internal."""
    return replace(of_services, names={**_least(found), **of_services.names})


def _least(found: Iterable[Mapping[str, Refusal]]) -> Mapping[str, Refusal]:
    """Join refusals by hostname; of several for one the least reason speaks, whatever the order of clusters."""
    joined: dict[str, Refusal] = {}
    for refusals in found:
        for hostname, refusal in refusals.items():
            joined[hostname] = min(joined.get(hostname, refusal), refusal, key=lambda one: one.reason)
    return joined


def _plan_tunnels(
    settings: Settings,
    observed: Observed,
    memory: Memory,
    internal: Mapping[Source, InternalHostnames],
    *,
    adopt_by_name: bool,
) -> list[TunnelPlan]:
    ordered = sorted(settings.tunnels, key=tunnel_key)
    return [
        plan_tunnel(
            tunnel,
            settings=settings,
            view=observed.hub,
            memory=memory.invites.get(tunnel_key(tunnel)),
            internal=internal[tunnel_source(tunnel)],
            adopt_by_name=adopt_by_name,
        )
        for tunnel in ordered
        if tunnel.kind == "towonel"
    ]


def _plan_cloudflare(
    settings: Settings, observed: Observed, memory: Memory, internal: Mapping[Source, InternalHostnames]
) -> tuple[CloudflareTunnelPlan, ...]:
    return tuple(
        plan_cloudflare_tunnel(
            tunnel,
            observed.cloudflare.get(tunnel.cloudflare.account_id),
            memory.tunnels.get(tunnel_key(tunnel)),
            internal[tunnel_source(tunnel)],
        )
        for tunnel in sorted(settings.tunnels, key=tunnel_key)
        if tunnel.cloudflare
    )


def _claims(
    settings: Settings, admissions: Mapping[str, Admission], tunnels: Sequence[TunnelPlan | CloudflareTunnelPlan]
) -> tuple[list[Claim], list[Rejection]]:
    claims = [claim for tunnel in tunnels for claim in tunnel.claims]
    rejections = [rejection for tunnel in tunnels for rejection in tunnel.rejections]
    for cluster in settings.clusters:
        more_claims, more_rejections = gateway_claims(cluster, admissions[cluster.name])
        claims += more_claims
        rejections += more_rejections
    return claims, rejections


# --- what stops the run -----------------------------------------------------------------------------------------------


def _findings(draft: _Draft) -> tuple[Finding, ...]:
    context, decisions = draft.basis.context, draft.decisions
    counted = without_released(draft.memory, decisions)
    return (
        *route_identity(draft.clusters.taken),
        *dnsendpoint_identity(taken_objects(draft.observed.live), _hostnames_of_objects(decisions, context)),
        *agent_identity(rehoused_agents(draft.tunnels, draft.settings, draft.memory.agents)),
        *_account_findings(draft, counted),
        *host_transition(draft.transitions),
        *zone_moved(moved_away(decisions, context)),
        *_empty_findings(counted, draft.listed, decisions),
        *over_limits(draft.changes, draft.settings.safety),
    )


def _hostnames_of_objects(decisions: Iterable[Decision], context: Context) -> Mapping[str, set[str]]:
    """Return the hostnames of each DNSEndpoint by its Pulumi name."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in decisions:
        if one.zone and (key := context.places.key(one.source, one.zone)):
            found[key.id].add(one.hostname)
    return found


def _account_findings(draft: _Draft, memory: Memory) -> tuple[Finding, ...]:
    invites = invites_without_proof(draft.settings.tunnels, draft.observed.hub, memory.invites)
    hostnames = {
        hostname
        for one in memory.sets.values()
        if one.source.kind == "TowonelTunnel" and f"{one.source.namespace}/{one.source.name}" in invites
        for hostname in one.published
    }
    return hub_account(invites, hostnames)


def _empty_findings(
    memory: Memory, listed: Mapping[str, Listing], decisions: Iterable[Decision]
) -> tuple[Finding, ...]:
    published: dict[str | None, set[str]] = defaultdict(set)
    for one in memory.sets.values():
        published[one.source.cluster].update(one.published)
    planned = {record.name for record in _promised(decisions)}
    return empty_desired(published, planned, listed)


def _changes_of(decisions: Sequence[Decision], context: Context) -> tuple[ZoneChanges, ...]:
    released = {(one.hostname, one.visibility) for one in decisions if one.state == "released"}
    before = (
        record.rrset
        for group in context.published.values()
        for one in group
        if (one.hostname, one.visibility) not in released
        for record in one.records
    )
    return zone_changes(before, _promised(decisions), context.zones, context.domains)


def _promised(decisions: Iterable[Decision]) -> Iterator[RRset]:
    return (record.rrset for decision in decisions for record in decision.promised)


# --- what is told of the run as a whole -------------------------------------------------------------------------------


def _notes(draft: _Draft) -> Iterator[Notice]:
    yield from below_minimum(draft.changes, draft.settings.safety)
    yield from without_hostnames(draft.tunnels, draft.memory.invites)
    yield from elsewhere_notices(draft.decisions, draft.basis.context.zones)


def _idle_acknowledgement(draft: _Draft, verdict: Verdict) -> tuple[Notice, ...]:
    safety = draft.settings.safety
    if safety.acknowledge is None or verdict.acknowledged or verdict.stops:
        return ()
    # A change from several values to a CNAME, and a name without an internal answer, are acknowledged by name as well.
    switching = {one.hostname for one in draft.decisions if one.refusal and one.refusal.rule == "type-transition"}
    needed = switching | draft.clusters.turning.overruled.keys()
    return () if needed & safety.acknowledged else (_UNUSED,)


def _warnings(draft: _Draft, report: PublisherReport | None) -> Iterator[Notice]:
    observed, context, decisions = draft.observed, draft.basis.context, draft.decisions
    yield from invite_notices(draft.tunnels, draft.leaving, draft.memory.invites, observed.hub, observed.today)
    yield from (notice for one in draft.cloudflare for notice in one.notices)
    towonel = {tunnel_key(one.tunnel) for one in draft.tunnels}
    yield from leaving_notices(draft.cloudflare, draft.memory.tunnels, towonel)
    yield from idle_entries(decisions, context)
    yield from idle_cluster_notices(draft.settings, observed.clusters)
    yield from unknown_objects(lost_objects(decisions, context, observed.live))
    yield from baseline_notice(decisions)
    yield from _exception_notices(draft)
    yield from draft.clusters.notices
    yield from report.notices if report else ()
    yield from _shared_notices(draft)
    yield from internal_name_notices(observed.clusters, context.internal)
    internal = {**context.internal.names, **context.internal_targets.names}
    ingress = {one.source: one.ingress for one in draft.cloudflare}
    yield from wildcard_notices(decisions, internal, context.zones, ingress)


def _report_publishers(draft: _Draft) -> PublisherReport | None:
    if draft.publishers is None:
        return None
    rules = {"unlisted-publisher", "register-grew"}
    told = {one.hostname for one in draft.decisions if one.refusal and one.refusal.rule in rules}
    zones = draft.basis.context.zones
    return report_publishers(draft.settings, draft.observed.clusters, draft.publishers, told, zones)


def _shared_notices(draft: _Draft) -> Iterator[Notice]:
    published = {(one.hostname, one.visibility) for one in draft.decisions if one.promised}
    clusters = draft.clusters
    return shared_notices(clusters.services, draft.admissions, clusters.remembered.keys(), published)


def _exception_notices(draft: _Draft) -> Iterator[Notice]:
    used: dict[str, list[RuleException]] = defaultdict(list)
    for one in draft.decisions:
        used[one.hostname] += one.excepted
    missing = {one.hostname for one in draft.decisions if one.state != "published"}
    exceptions, today = draft.settings.exceptions, draft.observed.today
    return exception_notices(exceptions, used, used.keys() - missing, used, today)
