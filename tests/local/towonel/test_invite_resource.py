"""The invite resource against the hub emulator: partial acceptance, order of calls, and every way it can fail."""

from typing import Any, Literal

import pytest

from edge_dns.hub import HubClient, HubError
from local.hub_emulator import EMPTY_404, HTML_200, INTERNAL_500, Drop, Fault, HubEmulator, Reply
from local.hub_emulator.replies import error
from providers.towonel.errors import PartialWrite, PluginError
from providers.towonel.invite_resource import InviteResource
from providers.towonel.resource import Live
from tests.local.towonel.recorded_log import Lines

INVITES = InviteResource()
MODES = pytest.mark.parametrize("mode", ["hard", "soft"])
Mode = Literal["hard", "soft"]


def inputs(*hostnames: str, **others: Any) -> dict[str, Any]:
    checked, failures = INVITES.check({"name": "net/app", "hostnames": list(hostnames), **others})
    assert not failures
    return dict(checked)


def refused(outputs: Any) -> list[str]:
    return [row["hostname"] for row in outputs["refused"]]


@pytest.fixture
def created(client: HubClient, log: Lines) -> Live:
    return INVITES.create(client, inputs("a.x.test", "b.x.test"), log)


# Create


def test_a_create_confirms_what_the_hub_lists(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    live = INVITES.create(client, inputs("B.x.test", "a.x.test", region="ca", expiresInSecs=3600), log)
    row = hub.invite(live.resource_id)
    assert live.outputs["confirmed"] == ("a.x.test", "b.x.test")
    assert (live.outputs["region"], live.outputs["status"], live.outputs["token"]) == ("CA", "pending", row.token)
    assert (live.outputs["tenantId"], live.outputs["expiresAtMs"]) == (row.tenant_id, row.expires_at_ms)
    assert log.warnings == []


def test_a_create_without_region_has_that_of_the_hub(client: HubClient, log: Lines) -> None:
    outputs = INVITES.create(client, inputs("a.x.test"), log).outputs
    assert (outputs["region"], outputs["requestedRegion"]) == ("EU", None)


@pytest.mark.parametrize("taken", ["a.x.test", "b.x.test", "c.x.test"])
@pytest.mark.parametrize("disguised", [False, True])
def test_a_refused_name_never_fails_its_siblings(
    hub: HubEmulator, client: HubClient, log: Lines, *, taken: str, disguised: bool
) -> None:
    hub.take(taken, disguised=disguised)
    names = {"a.x.test", "b.x.test", "c.x.test"}
    live = INVITES.create(client, inputs(*names), log)
    assert live.outputs["confirmed"] == tuple(sorted(names - {taken}))
    assert refused(live.outputs) == [taken]
    assert live.outputs["refused"][0]["rule"] == "host-taken"  # type: ignore[index,call-overload] # plain JSON
    assert log.warnings == [f"the hub refused {taken}: {live.outputs['refused'][0]['reason']}"]  # type: ignore[index,call-overload] # plain JSON
    assert hub.invite(live.resource_id).folded == names - {taken}


def test_a_create_with_every_name_taken_succeeds_unissued(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.take("a.x.test", "b.x.test")
    live = INVITES.create(client, inputs("a.x.test", "b.x.test"), log)
    assert (live.resource_id, live.outputs["status"], live.outputs["confirmed"]) == ("unissued", "unissued", ())
    assert refused(live.outputs) == ["a.x.test", "b.x.test"]
    assert live.outputs["inviteId"] is None


def test_an_unissued_invite_is_created_by_the_next_update_and_gets_its_id_by_the_next_read(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    hub.take("a.x.test", "b.x.test")
    wanted = inputs("a.x.test", "b.x.test")
    live = INVITES.create(client, wanted, log)
    hub.release("b.x.test")
    outputs = INVITES.update(client, live.resource_id, live.outputs, wanted, log)
    assert (outputs["confirmed"], refused(outputs)) == (("b.x.test",), ["a.x.test"])
    read = INVITES.read(client, live.resource_id, outputs, log)
    assert read is not None
    assert read.resource_id == outputs["inviteId"]


def test_reading_an_unissued_invite_makes_no_call(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.take("a.x.test")
    live = INVITES.create(client, inputs("a.x.test"), log)
    hub.clear_log()
    assert INVITES.read(client, live.resource_id, live.outputs, log) == live
    assert hub.requests == ()


def test_a_left_over_of_an_interrupted_create_is_named_with_the_way_out(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    left = hub.create("a.x.test", name="net/app")
    live = INVITES.create(client, inputs("a.x.test"), log)
    assert live.outputs["status"] == "unissued"
    assert left.invite_id in log.warnings[0]
    assert "delete it on the hub" in log.warnings[0]


def test_the_reason_of_a_refusal_holds_no_tenant(hub: HubEmulator, log: Lines) -> None:
    foreign = hub.take("a.x.test")
    client = HubClient(hub.url, hub.add_user("team@example.test").key)
    live = INVITES.create(client, inputs("a.x.test"), log)
    assert "another invite or account of the hub holds it" in log.warnings[0]
    assert foreign.tenant_id not in str(live.outputs) + str(log.warnings)


@pytest.mark.parametrize("outcome", [Drop(), INTERNAL_500, HTML_200], ids=["drop", "500", "html"])
def test_a_create_whose_answer_is_lost_names_the_invite_that_it_may_have_left(
    hub: HubEmulator, client: HubClient, log: Lines, outcome: Reply | Drop
) -> None:
    hub.inject(Fault(method="POST", outcome=outcome, after_commit=True))
    with pytest.raises(HubError, match="delete it on the hub, then run again"):
        INVITES.create(client, inputs("a.x.test", "b.x.test"), log)
    assert len(hub.invites) == 1


WRONG = error(400, "invalid_request", "invalid hostname `b.x.test`: no")
REFUSED = {"hostname": "b.x.test", "rule": "host-taken", "reason": "invalid hostname `b.x.test`: no"}


def test_a_name_that_the_hub_takes_for_wrong_fails_no_sibling_at_an_add(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    live = INVITES.create(client, inputs("a.x.test"), log)
    hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=WRONG))
    after = INVITES.update(client, live.resource_id, live.outputs, inputs("a.x.test", "b.x.test", "c.x.test"), log)
    assert after["confirmed"] == ("a.x.test", "c.x.test")
    assert after["refused"] == [REFUSED]


def test_a_name_that_the_hub_takes_for_wrong_fails_no_sibling_at_a_create(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=WRONG))
    hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=WRONG))
    live = INVITES.create(client, inputs("a.x.test", "b.x.test", "c.x.test"), log)
    assert live.outputs["confirmed"] == ("a.x.test", "c.x.test")
    assert live.outputs["refused"] == [REFUSED]


def test_a_create_on_a_hub_that_is_not_readable_creates_nothing(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    hub.inject(Fault(method="GET", outcome=EMPTY_404))
    with pytest.raises(HubError):
        INVITES.create(client, inputs("a.x.test"), log)
    assert hub.writes == 0


def test_a_create_that_fails_half_way_keeps_id_and_token(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.take("a.x.test")
    hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=EMPTY_404, times=None))
    with pytest.raises(PartialWrite) as failure:
        INVITES.create(client, inputs("a.x.test", "b.x.test", "c.x.test"), log)
    own = next(row for row in hub.invites if row.name == "net/app")
    assert failure.value.resource_id == own.invite_id
    assert failure.value.outputs["token"] == own.token
    assert failure.value.outputs["confirmed"] == ("b.x.test",)
    assert "token" in failure.value.secret_outputs
    assert own.token not in str(failure.value)


# Update


def test_an_update_adds_one_by_one_and_then_removes(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.clear_log()
    outputs = INVITES.update(client, created.resource_id, created.outputs, inputs("c.x.test", "d.x.test"), log)
    writes = [(entry.method, entry.path.rpartition("/")[2]) for entry in hub.requests if entry.is_write]
    assert writes == [("POST", "hostnames"), ("POST", "hostnames"), ("DELETE", "a.x.test"), ("DELETE", "b.x.test")]
    assert outputs["confirmed"] == ("c.x.test", "d.x.test")
    assert outputs["token"] == created.outputs["token"]


def test_an_update_repairs_what_was_changed_on_the_hub(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    client.add_hostnames(created.resource_id, ["stray.x.test"])
    hub.drop_hostname(created.resource_id, "a.x.test")
    outputs = INVITES.update(client, created.resource_id, created.outputs, inputs("a.x.test", "b.x.test"), log)
    assert outputs["confirmed"] == ("a.x.test", "b.x.test")
    assert hub.invite(created.resource_id).folded == {"a.x.test", "b.x.test"}


def test_an_update_of_nothing_writes_nothing(hub: HubEmulator, client: HubClient, log: Lines, created: Live) -> None:
    hub.clear_log()
    wanted = inputs("a.x.test", "b.x.test", deletionPolicy="Retain")
    outputs = INVITES.update(client, created.resource_id, created.outputs, wanted, log)
    assert outputs["deletionPolicy"] == "Retain"
    assert hub.writes == 0


def test_a_name_that_is_refused_is_tried_again_and_confirmed_once_it_is_free(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.take("c.x.test")
    wanted = inputs("a.x.test", "b.x.test", "c.x.test")
    outputs = INVITES.update(client, created.resource_id, created.outputs, wanted, log)
    assert (outputs["confirmed"], refused(outputs)) == (("a.x.test", "b.x.test"), ["c.x.test"])
    hub.release("c.x.test")
    outputs = INVITES.update(client, created.resource_id, outputs, wanted, log)
    assert (outputs["confirmed"], refused(outputs)) == (("a.x.test", "b.x.test", "c.x.test"), [])


def test_the_last_name_stays_while_its_successor_is_refused(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.take("n.x.test")
    outputs = INVITES.update(client, created.resource_id, created.outputs, inputs("n.x.test"), log)
    assert (outputs["confirmed"], refused(outputs)) == (("b.x.test",), ["n.x.test"])
    assert log.warnings[0].startswith("b.x.test stays on the invite")
    hub.release("n.x.test")
    outputs = INVITES.update(client, created.resource_id, outputs, inputs("n.x.test"), log)
    assert outputs["confirmed"] == ("n.x.test",)


@MODES
def test_an_update_never_revives_an_invite_that_has_ended(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live, *, mode: Mode
) -> None:
    hub.settings.delete_mode = mode
    hub.create("other.x.test")
    hub.revoke(created.resource_id)
    hub.clear_log()
    outputs = INVITES.update(client, created.resource_id, created.outputs, inputs("a.x.test", "n.x.test"), log)
    assert (outputs["status"], outputs["confirmed"]) == ("gone" if mode == "hard" else "revoked", ())
    assert hub.writes == 0


def test_an_update_that_cannot_read_the_hub_changes_nothing(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.clear_log()
    hub.inject(Fault(method="GET", outcome=INTERNAL_500, times=None))
    with pytest.raises(HubError):
        INVITES.update(client, created.resource_id, created.outputs, inputs("c.x.test"), log)
    assert hub.writes == 0


def test_an_update_that_fails_half_way_tells_what_holds_now(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    # The removal of a.x.test passes, that of b.x.test meets a proxy that has lost the hub.
    hub.inject(Fault(method="DELETE", path="/v1/invites/*/hostnames/b.x.test", outcome=EMPTY_404))
    with pytest.raises(PartialWrite) as failure:
        INVITES.update(client, created.resource_id, created.outputs, inputs("c.x.test"), log)
    assert failure.value.outputs["confirmed"] == ("b.x.test",)
    read = INVITES.read(client, created.resource_id, failure.value.outputs, log)
    assert read is not None
    assert read.outputs["confirmed"] == ("b.x.test", "c.x.test")


def test_a_user_whose_names_are_all_free_needs_few_calls(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    INVITES.create(client, inputs(*(f"h{index}.x.test" for index in range(50))), log)
    assert (hub.count("GET"), hub.count("POST")) == (3, 1)


# Read and import


def test_a_read_shows_drift_in_outputs_and_inputs(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.drop_hostname(created.resource_id, "b.x.test")
    hub.set_status(created.resource_id, "claimed")
    read = INVITES.read(client, created.resource_id, created.outputs, log)
    assert read is not None
    assert (read.outputs["confirmed"], read.outputs["status"]) == (("a.x.test",), "claimed")
    assert read.outputs["token"] == created.outputs["token"]
    assert read.inputs is not None
    assert read.inputs["hostnames"] == ("a.x.test",)


@MODES
def test_an_invite_that_has_ended_is_an_output_and_never_not_found(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live, *, mode: Mode
) -> None:
    hub.settings.delete_mode = mode
    hub.create("other.x.test")
    hub.revoke(created.resource_id)
    read = INVITES.read(client, created.resource_id, created.outputs, log)
    assert read is not None
    assert read.resource_id == created.resource_id
    assert (read.outputs["status"], read.outputs["confirmed"]) == ("gone" if mode == "hard" else "revoked", ())
    assert "only a new `generation`" in log.warnings[0]


@pytest.mark.parametrize(
    "outcome",
    [EMPTY_404, HTML_200, INTERNAL_500, Drop(), Reply(status=401)],
    ids=["empty", "html", "500", "drop", "401"],
)
def test_a_hub_that_cannot_be_read_leaves_the_state_with_a_warning(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live, outcome: Reply | Drop
) -> None:
    hub.inject(Fault(outcome=outcome, times=None))
    assert INVITES.read(client, created.resource_id, created.outputs, log) == created
    assert log.warnings[0].startswith("the invite 'net/app' could not be read, its last known state is kept.")


def test_the_only_invite_deleted_cannot_be_told_from_another_account(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.revoke(created.resource_id)
    assert INVITES.read(client, created.resource_id, created.outputs, log) == created
    assert "another account" in log.warnings[0]


def test_an_import_reads_the_invite_without_its_token(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    row = hub.create("A.x.test", "b.x.test", name="net/app", region="CA")
    live = INVITES.import_(client, row.invite_id, log)
    assert live is not None
    assert live.inputs == inputs("a.x.test", "b.x.test", region="CA")
    assert (live.outputs["token"], live.outputs["confirmed"]) == (None, ("a.x.test", "b.x.test"))
    assert "token" in log.warnings[0]
    assert INVITES.diff(live.outputs, live.inputs) == INVITES.diff(
        live.outputs, inputs("a.x.test", "b.x.test", region="CA")
    )


def test_an_import_of_what_is_not_there_finds_nothing(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.create("a.x.test")
    assert INVITES.import_(client, "A" * 22, log) is None


def test_a_revoked_invite_is_not_imported(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.settings.delete_mode = "soft"
    row = hub.create("a.x.test")
    hub.revoke(row.invite_id)
    with pytest.raises(PluginError, match="revoked"):
        INVITES.import_(client, row.invite_id, log)


# Delete


@MODES
def test_a_delete_frees_the_names_and_may_be_repeated(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live, *, mode: Mode
) -> None:
    hub.settings.delete_mode = mode
    for _ in range(2):
        INVITES.delete(client, created.outputs, log)
    assert hub.holder("a.x.test") is None


def test_a_retained_invite_is_not_deleted(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    live = INVITES.create(client, inputs("a.x.test", deletionPolicy="Retain"), log)
    hub.clear_log()
    INVITES.delete(client, live.outputs, log)
    assert hub.requests == ()
    assert "stays on the hub" in log.infos[0]


def test_a_retained_invite_is_not_replaced_since_it_keeps_its_names(
    hub: HubEmulator, client: HubClient, log: Lines
) -> None:
    live = INVITES.create(client, inputs("a.x.test", deletionPolicy="Retain"), log)
    with pytest.raises(PluginError, match="set deletionPolicy to Delete"):
        INVITES.diff(live.outputs, inputs("a.x.test", deletionPolicy="Delete", generation=2))
    hub.create("other.x.test")
    hub.revoke(live.resource_id)
    read = INVITES.read(client, live.resource_id, live.outputs, log)
    assert read is not None
    assert INVITES.diff(read.outputs, inputs("a.x.test", generation=2)).replaces == ("generation",)


def test_an_unissued_invite_is_deleted_without_a_call(hub: HubEmulator, client: HubClient, log: Lines) -> None:
    hub.take("a.x.test")
    live = INVITES.create(client, inputs("a.x.test"), log)
    hub.clear_log()
    INVITES.delete(client, live.outputs, log)
    assert hub.requests == ()


@pytest.mark.parametrize("outcome", [EMPTY_404, Drop(), Reply(status=401)], ids=["empty", "drop", "401"])
def test_a_delete_that_the_hub_did_not_answer_is_an_error(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live, outcome: Reply | Drop
) -> None:
    hub.inject(Fault(outcome=outcome, times=None))
    with pytest.raises(HubError):
        INVITES.delete(client, created.outputs, log)


# Somebody else on the invite, and the key of somebody else


def test_a_hostname_that_was_never_asked_for_is_never_taken_off(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    client.add_hostnames(created.resource_id, ["stray.x.test"])
    read = INVITES.read(client, created.resource_id, created.outputs, log)
    assert read is not None
    assert read.inputs is not None
    assert read.inputs["hostnames"] == ("a.x.test", "b.x.test")
    assert INVITES.diff(read.outputs, inputs("a.x.test", "b.x.test")).updates == ()

    outputs = INVITES.update(client, created.resource_id, read.outputs, inputs("b.x.test", "c.x.test"), log)
    assert hub.invite(created.resource_id).folded == {"b.x.test", "c.x.test", "stray.x.test"}
    assert outputs["asked"] == ("b.x.test", "c.x.test")
    assert INVITES.diff(outputs, inputs("b.x.test", "c.x.test")).updates == ()

    # To ask for it is to take it over.
    outputs = INVITES.update(client, created.resource_id, outputs, inputs("b.x.test", "stray.x.test"), log)
    outputs = INVITES.update(client, created.resource_id, outputs, inputs("b.x.test"), log)
    assert hub.invite(created.resource_id).folded == {"b.x.test"}


def test_a_hostname_that_a_cut_off_update_added_is_ours_as_long_as_it_is_wanted(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    client.add_hostnames(created.resource_id, ["c.x.test"])
    wanted = inputs("a.x.test", "b.x.test", "c.x.test")
    read = INVITES.read(client, created.resource_id, created.outputs, log)
    assert read is not None
    assert INVITES.diff(read.outputs, wanted).updates == ("hostnames",)
    outputs = INVITES.update(client, created.resource_id, read.outputs, wanted, log)
    assert INVITES.diff(outputs, wanted).updates == ()
    INVITES.delete(client, outputs, log)


def test_a_hostname_whose_removal_failed_is_taken_off_by_the_next_update(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    hub.inject(Fault(method="DELETE", outcome=INTERNAL_500, times=None))
    with pytest.raises(PartialWrite) as failed:
        INVITES.update(client, created.resource_id, created.outputs, inputs("b.x.test"), log)
    hub.clear_faults()
    outputs = failed.value.outputs
    assert INVITES.diff(outputs, inputs("b.x.test")).updates == ("hostnames",)
    INVITES.update(client, created.resource_id, outputs, inputs("b.x.test"), log)
    assert hub.invite(created.resource_id).folded == {"b.x.test"}


def test_an_invite_with_a_hostname_of_somebody_else_is_not_deleted(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    client.add_hostnames(created.resource_id, ["stray.x.test"])
    with pytest.raises(PluginError, match=r"it also holds stray\.x\.test, which this stack never asked for"):
        INVITES.delete(client, created.outputs, log)
    assert hub.invite(created.resource_id).status == "pending"
    client.remove_hostname(created.resource_id, "stray.x.test")
    INVITES.delete(client, created.outputs, log)
    assert hub.invites == ()


@pytest.mark.parametrize("sees_others", [False, True])
def test_with_the_key_of_another_account_nothing_is_concluded_and_nothing_forgotten(
    hub: HubEmulator, log: Lines, *, sees_others: bool
) -> None:
    owner, stranger = (HubClient(hub.url, hub.add_user(f"{name}@example.test").key) for name in ("owner", "stranger"))
    created = INVITES.create(owner, inputs("a.x.test"), log)
    if sees_others:
        stranger.create_invite(name="own", hostnames=["own.x.test"])
    read = INVITES.read(stranger, created.resource_id, created.outputs, log)
    assert read is not None
    assert read.outputs == created.outputs
    assert "check the hub's url and apiKey" in log.warnings[-1]
    with pytest.raises(HubError, match="check the hub's url and apiKey"):
        INVITES.delete(stranger, created.outputs, log)
    INVITES.delete(owner, created.outputs, log)
    assert hub.holder("a.x.test") is None


# Predictions


def test_a_preview_does_not_predict_what_a_visible_invite_holds(
    hub: HubEmulator, client: HubClient, log: Lines, created: Live
) -> None:
    held = hub.create("c.x.test", name="other/app")
    reason = f"the invite 'other/app' ({held.invite_id}) of the hub holds it"
    for predicted in (
        InviteResource().predict_create(client, inputs("c.x.test", "d.x.test", name="net/new")),
        InviteResource().predict_update(client, created.outputs, inputs("a.x.test", "c.x.test", "d.x.test")),
    ):
        assert "c.x.test" not in predicted["confirmed"]  # type: ignore[operator] # a list of texts
        assert "d.x.test" in predicted["confirmed"]  # type: ignore[operator] # as above
        assert predicted["refused"] == [{"hostname": "c.x.test", "rule": "host-taken", "reason": reason}]
    hub.inject(Fault(outcome=INTERNAL_500, times=None))
    assert InviteResource().predict_create(client, inputs("c.x.test"))["confirmed"] == ("c.x.test",)
    assert InviteResource().predict_create(None, inputs("c.x.test"))["confirmed"] == ("c.x.test",)


def test_a_preview_predicts_what_another_invite_lets_go_in_the_same_run(client: HubClient, created: Live) -> None:
    resource = InviteResource()
    resource.diff(created.outputs, inputs("a.x.test"))
    predicted = resource.predict_create(client, inputs("a.x.test", "b.x.test", name="net/new"))
    assert predicted["confirmed"] == ("b.x.test",)
