"""Which hostnames of each tunnel are internal, and which of them it serves on for a record that waits."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from edge_dns.core.decision import Context
from edge_dns.core.memory import Memory
from edge_dns.core.names import covers, is_wildcard
from edge_dns.core.settings import Settings, Tunnel
from edge_dns.core.tunnels import InternalHostnames, split_names, tunnel_key, tunnel_source
from edge_dns.core.values import Source


def internal_hostnames_of_tunnels(
    settings: Settings, memory: Memory, context: Context
) -> Mapping[Source, InternalHostnames]:
    """Return by tunnel the hostnames that are internal; not those that it has published and that wait.

    They are those of internal services and those that an object of a cluster opts out of: both are published for
    nobody, so that nothing may lead to them. Hostnames that a tunnel had before are among them, and what its wildcards
    would serve at Cloudflare.
    """
    waiting = context.turning.waiting
    published = {(one.source, name) for one in memory.sets.values() for name in one.published if name in waiting}
    found: dict[Source, InternalHostnames] = {}
    for tunnel in settings.tunnels:
        source = tunnel_source(tunnel)
        why = {
            name: why
            for name in sorted({*split_names(tunnel)[0], *_with_rules(tunnel, memory), *_below(tunnel, context)})
            if (source, name) not in published
            if (why := context.why_internal(name, tunnel.visibility))
        }
        found[source] = InternalHostnames(why=why, stay=_staying(tunnel, why, memory, waiting))
    return found


def _staying(tunnel: Tunnel, names: Iterable[str], memory: Memory, waiting: Collection[str]) -> frozenset[str]:
    """Return those of the names that the tunnel serves already and that a name needs that waits, whoever publishes it.

    A record that stays must not lead nowhere.
    """
    served = _served(tunnel, memory)
    return frozenset(name for name in names if name in served and any(covers(name, one) for one in waiting))


def _served(tunnel: Tunnel, memory: Memory) -> Collection[str]:
    """Return what the last run let the tunnel serve; where that is not known, all that it names."""
    if invite := memory.invites.get(tunnel_key(tunnel)) if tunnel.kind == "towonel" else None:
        return split_names(tunnel)[0] if invite.asked is None else invite.asked
    known = memory.tunnels.get(tunnel_key(tunnel))
    return [rule.hostname for rule in known.rules.declared if not rule.is_refusal] if known else ()


def _with_rules(tunnel: Tunnel, memory: Memory) -> Iterator[str]:
    """Yield the hostnames for which this stack has written ingress rules of a tunnel."""
    known = memory.tunnels.get(tunnel_key(tunnel)) if tunnel.kind == "cloudflare" else None
    for rule in (*known.rules.declared, *known.rules.former) if known else ():
        if rule.hostname:
            yield rule.hostname


def _below(tunnel: Tunnel, context: Context) -> Iterator[str]:
    """Yield the hostnames of internal services below the wildcards of a Cloudflare tunnel, but for what waits.

    Not what only an object opts out of: it may do so because a wildcard is there.
    """
    wildcards = [name for name in split_names(tunnel)[0] if is_wildcard(name)] if tunnel.kind == "cloudflare" else []
    for name in context.internal_targets.names if wildcards else ():
        waits = any(covers(name, one) for one in context.turning.waiting)
        if not waits and any(covers(one, name) for one in wildcards):
            yield name
