"""Why a source no longer declares a hostname: gone itself, out of the settings, or left out by a selector."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from edge_dns.core.decision import Decision
from edge_dns.core.gateway_state import Gateway, GatewayState
from edge_dns.core.names import as_shown
from edge_dns.core.selection import selects_gateway, selects_route
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.tunnels import tunnel_source
from edge_dns.core.values import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cluster:
    setting: Cluster
    gateways: Mapping[tuple[str, str], Gateway]
    left_out: Collection[str]
    """Hostnames of the routes that `routes` leaves out."""
    left: Mapping[str, str]


def tell_absence(
    decisions: Iterable[Decision],
    settings: Settings,
    states: Mapping[str, GatewayState],
    left: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> tuple[Decision, ...]:
    """Return the decisions, those under `not-declared` with the reason as exact as settings and objects give it.

    `left` says by cluster and hostname which service names it no more.
    """
    tunnels = {tunnel_source(tunnel) for tunnel in settings.tunnels}
    clusters = {one.name: _cluster(one, states[one.name], left.get(one.name, {})) for one in settings.clusters}
    return tuple(
        _exact(one, tunnels, clusters) if one.refusal and one.refusal.rule == "not-declared" else one
        for one in decisions
    )


def _cluster(setting: Cluster, state: GatewayState, left: Mapping[str, str]) -> _Cluster:
    left_out = (hostname for route in state.routes if not selects_route(setting, route) for hostname in route.hostnames)
    return _Cluster(
        setting=setting,
        gateways={one.key: one for one in state.gateways},
        left_out=frozenset(map(as_shown, left_out)),
        left=left,
    )


def _exact(decision: Decision, tunnels: Collection[Source], clusters: Mapping[str, _Cluster]) -> Decision:
    refusal, source = decision.refusal, decision.source
    why = _why(source, decision.hostname, tunnels, clusters)
    return replace(decision, refusal=replace(refusal, reason=why)) if refusal and why else decision


def _why(source: Source, hostname: str, tunnels: Collection[Source], clusters: Mapping[str, _Cluster]) -> str | None:
    """Return the reason, None when the source is there and simply does not name the hostname any more."""
    if source.cluster is None:
        return None if source in tunnels else f"{source} is no longer in the settings"
    cluster = clusters.get(source.cluster)
    if cluster is None:
        return f"cluster {source.cluster} is no longer in the settings"
    gateway = cluster.gateways.get((source.namespace, source.name))
    if gateway is None or gateway.deleting:
        return f"{source} {'is being deleted' if gateway else 'no longer exists'}"
    if not selects_gateway(cluster.setting, gateway):
        return f"`select` of cluster {source.cluster} leaves out {gateway}"
    if hostname in cluster.left_out:
        return f"`routes` of cluster {source.cluster} leaves its route out"
    return cluster.left.get(hostname)
