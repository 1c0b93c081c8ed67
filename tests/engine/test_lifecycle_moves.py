"""A hostname passes from one tunnel to another: the hub gives it to the second only once the first lets go."""

from local.hub_emulator.faults import Fault
from tests.engine.conftest import CLOUDFLARE_ZONE, World

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

    # A tunnel that is removed lets go at the end of the run, so that the next one publishes its hostnames.
    world.configure(world.tunnel("one", [leave, *MOVED]))
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert all(f"{name}: withdrawn: host-taken" in run.text for name in MOVED)
    assert not world.published() & PUBLISHED
    world.up("--skip-preview")
    assert world.published() == {*PUBLISHED, (leave, "CNAME", EDGE)}
    world.assert_settled()
