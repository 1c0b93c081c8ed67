"""What was read from the Towonel hub, as values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HubInvite:
    """One invite as the hub lists it: hostnames in lower case, `region` in upper case or None (the hub's default)."""

    invite_id: str
    name: str
    hostnames: frozenset[str]
    status: str
    region: str | None = None

    @property
    def live(self) -> bool:
        """Expiry is not a status, and an unknown status is treated as alive: only `revoked` has ended."""
        return self.status != "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class HubView:
    """The invites that the key sees (`listed`) and those asked for by id: None is an answer `not_found`."""

    listed: tuple[HubInvite, ...]
    by_id: Mapping[str, HubInvite | None] = field(default_factory=dict)


def view_of_list(invites: Iterable[HubInvite], known_ids: Iterable[str]) -> HubView:
    """Return the view that a list alone gives: a known id that it lacks is not found."""
    listed = tuple(invites)
    index = {invite.invite_id: invite for invite in listed}
    return HubView(listed=listed, by_id={invite_id: index.get(invite_id) for invite_id in known_ids})
