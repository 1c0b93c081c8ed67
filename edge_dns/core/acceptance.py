"""Acceptance as three values, by the current generation only: unknown is neither yes nor no.

Gateway API, RouteParentStatus and GatewayStatus: a condition speaks for the generation in its observedGeneration.
"""

from collections.abc import Iterable, Iterator
from enum import Enum

from edge_dns.core.gateway_state import Accepted, Gateway, HTTPRoute, ParentRef


class Acceptance(Enum):
    """What the current conditions say."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


def ref_acceptance(route: HTTPRoute, ref: ParentRef, controller: str | None) -> Acceptance:
    """Say whether one parentRef of the route is accepted.

    A status entry counts when its whole reference equals the spec's. The given controller decides alone; None means
    that it is not known, and then every controller's entry counts. A current False wins over a current True.
    """
    said = (accepted for _, accepted in _said(route, ref, controller))
    return _by_generation(said, route.generation)


def gateway_acceptance(gateway: Gateway) -> Acceptance:
    """Say whether the Gateway itself is accepted."""
    return _by_generation(gateway.accepted, gateway.generation)


def describe_ref(route: HTTPRoute, ref: ParentRef, controller: str | None) -> str:
    """Say in words what the status holds about one parentRef, with controllers and generations."""
    said = sorted(_words(name, accepted, route.generation) for name, accepted in _said(route, ref, controller))
    if said:
        return f"{ref}: {'; '.join(said)}"
    by_whom = f"controller {controller}" if controller else "any controller"
    others = sorted({parent.controller for parent in route.parents if parent.ref == ref and parent.accepted})
    only = f", only {', '.join(others)} did" if others else ""
    similar = sorted(
        {str(parent.ref) for parent in route.parents if parent.ref != ref and _same_object(parent.ref, ref)}
    )
    instead = f", but the status speaks of {', '.join(similar)}" if similar else ""
    return f"{ref}: no Accepted condition by {by_whom}{only}{instead} (route at generation {route.generation})"


def _same_object(one: ParentRef, other: ParentRef) -> bool:
    return (one.kind, one.namespace, one.name) == (other.kind, other.namespace, other.name)


def _said(route: HTTPRoute, ref: ParentRef, controller: str | None) -> Iterator[tuple[str, Accepted]]:
    for parent in route.parents:
        if parent.ref == ref and controller in {None, parent.controller}:
            for accepted in parent.accepted:
                yield parent.controller, accepted


def _by_generation(said: Iterable[Accepted], generation: int) -> Acceptance:
    current = {accepted.status for accepted in said if accepted.observed_generation == generation}
    if "False" in current:
        return Acceptance.REJECTED
    return Acceptance.ACCEPTED if "True" in current else Acceptance.UNKNOWN


def _words(controller: str, accepted: Accepted, generation: int) -> str:
    reason = f" ({accepted.reason})" if accepted.reason else ""
    seen = "no generation" if accepted.observed_generation is None else f"generation {accepted.observed_generation}"
    at = seen if accepted.observed_generation == generation else f"{seen}, the route is at generation {generation}"
    return f"controller {controller or 'without a name'} said Accepted={accepted.status}{reason} for {at}"
