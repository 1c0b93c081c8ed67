"""Settings of clusters that name what is not there: a mistyped one would be silently of no effect."""

from collections.abc import Iterator, Mapping

from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.notices import Notice
from edge_dns.core.selection import selects_gateway, selects_route
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.texts import first_of

_SHOWN = 3


def idle_cluster_notices(settings: Settings, states: Mapping[str, GatewayState]) -> Iterator[Notice]:
    """Yield a warning for each `targets` entry, `select` and `routes` of a cluster that matches none of its objects.

    A cluster without any Gateway or route says nothing of what selects them.
    """
    for index, cluster in enumerate(settings.clusters):
        for name, why in _idle(cluster, states[cluster.name]):
            path = f"edge-dns:clusters[{index}].{name}"
            yield Notice(rule=None, path=path, message=f"{path}: {why}")


def _idle(cluster: Cluster, state: GatewayState) -> Iterator[tuple[str, str]]:
    gateways = {one.key for one in state.gateways}
    for index, target in enumerate(cluster.targets):
        if (target.namespace, target.name) not in gateways:
            yield (
                f"targets[{index}]",
                f"cluster {cluster.name} has no Gateway {target.namespace}/{target.name}; correct or remove it",
            )
    if gateways and not any(selects_gateway(cluster, one) for one in state.gateways):
        yield "select", _leaves_out("Gateway", cluster, {f"{namespace}/{name}" for namespace, name in gateways})
    if state.routes and not any(selects_route(cluster, one) for one in state.routes):
        yield "routes", _leaves_out("HTTPRoute", cluster, {f"{one.namespace}/{one.name}" for one in state.routes})


def _leaves_out(kind: str, cluster: Cluster, names: set[str]) -> str:
    return f"leaves out every {kind} of cluster {cluster.name} ({first_of(sorted(names), _SHOWN)}); correct it"
