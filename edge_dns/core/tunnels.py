"""Towonel tunnels: from settings, the hub's view and memory to the claims on their hostnames (decision table below).

| the hub says of the hostname                     | claim                                                      |
|--------------------------------------------------|------------------------------------------------------------|
| on this invite                                   | claimed                                                    |
| on another live invite, or refused in an earlier run | conditional, in doubt (`host-taken`): no preview promises it |
| on an invite of this stack that lets go too late | rejected (`host-transition`, see moves.py)                        |
| nothing (not there yet, or not observed)         | conditional: declared once confirmed                       |
| the invite is gone or revoked                    | rejected (`invite-gone`, `invite-revoked`)                 |
| the same, while its replacement may be under way | conditional, in doubt                                      |
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from edge_dns.core.agents import tunnel_hostnames
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.hub_view import HELD_ELSEWHERE, HubInvite, HubView, held_by
from edge_dns.core.memory import FixedOnHub, InviteMemory
from edge_dns.core.names import is_wildcard, split_hostnames
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Settings, Tunnel, edge_targets
from edge_dns.core.values import Source, Target

DEFAULT_REGION = "EU"


@dataclass(frozen=True, slots=True, kw_only=True)
class TunnelPlan:
    """One tunnel: what its invite shall hold, what the hub confirms of it, the claims and rejections that follow.

    `hostnames` are those that the hub is asked for. `invite_id` is that of the invite after this run, None where it is
    not known yet; `ended` says that there is none any more, `expires` the day on which the token of the one before
    ends. `held` are the hostnames of this stack that the invite holds before, `released` those of them that this run
    takes off it, `after` the tunnels whose released hostnames it takes: their invites change first. No agent serves
    the `hidden` hostnames, which are internal. `invite_name` is that of the invite on the hub, empty where none is
    seen.
    """

    source: Source
    tunnel: Tunnel
    hostnames: tuple[str, ...]
    invite_id: str | None
    region: str
    confirmed: tuple[str, ...]
    target: Target | None
    claims: tuple[Claim, ...]
    rejections: tuple[Rejection, ...]
    invite_name: str = ""
    held: tuple[str, ...] = ()
    ended: bool = False
    expires: date | None = None
    released: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    after: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalHostnames:
    """Hostnames of a tunnel that are internal, with the reason; `stay`: it serves them on, since a record waits."""

    why: Mapping[str, Refusal]
    stay: frozenset[str] = frozenset()

    @property
    def hidden(self) -> frozenset[str]:
        """Those that the tunnel must not serve."""
        return frozenset(self.why) - self.stay


@dataclass(frozen=True, slots=True, kw_only=True)
class _Invite:
    """The tunnel's own invite as this run finds it; `doubt` is why it has perhaps ended for good.

    Of the hostnames on it, `held` are those that this stack asked for.
    """

    found: HubInvite | None
    invite_id: str | None
    replacing: bool
    ended: Refusal | None
    doubt: Refusal | None = None
    held: frozenset[str] = frozenset()

    @property
    def confirmed(self) -> frozenset[str]:
        return self.found.hostnames if self.found and self.found.live else frozenset()


def tunnel_key(tunnel: Tunnel) -> str:
    """Return `<namespace>/<name>`: the key of the tunnel in memory and the name of its invite on the hub."""
    return f"{tunnel.namespace}/{tunnel.name}"


def rename_hint(key: str) -> str:
    """Return how a tunnel that left the settings under this key stays, when it was only renamed."""
    return f"if it was renamed, set `aliases: [{key}]` on the tunnel under its new name, and it stays"


def tunnel_source(tunnel: Tunnel) -> Source:
    """Return the source that the tunnel is of its hostnames."""
    kind: Literal["TowonelTunnel", "CloudflareTunnel"] = (
        "TowonelTunnel" if tunnel.kind == "towonel" else "CloudflareTunnel"
    )
    return Source(cluster=None, kind=kind, namespace=tunnel.namespace, name=tunnel.name)


def set_name(tunnel: Source, key: str | None = None) -> str:
    """Return the name of the endpoint record set of a tunnel; `key` is another one of the same kind."""
    namespace, _, name = (key or f"{tunnel.namespace}/{tunnel.name}").partition("/")
    return f"{'towonel' if tunnel.kind == 'TowonelTunnel' else 'cloudflare'}.{namespace}.{name}"


def fixed_on_hub(tunnel: Tunnel) -> FixedOnHub:
    """Return what the hub could not change on the tunnel's invite: another value means a replacement."""
    return FixedOnHub(
        region=tunnel.region or DEFAULT_REGION,
        failover_regions=tunnel.failover_regions,
        expires_in_secs=tunnel.expires_in_secs,
    )


def plan_tunnel(
    tunnel: Tunnel,
    *,
    settings: Settings,
    view: HubView | None,
    memory: InviteMemory | None,
    internal: InternalHostnames,
    adopt_by_name: bool,
) -> TunnelPlan:
    """Return the plan of one Towonel tunnel; `view` is None where the hub was not observed (everything is predicted).

    `adopt_by_name` finds an invite that memory does not know by its name or a former one of the tunnel, as long as
    exactly one live one has it. The `internal` hostnames are refused, and the hub is not asked for the hidden ones.
    """
    invite = _own_invite(tunnel, view, memory, adopt_by_name=adopt_by_name)
    source = tunnel_source(tunnel)
    hostnames, malformed = split_names(tunnel)
    region = _region(tunnel, invite)
    targets = edge_targets(settings)
    target = tunnel.dns.cname_target or targets.get(region)
    blocked = _blocked(tunnel, invite, region, target, targets)
    taken = _taken(invite, tunnel_key(tunnel), view, memory)
    claims: list[Claim] = []
    rejections = [
        Rejection(hostname=text, source=source, visibility=tunnel.visibility, refusal=refusal)
        for text, refusal in malformed
    ]
    for hostname in hostnames:
        refusal = internal.why.get(hostname) or blocked or wildcard_refusal(tunnel, hostname)
        if refusal or target is None:
            assert refusal is not None  # noqa: S101 - a missing target is always blocked
            rejections.append(
                Rejection(hostname=hostname, source=source, visibility=tunnel.visibility, refusal=refusal)
            )
        else:
            doubt = None if hostname in invite.confirmed else invite.doubt or taken.get(hostname)
            claims.append(tunnel_claim(tunnel, hostname, target, sure=hostname in invite.confirmed, doubt=doubt))
    held = invite.held | (invite.confirmed & set(hostnames))
    asked = _asked(hostnames, internal.hidden, held | set(memory.asked or () if memory else ()))
    return TunnelPlan(
        source=source,
        tunnel=tunnel,
        hostnames=asked,
        invite_id=None if invite.replacing else invite.invite_id,
        invite_name=invite.found.name if invite.found else "",
        region=region,
        confirmed=tuple(sorted(invite.confirmed & set(asked))),
        target=Target("Hostname", target) if target else None,
        claims=tuple(claims),
        rejections=tuple(rejections),
        held=tuple(sorted(held)),
        ended=invite.ended is not None,
        expires=invite.found.expires if invite.found and invite.found.live else None,
        hidden=internal.hidden,
        # Without any hostname the invite is deleted, and the engine deletes last.
        released=tuple(sorted(held - set(asked))) if asked else (),
    )


def _asked(hostnames: Sequence[str], hidden: Collection[str], held: Collection[str]) -> tuple[str, ...]:
    """Return the hostnames to ask the hub for: where all are hidden those that the invite has.

    Without any the invite would be deleted, and its token with it.
    """
    shown = tuple(name for name in hostnames if name not in hidden)
    return shown or tuple(name for name in hostnames if name in held)


def known_invite(memory: InviteMemory, view: HubView | None) -> HubInvite | None:
    """Return the remembered invite as the hub has it; without a view of the hub as the memory has it, taken to live."""
    if view:
        return view.by_id.get(memory.invite_id)
    hostnames = frozenset(memory.asked or ()) - set(memory.refused)
    # Neither the label nor whether it is claimed is remembered, and nobody asks here.
    return HubInvite(invite_id=memory.invite_id, name="", hostnames=hostnames, status="") if memory.invite_id else None


def own_hostnames(invite: HubInvite, memory: InviteMemory) -> frozenset[str]:
    """Return the hostnames on a live invite of this stack that the stack itself has asked for."""
    if not invite.live:
        return frozenset()
    return invite.hostnames if memory.asked is None else invite.hostnames & set(memory.asked)


def invites_without_proof(
    tunnels: Iterable[Tunnel], view: HubView | None, memory: Mapping[str, InviteMemory]
) -> tuple[str, ...]:
    """Return the keys of the tunnels whose invites all answer not found: wrong key or account (rule hub-account).

    Empty when any known invite is visible. Tunnels that are no longer declared or get a new generation do not count
    (decision 17).
    """
    if view is None:
        return ()
    known = {
        tunnel_key(tunnel): remembered.invite_id
        for tunnel in tunnels
        if tunnel.kind == "towonel"
        and (remembered := memory.get(tunnel_key(tunnel)))
        and remembered.invite_id
        and remembered.generation == tunnel.generation
    }
    if any(view.by_id.get(invite_id) is not None for invite_id in known.values()):
        return ()
    return tuple(sorted(known))


def split_names(tunnel: Tunnel) -> tuple[tuple[str, ...], list[tuple[str, Refusal]]]:
    """Return the hostnames in normal form, and the malformed ones as written, in lower case; both sorted."""
    found = split_hostnames(tunnel_hostnames(tunnel))
    where = tunnel_source(tunnel)
    malformed = [
        (shown, Refusal(rule="name-syntax", reason=f"{where}: {shown!r} is not a DNS name: {problem}"))
        for shown, problem in sorted(found.broken)
    ]
    return tuple(sorted(found.valid)), malformed


def _own_invite(tunnel: Tunnel, view: HubView | None, memory: InviteMemory | None, *, adopt_by_name: bool) -> _Invite:
    if memory and memory.invite_id:
        known = known_invite(memory, view)
        found = known if view else None
        ended = _ended(found, memory.invite_id) if view else None
        renewed = tunnel.generation != memory.generation
        changed = fixed_on_hub(tunnel) != memory.fixed
        return _Invite(
            found=found,
            invite_id=memory.invite_id,
            # Of an invite that has ended only a new generation makes a new one.
            replacing=renewed or (ended is None and changed),
            ended=None if renewed or changed else ended,
            # Its replacement may have failed after the delete: then the engine makes the new one in this run.
            doubt=ended if changed and not renewed else None,
            held=own_hostnames(known, memory) if known else frozenset(),
        )
    names = {tunnel_key(tunnel), *tunnel.aliases}
    named = [i for i in view.listed if i.live and i.name in names] if view and adopt_by_name else []
    found = named[0] if len(named) == 1 else None
    return _Invite(
        found=found,
        invite_id=found.invite_id if found else None,
        replacing=False,
        ended=None,
        held=found.hostnames if found else frozenset(),
    )


def _ended(found: HubInvite | None, invite_id: str) -> Refusal | None:
    remedy = "raise the tunnel's generation to make a new invite"
    if found is None:
        return Refusal(rule="invite-gone", reason=f"the hub no longer has invite {invite_id}; {remedy}")
    if not found.live:
        return Refusal(rule="invite-revoked", reason=f"invite {invite_id} is revoked on the hub; {remedy}")
    return None


def _region(tunnel: Tunnel, invite: _Invite) -> str:
    if invite.found and invite.found.live and not invite.replacing:
        return invite.found.region or DEFAULT_REGION
    return tunnel.region or DEFAULT_REGION


def _blocked(
    tunnel: Tunnel, invite: _Invite, region: str, target: str | None, targets: Mapping[str, str]
) -> Refusal | None:
    """Return why no hostname of the tunnel is published, in the order of checks."""
    if tunnel.dns.mode == "Disabled":
        return Refusal(rule="dns-disabled", reason=f"dns.mode of {tunnel_source(tunnel)} is Disabled")
    if invite.ended:
        return invite.ended
    if target is None:
        known = ", ".join(sorted(targets)) or "none"
        return Refusal(
            rule="edge-target-unknown",
            reason=f"edgeTargets has no entry for region {region} (known: {known}); add it or set dns.cnameTarget",
        )
    return None


def wildcard_refusal(tunnel: Tunnel, hostname: str) -> Refusal | None:
    """Return why a wildcard hostname of a tunnel gets no record, None for any other."""
    if is_wildcard(hostname) and not tunnel.dns.include_wildcards:
        reason = f"dns.includeWildcards of {tunnel_source(tunnel)} is false"
        return Refusal(rule="wildcard-opt-in", reason=reason, on_purpose=True)
    return None


def _taken(invite: _Invite, label: str, view: HubView | None, memory: InviteMemory | None) -> Mapping[str, Refusal]:
    """Return the hostnames in doubt: the hub refused them in an earlier run, or another live invite holds them."""
    refused = Refusal(rule="host-taken", reason=HELD_ELSEWHERE)
    taken = dict.fromkeys(memory.refused if memory else (), refused)
    for other in sorted(view.listed, key=lambda one: one.invite_id) if view else ():
        if other.live and other.invite_id != invite.invite_id:
            reason = held_by(other, label)
            taken |= dict.fromkeys(other.hostnames, Refusal(rule="host-taken", reason=reason))
    return taken


def tunnel_claim(
    tunnel: Tunnel, hostname: str, target: str, *, sure: bool = True, doubt: Refusal | None = None
) -> Claim:
    """Return the claim of a tunnel, of either kind, on one of its hostnames.

    `sure`: the hub, where there is one, confirms it; `doubt` is why it may not.
    """
    return Claim(
        hostname=hostname,
        source=tunnel_source(tunnel),
        targets=(Target("Hostname", target),),
        visibility=tunnel.visibility,
        namespaces=frozenset({tunnel.namespace}),
        prefer_cname=True,
        at_edge=tunnel.kind == "towonel",
        ttl=tunnel.dns.ttl,
        wildcards=tunnel.dns.include_wildcards,
        conditional=not sure,
        doubt=doubt,
        account=tunnel.cloudflare.account_id if tunnel.cloudflare else None,
        served_by="external-dns" if tunnel.dns.mode == "DNSEndpoint" else None,
    )
