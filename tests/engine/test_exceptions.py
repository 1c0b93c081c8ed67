"""Exceptions on the real engine: program and pack each need their own, and every use is told."""

import json
from pathlib import Path

from edge_dns.core.summary import read_preview, summary_json
from tests.engine.conftest import World
from tools.toolchain import ROOT

NAME, SIBLING, OTHER = "vpn.example.com", "db.example.com", "app.example.org"
RULE = "private-address-public-zone"
SAID = f"{NAME}: exception: it may break {RULE} until 2999-12-31: ticket 4711"


def _exception(expires: str = "2999-12-31") -> dict[str, str]:
    return {"rule": RULE, "name": NAME, "reason": "ticket 4711", "expires": expires}


def test_an_exception_counts_where_program_and_pack_both_have_it(world: World, tmp_path: Path) -> None:
    """Bug case: BC-C20."""
    world.gateways.gateway("front", addresses=["10.0.0.7"])
    world.gateways.route("web", [NAME, SIBLING], gateway="front")
    world.gateways.write()
    tunnel = world.tunnel("app", [OTHER])
    with_pack = ("--policy-pack", str(ROOT / "policy"))

    # The program's own exception does not bind the pack.
    world.configure(tunnel, exceptions=[_exception()], onRefused="warn")
    run = world.stack.up(*with_pack)
    assert run.status != 0
    assert "10.0.0.7 is not globally routable" in run.text
    assert world.names() == set()

    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps({"settings": {"exceptions": [_exception()]}}), encoding="utf-8")
    run = world.up(*with_pack, "--policy-pack-config", str(pack))
    assert SAID in run.text
    assert world.published() == {(NAME, "A", "10.0.0.7"), (OTHER, "CNAME", "edge-eu.example.net")}
    assert world.told() == {SIBLING: ("refused", RULE)}
    entry = {"rule": RULE, "reason": "ticket 4711", "expires": "2999-12-31"}
    assert world.stack.outputs()["exceptions"] == {NAME: [entry]}

    # It stays listed where nothing changes, also in the summary of a pull request.
    streaming = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
    world.stack.environment.update(streaming)
    options = ("--stack", "local", "--config-file", str(world.stack.config_file), "--json")
    preview = read_preview(world.stack.checked("preview", *options).splitlines())
    assert not preview.has_changes
    assert summary_json(preview)["exceptions"] == [{"hostname": NAME, **entry}]

    # Once it is over, the name goes; nothing else has to be changed for that.
    world.configure(tunnel, exceptions=[_exception("2020-01-01")], onRefused="warn")
    run = world.up("--skip-preview")
    assert "exception-expired: edge-dns:exceptions[0]: vpn.example.com" in run.text
    assert world.names() == {OTHER}
    assert world.told()[NAME] == ("withdrawn", RULE)
