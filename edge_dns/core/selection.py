"""Selection: which Gateways and routes of a cluster its settings `select` and `routes` take."""

from collections.abc import Collection, Iterable, Iterator

from edge_dns.core.gateway_state import Gateway, HTTPRoute, NotSupported
from edge_dns.core.publishing_objects import ROUTES, PublishingObject
from edge_dns.core.settings import Cluster


def selects_route(cluster: Cluster, route: HTTPRoute) -> bool:
    """Say whether `routes` of the cluster takes the route; that of a service of the settings counts always."""
    return route.service is not None or _takes_route(cluster, route)


def _takes_route(cluster: Cluster, route: HTTPRoute | PublishingObject) -> bool:
    routes = cluster.routes
    return (
        (not routes.namespaces or route.namespace in routes.namespaces)
        and (routes.labels is None or routes.labels.matches(route.labels))
        and (routes.annotations is None or routes.annotations.matches(route.annotations))
    )


def selects_gateway(cluster: Cluster, gateway: Gateway | PublishingObject) -> bool:
    """Say whether `select` of the cluster takes the Gateway."""
    select = cluster.select
    return (
        select.may_select(gateway.namespace, gateway.name)
        and (select.labels is None or select.labels.matches(gateway.labels))
        and (not select.classes or gateway.class_name in select.classes)
    )


def selected(
    cluster: Cluster, found: Iterable[PublishingObject], services: Collection[tuple[str, str]]
) -> Iterator[PublishingObject]:
    """Yield the objects of a cluster that count: of Gateways and routes those that `select` and `routes` take.

    A route to a Gateway that the cluster does not list counts, and so does one of `services` (namespace and name).
    """
    objects = list(found)
    left_out = {
        (one.namespace, one.name) for one in objects if one.kind == "Gateway" and not selects_gateway(cluster, one)
    }
    for one in objects:
        if one.kind == "Gateway":
            counts = (one.namespace, one.name) not in left_out
        elif one.kind in ROUTES:
            counts = (one.namespace, one.name) in services or _takes_route(cluster, one)
            counts = counts and not (one.gateways and one.gateways <= left_out)
        else:
            counts = True
        if counts:
            yield one


def is_in_scope(cluster: Cluster, found: NotSupported) -> bool:
    """Say whether an object that nothing is published for is of a namespace that `routes` of the cluster takes."""
    namespaces = cluster.routes.namespaces
    return not (namespaces and found.kind.endswith("Route")) or found.namespace in namespaces
