"""Outcomes that take several calls, against the emulator with faults before and after the commit."""

import pytest

from edge_dns.hub import HubClient, outcomes
from edge_dns.hub.errors import HubAccountUnclear, HubConflict, HubNotAHub, HubOutcomeUnclear, HubRefused
from edge_dns.hub.outcomes import InviteRequest
from local.hub_emulator import (
    EMPTY_404,
    HTML_200,
    INTERNAL_500,
    Drop,
    Edge,
    Fault,
    HubEmulator,
    Reply,
)

LOST = [Drop(), INTERNAL_500, HTML_200]
REQUEST = InviteRequest(name="net/app", hostnames=("a.x.test", "b.x.test"), region="CA")


@pytest.mark.parametrize("outcome", LOST, ids=["drop", "500", "html"])
def test_a_create_that_was_not_carried_out_is_tried_again(
    hub: HubEmulator, client: HubClient, outcome: Reply | Drop
) -> None:
    hub.inject(Fault(method="POST", outcome=outcome))
    new = outcomes.create_invite(hub=client, request=REQUEST, before=())
    assert [(i.invite_id, i.token) for i in hub.invites] == [(new.invite_id, new.token)]
    assert hub.invite(new.invite_id).region == "CA"


@pytest.mark.parametrize("outcome", LOST, ids=["drop", "500", "html"])
def test_what_a_lost_answer_may_have_left_is_named_and_not_deleted(
    hub: HubEmulator, client: HubClient, outcome: Reply | Drop
) -> None:
    hub.inject(Fault(method="POST", outcome=outcome, after_commit=True))
    with pytest.raises(HubOutcomeUnclear, match="delete it on the hub") as caught:
        outcomes.create_invite(hub=client, request=REQUEST, before=())
    (left,) = hub.invites
    assert left.invite_id in str(caught.value)
    assert (hub.count("POST", "**"), hub.count("DELETE", "**")) == (1, 0)


def test_the_invite_that_another_stack_made_at_the_same_moment_is_never_deleted(
    hub: HubEmulator, client: HubClient
) -> None:
    before = [listed.invite_id for listed in client.list_invites()]
    theirs = outcomes.create_invite(client, REQUEST, before=before)
    hub.inject(Fault(method="POST", outcome=INTERNAL_500))
    with pytest.raises(HubOutcomeUnclear, match="If no other stack made it"):
        outcomes.create_invite(client, REQUEST, before=before)
    assert [(one.invite_id, one.status) for one in hub.invites] == [(theirs.invite_id, "pending")]


@pytest.mark.parametrize(
    ("name", "hostnames", "status", "known"),
    [
        ("net/other", ("a.x.test", "b.x.test"), "pending", False),
        ("net/app", ("a.x.test",), "pending", False),
        ("net/app", ("a.x.test", "b.x.test"), "claimed", False),
        ("net/app", ("a.x.test", "b.x.test"), "pending", True),
    ],
    ids=["other-name", "other-hostnames", "claimed", "there-before"],
)
def test_an_invite_that_is_not_surely_our_leftover_is_never_deleted(
    hub: HubEmulator, client: HubClient, *, name: str, hostnames: tuple[str, ...], status: str, known: bool
) -> None:
    foreign = hub.create(*hostnames, name=name)
    hub.set_status(foreign.invite_id, status)
    hub.inject(Fault(method="POST", outcome=Drop()))
    with pytest.raises(HubConflict):
        outcomes.create_invite(client, REQUEST, before=[foreign.invite_id] if known else [])
    assert hub.holder("a.x.test") == hub.invite(foreign.invite_id)


def test_a_conflict_is_not_tried_again(hub: HubEmulator, client: HubClient) -> None:
    hub.take("b.x.test")
    with pytest.raises(HubConflict):
        outcomes.create_invite(client, REQUEST, before=())
    assert len(hub.requests) == 1


@pytest.mark.parametrize("outcome", LOST, ids=["drop", "500", "html"])
@pytest.mark.parametrize("after_commit", [True, False], ids=["committed", "not-committed"])
def test_an_add_whose_answer_is_lost_is_settled_by_reading(
    hub: HubEmulator, client: HubClient, outcome: Reply | Drop, after_commit: bool
) -> None:
    invite = hub.create("a.x.test")
    hub.inject(Fault(method="POST", outcome=outcome, after_commit=after_commit))
    assert outcomes.add_hostname(client, invite.invite_id, "n.x.test")
    assert hub.count("POST", "**/hostnames") == (1 if after_commit else 2)
    assert hub.invite(invite.invite_id).folded == {"a.x.test", "n.x.test"}


def test_a_409_for_a_name_on_the_own_invite_confirms_it(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test", "N.X.Test")
    assert outcomes.add_hostname(client, invite.invite_id, "n.x.test")


@pytest.mark.parametrize("disguised", [False, True])
def test_a_409_for_a_foreign_name_refuses_it_whatever_the_text(
    hub: HubEmulator, client: HubClient, disguised: bool
) -> None:
    invite = hub.create("a.x.test")
    hub.take("n.x.test", disguised=disguised)
    assert not outcomes.add_hostname(client, invite.invite_id, "n.x.test")


def test_removing_an_absent_name_is_a_success(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test", "b.x.test")
    assert outcomes.remove_hostname(client, invite.invite_id, "z.x.test")


def test_the_last_name_stays_and_that_is_said(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    assert not outcomes.remove_hostname(client, invite.invite_id, "a.x.test")


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_a_deleted_invite_has_ended_while_another_is_visible(hub: HubEmulator, client: HubClient, mode: str) -> None:
    hub.settings.delete_mode = "soft" if mode == "soft" else "hard"
    invite = hub.create("a.x.test")
    hub.create("b.x.test")
    hub.revoke(invite.invite_id)
    found = outcomes.find_invite(client, invite.invite_id, owner=str(client.account()))
    assert found is None or found.revoked


def test_a_404_proves_nothing_while_no_invite_is_visible(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    hub.revoke(invite.invite_id)
    with pytest.raises(HubAccountUnclear):
        outcomes.find_invite(client, invite.invite_id, owner=str(client.account()))


@pytest.mark.parametrize("sees_others", [False, True])
def test_a_404_proves_nothing_for_the_key_of_another_account(
    hub: HubEmulator, client: HubClient, *, sees_others: bool
) -> None:
    invite = hub.create("a.x.test")
    stranger = hub.add_user("stranger@example.test")
    if sees_others:
        HubClient(hub.url, stranger.key).create_invite(name="own", hostnames=["own.x.test"])
    with pytest.raises(HubAccountUnclear):
        outcomes.find_invite(HubClient(hub.url, stranger.key), invite.invite_id, owner=str(client.account()))


def test_a_404_proves_nothing_while_the_invite_is_listed(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    body = b'{"error":{"code":"not_found","message":"invite does not exist"}}'
    hub.inject(Fault(outcome=Reply(status=404, body=body, content_type="application/json")))
    with pytest.raises(HubAccountUnclear):
        outcomes.find_invite(client, invite.invite_id, owner=str(client.account()))


@pytest.mark.parametrize("owner", [None, "user at http://another.test"], ids=["unknown", "of another hub"])
def test_a_404_proves_nothing_without_the_owner_of_the_invite(
    hub: HubEmulator, client: HubClient, owner: str | None
) -> None:
    invite = hub.create("a.x.test")
    hub.create("b.x.test")
    hub.revoke(invite.invite_id)
    with pytest.raises(HubAccountUnclear):
        outcomes.find_invite(client, invite.invite_id, owner=owner)


def test_the_operator_of_a_hub_sees_what_a_user_of_it_has_lost(hub: HubEmulator, client: HubClient) -> None:
    user = HubClient(hub.url, hub.add_user("team@example.test").key)
    made = user.create_invite(name="app", hostnames=["a.x.test"])
    owner = outcomes.owner_of(user, None)
    hub.create("b.x.test")
    assert outcomes.owner_of(client, owner) == owner
    hub.revoke(made.invite_id)
    assert outcomes.find_invite(client, made.invite_id, owner=owner) is None


def test_an_empty_404_proves_nothing(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    hub.create("b.x.test")
    hub.inject(Fault(outcome=EMPTY_404))
    with pytest.raises(HubNotAHub):
        outcomes.find_invite(client, invite.invite_id, owner=str(client.account()))


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_deleting_twice_is_a_success(hub: HubEmulator, client: HubClient, mode: str) -> None:
    hub.settings.delete_mode = "soft" if mode == "soft" else "hard"
    invite = hub.create("a.x.test")
    outcomes.delete_invite(client, invite.invite_id)
    outcomes.delete_invite(client, invite.invite_id)
    assert hub.holder("a.x.test") is None


def test_a_delete_that_fails_after_the_revocation_is_a_success(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    hub.fail_removals()
    outcomes.delete_invite(client, invite.invite_id)
    assert hub.holder("a.x.test") is None


@pytest.fixture
def tenant(hub: HubEmulator) -> str:
    hub.settings.edges = (Edge(node_id="n" * 64, region="EU", public_ips=("203.0.113.2", "203.0.113.3")),)
    return hub.create("a.x.test").tenant_id


@pytest.mark.parametrize("outcome", [Drop(), INTERNAL_500], ids=["drop", "500"])
@pytest.mark.parametrize("after_commit", [True, False], ids=["committed", "not-committed"])
def test_a_reservation_whose_answer_is_lost_is_made_once(
    hub: HubEmulator, client: HubClient, tenant: str, outcome: Reply | Drop, after_commit: bool
) -> None:
    hub.inject(Fault(method="POST", outcome=outcome, after_commit=after_commit))
    port = outcomes.reserve_port(client, tenant, protocol="tcp", label="net/app/ssh", preferred=2222)
    assert port.port == 2222
    assert len(hub.ports) == 1


def test_a_reservation_with_the_same_label_and_protocol_is_not_made_again(
    hub: HubEmulator, client: HubClient, tenant: str
) -> None:
    first = outcomes.reserve_port(client, tenant, protocol="tcp", label="net/app/ssh", preferred=2222)
    again = outcomes.reserve_port(client, tenant, protocol="tcp", label="net/app/ssh", preferred=2222)
    any_one = outcomes.reserve_port(client, tenant, protocol="tcp", label="net/app/ssh")
    udp = outcomes.reserve_port(client, tenant, protocol="udp", label="net/app/ssh", preferred=2222)
    assert (first.port, again.port, any_one.port, udp.port) == (2222, 2222, 2222, 2222)
    assert len(hub.ports) == 2


def test_another_preferred_port_is_reserved_beside_the_one_of_the_label(
    hub: HubEmulator, client: HubClient, tenant: str
) -> None:
    for preferred in (2222, 3333, 2222, 3333):
        port = outcomes.reserve_port(client, tenant, protocol="tcp", label="net/app/ssh", preferred=preferred)
        assert port.port == preferred
    assert [port.port for port in hub.ports] == [2222, 3333]


def test_two_reservations_with_one_label_are_reported(hub: HubEmulator, client: HubClient, tenant: str) -> None:
    for preferred in (2222, 2223):
        client.reserve_port(tenant, protocol="tcp", label="net/app/ssh", preferred=preferred)
    with pytest.raises(HubOutcomeUnclear, match="2222, 2223"):
        outcomes.find_port(client, tenant, protocol="tcp", label="net/app/ssh")


def test_releasing_a_free_port_is_a_success(client: HubClient, tenant: str) -> None:
    outcomes.release_port(client, tenant, protocol="tcp", port=2222)


def test_a_port_in_use_is_not_released(hub: HubEmulator, client: HubClient, tenant: str) -> None:
    outcomes.reserve_port(client, tenant, protocol="tcp", label="l", preferred=2222)
    hub.settings.bound_ports = frozenset({(2222, "tcp")})
    with pytest.raises(HubConflict):
        outcomes.release_port(client, tenant, protocol="tcp", port=2222)


def test_the_port_of_a_tenant_that_is_gone_is_free(hub: HubEmulator) -> None:
    user = hub.add_user("team@example.test")
    client = HubClient(hub.url, user.key)
    new = client.create_invite(name="net/app", hostnames=["a.x.test"])
    client.create_invite(name="net/other", hostnames=["b.x.test"])
    hub.revoke(new.invite_id)
    outcomes.release_port(client, new.tenant_id, protocol="tcp", port=2222)


def test_the_port_of_another_account_is_not_taken_for_free(hub: HubEmulator, tenant: str) -> None:
    client = HubClient(hub.url, hub.add_user("stranger@example.test").key)
    with pytest.raises(HubRefused):
        outcomes.release_port(client, tenant, protocol="tcp", port=2222)
