"""Which listeners of a Gateway a parentRef binds, and which hostnames a binding has.

Gateway API: ParentReference (sectionName, port), AllowedRoutes (kinds, namespaces), Listener.hostname and
HTTPRouteSpec.hostnames. The listener's own policy is evaluated here again, because a route's Accepted condition speaks
for the Gateway as a whole and may be older than an edit of the listener.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_state import GATEWAY_GROUP, Gateway, HTTPRoute, Listener, NotSupported, ParentRef
from edge_dns.core.names import Hostnames, meet, split_hostnames

_PROTOCOLS = ("HTTP", "HTTPS")
_SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A listener that may take routes of the namespace; without `hostname` it takes any."""

    listener: Listener
    hostname: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """A listener that the parentRef names but that does not take the route; `hostname` is empty when it takes any."""

    hostname: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What one parentRef finds on its Gateway."""

    bound: tuple[Bound, ...]
    denied: tuple[Denied, ...]
    broken: tuple[tuple[str, str], ...]


def declared_hostnames(route: HTTPRoute | NotSupported) -> Hostnames:
    """Return the hostnames of the object's spec, each once."""
    return split_hostnames(route.hostnames)


def bind(gateway: Gateway, ref: ParentRef, namespace: str, namespaces: Mapping[str, Mapping[str, str]]) -> Binding:
    """Return the listeners that the parentRef of a route in the namespace binds; `namespaces` maps names to labels.

    Raises ObservationFailed when a label selector has to be evaluated and the namespace is not among them.
    """
    bound: list[Bound] = []
    denied: list[Denied] = []
    broken: list[tuple[str, str]] = []
    for listener in gateway.listeners:
        if not _is_named(listener, ref):
            continue
        hostnames = split_hostnames((listener.hostname,) if listener.hostname else ())
        hostname = hostnames.valid[0] if hostnames.valid else None
        reason = _denial(gateway, listener, namespace, namespaces)
        if reason:
            denied.append(Denied(hostname=hostname or "", reason=f"listener {listener.name} {reason}"))
        elif hostnames.broken:
            broken.extend(hostnames.broken)
            reason = f"listener {listener.name} has the malformed hostname {listener.hostname!r}"
            denied.append(Denied(hostname="", reason=reason))
        else:
            bound.append(Bound(listener=listener, hostname=hostname))
    return Binding(bound=tuple(bound), denied=tuple(denied), broken=tuple(broken))


def bound_hostnames(declared: Hostnames, bound: Bound) -> Iterator[tuple[str, str]]:
    """Yield (declared hostname, hostname that is routed) for one listener.

    A route without hostnames takes the listener's; without any on either side there is none.
    """
    if declared.is_any:
        if bound.hostname:
            yield bound.hostname, bound.hostname
        return
    for hostname in declared.valid:
        common = meet(hostname, bound.hostname) if bound.hostname else hostname
        if common:
            yield hostname, common


def why_unbound(binding: Binding, gateway: Gateway, ref: ParentRef) -> str:
    """Say why no listener takes a hostname under this parentRef."""
    reasons = [denied.reason for denied in binding.denied]
    reasons += [
        f"listener {bound.listener.name} takes only {bound.hostname}" for bound in binding.bound if bound.hostname
    ]
    if reasons:
        return f"{gateway}: {_shortened(reasons, '; ')}"
    names = _shortened([f"{listener.name}:{listener.port}" for listener in gateway.listeners], ", ")
    return f"{ref} names no listener of the Gateway (it has {names or 'none'})"


def _shortened(texts: Sequence[str], separator: str) -> str:
    """Join the first texts in a fixed order: that of the listeners must not change the plan."""
    more = len(texts) - _SHOWN
    return separator.join([*sorted(texts)[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _is_named(listener: Listener, ref: ParentRef) -> bool:
    return ref.section in {"", listener.name} and ref.port in {None, listener.port}


def _denial(
    gateway: Gateway, listener: Listener, namespace: str, namespaces: Mapping[str, Mapping[str, str]]
) -> str | None:
    if listener.protocol not in _PROTOCOLS:
        return f"has the protocol {listener.protocol}"
    if listener.kinds is not None and (GATEWAY_GROUP, "HTTPRoute") not in listener.kinds:
        return f"takes only the kinds {', '.join(kind for _, kind in listener.kinds)}"
    if listener.namespaces_from == "Same" and namespace != gateway.namespace:
        return f"takes routes of its own namespace {gateway.namespace} only"
    if listener.namespaces_from == "Selector" and not _selects(gateway, listener, namespace, namespaces):
        return f"takes routes of namespaces with certain labels only, which {namespace} does not have"
    return None


def _selects(gateway: Gateway, listener: Listener, namespace: str, namespaces: Mapping[str, Mapping[str, str]]) -> bool:
    labels = namespaces.get(namespace)
    if labels is None:
        raise ObservationFailed(
            f"Namespace {namespace} was not read, but {gateway} listener {listener.name} selects routes by its labels; "
            "read Namespaces together with Gateways and HTTPRoutes"
        )
    return listener.selector is not None and listener.selector.matches(labels)
