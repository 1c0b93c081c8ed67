"""The engine is killed in the middle of an update: nothing outlives it, nothing is lost, and the next run converges."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from local import loopback
from local.hub_emulator import Fault
from local.stack import STACK
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.engine.evidence import ROUTE_NAMES, TUNNEL_NAMES, configure, errors_of, invites_in_state
from tests.fault_table import shows
from tests.processes import alive, descendants, engine, until

FOREIGN = ("mail.example.com", "A", "203.0.113.99")
LANGUAGE_HOST, PROGRAM = "pulumi-language-python ", "pulumi-language-python-exec"
PLUGINS = ("providers/towonel", "local.plugins.cloudflare_plugin")


def killed_during_up(world: World, moment: Callable[[], bool]) -> dict[int, str]:
    """Update, and kill the engine when `moment` has come; returns the processes that it had."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(world.stack.up, "--skip-preview")
        until(lambda: moment() or running.done(), "the moment to kill the engine")
        assert not running.done(), running.result().text
        pid = engine()
        children = descendants(pid)
        os.kill(pid, signal.SIGKILL)
        assert running.result().status == -signal.SIGKILL
    return children


def markers(world: World) -> int:
    """How many ownership markers stand in the zone at Route 53; each is written before its record."""
    return sum(one.type == "TXT" and one.name.endswith(ROUTE53_ZONE) for one in world.held())


def at_cloudflare(world: World) -> int:
    """How many records stand in the zone at Cloudflare."""
    return sum(one.name.endswith(CLOUDFLARE_ZONE) for one in world.held())


def unlock(world: World) -> None:
    """The engine says that the stack is locked and how to unlock it; do so."""
    locked = world.stack.up()
    assert locked.status != 0
    assert "the stack is currently locked" in locked.text
    assert "pulumi cancel" in locked.text
    world.stack.checked("cancel", "--yes", "--stack", STACK)


@shows(
    "F7",
    "kill -9 of the engine between its creates",
    sees="the stack is currently locked",
    runs="1, after `pulumi cancel`, as the message says",
)
def test_after_a_kill_between_creates_the_next_run_takes_over_what_was_made(world: World) -> None:
    hub, cloudflare, route53 = world.services.hub, world.services.cloudflare, world.services.route53
    zone = world.services.zone_ids[CLOUDFLARE_ZONE]
    cloudflare.add_record(zone, name=FOREIGN[0], type=FOREIGN[1], content=FOREIGN[2], ttl=1)
    foreign = hub.create("elsewhere.example.com")
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("cart", sorted(ROUTE_NAMES), gateway="front")
    world.gateways.write()
    configure(world)

    # Only the first record's answer arrives. Others are made, but the engine is gone before it hears of them.
    cloudflare.inject(loopback.Fault(method="POST", path="/dns_records", times=1))
    late = partial(loopback.Fault, method="POST", after_commit=True, delay_seconds=300, times=100)
    cloudflare.inject(late(path="/dns_records"))
    route53.inject(late(path="/rrset"))
    children = killed_during_up(world, lambda: at_cloudflare(world) == 4 and markers(world) == 1)
    running = " | ".join(children.values())
    assert all(part in running for part in (LANGUAGE_HOST, PROGRAM, *PLUGINS)), running
    until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")
    cloudflare.clear_faults()
    route53.clear_faults()

    unlock(world)
    made = {(one["name"], one["id"]) for one in cloudflare.records(zone)}
    run = world.up()
    assert "Traceback" not in run.text
    assert world.names() == TUNNEL_NAMES | ROUTE_NAMES | {FOREIGN[0]}
    assert {(one["name"], one["id"]) for one in cloudflare.records(zone)} == made
    assert {invite.name for invite in hub.invites} == {"team/app", "team/shop", foreign.name}
    assert hub.invite(foreign.invite_id) == foreign
    world.assert_settled()

    assert world.stack.destroy().status == 0
    assert world.published() == {FOREIGN}
    assert hub.invites == (foreign,)


@shows(
    "F7",
    "kill -9 of the engine while the hub makes two invites",
    sees="host-taken: …delete it on the hub, then run again",
    runs="1, after `pulumi cancel` and the deletion of the invites that a run names",
)
def test_after_a_kill_while_an_invite_is_made_the_next_run_says_what_to_do(world: World) -> None:
    hub = world.services.hub
    world.gateways.write()
    configure(world)
    hub.inject(Fault(method="POST", path="/v1/invites", after_commit=True, delay_seconds=600, times=None))
    children = killed_during_up(world, lambda: len(hub.invites) == 2)
    until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")
    hub.clear_faults()
    assert invites_in_state(world) == set()
    left = hub.invites

    unlock(world)
    run = world.stack.up()
    assert run.status != 0
    assert "Traceback" not in run.text
    told = "\n".join(errors_of(run))
    assert all(f"{name}: refused: host-taken: " in told for name in TUNNEL_NAMES), told
    assert "or by an interrupted create: delete it on the hub, then run again" in told
    assert world.names() == set()
    assert hub.invites == left

    for invite in left:
        hub.revoke(invite.invite_id)
    world.up()
    assert world.names() == TUNNEL_NAMES
    world.assert_settled()
