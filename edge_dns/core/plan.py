"""The plan: from settings, observations and memory to one value that says everything; sorted and deterministic."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from edge_dns.core.absence import tell_absence
from edge_dns.core.admission import Admission, admit
from edge_dns.core.authority import Answers, hold_routes, seen, turning
from edge_dns.core.causes import Causes
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan, leaving_notices, plan_cloudflare_tunnel
from edge_dns.core.cloudflare_view import AccountTunnels
from edge_dns.core.decide_all import decide_all
from edge_dns.core.decision import Context, Decision
from edge_dns.core.elsewhere import elsewhere_notices, moved_away
from edge_dns.core.endpoint_checks import taken_objects
from edge_dns.core.endpoint_places import Places
from edge_dns.core.exceptions import exception_notices, in_force
from edge_dns.core.gateway_claims import gateway_claims
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.guard import (
    Finding,
    Listing,
    Stop,
    Verdict,
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
from edge_dns.core.invite_notices import invite_notices, without_hostnames
from edge_dns.core.live import Live
from edge_dns.core.lost_objects import lost_objects, unknown_objects
from edge_dns.core.memory import Memory, RegisterMemory
from edge_dns.core.moves import leaving_invites, plan_moves
from edge_dns.core.names import covers, is_wildcard
from edge_dns.core.notices import Notice
from edge_dns.core.publisher_notices import PublisherReport, internal_name_notices, report_publishers
from edge_dns.core.publishers import Publishers, next_register, publishers_of
from edge_dns.core.recall import gateway_memory, public_names, published_by_hostname, slots_by_name
from edge_dns.core.record_sets import PlannedSet, next_memory, planned_sets
from edge_dns.core.release import idle_entries, without_released
from edge_dns.core.renames import with_present_names
from edge_dns.core.rules import Level, Refusal
from edge_dns.core.selection import selects_gateway, selects_route
from edge_dns.core.service_claims import declared_places, shared_notices
from edge_dns.core.service_names import InternalNames
from edge_dns.core.service_rejections import service_rejections
from edge_dns.core.service_routes import Overlaid, Ownership, overlay, rebound_hostnames
from edge_dns.core.services import PlannedMark, PlannedRoute, ServicePlan, internal_names, plan_services, planned_marks
from edge_dns.core.settings import Cluster, RuleException, Settings, Tunnel, gateway_edge_targets
from edge_dns.core.tunnels import (
    InternalHostnames,
    TunnelPlan,
    invites_without_proof,
    plan_tunnel,
    split_names,
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


def make_plan(settings: Settings, observed: Observed, memory: Memory, *, adopt_by_name: bool = False) -> Plan:
    """Return the plan of one run.

    `adopt_by_name` (offline only) finds invites that memory does not know by their name. Raises ObservationFailed when
    the input does not suffice to decide.
    """
    services = plan_services(settings)
    listed = {cluster.name: _listing(cluster, observed.clusters[cluster.name]) for cluster in settings.clusters}
    published = public_names(settings, memory) if services else frozenset[str]()
    public = seen(services, published, observed.clusters, memory.services, settings.tunnels)
    turning_internal = turning(services, public, observed.resolvers, _acknowledged(settings))
    services, left_routes = hold_routes(services, public, turning_internal)
    routes = (*(one.route for one in services if one.route), *left_routes)
    overlaid = _overlay(settings, services, routes, observed, memory)
    observed = replace(observed, clusters={name: one.state for name, one in overlaid.items()})
    given, memory = memory, with_present_names(memory, settings.tunnels, observed.clusters)
    keys = {tunnel_key(tunnel) for tunnel in settings.tunnels if tunnel.kind == "towonel"}
    leaving = leaving_invites(memory.invites, keys, observed.hub)
    publishers = publishers_of(settings, memory.register)
    admissions = {
        cluster.name: _admit(cluster, settings, observed, memory, publishers) for cluster in settings.clusters
    }
    context = replace(
        _context(settings, observed, memory, admissions, services),
        turning=turning_internal,
        rebound=rebound_hostnames(routes, overlaid, (one for known in memory.sets.values() for one in known.receipts)),
    )
    internal = _internal(settings, memory, context)
    plans = _plan_tunnels(settings, observed, memory, internal, adopt_by_name=adopt_by_name)
    tunnels, transitions = plan_moves(plans, leaving)
    cloudflare = _plan_cloudflare(settings, observed, memory, internal)
    claims, rejections = _claims(settings, admissions, (*tunnels, *cloudflare))
    rejections += _service_rejections(settings, services, overlaid, claims, rejections)
    left = {name: one.left for name, one in overlaid.items()}
    decided = tell_absence(decide_all(claims, rejections, context), settings, observed.clusters, left)
    decisions = with_blast_radius(decided, context)
    sets = planned_sets(settings, admissions, tunnels, cloudflare, decisions)
    counted = without_released(memory, decisions)
    changes = _changes_of(decisions, context)
    findings = (
        *route_identity(taken for one in overlaid.values() for taken in one.taken),
        *dnsendpoint_identity(taken_objects(observed.live), _hostnames_of_objects(decisions, context)),
        *_account_findings(settings, observed, counted),
        *host_transition(transitions),
        *zone_moved(moved_away(decisions, context)),
        *_empty_findings(counted, listed, decisions),
        *over_limits(changes, settings.safety),
    )
    verdict = judge(findings, settings.safety.acknowledge, Causes(decisions))
    declared = {name: one for overlay in overlaid.values() for name, one in overlay.memory.items()}
    report = _report_publishers(settings, observed, publishers, decisions, context.zones)
    register = next_register(settings, memory.register)
    return Plan(
        sets=sets,
        tunnels=tunnels,
        services=services,
        marks=planned_marks(services, settings, observed.clusters, turning_internal.waiting),
        found_routes=frozenset(route for one in overlaid.values() for route in one.found),
        routes=tuple(sorted((one for one in routes if one.id in declared), key=lambda one: one.id)),
        cloudflare=cloudflare,
        decisions=decisions,
        changes=changes,
        stops=verdict.stops,
        notes=(*_notes(settings, changes, tunnels, memory), *elsewhere_notices(decisions, context.zones))
        if not verdict.stops
        else (),
        warnings=(
            *_warnings(settings, verdict, decisions, context),
            *invite_notices(tunnels, leaving, memory.invites, observed.hub, observed.today),
            *(notice for one in cloudflare for notice in one.notices),
            *leaving_notices(cloudflare, memory.tunnels),
            *idle_entries(decisions, context),
            *unknown_objects(lost_objects(decisions, context, observed.live)),
            *baseline_notice(decisions),
            *_exception_notices(settings, decisions, observed.today),
            *(notice for one in overlaid.values() for notice in one.notices),
            *(report.notices if report else ()),
            *_shared_notices(services, admissions, declared, decisions),
            *internal_name_notices(observed.clusters, context.internal),
            *wildcard_notices(
                decisions,
                {**context.internal.names, **context.internal_targets.names},
                context.zones,
                {one.source: one.ingress for one in cloudflare},
            ),
        ),
        register=register,
        publishers=report,
        memory=given
        if verdict.stops
        else replace(next_memory(sets, decisions, tunnels, cloudflare, memory, services=declared), register=register),
        basis=Basis(claims=claims, rejections=rejections, context=context, clusters=observed.clusters),
    )


def _acknowledged(settings: Settings) -> frozenset[str]:
    acknowledge = settings.safety.acknowledge
    return frozenset(acknowledge.names or ()) if acknowledge else frozenset()


def _overlay(
    settings: Settings,
    services: Iterable[ServicePlan],
    routes: Sequence[PlannedRoute],
    observed: Observed,
    memory: Memory,
) -> Mapping[str, Overlaid]:
    names = [cluster.name for cluster in settings.clusters]
    internal = {one.id: one.exposure_of_route for one in services if one.why_internal}
    ownership = Ownership(routes=memory.services, owner=observed.owner, clusters=names, internal=internal)
    return {
        name: overlay(name, observed.clusters[name], [one for one in routes if one.cluster == name], ownership)
        for name in names
    }


def _listing(cluster: Cluster, state: GatewayState) -> Listing:
    """Count what the cluster itself lists: what the settings declare is no proof that it was read."""
    return Listing(
        gateways=sum(not one.deleting and selects_gateway(cluster, one) for one in state.gateways),
        routes=sum(not one.deleting and selects_route(cluster, one) for one in state.routes),
    )


def _service_rejections(
    settings: Settings,
    services: Sequence[ServicePlan],
    overlaid: Mapping[str, Overlaid],
    claims: Sequence[Claim],
    rejections: Sequence[Rejection],
) -> list[Rejection]:
    told = {(one.hostname, one.visibility) for one in claims} | {(one.hostname, one.visibility) for one in rejections}
    states = {name: one.state for name, one in overlaid.items()}
    foreign = {route: why for one in overlaid.values() for route, why in one.foreign.items()}
    return list(service_rejections(services, settings, states, foreign, told))


def _internal(settings: Settings, memory: Memory, context: Context) -> Mapping[Source, InternalHostnames]:
    """Return by tunnel the hostnames that are internal; not those that it has published and that wait.

    They are those of internal services and those that an object of a cluster opts out of: both are published for
    nobody, so that nothing may lead to them. Hostnames that a tunnel had before are among them, and what its wildcards
    would serve at Cloudflare.
    """
    found: dict[Source, InternalHostnames] = {}
    for tunnel in settings.tunnels:
        source = tunnel_source(tunnel)
        published = {name for one in memory.sets.values() if one.source == source for name in one.published}
        why = {
            name: why
            for name in sorted({*split_names(tunnel)[0], *_with_rules(tunnel, memory), *_below(tunnel, context)})
            if not (name in published and name in context.turning.waiting)
            if (why := context.why_internal(name, tunnel.visibility))
        }
        found[source] = InternalHostnames(why=why, stay=_staying(tunnel, why, memory, context.turning.waiting))
    return found


def _staying(tunnel: Tunnel, names: Iterable[str], memory: Memory, waiting: Collection[str]) -> frozenset[str]:
    """Return those of the names that the tunnel serves already and that a name needs that waits, whoever publishes it.

    A record that stays must not lead nowhere.
    """
    served = _served(tunnel, memory)
    return frozenset(name for name in names if name in served and any(covers(name, one) for one in waiting))


def _served(tunnel: Tunnel, memory: Memory) -> Collection[str]:
    """Return what the last run let the tunnel serve; where that is not known, all that it names."""
    if invite := memory.invites.get(tunnel_key(tunnel)) if tunnel.kind == "towonel" else None:
        return split_names(tunnel)[0] if invite.asked is None else invite.asked
    known = memory.tunnels.get(tunnel_key(tunnel))
    return [rule.hostname for rule in known.rules.declared if not rule.is_refusal] if known else ()


def _with_rules(tunnel: Tunnel, memory: Memory) -> Iterator[str]:
    """Yield the hostnames for which this stack has written ingress rules of a tunnel."""
    known = memory.tunnels.get(tunnel_key(tunnel)) if tunnel.kind == "cloudflare" else None
    for rule in (*known.rules.declared, *known.rules.former) if known else ():
        if rule.hostname:
            yield rule.hostname


def _below(tunnel: Tunnel, context: Context) -> Iterator[str]:
    """Yield the hostnames of internal services below the wildcards of a Cloudflare tunnel, but for what waits.

    Not what only an object opts out of: it may do so because a wildcard is there.
    """
    wildcards = [name for name in split_names(tunnel)[0] if is_wildcard(name)] if tunnel.kind == "cloudflare" else []
    for name in context.internal_targets.names if wildcards else ():
        waits = any(covers(name, one) for one in context.turning.waiting)
        if not waits and any(covers(one, name) for one in wildcards):
            yield name


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


def _report_publishers(
    settings: Settings,
    observed: Observed,
    publishers: Publishers | None,
    decisions: Iterable[Decision],
    zones: ZoneIndex,
) -> PublisherReport | None:
    rules = {"unlisted-publisher", "register-grew"}
    told = {one.hostname for one in decisions if one.refusal and one.refusal.rule in rules}
    return report_publishers(settings, observed.clusters, publishers, told, zones) if publishers else None


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


def _context(
    settings: Settings,
    observed: Observed,
    memory: Memory,
    admissions: Mapping[str, Admission],
    services: Sequence[ServicePlan],
) -> Context:
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
        acknowledged=_acknowledged(settings),
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


def _hostnames_of_objects(decisions: Iterable[Decision], context: Context) -> Mapping[str, set[str]]:
    """Return the hostnames of each DNSEndpoint by its Pulumi name."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in decisions:
        if one.zone and (key := context.places.key(one.source, one.zone)):
            found[key.id].add(one.hostname)
    return found


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


def _promised(decisions: Iterable[Decision]) -> Iterator[RRset]:
    return (record.rrset for decision in decisions for record in decision.promised)


def _account_findings(settings: Settings, observed: Observed, memory: Memory) -> tuple[Finding, ...]:
    invites = invites_without_proof(settings.tunnels, observed.hub, memory.invites)
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


def _shared_notices(
    services: Iterable[ServicePlan],
    admissions: Mapping[str, Admission],
    declared: Collection[str],
    decisions: Iterable[Decision],
) -> Iterator[Notice]:
    published = {(one.hostname, one.visibility) for one in decisions if one.promised}
    return shared_notices(services, admissions, declared, published)


def _exception_notices(settings: Settings, decisions: Sequence[Decision], today: date | None) -> Iterator[Notice]:
    used: dict[str, list[RuleException]] = defaultdict(list)
    for one in decisions:
        used[one.hostname] += one.excepted
    missing = {one.hostname for one in decisions if one.state != "published"}
    return exception_notices(settings.exceptions, used, used.keys() - missing, used, today)


def _notes(
    settings: Settings, changes: Iterable[ZoneChanges], tunnels: Iterable[TunnelPlan], memory: Memory
) -> tuple[Notice, ...]:
    return (*below_minimum(changes, settings.safety), *without_hostnames(tunnels, memory.invites))


def _warnings(
    settings: Settings, verdict: Verdict, decisions: Iterable[Decision], context: Context
) -> tuple[Notice, ...]:
    acknowledge = settings.safety.acknowledge
    if acknowledge is None or verdict.acknowledged or verdict.stops:
        return ()
    # A change from several values to a CNAME, and a name without an internal answer, are acknowledged by name as well.
    switching = {one.hostname for one in decisions if one.refusal and one.refusal.rule == "type-transition"}
    needed = switching | context.turning.overruled.keys()
    return () if needed & set(acknowledge.names or ()) else (_UNUSED,)
