"""Edge targets: where the edge of each region of the hub is, and the Gateways that are published there."""

from collections.abc import Mapping

from edge_dns.core.settings.cluster import Cluster
from edge_dns.core.settings.settings import Settings

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
