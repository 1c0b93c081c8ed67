"""Agents of tunnels: the cluster that each belongs to, and that the agents of a tunnel serve the same."""

from collections.abc import Iterator

from edge_dns.core.names import as_shown
from edge_dns.core.settings.agent import Agent, PortService
from edge_dns.core.settings.checks.clusters import cluster_problem
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings
from edge_dns.core.settings.tunnel import Tunnel

_SAME = "several agents of a tunnel are for failover, so each must serve all of it"


def agent_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of agents without a hostname, or that do not serve what the tunnel's others do."""
    for index, tunnel in enumerate(settings.tunnels):
        here: Location = ("tunnels", index)
        if tunnel.agents and not tunnel.hostnames and not any(one.services for one in tunnel.agents):
            yield (*here, "agents"), "a tunnel needs at least one hostname, also for TCP and UDP services only"
        for place, agent in enumerate(tunnel.agents):
            for path, message in _differences(agent, tunnel):
                yield (*here, "agents", place, *path), message


def agent_cluster_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of agents without a cluster that they can be written to."""
    for index, tunnel in enumerate(settings.tunnels):
        for place, agent in enumerate(tunnel.agents):
            if problem := cluster_problem(agent, settings):
                yield ("tunnels", index, "agents", place, "cluster"), problem


def _differences(agent: Agent, tunnel: Tunnel) -> Iterator[tuple[Location, str]]:
    """Yield what an agent serves otherwise than the first one of its tunnel."""
    first = tunnel.agents[0]
    if _https(agent) != _https(first):
        differing = ", ".join(sorted({hostname for hostname, _ in _https(agent) ^ _https(first)}))
        yield ("services",), f"differ from those of agent {first.name} in {differing}: {_SAME}"
    for protocol, own, others in (("tcp", agent.tcp, first.tcp), ("udp", agent.udp, first.udp)):
        if _names(own) != _names(others):
            differing = ", ".join(sorted(_names(own) ^ _names(others)))
            yield (protocol,), f"differ from those of agent {first.name} in {differing}: {_SAME}"
        preferred = {one.name: one.preferred_port for one in others}
        for place, one in enumerate(own):
            if one.preferred_port != preferred.get(one.name, one.preferred_port):
                message = f"is another one than that of agent {first.name}: they share the port"
                yield (protocol, place, "preferredPort"), message


def _https(agent: Agent) -> set[tuple[str, str]]:
    return {(as_shown(one.hostname), one.tls_mode) for one in agent.services}


def _names(services: tuple[PortService, ...]) -> set[str]:
    return {one.name for one in services}
