"""What a cluster shows of its Gateways and routes, when it is late, unsure, half gone or somebody else's by now."""

from collections.abc import Iterable
from typing import Any

from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.fault_table import shows

CART = {"cart.example.com", "cart.example.org"}
SIDE = {"side.example.org"}
APP = {"app.example.com"}


def _route(world: World, name: str) -> Any:
    return world.gateways.objects["HTTPRoute", name]


def _condition(world: World, name: str) -> dict[str, object]:
    found: dict[str, object] = _route(world, name)["status"]["parents"][0]["conditions"][0]
    return found


def _update(world: World, names: Iterable[str]) -> None:
    """Update to these names beside those that always stay."""
    world.gateways.write()
    world.up("--skip-preview")
    assert world.names() == {*names, *SIDE, *APP}


def _addresses(world: World) -> dict[str, str]:
    return {name: value for name, _, value in world.published() if name in CART}


def _record_ids(world: World) -> set[object]:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return {one["id"] for one in records if one["name"] in CART}


@shows("F3", "a Gateway is being deleted, a finalizer keeps it", sees="cart.example.org: withdrawn: ")
@shows("F8", "ten edits between two runs, a name comes and goes meanwhile")
@shows("F9", "a hostname is removed while the status of its route is unsure", sees="old.example.org: withdrawn: ")
@shows("F10", "a route's status is Unknown or of an older generation", runs="0")
@shows("F10", "a route is rejected at its current generation", sees="pay.example.com: withdrawn: route-rejected: ")
@shows("F18", "a Gateway is made anew under its old name", sees="cart.example.com: withdrawn: identity-changed: ")
@shows("F19", "a Gateway goes, another one takes its names in the same run")
@shows(
    "F23", "the zones lose every record, `pulumi up --refresh` puts all back", sees="is gone at the provider", runs="1"
)
def test_names_follow_what_is_certain_and_outlive_what_is_not(world: World) -> None:
    gateways = world.gateways
    gateways.gateway("front", addresses=["203.0.113.7"])
    gateways.gateway("side", addresses=["203.0.113.99"])
    gateways.route("side", sorted(SIDE), gateway="side")
    gateways.route("cart", [*sorted(CART), "old.example.org"], gateway="front")
    gateways.route("pay", ["pay.example.com"], gateway="front")
    gateways.write()
    world.configure(world.tunnel("app", sorted(APP)))
    _update(world, [*CART, "old.example.org", "pay.example.com"])

    # Nothing is certain any more: nothing changes.
    _condition(world, "cart")["status"] = "Unknown"
    _route(world, "pay")["metadata"]["generation"] = 2
    gateways.write()
    world.assert_settled()

    # A hostname that nobody declares goes all the same; so does what is rejected now.
    _route(world, "cart")["spec"]["hostnames"].remove("old.example.org")
    _condition(world, "pay").update(status="False", observedGeneration=2)
    _update(world, CART)
    world.assert_settled()

    # The Gateway is another one: what it has not admitted is not published, what it has is, at its own address.
    gateways.gateway("front", addresses=["203.0.113.8"], uid="another")
    gateways.route("pay", ["pay.example.com"], gateway="front")
    _update(world, {"pay.example.com"})
    assert ("pay.example.com", "A", "203.0.113.8") in world.published()
    gateways.route("cart", sorted(CART), gateway="front")
    gateways.remove("HTTPRoute", "pay")
    _update(world, CART)
    assert _addresses(world) == dict.fromkeys(CART, "203.0.113.8")

    # Another Gateway takes over the names: they are never away.
    ids = _record_ids(world)
    gateways.remove("Gateway", "front")
    gateways.gateway("back", addresses=["203.0.113.9"])
    gateways.route("cart", sorted(CART), gateway="back")
    _update(world, CART)
    assert _addresses(world) == dict.fromkeys(CART, "203.0.113.9")
    assert _record_ids(world) == ids
    world.assert_settled()

    # Nothing watches: only what is there at the run counts.
    for number in range(10):
        gateways.route("cart", [f"{number}.example.org", *sorted(CART)], gateway="back")
        gateways.write()
    gateways.route("cart", [*sorted(CART), "last.example.org"], gateway="back")
    _update(world, [*CART, "last.example.org"])
    world.assert_settled()

    # All records are lost at the providers.
    _wipe(world)
    preview = world.stack.preview()
    assert "cart.example.org: drift: A 203.0.113.9 is gone at the provider" in " ".join(preview.text.split())
    world.up("--skip-preview", "--refresh")
    assert world.names() == {*CART, "last.example.org", *SIDE, *APP}
    world.assert_settled()

    # The Gateway is about to go.
    back: Any = gateways.objects["Gateway", "back"]
    back["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.net/edge"]}
    _update(world, ())
    world.assert_settled()


def _wipe(world: World) -> None:
    services = world.services
    cloudflare, route53 = services.zone_ids[CLOUDFLARE_ZONE], services.zone_ids[ROUTE53_ZONE]
    for one in world.foreign.without(services.cloudflare.records(cloudflare), [])[0]:
        services.cloudflare.delete_record(cloudflare, one["id"])
    for rrset in world.foreign.without([], services.route53.records(route53))[1]:
        services.route53.delete_record(route53, name=rrset.name, record_type=rrset.type)
    assert world.held() == set()
