"""Cloudflare tunnels: from settings, the account's list and memory to the claims on their hostnames.

| the account's list says of the tunnel           | its hostnames                                            |
|-------------------------------------------------|----------------------------------------------------------|
| live, or not there yet (this run makes it)      | claimed                                                  |
| made by this stack, and deleted since           | rejected (`tunnel-gone`), so that none leads to an error |
| somebody else's, by its name                    | rejected (`tunnel-foreign`), and nothing is declared     |
| nothing, although this stack has made it        | ObservationFailed: deleted tunnels stay in the list      |
| live, with rules of others that are to be kept  | new ones rejected (`ingress-foreign`), the others claimed |

A hostname is claimed only together with its ingress rule: the list is written as a whole, by one owner.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.cloudflare_view import (
    AccountTunnels,
    IngressRule,
    LiveTunnel,
    first_rule,
    sorted_rules,
    target_of_tunnel,
    unknown_target,
)
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.memory import CloudflareTunnelMemory, RulesMemory
from edge_dns.core.notices import Notice
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import CloudflareTunnel, Tunnel
from edge_dns.core.tunnels import (
    InternalHostnames,
    rename_hint,
    split_names,
    tunnel_claim,
    tunnel_key,
    tunnel_source,
    wildcard_refusal,
)
from edge_dns.core.values import Source

_TUNNELS = "edge-dns:tunnels"
_REFUSED = "http_status:404"

_LET_GO = "Take them into the settings, or name their hostnames in cloudflare.replaceIngress"
TUNNELS_REMEDY = (
    "check cloudflare.accountId and that the API token (cloudflare:apiToken) may read and edit Cloudflare Tunnels"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudflareTunnelPlan:
    """One tunnel: what is declared of it, and the claims and rejections that follow.

    `tunnel_id` is known before this run or None; `target` stands for it then. `name` is the tunnel's at Cloudflare,
    `ingress` its whole list of rules, the catch-all last; empty where none is declared. `kept`: whatever Cloudflare
    holds of rules stays as it is, since it is not ours alone. `rules` is what the next run is to know of them. `adopts`
    is the id of an existing tunnel that this run takes over. `declared`: there is or will be a tunnel of this stack.
    `gone`: it was deleted at Cloudflare, and is declared as it was.
    """

    source: Source
    tunnel: Tunnel
    account_id: str
    tunnel_id: str | None
    target: str
    name: str
    ingress: tuple[IngressRule, ...]
    kept: bool
    rules: RulesMemory
    adopts: str | None
    declared: bool
    gone: bool
    claims: tuple[Claim, ...]
    rejections: tuple[Rejection, ...]
    notices: tuple[Notice, ...]

    @property
    def hostnames(self) -> tuple[str, ...]:
        """The hostnames with an ingress rule that leads somewhere, sorted."""
        return tuple(sorted(rule.hostname for rule in self.ingress if rule.hostname and not rule.is_refusal))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The tunnel as this run finds it: its id and what the account says of it, where either is known."""

    tunnel_id: str | None
    live: LiveTunnel | None
    blocked: Refusal | None = None


def plan_cloudflare_tunnel(
    tunnel: Tunnel,
    account: AccountTunnels | None,
    memory: CloudflareTunnelMemory | None,
    internal: InternalHostnames,
) -> CloudflareTunnelPlan:
    """Return the plan of one Cloudflare tunnel; `account` is None where the list was not read (all is predicted).

    The `internal` hostnames are left to the claims on them. No rule leads to the hidden ones, since a public wildcard
    could lead to it. Raises ObservationFailed when the list lacks a tunnel that this stack has made.
    """
    of = _of(tunnel)
    known = memory if memory and memory.account_id == of.account_id else None
    found = _find(tunnel, of, account, known)
    named, malformed = split_names(tunnel)
    hidden = internal.hidden
    wanted = ingress_of([name for name in named if name not in hidden], hidden, of)
    rules = known.rules if known else RulesMemory()
    foreign = _foreign(found.live, {*wanted, *rules.declared, *rules.former}, of)
    kept = bool(found.blocked or foreign)
    ingress = rules.declared if kept else wanted
    source, target = tunnel_source(tunnel), _target(tunnel, found.tunnel_id)
    served = {rule.hostname for rule in ingress if rule in wanted or not rule.is_refusal}
    refusals = _refusals(tunnel, [name for name in named if name not in internal.why], found, served, foreign)
    return CloudflareTunnelPlan(
        source=source,
        tunnel=tunnel,
        account_id=of.account_id,
        tunnel_id=found.tunnel_id,
        target=target,
        name=_name(tunnel, found, known),
        ingress=ingress,
        kept=kept,
        rules=rules if kept else _replacing(rules, wanted, found.live),
        adopts=of.adopt if known is None and ingress else None,
        declared=bool(known or ingress),
        gone=bool(found.blocked and known),
        claims=tuple(tunnel_claim(tunnel, name, target) for name in named if name not in refusals),
        rejections=tuple(
            Rejection(hostname=name, source=source, visibility=tunnel.visibility, refusal=refusal)
            for name, refusal in [*malformed, *refusals.items()]
        ),
        notices=(
            *_notices(tunnel, found, known, foreign, hidden),
            *(_internal_notices(tunnel, found, hidden) if kept else ()),
        ),
    )


def ingress_of(hostnames: Iterable[str], hidden: Iterable[str], of: CloudflareTunnel) -> tuple[IngressRule, ...]:
    """Return the whole ingress list of a tunnel with these hostnames (in normal form), the catch-all last.

    Where a wildcard or the catch-all would serve a `hidden` hostname, a rule before it answers for that: the first
    match counts (Cloudflare docs, "Ingress rules").
    """
    rules = sorted_rules(
        IngressRule(hostname=name, service=service)
        for name in hostnames
        if (service := of.origins.get(name, of.origin)) is not None
    )
    catch_all = IngressRule(hostname="", service=of.catch_all)
    refusing = [
        IngressRule(hostname=name, service=_REFUSED)
        for name in hidden
        if not (first_rule(rules, name) or catch_all).is_refusal
    ]
    return (*sorted_rules((*rules, *refusing)), catch_all)


def leaving_notices(
    plans: Iterable[CloudflareTunnelPlan], memory: Mapping[str, CloudflareTunnelMemory], towonel: Collection[str]
) -> Iterator[Notice]:
    """Yield a warning of each tunnel that this run deletes, since its token goes with it.

    `towonel` are the keys of the tunnels of the other kind.
    """
    declared = {tunnel_key(plan.tunnel): plan.account_id for plan in plans}
    for key, one in sorted(memory.items()):
        if declared.get(key) != one.account_id:
            why = "its account changed" if key in declared else "the tunnel left the settings"
            why = "its kind is towonel now" if key in towonel else why
            message = f"tunnel {key}: this run deletes Cloudflare tunnel {one.name} ({one.tunnel_id}), since {why}"
            message += "; its token goes with it"
            hint = "" if key in declared or key in towonel else f"; {rename_hint(key)}"
            yield Notice(rule="tunnel-deleted", path=_TUNNELS, message=message + hint)


def _of(tunnel: Tunnel) -> CloudflareTunnel:
    if tunnel.cloudflare is None:
        raise ValueError(f"tunnel {tunnel_key(tunnel)} is none of kind cloudflare")
    return tunnel.cloudflare


def _find(
    tunnel: Tunnel, of: CloudflareTunnel, account: AccountTunnels | None, known: CloudflareTunnelMemory | None
) -> _Found:
    tunnel_id = known.tunnel_id if known else of.adopt
    if account is None:
        return _Found(tunnel_id=tunnel_id, live=None)
    if tunnel_id is None:
        taken = account.named(_default_name(tunnel))
        return _Found(tunnel_id=None, live=None, blocked=_taken(taken, of) if taken else None)
    if known and tunnel_id not in account.by_id:
        raise ObservationFailed(_not_listed(known, of))
    live = account.live(tunnel_id)
    if live is None:
        return _Found(tunnel_id=tunnel_id, live=None, blocked=_gone(tunnel_id, of, adopting=known is None))
    if known is None and not live.remote:
        reason = f"tunnel {live.name} ({tunnel_id}) has its ingress rules in a file of its origin: it cannot be adopted"
        return _Found(tunnel_id=tunnel_id, live=live, blocked=Refusal(rule="adopt-differs", reason=reason))
    return _Found(tunnel_id=tunnel_id, live=live)


def _not_listed(known: CloudflareTunnelMemory, of: CloudflareTunnel) -> str:
    told = f"the list lacks tunnel {known.name} ({known.tunnel_id}) of this stack, and deleted ones stay in it"
    return f"the tunnels of Cloudflare account {of.account_id} cannot be read: {told}; {TUNNELS_REMEDY}"


def _taken(live: LiveTunnel, of: CloudflareTunnel) -> Refusal:
    reason = (
        f"account {of.account_id} has a tunnel named {live.name} ({live.tunnel_id}) that this stack did not make; "
        "rename one of both, or set cloudflare.adopt to its id"
    )
    return Refusal(rule="tunnel-foreign", reason=reason)


def _gone(tunnel_id: str, of: CloudflareTunnel, *, adopting: bool) -> Refusal:
    if adopting:
        return Refusal(rule="tunnel-gone", reason=f"account {of.account_id} has no tunnel {tunnel_id} to adopt")
    reason = f"tunnel {tunnel_id} was deleted at Cloudflare; take it out of the state, and the next run makes a new one"
    return Refusal(rule="tunnel-gone", reason=reason)


def _foreign(live: LiveTunnel | None, ours: Iterable[IngressRule], of: CloudflareTunnel) -> tuple[IngressRule, ...]:
    """Return the rules of the live list that somebody else made and that may not be replaced."""
    rules = live.ingress or () if live else ()
    known = set(ours)
    return tuple(rule for rule in rules if rule not in known and rule.name not in of.replace_ingress)


def _replacing(rules: RulesMemory, wanted: tuple[IngressRule, ...], live: LiveTunnel | None) -> RulesMemory:
    held = set(live.ingress or ()) if live else set()
    former = {rule for rule in (*rules.declared, *rules.former) if rule in held and rule not in wanted}
    return RulesMemory(declared=wanted, former=tuple(sorted(former, key=str)))


def _target(tunnel: Tunnel, tunnel_id: str | None) -> str:
    return target_of_tunnel(tunnel_id) if tunnel_id else unknown_target(tunnel_key(tunnel))


def _default_name(tunnel: Tunnel) -> str:
    return f"{tunnel.namespace}.{tunnel.name}"


def _name(tunnel: Tunnel, found: _Found, known: CloudflareTunnelMemory | None) -> str:
    """Return the name at Cloudflare: that which the tunnel has, since a rename there is no business of DNS."""
    if found.live:
        return found.live.name
    return known.name if known else _default_name(tunnel)


def _refusals(
    tunnel: Tunnel,
    hostnames: Iterable[str],
    found: _Found,
    served: Collection[str],
    foreign: Iterable[IngressRule],
) -> dict[str, Refusal]:
    """Return why hostnames are not claimed, in the order of checks."""
    refusals: dict[str, Refusal] = {}
    for hostname in hostnames:
        if tunnel.dns.mode == "Disabled":
            reason = f"dns.mode of {tunnel_source(tunnel)} is Disabled"
            refusals[hostname] = Refusal(rule="dns-disabled", reason=reason)
        elif refusal := found.blocked or wildcard_refusal(tunnel, hostname):
            refusals[hostname] = refusal
        elif hostname not in served:
            refusals[hostname] = _not_replaced(found, foreign)
    return refusals


def _not_replaced(found: _Found, foreign: Iterable[IngressRule]) -> Refusal:
    name = found.live.name if found.live else ""
    rules = ", ".join(map(str, foreign))
    reason = (
        f"tunnel {name} has ingress rules that this stack did not make, and writing its own would delete them: "
        f"{rules}. {_LET_GO}"
    )
    return Refusal(rule="ingress-foreign", reason=reason)


def _notices(
    tunnel: Tunnel,
    found: _Found,
    known: CloudflareTunnelMemory | None,
    foreign: Sequence[IngressRule],
    hidden: Collection[str],
) -> Iterator[Notice]:
    key, adopt = tunnel_key(tunnel), _of(tunnel).adopt
    if known and adopt and adopt != known.tunnel_id:
        message = f"tunnel {key}: it is Cloudflare tunnel {known.tunnel_id} already; adopt ({adopt}) has no effect"
        yield Notice(rule=None, path=_TUNNELS, message=message)
    if not (known and found.live and found.live.ingress is not None):
        return
    live = set(found.live.ingress)
    gone = [rule for rule in known.rules.declared if rule not in live]
    if missing := [str(rule) for rule in gone if rule.is_refusal or rule.hostname not in hidden]:
        told = f"ingress rules of this stack were changed at Cloudflare: {', '.join(missing)}"
        remedy = "" if foreign else "; `pulumi up --refresh` puts them right"
        message = f"tunnel {key}: {told}{remedy}"
        yield Notice(rule=None, path=_TUNNELS, message=message)
    if rules := ", ".join(map(str, foreign)):
        told = "somebody else added ingress rules, and until they are let go all rules stay as they are"
        message = f"tunnel {key}: {told}: {rules}. {_LET_GO}"
        yield Notice(rule=None, path=_TUNNELS, message=message)


def _internal_notices(tunnel: Tunnel, found: _Found, hidden: Collection[str]) -> Iterator[Notice]:
    """Yield a warning of the rules that lead to internal names in a list that is kept as it is."""
    live = found.live.ingress or () if found.live else ()
    if rules := [str(rule) for rule in live if rule.hostname in hidden and not rule.is_refusal]:
        message = (
            f"tunnel {tunnel_key(tunnel)}: its ingress list may not be changed and still leads to internal names: "
            f"{', '.join(rules)}. Take the rules of others into the settings, or name their hostnames in "
            "cloudflare.replaceIngress, or delete those that are internal at Cloudflare"
        )
        yield Notice(rule="ingress-internal", path=_TUNNELS, message=message)
