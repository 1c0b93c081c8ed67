"""Declares a plan: one component per edge-target map, tunnel, route of a service and endpoint record set.

All are children of the stack.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.edge_target_map import EdgeTargetMap
from components.endpoint_record_set import Declare, EndpointRecordSet, EndpointRecordSetArgs
from components.providers import Providers
from components.publisher_register import PublisherRegister
from components.records import declare_hostname
from components.records.placement import Placement
from components.service_route import ServiceRoute
from components.towonel import Invite
from components.towonel_tunnel import TowonelTunnel, TowonelTunnelArgs
from edge_dns.core.markers import marker_text, owner
from edge_dns.core.memory import encode_set
from edge_dns.core.plan import Plan
from edge_dns.core.record_sets import PlannedSet
from edge_dns.core.services import route_id
from edge_dns.core.settings import Settings, edge_targets
from edge_dns.core.tunnels import TunnelPlan
from edge_dns.core.values import SlotRecord, Source
from edge_dns.core.zones import ZoneIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The project and stack that own what is declared."""

    project: str
    stack: str


def declare_plan(plan: Plan, settings: Settings, identity: Identity, providers: Providers) -> Mapping[Source, Invite]:
    """Declare everything that the plan wants; returns the invite of each tunnel that has one."""
    zones = ZoneIndex.of(settings.zones)
    if plan.register:
        PublisherRegister(plan.register)
    if targets := edge_targets(settings):
        EdgeTargetMap("edge-targets", targets=targets)
    invites = _declare_tunnels(plan.tunnels, providers)
    routes = _declare_routes(plan, settings, identity, providers)
    for one in plan.sets:
        if one.memory.published or one.memory.receipts:
            invite = invites.get(one.source)
            marker = marker_text(identity.project, identity.stack, one.source)
            depends_on = _Dependencies([invite] if invite else [], _routes_of(one, routes))
            declare = _declare_records(zones, providers, marker, depends_on, one)
            _declare_set(one, declare, invite)
    return invites


@dataclass(frozen=True, slots=True)
class _Dependencies:
    """What the records of a set depend on: all of them, and those of one hostname."""

    of_all: Sequence[pulumi.Resource]
    of_hostname: Mapping[str, Sequence[pulumi.Resource]]

    def of(self, hostname: str) -> Sequence[pulumi.Resource]:
        return [*self.of_all, *self.of_hostname.get(hostname, ())]


def _declare_routes(
    plan: Plan, settings: Settings, identity: Identity, providers: Providers
) -> Mapping[str, pulumi.Resource]:
    clusters = {cluster.name: cluster for cluster in settings.clusters}
    stack = owner(identity.project, identity.stack)
    return {
        one.id: ServiceRoute(one, stack, provider=providers.of_cluster(clusters[one.cluster])).route
        for one in plan.routes
    }


def _routes_of(one: PlannedSet, routes: Mapping[str, pulumi.Resource]) -> Mapping[str, Sequence[pulumi.Resource]]:
    """Return by hostname the routes of services that it was admitted over: its records go before they do."""
    found: dict[str, list[pulumi.Resource]] = {}
    for receipt in one.memory.receipts if routes else ():
        route = routes.get(route_id(one.source.cluster or "", receipt.route_namespace, receipt.route_name))
        if route is not None:
            found.setdefault(receipt.hostname, []).append(route)
    return found


def _declare_tunnels(plans: Sequence[TunnelPlan], providers: Providers) -> Mapping[Source, Invite]:
    invites: dict[Source, Invite | None] = {}
    while waiting := [plan for plan in plans if plan.source not in invites]:
        for plan in waiting:
            if invites.keys() >= set(plan.after):
                after = [invite for source in plan.after if (invite := invites[source])]
                invites[plan.source] = _declare_tunnel(plan, providers, after).invite
    return {source: invite for source, invite in invites.items() if invite}


def _declare_tunnel(plan: TunnelPlan, providers: Providers, after: Sequence[Invite]) -> TowonelTunnel:
    tunnel = plan.tunnel
    args = TowonelTunnelArgs(
        namespace=tunnel.namespace,
        name=tunnel.name,
        hostnames=plan.hostnames,
        region=tunnel.region,
        failover_regions=tunnel.failover_regions,
        expires_in_secs=tunnel.expires_in_secs,
        generation=tunnel.generation,
        deletion_policy=tunnel.deletion_policy,
        aliases=tunnel.aliases,
    )
    return TowonelTunnel(args, provider=providers.hub, after=after)


def _declare_set(one: PlannedSet, declare: Declare, invite: Invite | None) -> EndpointRecordSet:
    args = EndpointRecordSetArgs(
        source=str(one.source),
        visibility=one.visibility,
        memory=encode_set(one.memory),
        records=one.records,
        conditional=one.conditional,
        aliases=one.former_ids,
    )
    return EndpointRecordSet(one.id, args, declare=declare, confirmed=invite.confirmed if invite else None)


def _declare_records(
    zones: ZoneIndex,
    providers: Providers,
    marker: str,
    depends_on: _Dependencies,
    planned: PlannedSet,
) -> Declare:
    """Return what declares the records of one hostname of a set."""

    def declare(records: Sequence[SlotRecord], parent: pulumi.Resource) -> list[pulumi.Resource]:
        zone = zones.by_zone_key[records[0].rrset.zone_id]
        provider = providers.of_zone(zone)
        place = Placement(
            parent=parent,
            provider=provider,
            depends_on=depends_on.of(records[0].rrset.name),
            imports=planned.imports,
            spelt=planned.spelt,
        )
        return declare_hostname(records, zone=zone, marker=marker, place=place)

    return declare
