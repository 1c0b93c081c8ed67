"""What a run says while it reads: a line before each source on a terminal, and nothing of it in a log."""

import json
from typing import Any

from local.loopback import Fault
from local.stack import ROOT
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.local.watched import COMMAND, Watched

OURS = "a resource of this project"
COLUMNS = 250
HOURS = 36_000.0
"""So long an answer waits for the test, which cuts it short."""


def _ephemeral(world: World) -> list[str]:
    """The lines of progress, and the URNs of the resources, in the order of the engine's events."""
    found = []
    for text in (world.stack.folder / "events.json").read_text().splitlines():
        event = json.loads(text)
        told: dict[str, Any] = event.get("diagnosticEvent", {})
        urn = event.get("resourcePreEvent", {}).get("metadata", {}).get("urn", "")
        found += [told["message"].strip()] if told.get("ephemeral") and told["severity"] == "info" else []
        found += [OURS] if "::edge:dns:" in urn else []
    return found


def test_a_terminal_is_told_each_source_before_it_is_read_and_a_log_nothing(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("shop", ["shop.example.com"], gateway="front")
    world.gateways.write()
    world.configure(world.tunnel("app", ["app.example.org"]))
    ids = world.services.zone_ids
    zone = f"reading zone {CLOUDFLARE_ZONE} (cloudflare {ids[CLOUDFLARE_ZONE]})"
    expected = [
        "reading the settings",
        "reading the last state",
        f"reading cluster prod: {world.gateways.path}",
        f"reading {world.services.hub.url}: the list of invites and 0 known ones",
        zone,
        f"reading zone {ROUTE53_ZONE} (route53 {ids[ROUTE53_ZONE]})",
        "planning",
        "declaring the records",
        OURS,
    ]
    log = world.stack.folder / "events.json"
    command = ("pulumi", "preview", "--stack", world.stack.name, "--config-file", str(world.stack.config_file))
    world.services.cloudflare.inject(Fault(path="/dns_records$", delay_seconds=HOURS))
    environment = world.stack.environment
    with Watched(
        *command, "--color", "never", "--event-log", str(log), environment=environment, folder=ROOT, columns=COLUMNS
    ) as watched:
        watched.wait_for(zone)
        world.services.cloudflare.clear_faults()
        assert watched.end()[0] == 0
    said = _ephemeral(world)
    assert list(dict.fromkeys(one for one in said if one in expected)) == expected
    assert said[0] == expected[0]

    run = world.stack.preview()
    assert run.status == 0, run.text
    assert [one for one in _ephemeral(world) if one != OURS] == []
    assert "reading" not in run.text


def test_a_command_that_reads_by_a_preview_shows_what_it_waits_for(world: World) -> None:
    world.configure(world.tunnel("app", ["app.example.com"]))
    stack = ("--stack", world.stack.name, "--config-file", str(world.stack.config_file))
    world.services.cloudflare.inject(Fault(path="/dns_records$", delay_seconds=HOURS))
    with Watched(*COMMAND, "dump", CLOUDFLARE_ZONE, *stack, "--json", environment=world.stack.environment) as watched:
        zone = f"reading zone {CLOUDFLARE_ZONE} (cloudflare {world.services.zone_ids[CLOUDFLARE_ZONE]})"
        watched.wait_for(zone)
        world.services.cloudflare.clear_faults()
        status, out, shown = watched.end()
        assert watched.left == ""
    assert status == 0
    number = len(json.loads(out)["records"])
    assert shown == [
        f"reading stack {world.stack.name} by a preview",
        zone,
        f"zone {CLOUDFLARE_ZONE}: {number} records",
    ]
