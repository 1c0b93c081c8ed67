"""A cluster as it is once the routes of our services are written: what is observed, overlaid with what is declared.

Without it the cluster would still show the old route in the very run that takes a hostname out of it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from edge_dns.core.binding import declared_hostnames
from edge_dns.core.exposure import opts_out
from edge_dns.core.gateway_state import GatewayState, HTTPRoute, ServiceExposure
from edge_dns.core.memory import ServiceMemory
from edge_dns.core.notices import Notice
from edge_dns.core.receipts import Receipt
from edge_dns.core.services import NOBODY, OWNER_ANNOTATION, PlannedRoute, route_id

_SETTING = "edge-dns:services"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A route in a cluster that the engine would take for one of the state, which it is not; `way_out`: what to do."""

    route: HTTPRoute
    cluster: str
    why: str
    way_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaid:
    """The state of a cluster after this run, as far as it is known before.

    `found` are the ids of planned routes that are there with our marker although the state does not know them, as after
    a crash. `foreign` holds by id why a planned route is not declared: somebody else has one of that name. `taken` are
    routes of the state that the engine must not touch any more. `left` says of hostnames that no service names any more
    which one did. `memory` is what is remembered of the declared routes, by id; `gone` are those that are not there.
    """

    state: GatewayState
    found: frozenset[str]
    foreign: Mapping[str, str]
    taken: tuple[Taken, ...]
    left: Mapping[str, str]
    memory: Mapping[str, ServiceMemory]
    gone: frozenset[str]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """How a route of this stack is known: `routes` of the last state by id, and the `owner` that its marker names.

    Without owner (offline) the marker of any stack on a planned route counts. `clusters` are those of the settings.
    `internal` says by id which exposure a route has that stands under the name of an internal service.
    """

    routes: Mapping[str, ServiceMemory]
    owner: str | None
    clusters: Collection[str]
    internal: Mapping[str, ServiceExposure] = field(default_factory=dict)


def overlay(cluster: str, state: GatewayState, planned: Iterable[PlannedRoute], ownership: Ownership) -> Overlaid:
    """Return the cluster of this name with the planned routes in it and without those that leave."""
    wanted = {(one.namespace, one.name): one for one in planned}
    found = {(one.namespace, one.name): one for one in state.routes}
    elsewhere = {
        one.uid: known for known, one in ownership.routes.items() if one.uid and known.rsplit("/", 2)[0] != cluster
    }
    by_key = {
        key: _Route(
            cluster=cluster,
            planned=wanted.get(key),
            live=found.get(key),
            known=ownership.routes.get(route_id(cluster, *key)),
            elsewhere=elsewhere,
            ownership=ownership,
        )
        for key in {*wanted, *found}
    }
    routes = [by_key[key] for key in sorted(by_key)]
    return Overlaid(
        state=replace(state, routes=tuple(one for route in routes if (one := route.after))),
        found=frozenset(one.id for one in routes if one.planned and one.is_ours and one.known is None),
        foreign={one.id: one.why_foreign for one in routes if one.planned and one.is_foreign},
        taken=tuple(taken for one in routes if (taken := one.taken)),
        left={name: reason for one in routes for name, reason in one.left()},
        memory={one.id: one.remembered for one in routes if one.planned and not one.is_foreign},
        gone=frozenset(one.id for one in routes if one.planned and one.known and one.live is None),
        notices=tuple(notice for one in routes for notice in one.notices()),
    )


def rebound_hostnames(
    routes: Iterable[PlannedRoute], overlaid: Mapping[str, Overlaid], receipts: Iterable[Receipt]
) -> frozenset[str]:
    """Return the hostnames of public services for which no receipt is of the route and the parent that are planned.

    A route that somebody else has deleted is no change of the settings.
    """
    known = {(one.hostname, one.route_namespace, one.route_name, one.parent_ref) for one in receipts}
    return frozenset(
        name
        for one in routes
        if one.exposure == "public"
        and one.id in overlaid[one.cluster].memory
        and one.id not in overlaid[one.cluster].gone
        for name in one.hostnames
        if (name, one.namespace, one.name, one.parent.key) not in known
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Route:
    """One name of a route: what is planned, what is there, and what this stack remembers of it.

    `elsewhere` holds by UID the ids of the routes that it remembers in clusters of other names.
    """

    cluster: str
    planned: PlannedRoute | None
    live: HTTPRoute | None
    known: ServiceMemory | None
    elsewhere: Mapping[str, str]
    ownership: Ownership

    @property
    def id(self) -> str:
        named = self.planned or self.live
        assert named is not None  # noqa: S101 - one of the two is there
        return route_id(self.cluster, named.namespace, named.name)

    @property
    def is_ours(self) -> bool:
        """Whether the live route is the one that this stack has made: by the marker on it.

        The UID of the state proves nothing: a refresh takes over that of whatever has the name now.
        """
        if self.live is None or (self.live.uid in self.elsewhere and not self._has_known_uid):
            return False
        marker = self.live.annotations.get(OWNER_ANNOTATION)
        owner = self.ownership.owner
        known_here = self.planned is not None or self.known is not None
        return marker == owner if owner is not None else marker is not None and known_here

    @property
    def _has_known_uid(self) -> bool:
        return self.known is not None and self.live is not None and self.known.uid in ("", self.live.uid)

    @property
    def is_foreign(self) -> bool:
        return self.live is not None and not self.is_ours

    @property
    def why_foreign(self) -> str:
        marker = self.live.annotations.get(OWNER_ANNOTATION) if self.live else None
        whose = f"stack {marker} has declared" if marker else "this stack did not make"
        return f"{self.live} is in cluster {self.cluster} already, and {whose} it; it is left as it is"

    @property
    def after(self) -> HTTPRoute | None:
        """The route after this run; None where there is none any more."""
        if self.is_foreign or (self.planned is None and not self.is_ours):
            return self._of_others
        return _as_declared(self.planned, self.live) if self.planned else None

    @property
    def _of_others(self) -> HTTPRoute | None:
        """The route of somebody else: under the name of an internal service all that it names is internal."""
        exposure = self.ownership.internal.get(self.id)
        if self.live is None or exposure is None or opts_out(self.live.annotations):
            return self.live
        return replace(self.live, service=exposure)

    @property
    def remembered(self) -> ServiceMemory:
        assert self.planned is not None  # noqa: S101 - asked for planned routes only
        uid = self.live.uid if self.live else ""
        return ServiceMemory(uid=uid, hostnames=self.planned.hostnames, port=self.planned.port)

    @property
    def taken(self) -> Taken | None:
        if self.live is None or not self.live.uid:
            return None
        if self.known and not self.is_ours:
            return Taken(route=self.live, cluster=self.cluster, why=self._why_not_ours, way_out=self._way_out)
        former = self.elsewhere.get(self.live.uid)
        if former is None or former.rsplit("/", 2)[0] in self.ownership.clusters:
            return None
        why = f"the state knows it as {former}, from a cluster of another name"
        way_out = f"name the cluster {former.rsplit('/', 2)[0]} again, as long as services are written to it"
        return Taken(route=self.live, cluster=self.cluster, why=why, way_out=way_out)

    @property
    def _why_not_ours(self) -> str:
        assert self.live is not None  # noqa: S101 - asked for live routes only
        assert self.known is not None  # noqa: S101 - and for those that the state knows
        if not self._has_known_uid:
            return f"it has UID {self.live.uid}, and the one that this stack made had {self.known.uid}"
        marker = self.live.annotations.get(OWNER_ANNOTATION)
        found = f"its annotation {OWNER_ANNOTATION} says {marker}" if marker else f"it has no {OWNER_ANNOTATION}"
        return f"{found}, and after a refresh the UID in the state may be that of anybody's route"

    @property
    def _way_out(self) -> str:
        forget = (
            f"let the state forget the route {self.id} as docs/services.md says; until then destroy the stack only "
            "with --run-program, which stops here, too"
        )
        owner = self.ownership.owner
        if not self._has_known_uid or owner is None or self.live is None:
            return forget
        named = f"--namespace {self.live.namespace} httproute {self.live.name}"
        mark = f"kubectl annotate --overwrite {named} {OWNER_ANNOTATION}={owner}"
        return f"{forget}; if it is the one that this stack made, mark it again: {mark}"

    def left(self) -> Iterator[tuple[str, str]]:
        """Yield the hostnames that only the live route names, with the reason."""
        if self.live and self.is_ours:
            service = f"service {self.live.namespace}/{self.live.name}"
            kept = self.planned.hostnames if self.planned else ()
            why = f"{service} no longer names it" if self.planned else f"{service} no longer declares a route"
            yield from ((name, why) for name in declared_hostnames(self.live).valid if name not in kept)

    def notices(self) -> Iterator[Notice]:
        """Yield what became of the route outside of this stack."""
        if self.planned and self.known and self.live is None:
            yield _drift(f"{self.planned} is gone, and the state still knows it")
        elif self.live and self.is_ours and self.known and self._differs(self.known):
            yield _drift(f"{self.live} in cluster {self.cluster} was changed by somebody else")
        elif self.live and self.is_ours and self.planned is None and self.known is None:
            message = (
                f"{self.live} in cluster {self.cluster} carries the marker of this stack, and neither its settings nor "
                "its state know it: nothing is published for it; delete it"
            )
            yield Notice(rule="route-drift", path=_SETTING, message=message)

    def _differs(self, known: ServiceMemory) -> bool:
        return self.live is not None and sorted(declared_hostnames(self.live).valid) != sorted(known.hostnames)


def _drift(what: str) -> Notice:
    return Notice(rule="route-drift", path=_SETTING, message=f"{what}; write it again with: pulumi up --refresh")


def _as_declared(planned: PlannedRoute, live: HTTPRoute | None) -> HTTPRoute:
    """Return the route as this run writes it; an edit of its spec raises the generation, so its status is old then."""
    if live is None:
        return HTTPRoute(
            namespace=planned.namespace,
            name=planned.name,
            uid="",
            generation=1,
            deleting=False,
            labels=planned.labels,
            annotations=planned.annotations,
            hostnames=planned.hostnames,
            parent_refs=(planned.parent,),
            parents=(),
            service=_service_exposure(planned),
        )
    unchanged = (live.hostnames, live.parent_refs) == (planned.hostnames, (planned.parent,))
    return replace(
        live,
        generation=live.generation if unchanged else live.generation + 1,
        labels={**live.labels, **planned.labels},
        annotations={**_without_ours(live.annotations), **planned.annotations},
        hostnames=planned.hostnames,
        parent_refs=(planned.parent,),
        service=_service_exposure(planned),
    )


def _service_exposure(planned: PlannedRoute) -> ServiceExposure:
    return "private" if planned.private_zones else planned.exposure


def _without_ours(annotations: Mapping[str, str]) -> Mapping[str, str]:
    """Leave out what only an internal service puts there; the opt-out of anybody else is honoured."""
    return {key: value for key, value in annotations.items() if value != NOBODY}
