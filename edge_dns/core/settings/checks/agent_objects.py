"""Objects of agents in a cluster: no two agents, of whatever kind of tunnel, may declare one of the same name."""

from collections.abc import Iterator, Sequence

from edge_dns.core.settings.agent import Agent
from edge_dns.core.settings.clusters import cluster_of
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings

ClusterObject = tuple[str, str, str, str]
"""Kind, cluster, namespace and name."""


def agent_object_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of agents with an object that one before them declares."""
    first: dict[ClusterObject, str] = {}
    for location, path, objects in _declared(settings):
        for one in objects:
            if before := first.get(one):
                kind, cluster, namespace, name = one
                told = f"its {kind} {namespace}/{name} in cluster {cluster} would be that of {before} as well"
                yield location, f"{told}; give one of both another name or namespace"
                break
        for one in objects:
            first.setdefault(one, path)


def _declared(settings: Settings) -> Iterator[tuple[Location, str, Sequence[ClusterObject]]]:
    """Yield location, config path and objects of each agent whose cluster is known."""
    for index, tunnel in enumerate(settings.tunnels):
        path = f"tunnels[{index}]"
        for place, agent in enumerate(tunnel.agents):
            if cluster := cluster_of(agent, settings):
                namespace = agent.namespace or tunnel.namespace
                objects = [(kind, cluster.name, namespace, name) for kind, name in _of_agent(agent)]
                yield ("tunnels", index, "agents", place), f"{path}.agents[{place}]", objects
        cloudflared = tunnel.cloudflare.agent if tunnel.cloudflare else None
        if cloudflared and (cluster := cluster_of(cloudflared, settings)):
            namespace, name = cloudflared.namespace or tunnel.namespace, tunnel.cloudflared_name
            objects = [(kind, cluster.name, namespace, name) for kind in ("Deployment", "Secret")]
            yield ("tunnels", index, "cloudflare", "agent"), f"{path}.cloudflare.agent", objects


def _of_agent(agent: Agent) -> Iterator[tuple[str, str]]:
    yield "Deployment", agent.name
    yield "Secret", f"{agent.name}-token"
    if node_port := agent.connectivity.node_port:
        yield "Service", node_port.name or f"{agent.name}-iroh"
