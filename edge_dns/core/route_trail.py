"""How one HTTPRoute stands with one hostname: from its parentRefs over the listeners to what admission makes of it.

Admission itself is asked, with this route alone, so that nothing is judged a second time by other rules.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from edge_dns.core.acceptance import describe_ref
from edge_dns.core.admission import Admission, admit
from edge_dns.core.binding import bind, bound_hostnames, declared_hostnames, why_unbound
from edge_dns.core.gateway_sets import GatewaySet
from edge_dns.core.gateway_state import Gateway, GatewayState, HTTPRoute, ParentRef
from edge_dns.core.names import Hostnames, covers
from edge_dns.core.publishers import Publishers
from edge_dns.core.receipts import GatewayMemory, Receipt
from edge_dns.core.settings import Cluster

_OF_EXPOSURE = frozenset({"exposure-internal", "unlisted-publisher", "register-grew"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingCluster:
    """What admission is given for one cluster (see `admit`)."""

    cluster: Cluster
    state: GatewayState
    memory: Mapping[str, GatewayMemory]
    edge_targets: Mapping[tuple[str, str], str]
    publishers: Publishers | None


def route_trails(asking: AskingCluster, hostname: str) -> Iterator[str]:
    """Yield lines on every HTTPRoute that names the hostname, or takes it from a listener, selected or not."""
    for route in asking.state.routes:
        declared = declared_hostnames(route)
        if _may_concern(declared, hostname):
            yield from _trail(asking, route, declared, hostname)


def _may_concern(declared: Hostnames, hostname: str) -> bool:
    broken = any(text == hostname for text, _ in declared.broken)
    return declared.is_any or broken or any(covers(pattern, hostname) for pattern in declared.valid)


def _trail(asking: AskingCluster, route: HTTPRoute, declared: Hostnames, hostname: str) -> Iterator[str]:
    gateways = {one.key: one for one in asking.state.gateways}
    refs = tuple(dict.fromkeys(route.parent_refs))
    referred = tuple(gateways[key] for key in sorted({(ref.namespace, ref.name) for ref in refs} & gateways.keys()))
    alone = replace(asking.state, routes=(route,), gateways=referred, not_supported=())
    admission = admit(asking.cluster, alone, asking.memory, asking.edge_targets, asking.publishers)
    outcomes = tuple(_outcomes(admission, hostname))
    declares = hostname in declared.valid
    if not (outcomes or declares):
        return
    if not outcomes:
        yield f"{route}: {_why_out_of_sight(route, admission, asking.cluster)}"
        return
    for outcome in outcomes:
        yield f"{route}: {outcome}"
    taken = {(one.source.namespace, one.source.name) for one in admission.sets}
    for ref in refs:
        key = (ref.namespace, ref.name)
        if ref.is_gateway and key in gateways and key in taken:
            yield from _ref_lines(asking.state, route, ref, gateways[key], declared=declared, hostname=hostname)
        else:
            yield f"parentRef {ref}: {_why_passed_over(ref, exists=key in gateways)}"
    yield from (_receipt_line(one) for gateway_set in admission.sets for one in _receipts(gateway_set, hostname))


def _outcomes(admission: Admission, hostname: str) -> Iterator[str]:
    for one in admission.sets:
        for name in one.admitted:
            if name.hostname == hostname:
                yield (
                    f"admitted for {one.source}" if name.hold is None else f"held for {one.source}: {name.hold.rule}"
                )
        for refused in one.refused:
            if refused.hostname == hostname:
                yield f"{_why_not(refused.refusal.rule)} for {one.source}: {refused.refusal.rule}"
    for unbound in admission.unbound:
        if unbound.hostname == hostname:
            yield f"{_why_not(unbound.refusal.rule)}: {unbound.refusal.rule}"


def _why_not(rule: str) -> str:
    """Say what refuses a name: a publisher that may not publish is not asked whether it is admitted."""
    return "its exposure decides, not admission" if rule in _OF_EXPOSURE else "not admitted"


def _why_out_of_sight(route: HTTPRoute, admission: Admission, cluster: Cluster) -> str:
    if route.deleting:
        return "names it, and is being deleted"
    if not admission.routes:
        return f"names it, but `routes` of cluster {cluster.name} leaves the route out"
    return f"names it, but `select` of cluster {cluster.name} leaves its Gateways out"


def _why_passed_over(ref: ParentRef, *, exists: bool) -> str:
    if not ref.is_gateway:
        return "not a Gateway"
    return "not among the selected Gateways" if exists else "there is no such Gateway"


def _ref_lines(
    state: GatewayState, route: HTTPRoute, ref: ParentRef, gateway: Gateway, *, declared: Hostnames, hostname: str
) -> Iterator[str]:
    if gateway.deleting:
        yield f"parentRef {ref}: the Gateway is being deleted"
        return
    binding = bind(gateway, ref, route.namespace, state.namespaces)
    bound = [
        one.listener.name for one in binding.bound if hostname in (name for _, name in bound_hostnames(declared, one))
    ]
    listeners = f"binds listener {', '.join(sorted(bound))}" if bound else why_unbound(binding, gateway, ref)
    yield f"parentRef {ref}: {listeners}"
    yield f"status of {describe_ref(route, ref, state.classes.get(gateway.class_name))}"


def _receipts(gateway_set: GatewaySet, hostname: str) -> Iterable[Receipt]:
    return (receipt for receipt in gateway_set.receipts if receipt.hostname == hostname)


def _receipt_line(receipt: Receipt) -> str:
    return f"receipt: admitted over listener {receipt.listener} with the route at generation {receipt.route_generation}"
