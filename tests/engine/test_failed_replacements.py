"""A deletion before a replacement that fails: the engine never answers for it, and the run ends all the same."""

from local.hub_emulator import INTERNAL_500, Fault
from local.loopback import Fault as ProviderFault
from tests.engine.conftest import World
from tests.engine.evidence import errors_of
from tests.fault_table import shows

PATIENCE = {"EDGE_DNS_PATIENCE_SECONDS": "20"}
OLD, NEW = "edge-eu.example.net", "edge-ca.example.net"


@shows("up update", "Cloudflare, the hub: the deletion before a replacement fails", sees="the engine does not answer")
def test_a_run_whose_deletion_before_a_replacement_fails_does_all_the_rest_and_ends(world: World) -> None:
    world.stack.environment |= PATIENCE
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.gateway("lb", addresses=["lb.example.net"])
    world.gateways.route("move", ["move.example.com"], gateway="front")
    world.gateways.route("stay", ["stay.example.com", "gone.example.com", "gone.example.org"], gateway="front")
    world.gateways.write()
    world.configure(world.tunnel("app", ["app.example.com"]))
    world.up("--skip-preview")

    world.gateways.route("move", ["move.example.com"], gateway="lb")
    world.gateways.route("stay", ["stay.example.com", "new.example.org"], gateway="front")
    world.gateways.write()
    world.configure(world.tunnel("app", ["app.example.com", "more.example.com"], region="CA"))
    move = next(str(one["id"]) for one in _at_cloudflare(world) if one["name"] == "move.example.com")
    world.services.cloudflare.inject(ProviderFault(method="DELETE", path=move, status=500, times=1000))
    world.services.hub.inject(Fault(method="DELETE", outcome=INTERNAL_500, times=None))
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert "Traceback" not in run.text
    unanswered = {error.partition(": ")[0] for error in errors_of(run) if "the engine does not answer" in error}
    assert {name.rpartition("/")[2] for name in unanswered} == {"move.example.com", "app"}
    assert world.published() == {
        ("app.example.com", "CNAME", OLD),
        ("move.example.com", "A", "203.0.113.7"),
        ("stay.example.com", "A", "203.0.113.7"),
        ("new.example.org", "A", "203.0.113.7"),
    }

    world.services.cloudflare.clear_faults()
    world.services.hub.clear_faults()
    world.up("--skip-preview")
    assert world.published() == {
        ("app.example.com", "CNAME", NEW),
        ("more.example.com", "CNAME", NEW),
        ("move.example.com", "CNAME", "lb.example.net"),
        ("stay.example.com", "A", "203.0.113.7"),
        ("new.example.org", "A", "203.0.113.7"),
    }
    world.assert_settled()


def _at_cloudflare(world: World) -> list[dict[str, object]]:
    zone = world.services.zone_ids["example.com"]
    return [dict(one) for one in world.services.cloudflare.records(zone)]
