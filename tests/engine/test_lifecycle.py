"""A record lives exactly as long as its hostname: every way that a hostname can go, one `up` each."""

from tests.engine.conftest import World

EDGE = "edge-eu.example.net"


def test_each_way_a_hostname_goes_takes_exactly_its_records(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.7", "2001:db8::7"])
    world.gateways.gateway("back", addresses=["203.0.113.9"])
    world.gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    world.gateways.route("pay", ["pay.example.com"], gateway="front")
    world.gateways.route("docs", ["docs.example.com", "docs.example.org"], gateway="back")
    world.gateways.write()
    app = world.tunnel("app", ["app.example.com", "www.example.com", "app.example.org"])
    shop = world.tunnel("shop", ["shop.example.com"])
    world.configure(app, shop)
    world.up()
    everything = {
        ("app.example.com", "CNAME", EDGE),
        ("www.example.com", "CNAME", EDGE),
        ("app.example.org", "CNAME", EDGE),
        ("shop.example.com", "CNAME", EDGE),
        ("cart.example.com", "A", "203.0.113.7"),
        ("cart.example.com", "AAAA", "2001:db8::7"),
        ("cart.example.org", "A", "203.0.113.7"),
        ("cart.example.org", "AAAA", "2001:db8::7"),
        ("pay.example.com", "A", "203.0.113.7"),
        ("pay.example.com", "AAAA", "2001:db8::7"),
        ("docs.example.com", "A", "203.0.113.9"),
        ("docs.example.org", "A", "203.0.113.9"),
    }
    assert world.published() == everything
    world.assert_settled()
