"""Declares a plan: one component per edge-target map, tunnel, route of a service and endpoint record set.

All are children of the stack.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi

from components.agents import Served, declare_agents
from components.dns_endpoints import objects_of
from components.edge_target_map import EdgeTargetMap
from components.endpoint_record_set import Declare, EndpointRecordSet, EndpointRecordSetArgs
from components.providers import Providers
from components.publisher_register import PublisherRegister
from components.records import declare_hostname
from components.records.placement import Placement
from components.registration import Registration
from components.service_mark import declare_mark
from components.service_route import ServiceRoute
from components.towonel import Invite
from components.towonel_tunnel import TowonelTunnel, TowonelTunnelArgs
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan
from edge_dns.core.endpoint_objects import planned_objects
from edge_dns.core.endpoint_places import Places
from edge_dns.core.markers import marker_text, owner
from edge_dns.core.memory import encode_rules, encode_set
from edge_dns.core.plan import Plan
from edge_dns.core.record_sets import PlannedSet
from edge_dns.core.services import route_id
from edge_dns.core.settings import Settings, edge_targets
from edge_dns.core.tunnels import TunnelPlan, tunnel_key
from edge_dns.core.values import SlotRecord, Source
from edge_dns.core.zones import ZoneIndex

if TYPE_CHECKING:
    from components.cloudflare_tunnel import CloudflareTunnel, DeclareAgent


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The project and stack that own what is declared."""

    project: str
    stack: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the outcome tells of: invites of Towonel tunnels and what serves them, targets of Cloudflare tunnels."""

    invites: Mapping[Source, Invite]
    served: Mapping[Source, Served]
    targets: Mapping[Source, pulumi.Output[str]]


def declare_plan(
    plan: Plan, settings: Settings, identity: Identity, providers: Providers, *, tell: Callable[[str], None]
) -> Declared:
    """Declare everything that the plan wants; `tell` takes lines of progress."""
    zones = ZoneIndex.of(settings.zones)
    if plan.register:
        PublisherRegister(plan.register)
    if targets := edge_targets(settings):
        EdgeTargetMap("edge-targets", targets=targets)
    invites = _declare_tunnels(plan.tunnels, providers)
    routes = _declare_services(plan, settings, identity, providers)
    cloudflare = {
        one.source: _declare_cloudflare_tunnel(one, settings, providers) for one in plan.cloudflare if one.declared
    }
    contents = {one.target: cloudflare[one.source].target for one in plan.cloudflare if _is_new(one)}
    places, registration = Places.of(settings), Registration(tell)
    for one in plan.sets:
        if one.memory.published or one.memory.receipts:
            marker = marker_text(identity.project, identity.stack, one.source)
            invite, tunnel = invites.get(one.source), cloudflare.get(one.source)
            of_all = [*([invite] if invite else []), *(tunnel.resources if tunnel else [])]
            behind = _Behind(of_all, _routes_of(one, routes), contents)
            objects = planned_objects(one, places, zones, project=identity.project, stack=identity.stack)
            EndpointRecordSet(
                one.id,
                _set_args(one, zones),
                declare=_declare_records(zones, providers, marker, behind, one),
                declare_objects=objects_of(
                    objects, imports=one.imports, settings=settings, providers=providers, invite=invite, needs=behind.of
                ),
                registration=registration,
                after=of_all,
                confirmed=invite.confirmed if invite else None,
            )
    return Declared(
        invites=invites,
        served=declare_agents(plan.tunnels, invites, settings, providers),
        targets={source: one.target for source, one in cloudflare.items()},
    )


def _is_new(plan: CloudflareTunnelPlan) -> bool:
    return plan.tunnel_id is None and bool(plan.ingress)


def _declare_cloudflare_tunnel(
    plan: CloudflareTunnelPlan, settings: Settings, providers: Providers
) -> "CloudflareTunnel":
    from components.cloudflare_tunnel import (  # noqa: PLC0415 - seconds of import, for stacks with such tunnels only
        CloudflareTunnel,
        CloudflareTunnelArgs,
    )

    args = CloudflareTunnelArgs(
        key=tunnel_key(plan.tunnel),
        account_id=plan.account_id,
        name=plan.name,
        ingress=plan.ingress,
        kept=plan.kept,
        memory=encode_rules(plan.rules),
        adopts=plan.adopts,
        aliases=plan.tunnel.aliases,
    )
    return CloudflareTunnel(args, agent=_agent(plan, settings, providers))


def _agent(plan: CloudflareTunnelPlan, settings: Settings, providers: Providers) -> "DeclareAgent | None":
    """Return what declares cloudflared; a tunnel that is gone has no token."""
    agent = plan.tunnel.cloudflare.agent if plan.tunnel.cloudflare else None
    if agent is None or plan.gone:
        return None
    (cluster,) = (one for one in settings.clusters if agent.cluster in (None, one.name))
    provider = providers.of_cluster(cluster)

    def declare(token: pulumi.Output[str], opts: pulumi.ResourceOptions) -> None:
        from components.cloudflared import declare_cloudflared  # noqa: PLC0415 - as above

        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(provider=provider))
        declare_cloudflared(plan.tunnel, agent, token, opts)

    return declare


@dataclass(frozen=True, slots=True)
class _Behind:
    """What the records of a set depend on: all of them, and those of one hostname.

    `contents` are the values that stand for what is not known before the run.
    """

    of_all: Sequence[pulumi.Resource]
    of_hostname: Mapping[str, Sequence[pulumi.Resource]]
    contents: Mapping[str, pulumi.Output[str]]

    def of(self, hostname: str) -> Sequence[pulumi.Resource]:
        return [*self.of_all, *self.of_hostname.get(hostname, ())]


def _declare_services(
    plan: Plan, settings: Settings, identity: Identity, providers: Providers
) -> Mapping[str, pulumi.Resource]:
    """Declare routes and marks; returns the routes by id."""
    clusters = {cluster.name: cluster for cluster in settings.clusters}
    for mark in plan.marks:
        declare_mark(mark, provider=providers.of_cluster(clusters[mark.cluster]))
    stack = owner(identity.project, identity.stack)
    return {
        one.id: ServiceRoute(
            one,
            stack,
            provider=providers.of_cluster(clusters[one.cluster]),
            found=one.id in plan.found_routes,
        ).route
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


def _set_args(one: PlannedSet, zones: ZoneIndex) -> EndpointRecordSetArgs:
    def singly(records: Mapping[str, Sequence[SlotRecord]]) -> Mapping[str, Sequence[SlotRecord]]:
        keys = {hostname: found[0].rrset.zone_id for hostname, found in records.items()}
        return {
            hostname: found
            for hostname, found in records.items()
            if zones.by_zone_key[keys[hostname]].provider != "external-dns"
        }

    return EndpointRecordSetArgs(
        source=str(one.source),
        visibility=one.visibility,
        memory=encode_set(one.memory),
        records=singly(one.records),
        conditional=singly(one.conditional),
        aliases=one.former_ids,
    )


def _declare_records(
    zones: ZoneIndex,
    providers: Providers,
    marker: str,
    behind: _Behind,
    planned: PlannedSet,
) -> Declare:
    """Return what declares the records of one hostname of a set."""

    def declare(records: Sequence[SlotRecord], parent: pulumi.Resource) -> list[pulumi.Resource]:
        zone = zones.by_zone_key[records[0].rrset.zone_id]
        provider = providers.of_zone(zone)
        place = Placement(
            parent=parent,
            provider=provider,
            depends_on=behind.of(records[0].rrset.name),
            contents=behind.contents,
            imports=planned.imports,
            spelt=planned.spelt,
            untouched=planned.untouched,
            renamed=planned.renamed,
        )
        return declare_hostname(records, zone=zone, marker=marker, place=place)

    return declare
