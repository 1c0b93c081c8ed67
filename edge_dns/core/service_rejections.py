"""Hostnames of services that nothing else speaks of: who would have published them, and why it does not."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from edge_dns.core.claims import Rejection
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.rules import Refusal
from edge_dns.core.selection import selects_gateway
from edge_dns.core.services import PlannedRoute, ServicePlan
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.values import Visibility

Told = Collection[tuple[str, Visibility]]


def service_rejections(
    plans: Iterable[ServicePlan],
    settings: Settings,
    states: Mapping[str, GatewayState],
    foreign: Mapping[str, str],
    told: Told,
) -> Iterator[Rejection]:
    """Yield a rejection for each hostname of a service that is malformed, or that no claim or rejection tells yet.

    `foreign` says by id of a route why it is not declared: all hostnames of its service are refused for it, those that
    are told as internal under that rule.
    """
    clusters = {one.name: one for one in settings.clusters}
    for plan in plans:
        yield from plan.malformed
        why_foreign = foreign.get(plan.route.id) if plan.route else None
        for hostname in plan.hostnames:
            is_told = (hostname, plan.visibility) in told
            if why_foreign:
                internal = is_told and plan.why_internal
                refusal = Refusal(rule="exposure-internal" if internal else "route-foreign", reason=why_foreign)
            elif is_told:
                continue
            else:
                refusal = _why(plan, clusters, states)
            yield Rejection(hostname=hostname, source=plan.source, visibility=plan.visibility, refusal=refusal)


def _why(plan: ServicePlan, clusters: Mapping[str, Cluster], states: Mapping[str, GatewayState]) -> Refusal:
    if plan.why_internal and not plan.service.private_zones:
        return plan.why_internal
    route = plan.route
    if route is None:
        reason = f"{plan} has no Gateway, and no tunnel of the settings names it"
        return Refusal(rule="route-not-accepted", reason=reason)
    gateway = f"{route.parent.namespace}/{route.parent.name}"
    if not _is_selected(route, clusters[route.cluster], states[route.cluster]):
        reason = f"{plan}: `select` of cluster {route.cluster} leaves out Gateway {gateway}"
        return Refusal(rule="listener-denies", reason=reason)
    return Refusal(rule="route-not-accepted", reason=f"{plan}: its HTTPRoute is being deleted")


def _is_selected(route: PlannedRoute, cluster: Cluster, state: GatewayState) -> bool:
    key = (route.parent.namespace, route.parent.name)
    found = next((one for one in state.gateways if one.key == key), None)
    return selects_gateway(cluster, found) if found else cluster.select.may_select(*key)
