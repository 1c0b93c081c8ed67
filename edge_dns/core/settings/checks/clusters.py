"""Errors of the setting `cluster` of what is written to a cluster, in the same words whatever it is."""

from edge_dns.core.settings.clusters import InCluster, cluster_of
from edge_dns.core.settings.settings import Settings


def known_clusters(settings: Settings) -> str:
    """Return the names of the clusters in words."""
    return ", ".join(one.name for one in settings.clusters) or "none"


def cluster_problem(one: InCluster, settings: Settings) -> str | None:
    """Return what is wrong with the cluster that something is to be written to, None when nothing is."""
    cluster = cluster_of(one, settings)
    if cluster is None and one.cluster is None:
        return f"is required unless the settings have exactly one cluster (known: {known_clusters(settings)})"
    if cluster is None:
        return f'is "{one.cluster}", expected a cluster of the settings (known: {known_clusters(settings)})'
    if cluster.files is not None:
        return f"cluster {cluster.name} is read from files, and nothing can be written to it: it needs a kubeconfig"
    return None
