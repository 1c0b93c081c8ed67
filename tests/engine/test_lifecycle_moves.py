"""A hostname passes from one tunnel to another: the hub gives it to the second only once the first lets go."""

import pytest

from local.hub_emulator.faults import Fault
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.evidence import assert_one_message

EDGE = "edge-eu.example.net"
MOVED = ["m.example.com", "m.example.org"]
PUBLISHED = {(name, "CNAME", EDGE) for name in MOVED}


def _record_id(world: World) -> object:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    (found,) = (one["id"] for one in records if one["name"] == MOVED[0])
    return found


def test_a_hostname_that_moves_to_another_tunnel_is_never_without_its_record(world: World) -> None:
    stay, leave = "stay.example.com", "leave.example.com"
    world.configure(world.tunnel("one", [leave, *MOVED]), world.tunnel("two", [stay]))
    world.up("--skip-preview")
    record_id = _record_id(world)

    # The first tunnel lets go slowly.
    slow = Fault(method="DELETE", path="/v1/invites/*/hostnames/*", delay_seconds=1, times=2)
    world.services.hub.inject(slow)
    world.configure(world.tunnel("one", [leave]), world.tunnel("two", [stay, *MOVED]))
    run = world.up("--skip-preview")
    assert not any("delete" in step.op for step in run.steps)
    assert world.published() >= PUBLISHED
    assert _record_id(world) == record_id
    world.assert_settled()

    # In a chain each waits for the one that it takes from.
    world.configure(
        world.tunnel("one", ["new.example.com"]), world.tunnel("two", [stay, leave]), world.tunnel("three", MOVED)
    )
    run = world.up("--skip-preview")
    assert not any("delete" in step.op for step in run.steps)
    assert world.published() >= {*PUBLISHED, (leave, "CNAME", EDGE)}
    assert _record_id(world) == record_id
    world.assert_settled()


@pytest.mark.parametrize("form", ["leaves", "swap"])
def test_hostnames_that_cannot_pass_within_one_run_stop_it_until_the_gap_is_acknowledged(
    world: World, form: str
) -> None:
    stay, leave = "stay.example.com", "leave.example.com"
    world.configure(world.tunnel("one", [stay, *MOVED]), world.tunnel("two", [leave, "n.example.com"]))
    world.up("--skip-preview")
    before, invites = world.published(), world.services.hub.invites
    if form == "leaves":
        after, gap = [world.tunnel("two", [leave, *MOVED])], [*MOVED]
        told = ["tunnel team/two takes from tunnel team/one, which left the settings", "aliases: [team/one]"]
    else:
        after = [world.tunnel("one", [stay, "n.example.com"]), world.tunnel("two", [leave, *MOVED])]
        gap = [*MOVED, "n.example.com"]
        told = ["tunnel team/one takes from tunnel team/two", "tunnel team/two takes from tunnel team/one"]

    world.configure(*after)
    for run in (world.stack.preview(), world.stack.up("--skip-preview")):
        assert_one_message(run, "host-transition", *told, *gap, f"acknowledge.count to {len(gap)}", "in two runs")
    assert (world.published(), world.services.hub.invites) == (before, invites)

    world.configure(*after, safety={"acknowledge": {"names": gap}})
    run = world.up("--skip-preview")
    assert all(f"{name}: withdrawn: host-transition" in run.text for name in gap)
    assert "the next run gives it to team/two" in run.text
    assert not world.names() & set(gap)
    assert {leave} <= world.names()

    world.configure(*after)
    preview = world.stack.preview()
    assert {step.op for step in preview.steps if "Record" in step.type} == {"create"}
    world.up("--skip-preview")
    assert world.names() >= set(gap)
    world.assert_settled()
