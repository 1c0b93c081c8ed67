"""Orphans on the real engine: found, named, and reaped under review; a lost state is found again."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.live import route53_import_id
from edge_dns.core.markers import marker_text, txt_value
from edge_dns.core.values import Source
from local.bind import BindServer
from local.stack import ROOT, STACK
from local.zone_answers import RRsetAnswer
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.engine.evidence import publish, resources
from tests.engine.test_cloudflare_tunnels import tunnel as cloudflare_tunnel
from tests.fault_table import shows

EDGE, GONE = "edge-eu.example.net", "gone.example.net"
SOURCE = Source(cluster=None, kind="TowonelTunnel", namespace="team", name="old")
OURS = marker_text("edge-dns", STACK, SOURCE)
RECORDS = ("cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record")
COMMAND = Path(sys.executable).with_name("edge-dns")


@pytest.fixture(scope="module")
def bind() -> Iterator[BindServer]:
    """The name servers of what records point at: of the edges one exists."""
    with BindServer(["example.net", "ill.test"]) as server:
        server.push("example.net", [RRsetAnswer(name=EDGE, type="A", ttl=60, values=("192.0.2.1",))])
        yield server


def edge_dns(world: World, *arguments: str, status: int, stack: str = STACK, **environment: str) -> str:
    """Run the command for the stack of the world; returns stdout and stderr. It writes nothing anywhere."""
    checkpoint = world.stack.folder / "backend" / ".pulumi" / "stacks" / "edge-dns" / f"{STACK}.json"
    before = world.services.write_count, world.held(), checkpoint.read_bytes()
    done = subprocess.run(
        [str(COMMAND), *arguments, "--stack", stack, "--config-file", str(world.stack.config_file)],
        cwd=ROOT,
        env=world.stack.environment | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    text = done.stdout + done.stderr
    assert done.returncode == status, text
    assert "Traceback" not in text
    assert world.services.cloudflare.token not in text
    assert (world.services.write_count, world.held(), checkpoint.read_bytes()) == before
    return text


def orphans(world: World, bind: BindServer, *arguments: str, status: int = 1) -> dict[str, Any]:
    """Run the audit; returns its JSON."""
    text = edge_dns(world, "audit", "orphans", "--json", "--resolver", bind.address, *arguments, status=status)
    found: dict[str, Any] = json.loads(text)
    return found


def by_name(found: Mapping[str, Any], kind: str = "unremembered") -> dict[str, Any]:
    """The entries of a report by the name of their record."""
    return {one.get("name", one.get("hostname")): one for one in found[kind]}


def import_into_state(world: World, file: Path) -> None:
    """Import as the command tells the person to."""
    options = ("--stack", STACK, "--config-file", str(world.stack.config_file), "--yes")
    world.stack.checked("import", *options, "--file", str(file), "--generate-code=false", "--protect=false")


def import_with_the_hub(world: World, file: Path) -> None:
    """Import what is on the hub too: the settings have its key for the default provider meanwhile, as is told."""
    settings = yaml.safe_load(world.stack.config_file.read_text())
    hub = settings["config"]["edge-dns:hub"]
    with_hub = {**settings["config"], "towonel:url": hub["url"], "towonel:apiKey": hub["apiKey"]}
    world.stack.configure_text(yaml.safe_dump({**settings, "config": with_hub}))
    import_into_state(world, file)
    world.stack.configure_text(yaml.safe_dump(settings))


def steps_on_records(run: Any) -> set[tuple[str, str]]:
    """What a run does to records, as (operation, slot)."""
    return {(step.op, step.name) for step in run.steps if step.type in RECORDS}


def at_cloudflare(world: World, name: str, content: str, kind: str = "CNAME", comment: str = OURS) -> str:
    """Add a record; returns its import id."""
    zone_id = world.services.zone_ids[CLOUDFLARE_ZONE]
    record = world.services.cloudflare.add_record(zone_id, name=name, type=kind, content=content, comment=comment)
    return f"{zone_id}/{record['id']}"


def at_route53(world: World, name: str, content: str, kind: str = "CNAME") -> str:
    """Add an RRset; returns its import id."""
    zone_id = world.services.zone_ids[ROUTE53_ZONE]
    world.services.route53.add_record(zone_id, name=name, record_type=kind, values=[content])
    return route53_import_id(zone_id, name, kind)


def slot(world: World, name: str) -> str:
    zone = CLOUDFLARE_ZONE if name.endswith(CLOUDFLARE_ZONE) else ROUTE53_ZONE
    return f"{world.services.zone_ids[zone]}/{name}"


@shows(
    "F5",
    "orphans from before, which the state does not hold",
    runs="1, after the import that `edge-dns audit orphans` writes",
)
def test_orphans_are_found_named_and_reaped_under_review(world: World, bind: BindServer, tmp_path: Path) -> None:
    """Bug cases: BC-F16."""
    # One zone with a provider of its own, which the import has to name, one with the default provider.
    zones = world.zones()
    zones[0]["credentials"] = {"apiToken": world.services.cloudflare.token}
    world.configure(world.tunnel("app", ["app.example.com", "app.example.org"]), zones=zones)
    world.up("--skip-preview")
    assert orphans(world, bind, status=0) == {
        "version": 1,
        "stack": STACK,
        "unremembered": [],
        "objects": [],
        "dangling": [],
        "invites": [],
        "withoutMarkers": [],
    }

    # What an earlier tool left: without a marker it is never listed.
    foreign_id = at_cloudflare(world, "tool.example.com", GONE, comment="")
    at_route53(world, "tool.example.org", GONE)
    kept = world.held()
    # What a lost state of ours left.
    dead = at_cloudflare(world, "dead.example.com", GONE)
    at_cloudflare(world, "ill.example.com", "x.ill.test.invalid-zone")
    cloudflare = world.services.cloudflare
    live, deleted = cloudflare.add_tunnel("live"), cloudflare.add_tunnel("deleted")
    cloudflare.delete_tunnel(deleted)
    for name, tunnel_id in (("tunnel", "t-1"), ("live", live), ("deleted", deleted)):
        at_cloudflare(world, f"{name}.example.com", f"{tunnel_id}.cfargotunnel.com")
    at_cloudflare(world, "alive.example.com", EDGE)
    at_cloudflare(world, "many.example.com", "198.51.100.7", "A")
    at_cloudflare(world, "many.example.com", "198.51.100.8", "A")
    at_route53(world, "dead.example.org", GONE)
    marker = at_route53(world, "_edge-dns.dead.example.org", txt_value(OURS), "TXT")
    before = world.held()

    file = tmp_path / "import.json"
    found = orphans(world, bind, "--import-file", str(file))
    listed = by_name(found)
    assert {name for name, one in listed.items() if one["proposed"]} == {
        "dead.example.com",
        "deleted.example.com",
        "dead.example.org",
        "_edge-dns.dead.example.org",
    }
    assert listed["dead.example.com"]["importId"] == dead
    assert listed["_edge-dns.dead.example.org"]["importId"] == marker
    assert {name: one["target"] and one["target"]["liveness"] for name, one in listed.items()} == {
        "dead.example.com": "nxdomain",
        "dead.example.org": "nxdomain",
        "_edge-dns.dead.example.org": None,
        "alive.example.com": "exists",
        "ill.example.com": "unknown",
        "tunnel.example.com": "unknown",
        "live.example.com": "exists",
        "deleted.example.com": "deleted",
        "many.example.com": None,
    }
    assert listed["dead.example.com"]["target"]["told"] == [
        f"{server}:{bind.port}: NXDOMAIN" for server in ("ns1.name-servers.test", "ns2.name-servers.test")
    ]
    assert (listed["dead.example.com"]["standing"], listed["dead.example.com"]["marker"]) == (
        "unwanted",
        "TowonelTunnel/team/old",
    )

    import_into_state(world, file)
    reaped = {("delete", slot(world, name)) for name, one in listed.items() if one["proposed"]}
    preview = world.stack.preview()
    assert steps_on_records(preview) == reaped
    # What was not imported is told in every run.
    assert any("records of alive.example.com, " in one for one in preview.messages), preview.text
    assert world.held() == before
    assert steps_on_records(world.up("--skip-preview")) == reaped
    assert {one.name for one in before - world.held()} == {
        "dead.example.com",
        "deleted.example.com",
        "dead.example.org",
        "_edge-dns.dead.example.org",
    }
    world.assert_settled()

    # The others go only with --all.
    assert not any(one["proposed"] for one in orphans(world, bind)["unremembered"])
    everything = orphans(world, bind, "--all", "--import-file", str(file))
    assert all(one["proposed"] for one in everything["unremembered"])
    import_into_state(world, file)
    up = world.up("--skip-preview")
    assert steps_on_records(up) == {("delete", one["slot"]) for one in everything["unremembered"]}
    assert world.held() == kept
    world.assert_settled()
    orphans(world, bind, status=0)

    # How the records of the earlier tool are told: as what adoption takes.
    planted = world.foreign.names
    dumped = yaml.safe_load(edge_dns(world, "dump", CLOUDFLARE_ZONE, status=0))
    assert foreign_id in {one["importId"] for one in dumped["records"]}
    assert {one["name"] for one in dumped["records"]} - planted == {"app.example.com", "tool.example.com"}
    for zone, name in ((CLOUDFLARE_ZONE, "tool.example.com"), (ROUTE53_ZONE, "tool.example.org")):
        adopt = yaml.safe_load(edge_dns(world, "dump", zone, "--adopt", status=0))
        assert set(adopt["config"]["edge-dns:adopt"]) - planted == {name}


def test_a_hostname_whose_tunnel_was_torn_down_is_told_and_one_that_moved_to_the_apex_leaves_nothing(
    world: World, bind: BindServer, tmp_path: Path
) -> None:
    dead_edge = {"mode": "Zone", "cnameTarget": GONE}
    world.configure(world.tunnel("torn", ["torn.example.com"], dns=dead_edge), world.tunnel("web", ["www.example.com"]))
    world.up("--skip-preview")
    # The state says what was published, the target that it is gone.
    found = orphans(world, bind)
    assert found["unremembered"] == []
    assert {name: one["target"]["name"] for name, one in by_name(found, "dangling").items()} == {
        "torn.example.com": GONE
    }
    text = edge_dns(world, "audit", "orphans", "--resolver", bind.address, status=1)
    assert f"dangling torn.example.com CNAME {GONE}" in text
    assert all(len(line) <= 80 for line in text.splitlines())

    # An earlier life left two names, of which one is wanted now: it waits and is not proposed.
    left = at_cloudflare(world, "old.example.com", GONE)
    world.configure(world.tunnel("web", ["example.com", "app.example.com"]))
    wanted = at_cloudflare(world, "app.example.com", EDGE)
    file = tmp_path / "import.json"
    found = orphans(world, bind, "--import-file", str(file))
    assert {one["importId"]: (one["standing"], one["proposed"]) for one in found["unremembered"]} == {
        left: ("unwanted", True),
        wanted: ("waiting", False),
    }
    import_into_state(world, file)
    # The state never declared the wanted one, so its marker alone does not make it ours.
    run = world.stack.up("--skip-preview")
    assert "app.example.com: refused: owner-foreign" in " ".join(run.messages)
    assert ("delete", slot(world, "old.example.com")) in steps_on_records(run)
    world.configure(world.tunnel("web", ["example.com", "app.example.com"]), adopt=["app.example.com"])
    world.up("--skip-preview")
    assert world.names() == {"example.com", "app.example.com"}
    world.assert_settled()
    orphans(world, bind, status=0)


def test_a_lost_state_is_rebuilt_by_one_import_without_a_write(world: World, bind: BindServer, tmp_path: Path) -> None:
    publish(world)
    orphan = at_cloudflare(world, "orphan.example.com", GONE)
    held, writes, invites = world.held(), world.services.write_count, resources(world)
    world.stack.checked("stack", "rm", STACK, "--yes", "--force", "--preserve-config")
    world.stack.checked("stack", "init", STACK)

    file = tmp_path / "import.json"
    found = orphans(world, bind, "--all", "--import-file", str(file))
    standings = {name: one["standing"] for name, one in by_name(found).items()}
    assert standings.pop("orphan.example.com") == "unwanted"
    assert set(standings.values()) == {"wanted"}
    assert {one["tunnel"] for one in found["invites"]} == {"team/app", "team/shop"}
    text = edge_dns(
        world, "audit", "orphans", "--all", "--resolver", bind.address, "--import-file", str(file), status=1
    )
    assert "towonel:apiKey" in text
    assert f"--policy-pack policy --policy-pack-config stacks/{STACK}-policy.json" in text

    import_with_the_hub(world, file)

    preview = world.stack.preview()
    assert preview.status == 0, preview.text
    assert steps_on_records(preview) == {("delete", slot(world, "orphan.example.com"))}
    world.up("--skip-preview")
    assert {one.name for one in held - world.held()} == {"orphan.example.com"}
    assert world.held() <= held
    assert world.services.write_count == writes + 1
    assert invites.keys() == resources(world).keys()
    world.assert_settled()
    assert orphan not in json.dumps(orphans(world, bind, status=0))


def test_a_lost_state_finds_a_renamed_tunnel_by_its_alias_and_a_cloudflare_tunnel_by_its_id(
    world: World, bind: BindServer, tmp_path: Path
) -> None:
    renamed = ["till.example.com", "till.example.org"]
    web, web_name = cloudflare_tunnel(world, "web.example.com"), "web.example.com"
    world.configure(world.tunnel("till", renamed), web)
    world.up("--skip-preview")
    world.configure(world.tunnel("kasse", renamed, aliases=["team/till"]), web)
    world.up("--skip-preview")
    tunnel_id = world.services.cloudflare.tunnels()["team.web"]
    held, invites = world.held(), resources(world)
    world.stack.checked("stack", "rm", STACK, "--yes", "--force", "--preserve-config")
    world.stack.checked("stack", "init", STACK)

    world.configure(world.tunnel("kasse", renamed), web)
    listed = by_name(orphans(world, bind, "--all"))
    assert {name: one["standing"] for name, one in listed.items() if name in {*renamed, web_name}} == dict.fromkeys(
        [*renamed, web_name], "waiting"
    )
    assert "enter its name into the tunnel's aliases" in listed[renamed[0]]["reason"]
    assert f"({tunnel_id}) that this stack did not make" in listed[web_name]["reason"]
    assert "set cloudflare.adopt to its id" in listed[web_name]["reason"]

    adopting = cloudflare_tunnel(world, web_name, adopt=tunnel_id)
    world.configure(world.tunnel("kasse", renamed, aliases=["team/till"]), adopting)
    file = tmp_path / "import.json"
    found = orphans(world, bind, "--all", "--import-file", str(file))
    assert {one["standing"] for one in found["unremembered"]} == {"wanted"}
    assert [(one["tunnel"], one["name"]) for one in found["invites"]] == [("team/kasse", "team/till")]
    text = " ".join(edge_dns(world, "audit", "orphans", "--all", "--resolver", bind.address, status=1).split())
    assert "of the hub, named team/till: not in the state it is that of tunnel team/kasse, which was renamed" in text

    import_with_the_hub(world, file)
    assert steps_on_records(world.stack.preview()) == set()
    world.up("--skip-preview")
    assert (world.held(), resources(world).keys()) == (held, invites.keys())
    assert world.services.cloudflare.tunnels() == {"team.web": tunnel_id}
    world.assert_settled()


def test_what_cannot_be_read_ends_the_command_with_a_message(world: World, bind: BindServer, tmp_path: Path) -> None:
    def said(*arguments: str, **more: str) -> str:
        return " ".join(edge_dns(world, *arguments, status=2, **more).split())

    world.configure(world.tunnel("app", ["app.example.com"]))
    audit = ("audit", "orphans", "--resolver", bind.address)
    assert "stack other cannot be read: no stack named 'other' found" in said(*audit, stack="other")
    assert "incorrect passphrase" in said(*audit, PULUMI_CONFIG_PASSPHRASE="wrong")
    assert "pulumi is not on the PATH" in said(*audit, PATH=str(tmp_path))
    assert "'no server' is no server" in said("audit", "orphans", "--resolver", "no server")
    assert "the settings have no zone 'nope'" in said("dump", "nope")
    at_cloudflare(world, "x.example.com", EDGE)
    assert f"--import-file {tmp_path}: " in said(*audit, "--all", "--import-file", str(tmp_path))

    zones = world.zones()
    zones[0]["zoneId"] = "0" * 32
    world.configure(zones=zones)
    unread = "observation-failed: zone example.com (cloudflare 00000000000000000000000000000000) cannot be read"
    for command in (audit, ("dump", CLOUDFLARE_ZONE)):
        assert unread in said(*command)
    world.configure(zones=[{"domain": "example.com"}])
    assert "the settings of stack local are invalid: " in said("dump", CLOUDFLARE_ZONE)
