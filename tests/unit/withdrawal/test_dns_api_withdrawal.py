"""Cases of dns-api on ownership and withdrawal, and on what of a live record equals the wanted one."""

from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.live import Live as LiveZones
from edge_dns.core.live import LiveZone, normal_name, normal_value, route53_record, same_content
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.values import Alias, RRset
from edge_dns.core.yaml_text import load
from tests.unit.admission.objects import condition, gateway, parent, ref, route
from tests.unit.plan.world import FREE, ROUTE53, Json, Run, run, settings_of, tunnel

GROUPS: Any = load((Path(__file__).parent / "data" / "dns_api_cases.yaml").read_text(encoding="utf-8"))
CASES: dict[str, Any] = {case["id"]: case for group in GROUPS.values() for case in group}
CART = "cart.shop.test"
ZONE = {**ROUTE53, "domain": "shop.test", "zoneId": "Z1"}
SETTINGS = settings_of(zones=[ZONE], safety=FREE)

OTHER_MECHANISM = {
    # Zones are named by their id in the settings; there is no zone object to adopt, to look up by name or to delete.
    *("A23", "A25", "A27", "A28", "A30", "A31"),
    # How adoption is asked for: a field of an object there, a list of the settings here, with tests of its own.
    *("A05", "A14", "A15"),
    # Retirement entries, finalizers and guarded deletes of an API server: the engine deletes what is not declared.
    *("W03", "W05", "W07", "W11", "W15", "W16"),
}
RUN_HERE = {
    *("A07", "A08", "A10", "A11", "A12", "A13", "A16", "A17", "A18", "A19", "A22"),
    *("O01", "O05", "O07", "O08", "W01", "W12", "W13", "W14"),
}


def test_every_case_of_the_three_groups_is_run_or_has_no_counterpart() -> None:
    assert set(CASES) == OTHER_MECHANISM | RUN_HERE
    assert not OTHER_MECHANISM & RUN_HERE


# --- two sources of one name ------------------------------------------------------------------------------------------


def _sources(*targets: str) -> list[Json]:
    objects: list[Json] = []
    for number, target in enumerate(targets):
        name = f"edge/gw-{number}"
        objects += [
            gateway(name, uid=f"gw-{number}", addresses=[target]),
            route(f"team/rt-{number}", uid=f"rt-{number}", hostnames=[CART], refs=[ref(name)]),
        ]
    return objects


@pytest.mark.parametrize(("case", "newer"), [("O01", "8.8.4.4"), ("O05", "lb.example.net"), ("O07", "8.8.4.4")])
def test_the_name_stays_with_who_has_it_and_both_are_named(case: str, newer: str) -> None:
    assert CASES[case]["expect"]["loser"].startswith("RecordSetConflict")
    clusters = [{"name": "c1", "recordType": "CNAME"}]
    older, both = _sources("8.8.8.8"), _sources("8.8.8.8", newer)
    settings = {**SETTINGS, "clusters": clusters}
    first = run(settings, *older)
    second = run(settings, *both, memory=first.memory)
    assert second.outcome == {CART: ("held", "host-claimed-twice")}
    assert second.records == first.records
    assert all(f"Gateway c1:edge/gw-{number}" in second.reason(CART) for number in (0, 1))


def test_who_takes_a_name_that_was_left_keeps_it() -> None:
    assert CASES["O08"]["expect"]["winner"] == "the CNAME"
    settings = {**SETTINGS, "clusters": [{"name": "c1", "recordType": "CNAME"}]}
    owner, other = _sources("8.8.8.8", "lb.example.net")[:2], _sources("8.8.8.8", "lb.example.net")[2:]
    taken = run(settings, *other, memory=run(settings, *owner).memory)
    assert taken.records == {CART: {"CNAME": ["lb.example.net"]}}
    again = run(settings, *owner, *other, memory=taken.memory)
    assert again.outcome == {CART: ("held", "host-claimed-twice")}
    assert again.records == taken.records


# --- withdrawal -------------------------------------------------------------------------------------------------------


def _published(*addresses: str, accepted: str | None = "True", memory: object = None) -> Run:
    parents = [parent(ref("edge/front"), *([condition(accepted, 1)] if accepted else []))]
    objects = [gateway(addresses=addresses), route(hostnames=[CART], parents=parents)]
    return run(SETTINGS, *objects, memory=memory)


def test_a_new_target_replaces_the_old_one() -> None:
    given = CASES["W01"]["given"]
    (before,), (after,) = given["published"]["targets"], given["next"]["targets"]
    first = _published(before.removeprefix("ip:"))
    second = _published(after.removeprefix("ip:"), memory=first.memory)
    assert second.records == {CART: {"A": [CASES["W01"]["expect"]["live"].removeprefix("ip:")]}}


@pytest.mark.parametrize(("case", "accepted"), [("W12", "True"), ("W13", "False")])
def test_what_is_gone_comes_back_exactly_when_its_route_is_accepted(case: str, accepted: str) -> None:
    back = CASES[case]["expect"]["ers"].startswith("recreated")
    gone = _published("8.8.8.8", accepted="False", memory=_published("8.8.8.8").memory)
    assert gone.states == {CART: "withdrawn"}
    assert bool(_published("8.8.8.8", accepted=accepted, memory=gone.memory).records) is back


def test_the_same_input_again_writes_nothing() -> None:
    assert CASES["W14"]["expect"]["writes"] == 0
    first = _published("8.8.8.8")
    assert _published("8.8.8.8", memory=first.memory).text == first.text


# --- live against wanted ----------------------------------------------------------------------------------------------


def _wanted(desired: Json) -> RRset:
    if alias := desired.get("A_alias"):
        target = Alias(name=alias["name"], zone_id=alias["zone"], evaluate_target_health=alias["health"])
        return RRset(zone_id="Z1", name=CART, type="A", values=(), ttl=None, alias=target)
    one = desired["A"]
    return RRset(zone_id="Z1", name=CART, type="A", values=tuple(one["values"]), ttl=one["ttl"])


def _live(live: Json) -> Any:
    answer: Json = {"name": CART, "type": "A"}
    if alias := live.get("A_alias"):
        target = {"dnsName": alias["name"], "hostedZoneId": alias["zone"], "evaluateTargetHealth": alias["health"]}
        return route53_record("Z1", {**answer, "aliasTarget": target})
    records = [{"value": value} for value in live["A"]["values"]]
    return route53_record("Z1", {**answer, "ttl": live["A"]["ttl"], "resourceRecords": records})


@pytest.mark.parametrize("case", ["A07", "A08", "A10", "A11", "A13"])
def test_only_what_is_equal_in_normal_form_needs_no_write(case: str) -> None:
    given, expect = CASES[case]["given"], CASES[case]["expect"]
    equal = expect.get("Programmed") == "True"
    assert same_content(_wanted(given["desired"]), _live(given["live"])) is equal


def test_an_equal_foreign_record_is_not_taken_over_unasked() -> None:
    case = CASES["A12"]
    zone = LiveZone.of("shop.test", [_live(case["given"]["live"])])
    observed = Observed(live=LiveZones(owner="edge-dns/prod", announced=None, import_ids={}, zones={"Z1": zone}))
    settings = load_settings({**SETTINGS, "tunnels": [tunnel(CART)]})
    (decision,) = make_plan(settings, observed, Memory()).decisions
    assert decision.refusal
    assert (decision.state, decision.refusal.rule, decision.promised) == ("refused", "owner-foreign", ())


@pytest.mark.parametrize("case", ["A16", "A17", "A18", "A19", "A22"])
def test_names_addresses_and_aliases_are_compared_in_normal_form(case: str) -> None:
    compare, equal = CASES[case]["given"]["compare"], CASES[case]["expect"] == "equal"
    if "type" in compare:
        live, desired = (normal_value(compare["type"], compare[key]) for key in ("live", "desired"))
        assert (live == desired) is equal
    elif "alias_live" in compare:
        live = _live({"A_alias": {"name": compare["alias_live"], "zone": "Z9", "health": True}})
        wanted = _wanted({"A_alias": {"name": compare["alias_desired"], "zone": "Z9", "health": True}})
        assert same_content(wanted, live) is equal
    else:
        assert (normal_name(compare["name_live"]) == normal_name(compare["name_desired"])) is equal
