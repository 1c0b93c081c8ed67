"""What was read from the Towonel hub, as values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class HubInvite:
    """One invite as the hub lists it: hostnames in lower case, `region` in upper case or None (the hub's default).

    `expires` is the day (UTC) on which its token ends, None for never.
    """

    invite_id: str
    name: str
    hostnames: frozenset[str]
    status: str
    region: str | None = None
    expires: date | None = None

    @property
    def live(self) -> bool:
        """Expiry is not a status, and an unknown status is treated as alive: only `revoked` has ended."""
        return self.status != "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionEndpoints:
    """The public addresses of the edges that serve an invite in one region, sorted; `role` is primary or failover."""

    region: str
    role: str
    addresses: tuple[str, ...]


HELD_ELSEWHERE = "another invite or account of the hub holds it"
"""Why the hub refused a hostname, where the holder is not to be seen."""


def held_by(holder: HubInvite, label: str) -> str:
    """Return why the hub refuses a hostname to the invite with this label; the provider plugin says it in these words.

    Without token, an invite of the same label is perhaps what a create left behind whose answer was lost.
    """
    reason = f"the invite {holder.name!r} ({holder.invite_id}) of the hub holds it"
    if holder.name == label and holder.status == "pending":
        return (
            f"{reason}, perhaps left by a lost state, then see edge-dns audit orphans, or by an interrupted "
            "create: delete it on the hub, then run again"
        )
    return reason


@dataclass(frozen=True, slots=True, kw_only=True)
class HubView:
    """The invites that the key sees (`listed`) and those asked for by id: None is an answer `not_found`.

    `region_endpoints` are those of the live ones among the latter.
    """

    listed: tuple[HubInvite, ...]
    by_id: Mapping[str, HubInvite | None] = field(default_factory=dict)
    region_endpoints: Mapping[str, tuple[RegionEndpoints, ...]] = field(default_factory=dict)


def view_of_list(invites: Iterable[HubInvite], known_ids: Iterable[str]) -> HubView:
    """Return the view that a list alone gives: a known id that it lacks is not found."""
    listed = tuple(invites)
    index = {invite.invite_id: invite for invite in listed}
    return HubView(listed=listed, by_id={invite_id: index.get(invite_id) for invite_id in known_ids})
