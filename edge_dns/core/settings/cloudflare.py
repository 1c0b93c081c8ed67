"""What the settings of Cloudflare tunnels must not say: of their origins, adopted tunnels and agents."""

from collections.abc import Iterator

from edge_dns.core.names import NameSyntax, normalise_hostname
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.models import CloudflareTunnel, Settings, Tunnel


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
        if problem := _agent(tunnel.cloudflare, settings):
            yield (*here, "agent", "cluster"), problem


def _origins(tunnel: Tunnel, of: CloudflareTunnel) -> Iterator[tuple[Location, str]]:
    hostnames = set(_normal(tunnel))
    for hostname in sorted(of.origins.keys() - hostnames):
        yield ("origins", hostname), "is no hostname of the tunnel; add it to `hostnames`, or take it out"
    if of.origin is None and (missing := sorted(hostnames - of.origins.keys())):
        yield ("origin",), f"missing; {', '.join(missing)} would lead nowhere (or give each an entry in `origins`)"


def _normal(tunnel: Tunnel) -> Iterator[str]:
    for text in tunnel.hostnames:
        try:
            yield normalise_hostname(text)
        except NameSyntax:
            continue


def cloudflared_name(tunnel: Tunnel) -> str:
    """Return the name of the Deployment and the Secret of a tunnel's cloudflared."""
    return f"cloudflared-{tunnel.name}"


def _agent(of: CloudflareTunnel, settings: Settings) -> str | None:
    """Return what is wrong with the cluster of the agent."""
    if of.agent is None:
        return None
    names = [cluster.name for cluster in settings.clusters]
    known = ", ".join(sorted(names)) or "none"
    if of.agent.cluster is None:
        return (
            None if len(names) == 1 else f"missing; the settings do not have exactly one cluster (there are: {known})"
        )
    found = next((one for one in settings.clusters if one.name == of.agent.cluster), None)
    if found is None:
        return f'is "{of.agent.cluster}", expected a cluster of the settings (known: {known})'
    if found.files is not None:
        return f"cluster {found.name} is read from files, so that nothing can be declared in it"
    return None
