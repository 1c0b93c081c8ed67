"""What takes several calls: settling a create, an add, a reservation or a delete whose outcome is not clear.

The hub has no idempotency keys, tells an invite's token once, and its conflict texts do not say whose a name is. So
everything here is settled by reading the hub, never by the text of an answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from edge_dns.hub.client import HubClient
from edge_dns.hub.errors import (
    HubAccountUnclear,
    HubConflict,
    HubError,
    HubNotFound,
    HubOutcomeUnclear,
    HubRefused,
    NotFound,
)
from edge_dns.hub.model import Invite, NewInvite, Port

ATTEMPTS = 3
"""Tries of a call that is not idempotent; between two of them the hub is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteRequest:
    """What a new invite should be; `hostnames` in lower case, without duplicates."""

    name: str
    hostnames: tuple[str, ...]
    region: str | None = None
    failover_regions: tuple[str, ...] = ()
    expires_in_secs: int | None = None


def find_invite(hub: HubClient, invite_id: str, *, owner: str | None) -> Invite | None:
    """The invite (perhaps revoked), or None when it is proven gone.

    A 404 proves it only to the account (see Account) that owned the invite, or to the operator of the same hub, and
    only while other invites are visible: to every other account all invites of this one look like this. Raises
    HubAccountUnclear when that cannot be told, and HubError when the hub cannot be read.
    """
    try:
        return hub.get_invite(invite_id)
    except HubNotFound as error:
        if error.what is not NotFound.INVITE:
            raise
        missing = error
    listed = hub.list_invites()
    own = next((invite for invite in listed if invite.invite_id == invite_id), None)
    if own is not None and own.revoked:
        return own
    if own is None and listed and hub.account().must_see(owner):
        return None
    raise HubAccountUnclear(missing.call, missing.detail, status=404, request_id=missing.request_id)


def owner_of(hub: HubClient, known: str | None) -> str | None:
    """The owner of an invite that the hub has just shown or made; `known` where that cannot be told any better.

    An operator sees the invites of others as well.
    """
    try:
        account = hub.account()
    except HubError:
        return known
    return known if known and account.is_operator and account.must_see(known) else str(account)


def create_invite(hub: HubClient, request: InviteRequest, *, before: Iterable[str]) -> NewInvite:
    """Creates the invite with all its hostnames, or raises HubConflict (nothing created) or another HubError.

    `before` are the ids that the hub listed before the first try. A try whose answer was lost may have left an invite
    whose token nobody has. One with this name and exactly these hostnames that is `pending` and not in `before` may be
    that, or another stack's of this moment: the hub tells nothing by which they differ. So it is left alone, and
    HubOutcomeUnclear says what to do. Without one the create is tried again.
    """
    known = frozenset(before)
    failure: HubError | None = None
    for _ in range(ATTEMPTS):
        try:
            return hub.create_invite(
                name=request.name,
                hostnames=request.hostnames,
                region=request.region,
                failover_regions=request.failover_regions,
                expires_in_secs=request.expires_in_secs,
            )
        except HubConflict as conflict:
            # After a lost answer the conflict may be with what that try left, seen only now.
            if failure is not None:
                _check_leftovers(hub, request, known, failure)
            raise conflict from None
        except HubError as error:
            if not error.ambiguous:
                raise
            failure = error
            _check_leftovers(hub, request, known, failure)
    assert failure is not None  # noqa: S101 - the loop returns, raises or sets it
    raise failure


def _check_leftovers(hub: HubClient, request: InviteRequest, known: frozenset[str], failure: HubError) -> None:
    found = sorted(invite.invite_id for invite in hub.list_invites() if _is_leftover(invite, request, known))
    if found:
        detail = (
            f"{failure.detail}; meanwhile the invite {', '.join(found)} named {request.name!r} has appeared. If no "
            "other stack made it, this call did, and its token is lost: delete it on the hub, then run again"
        )
        raise HubOutcomeUnclear(failure.call, detail, status=failure.status, request_id=failure.request_id)


def _is_leftover(invite: Invite, request: InviteRequest, known: frozenset[str]) -> bool:
    return (
        invite.invite_id not in known
        and invite.status == "pending"
        and invite.name == request.name
        and invite.hostnames == frozenset(request.hostnames)
    )


def add_hostname(hub: HubClient, invite_id: str, hostname: str) -> bool:
    """Adds one hostname (lower case). True: it is on the invite; False: another invite or tenant holds it.

    HubRefused, when it is about a value: the hub takes the hostname for none.
    """
    for attempt in range(ATTEMPTS):
        try:
            hub.add_hostnames(invite_id, [hostname])
        except HubConflict:
            return hostname in hub.get_invite(invite_id).hostnames
        except HubError as error:
            if not error.ambiguous or attempt == ATTEMPTS - 1:
                raise
            if hostname in hub.get_invite(invite_id).hostnames:
                return True
        else:
            return True
    raise AssertionError("the last try returns or raises")


def remove_hostname(hub: HubClient, invite_id: str, hostname: str) -> bool:
    """Removes one hostname. True: it is absent; False: the hub keeps it as the invite's last one."""
    try:
        hub.remove_hostname(invite_id, hostname)
    except HubNotFound as error:
        # Nothing is concluded about the invite itself: only GET decides that.
        if error.what not in {NotFound.HOSTNAME, NotFound.INVITE}:
            raise
    except HubRefused as error:
        if error.status != 400:
            raise
        return False
    return True


def delete_invite(hub: HubClient, invite_id: str) -> None:
    """Deletes the invite; one that is gone already is a success."""
    try:
        hub.delete_invite(invite_id)
    except HubNotFound as error:
        if error.what not in {NotFound.INVITE, NotFound.INVITE_ALREADY_REVOKED}:
            raise


def find_port(
    hub: HubClient, tenant_id: str, *, protocol: str, label: str, preferred: int | None = None
) -> Port | None:
    """The tenant's reservation with this label and protocol, and with the preferred number where one is preferred.

    Several of them without a preference are HubOutcomeUnclear.
    """
    found = [port for port in hub.list_ports(tenant_id) if (port.label, port.protocol) == (label, protocol)]
    if preferred is not None:
        return next((port for port in found if port.port == preferred), None)
    if len(found) > 1:
        numbers = ", ".join(str(port.port) for port in found)
        raise HubOutcomeUnclear("GET ports", f"the label {label!r} stands on several {protocol} ports: {numbers}")
    return found[0] if found else None


def reserve_port(hub: HubClient, tenant_id: str, *, protocol: str, label: str, preferred: int | None = None) -> Port:
    """The tenant's reservation as find_port finds it, made only when there is none yet."""
    for attempt in range(ATTEMPTS):
        found = find_port(hub, tenant_id, protocol=protocol, label=label, preferred=preferred)
        if found is not None:
            return found
        try:
            return hub.reserve_port(tenant_id, protocol=protocol, label=label, preferred=preferred)
        except HubError as error:
            if not error.ambiguous or attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("the last try returns or raises")


def release_port(hub: HubClient, tenant_id: str, *, protocol: str, port: int) -> None:
    """Releases the port; one that is free already, or whose tenant is gone, is a success."""
    try:
        hub.release_port(tenant_id, protocol=protocol, port=port)
    except HubNotFound as error:
        if error.what is not NotFound.PORT:
            raise
    except HubRefused as error:
        # A tenant that is gone answers a user's key as one of another account does: forbidden.
        if error.status != 403 or not _tenant_is_gone(hub, tenant_id):
            raise


def _tenant_is_gone(hub: HubClient, tenant_id: str) -> bool:
    listed = hub.list_invites()
    return bool(listed) and all(invite.revoked for invite in listed if invite.tenant_id == tenant_id)
