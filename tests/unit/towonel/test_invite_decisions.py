"""What an invite differs in, and what a preview predicts."""

from dataclasses import replace
from typing import Any

import pytest

from edge_dns.hub import Invite
from providers.towonel import invite
from providers.towonel.invite import InviteInputs, InviteState, Refusal
from providers.towonel.resource import Diff
from providers.towonel.values import UNKNOWN

INPUTS = InviteInputs(name="net/app", hostnames=("a.x.test", "b.x.test"))
STATE = InviteState(
    inputs=INPUTS,
    invite_id="i1",
    tenant_id="t" * 64,
    token="tt_inv_2_x",
    confirmed=("a.x.test", "b.x.test"),
    asked=("a.x.test", "b.x.test"),
)
TAKEN = Refusal(hostname="b.x.test", reason="another invite or account of the hub holds it")
PARTIAL = replace(STATE, confirmed=("a.x.test",), refused=(TAKEN,))
GONE = replace(STATE, status="gone", confirmed=())
REVOKED = replace(STATE, status="revoked", confirmed=())
UNISSUED = invite.unissued(INPUTS, {"a.x.test": "taken", "b.x.test": "taken"})
LIVE = Invite(
    invite_id="i1",
    tenant_id="t" * 64,
    name="net/app",
    hostnames=frozenset({"a.x.test", "b.x.test"}),
    status="claimed",
    region="CA",
)
RETRY = Diff(updates=("hostnames",))
NONE = Diff()


@pytest.mark.parametrize(
    ("state", "change", "expected"),
    [
        (STATE, {}, NONE),
        (STATE, {"name": "net/renamed"}, NONE),
        (STATE, {"hostnames": ("a.x.test",)}, RETRY),
        (STATE, {"hostnames": ("a.x.test", "b.x.test", "c.x.test")}, RETRY),
        (STATE, {"hostnames": UNKNOWN}, RETRY),
        (STATE, {"deletion_policy": "Retain"}, Diff(updates=("deletionPolicy",))),
        (STATE, {"region": "EU"}, NONE),
        (STATE, {"region": "CA"}, Diff(replaces=("region",))),
        (STATE, {"region": UNKNOWN}, Diff(replaces=("region",))),
        (STATE, {"failover_regions": ("CA",)}, Diff(replaces=("failoverRegions",))),
        (STATE, {"expires_in_secs": 3600}, Diff(replaces=("expiresInSecs",))),
        (STATE, {"generation": 2}, Diff(replaces=("generation",))),
        (replace(STATE, region="CA"), {}, NONE),
        (PARTIAL, {}, RETRY),
        (PARTIAL, {"hostnames": ("a.x.test",)}, RETRY),
        (replace(STATE, confirmed=("a.x.test",)), {}, RETRY),
        (replace(STATE, confirmed=("a.x.test", "b.x.test", "stray.x.test")), {}, NONE),
        (replace(STATE, confirmed=("a.x.test", "b.x.test", "c.x.test"), asked=("c.x.test",)), {}, RETRY),
        (replace(STATE, asked=("a.x.test",)), {}, RETRY),
        (UNISSUED, {}, RETRY),
        (GONE, {}, NONE),
        (REVOKED, {}, NONE),
        (GONE, {"hostnames": ("z.x.test",), "region": "CA", "deletion_policy": "Retain"}, NONE),
        (GONE, {"generation": 2}, Diff(replaces=("generation",))),
        (REVOKED, {"generation": 2, "region": "CA"}, Diff(replaces=("generation",))),
    ],
    ids=[
        "same",
        "name-is-a-label",
        "hostname-removed",
        "hostname-added",
        "hostnames-unknown",
        "deletion-policy",
        "region-default",
        "region",
        "region-unknown",
        "failover",
        "expiry",
        "generation",
        "region-of-the-hub-is-no-diff",
        "refused",
        "refused-name-dropped",
        "missing-on-the-hub",
        "never-asked-for",
        "left-over-on-the-hub",
        "asked-for-by-a-write-that-was-cut-off",
        "unissued",
        "gone",
        "revoked",
        "gone-and-edited",
        "gone-new-generation",
        "revoked-new-generation",
    ],
)
def test_diff(state: InviteState, change: dict[str, Any], expected: Diff) -> None:
    assert invite.diff(state, replace(INPUTS, **change)) == expected


def test_a_create_is_predicted_with_every_hostname_confirmed_and_the_rest_unknown() -> None:
    predicted = invite.predict_create(replace(INPUTS, region="CA"))
    assert (predicted.confirmed, predicted.region, predicted.status) == (INPUTS.hostnames, "CA", "pending")
    assert {predicted.invite_id, predicted.tenant_id, predicted.token} == {UNKNOWN}
    assert predicted.expires_at_ms is None


def test_the_expiry_of_a_create_is_unknown_when_there_is_one() -> None:
    assert invite.predict_create(replace(INPUTS, expires_in_secs=60)).expires_at_ms is UNKNOWN


@pytest.mark.parametrize(
    ("state", "hostnames", "confirmed", "refused"),
    [
        (STATE, ("a.x.test",), ("a.x.test",), ()),
        (STATE, ("a.x.test", "c.x.test"), ("a.x.test", "c.x.test"), ()),
        (PARTIAL, ("a.x.test", "b.x.test"), ("a.x.test",), (TAKEN,)),
        (PARTIAL, ("a.x.test", "b.x.test", "c.x.test"), ("a.x.test", "c.x.test"), (TAKEN,)),
        (PARTIAL, ("a.x.test",), ("a.x.test",), ()),
        (PARTIAL, UNKNOWN, UNKNOWN, (TAKEN,)),
        (UNISSUED, ("a.x.test", "b.x.test"), (), UNISSUED.refused),
        (UNISSUED, ("a.x.test", "n.x.test"), ("n.x.test",), UNISSUED.refused[:1]),
        (GONE, ("a.x.test", "b.x.test"), (), ()),
    ],
)
def test_an_update_is_predicted_without_what_the_hub_refused_before(
    state: InviteState, hostnames: Any, confirmed: Any, refused: tuple[Refusal, ...]
) -> None:
    predicted = invite.predict_update(state, replace(INPUTS, hostnames=hostnames))
    assert (predicted.confirmed, predicted.refused) == (confirmed, refused)


def test_what_another_invite_is_seen_to_hold_is_not_predicted() -> None:
    taken = {"b.x.test": "held", "z.x.test": "not wanted"}
    refused = (Refusal(hostname="b.x.test", reason="held"),)
    created = invite.predict_create(INPUTS, taken)
    assert (created.confirmed, created.refused, created.invite_id) == (("a.x.test",), refused, UNKNOWN)
    updated = invite.predict_update(replace(STATE, confirmed=("a.x.test",)), INPUTS, taken)
    assert (updated.confirmed, updated.refused) == (("a.x.test",), refused)
    # What is on the invite itself is nobody else's.
    assert invite.predict_update(STATE, INPUTS, taken).confirmed == INPUTS.hostnames
    nothing_free = invite.predict_create(INPUTS, {"a.x.test": "held", "b.x.test": "held"})
    assert (nothing_free.confirmed, nothing_free.status, nothing_free.invite_id) == ((), "unissued", None)


def test_what_was_never_asked_for_stays_in_every_prediction() -> None:
    shared = replace(STATE, confirmed=("a.x.test", "b.x.test", "stray.x.test"))
    assert shared.foreign == ("stray.x.test",)
    assert invite.predict_update(shared, replace(INPUTS, hostnames=("a.x.test",))).confirmed == (
        "a.x.test",
        "stray.x.test",
    )
    assert invite.releases(shared, replace(INPUTS, hostnames=("a.x.test",))) == {"b.x.test"}


def test_an_update_keeps_what_it_does_not_change() -> None:
    predicted = invite.predict_update(PARTIAL, replace(INPUTS, deletion_policy="Retain"))
    assert (predicted.invite_id, predicted.token, predicted.tenant_id) == ("i1", "tt_inv_2_x", "t" * 64)
    assert predicted.inputs.deletion_policy == "Retain"


@pytest.mark.parametrize(
    ("hostnames", "status", "invite_id"),
    [(("a.x.test", "b.x.test"), "unissued", None), (("n.x.test",), "pending", UNKNOWN)],
    ids=["still-nothing-free", "a-new-name"],
)
def test_an_unissued_invite_is_predicted_only_when_a_name_may_be_free(
    hostnames: tuple[str, ...], status: str, invite_id: Any
) -> None:
    predicted = invite.predict_update(UNISSUED, replace(INPUTS, hostnames=hostnames))
    assert (predicted.status, predicted.invite_id) == (status, invite_id)


def test_observing_takes_set_region_status_and_expiry_from_the_hub() -> None:
    observed = invite.observe(PARTIAL, replace(LIVE, expires_at_ms=5))
    assert (observed.confirmed, observed.refused) == (("a.x.test", "b.x.test"), ())
    assert (observed.region, observed.status, observed.expires_at_ms) == ("CA", "claimed", 5)
    assert (observed.inputs, observed.token) == (INPUTS, "tt_inv_2_x")


def test_observing_keeps_the_refusal_of_a_name_that_is_still_missing() -> None:
    observed = invite.observe(PARTIAL, replace(LIVE, hostnames=frozenset({"a.x.test"})))
    assert observed.refused == (TAKEN,)


@pytest.mark.parametrize(
    ("found", "status"), [(None, "gone"), (replace(LIVE, status="revoked"), "revoked")], ids=["gone", "revoked"]
)
def test_an_invite_that_has_ended_confirms_nothing_and_keeps_its_identity(found: Invite | None, status: str) -> None:
    observed = invite.observe(PARTIAL, found)
    assert (observed.status, observed.confirmed, observed.refused) == (status, (), ())
    assert observed.invite_id == "i1"


def test_an_unknown_status_is_alive() -> None:
    observed = invite.observe(STATE, replace(LIVE, status="suspended"))
    assert not observed.ended
    assert observed.confirmed == ("a.x.test", "b.x.test")


def test_an_invite_that_seemed_gone_is_alive_again_when_the_hub_shows_it() -> None:
    assert invite.observe(GONE, LIVE).confirmed == ("a.x.test", "b.x.test")


def test_the_state_survives_its_outputs() -> None:
    for state in (STATE, PARTIAL, GONE, UNISSUED, replace(STATE, inputs=replace(INPUTS, region="CA"), region="CA")):
        stored = {key: value for key, value in state.outputs().items() if value is not None}
        assert InviteState.read(stored) == state


def test_the_requested_region_stays_apart_from_that_of_the_hub() -> None:
    outputs = replace(STATE, region="CA").outputs()
    assert (outputs["region"], outputs["requestedRegion"]) == ("CA", None)


def test_the_token_is_in_no_repr() -> None:
    assert "tt_inv_2_x" not in repr(STATE)


def test_an_adopted_invite_has_the_inputs_that_the_hub_shows() -> None:
    state = invite.adopted(replace(LIVE, created_at_ms=1_000_000, expires_at_ms=4_600_001, failover_regions=("EU",)))
    assert state.inputs == InviteInputs(
        name="net/app",
        hostnames=("a.x.test", "b.x.test"),
        region="CA",
        failover_regions=("EU",),
        expires_in_secs=3600,
    )
    assert (state.token, state.status) == (None, "claimed")
    assert invite.diff(state, state.inputs) == NONE


OTHER = replace(LIVE, invite_id="i2", name="net/other", hostnames=frozenset({"b.x.test"}))


@pytest.mark.parametrize(
    ("visible", "reason"),
    [
        ([], "another invite or account of the hub holds it"),
        ([replace(OTHER, status="revoked")], "another invite or account of the hub holds it"),
        ([OTHER], "the invite 'net/other' (i2) of the hub holds it"),
        (
            [replace(OTHER, name="net/app", status="pending")],
            (
                "the invite 'net/app' (i2) of the hub holds it, perhaps left by a lost state, then see "
                "edge-dns audit orphans, or by an interrupted create: delete it on the hub, then run again"
            ),
        ),
    ],
    ids=["invisible", "revoked-holds-nothing", "visible", "left-over"],
)
def test_a_refusal_says_who_holds_the_name_as_far_as_the_key_sees(visible: list[Invite], reason: str) -> None:
    assert invite.refusal_reason("b.x.test", "net/app", visible) == reason
