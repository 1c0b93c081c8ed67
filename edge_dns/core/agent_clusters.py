"""Agents that are in a cluster which has another name in the settings.

Their new objects would be others to the engine, of the same names in the same cluster: they cannot be made beside the
old ones, which go all the same.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from edge_dns.core.agents import planned_agents
from edge_dns.core.settings import Settings
from edge_dns.core.tunnels import TunnelPlan, tunnel_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehoused:
    """An agent of a tunnel, by `<cluster>/<namespace>/<name>`: as the state knows it, and as it is planned."""

    former: str
    planned: str
    tunnel: str
    hostnames: tuple[str, ...]


def agent_ids(plans: Iterable[TunnelPlan], settings: Settings) -> tuple[str, ...]:
    """Return the ids of the agents of all tunnels that have something to serve, sorted."""
    return tuple(sorted(one.id for plan in plans if plan.hostnames for one in planned_agents(plan.tunnel, settings)))


def rehoused_agents(plans: Iterable[TunnelPlan], settings: Settings, known: Collection[str]) -> Iterator[Rehoused]:
    """Yield the agents that the last state (`known`: ids) has in a cluster that left the settings.

    While both clusters are in the settings an agent moves from one to the other.
    """
    clusters = {one.name for one in settings.clusters}
    left = {_in_cluster(one): one for one in sorted(known) if one.partition("/")[0] not in clusters}
    for plan in plans if left else ():
        for planned in agent_ids([plan], settings):
            if planned not in known and (former := left.get(_in_cluster(planned))):
                yield Rehoused(former=former, planned=planned, tunnel=tunnel_key(plan.tunnel), hostnames=plan.hostnames)


def _in_cluster(agent: str) -> str:
    return agent.partition("/")[2]
