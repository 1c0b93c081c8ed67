"""Which cluster of the settings something belongs to, and which clusters' Services are read."""

from edge_dns.core.settings.agent import Agent
from edge_dns.core.settings.cluster import Cluster
from edge_dns.core.settings.service import Service
from edge_dns.core.settings.settings import Settings
from edge_dns.core.settings.tunnel import Cloudflared
from edge_dns.core.settings.zone import Consumer

InCluster = Service | Agent | Cloudflared | Consumer


def cluster_of(one: InCluster, settings: Settings) -> Cluster | None:
    """Return the cluster that it names, else the only one; None where there is no such one."""
    if one.cluster is None:
        return settings.clusters[0] if len(settings.clusters) == 1 else None
    return next((cluster for cluster in settings.clusters if cluster.name == one.cluster), None)


def consumer_cluster(consumer: Consumer, settings: Settings) -> str:
    """Return the name of the cluster that a consumer reads; "" where the settings leave that open."""
    cluster = cluster_of(consumer, settings)
    return cluster.name if cluster else consumer.cluster or ""


def reads_services(cluster: Cluster, settings: Settings) -> bool:
    """Say whether the Services of a cluster are read: for the register of publishers, or for services of the stack.

    Only where the settings need them, since each is one permission more.
    """
    return settings.exposure.publishers == "listed" or any(
        service.cluster in {None, cluster.name} for service in settings.services
    )
