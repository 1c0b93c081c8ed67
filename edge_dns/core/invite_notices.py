"""What a person should know of the invites in a run although nothing is refused: rules of level warning."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from edge_dns.core.hub_view import HubInvite, HubView
from edge_dns.core.memory import InviteMemory
from edge_dns.core.moves import Leaving
from edge_dns.core.notices import Notice
from edge_dns.core.tunnels import TunnelPlan, fixed_on_hub, known_invite, rename_hint, tunnel_key

EXPIRY_WARNING_DAYS = 7
"""As towonel-operator's condition TokenExpiringSoon."""

_TUNNELS = "edge-dns:tunnels"


def invite_notices(
    plans: Iterable[TunnelPlan],
    leaving: Iterable[Leaving],
    memory: Mapping[str, InviteMemory],
    view: HubView | None,
    today: date | None,
) -> tuple[Notice, ...]:
    """Return the warnings about the invites of one run, by tunnel; without `today` nothing is said of expiry."""
    found = [*_leaving(leaving)]
    for plan in plans:
        key = tunnel_key(plan.tunnel)
        known = memory.get(key)
        invite = known_invite(known, view) if known else None
        why = _deletion(plan, known) if known and invite and invite.live else None
        if why:
            found.append(_deleted(key, why, replaced=bool(plan.hostnames)))
        elif today and plan.expires:
            found += _expiry(key, plan.expires, today)
        if known and invite and invite.live:
            found += _shared(key, invite, known, plan.hostnames)
    return tuple(sorted(found, key=lambda one: (one.message, one.rule or "")))


def without_hostnames(plans: Iterable[TunnelPlan], memory: Mapping[str, InviteMemory]) -> Iterator[Notice]:
    """Yield what it means that a tunnel has no hostname, where nothing is deleted for it."""
    for plan in plans:
        key = tunnel_key(plan.tunnel)
        if not plan.hostnames and key not in memory:
            internal = any(one.refusal.rule == "exposure-internal" for one in plan.rejections)
            what = "has internal hostnames only" if internal else "has no hostname"
            message = f"tunnel {key} {what}: it gets no invite, so no token, and publishes nothing"
            yield Notice(rule=None, path=_TUNNELS, message=message)


def _leaving(leaving: Iterable[Leaving]) -> Iterator[Notice]:
    for one in leaving:
        if not one.retain:
            why = "its kind is cloudflare now" if one.rekinded else "the tunnel left the settings"
            deleted = _deleted(one.key, why, replaced=False)
            yield deleted if one.rekinded else replace(deleted, message=f"{deleted.message}; {rename_hint(one.key)}")


def _deletion(plan: TunnelPlan, known: InviteMemory) -> str | None:
    """Return why this run deletes the invite of a declared tunnel, None when it does not."""
    if not plan.hostnames:
        return None if known.retain else "the tunnel has no hostname any more"
    wanted = fixed_on_hub(plan.tunnel)
    changed = {
        "region": wanted.region != known.fixed.region,
        "failoverRegions": wanted.failover_regions != known.fixed.failover_regions,
        "expiresInSecs": wanted.expires_in_secs != known.fixed.expires_in_secs,
        "generation": plan.tunnel.generation != known.generation,
    }
    names = " and ".join(name for name, differs in changed.items() if differs)
    return f"{names} changed" if names else None


def _deleted(key: str, why: str, *, replaced: bool) -> Notice:
    message = f"tunnel {key}: this run deletes its invite ({why}), and token, tenant and ports go with it"
    if replaced:
        message += (
            "; the invite that takes its place has a new token, a new tenant and new ports. Agents need the new token."
        )
    return Notice(rule="invite-deleted", path=_TUNNELS, message=message)


def _expiry(key: str, expires: date, today: date) -> Iterator[Notice]:
    days = (expires - today).days
    if days > EXPIRY_WARNING_DAYS:
        return
    when = f"ended on {expires}" if days < 0 else f"ends on {expires}"
    message = (
        f"tunnel {key}: the token of its invite {when}. Agents that are connected go on and the records stay, but no "
        "agent can join with the token after that: raise `generation`, and give agents the new token"
    )
    yield Notice(rule="invite-expires", path=_TUNNELS, message=message)


def _shared(key: str, invite: HubInvite, known: InviteMemory, wanted: Iterable[str]) -> Iterator[Notice]:
    foreign = sorted(invite.hostnames - set(known.asked) - set(wanted)) if known.asked is not None else []
    if foreign:
        message = (
            f"tunnel {key}: its invite {invite.invite_id} holds what this stack never asked for: {', '.join(foreign)}. "
            "Another program or person uses the invite too: these hostnames are left alone, and an invite with them is "
            "not deleted"
        )
        yield Notice(rule="invite-shared", path=_TUNNELS, message=message)
