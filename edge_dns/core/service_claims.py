"""Hostnames of public services that routes of others name, too: who may publish them, and what is told of it.

A service says at which Gateway its hostname is published. Another Gateway does not get it just because the service's
own route is not accepted yet, or was refused there.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.admission import Admission
from edge_dns.core.claims import Claim
from edge_dns.core.gateway_sets import GatewaySet
from edge_dns.core.notices import Notice
from edge_dns.core.services import PlannedRoute, ServicePlan
from edge_dns.core.values import Source, Target, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A Gateway at which a service, in words, declares a hostname, and the targets of that Gateway."""

    service: str
    gateway: Source
    targets: tuple[Target, ...]


def declared_places(
    plans: Iterable[ServicePlan], admissions: Mapping[str, Admission]
) -> Mapping[tuple[str, Visibility], Sequence[Place]]:
    """Return by hostname and visibility where public services declare it."""
    targets = {one.source: one.targets for admission in admissions.values() for one in admission.sets}
    found: dict[tuple[str, Visibility], list[Place]] = defaultdict(list)
    for plan, route in _public(plans):
        gateway = _gateway(route)
        for hostname in plan.hostnames:
            place = Place(service=str(plan), gateway=gateway, targets=targets.get(gateway, ()))
            found[hostname, plan.visibility].append(place)
    return found


def declared_elsewhere(claims: Sequence[Claim], places: Sequence[Place]) -> str | None:
    """Return why Gateways must not publish a hostname that a service declares at another one; None where they may.

    The `claims` agree with each other. What would be the same record is no other one.
    """
    own = {place.gateway for place in places}
    if not places or any(claim.source.kind != "Gateway" or claim.source in own for claim in claims):
        return None
    if any(place.targets == claims[0].targets for place in places):
        return None
    declared = ", ".join(f"{place.service} declares it at {place.gateway}" for place in places)
    return f"claimed by {' and '.join(str(claim.source) for claim in claims)} over a route of others, and {declared}"


def shared_notices(
    plans: Iterable[ServicePlan],
    admissions: Mapping[str, Admission],
    declared: Collection[str],
    published: Collection[tuple[str, Visibility]],
) -> Iterator[Notice]:
    """Yield a warning of each hostname that is published at its service's Gateway without the service's own route.

    `declared` are the ids of the routes that this stack declares, `published` the hostnames that have records.
    """
    sets = {one.source: one for admission in admissions.values() for one in admission.sets}
    for plan, route in _public(plans):
        found = sets.get(_gateway(route))
        for hostname in plan.hostnames if found else ():
            if found and (hostname, plan.visibility) in published and _is_admitted(hostname, found):
                own = (route.namespace, route.name) if route.id in declared else None
                yield from _shared(plan, hostname, found, own)


def _shared(plan: ServicePlan, hostname: str, found: GatewaySet, own: tuple[str, str] | None) -> Iterator[Notice]:
    routes = {(one.route_namespace, one.route_name) for one in found.receipts if one.hostname == hostname}
    if own in routes:
        return
    names = ", ".join(f"HTTPRoute {namespace}/{name}" for namespace, name in sorted(routes)) or "an HTTPRoute"
    message = (
        f"{plan}: {hostname} is published at {found.source} over {names} of somebody else alone, and its requests go "
        "where that says: the route of the service is not accepted. Take the hostname off the one, or the service out"
    )
    yield Notice(rule="host-claimed-twice", path="edge-dns:services", message=message)


def _public(plans: Iterable[ServicePlan]) -> Iterator[tuple[ServicePlan, PlannedRoute]]:
    return ((plan, plan.route) for plan in plans if plan.route and not plan.why_internal)


def _gateway(route: PlannedRoute) -> Source:
    return Source(cluster=route.cluster, kind="Gateway", namespace=route.parent.namespace, name=route.parent.name)


def _is_admitted(hostname: str, found: GatewaySet) -> bool:
    return any(one.hostname == hostname and not one.private for one in found.admitted)
