"""The calls to the hub behind `towonel:index:Invite`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from edge_dns.hub import HubClient, HubError, Invite, NewInvite, outcomes
from edge_dns.hub.errors import HubAccountUnclear, HubConflict, HubNotFound, HubRefused
from edge_dns.hub.model import DEFAULT_REGION
from edge_dns.hub.outcomes import InviteRequest
from providers.towonel import invite
from providers.towonel.checks import Failure
from providers.towonel.errors import PartialWrite, PluginError
from providers.towonel.invite import InviteInputs, InviteState, without
from providers.towonel.resource import Diff, Live, Log
from providers.towonel.values import Properties, Unknown, known

SECRET_OUTPUTS = frozenset({"token"})


class InviteResource:
    """See resource.Resource; the decisions are in invite.py."""

    secret_outputs = SECRET_OUTPUTS

    def __init__(self) -> None:
        # What other invites let go in this run: no preview counts them as holders. The engine asks for the difference
        # of an invite before it registers those that depend on it.
        self._released: set[str] = set()

    def check(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """The inputs in normal form, so that another spelling or order makes no difference."""
        wanted, failures = InviteInputs.read(inputs)
        return wanted.properties(), failures

    def diff(self, outputs: Properties, inputs: Properties) -> Diff:
        """See invite.diff. Raises PluginError for a replacement that could not work."""
        state = InviteState.read(outputs)
        found = invite.diff(state, _inputs(inputs))
        self._released |= invite.releases(state, _inputs(inputs))
        if found.replaces and _holds_names(state) and state.inputs.deletion_policy == "Retain":
            raise PluginError(
                f"a new {found.replaces[0]} replaces the invite, but deletionPolicy Retain leaves the old one on the "
                "hub with all its hostnames: set deletionPolicy to Delete in a run of its own first"
            )
        return found

    def cost_of_replacement(self, outputs: Properties) -> str | None:
        """Nothing here: the program says it with the plan, of every invite that a run deletes."""
        return None

    def predict_create(self, hub: HubClient | None, inputs: Properties) -> Properties:
        """See invite.predict_create."""
        wanted = _inputs(inputs)
        return invite.predict_create(wanted, self._taken(hub, None, wanted)).outputs()

    def predict_update(self, hub: HubClient | None, outputs: Properties, inputs: Properties) -> Properties:
        """See invite.predict_update."""
        state, wanted = InviteState.read(outputs), _inputs(inputs)
        return invite.predict_update(state, wanted, self._taken(hub, _text(state.invite_id), wanted)).outputs()

    def _taken(self, hub: HubClient | None, invite_id: str | None, wanted: InviteInputs) -> dict[str, str]:
        """The wanted hostnames that another invite is seen to hold, with the reason; without the hub none."""
        if hub is None or isinstance(wanted.hostnames, Unknown) or isinstance(wanted.name, Unknown):
            return {}
        try:
            others = [one for one in hub.list_invites() if one.invite_id != invite_id and not one.revoked]
        except HubError:
            return {}
        held = frozenset().union(*(one.hostnames for one in others)) - self._released
        return {name: invite.refusal_reason(name, wanted.name, others) for name in wanted.hostnames if name in held}

    def create(self, hub: HubClient, inputs: Properties, log: Log) -> Live:
        """Create with all hostnames; where the hub refuses that, with one that is free, and add the others singly."""
        state = _issue(hub, _inputs(inputs), log)
        return Live(resource_id=_text(state.invite_id) or invite.UNISSUED, outputs=state.outputs())

    def update(self, hub: HubClient, resource_id: str, outputs: Properties, inputs: Properties, log: Log) -> Properties:
        """Add what is missing, one by one, then remove what is too much. An unissued one is created."""
        before, wanted = InviteState.read(outputs), _inputs(inputs)
        state = replace(before, inputs=wanted, asked=_union(known(before.asked), known(wanted.hostnames)))
        invite_id = _text(state.invite_id)
        if invite_id is None:
            return _issue(hub, state.inputs, log).outputs()
        found = outcomes.find_invite(hub, invite_id, owner=state.account)
        if found is None or found.revoked:
            return _ended(state, found, log).outputs()
        return _Convergence(hub, resource_id, state, log).run(found).outputs()

    def read(self, hub: HubClient, resource_id: str, outputs: Properties, log: Log) -> Live | None:
        """The invite as the hub shows it. Never None: the engine would create a new invite in the same run.

        A hub that cannot be read leaves the state as it is, with a warning, so that `destroy` can go on.
        """
        state = InviteState.read(outputs)
        invite_id = _text(state.invite_id)
        if invite_id is None:
            return Live(resource_id=resource_id, outputs=outputs)
        try:
            found = outcomes.find_invite(hub, invite_id, owner=state.account)
        except HubError as error:
            log.warn(
                f"the invite {known(state.inputs.name)!r} could not be read, its last known state is kept. {error}"
            )
            return Live(resource_id=resource_id, outputs=outputs)
        if found is None or found.revoked:
            return Live(resource_id=resource_id, outputs=_ended(state, found, log).outputs())
        # An invite that was unissued at first gets its id here, since an update cannot change it.
        state = replace(invite.observe(state, found), account=outcomes.owner_of(hub, state.account))
        # The hub's set takes the place of the wanted one, so that a preview shows which names are to be added again.
        live_inputs = replace(state.inputs, hostnames=without(_names(state), state.foreign)).properties()
        return Live(resource_id=invite_id, outputs=state.outputs(), inputs=live_inputs)

    def import_(self, hub: HubClient, resource_id: str, log: Log) -> Live | None:
        """An invite by its id. Its token is not to be had from the hub."""
        try:
            found = hub.get_invite(resource_id)
        except HubNotFound:
            return None
        if found.revoked:
            raise PluginError(f"the invite {resource_id} is revoked and cannot be adopted")
        log.warn(f"the token of the invite {found.name!r} is unknown: the hub tells it only once, to who creates it")
        state = replace(invite.adopted(found), account=outcomes.owner_of(hub, None))
        return Live(resource_id=resource_id, outputs=state.outputs(), inputs=state.inputs.properties())

    def delete(self, hub: HubClient, outputs: Properties, log: Log) -> None:
        """Delete the invite, unless it is to be retained.

        Raises PluginError while it holds what this resource never asked for: that would go as well. A 404 is a success
        only to the account that must see the invite.
        """
        state = InviteState.read(outputs)
        invite_id = _text(state.invite_id)
        if invite_id is None:
            return
        if state.inputs.deletion_policy == "Retain":
            log.info(f"the invite {invite_id} stays on the hub with its hostnames and its token (Retain)")
            return
        try:
            found = outcomes.find_invite(hub, invite_id, owner=state.account)
        except HubAccountUnclear:
            if not hub.account().must_see(state.account):
                raise
            # The account's only invite: nothing is lost by deleting what perhaps is gone.
            found = None
        if found and (foreign := invite.observe(state, found).foreign):
            raise PluginError(
                f"the invite {found.name!r} ({invite_id}) is not deleted: it also holds {', '.join(foreign)}, "
                "which this stack never asked for. Take that off the invite on the hub, or set deletionPolicy to "
                "Retain in a run of its own first"
            )
        outcomes.delete_invite(hub, invite_id)


def _holds_names(state: InviteState) -> bool:
    return not state.ended and state.invite_id is not None


def _ended(state: InviteState, found: Invite | None, log: Log) -> InviteState:
    ended = invite.observe(state, found)
    log.warn(
        f"the invite {known(state.inputs.name)!r} is {ended.status} on the hub and holds no hostname any more; "
        "only a new `generation` makes another"
    )
    return ended


def _issue(hub: HubClient, wanted: InviteInputs, log: Log) -> InviteState:
    names = known(wanted.hostnames)
    before = [listed.invite_id for listed in hub.list_invites()]
    new, wrong = _create(hub, wanted, names, before)
    if new is None:
        reasons = _reasons(hub, wanted, names, wrong)
        _warn_of_refusals(log, reasons)
        return invite.unissued(wanted, reasons)
    state = InviteState(
        inputs=wanted,
        invite_id=new.invite_id,
        tenant_id=new.tenant_id,
        token=new.token,
        region=wanted.region or DEFAULT_REGION,
        expires_at_ms=new.expires_at_ms,
        asked=names,
        account=outcomes.owner_of(hub, None),
    )
    return _Convergence(hub, new.invite_id, state, log).run(None)


def _create(
    hub: HubClient, wanted: InviteInputs, names: tuple[str, ...], before: list[str]
) -> tuple[NewInvite | None, dict[str, str]]:
    """A new invite with all the names, else with the first one that is free; None when none is.

    With it what the hub said of the names that it takes for wrong.
    """
    wrong: dict[str, str] = {}
    singles = [(name,) for name in names] if len(names) > 1 else []
    for attempt in (names, *singles):
        try:
            return outcomes.create_invite(hub, _request(wanted, attempt), before=before), wrong
        except HubConflict:
            continue
        except HubRefused as error:
            if not error.is_about_a_value:
                raise
            wrong |= {attempt[0]: error.detail} if len(attempt) == 1 else {}
    return None, wrong


def _request(wanted: InviteInputs, names: tuple[str, ...]) -> InviteRequest:
    return InviteRequest(
        name=known(wanted.name),
        hostnames=names,
        region=known(wanted.region),
        failover_regions=known(wanted.failover_regions),
        expires_in_secs=known(wanted.expires_in_secs),
    )


class _Convergence:
    """One pass that brings the hub's hostnames of an invite to the wanted ones.

    From the first write on, a failure is a PartialWrite: what was done and seen goes to the state.
    """

    def __init__(self, hub: HubClient, resource_id: str, state: InviteState, log: Log) -> None:
        self._hub = hub
        self._resource_id = resource_id
        self._state = state
        self._log = log
        self._taken: set[str] = set()
        self._wrong: dict[str, str] = {}
        self._invite_id = str(state.invite_id)
        self._wanted = known(state.inputs.hostnames)

    def run(self, seen: Invite | None) -> InviteState:
        """The state afterwards; `seen` is the invite as just read, None for one that was just created."""
        try:
            if seen is None:
                seen = self._look()
            self._add(without(self._wanted, seen.hostnames))
            self._remove(without(seen.hostnames, (*self._wanted, *self._state.foreign)))
            self._look()
            return self._settle()
        except HubError as error:
            raise PartialWrite(
                str(error),
                resource_id=self._resource_id,
                outputs=self._state.outputs(),
                secret_outputs=SECRET_OUTPUTS,
            ) from error

    def _look(self) -> Invite:
        seen = self._hub.get_invite(self._invite_id)
        self._state = invite.observe(self._state, seen)
        return seen

    def _add(self, names: tuple[str, ...]) -> None:
        for name in names:
            try:
                added = outcomes.add_hostname(self._hub, self._invite_id, name)
            except HubRefused as error:
                if not error.is_about_a_value:
                    raise
                added, self._wrong[name] = False, error.detail
            if not added:
                self._taken.add(name)

    def _remove(self, names: tuple[str, ...]) -> None:
        for name in names:
            if outcomes.remove_hostname(self._hub, self._invite_id, name):
                self._state = replace(self._state, confirmed=without(_names(self._state), [name]))

    def _settle(self) -> InviteState:
        refused = without(self._taken, _names(self._state))
        left = without(_names(self._state), (*self._wanted, *self._state.foreign))
        for name in left:
            self._log.warn(f"{name} stays on the invite, which must keep one hostname, until another is accepted")
        reasons = _reasons(self._hub, self._state.inputs, refused, self._wrong)
        _warn_of_refusals(self._log, reasons)
        return replace(self._state, refused=invite.refusals(reasons), asked=_union(self._wanted, left))


def _reasons(hub: HubClient, wanted: InviteInputs, names: Iterable[str], wrong: Mapping[str, str]) -> dict[str, str]:
    names = tuple(names)
    visible = hub.list_invites() if names else ()
    return {name: wrong.get(name) or invite.refusal_reason(name, known(wanted.name), visible) for name in names}


def _warn_of_refusals(log: Log, reasons: dict[str, str]) -> None:
    for name, reason in reasons.items():
        log.warn(f"the hub refused {name}: {reason}")


def _inputs(properties: Properties) -> InviteInputs:
    inputs, failures = InviteInputs.read(properties)
    if failures:
        raise PluginError(f"{failures[0].path} {failures[0].reason}")
    return inputs


def _names(state: InviteState) -> tuple[str, ...]:
    return known(state.confirmed)


def _union(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for group in names for name in group}))


def _text(value: str | Unknown | None) -> str | None:
    return value if isinstance(value, str) else None
