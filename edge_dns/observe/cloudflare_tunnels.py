"""Reads the Cloudflare tunnels of accounts through the lookups of the provider's plugin. Read-only; a doubt raises."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from edge_dns.core.cloudflare_tunnels import TUNNELS_REMEDY
from edge_dns.core.cloudflare_view import AccountTunnels, LiveTunnel, ingress_rules
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import Answer, LiveZone
from edge_dns.core.memory import CloudflareTunnelMemory
from edge_dns.core.settings import Settings, Zone
from edge_dns.core.zones import zone_key
from edge_dns.observe.live_zones import Lookup, LookupFailed
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Tell

GET_TUNNELS = "cloudflare:index/getZeroTrustTunnelCloudflareds:getZeroTrustTunnelCloudflareds"
GET_CONFIG = "cloudflare:index/getZeroTrustTunnelCloudflaredConfig:getZeroTrustTunnelCloudflaredConfig"

MAX_TUNNELS = 100_000
"""The lookup drops what exceeds its limit without a word. An account has 1,000 live tunnels; deleted ones stay."""
SECONDS = 60.0

AccountLookup = Callable[[str, Mapping[str, str | int], float], Sequence[Answer]]
"""Runs the lookup of this token with these arguments, with the stack's own Cloudflare provider, at most so many
seconds. Returns the results; raises LookupFailed."""

_NEVER = "0001-01-01"
"""How a time that is not set is written by some versions."""


def read_tunnels(
    accounts: Mapping[str, Collection[str]], *, lookup: AccountLookup, tell: Tell
) -> dict[str, AccountTunnels]:
    """Return all tunnels of each account by its id, with the ingress rules of those whose ids are given for it.

    Raises ObservationFailed with one line for each account that could not be read.
    """
    return side_by_side(
        {account: partial(_read, account, ids, lookup) for account, ids in accounts.items()},
        tell=tell,
        deadline=time.monotonic() + 3 * SECONDS,
        late=lambda account: f"{_named(account)} cannot be read: no answer",
    )


def read_of_zones(
    zones: Iterable[Zone], live: Mapping[str, LiveZone], known: Mapping[str, AccountTunnels], lookup: Lookup, tell: Tell
) -> tuple[dict[str, AccountTunnels], dict[str, str]]:
    """Return the tunnels of the accounts that the zones belong to, `known` ones included.

    With it the accounts that could not be read, each with the reason: a token for DNS need not see tunnels.
    """
    accounts, unread = dict(known), dict[str, str]()
    for zone in zones:
        account = live[zone_key(zone)].account if zone_key(zone) in live else ""
        if account and account not in accounts and account not in unread:
            try:
                accounts[account] = _read(account, (), partial(lookup, zone), tell)
            except ObservationFailed as failed:
                unread[account] = str(failed)
    return accounts, unread


def tunnels_to_read(settings: Settings, known: Mapping[str, CloudflareTunnelMemory]) -> dict[str, set[str]]:
    """Return the accounts of the settings' tunnels, each with the ids that its tunnels have or adopt."""
    accounts: dict[str, set[str]] = {}
    for tunnel in settings.tunnels:
        if tunnel.cloudflare:
            of = tunnel.cloudflare
            ids = accounts.setdefault(of.account_id, set())
            ids |= {of.adopt} if of.adopt else set()
    for one in known.values():
        if one.account_id in accounts:
            accounts[one.account_id].add(one.tunnel_id)
    return accounts


def _read(account: str, ids: Collection[str], lookup: AccountLookup, tell: Tell) -> AccountTunnels:
    tell(f"reading the tunnels of Cloudflare account {account}")
    try:
        found = [_tunnel(one) for one in lookup(GET_TUNNELS, {"accountId": account, "maxItems": MAX_TUNNELS}, SECONDS)]
        if len(found) >= MAX_TUNNELS:
            raise LookupFailed(f"it lists {MAX_TUNNELS} tunnels or more, which is too many")
        by_id = {one.tunnel_id: one for one in found}
        for tunnel_id in sorted(by_id.keys() & set(ids)):
            by_id[tunnel_id] = _with_ingress(by_id[tunnel_id], account, lookup)
    except (LookupFailed, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ObservationFailed(f"{_named(account)} cannot be read: {reason}; {TUNNELS_REMEDY}") from None
    return AccountTunnels(by_id=by_id)


def _named(account: str) -> str:
    return f"the tunnels of Cloudflare account {account}"


def _tunnel(answer: Answer) -> LiveTunnel:
    tunnel_id, name = answer.get("id"), answer.get("name")
    if not isinstance(tunnel_id, str) or not tunnel_id:
        raise ValueError("a tunnel without id")
    deleted = str(answer.get("deletedAt") or "")
    return LiveTunnel(
        tunnel_id=tunnel_id,
        name=str(name or ""),
        deleted=bool(deleted) and not deleted.startswith(_NEVER),
        remote=answer.get("configSrc") != "local",
    )


def _with_ingress(tunnel: LiveTunnel, account: str, lookup: AccountLookup) -> LiveTunnel:
    if tunnel.deleted:
        return tunnel
    (answer,) = lookup(GET_CONFIG, {"accountId": account, "tunnelId": tunnel.tunnel_id}, SECONDS)
    return LiveTunnel(
        tunnel_id=tunnel.tunnel_id,
        name=tunnel.name,
        deleted=False,
        remote=tunnel.remote,
        ingress=ingress_rules(answer),
    )
