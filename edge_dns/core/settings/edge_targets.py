"""Edge targets: where the edge of each region of the hub is, and the Gateways that are published there."""

from collections.abc import Iterator, Mapping

from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.models import Cluster, Settings

PUBLIC_HUB = "https://hub.towonel.dev"
PUBLIC_EDGE_TARGETS = {"CA": "edge-na.towonel.dev", "EU": "edge-eu.towonel.dev"}


def edge_targets(settings: Settings) -> Mapping[str, str]:
    """Return region → edge target: the settings' own, over the defaults that hold for exactly the public hub."""
    is_public = settings.hub is not None and settings.hub.url == PUBLIC_HUB
    return {**(PUBLIC_EDGE_TARGETS if is_public else {}), **settings.edge_targets}


def gateway_edge_targets(cluster: Cluster, settings: Settings) -> Mapping[tuple[str, str], str]:
    """Return the edge target by namespace and name of each Gateway that `targets` of the cluster names."""
    targets = edge_targets(settings)
    return {(one.namespace, one.name): targets[one.region] for one in cluster.targets}


def gateway_target_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `clusters[].targets` that could have no effect."""
    known = edge_targets(settings)
    for index, cluster in enumerate(settings.clusters):
        for place, one in enumerate(cluster.targets):
            here: Location = ("clusters", index, "targets", place)
            if one.region not in known:
                regions = ", ".join(sorted(known)) or "none"
                yield (*here, "region"), f'is "{one.region}", expected a region of edgeTargets (known: {regions})'
            if not cluster.select.may_select(one.namespace, one.name):
                yield here, f"names Gateway {one.namespace}/{one.name}, which select of the cluster leaves out"
