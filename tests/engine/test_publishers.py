"""The register of publishers on the real engine: who is not in it has no record, and it only ever shrinks."""

from tests.engine.conftest import World
from tools.toolchain import ROOT

CART, BLOG, ADMIN = "cart.example.com", "blog.example.com", "admin.example.com"
WITH_PACK = ("--policy-pack", str(ROOT / "policy"))

# Loaded by every Python that starts with its folder on the path: the program's check lets the register grow.
WITHOUT_THE_CHECK = """
from edge_dns.core import exposure
import sys
if "pulumi_policy" not in sys.modules and not any("policy" in one for one in sys.argv):
    exposure.grown = lambda *_: ()
"""


def _entry(name: str, kind: str = "HTTPRoute") -> dict[str, str]:
    return {"kind": kind, "namespace": "edge", "name": name}


def _configure(world: World, *names: str, publishers: str = "listed") -> None:
    register = [*map(_entry, names), _entry("db", "Service")]
    # In a zone with three records of ours the guard's share would be reached by one.
    world.configure(exposure={"publishers": publishers, "register": register}, onRefused="warn")


def test_only_what_the_register_lists_is_published_and_the_register_only_shrinks(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    for name in ("cart", "blog", "admin"):
        world.gateways.route(name, [f"{name}.example.com"], gateway="front")
    world.gateways.service("db", hostname="db.example.com")
    world.gateways.service("cache", hostname="cache.example.com")
    world.gateways.write()

    # At first everything may be listed; who is not is refused by name, and a Service of others is told.
    _configure(world, "cart", "blog")
    run = world.up(*WITH_PACK)
    assert world.names() == {CART, BLOG}
    assert world.told() == {ADMIN: ("refused", "unlisted-publisher")}
    assert "Service prod:edge/cache is neither a service of this stack nor in exposure.register" in run.text
    assert world.stack.outputs()["publishers"] == {"registered": 3, "idle": 0, "unlisted": 2}
    world.assert_settled()

    # An entry less is a name less, in one update; the second preview is empty.
    _configure(world, "cart")
    world.up(*WITH_PACK)
    assert world.names() == {CART}
    assert world.told()[BLOG] == ("withdrawn", "unlisted-publisher")
    world.assert_settled()

    # It does not come back: not at once, and not over a while in which everybody may publish.
    _configure(world, "cart", "blog")
    run = world.up(*WITH_PACK)
    assert "HTTPRoute *:edge/blog was not in exposure.register before" in run.text
    assert (world.names(), world.told()[BLOG]) == ({CART}, ("refused", "register-grew"))
    _configure(world, "cart", "blog", publishers="all")
    world.up(*WITH_PACK)
    assert world.names() == {CART, BLOG, ADMIN}
    _configure(world, "cart", "blog")
    world.settings["onRefused"] = "fail"
    world.stack.configure(world.settings)
    assert world.stack.up(*WITH_PACK).status != 0
    assert (world.names(), world.told()[BLOG]) == ({CART}, ("withdrawn", "register-grew"))
