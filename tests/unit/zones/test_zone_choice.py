"""Which zone holds a hostname: the longest suffix, then visibility inside that one group, never a shorter zone."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.names import in_zone, relative_name
from edge_dns.core.rules import Level, Refused
from edge_dns.core.settings import Zone
from edge_dns.core.values import Visibility
from edge_dns.core.zones import ZoneIndex, check_delegation, check_wildcard, choose_zone, zone_key
from tests.fault_table import shows

DATA = Path(__file__).parent / "data"


def load(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = yaml.safe_load((DATA / name).read_text())
    return cases


UPSTREAM = {case["id"]: case for case in load("dns_api_zones.yaml")}
BUGS = {case["id"]: case for case in load("bug_cases.yaml")}


def zone(domain: str, zone_id: str = "", visibility: Visibility = "public", **more: Any) -> Zone:
    return Zone(
        domain=domain, provider="cloudflare", zone_id=zone_id or domain.replace(".", "-"), visibility=visibility, **more
    )


def zones(*domains: str) -> ZoneIndex:
    return ZoneIndex.of(zone(domain) for domain in domains)


def refusal_of(hostname: str, index: ZoneIndex, visibility: Visibility = "public") -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        choose_zone(hostname, index, visibility)
    assert refused.value.refusal.level is Level.ERROR
    return refused.value.refusal.rule, refused.value.refusal.reason


@pytest.mark.parametrize(
    "case", [UPSTREAM[i] for i in ("Z01", "Z02", "Z03", "Z08", "Z14")], ids=lambda case: case["id"]
)
def test_a_zone_is_chosen_as_in_dns_api(case: dict[str, Any]) -> None:
    index = ZoneIndex.of(zone(one["domain"], zone_id=one["at"].replace("/", "-")) for one in case["given"]["zones"])
    chosen = choose_zone(case["given"]["host"], index, "public")
    assert zone_key(chosen) == case["expect"]["zone"].replace("/", "-")
    assert relative_name(case["given"]["host"], chosen.domain) == case["expect"]["record"]


def test_without_any_zone_a_name_is_refused() -> None:
    rule, reason = refusal_of(UPSTREAM["Z07"]["given"]["host"], zones())
    assert rule == "zone-none"
    assert "there is none" in reason


@pytest.mark.parametrize("case", [BUGS["BC-A14"], BUGS["BC-D01"], BUGS["BC-D06"]], ids=lambda case: case["id"])
def test_the_longest_suffix_includes_the_name_itself(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    names = given_.get("names") or given_.get("hostnames") or [given_["record"]["name"]]
    chosen = [choose_zone(name, zones(*given_["zones"]), "public").domain for name in names]
    assert chosen == (expect.get("zones") or [expect["zone"]])


def test_a_more_specific_zone_takes_the_name_over() -> None:
    before, now = BUGS["BC-D05"]["input"]["runs"]
    chosen = [zone_key(choose_zone(run["record"], zones(*run["zones"]), "public")) for run in (before, now)]
    assert chosen == ["example-com", "sub-example-com"]


def test_a_name_outside_every_zone_is_an_error() -> None:
    case = BUGS["BC-D07"]
    rule, _ = refusal_of(case["input"]["record"]["name"], zones(*case["input"]["zones"]))
    assert rule == case["expect"]["rule"]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_two_zones_of_one_name_are_told_apart_by_visibility(visibility: Visibility) -> None:
    given_ = BUGS["BC-B06"]["input"]
    index = ZoneIndex.of(zone(z["name"], z["id"], z["visibility"]) for z in given_["zones"])
    assert choose_zone(given_["record"]["name"], index, visibility).visibility == visibility


@pytest.mark.parametrize("order", [1, -1], ids=["as listed", "reversed"])
def test_two_zones_of_one_name_and_visibility_are_ambiguous_and_both_are_named(order: int) -> None:
    case = BUGS["BC-B06"]
    index = ZoneIndex.of(zone(z["name"], z["id"]) for z in case["input"]["zones"][::order])
    rule, reason = refusal_of(case["input"]["record"]["name"], index)
    assert rule == case["expect"]["rule"]
    first, second = case["expect"]["candidates"]
    assert f"{first} (cloudflare), {second} (cloudflare)" in reason


@pytest.mark.parametrize(
    ("held", "wanted"), [("private", "public"), ("public", "private")], ids=["longest private", "longest public"]
)
def test_a_longer_zone_of_the_other_visibility_is_never_passed_over(held: Visibility, wanted: Visibility) -> None:
    index = ZoneIndex.of([zone("example.com", visibility=wanted), zone("corp.example.com", visibility=held)])
    rule, reason = refusal_of("app.corp.example.com", index, wanted)
    assert rule == "zone-none"
    assert f"corp.example.com, is {held}" in reason


@pytest.mark.parametrize("hostname", ["notexample.com", "example.com.evil.net", "com", "example.co"])
def test_a_zone_matches_whole_labels_only(hostname: str) -> None:
    assert refusal_of(hostname, zones("example.com"))[0] == "zone-none"


LABELS = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map(".".join)


@shows("F22", "which zone a name belongs to, its apex included", runs="0")
@given(hostname=LABELS, domains=st.sets(LABELS, max_size=6))
def test_the_choice_is_the_longest_domain_that_contains_the_name(hostname: str, domains: set[str]) -> None:
    containing = [domain for domain in domains if in_zone(hostname, domain)]
    if containing:
        assert choose_zone(hostname, zones(*domains), "public").domain == max(containing, key=len)
    else:
        assert refusal_of(hostname, zones(*domains))[0] == "zone-none"


def test_a_zone_is_known_by_its_id_else_by_its_domain() -> None:
    public = Zone(domain="example.com", provider="external-dns")
    private = Zone(domain="example.com", provider="external-dns", visibility="private")
    index = ZoneIndex.of([public, private, zone("example.org", "z1")])
    assert [zone_key(public), zone_key(private)] == ["example.com", "example.com:private"]
    assert index.by_key("z1") == zone("example.org", "z1")
    assert index.by_key("example.com") is public
    assert index.by_key("gone") is None


@pytest.mark.parametrize(
    ("hostname", "expected"),
    [("app.corp.example", True), ("corp.example", True), ("app.split.example", False), ("app.example.com", False)],
)
def test_only_private_holds_for_names_that_no_public_zone_of_that_domain_has(hostname: str, expected: bool) -> None:
    index = ZoneIndex.of(
        [
            zone("corp.example", visibility="private"),
            zone("split.example", "z1", "private"),
            zone("split.example", "z2"),
        ]
    )
    assert index.only_private(hostname) is expected


def test_a_wildcard_needs_the_zones_consent() -> None:
    check_wildcard("*.example.com", zone("example.com", wildcards=True))
    check_wildcard("app.example.com", zone("example.com"))
    with pytest.raises(Refused, match=r"wildcard-opt-in.*wildcards: true"):
        check_wildcard("*.example.com", zone("example.com"))


@pytest.mark.parametrize("hostname", ["a.sub.example.com", "sub.example.com", "*.sub.example.com"])
def test_a_name_at_or_below_a_delegation_is_refused(hostname: str) -> None:
    case = BUGS["BC-D08"]
    with pytest.raises(Refused, match=case["expect"]["rule"]):
        check_delegation(hostname, zone("example.com"), case["input"]["delegations"])


@pytest.mark.parametrize("hostname", ["example.com", "www.example.com", "xsub.example.com"])
def test_the_apex_and_names_beside_a_delegation_are_free(hostname: str) -> None:
    check_delegation(hostname, zone("example.com"), {"example.com", "sub.example.com", "com"})
