"""Which clusters' Services are read: only where the settings need them, since each is one permission more."""

from edge_dns.core.settings.models import Cluster, Settings


def reads_services(cluster: Cluster, settings: Settings) -> bool:
    """Say whether the Services of a cluster are read: for the register of publishers, or for services of the stack."""
    return settings.exposure.publishers == "listed" or any(
        service.cluster in {None, cluster.name} for service in settings.services
    )
