"""Declares what serves the tunnels: the ports that the hub reserves for them, and their agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from components.providers import Providers
from components.towonel import Invite, Port
from components.tunnel_agent import TunnelAgent
from edge_dns.core.agents import PlannedAgent, PlannedPort, PortKey, planned_agents, planned_ports
from edge_dns.core.settings import Settings, Tunnel
from edge_dns.core.tunnels import TunnelPlan, tunnel_key
from edge_dns.core.values import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What serves one tunnel."""

    ports: Mapping[PortKey, Port] = field(default_factory=dict)
    agents: Sequence[PlannedAgent] = ()


def declare_agents(
    plans: Sequence[TunnelPlan], invites: Mapping[Source, Invite], settings: Settings, providers: Providers
) -> Mapping[Source, Served]:
    """Declare ports and agents of the tunnels that have an invite: without one there is no token to serve with."""
    return {
        plan.source: _declare(plan, invite, settings, providers)
        for plan in plans
        if (invite := invites.get(plan.source))
    }


def _declare(plan: TunnelPlan, invite: Invite, settings: Settings, providers: Providers) -> Served:
    tunnel = plan.tunnel
    agents = planned_agents(tunnel, settings, plan.hidden)
    ports = {one.key: _declare_port(one, tunnel, invite, providers.hub) for one in planned_ports(tunnel)}
    for one in agents:
        TunnelAgent(one, invite, ports, provider=providers.of_cluster(one.cluster))
    return Served(ports=ports, agents=agents)


def _declare_port(planned: PlannedPort, tunnel: Tunnel, invite: Invite, provider: pulumi.ProviderResource) -> Port:
    return Port(
        f"{tunnel_key(tunnel)}/{planned.key}",
        tenant_id=invite.tenant_id,
        protocol=planned.key.protocol,
        label=planned.label,
        preferred=planned.preferred,
        opts=pulumi.ResourceOptions(
            provider=provider,
            aliases=[pulumi.Alias(name=f"{alias}/{planned.key}") for alias in tunnel.aliases],
            # A reservation keeps its label on the hub, also when the tunnel is renamed.
            ignore_changes=["label"],
            # The hub releases the ports of an invite with it, and keeps those of an invite that stays; one by one it
            # would refuse as long as an agent serves them.
            deleted_with=invite,
        ),
    )
