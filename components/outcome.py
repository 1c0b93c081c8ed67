"""The outcome of a run: what is exported and told; a run with refused names ends unsuccessful, after all the rest."""

import atexit
import os
from collections.abc import Mapping, Sequence

import pulumi

from components.declare import Declared
from components.towonel import Invite
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan
from edge_dns.core.cloudflare_view import tunnel_of_target
from edge_dns.core.decide import Decision
from edge_dns.core.exceptions import described
from edge_dns.core.hub_view import HubView
from edge_dns.core.outputs import (
    WILL_FAIL,
    endpoints_output,
    exceptions_output,
    hostnames_output,
    intent_output,
    publishers_output,
    zones_output,
)
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import Json, reason
from edge_dns.core.rules import Level
from edge_dns.core.settle import HubAnswer, settle
from edge_dns.core.texts import printable
from edge_dns.core.tunnels import TunnelPlan, tunnel_key
from edge_dns.core.values import Source

EXIT_AFTER_MESSAGE = 32
"""The exit code after which Pulumi's language host for Python adds no message of its own: all has been said."""


def export_outcome(plan: Plan, declared: Declared, hub: HubView | None, *, on_refused: str) -> None:
    """Export the stack outputs, log every hostname that is not published, and arrange the exit status.

    `on_refused` is `fail` or `warn`: whether a name under a rule of level error makes the run unsuccessful.
    """
    invites = declared.invites
    for warning in plan.warnings:
        pulumi.log.warn(printable(str(warning)))
    for note in plan.notes:
        pulumi.log.info(printable(str(note)))
    settled: pulumi.Output[Sequence[Decision]] = pulumi.Output.from_input(_settled(plan, invites))
    settled.apply(lambda decisions: _tell(decisions, fails=on_refused == "fail"))
    zones = plan.basis.context.zones
    pulumi.export("zones", settled.apply(lambda made: zones_output(made, plan.changes_of(made), zones)))
    pulumi.export("hostnames", settled.apply(lambda made: hostnames_output(made, zones)))
    if any(one.excepted for one in plan.decisions):
        pulumi.export("exceptions", settled.apply(exceptions_output))
    if plan.publishers:
        pulumi.export("publishers", publishers_output(plan.publishers))
    pulumi.export(
        "tunnels",
        {
            f"{one.source.namespace}/{one.source.name}": _tunnel(one, invites.get(one.source), hub)
            for one in plan.tunnels
        }
        | {
            tunnel_key(one.tunnel): _cloudflare_tunnel(one, declared.targets.get(one.source)) for one in plan.cloudflare
        },
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


def _tell(decisions: Sequence[Decision], *, fails: bool) -> None:
    """Log what is not published, what changed outside, exceptions that are used, and warnings.

    An error in the log alone would leave the exit status 0.

    The process fails only after the SDK has finished, so that everything else has converged, and only in an update: in
    a preview it would keep `up` from updating at all. So a preview says in a warning what the update will end with.
    """
    failed = False
    for one in decisions:
        for text in one.drift:
            pulumi.log.warn(printable(f"{one.hostname}: drift: {text}"))
        for exception in one.excepted:
            pulumi.log.info(printable(f"{one.hostname}: {described(exception)}"))
        for text in one.warnings:
            pulumi.log.warn(printable(f"{one.hostname}: {text}"))
        if one.refusal is None:
            continue
        line = printable(f"{one.hostname}: {one.state}: {one.refusal.rule}: {reason(one)}")
        if one.refusal.level is not Level.ERROR or not fails:
            pulumi.log.warn(line)
        elif pulumi.runtime.is_dry_run():
            pulumi.log.warn(f"{line} {WILL_FAIL}")
        else:
            failed = True
            pulumi.log.error(line)
    if failed:
        # sys.exit is without effect in an exit handler.
        atexit.register(os._exit, EXIT_AFTER_MESSAGE)


def _tunnel(plan: TunnelPlan, invite: Invite | None, hub: HubView | None) -> Json:
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
