"""A tunnel that is renamed with an alias keeps its invite, its token and its records; other renames leave no gap."""

from local.stack import Run
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.evidence import INVITE, invite_id, invites_in_state, resources
from tests.fault_table import shows

UPDATE = ("--skip-preview",)
APP = ["app.example.com", "app.example.org"]


def ops(run: Run) -> set[str]:
    return {step.op for step in run.steps}


def record_ops(run: Run) -> set[str]:
    return {step.op for step in run.steps if step.type.endswith(("DnsRecord", "route53/record:Record"))}


def record_ids(world: World) -> dict[str, object]:
    """The id that Cloudflare gave to each record: another id is another record."""
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return {f"{one['name']} {one['content']}": one["id"] for one in records}


def token(world: World, name: str) -> object:
    outputs = next(values for urn, (_, values) in resources(world).items() if urn.endswith(f"{INVITE}::{name}"))
    assert isinstance(outputs, dict)
    return outputs["token"]


def comments(world: World) -> set[object]:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return {one["comment"] for one in records}


@shows("F16", "a tunnel is renamed, its old name is an alias")
def test_a_tunnel_that_changes_name_and_namespace_keeps_invite_token_and_records(world: World) -> None:
    world.configure(world.tunnel("app", APP), world.tunnel("quiet", ["quiet.example.com"], dns={"mode": "Disabled"}))
    world.up(*UPDATE)
    before, ids, hub = world.published(), record_ids(world), world.services.hub.invites
    invite, secret, marked = invite_id(world, "team/app"), token(world, "team/app"), comments(world)

    renamed = {
        "app": world.tunnel("shop", APP, namespace="web", aliases=["team/never", "team/app"]),
        "quiet": world.tunnel("still", ["quiet.example.com"], dns={"mode": "Disabled"}, aliases=["team/quiet"]),
    }
    world.configure(*renamed.values())
    preview = world.stack.preview()
    assert preview.status == 0, preview.text
    assert ops(preview) == {"update"}, preview.text
    run = world.up(*UPDATE)
    assert ops(run) == {"update"}, run.text
    assert world.published() == before
    assert record_ids(world) == ids
    assert world.services.hub.invites == hub
    assert invites_in_state(world) == {"web/shop", "team/still"}
    assert (invite_id(world, "web/shop"), token(world, "web/shop")) == (invite, secret)
    assert comments(world) != marked
    world.assert_settled()

    # Left in or taken out, the alias changes nothing any more; a second rename names both.
    world.configure(world.tunnel("shop", APP, namespace="web"), renamed["quiet"])
    world.assert_settled()
    world.configure(world.tunnel("store", APP, aliases=["team/app", "web/shop"]), renamed["quiet"])
    run = world.up(*UPDATE)
    assert ops(run) == {"update"}, run.text
    assert invite_id(world, "team/store") == invite
    assert record_ids(world) == ids
    world.assert_settled()


def test_a_renamed_cluster_and_a_renamed_gateway_leave_every_record_in_place(world: World) -> None:
    hostnames = ["cart.example.com", "cart.example.org"]
    world.gateways.gateway("front", addresses=["203.0.113.7", "203.0.113.8"])
    world.gateways.route("cart", hostnames, gateway="front")
    world.gateways.write()
    files = [str(world.gateways.path)]
    world.configure(clusters=[{"name": "prod", "files": files}])
    world.up(*UPDATE)
    before, ids = world.published(), record_ids(world)

    world.configure(clusters=[{"name": "main", "files": files}])
    run = world.up(*UPDATE)
    assert record_ops(run) == {"update"}, run.text
    assert (world.published(), record_ids(world)) == (before, ids)

    world.gateways.remove("Gateway", "front")
    world.gateways.gateway("door", addresses=["203.0.113.7", "203.0.113.8"])
    world.gateways.route("cart", hostnames, gateway="door")
    world.gateways.write()
    run = world.up(*UPDATE)
    assert record_ops(run) <= {"update"}, run.text
    assert (world.published(), record_ids(world)) == (before, ids)
    world.assert_settled()
