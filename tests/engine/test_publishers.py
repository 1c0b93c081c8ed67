"""The register of publishers on the real engine: who is not in it has no record, and it only ever shrinks."""

from pathlib import Path

from tests.engine.conftest import World
from tools.toolchain import ROOT

CART, BLOG, ADMIN = "cart.example.com", "blog.example.com", "admin.example.com"
WITH_PACK = ("--policy-pack", str(ROOT / "policy"))

# Loaded by every Python that starts with its folder on the path: the program's own check lets the register grow.
WITHOUT_THE_CHECK = """
from edge_dns.core import publishers
publishers.grown = lambda *_: ()
publishers.entries_in_force = lambda register, _: tuple(sorted(register))
"""


def _entry(name: str, kind: str = "HTTPRoute") -> dict[str, str]:
    return {"kind": kind, "namespace": "edge", "name": name}


def _configure(world: World, *names: str) -> None:
    register = [*map(_entry, names), _entry("db", "Service")]
    world.configure(exposure={"publishers": "listed", "register": register}, onRefused="warn")


def test_only_what_the_register_lists_is_published_and_the_register_only_shrinks(world: World, tmp_path: Path) -> None:
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

    # The pack alone stops a program that would let it grow.
    _configure(world, "cart", "blog")
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_THE_CHECK, encoding="utf-8")
    world.stack.environment["PYTHONPATH"] = f"{tmp_path}:{ROOT}"
    run = world.stack.up(*WITH_PACK)
    assert (run.status != 0, world.names()) == (True, {CART})
    assert "The register may only shrink; new in it: HTTPRoute *:edge/blog." in " ".join(run.text.split())
    del world.stack.environment["PYTHONPATH"]

    # An entry that comes back does not count; all else is done before the update ends unsuccessful.
    world.settings["onRefused"] = "fail"
    world.stack.configure(world.settings)
    run = world.stack.up(*WITH_PACK)
    assert run.status != 0
    assert "HTTPRoute prod:edge/blog was not in exposure.register before" in run.text
    assert (world.names(), world.told()[BLOG]) == ({CART}, ("refused", "register-grew"))

    # On purpose it starts anew once the state has forgotten it.
    shown = world.stack.checked("stack", "--show-urns", "--stack", "local").splitlines()
    [urn] = [line.split()[-1] for line in shown if "urn:pulumi" in line and "PublisherRegister" in line]
    world.stack.checked("state", "delete", urn, "--yes", "--stack", "local")
    _configure(world, "cart", "blog")
    world.up("--skip-preview")
    assert (world.names(), world.told()) == ({CART, BLOG}, {ADMIN: ("refused", "unlisted-publisher")})
