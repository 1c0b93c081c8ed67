"""Aliases of tunnels: the identities that a tunnel had before it was renamed."""

from collections.abc import Iterator

from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings


def alias_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of aliases that name a tunnel of the settings, or one that was named before."""
    declared = {(one.kind, one.namespace, one.name) for one in settings.tunnels}
    named: dict[tuple[str, str], str] = {}
    for index, tunnel in enumerate(settings.tunnels):
        for place, alias in enumerate(tunnel.aliases):
            namespace, _, name = alias.partition("/")
            here: Location = ("tunnels", index, "aliases", place)
            if (tunnel.kind, namespace, name) in declared:
                yield here, f"tunnel {alias} is still declared; an alias is the name that a tunnel no longer has"
            elif (tunnel.kind, alias) in named:
                yield here, f"{alias} is an alias of tunnel {named[tunnel.kind, alias]} already; name it once"
            named.setdefault((tunnel.kind, alias), f"{tunnel.namespace}/{tunnel.name}")
