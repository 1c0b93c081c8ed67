"""The clusters of a plan: as they are once this run has written the routes of services, and what turns internal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.authority import Answers, Question, Seen, Turning, hold_routes, questions, seen, turning
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.memory import Memory, ServiceMemory
from edge_dns.core.notices import Notice
from edge_dns.core.recall import public_names
from edge_dns.core.service_routes import Overlaid, Ownership, Taken, overlay
from edge_dns.core.services import PlannedRoute, ServicePlan, plan_services
from edge_dns.core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """The services, the routes that they want (and those that stay for names that wait), and each cluster by its name.

    `turning` is what internal resolvers say of names that turn internal.
    """

    services: tuple[ServicePlan, ...]
    routes: tuple[PlannedRoute, ...]
    overlaid: Mapping[str, Overlaid]
    turning: Turning

    @property
    def states(self) -> Mapping[str, GatewayState]:
        """The clusters with the routes in them."""
        return {name: one.state for name, one in self.overlaid.items()}

    @property
    def remembered(self) -> Mapping[str, ServiceMemory]:
        """What is remembered of the routes that are declared, by id."""
        return {route: one for cluster in self.overlaid.values() for route, one in cluster.memory.items()}

    @property
    def declared(self) -> tuple[PlannedRoute, ...]:
        """The routes that are declared, sorted; not those whose name somebody else has taken."""
        known = self.remembered
        return tuple(sorted((one for one in self.routes if one.id in known), key=lambda one: one.id))

    @property
    def found(self) -> frozenset[str]:
        """The ids of declared routes that are there although the state does not know them."""
        return frozenset(route for one in self.overlaid.values() for route in one.found)

    @property
    def foreign(self) -> Mapping[str, str]:
        """Why routes are not declared, by id."""
        return {route: why for one in self.overlaid.values() for route, why in one.foreign.items()}

    @property
    def taken(self) -> Iterator[Taken]:
        """The routes of the state that the engine must not touch any more."""
        return (taken for one in self.overlaid.values() for taken in one.taken)

    @property
    def notices(self) -> Iterator[Notice]:
        """What became of routes outside of this stack."""
        return (notice for one in self.overlaid.values() for notice in one.notices)


def plan_clusters(
    settings: Settings,
    states: Mapping[str, GatewayState],
    memory: Memory,
    resolvers: Answers | None,
    owner: str | None,
) -> ClusterPlan:
    """Return the plan of the clusters, which are given as they are now; `owner` stands for this stack in markers."""
    services = plan_services(settings)
    public = _seen(services, settings, states, memory)
    turns = turning(services, public, resolvers, settings.safety.acknowledged)
    services, left = hold_routes(services, public, turns)
    routes = (*(one.route for one in services if one.route), *left)
    names = [cluster.name for cluster in settings.clusters]
    internal = {one.id: one.exposure_of_route for one in services if one.why_internal}
    ownership = Ownership(routes=memory.services, owner=owner, clusters=names, internal=internal)
    return ClusterPlan(
        services=services,
        routes=routes,
        overlaid={
            name: overlay(name, states[name], [one for one in routes if one.cluster == name], ownership)
            for name in names
        },
        turning=turns,
    )


def resolver_questions(settings: Settings, states: Mapping[str, GatewayState], memory: Memory) -> tuple[Question, ...]:
    """Return what internal resolvers have to be asked before the clusters are planned."""
    services = plan_services(settings)
    return questions(services, _seen(services, settings, states, memory))


def _seen(
    services: Sequence[ServicePlan], settings: Settings, states: Mapping[str, GatewayState], memory: Memory
) -> Seen:
    published = public_names(settings, memory) if services else frozenset[str]()
    return seen(services, published, states, memory.services, settings.tunnels)
