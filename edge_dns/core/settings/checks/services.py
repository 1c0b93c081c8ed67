"""Services: what cannot be declared in the cluster that each of them belongs to."""

from collections.abc import Iterator

from edge_dns.core.settings.checks.clusters import known_clusters
from edge_dns.core.settings.cluster import Cluster
from edge_dns.core.settings.clusters import cluster_of
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings

MAX_HOSTNAMES = 16
"""Most hostnames of one HTTPRoute (Gateway API v1, HTTPRouteSpec.hostnames)."""


def service_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of services without their cluster, and of those whose route could not be written."""
    known = known_clusters(settings)
    seen: set[tuple[str, str, str]] = set()
    for index, service in enumerate(settings.services):
        here: Location = ("services", index)
        cluster = cluster_of(service, settings)
        if cluster is None and service.cluster is not None:
            yield (*here, "cluster"), f'is "{service.cluster}", expected a cluster of the settings (known: {known})'
        elif cluster is None and service.gateway and settings.clusters:
            yield (*here, "cluster"), f"is required beside gateway: the settings have several clusters ({known})"
        elif cluster is None and service.gateway:
            yield (*here, "gateway"), "needs a cluster that the route is written to, and the settings have none"
        elif cluster and service.gateway and cluster.files is not None:
            yield (*here, "gateway"), _read_from_files(cluster)
        elif cluster and service.gateway and not cluster.gateways:
            yield (*here, "gateway"), f"needs a cluster whose Gateways are read: gateways of {cluster.name} is false"
        if service.gateway and len(service.hostnames) > MAX_HOSTNAMES:
            yield (*here, "hostnames"), f"are {len(service.hostnames)}, and an HTTPRoute has at most {MAX_HOSTNAMES}"
        if cluster:
            key = (cluster.name, service.namespace, service.name)
            if key in seen:
                yield here, "each service once; this one is there before, in the same cluster"
            seen.add(key)


def _read_from_files(cluster: Cluster) -> str:
    return (
        f"needs a cluster that the route is written to, and {cluster.name} is read from files: give it a kubeconfig, "
        "or leave gateway out where something else declares the route"
    )
