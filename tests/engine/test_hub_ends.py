"""What ends or changes at the hub: warnings before an invite goes, invites that are kept, and those of others."""

from typing import Any

import pytest

from edge_dns.hub import HubClient
from local.hub_emulator import Fault, HubEmulator
from local.hub_emulator.replies import error
from local.loopback import Fault as DnsFault
from tests.engine.conftest import World
from tests.engine.evidence import (
    INVITE,
    ROUTE_NAMES,
    SHOP,
    TUNNEL_NAMES,
    configure,
    errors_of,
    invite_id,
    invites_in_state,
    publish,
    resources,
)

UPDATE = ("--skip-preview",)
APP_NAMES = {"app.example.com", "app.example.org"}
ALL = TUNNEL_NAMES | ROUTE_NAMES
DAY_MS = 86_400_000
GOES = "token, tenant and ports go with it"


def told(messages: tuple[str, ...], rule: str) -> list[str]:
    """The warnings under a rule."""
    return [message for message in messages if message.startswith(f"{rule}: ")]


def client(hub: HubEmulator) -> HubClient:
    return HubClient(hub.url, hub.operator_key)


def test_each_way_an_invite_is_deleted_is_told_before(world: World) -> None:
    publish(world)
    app, shop = world.tunnel("app", sorted(APP_NAMES)), world.tunnel("shop", [SHOP])
    for tunnels, why in (
        ([app], "tunnel shop left the settings"),
        ([app, {**shop, "hostnames": []}], "has no hostname any more"),
        ([app, {**shop, "region": "CA", "generation": 2}], "region and generation changed"),
    ):
        world.configure(*tunnels)
        preview = world.stack.preview()
        (warning,) = told(preview.messages, "invite-deleted")
        assert "tunnel team/shop: this run deletes its invite" in warning
        assert why.removeprefix("tunnel shop ") in warning
        assert GOES in warning
    world.configure(app, {**shop, "region": "CA"})
    run = world.up(*UPDATE)
    assert len(told(run.messages, "invite-deleted")) == 1
    assert told(world.stack.preview().messages, "invite-deleted") == []


def test_a_retained_invite_outlives_its_tunnel_and_its_stack(world: World) -> None:
    hub = world.services.hub
    retained: dict[str, Any] = {"deletionPolicy": "Retain"}
    publish(world)
    configure(world, app=retained, shop=retained)
    world.up(*UPDATE)
    before = hub.invites

    world.configure(world.tunnel("app", sorted(APP_NAMES), **retained))
    preview = world.stack.preview()
    assert told(preview.messages, "invite-deleted") == []
    world.up(*UPDATE)
    assert world.names() == ALL - {SHOP}
    assert invites_in_state(world) == {"team/app"}
    assert hub.invites == before

    run = world.stack.destroy(*UPDATE)
    assert run.status == 0, run.text
    assert world.names() == set()
    assert resources(world) == {}
    assert hub.invites == before


def test_an_invite_near_its_end_is_warned_of_and_its_records_stay_beyond_it(world: World) -> None:
    hub = world.services.hub
    configure(world, app={"expiresInSecs": 8 * 86_400}, shop={"expiresInSecs": 6 * 86_400})
    world.gateways.write()
    world.up(*UPDATE)
    (warning,) = told(world.stack.preview().messages, "invite-expires")
    assert "tunnel team/shop: the token of its invite ends on " in warning

    # The hub goes on listing an invite that is past its end, with all its hostnames.
    for invite in hub.invites:
        if invite.expires_at_ms:
            hub.set_expiry(invite.invite_id, hub.clock.now_ms() - DAY_MS)
    run = world.up(*UPDATE)
    assert len(told(run.messages, "invite-expires")) == 2
    assert all("ended on " in one and "raise `generation`" in one for one in told(run.messages, "invite-expires"))
    assert world.names() == TUNNEL_NAMES
    configure(world, app={"expiresInSecs": 8 * 86_400, "generation": 2}, shop={"generation": 2})
    world.up(*UPDATE)
    assert world.names() == TUNNEL_NAMES
    assert told(world.stack.preview().messages, "invite-expires") == []


def test_hostnames_of_another_program_on_the_invite_are_told_and_left_alone(world: World) -> None:
    hub = world.services.hub
    publish(world)
    app = invite_id(world, "team/app")
    client(hub).add_hostnames(app, ["stray.example.com"])
    for run in (world.stack.preview(), world.up(*UPDATE)):
        (warning,) = told(run.messages, "invite-shared")
        assert "tunnel team/app" in warning
        assert "stray.example.com" in warning
        assert not [step for step in run.steps if step.type == INVITE], run.text
    assert set(hub.invite(app).hostnames) == {*APP_NAMES, "stray.example.com"}

    world.configure(world.tunnel("app", ["app.example.com", "new.example.com"]), world.tunnel("shop", [SHOP]))
    world.up(*UPDATE)
    assert set(hub.invite(app).hostnames) == {"app.example.com", "new.example.com", "stray.example.com"}
    world.assert_settled()

    # The invite would take the other program's hostname along: it stays, and so does everything on it.
    world.configure(world.tunnel("shop", [SHOP]))
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert any("it also holds stray.example.com" in message for message in errors_of(run)), run.text
    assert hub.invite(app).status == "pending"
    client(hub).remove_hostname(app, "stray.example.com")
    world.up(*UPDATE)
    assert [invite.name for invite in hub.invites] == ["team/shop"]


def test_two_stacks_on_one_invite_do_not_fight(world: World) -> None:
    """The second stack is played by its client: it takes off what it does not know, once."""
    hub = world.services.hub
    publish(world)
    app = invite_id(world, "team/app")
    other = client(hub)
    other.add_hostnames(app, ["theirs.example.com"])
    other.remove_hostname(app, "app.example.org")
    run = world.up(*UPDATE)
    assert len(told(run.messages, "invite-shared")) == 1
    assert set(hub.invite(app).hostnames) == {*APP_NAMES, "theirs.example.com"}
    assert world.names() == ALL
    world.assert_settled()


def test_a_preview_does_not_promise_what_a_visible_invite_holds(world: World) -> None:
    held = world.services.hub.create("app.example.com", name="other/app")
    configure(world)
    world.gateways.write()
    preview = world.stack.preview()
    names = {step.name.rpartition("/")[2] for step in preview.steps if "DnsRecord" in step.type}
    assert names == {SHOP}
    reason = f"host-taken: the invite 'other/app' ({held.invite_id}) of the hub holds it"
    run = world.stack.up(*UPDATE)
    for one in (preview, run):
        assert f"app.example.com: refused: {reason}" in one.text


@pytest.mark.parametrize("sees_others", [False, True])
def test_with_the_key_of_another_account_no_command_forgets_an_invite(world: World, *, sees_others: bool) -> None:
    hub = world.services.hub
    owner, stranger = hub.add_user("owner@example.test"), hub.add_user("stranger@example.test")
    if sees_others:
        HubClient(hub.url, stranger.key).create_invite(name="own", hostnames=["own.example.com"])
    configure(world, hub={"url": hub.url, "apiKey": owner.key})
    world.gateways.write()
    world.up(*UPDATE)
    before = [one.invite_id for one in hub.invites]

    configure(world, hub={"url": hub.url, "apiKey": stranger.key})
    run = world.stack.up("--refresh", *UPDATE)
    assert run.status != 0
    assert "hub-account: " in run.text
    assert world.names() == TUNNEL_NAMES
    assert invites_in_state(world) == {"team/app", "team/shop"}

    configure(world, hub={"url": hub.url, "apiKey": owner.key})
    world.assert_settled()
    assert [one.invite_id for one in hub.invites] == before


def test_a_record_that_cannot_be_withdrawn_keeps_the_invite_of_its_tunnel(world: World) -> None:
    hub, cloudflare = world.services.hub, world.services.cloudflare
    publish(world)
    world.configure(world.tunnel("app", sorted(APP_NAMES)))
    cloudflare.inject(DnsFault(method="DELETE", path="/dns_records/", status=500, times=1000))
    run = world.stack.up(*UPDATE)
    cloudflare.clear_faults()
    assert run.status != 0
    assert SHOP in world.names()
    assert hub.holder(SHOP) is not None
    assert invites_in_state(world) == {"team/app", "team/shop"}

    # The hub cannot delete it: the record goes all the same.
    refused = error(500, "internal", "internal error")
    hub.inject(Fault(method="DELETE", path="/v1/invites/*", outcome=refused, times=None))
    run = world.stack.up(*UPDATE)
    hub.clear_faults()
    assert run.status != 0
    assert SHOP not in world.names()
    assert invites_in_state(world) == {"team/app", "team/shop"}
    world.up(*UPDATE)
    assert hub.holder(SHOP) is None
