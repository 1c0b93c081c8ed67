"""The pack as the second lock: what stops a plan whose own check is gone."""

from pathlib import Path

from local.stack import LocalStack
from tests.engine.conftest import World
from tools.toolchain import ROOT

# Loaded by every Python that starts with its folder on the path: the program's check lets everything pass.
WITHOUT_THE_CHECK = """
from edge_dns.core import decide
decide.check_public = lambda *_: ()
"""

OVERWRITING = """
from functools import partial
from components.records import route53
route53.Record = partial(route53.Record, allow_overwrite=True)
"""


def test_the_pack_alone_keeps_internal_addresses_and_names_out_of_public_zones(world: World, tmp_path: Path) -> None:
    world.gateways.gateway("front", addresses=["10.0.0.7"])
    world.gateways.route("db", ["db.example.com"], gateway="front")
    world.gateways.write()
    inner = {"mode": "Zone", "cnameTarget": "web.team.svc.cluster.local"}
    world.configure(world.tunnel("web", ["app.example.com"], dns=inner), world.tunnel("ok", ["ok.example.com"]))
    world.stack.environment["PYTHONPATH"] = f"{tmp_path}:{ROOT}"
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_THE_CHECK, encoding="utf-8")
    run = world.stack.up("--policy-pack", str(ROOT / "policy"))
    assert run.status != 0
    assert "10.0.0.7 is not globally routable" in run.text
    assert "web.team.svc.cluster.local is internal" in run.text
    assert world.names() == set()
    del world.stack.environment["PYTHONPATH"]
    world.stack.up("--policy-pack", str(ROOT / "policy"))
    assert world.names() == {"ok.example.com"}


def test_the_pack_alone_keeps_records_of_others_from_being_overwritten(world: World, tmp_path: Path) -> None:
    world.configure(world.tunnel("web", ["app.example.org"]))
    world.stack.environment["PYTHONPATH"] = f"{tmp_path}:{ROOT}"
    (tmp_path / "sitecustomize.py").write_text(OVERWRITING, encoding="utf-8")
    # The stack of a world looks for the same in what is declared, and would fail first.
    run = LocalStack.up(world.stack, "--policy-pack", str(ROOT / "policy"))
    assert run.status != 0
    assert "allow-overwrite" in run.text
    assert world.names() == set()
