"""The outcome of a run: what is exported and told; a run with refused names ends unsuccessful, after all the rest."""

from collections.abc import Mapping, Sequence
from functools import partial

import pulumi

from components.agents import Served
from components.declare import Declared
from components.ending import refuse
from components.told import in_lines
from components.towonel import Invite, Port
from edge_dns.core.agents import PORT_REFUSED, PortKey
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan
from edge_dns.core.cloudflare_view import tunnel_of_target
from edge_dns.core.decision import Context, Decision
from edge_dns.core.exceptions import described
from edge_dns.core.hub_view import HubView
from edge_dns.core.json_values import Json
from edge_dns.core.on_purpose import is_left_alone, left_alone_line
from edge_dns.core.outputs import (
    endpoints_output,
    exceptions_output,
    hostnames_output,
    intent_output,
    publishers_output,
    tunnels_output,
    zones_output,
)
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import reason
from edge_dns.core.rules import Level
from edge_dns.core.settle import HubAnswer, settle
from edge_dns.core.tunnels import TunnelPlan, tunnel_key
from edge_dns.core.values import Source


def export_outcome(plan: Plan, declared: Declared, hub: HubView | None, *, on_refused: str) -> None:
    """Export the stack outputs, log every hostname and port that is refused, and arrange the exit status.

    `on_refused` is `fail` or `warn`: whether a refusal under a rule of level error makes the run unsuccessful.
    """
    invites = declared.invites
    for warning in plan.warnings:
        pulumi.log.warn(in_lines(str(warning)))
    for note in plan.notes:
        pulumi.log.info(in_lines(str(note)))
    settled: pulumi.Output[Sequence[Decision]] = pulumi.Output.from_input(_settled(plan, invites))
    settled.apply(lambda decisions: _tell(decisions, plan.basis.context, fails=on_refused == "fail"))
    for source, one in declared.served.items():
        _tell_ports(f"{source.namespace}/{source.name}", one.ports, fails=on_refused == "fail")
    zones = plan.basis.context.zones
    pulumi.export("zones", settled.apply(lambda made: zones_output(made, plan.changes_of(made), zones)))
    pulumi.export("hostnames", settled.apply(lambda made: hostnames_output(made, zones)))
    if any(one.excepted for one in plan.decisions):
        pulumi.export("exceptions", settled.apply(exceptions_output))
    if plan.publishers:
        pulumi.export("publishers", publishers_output(plan.publishers))
    pulumi.export(
        "tunnels",
        tunnels_output(
            {
                tunnel_key(one.tunnel): _tunnel(
                    one, invites.get(one.source), declared.served.get(one.source, Served()), hub
                )
                for one in plan.tunnels
            },
            {
                tunnel_key(one.tunnel): _cloudflare_tunnel(one, declared.targets.get(one.source))
                for one in plan.cloudflare
            },
        ),
    )


async def _settled(plan: Plan, invites: Mapping[Source, Invite]) -> Sequence[Decision]:
    """Wait for the invites; one that failed has no answer, and its names keep their prediction."""
    answers: dict[Source, HubAnswer] = {}
    for source, invite in invites.items():
        confirmed, refused = invite.confirmed, invite.refused
        if await confirmed.is_known() and await refused.is_known():
            reasons = {one["hostname"]: one["reason"] for one in await refused.future() or ()}
            answers[source] = HubAnswer(confirmed=await confirmed.future() or (), refused=reasons)
    return settle(plan.decisions, answers)


def _tell(decisions: Sequence[Decision], context: Context, *, fails: bool) -> None:
    """Log what is not published, what changed outside, exceptions that are used, and warnings."""
    left_alone: list[Decision] = []
    for one in decisions:
        for text in one.drift:
            pulumi.log.warn(in_lines(f"{one.shown}: drift: {text}"))
        for exception in one.excepted:
            pulumi.log.info(in_lines(f"{one.shown}: {described(exception)}"))
        for text in one.warnings:
            pulumi.log.warn(in_lines(f"{one.shown}: {text}"))
        if is_left_alone(one, context):
            left_alone.append(one)
            continue
        if one.refusal is None or one.state == "elsewhere":
            continue
        line = f"{one.shown}: {one.state}: {one.refusal.rule}: {reason(one)}"
        refuse(line, fails=fails and one.refusal.level is Level.ERROR)
    if told := left_alone_line(left_alone):
        pulumi.log.info(in_lines(told))


def _tell_ports(tunnel: str, ports: Mapping[PortKey, Port], *, fails: bool) -> None:
    """Log the ports that the hub does not give."""

    def tell(key: PortKey, reason: str) -> None:
        if reason:
            refuse(f"{tunnel} {key}: refused: {PORT_REFUSED}: {reason}", fails=fails)

    for key, port in ports.items():
        port.refused.apply(partial(tell, key))


def _tunnel(plan: TunnelPlan, invite: Invite | None, served: Served, hub: HubView | None) -> Json:
    target = plan.target.value if plan.target else None
    return {
        "inviteId": invite.invite_id if invite else None,
        "status": invite.status if invite else None,
        "region": plan.region,
        "confirmed": invite.confirmed if invite else [],
        "refused": invite.refused if invite else [],
        "dnsMode": plan.tunnel.dns.mode,
        "dnsIntent": intent_output(plan.hostnames, target),
        "regionEndpoints": endpoints_output(hub, plan.invite_id),
        "ports": {
            str(key): {
                "port": port.port.apply(lambda number: number or None),
                "addresses": port.edge_addresses,
                "refused": port.refused.apply(lambda reason: reason or None),
            }
            for key, port in served.ports.items()
        },
        "agents": [agent.id for agent in served.agents],
    }


def _cloudflare_tunnel(plan: CloudflareTunnelPlan, target: pulumi.Output[str] | None) -> Json:
    if plan.tunnel_id:
        target = pulumi.Output.from_input(plan.target)
    return {
        "tunnelId": target.apply(tunnel_of_target) if target else None,
        "accountId": plan.account_id,
        "ingress": [str(rule) for rule in plan.ingress],
        "dnsMode": plan.tunnel.dns.mode,
        "dnsIntent": dict.fromkeys(plan.hostnames, target),
    }
