"""The local stack's files: a real stack, from which the demo takes two hostnames."""

import json
from datetime import date
from pathlib import Path

import pytest

from edge_dns.cli.main import main
from edge_dns.core.settings import load_settings, stack_values
from local.demo_failed import DemoFailed
from local.embedded import gateway_text, read_settings, replaced, without_hostname
from local.stack import ROOT, STACK_FILE
from local.walkthrough import ROUTE_HOSTNAME, TUNNEL_HOSTNAME
from policy.settings import load


def test_the_plan_of_the_local_stack_needs_no_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--settings", str(STACK_FILE), "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    states = {one["hostname"]: (one["state"], one["rule"]) for one in plan["hostnames"]}
    published = {name for name, (state, _) in states.items() if state == "published"}
    assert {TUNNEL_HOSTNAME, ROUTE_HOSTNAME, "*.preview.shop.example", "wiki.lan.example.org"} < published
    assert states["admin.example.com"] == ("refused", "exposure-internal")
    assert states["beta.example.com"] == ("refused", "status-stale")
    assert {record["provider"] for record in plan["records"]} == {"cloudflare", "route53"}


def test_the_policy_pack_knows_the_zones_of_the_stack_with_their_visibility() -> None:
    text = (ROOT / "stacks" / "local-policy.json").read_text(encoding="utf-8")
    known = load(json.loads(text)["settings"], date(2026, 1, 1)).zones.by_zone_key
    assert {key: zone.visibility for key, zone in known.items()} == {
        zone.zone_id: zone.visibility for zone in read_settings().zones
    }


def test_taking_a_hostname_away_leaves_the_others() -> None:
    before = read_settings().tunnels
    after = load_settings(stack_values(without_hostname(STACK_FILE.read_text(encoding="utf-8"), TUNNEL_HOSTNAME)))
    assert [set(one.hostnames) - {TUNNEL_HOSTNAME} for one in before] == [set(one.hostnames) for one in after.tunnels]
    assert ROUTE_HOSTNAME not in without_hostname(gateway_text(), ROUTE_HOSTNAME)


@pytest.mark.parametrize("text", ["- b\n", "- a\n- a\n"], ids=["missing", "twice"])
def test_a_hostname_is_taken_away_only_where_it_is_one_list_item(text: str) -> None:
    with pytest.raises(DemoFailed, match="a is not exactly one list item"):
        without_hostname(text, "a")


def test_what_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(DemoFailed, match="there is no http://a in"):
        replaced("http://b", "http://a", "http://c")


def test_relative_paths_of_the_stack_file_exist() -> None:
    files = [Path(file) for cluster in read_settings().clusters for file in cluster.files or ()]
    assert files
    assert all((ROOT / file).exists() for file in files)
