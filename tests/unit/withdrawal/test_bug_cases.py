"""Bugs of comparable tools in records, ownership, withdrawal and providers: each case as a plan, or where the engine
shows it."""

from pathlib import Path
from typing import Any, get_args

import pytest

from edge_dns.core.decision import Decision
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.live import Live, LiveZone, cloudflare_record
from edge_dns.core.markers import marker_name
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.values import RecordType
from edge_dns.core.yaml_text import load
from tests.unit.admission.objects import gateway, route
from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, Json, Run, run, settings_of, tunnel

TESTS = Path(__file__).parents[2]
FILES = [*(TESTS / "unit").glob("*/data/bug_cases*.yaml")]


def _load(file: Path) -> Any:
    return load(file.read_text(encoding="utf-8"))


CASES: dict[str, Any] = {case["id"]: case for file in FILES for case in _load(file)}


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_case_is_named_by_a_test(name: str) -> None:
    texts = [file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py")]
    assert [text for text in texts if name in text]


def _to(hostname: str, *values: str, memory: object = None, **settings: Any) -> Run:
    """A Gateway with these addresses that publishes the hostname."""
    given = settings_of(**{"safety": FREE, **settings})
    return run(given, gateway(addresses=values), route(hostnames=[hostname]), memory=memory)


def _cname(hostname: str, value: str, memory: object = None, **settings: Any) -> Run:
    one = tunnel(hostname, dns={"mode": "Zone", "cnameTarget": value, "includeWildcards": True})
    return run(settings_of(**{"tunnels": [one], "safety": FREE, **settings}), memory=memory)


def _slots(memory: Json) -> list[str]:
    sets = memory["sets"].values()
    return sorted(record["slot"] for one in sets for records in one["published"].values() for record in records)


def test_a_name_and_a_target_have_one_spelling_at_the_provider() -> None:
    case = CASES["BC-C05"]
    record, emitted = case["input"]["record"], case["expect"]["emitted"]
    first = _cname(record["name"], record["content"])
    assert first.records == {emitted["name"]: {"CNAME": [emitted["content"]]}}
    assert _cname(record["name"], record["content"], first.memory).text == first.text


def test_an_ipv6_address_has_its_canonical_form() -> None:
    case = CASES["BC-C06"]
    record = case["input"]["record"]
    outcome = _to(record["name"], record["content"])
    assert outcome.records == {record["name"]: {"AAAA": [case["expect"]["emitted"]["content"]]}}


def test_each_value_has_a_resource_and_their_order_says_nothing() -> None:
    case = CASES["BC-C16"]
    name, values = case["input"]["record"]["name"], case["input"]["record"]["values"]
    first = _to(name, *values)
    assert len(_slots(first.memory)) == case["expect"]["resources"]
    assert _to(name, *reversed(values), memory=first.memory).text == first.text


def test_only_addresses_and_cnames_are_ever_declared() -> None:
    """BC-E07, BC-C12 and BC-C19: no NS or SOA of the apex, no proxied TXT, no CAA by data and content."""
    assert set(get_args(RecordType)) == {"A", "AAAA", "CNAME"}
    apex = _to("example.com", "8.8.8.8")
    assert apex.records == {"example.com": {"A": ["8.8.8.8"]}}


def test_the_marker_of_a_wildcard_holds_no_star() -> None:
    case = CASES["BC-C09"]
    assert ("*" in marker_name(case["input"]["record"]["name"], "example.com")) is case["expect"][
        "marker_contains_star"
    ]


def test_a_marker_belongs_to_the_name_whatever_its_type() -> None:
    case = CASES["BC-F02"]
    name = case["input"]["name"]
    assert case["expect"]["markers_after"] == 1
    assert marker_name(name, "example.com") == f"_edge-dns.{name}"


def test_a_foreign_record_is_told_with_its_import_id_and_never_taken() -> None:
    case = CASES["BC-F09"]
    (live,), (wanted,) = case["input"]["live"], case["input"]["desired"]
    answer = {"id": "r9", "name": live["name"], "type": live["type"], "content": live["values"][0], "ttl": 1}
    zone = LiveZone.of("example.com", [cloudflare_record("z1", answer)])
    one = tunnel(wanted["name"], dns={"mode": "Zone", "cnameTarget": wanted["values"][0]})
    observed = Observed(live=Live(owner="edge-dns/prod", announced=None, import_ids={}, zones={"z1": zone}))
    plan = make_plan(load_settings(settings_of(zones=[CLOUDFLARE], tunnels=[one])), observed, Memory())
    (decision,) = plan.decisions
    assert decision.refusal
    assert (decision.state, decision.refusal.rule) == ("refused", case["expect"]["rule"])
    assert case["expect"]["hint"] in decision.refusal.reason
    assert "z1/r9" in decision.refusal.reason


def _adopting(case: Json, adopt: Any) -> tuple[Decision, Plan]:
    """The case's live and wanted records at Cloudflare; its TTL agrees."""
    live = [
        cloudflare_record("z1", {**one, "id": f"r{number}", "content": one["values"][0], "ttl": 1})
        for number, one in enumerate(case["live"])
    ]
    (wanted,) = case["desired"]
    settings = settings_of(zones=[CLOUDFLARE], clusters=[{"name": "c1"}], adopt=adopt)
    found = {"c1": parse_objects([gateway(addresses=wanted["values"]), route(hostnames=[wanted["name"]])])}
    zone = LiveZone.of("example.com", live)
    seen = Live(owner="edge-dns/prod", announced=frozenset(), import_ids={}, zones={"z1": zone})
    plan = make_plan(load_settings(settings), Observed(clusters=found, live=seen), Memory())
    (decision,) = plan.decisions
    return decision, plan


def test_an_equal_record_is_taken_over_by_the_adoption_list_alone() -> None:
    case = CASES["BC-F05"]
    decision, plan = _adopting(case["input"], case["input"]["adopt"])
    assert case["expect"]["import"] == ["app.example.com A"]
    assert (decision.state, dict(decision.imports)) == ("published", {"z1/app.example.com": "z1/r0"})
    assert plan.stops == ()
    assert _adopting(case["input"], [])[0].refusal is not None


def test_an_adoption_never_changes_a_value_and_shows_both() -> None:
    case = CASES["BC-F06"]
    decision, _ = _adopting(case["input"], case["input"]["adopt"])
    assert decision.refusal
    assert (decision.refusal.rule, decision.records) == (case["expect"]["rule"], ())
    assert "198.51.100.9" in decision.refusal.reason
    assert "203.0.113.7" in decision.refusal.reason


def test_one_live_record_goes_to_one_resource_however_often_it_is_listed() -> None:
    """BC-F12: two resources cannot ask for one import id, so there is no error to tell."""
    case = {**CASES["BC-F05"]["input"]}
    twice = ["app.example.com", {"hostname": "app.example.com", "type": "A"}, {"zone": "example.com"}]
    decision, plan = _adopting(case, twice)
    assert list(decision.imports.values()) == ["z1/r0"]
    assert [one.imports for one in plan.sets] == [decision.imports]


def test_one_invalid_name_never_stops_the_others() -> None:
    case = CASES["BC-H01"]
    outcome = run(settings_of(tunnels=[tunnel(*(one["name"] for one in case["input"]["desired"]))]))
    assert list(outcome.records) == case["expect"]["published"]
    refused = {name: rule for name, rule in outcome.rules.items() if rule}
    assert refused == dict.fromkeys(case["expect"]["names"], case["expect"]["rule"])


def test_a_change_of_type_stays_in_its_slot() -> None:
    assert CASES["BC-G01"]["expect"]["replace"] == 1
    before, after = CASES["BC-G01"]["input"]["runs"]
    zone = {**CLOUDFLARE, "proxied": True}
    first = _to(before["name"], "8.8.8.8", zones=[zone])
    second = _cname(after["name"], after["content"], first.memory, zones=[zone])
    assert _slots(first.memory) == _slots(second.memory) == ["z1/dev.example.com"]


@pytest.mark.parametrize("name", ["BC-G02", "BC-G04"])
def test_several_values_never_become_a_cname_in_one_run(name: str) -> None:
    case = CASES[name]
    if name == "BC-G02":
        before, after = case["input"]["runs"]
        first = _to(before["name"], *before["values"])
        second = _to(after["name"], *after["values"], memory=first.memory)
    else:
        zones, cluster = [{**ROUTE53, "domain": "example.com"}], {"name": "c1", "recordType": "CNAME"}
        hostname = case["input"]["sibling"]["name"]
        first = _to(hostname, "8.8.8.8", "2606:4700::1", zones=zones, clusters=[cluster])
        second = _to(hostname, "edge.example.net", memory=first.memory, zones=zones, clusters=[cluster])
    assert list(second.rules.values()) == [case["expect"]["rule"]]
    assert list(second.states.values()) == ["held"]
    assert second.records == first.records


@pytest.mark.parametrize("name", ["BC-F08", "BC-F10"])
def test_a_renamed_source_keeps_the_resource_of_its_name(name: str) -> None:
    hostname = CASES[name]["input"]["runs"][0]["name"]
    first = run(settings_of(tunnels=[tunnel(hostname, name="rec-a")], safety=FREE))
    second = run(settings_of(tunnels=[tunnel(hostname, name="rec-b")], safety=FREE), memory=first.memory)
    assert _slots(first.memory) == _slots(second.memory)
    assert second.states == {hostname: "published"}
