"""Opting out of publishing: objects whose external-dns controller annotation says that another controller has them.

The opt-out of a route counts wherever the route stands: selected or not, bound or not, accepted or not, and also while
it or its Gateway is being deleted. A Gateway's own opt-out counts for what it routes, if the Gateway is selected.
"""

from collections.abc import Collection, Iterator, Mapping

from edge_dns.core.binding import bind, bound_hostnames, declared_hostnames
from edge_dns.core.exposure import opts_out
from edge_dns.core.gateway_state import Gateway, GatewayState, HTTPRoute, NotSupported, ParentRef
from edge_dns.core.rules import Refusal


def opt_out(route: HTTPRoute | NotSupported, gateway: Gateway | None = None) -> Refusal | None:
    """Return why no zone may hold the names of a route: by its own annotation, or by that of its Gateway; None if not.

    What a service of the settings says of its route counts before the annotations that follow from it.
    """
    service = route.service if isinstance(route, HTTPRoute) else None
    if service == "internal":
        return _internal(route)
    if service != "private" and opts_out(route.annotations):
        said = str(route)
    elif gateway and opts_out(gateway.annotations):
        said = f"{gateway}, which {route} refers to,"
    else:
        return None
    reason = f"{said} opts out of publishing by its external-dns controller annotation"
    return Refusal(rule="exposure-internal", reason=reason)


def _internal(route: HTTPRoute | NotSupported) -> Refusal:
    """Return why a hostname is internal that only the route with the name of an internal service names."""
    reason = f"service {route.namespace}/{route.name} is internal, and {route}, which has its name, counts as a whole"
    return Refusal(rule="exposure-internal", reason=reason)


def only_private_hostnames(state: GatewayState) -> Mapping[str, Refusal]:
    """Return the hostnames of one cluster that only private zones may hold: those of internal services that say so."""
    gateways = {gateway.key: gateway for gateway in state.gateways}
    return {
        hostname: _internal(route)
        for route in state.routes
        if route.service == "private"
        for hostname in (*declared_hostnames(route).valid, *_bound(route, gateways, state.namespaces))
    }


def internal_hostnames(state: GatewayState, selected: Collection[tuple[str, str]]) -> Mapping[str, Refusal]:
    """Return the hostnames of one cluster that must not be published, each with an object that says so.

    `selected` holds namespace and name of the selected Gateways, of those that are being deleted too. Raises
    ObservationFailed where `bind` does.
    """
    gateways = {gateway.key: gateway for gateway in state.gateways}
    found: dict[str, Refusal] = {}
    for route in state.routes:
        for hostname, refusal in _of_route(route, gateways, selected, state.namespaces):
            found[hostname] = min(found.get(hostname, refusal), refusal, key=lambda one: one.reason)
    for other in state.not_supported:
        if own := opt_out(other):
            for hostname in declared_hostnames(other).valid:
                found.setdefault(hostname, own)
    return found


def _of_route(
    route: HTTPRoute,
    gateways: Mapping[tuple[str, str], Gateway],
    selected: Collection[tuple[str, str]],
    namespaces: Mapping[str, Mapping[str, str]],
) -> Iterator[tuple[str, Refusal]]:
    own = opt_out(route)
    if own:
        yield from ((hostname, own) for hostname in declared_hostnames(route).valid)
    for ref in route.parent_refs:
        gateway = gateways.get((ref.namespace, ref.name)) if ref.is_gateway else None
        refusal = own or (opt_out(route, gateway) if gateway and gateway.key in selected else None)
        if gateway is None or refusal is None:
            continue
        yield from ((hostname, refusal) for hostname in _routed(route, ref, gateway, namespaces))


def _bound(
    route: HTTPRoute, gateways: Mapping[tuple[str, str], Gateway], namespaces: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for ref in route.parent_refs:
        if ref.is_gateway and (gateway := gateways.get((ref.namespace, ref.name))):
            yield from _routed(route, ref, gateway, namespaces)


def _routed(
    route: HTTPRoute, ref: ParentRef, gateway: Gateway, namespaces: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the hostnames that a Gateway routes for one parentRef of a route."""
    for bound in bind(gateway, ref, route.namespace, namespaces).bound:
        yield from (hostname for _, hostname in bound_hostnames(declared_hostnames(route), bound))
