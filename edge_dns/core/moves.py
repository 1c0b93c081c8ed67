"""Hostnames that pass from one tunnel of this stack to another: in which order, and which cannot pass within one run.

The hub gives a hostname to an invite only once no other one holds it. An invite that changes lets go at its turn, so
the one that takes waits for it. An invite that is deleted lets go last of all, and of tunnels that take from each other
none can be first: the next run moves these.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edge_dns.core.claims import Rejection
from edge_dns.core.hub_view import HubView
from edge_dns.core.memory import InviteMemory
from edge_dns.core.rules import Refusal
from edge_dns.core.tunnels import TunnelPlan, known_invite, own_hostnames, tunnel_key
from edge_dns.core.values import Source

Why = Literal["left", "retained", "empty", "kept", "swap", "stuck"]
"""Why the holder cannot let go in time.

`left`: it left the settings; `retained`: the same, and its invite stays; `empty`: it has no hostname any more; `kept`:
it gets none of its new ones in this run; `swap`: it takes from the other as well; `stuck`: the same, and neither has a
hostname beside.
"""

_WHY: Mapping[Why, str] = {
    "left": "left the settings and is deleted last",
    "retained": "left the settings with deletionPolicy Retain, so its invite keeps it until somebody deletes it",
    "empty": "has no hostname left and is deleted last",
    "kept": "gets none of its new ones in this run and cannot be without any",
    "swap": "itself takes a hostname at the same time",
    "stuck": "itself takes a hostname at the same time and has no other one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A hostname on the invite of tunnel `giver` that tunnel `taker` (both by key) cannot have in this run."""

    hostname: str
    giver: str
    taker: str
    why: Why

    @property
    def reason(self) -> str:
        """Why, as a sentence about the hostname."""
        return f"the invite of tunnel {self.giver} holds it, which {_WHY[self.why]}"


def transition_text(transitions: Collection[Transition]) -> str:
    """Return what would become of hostnames in transition, and how to move them without or with less of a gap."""
    pairs = sorted({(one.giver, one.taker, one.why) for one in transitions})
    told = "; ".join(f"tunnel {taker} takes from tunnel {giver}, which {_WHY[why]}" for giver, taker, why in pairs)
    renamed = [f"`aliases: [{giver}]` on tunnel {taker}" for giver, taker, why in pairs if why in {"left", "retained"}]
    rename = f"For a rename set {' and '.join(renamed)}: invite, token and records stay. " if renamed else ""
    return (
        f"{told}. The hub gives a hostname to an invite only once no other one holds it, so that in this run the "
        f"records would be withdrawn, and published by the next one at the earliest. {rename}To move hostnames in two "
        "runs, take them from the one tunnel first and give them to the other in the next run"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """The invite of a tunnel that is no longer declared: its key, the hostnames on it, and whether it stays.

    With `rekinded` a tunnel of this key is declared, of the other kind.
    """

    key: str
    rekinded: bool
    held: frozenset[str]
    retain: bool


def leaving_invites(
    memory: Mapping[str, InviteMemory], declared: Mapping[str, str], view: HubView | None
) -> tuple[Leaving, ...]:
    """Return the live invites whose tunnels are not declared; without a view of the hub those remembered.

    `declared` are the kinds of the tunnels of the settings by key.
    """
    found = {key: (one, known_invite(one, view)) for key, one in memory.items()}
    return tuple(
        Leaving(key=key, rekinded=key in declared, held=own_hostnames(invite, one), retain=one.retain)
        for key, (one, invite) in sorted(found.items())
        if declared.get(key) != "towonel" and invite and invite.live
    )


def plan_moves(
    plans: Sequence[TunnelPlan], leaving: Iterable[Leaving] = ()
) -> tuple[tuple[TunnelPlan, ...], tuple[Transition, ...]]:
    """Return the plans with the order between tunnels that pass hostnames on, and what cannot pass in this run.

    A hostname in transition is not asked for in this run; an invite that would be empty without it keeps what it has.
    """
    held = _held_to_the_end(plans, leaving)
    found = {plan.source: {name: held[name] for name in _wanted(plan) if name in held} for plan in plans}
    takes = _takes(plans)
    first = _in_order(takes, set())
    # What takes from each other is broken up at those that have something else meanwhile.
    for plan in plans:
        late = {name: giver for name, giver in takes[plan.source].items() if giver not in first}
        if late and set(plan.hostnames) - late.keys() - found[plan.source].keys():
            found[plan.source] |= {name: (_key(giver), "swap") for name, giver in late.items()}
    takes = {source: {n: g for n, g in names.items() if n not in found[source]} for source, names in takes.items()}
    placed = _in_order(takes, set())
    for source, names in takes.items():
        found[source] |= {name: (_key(giver), "stuck") for name, giver in names.items() if giver not in placed}
    return (
        tuple(_moved(plan, takes[plan.source], found[plan.source]) for plan in plans),
        tuple(
            Transition(hostname=name, giver=giver, taker=tunnel_key(plan.tunnel), why=why)
            for plan in plans
            for name, (giver, why) in sorted(found[plan.source].items())
        ),
    )


_Takes = Mapping[Source, Mapping[str, Source]]
"""What each tunnel takes in this run, by hostname from whom."""

_Found = Mapping[str, tuple[str, Why]]
"""The hostnames in transition to one tunnel: from which one (its key), and why."""


def _wanted(plan: TunnelPlan) -> frozenset[str]:
    """What a tunnel wants to have on its invite and has not; nothing goes on one that has ended."""
    return frozenset() if plan.ended else frozenset(plan.hostnames) - set(plan.held)


def _held_to_the_end(plans: Sequence[TunnelPlan], leaving: Iterable[Leaving]) -> _Found:
    held: dict[str, tuple[str, Why]] = {}
    for plan in plans:
        if not plan.hostnames:
            held |= dict.fromkeys(plan.held, (tunnel_key(plan.tunnel), "empty"))
    for one in leaving:
        held |= dict.fromkeys(one.held, (one.key, "retained" if one.retain else "left"))
    # Who gets nothing but what is held that long keeps what it has until then as well.
    rest = [plan for plan in plans if plan.hostnames and plan.held and not plan.ended]
    while late := [plan for plan in rest if held.keys() >= set(plan.hostnames)]:
        held |= {name: (tunnel_key(plan.tunnel), "kept") for plan in late for name in plan.held}
        rest = [plan for plan in rest if plan not in late]
    return held


def _takes(plans: Iterable[TunnelPlan]) -> _Takes:
    givers = {name: plan.source for plan in plans for name in plan.released}
    return {plan.source: {name: givers[name] for name in sorted(_wanted(plan)) if name in givers} for plan in plans}


def _in_order(takes: _Takes, placed: set[Source]) -> set[Source]:
    """Return the tunnels that can change one after the other, each after those that it takes from."""
    while ready := {source for source in takes.keys() - placed if placed >= set(takes[source].values())}:
        placed = placed | ready
    return placed


def _key(source: Source) -> str:
    return f"{source.namespace}/{source.name}"


def _moved(plan: TunnelPlan, takes: Mapping[str, Source], found: _Found) -> TunnelPlan:
    givers = {giver for name, giver in takes.items() if name not in found}
    if not givers and not found:
        return plan
    left = tuple(name for name in plan.hostnames if name not in found)
    claims = [replace(one, doubt=None) if one.hostname in takes else one for one in plan.claims]
    rejections = [
        Rejection(
            hostname=claim.hostname,
            source=plan.source,
            visibility=claim.visibility,
            refusal=_refusal(plan, claim.hostname, *found[claim.hostname]),
        )
        for claim in claims
        if claim.hostname in found
    ]
    return replace(
        plan,
        hostnames=left or plan.held,
        claims=tuple(claim for claim in claims if claim.hostname not in found),
        rejections=(*plan.rejections, *rejections),
        released=plan.released if left else (),
        after=tuple(sorted(givers, key=lambda one: one.sort_key)),
    )


def _refusal(plan: TunnelPlan, hostname: str, giver: str, why: Why) -> Refusal:
    reason = Transition(hostname=hostname, giver=giver, taker=tunnel_key(plan.tunnel), why=why).reason
    later = "" if why == "retained" else f"; the next run gives it to {tunnel_key(plan.tunnel)}"
    return Refusal(rule="host-transition", reason=reason + later, on_purpose=True)
