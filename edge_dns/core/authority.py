"""Services that turn internal: their public names wait until the internal resolver of the service answers them.

A service waits as a whole, since its route has one annotation for all of its hostnames. What could not be asked is not
answered: nothing is withdrawn because a resolver was silent.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from edge_dns.core.binding import Bound, bound_hostnames, declared_hostnames
from edge_dns.core.exposure import opts_out
from edge_dns.core.gateway_state import GatewayState, HTTPRoute
from edge_dns.core.memory import ServiceMemory
from edge_dns.core.names import as_shown
from edge_dns.core.rules import Refusal
from edge_dns.core.services import PlannedRoute, ServicePlan, internal_names, route_id
from edge_dns.core.settings import Tunnel
from edge_dns.core.tunnels import split_names

RULE = "internal-authority-missing"

Question = tuple[str, str]
"""Resolver (`host:port`) and hostname."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverAnswer:
    """What an internal resolver says of a hostname, in words; `counts`: it has an address of its own for it."""

    counts: bool
    told: str


Answers = Mapping[Question, ResolverAnswer]

_NOT_ASKED = ResolverAnswer(counts=False, told="not asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning:
    """What the internal resolvers mean for names that would be withdrawn as internal.

    `waiting` are the hostnames that stay for now, with the reason; `overruled` those that go although their resolver
    does not answer, by acknowledgement; `inside` what a resolver answers for a hostname.
    """

    waiting: Mapping[str, Refusal] = field(default_factory=dict)
    overruled: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What of the services can be seen from outside: the hostnames that the last run published in public zones and that
    something names still, and the routes of this stack that their clusters show without the annotation.
    """

    published: Collection[str] = ()
    routes: Mapping[str, "SeenRoute"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRoute:
    """A route in the cluster of this name; `port` is the one that this stack has written."""

    cluster: str
    live: HTTPRoute
    port: int

    @property
    def hostnames(self) -> tuple[str, ...]:
        """Its valid hostnames, in normal form."""
        return declared_hostnames(self.live).valid


def seen(
    plans: Iterable[ServicePlan],
    published: Collection[str],
    clusters: Mapping[str, GatewayState],
    remembered: Mapping[str, ServiceMemory],
    tunnels: Iterable[Tunnel],
) -> Seen:
    """Return what is seen; `remembered` are the routes that this stack has made, by id.

    One that a public service of the settings has is not among them: it is seen whatever turns internal. Neither are
    published hostnames that no service, tunnel or object of a cluster names any more: those go, and no resolver is to
    answer for them.
    """
    plans = tuple(plans)
    public = {plan.route.id for plan in plans if plan.route and not plan.why_internal}
    found = {
        route_id(cluster, live.namespace, live.name): (cluster, live)
        for cluster, state in clusters.items()
        for live in state.routes
        if live.parent_refs and not opts_out(live.annotations)
    }
    return Seen(
        published=_still_named(published, plans, clusters, tunnels) if published else (),
        routes={
            known: SeenRoute(cluster=found[known][0], live=found[known][1], port=one.port)
            for known, one in sorted(remembered.items())
            if known in found and known not in public
        },
    )


def _still_named(
    published: Collection[str],
    plans: Iterable[ServicePlan],
    clusters: Mapping[str, GatewayState],
    tunnels: Iterable[Tunnel],
) -> frozenset[str]:
    named = {
        *(name for plan in plans for name in plan.hostnames),
        *(name for tunnel in tunnels for name in split_names(tunnel)[0]),
        *(name for state in clusters.values() for name in _named(state)),
    }
    return frozenset(named.intersection(published))


def _named(state: GatewayState) -> Iterator[str]:
    """Yield the hostnames that objects of a cluster name, whoever takes them; routes also by listeners."""
    listeners = {gateway.key: gateway.listeners for gateway in state.gateways}
    for other in state.not_supported:
        yield from declared_hostnames(other).valid
    for route in (one for one in state.routes if not one.deleting):
        declared = declared_hostnames(route)
        yield from declared.valid
        for listener in (one for ref in route.parent_refs for one in listeners.get((ref.namespace, ref.name), ())):
            bound = Bound(listener=listener, hostname=as_shown(listener.hostname) if listener.hostname else None)
            yield from (name for _, name in bound_hostnames(declared, bound))


def questions(plans: Collection[ServicePlan], public: Seen) -> tuple[Question, ...]:
    """Return what has to be asked, sorted: of internal services with a resolver the hostnames that are seen."""
    return tuple(sorted({(resolver, name) for _, resolver, names in _asked(plans, public) for name in names}))


def turning(
    plans: Collection[ServicePlan], public: Seen, answers: Answers | None, acknowledged: Collection[str]
) -> Turning:
    """Return which of the hostnames that are seen wait.

    Without `answers` (offline) none was asked, so that all of them do; that is no error.
    """
    waiting: dict[str, Refusal] = {}
    overruled: dict[str, str] = {}
    inside: dict[str, str] = {}
    for plan, resolver, names in _asked(plans, public):
        found = {name: (answers or {}).get((resolver, name), _NOT_ASKED) for name in names}
        missing = {name: f"{resolver}: {one.told}" for name, one in found.items() if not one.counts}
        inside |= {name: f"{resolver} answers {one.told}" for name, one in found.items() if one.counts}
        overruled |= {name: told for name, told in missing.items() if name in acknowledged}
        left = {name: told for name, told in missing.items() if name not in acknowledged}
        why = _not_asked if answers is None else _refusal
        waiting |= {name: why(plan, resolver, name, left) for name in names if left}
    return Turning(
        waiting={name: one for name, one in waiting.items() if name not in overruled},
        overruled=overruled,
        inside=inside,
    )


def hold_routes(
    plans: Collection[ServicePlan], public: Seen, turning: Turning
) -> tuple[tuple[ServicePlan, ...], tuple[PlannedRoute, ...]]:
    """Return the services, the routes of those that wait as they were: without the annotation, and without a new name.

    External-dns withdraws what it owns once it sees the annotation, so that it has to wait with the records. Second are
    routes with such names that no service of the settings declares any more: they stay until then, too.
    """
    held = tuple(_held(plan, public, turning) for plan in plans)
    declared = {plan.route.id for plan in held if plan.route}
    left = {known: one for known, one in public.routes.items() if known not in declared}
    return held, tuple(route for one in left.values() if (route := _left(one, held, turning)))


def _held(plan: ServicePlan, public: Seen, turning: Turning) -> ServicePlan:
    shown = public.routes.get(plan.route.id) if plan.route else None
    if plan.route is None or shown is None:
        return plan
    names = tuple(name for name in shown.hostnames if name in plan.hostnames or name in turning.waiting)
    if not any(name in turning.waiting for name in (*plan.hostnames, *names)) or not names:
        return plan
    return replace(plan, route=_as_seen(plan.route, shown, names))


def _left(one: SeenRoute, plans: Collection[ServicePlan], turning: Turning) -> PlannedRoute | None:
    names = tuple(name for name in one.hostnames if name in turning.waiting)
    internal = internal_names(plans, private_zones={False, True})
    by = {internal.by(name) for name in names}
    turned = next((plan for plan in plans if plan.why_internal and by & set(plan.hostnames)), None)
    if turned is None:
        return None
    route = PlannedRoute(
        cluster=one.cluster,
        namespace=one.live.namespace,
        name=one.live.name,
        exposure="internal",
        private_zones=turned.service.private_zones,
        hostnames=names,
        parent=one.live.parent_refs[0],
        port=one.port,
    )
    return _as_seen(route, one, names)


def _as_seen(route: PlannedRoute, shown: SeenRoute, names: tuple[str, ...]) -> PlannedRoute:
    """Return the route as its cluster shows it, with these names."""
    parent = shown.live.parent_refs[0]
    return replace(route, waits=True, hostnames=tuple(sorted(names)), parent=parent, port=shown.port)


def _asked(plans: Collection[ServicePlan], public: Seen) -> Iterator[tuple[ServicePlan, str, list[str]]]:
    """Yield the internal services with their resolvers and what is seen of them, names below their wildcards too."""
    internal = internal_names(plans, private_zones={False, True})
    seen_by: dict[str, set[str]] = defaultdict(set)
    for name in {*public.published, *(name for one in public.routes.values() for name in one.hostnames)}:
        if by := internal.by(name):
            seen_by[by].add(name)
    for plan in plans:
        if plan.why_internal and plan.service.internal_resolver:
            names = {name for hostname in plan.hostnames for name in seen_by.get(hostname, ())}
            yield plan, plan.service.internal_resolver, sorted(names)


def _refusal(plan: ServicePlan, resolver: str, name: str, left: Mapping[str, str]) -> Refusal:
    if name in left:
        reason = f"{plan} is internal, and its resolver does not answer the name yet ({left[name]})"
    else:
        first = next(iter(left))
        reason = f"{plan} is internal and waits as a whole: its resolver {resolver} does not answer {first} yet"
    return Refusal(rule=RULE, reason=f"{reason}; its records and its route stay as they are until it does")


def _not_asked(plan: ServicePlan, resolver: str, _name: str, _left: Mapping[str, str]) -> Refusal:
    reason = (
        f"{plan} is internal; its resolver {resolver} is not asked here, and its records and its route stay as they "
        "are until a run has its answer"
    )
    return Refusal(rule=RULE, reason=reason, on_purpose=True)
