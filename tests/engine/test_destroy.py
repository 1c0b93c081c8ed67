"""`pulumi destroy`: records go before the invite that they need, whichever of the remote services fails meanwhile."""

from local.loopback import Fault
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.evidence import SHOP, errors_of, invites_in_state, publish, resources
from tests.fault_table import shows

FOREIGN = ("mail.example.com", "A", "203.0.113.99")
TUNNELS = {"team/app", "team/shop"}


@shows("destroy delete", "Cloudflare: the call fails, nothing is done", sees="deleting DNS record … 500 injected fault")
@shows("destroy delete", "the hub is down", sees="hub: GET /v1/invites/… run again")
def test_destroy_withdraws_records_first_and_keeps_an_invite_until_that_is_done(world: World) -> None:
    hub, cloudflare = world.services.hub, world.services.cloudflare
    zone = world.services.zone_ids[CLOUDFLARE_ZONE]
    cloudflare.add_record(zone, name=FOREIGN[0], type=FOREIGN[1], content=FOREIGN[2], ttl=1)
    foreign = hub.create("elsewhere.example.com")
    publish(world)

    # The records of both tunnels cannot be deleted: neither invite is touched.
    hub.clear_log()
    cloudflare.inject(Fault(method="DELETE", path="/dns_records/", status=500, times=1000))
    run = world.stack.destroy("--skip-preview")
    cloudflare.clear_faults()
    assert run.status != 0
    assert any("deleting DNS record" in error and "500" in error for error in errors_of(run)), run.text
    assert "Traceback" not in run.text
    assert invites_in_state(world) == TUNNELS
    assert hub.count("DELETE") == 0
    assert {SHOP, "app.example.com"} <= world.names()

    # The hub is down: the records go all the same, the invites stay in the state for the next run.
    hub.stop()
    run = world.stack.destroy("--skip-preview")
    hub.start()
    assert run.status != 0
    assert any("GET /v1/invites/" in error and "run again" in error for error in errors_of(run)), run.text
    assert "Traceback" not in run.text
    assert world.published() == {FOREIGN}
    assert invites_in_state(world) == TUNNELS
    assert {invite.name for invite in hub.invites} == TUNNELS | {foreign.name}

    run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text
    assert resources(world) == {}
    assert hub.invites == (foreign,)
    assert world.published() == {FOREIGN}


@shows("F6", "tunnels and their hostnames go together: each record before its invite")
def test_destroy_deletes_each_record_before_its_invite(world: World) -> None:
    publish(world)
    run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text
    order = [step.name.rpartition("/")[2] if "Record" in step.type else step.name for step in run.steps]
    assert max(map(order.index, ("app.example.com", "app.example.org"))) < order.index("team/app")
    assert order.index(SHOP) < order.index("team/shop")
    assert world.names() == set()
    assert world.services.hub.invites == ()
