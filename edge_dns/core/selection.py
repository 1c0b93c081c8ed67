"""Selection: which Gateways and routes of a cluster its settings `select` and `routes` take."""

from edge_dns.core.gateway_state import Gateway, HTTPRoute, NotSupported
from edge_dns.core.settings import Cluster


def selects_route(cluster: Cluster, route: HTTPRoute) -> bool:
    """Say whether `routes` of the cluster takes the route; that of a service of the settings counts always."""
    routes = cluster.routes
    return route.service is not None or (
        (not routes.namespaces or route.namespace in routes.namespaces)
        and (routes.labels is None or routes.labels.matches(route.labels))
        and (routes.annotations is None or routes.annotations.matches(route.annotations))
    )


def selects_gateway(cluster: Cluster, gateway: Gateway) -> bool:
    """Say whether `select` of the cluster takes the Gateway."""
    select = cluster.select
    return (
        select.may_select(gateway.namespace, gateway.name)
        and (select.labels is None or select.labels.matches(gateway.labels))
        and (not select.classes or gateway.class_name in select.classes)
    )


def is_in_scope(cluster: Cluster, found: NotSupported) -> bool:
    """Say whether an object that nothing is published for is of a namespace that `routes` of the cluster takes."""
    namespaces = cluster.routes.namespaces
    return not (namespaces and found.kind.endswith("Route")) or found.namespace in namespaces
