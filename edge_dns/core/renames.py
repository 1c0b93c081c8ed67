"""What was renamed: the memory of a former identity belongs to the present one."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from edge_dns.core.gateway_sets import gateway_set_name
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.memory import Memory, SetMemory
from edge_dns.core.settings import Tunnel
from edge_dns.core.tunnels import set_name, tunnel_key, tunnel_source

Value = TypeVar("Value")


def with_present_names(memory: Memory, tunnels: Iterable[Tunnel], clusters: Mapping[str, GatewayState]) -> Memory:
    """Return the memory as if each tunnel and each cluster had always had its present name.

    A tunnel says itself what it was called, in `aliases`; of several former names the first one counts that is
    remembered, as in the engine. A cluster is known by the UIDs of its Gateways. What has a memory of its own keeps it.
    """
    invites, cloudflare, sets = dict(memory.invites), dict(memory.tunnels), dict(memory.sets)
    for tunnel in tunnels:
        source = tunnel_source(tunnel)
        if tunnel.kind == "towonel":
            _move(invites, tunnel_key(tunnel), tunnel.aliases)
        else:
            _move(cloudflare, tunnel_key(tunnel), tunnel.aliases)
        name = set_name(source)
        if former := _move(sets, name, [set_name(source, alias) for alias in tunnel.aliases]):
            sets[name] = replace(former, source=source)
    return replace(memory, invites=invites, tunnels=cloudflare, sets=_of_present_clusters(sets, clusters))


def _move(values: dict[str, Value], key: str, former: Iterable[str]) -> Value | None:
    """Move the value of the first known former key to the key, which has none yet; returns it, None without one."""
    known = [one for one in former if one in values]
    if key in values or not known:
        return None
    values[key] = values.pop(known[0])
    return values[key]


def _of_present_clusters(
    sets: Mapping[str, SetMemory], clusters: Mapping[str, GatewayState]
) -> Mapping[str, SetMemory]:
    cluster_of = {one.uid: cluster for cluster, state in clusters.items() for one in state.gateways if one.uid}
    renamed = {}
    for set_id, one in sets.items():
        uids = {receipt.gateway_uid for receipt in one.receipts}
        found = {cluster_of[uid] for uid in uids if uid in cluster_of}
        if one.source.kind == "Gateway" and one.source.cluster not in clusters and len(found) == 1:
            (cluster,) = found
            new_id = f"{cluster}/{gateway_set_name(one.source.namespace, one.source.name)}"
            if new_id not in sets:
                renamed[new_id] = replace(one, source=replace(one.source, cluster=cluster))
                continue
        renamed[set_id] = one
    return renamed
