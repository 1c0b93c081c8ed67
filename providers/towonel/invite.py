"""The decisions of `towonel:index:Invite`, without I/O: what its values mean, what differs, what to predict.

An invite can be neither created empty nor emptied, so it owns its hostnames; `confirmed` is what the hub listed on it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from edge_dns.hub import Invite, hostnames
from edge_dns.hub.model import DEFAULT_REGION
from providers.towonel.checks import Failure, InputReader
from providers.towonel.resource import Diff
from providers.towonel.values import UNKNOWN, Plain, Properties, Unknown, known

HOST_TAKEN = "host-taken"
GONE = "gone"
REVOKED = "revoked"
UNISSUED = "unissued"
"""No invite yet: the hub refused every hostname, and an invite without one cannot be."""
PENDING = "pending"
LONGEST_EXPIRY_S = 30 * 24 * 3600

_INPUTS = ("name", "hostnames", "region", "failoverRegions", "expiresInSecs", "generation", "deletionPolicy")


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteInputs:
    """What the program wants; `hostnames` sorted, in lower case, without duplicates; regions in upper case."""

    name: str | Unknown
    hostnames: tuple[str, ...] | Unknown
    region: str | Unknown | None = None
    failover_regions: tuple[str, ...] | Unknown = ()
    expires_in_secs: int | Unknown | None = None
    generation: int | Unknown = 1
    deletion_policy: str | Unknown = "Delete"

    @classmethod
    def read(cls, properties: Properties) -> "tuple[InviteInputs, list[Failure]]":
        """From a property map, with what is wrong with it."""
        reader = InputReader(properties)
        reader.refuse_others(_INPUTS)
        region = UNKNOWN if properties.get("region") is UNKNOWN else _region(reader)
        inputs = cls(
            name=reader.text("name"),
            hostnames=_hostnames(reader),
            region=region,
            failover_regions=_regions(reader.texts("failoverRegions")),
            expires_in_secs=reader.integer("expiresInSecs", 0, LONGEST_EXPIRY_S) or None,
            generation=_or_default(reader.integer("generation", 1, 2**31 - 1), 1),
            deletion_policy=reader.choice("deletionPolicy", ("Delete", "Retain"), "Delete"),
        )
        return inputs, reader.failures

    def properties(self) -> dict[str, Plain]:
        """As a property map; absent and default values of optional strings are left out."""
        values: dict[str, Plain] = {
            "name": self.name,
            "hostnames": self.hostnames,
            "region": self.region,
            "failoverRegions": self.failover_regions,
            "expiresInSecs": self.expires_in_secs,
            "generation": self.generation,
            "deletionPolicy": self.deletion_policy,
        }
        return {key: value for key, value in values.items() if value is not None}


def _hostnames(reader: InputReader) -> tuple[str, ...] | Unknown:
    given = reader.texts("hostnames")
    if isinstance(given, Unknown):
        return UNKNOWN
    normal = [hostnames.normalise(name) for name in given]
    if not normal:
        reader.fail("hostnames", "should list at least one hostname: an invite cannot be empty")
    for index, name in enumerate(normal):
        if problem := hostnames.problem(name):
            reader.fail(f"hostnames[{index}]", f"{name!r} {problem}")
    return tuple(sorted(set(normal)))


def _region(reader: InputReader) -> str | None:
    value = reader.inputs.get("region")
    if value is not None and not isinstance(value, str):
        reader.fail("region", "should be a string, like EU or CA")
        return None
    return (value or "").strip().upper() or None


def _regions(given: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
    if isinstance(given, Unknown):
        return UNKNOWN
    return tuple(region for item in given if (region := item.strip().upper()))


def _or_default(value: int | Unknown | None, default: int) -> int | Unknown:
    return default if value is None else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A wanted hostname that the hub did not give to this invite, and why."""

    hostname: str
    reason: str
    rule: str = HOST_TAKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteState:
    """What the state remembers: the inputs of the last write, and the invite as the hub last showed it.

    `region` is the hub's (null is EU); the requested one stays in `inputs`. `invite_id` is None while unissued. `asked`
    are the hostnames that this resource has put on the invite and not taken off again, `account` is the invite's owner.
    """

    inputs: InviteInputs
    invite_id: str | Unknown | None
    tenant_id: str | Unknown | None = None
    token: str | Unknown | None = field(default=None, repr=False)
    region: str | Unknown = DEFAULT_REGION
    expires_at_ms: int | Unknown | None = None
    status: str = PENDING
    confirmed: tuple[str, ...] | Unknown = ()
    refused: tuple[Refusal, ...] = ()
    asked: tuple[str, ...] | Unknown = ()
    account: str | None = None

    @property
    def foreign(self) -> tuple[str, ...]:
        """The hostnames on the invite that this resource never asked for: somebody else's, never taken off."""
        if isinstance(self.confirmed, Unknown) or isinstance(self.asked, Unknown):
            return ()
        return without(self.confirmed, self.asked)

    @property
    def ended(self) -> bool:
        """Gone or revoked on the hub, which only a new generation changes."""
        return self.status in {GONE, REVOKED}

    @classmethod
    def read(cls, outputs: Properties) -> "InviteState":
        """From the outputs of the state."""
        remembered = {key: outputs[key] for key in _INPUTS if key in outputs} | {
            "region": outputs.get("requestedRegion")
        }
        inputs, failures = InviteInputs.read(remembered)
        if failures:
            raise ValueError(f"the state holds an invite of another version: {failures[0].path} {failures[0].reason}")
        return cls(
            inputs=inputs,
            invite_id=_text(outputs.get("inviteId")),
            tenant_id=_text(outputs.get("tenantId")),
            token=_text(outputs.get("token")),
            region=_text(outputs.get("region")) or DEFAULT_REGION,
            expires_at_ms=_integer(outputs.get("expiresAtMs")),
            status=str(outputs.get("status")),
            confirmed=_texts(outputs.get("confirmed")),
            refused=_refusals(outputs.get("refused")),
            asked=_texts(outputs["asked"]) if "asked" in outputs else inputs.hostnames,
            account=_text(outputs.get("account")),
        )

    def outputs(self) -> dict[str, Plain]:
        """As a property map: the inputs (the hub's region in place of the requested one) and what the hub said."""
        return self.inputs.properties() | {
            "requestedRegion": self.inputs.region,
            "region": self.region,
            "inviteId": self.invite_id,
            "tenantId": self.tenant_id,
            "token": self.token,
            "expiresAtMs": self.expires_at_ms,
            "status": self.status,
            "confirmed": self.confirmed,
            "refused": [{"hostname": r.hostname, "rule": r.rule, "reason": r.reason} for r in self.refused],
            "asked": self.asked,
            "account": self.account,
        }


def _text(value: Plain) -> str | None:
    return value if isinstance(value, str) else None


def _integer(value: Plain) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts(value: Plain) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _refusals(value: Plain) -> tuple[Refusal, ...]:
    rows = [row for row in value if isinstance(row, Mapping)] if isinstance(value, list | tuple) else []
    return tuple(Refusal(hostname=str(r["hostname"]), rule=str(r["rule"]), reason=str(r["reason"])) for r in rows)


def diff(state: InviteState, wanted: InviteInputs) -> Diff:
    """What `wanted` changes.

    Hostnames are compared with what the hub confirmed, so that a refused or missing name, or one that is to go, shows
    as an update: the retry; so does a remembered refusal of a name that is not wanted any more. What was never asked
    for is somebody else's and makes no difference, unless it is wanted: the write that asked for it may have been cut
    off, and the update remembers it. An invite that has ended on the hub differs in nothing but its generation. The
    name is only a label.
    """
    old = state.inputs
    if state.ended:
        return Diff(replaces=("generation",) if wanted.generation != old.generation else ())
    changed = {
        "region": (wanted.region or DEFAULT_REGION) != (old.region or DEFAULT_REGION),
        "failoverRegions": wanted.failover_regions != old.failover_regions,
        "expiresInSecs": wanted.expires_in_secs != old.expires_in_secs,
        "generation": wanted.generation != old.generation,
    }
    updated = {
        "hostnames": wanted.hostnames != _own(state, wanted)
        or _has_stale_refusal(state, wanted)
        or _has_unasked(state, wanted),
        "deletionPolicy": wanted.deletion_policy != old.deletion_policy,
    }
    return Diff(
        updates=tuple(key for key, differs in updated.items() if differs),
        replaces=tuple(key for key, differs in changed.items() if differs),
    )


def _own(state: InviteState, wanted: InviteInputs) -> tuple[str, ...] | Unknown:
    """What the hub confirmed, without what is somebody else's and not wanted."""
    if isinstance(wanted.hostnames, Unknown) or isinstance(state.confirmed, Unknown):
        return state.confirmed
    return without(state.confirmed, set(state.foreign) - set(wanted.hostnames))


def releases(state: InviteState, wanted: InviteInputs) -> frozenset[str]:
    """The hostnames that `wanted` takes off the invite."""
    own = _own(state, wanted)
    if isinstance(own, Unknown) or isinstance(wanted.hostnames, Unknown):
        return frozenset()
    return frozenset(own) - set(wanted.hostnames)


def _has_stale_refusal(state: InviteState, wanted: InviteInputs) -> bool:
    names = wanted.hostnames
    return not isinstance(names, Unknown) and any(refusal.hostname not in names for refusal in state.refused)


def _has_unasked(state: InviteState, wanted: InviteInputs) -> bool:
    if isinstance(wanted.hostnames, Unknown) or isinstance(state.asked, Unknown):
        return False
    return not set(wanted.hostnames) <= set(state.asked)


def predict_create(wanted: InviteInputs, taken: Mapping[str, str] = MappingProxyType({})) -> InviteState:
    """What a create would give if the hub refused nothing but what is `taken` (the reason by hostname)."""
    if isinstance(wanted.hostnames, Unknown):
        expected: tuple[str, ...] | Unknown = UNKNOWN
        refused: tuple[Refusal, ...] = ()
    else:
        expected = without(wanted.hostnames, taken)
        refused = refusals({name: reason for name, reason in taken.items() if name in wanted.hostnames})
    if refused and not expected:
        return unissued(wanted, taken)
    return InviteState(
        inputs=wanted,
        invite_id=UNKNOWN,
        tenant_id=UNKNOWN,
        token=UNKNOWN,
        region=wanted.region or DEFAULT_REGION,
        expires_at_ms=None if wanted.expires_in_secs is None else UNKNOWN,
        confirmed=expected,
        refused=refused,
        asked=wanted.hostnames,
    )


def predict_update(
    state: InviteState, wanted: InviteInputs, taken: Mapping[str, str] = MappingProxyType({})
) -> InviteState:
    """What an update would give if the hub refused what it refused before and what is `taken`, and nothing else.

    `taken` is the reason by hostname.
    """
    if state.ended:
        return replace(state, inputs=wanted)
    if isinstance(wanted.hostnames, Unknown):
        expected: tuple[str, ...] | Unknown = UNKNOWN
        refused = state.refused
    else:
        reasons = {refusal.hostname: refusal.reason for refusal in state.refused} | dict(taken)
        missing = set(wanted.hostnames) - set(known(state.confirmed))
        refused = refusals({name: reason for name, reason in reasons.items() if name in missing})
        expected = without((*wanted.hostnames, *state.foreign), (refusal.hostname for refusal in refused))
    if state.invite_id is None and expected:
        return replace(predict_create(wanted), confirmed=expected, refused=refused)
    return replace(state, inputs=wanted, confirmed=expected, refused=refused, asked=wanted.hostnames)


def observe(state: InviteState, invite: Invite | None) -> InviteState:
    """The state after the hub was read: `invite` as it is there, None when it is gone.

    Remembered refusals stay, except of names that are on the invite by now.
    """
    if invite is None or invite.revoked:
        return replace(state, status=GONE if invite is None else REVOKED, confirmed=(), refused=())
    return replace(
        state,
        invite_id=invite.invite_id,
        tenant_id=invite.tenant_id,
        region=invite.effective_region,
        expires_at_ms=invite.expires_at_ms,
        status=invite.status,
        confirmed=tuple(sorted(invite.hostnames)),
        refused=tuple(refusal for refusal in state.refused if refusal.hostname not in invite.hostnames),
    )


def unissued(wanted: InviteInputs, reasons: Mapping[str, str]) -> InviteState:
    """The state after the hub refused every hostname."""
    return InviteState(
        inputs=wanted,
        invite_id=None,
        region=wanted.region or DEFAULT_REGION,
        status=UNISSUED,
        refused=refusals(reasons),
    )


def refusals(reasons: Mapping[str, str]) -> tuple[Refusal, ...]:
    """Refusals of the names in `reasons`, sorted."""
    return tuple(Refusal(hostname=name, reason=reason) for name, reason in sorted(reasons.items()))


def adopted(invite: Invite) -> InviteState:
    """The state of an invite that was made elsewhere. Its token is unknown, and no program's choice is known of it."""
    inputs = InviteInputs(
        name=invite.name,
        hostnames=tuple(sorted(invite.hostnames)),
        region=invite.region,
        failover_regions=invite.failover_regions,
        expires_in_secs=_lifetime_s(invite),
    )
    return observe(InviteState(inputs=inputs, invite_id=invite.invite_id, asked=inputs.hostnames), invite)


def _lifetime_s(invite: Invite) -> int | None:
    if invite.expires_at_ms is None or invite.created_at_ms is None:
        return None
    return round((invite.expires_at_ms - invite.created_at_ms) / 1000)


def refusal_reason(hostname: str, label: str, visible: Iterable[Invite]) -> str:
    """Why the hub refused `hostname` to the invite named `label`, as far as the `visible` invites tell."""
    holder = next((i for i in visible if hostname in i.hostnames and not i.revoked), None)
    if holder is None:
        return "another invite or account of the hub holds it"
    reason = f"the invite {holder.name!r} ({holder.invite_id}) of the hub holds it"
    if holder.name == label and holder.status == PENDING:
        return (
            f"{reason}, perhaps left by a lost state, then see edge-dns audit orphans, or by an interrupted "
            "create: delete it on the hub, then run again"
        )
    return reason


def without(names: Iterable[str], excluded: Iterable[str]) -> tuple[str, ...]:
    """`names` sorted, without `excluded`."""
    return tuple(sorted(set(names) - set(excluded)))
