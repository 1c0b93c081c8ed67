"""What the agents of a tunnel ask for beside their Deployments: the tunnel's hostnames and the ports of the hub."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.settings import Agent, Cluster, Settings, Tunnel, cluster_of

PORT_REFUSED = "port-refused"
"""The rule under which a port is refused."""

Protocol = Literal["tcp", "udp"]


@dataclass(frozen=True, slots=True, order=True)
class PortKey:
    """A TCP or UDP service of a tunnel; the same name may stand in both."""

    protocol: Protocol
    name: str

    def __str__(self) -> str:
        return f"{self.protocol}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPort:
    """A port that the hub shall reserve for the tunnel, found again by its label."""

    key: PortKey
    label: str
    preferred: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAgent:
    """An agent and where it runs; `tunnel` is `<namespace>/<name>`, the `hidden` hostnames are not to be served."""

    agent: Agent
    cluster: Cluster
    namespace: str
    tunnel: str
    hidden: Collection[str] = ()

    @property
    def id(self) -> str:
        """Return `<cluster>/<namespace>/<name>`."""
        return f"{self.cluster.name}/{self.namespace}/{self.agent.name}"


def tunnel_hostnames(tunnel: Tunnel) -> tuple[str, ...]:
    """Return the hostnames of a tunnel as people wrote them: its own and those that its agents serve over HTTPS.

    Names of TCP and UDP services are never among them.
    """
    return (*tunnel.hostnames, *(one.hostname for agent in tunnel.agents for one in agent.services))


def planned_agents(tunnel: Tunnel, settings: Settings, hidden: Collection[str] = ()) -> tuple[PlannedAgent, ...]:
    """Return the agents of a tunnel, sorted by their ids; none of them serves the `hidden` hostnames."""
    found = (
        PlannedAgent(
            agent=agent,
            cluster=cluster,
            namespace=agent.namespace or tunnel.namespace,
            tunnel=f"{tunnel.namespace}/{tunnel.name}",
            hidden=hidden,
        )
        for agent in tunnel.agents
        if (cluster := cluster_of(agent, settings))
    )
    return tuple(sorted(found, key=lambda one: one.id))


def planned_ports(tunnel: Tunnel) -> tuple[PlannedPort, ...]:
    """Return the ports of a tunnel, sorted; agents that serve the same service share one.

    The label on the hub is `<namespace>/<tunnel>/<service>`.
    """
    ports = {port.key: port for port in _ports(tunnel)}
    return tuple(ports[key] for key in sorted(ports))


def _ports(tunnel: Tunnel) -> Iterator[PlannedPort]:
    protocols: tuple[Protocol, ...] = ("tcp", "udp")
    for agent in tunnel.agents:
        for protocol in protocols:
            for one in agent.tcp if protocol == "tcp" else agent.udp:
                yield PlannedPort(
                    key=PortKey(protocol, one.name),
                    label=f"{tunnel.namespace}/{tunnel.name}/{one.name}",
                    preferred=one.preferred_port,
                )
