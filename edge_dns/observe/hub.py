"""Reads the Towonel hub: the list once, and each known invite with its status. Read-only; a doubt raises."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.hub_view import HubInvite, HubView, RegionEndpoints
from edge_dns.hub.client import HubClient
from edge_dns.hub.errors import HubError, HubNotFound, HubUnauthorized, NotFound
from edge_dns.hub.model import Invite, parse_invites
from edge_dns.observe.telling import Passing, Tell, silent

_READERS = 8


def read_hub(client: HubClient, known_ids: Iterable[str], *, tell: Tell = silent) -> HubView:
    """Return what the hub says now of all invites that the key sees and of each known id.

    `tell` gets progress lines. Raises ObservationFailed with the rule `hub-account` for a key that the hub refuses and
    `observation-failed` for everything else that is not an answer.
    """
    ids = sorted(set(known_ids))
    tell(f"reading {client.url}: the list of invites and {len(ids)} known ones")
    try:
        listed = tuple(_invite(invite) for invite in client.list_invites())
        tell(Passing(f"reading {client.url}: {len(listed):,} invites listed, each of {len(ids)} known ones"))
        with ThreadPoolExecutor(_READERS) as pool:
            found = dict(zip(ids, pool.map(lambda invite_id: _get(client, invite_id), ids), strict=True))
            live = [invite_id for invite_id, invite in found.items() if invite and invite.live]
            endpoints = dict(zip(live, pool.map(lambda invite_id: _endpoints(client, invite_id), live), strict=True))
    except HubUnauthorized as error:
        raise ObservationFailed(str(error), rule="hub-account") from None
    except HubError as error:
        raise ObservationFailed(str(error)) from None
    return HubView(listed=listed, by_id=found, region_endpoints=endpoints)


def parse_hub_list(body: object) -> tuple[HubInvite, ...]:
    """Return the invites of the body of `GET /v1/invites`; raises ValueError when it is not one."""
    return tuple(_invite(invite) for invite in parse_invites(body))


def _get(client: HubClient, invite_id: str) -> HubInvite | None:
    try:
        return _invite(client.get_invite(invite_id))
    except HubNotFound as error:
        if error.what is NotFound.INVITE:
            return None
        raise


def _endpoints(client: HubClient, invite_id: str) -> tuple[RegionEndpoints, ...]:
    return tuple(
        RegionEndpoints(
            region=region.region,
            role=region.role,
            addresses=tuple(sorted({address for edge in region.edges for address in edge.public_ips})),
        )
        for region in client.invite_status(invite_id)
    )


def _invite(invite: Invite) -> HubInvite:
    return HubInvite(
        invite_id=invite.invite_id,
        name=invite.name,
        hostnames=invite.hostnames,
        status=invite.status,
        region=invite.region,
        expires=_day(invite.expires_at_ms),
    )


def _day(epoch_ms: int | None) -> date | None:
    try:
        return None if epoch_ms is None else datetime.fromtimestamp(epoch_ms / 1000, tz=UTC).date()
    except (OverflowError, ValueError, OSError):
        # So far away that no calendar holds it.
        return None
