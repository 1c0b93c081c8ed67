"""A record lives exactly as long as its hostname: every way that a hostname can go, one `up` each."""

from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, Held, World
from tests.fault_table import shows

EDGE = "edge-eu.example.net"


def _add_foreign_records(world: World) -> set[Held]:
    """Let somebody else publish names of their own in both zones; returns them."""
    services = world.services
    cloudflare, route53 = services.zone_ids[CLOUDFLARE_ZONE], services.zone_ids[ROUTE53_ZONE]
    texts = {"A": "198.51.100.1", "CNAME": "elsewhere.example.net", "TXT": '"not ours"'}
    for kind, text in texts.items():
        services.cloudflare.add_record(cloudflare, name=f"{kind.lower()}-foreign.example.com", type=kind, content=text)
        services.route53.add_record(
            route53, name=f"{kind.lower()}-foreign.example.org", record_type=kind, values=[text]
        )
    return world.held()


def _withdrawn(world: World) -> set[tuple[str, str]]:
    """Update; returns (name, type) of the records that went. Everything else is untouched, and a preview is empty."""
    before = world.held()
    world.up("--skip-preview")
    after = world.held()
    assert after <= before
    world.assert_settled()
    return {(one.name, one.type) for one in before - after}


@shows("F1", "a hostname is removed from a tunnel or a route, or goes with it", sees="cart.example.org: withdrawn: ")
@shows("F2", "a Gateway is deleted, its route stays", sees="docs.example.com: withdrawn: ")
@shows("F11", "a tunnel's `dns.mode` becomes Disabled", sees="app.example.com: withdrawn: dns-disabled: ")
def test_each_way_a_hostname_goes_takes_exactly_its_records_and_nothing_else(world: World) -> None:
    """Bug cases: BC-F14."""
    foreign = _add_foreign_records(world)
    gateways = world.gateways
    gateways.gateway("front", addresses=["203.0.113.7", "2001:db8::7"])
    gateways.gateway("back", addresses=["203.0.113.9"])
    gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    gateways.route("pay", ["pay.example.com", "pay.example.org"], gateway="front")
    gateways.route("docs", ["docs.example.com", "docs.example.org"], gateway="back")
    gateways.write()
    app = ["app.example.com", "www.example.com", "app.example.org", "www.example.org"]
    shop = world.tunnel("shop", ["shop.example.com", "shop.example.org"])
    world.configure(world.tunnel("app", app), shop)
    world.up()
    assert world.published() - {(one.name, one.type, *one.values) for one in foreign} == {
        *((f"{name}.example.{tld}", "CNAME", EDGE) for name in ("app", "www", "shop") for tld in ("com", "org")),
        *((f"{name}.example.{tld}", "A", "203.0.113.7") for name in ("cart", "pay") for tld in ("com", "org")),
        *((f"{name}.example.{tld}", "AAAA", "2001:db8::7") for name in ("cart", "pay") for tld in ("com", "org")),
        ("docs.example.com", "A", "203.0.113.9"),
        ("docs.example.org", "A", "203.0.113.9"),
    }
    world.assert_settled()

    # Two hostnames of a tunnel.
    app = ["app.example.com", "www.example.org"]
    world.configure(world.tunnel("app", app), shop)
    assert _withdrawn(world) == {
        ("www.example.com", "CNAME"),
        ("app.example.org", "CNAME"),
        ("_edge-dns.app.example.org", "TXT"),
    }

    # A hostname of a route.
    gateways.route("cart", ["cart.example.com"], gateway="front")
    gateways.write()
    assert _withdrawn(world) == {
        ("cart.example.org", "A"),
        ("cart.example.org", "AAAA"),
        ("_edge-dns.cart.example.org", "TXT"),
    }

    # A route.
    gateways.remove("HTTPRoute", "pay")
    gateways.write()
    assert _withdrawn(world) == {
        ("pay.example.com", "A"),
        ("pay.example.com", "AAAA"),
        ("pay.example.org", "A"),
        ("pay.example.org", "AAAA"),
        ("_edge-dns.pay.example.org", "TXT"),
    }

    # A Gateway, while its route is still there.
    gateways.remove("Gateway", "back")
    gateways.write()
    assert _withdrawn(world) == {
        ("docs.example.com", "A"),
        ("docs.example.org", "A"),
        ("_edge-dns.docs.example.org", "TXT"),
    }

    # A tunnel, and with it its invite.
    world.configure(world.tunnel("app", app))
    assert _withdrawn(world) == {
        ("shop.example.com", "CNAME"),
        ("shop.example.org", "CNAME"),
        ("_edge-dns.shop.example.org", "TXT"),
    }
    assert {name for invite in world.services.hub.invites if not invite.revoked for name in invite.hostnames} == set(
        app
    )

    # A tunnel's DNS switched off: the invite keeps its hostnames.
    invites = world.services.hub.invites
    world.configure(world.tunnel("app", app, dns={"mode": "Disabled"}))
    assert _withdrawn(world) == {
        ("app.example.com", "CNAME"),
        ("www.example.org", "CNAME"),
        ("_edge-dns.www.example.org", "TXT"),
    }
    assert world.services.hub.invites == invites

    # And on again.
    before = world.held()
    world.configure(world.tunnel("app", app))
    world.up("--skip-preview")
    assert before <= world.held()
    assert {(one.name, one.type, *one.values) for one in world.held() - before} >= {
        ("app.example.com", "CNAME", EDGE),
        ("www.example.org", "CNAME", EDGE),
    }
    world.assert_settled()
    assert foreign <= world.held()


@shows("F24", "the last route or tunnel is gone", sees="empty-desired: ", runs="1, acknowledged as the message says")
def test_the_last_route_and_the_last_tunnel_go_only_when_that_is_acknowledged(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("cart", ["cart.example.org"], gateway="front")
    world.gateways.write()
    app = world.tunnel("app", ["app.example.com", "www.example.com"])
    world.configure(app)
    world.up("--skip-preview")

    world.gateways.remove("HTTPRoute", "cart")
    world.gateways.write()
    _assert_stopped(world, "empty-desired", "cart.example.org")
    world.configure(app, safety={"acknowledge": {"count": 1}})
    assert _withdrawn(world) == {("cart.example.org", "A"), ("_edge-dns.cart.example.org", "TXT")}

    world.configure(safety={"acknowledge": {"names": ["cart.example.org", "app.example.com"]}})
    _assert_stopped(world, "empty-desired", "app.example.com", "www.example.com")
    world.configure(safety={"acknowledge": {"names": ["www.example.com", "app.example.com"]}})
    assert _withdrawn(world) == {("app.example.com", "CNAME"), ("www.example.com", "CNAME")}
    assert world.held() == set()


def _assert_stopped(world: World, rule: str, *hostnames: str) -> None:
    """An update stops under the rule, names the hostnames, and changes nothing anywhere."""
    before, invites = world.held(), world.services.hub.invites
    run = world.stack.up()
    assert run.status != 0
    assert rule in run.text
    assert all(hostname in run.text for hostname in hostnames), run.text
    assert (world.held(), world.services.hub.invites) == (before, invites)


@shows(
    "F17",
    "somebody else's record stands at a wanted name",
    sees="app.example.com: refused: owner-foreign: ",
    runs="1, once that record is gone",
)
def test_a_foreign_record_at_a_wanted_name_fails_that_name_only_and_is_never_touched(world: World) -> None:
    services = world.services
    cloudflare, route53 = services.zone_ids[CLOUDFLARE_ZONE], services.zone_ids[ROUTE53_ZONE]
    blocking = services.cloudflare.add_record(cloudflare, name="app.example.com", type="A", content="198.51.100.1")
    services.cloudflare.add_record(cloudflare, name="cart.example.com", type="A", content="203.0.113.7")
    for name, kind, text in (("app", "CNAME", "elsewhere.example.net"), ("cart", "A", "198.51.100.1")):
        services.route53.add_record(route53, name=f"{name}.example.org", record_type=kind, values=[text])
    services.route53.add_record(route53, name="www.example.org", record_type="AAAA", values=["2001:db8::1"])
    foreign = _add_foreign_records(world)
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    world.gateways.route("pay", ["pay.example.com", "pay.example.org"], gateway="front")
    world.gateways.write()
    hostnames = [f"{name}.example.{tld}" for name in ("app", "www") for tld in ("com", "org")]
    siblings = {"pay.example.com", "pay.example.org", "www.example.com"}

    world.configure(world.tunnel("app", hostnames))
    for _ in range(2):
        run = world.stack.up("--skip-preview")
        assert run.status != 0
        for name in ("app.example.com", "app.example.org", "cart.example.com", "cart.example.org", "www.example.org"):
            assert f"{name}: refused: owner-foreign" in run.text, run.text
        assert foreign <= world.held()
        assert {one.name for one in world.held() - foreign} == {*siblings, "_edge-dns.pay.example.org"}

    # Names that are given up leave what stood there.
    world.gateways.route("cart", ["cart.example.com"], gateway="front")
    world.gateways.write()
    world.configure(world.tunnel("app", hostnames[:1]))
    world.stack.up("--skip-preview")
    assert foreign <= world.held()
    assert {one.name for one in world.held() - foreign} == {
        "pay.example.com",
        "pay.example.org",
        "_edge-dns.pay.example.org",
    }

    # Once somebody else has cleared the way, the names are published.
    services.cloudflare.delete_record(cloudflare, blocking["id"])
    world.gateways.remove("HTTPRoute", "cart")
    world.gateways.write()
    world.up("--skip-preview")
    assert ("app.example.com", "CNAME", EDGE) in world.published()
    world.assert_settled()
