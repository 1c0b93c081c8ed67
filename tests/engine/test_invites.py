"""Invites that end, lose a hostname or fail to change: records follow what the hub confirms, and never run ahead."""

import json
from collections.abc import Mapping
from typing import Literal

import pytest

from local.hub_emulator import INTERNAL_500, Drop, Fault
from local.hub_emulator.replies import error
from local.stack import Run
from tests.engine.conftest import World
from tests.engine.evidence import (
    INVITE,
    ROUTE_NAMES,
    SHOP,
    TUNNEL_NAMES,
    assert_one_message,
    configure,
    errors_of,
    invite_id,
    publish,
)
from tests.fault_table import shows

APP_NAMES = {"app.example.com", "app.example.org"}
ALL = TUNNEL_NAMES | ROUTE_NAMES
UPDATE = ("--skip-preview",)
EDGE_CA = "edge-ca.example.net"


def failed_for(run: Run) -> dict[str, str]:
    """Rule by hostname of the names that made the run unsuccessful; it has failed for nothing else."""
    assert run.status != 0, run.text
    assert "Traceback" not in run.text
    told = [error.split(": ", 3) for error in errors_of(run) if error != "BAIL: run bailed"]
    return {hostname: rule for hostname, _, rule, _ in told}


def creates(world: World) -> int:
    """How many invites were asked for."""
    return world.services.hub.count("POST", "/v1/invites")


def urn(world: World, kind: str, name: str) -> str:
    """The URN of a resource of the state."""
    resources = json.loads(world.stack.state())["deployment"]["resources"]
    (found,) = (one["urn"] for one in resources if one["type"] == kind and one["urn"].endswith(f"::{name}"))
    return str(found)


def record_steps(run: Run) -> set[str]:
    """What was done to records."""
    return {step.op for step in run.steps if "Record" in step.type and "RecordSet" not in step.type}


@pytest.mark.parametrize(
    ("mode", "rule"),
    [
        pytest.param(
            mode, rule, marks=shows("F6", f"an invite ends on the hub, its hostnames stay: {rule}", sees=f"{rule}: ")
        )
        for mode, rule in (("hard", "invite-gone"), ("soft", "invite-revoked"))
    ],
)
def test_an_invite_that_ended_takes_its_records_along_and_comes_back_only_by_generation(
    world: World, mode: Literal["hard", "soft"], rule: str
) -> None:
    hub = world.services.hub
    hub.settings.delete_mode = mode
    publish(world)
    first = invite_id(world, "team/app")
    made = creates(world)

    hub.revoke(first)
    run = world.stack.up(*UPDATE)
    assert failed_for(run) == dict.fromkeys(APP_NAMES, rule)
    assert "raise the tunnel's generation to make a new invite" in run.text
    assert world.names() == ALL - APP_NAMES
    assert world.told() == dict.fromkeys(APP_NAMES, ("withdrawn", rule))

    run = world.stack.up(*UPDATE)
    assert failed_for(run) == dict.fromkeys(APP_NAMES, rule)
    assert run.steps == ()
    assert world.names() == ALL - APP_NAMES
    assert world.told() == dict.fromkeys(APP_NAMES, ("refused", rule))
    assert creates(world) == made

    configure(world, app={"generation": 2})
    world.up(*UPDATE)
    assert world.names() == ALL
    assert creates(world) == made + 1
    assert invite_id(world, "team/app") != first
    world.assert_settled()


@shows("F24", "every invite is gone from the hub", sees="hub-account: ", runs="1, acknowledged as the message says")
def test_when_every_invite_is_gone_the_run_stops_until_that_is_acknowledged(world: World) -> None:
    hub = world.services.hub
    publish(world)
    made = creates(world)
    for name in ("team/app", "team/shop"):
        hub.revoke(invite_id(world, name))
    stopped = ("hub-account", "team/app, team/shop", "acknowledge.count to 3")
    assert_one_message(world.stack.up(*UPDATE), *stopped)
    configure(world, safety={"acknowledge": {"count": 2}})
    assert_one_message(world.stack.up(*UPDATE), *stopped)
    assert world.names() == ALL

    configure(world, safety={"acknowledge": {"names": sorted(TUNNEL_NAMES)}})
    assert failed_for(world.stack.up(*UPDATE)) == dict.fromkeys(TUNNEL_NAMES, "invite-gone")
    assert world.names() == ROUTE_NAMES
    assert creates(world) == made


def test_the_only_invite_gone_from_a_stack_of_one_tunnel_asks_for_one_acknowledgement(world: World) -> None:
    only = world.tunnel("only", ["only.example.com"])
    world.configure(only)
    world.up(*UPDATE)
    world.services.hub.revoke(invite_id(world, "team/only"))
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert "hub-account: " in run.text
    assert world.names() == {"only.example.com"}

    world.configure(only, safety={"acknowledge": {"count": 1}})
    assert failed_for(world.stack.up(*UPDATE)) == {"only.example.com": "invite-gone"}
    assert world.names() == set()


def test_a_hostname_dropped_on_the_hub_is_put_back_and_one_that_another_tenant_took_is_withdrawn(world: World) -> None:
    hub = world.services.hub
    user = hub.add_user("team@example.test")
    account: Mapping[str, object] = {"url": hub.url, "apiKey": user.key}
    configure(world, hub=account)
    world.gateways.write()
    world.up(*UPDATE)
    app = invite_id(world, "team/app")

    hub.drop_hostname(app, "app.example.com")
    preview = world.stack.preview()
    assert [(step.op, step.type, step.name) for step in preview.steps] == [("update", INVITE, "team/app")], preview.text
    run = world.up(*UPDATE)
    assert record_steps(run) == set()
    assert set(hub.invite(app).hostnames) == APP_NAMES
    world.assert_settled()

    # With this key the other tenant's invite is not to be seen: only the hub's answer to the update tells.
    hub.drop_hostname(app, "app.example.com")
    hub.take("app.example.com")
    for state in ("withdrawn", "refused"):
        assert failed_for(world.stack.up(*UPDATE)) == {"app.example.com": "host-taken"}
        assert world.names() == TUNNEL_NAMES - {"app.example.com"}
        assert world.told() == {"app.example.com": (state, "host-taken")}

    hub.release("app.example.com")
    world.up(*UPDATE)
    assert world.names() == TUNNEL_NAMES


@shows(
    "up update",
    "the hub: one hostname cannot be added, another not removed",
    sees="hub: POST /v1/invites/…/hostnames answered 500",
)
def test_an_invite_whose_update_fails_takes_no_healthy_record_along(world: World) -> None:
    hub = world.services.hub
    publish(world)
    world.configure(
        world.tunnel("app", ["app.example.com", "new.example.com"]),
        world.tunnel("shop", [SHOP]),
    )
    for method in ("POST", "DELETE"):
        hub.inject(Fault(method=method, path="/v1/invites/*/hostnames/**", outcome=INTERNAL_500, times=None))
        hub.inject(Fault(method=method, path="/v1/invites/*/hostnames", outcome=INTERNAL_500, times=None))
    run = world.stack.up(*UPDATE)
    hub.clear_faults()
    assert run.status != 0
    assert "Traceback" not in run.text
    assert any("answered 500" in error and "run again" in error for error in errors_of(run)), run.text
    assert ALL - {"app.example.org"} <= world.names()
    assert "new.example.com" not in world.names()

    world.up(*UPDATE)
    assert world.names() == ALL - {"app.example.org"} | {"new.example.com"}
    assert set(hub.invite(invite_id(world, "team/app")).hostnames) == {"app.example.com", "new.example.com"}
    world.assert_settled()


def test_a_create_whose_answer_is_lost_is_settled_by_reading(world: World) -> None:
    hub = world.services.hub
    configure(world)
    world.gateways.write()

    # The answers are lost: nothing of the tunnels is published, and the run says what the calls may have left.
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=Drop(), after_commit=True, times=None))
    run = world.stack.up(*UPDATE)
    hub.clear_faults()
    assert run.status != 0
    assert "Traceback" not in run.text
    assert world.names() == set()
    left = {invite.name: invite for invite in hub.invites}
    assert set(left) == {"team/app", "team/shop"}
    text = " ".join(run.text.split())
    assert all(f"the invite {one.invite_id} named '{name}' has appeared" in text for name, one in left.items())

    # Whose they are nobody can tell: they stay until somebody deletes them, as the next run says too.
    run = world.stack.up(*UPDATE)
    assert set(failed_for(run)) == TUNNEL_NAMES
    assert "delete it on the hub, then run again" in run.text
    for one in left.values():
        assert hub.invite(one.invite_id) == one
        hub.revoke(one.invite_id)

    # The calls are not done: the run itself tries again.
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=Drop(), times=1))
    world.up(*UPDATE)
    assert world.names() == TUNNEL_NAMES
    assert sorted(invite.name for invite in hub.invites if invite.status != "revoked") == ["team/app", "team/shop"]
    world.assert_settled()


def test_records_stay_up_while_their_invite_is_replaced(world: World) -> None:
    hub = world.services.hub
    publish(world)
    old = invite_id(world, "team/app")
    configure(world, app={"region": "CA"})
    preview = world.stack.preview()
    assert "a new token, a new tenant and new ports. Agents need the new token." in preview.text
    run = world.up(*UPDATE)
    assert record_steps(run) == {"update"}
    assert {value for name, _, value in world.published() if name in APP_NAMES} == {EDGE_CA}
    assert invite_id(world, "team/app") != old
    assert {invite.region for invite in hub.invites if invite.name == "team/app"} == {"CA"}
    assert not [request for request in world.services.cloudflare.writes if request.method == "DELETE"]
    world.assert_settled()

    # By hand: nothing of the invite has changed, so that the plugin is not asked how.
    old, made = invite_id(world, "team/app"), creates(world)
    world.up(*UPDATE, "--replace", urn(world, INVITE, "team/app"))
    new = invite_id(world, "team/app")
    assert (new != old, creates(world)) == (True, made + 1)
    assert set(hub.invite(new).hostnames) == APP_NAMES
    assert world.names() == ALL
    world.assert_settled()


@shows("up update", "the hub: an invite is replaced, the new one gets none of its names", sees="held: host-taken: ")
def test_a_replacement_that_the_hub_refuses_the_names_is_no_success(world: World) -> None:
    hub = world.services.hub
    publish(world)
    configure(world, app={"region": "CA"})
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=error(409, "conflict", "taken"), times=None))
    assert failed_for(world.stack.up(*UPDATE)) == dict.fromkeys(APP_NAMES, "host-taken")
    assert world.told() == dict.fromkeys(APP_NAMES, ("held", "host-taken"))
    assert world.names() == ALL

    hub.clear_faults()
    world.up(*UPDATE)
    assert world.names() == ALL
    world.assert_settled()


@shows(
    "up update", "the hub: an invite is replaced, the new one cannot be made", sees="hub: POST /v1/invites answered 500"
)
def test_records_outlive_a_failed_replacement_for_one_run_only(world: World) -> None:
    hub = world.services.hub
    publish(world)
    configure(world, app={"region": "CA"})
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=INTERNAL_500, times=None))
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert any("POST /v1/invites" in error for error in errors_of(run)), run.text
    assert world.names() == ALL

    # The hub still gives no new invite: it lists none of the names, and they go.
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert world.names() == ALL - APP_NAMES

    hub.clear_faults()
    world.up(*UPDATE)
    assert world.names() == ALL
    assert {value for name, _, value in world.published() if name in APP_NAMES} == {EDGE_CA}
    world.assert_settled()
