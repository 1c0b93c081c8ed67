"""A preview asks nobody to write, whatever state the stack, the hub and the zones are in."""

from local.stack import Run
from tests.engine.conftest import World
from tests.engine.evidence import SHOP, configure, invite_id, publish


def preview(world: World) -> set[tuple[str, str]]:
    """Preview with every write counted; returns what it shows, as (operation, kind of resource)."""
    before = world.services.write_count
    run: Run = world.stack.preview()
    assert world.services.write_count == before
    assert "Traceback" not in run.text
    return {(step.op, step.type.rpartition(":")[2]) for step in run.steps}


def test_a_preview_writes_nothing_in_any_state(world: World) -> None:
    hub = world.services.hub
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    configure(world)
    assert {("create", "Invite"), ("create", "DnsRecord")} <= preview(world), "a new stack"

    publish(world)
    world.gateways.gateway("front", addresses=["203.0.113.8"])
    world.gateways.write()
    world.configure(
        world.tunnel("app", ["app.example.com", "new.example.com", "new.example.org"]),
        world.tunnel("shop", [SHOP], region="CA"),
    )
    changed = {("update", "Invite"), ("create", "Record"), ("update", "Record"), ("delete", "Record")}
    assert changed <= preview(world), "names, targets and regions changed"

    hub.take("new.example.com", "new.example.org")
    run = world.stack.up()
    assert run.status != 0
    assert ("update", "Invite") in preview(world), "refused names"

    hub.revoke(invite_id(world, "team/app"))
    assert ("delete", "DnsRecord") in preview(world), "an ended invite"

    world.configure(
        world.tunnel("app", ["app.example.com"], generation=2),
        world.tunnel("shop", [SHOP], region="CA"),
    )
    assert ("replace", "Invite") in preview(world), "a new generation"
    world.services.hub.stop()
    assert preview(world) == set(), "an unreadable hub"
    world.services.hub.start()
