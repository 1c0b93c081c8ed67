"""What the settings of Cloudflare tunnels must not say: of their origins, adopted tunnels and agents."""

from collections.abc import Iterator

from edge_dns.core.names import split_hostnames
from edge_dns.core.settings.checks.clusters import cluster_problem
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings
from edge_dns.core.settings.tunnel import CloudflareTunnel, Tunnel


def cloudflare_tunnel_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of tunnels that could not be declared as they are written."""
    adopted: dict[str, str] = {}
    for index, tunnel in enumerate(settings.tunnels):
        if tunnel.kind != "cloudflare" or tunnel.cloudflare is None:
            continue
        here: Location = ("tunnels", index, "cloudflare")
        for place, message in _origins(tunnel, tunnel.cloudflare):
            yield (*here, *place), message
        if (found := tunnel.cloudflare.adopt) and found in adopted:
            yield (*here, "adopt"), f"tunnel {adopted[found]} adopts it already; a tunnel has one owner"
        elif found:
            adopted[found] = f"{tunnel.namespace}/{tunnel.name}"
        agent = tunnel.cloudflare.agent
        if agent and (problem := cluster_problem(agent, settings)):
            yield (*here, "agent", "cluster"), problem


def _origins(tunnel: Tunnel, of: CloudflareTunnel) -> Iterator[tuple[Location, str]]:
    hostnames = set(split_hostnames(tunnel.hostnames).valid)
    for hostname in sorted(of.origins.keys() - hostnames):
        yield ("origins", hostname), "is no hostname of the tunnel; add it to `hostnames`, or take it out"
    if of.origin is None and (missing := sorted(hostnames - of.origins.keys())):
        yield ("origin",), f"missing; {', '.join(missing)} would lead nowhere (or give each an entry in `origins`)"
