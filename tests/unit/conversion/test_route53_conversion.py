"""Targets to Route 53 records: alias pairs, CNAMEs on request, addresses."""

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.conversion import ConversionOptions, convert
from edge_dns.core.conversion.route53 import alias_zones
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Zone
from edge_dns.core.values import Alias, RRset, Target, Visibility

DATA = Path(__file__).parent / "data"
CASES: list[dict[str, Any]] = yaml.safe_load((DATA / "dns_api_route53.yaml").read_text())
RULES_OF_UPSTREAM_ERRORS = {
    "C03": "alias-unknown",
    "C12": "target-mixed-kinds",
    "C24": "alias-unknown",
    "C25": "alias-unknown",
}


def zone(ttl: int | None = None, visibility: Visibility = "public") -> Zone:
    return Zone(domain="shop.test", provider="route53", zone_id="Z1", ttl=ttl, visibility=visibility)


def target(text: str) -> Target:
    kind, _, value = text.partition(":")
    return Target("IPAddress" if kind == "ip" else "Hostname", value)


def converted(
    *targets: str,
    record: str = "www",
    where: Zone | None = None,
    prefer_cname: bool = False,
    ttl: int | None = None,
    is_tunnel: bool = False,
) -> tuple[RRset, ...]:
    hostname = "shop.test" if record == "@" else f"{record}.shop.test"
    options = ConversionOptions(prefer_cname=prefer_cname, ttl=ttl, is_tunnel=is_tunnel)
    return convert(hostname, [target(text) for text in targets], where or zone(), options)


def refusal_of(*targets: str, **how: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        converted(*targets, **how)
    return refused.value.refusal.rule, refused.value.refusal.reason


def alias_of(rrsets: tuple[RRset, ...]) -> Alias:
    assert [rrset.type for rrset in rrsets] == ["A", "AAAA"]
    assert all(rrset.ttl is None and rrset.values == () and rrset.proxied is None for rrset in rrsets)
    (alias,) = {rrset.alias for rrset in rrsets}
    assert alias is not None
    return alias


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_targets_convert_as_in_dns_api(case: dict[str, Any]) -> None:
    given, want = case["given"], case.get("want", case["expect"])
    how = {"record": given["record"], "prefer_cname": given.get("prefer") == "CNAME"}
    if "error" in want:
        assert refusal_of(*given["targets"], **how)[0] == RULES_OF_UPSTREAM_ERRORS[case["id"]]
        return
    rrsets = converted(*given["targets"], **how)
    if "alias" in want:
        name, zone_id, health = want["alias"]["name"], want["alias"]["zone"], want["alias"]["health"]
        assert alias_of(rrsets) == Alias(name=name, zone_id=zone_id, evaluate_target_health=health)
    else:
        found = {rrset.type: {"ttl": rrset.ttl, "values": list(rrset.values)} for rrset in rrsets}
        assert found == {kind: want[kind] for kind in ("A", "AAAA", "CNAME") if kind in want}
    assert {(rrset.zone_id, rrset.name) for rrset in rrsets} == {("Z1", f"{given['record']}.shop.test")}


def test_addresses_of_both_families_are_two_record_sets() -> None:
    a, aaaa = converted("ip:203.0.113.7", "ip:2001:db8::7")
    assert (a.type, a.values, a.ttl) == ("A", ("203.0.113.7",), 300)
    assert (aaaa.type, aaaa.values, aaaa.ttl) == ("AAAA", ("2001:db8::7",), 300)


def test_addresses_keep_their_order_and_lose_their_duplicates() -> None:
    (a,) = converted("ip:203.0.113.9", "ip:203.0.113.7", "ip:::ffff:203.0.113.9")
    assert a.values == ("203.0.113.9", "203.0.113.7")


ALIASES = [
    ("lb-1.eu-west-1.elb.amazonaws.com", "dualstack.lb-1.eu-west-1.elb.amazonaws.com.", "Z32O12XQLNTSW2", True),
    (
        "Dualstack.LB-1.eu-west-1.elb.amazonaws.com.",
        "dualstack.lb-1.eu-west-1.elb.amazonaws.com.",
        "Z32O12XQLNTSW2",
        True,
    ),
    ("lb-2.elb.eu-west-1.amazonaws.com", "lb-2.elb.eu-west-1.amazonaws.com.", "Z2IFOLAFXWLO4F", True),
    ("lb-3.cn-north-1.elb.amazonaws.com.cn", "dualstack.lb-3.cn-north-1.elb.amazonaws.com.cn.", "Z1GDH35T77C1KE", True),
    ("d111111abcdef8.cloudfront.net", "d111111abcdef8.cloudfront.net.", "Z2FDTNDATAQYW2", False),
    ("abc.awsglobalaccelerator.com", "abc.awsglobalaccelerator.com.", "Z2BJ6XQ5FK7U4H", True),
]


@pytest.mark.parametrize("record", ["www", "@", "*"])
@pytest.mark.parametrize(("value", "name", "zone_id", "health"), ALIASES, ids=[row[0] for row in ALIASES])
def test_a_name_of_aws_becomes_an_alias_pair(record: str, value: str, name: str, zone_id: str, health: bool) -> None:
    alias = alias_of(converted(f"host:{value}", record=record))
    assert alias == Alias(name=name, zone_id=zone_id, evaluate_target_health=health)


def test_the_table_holds_every_region_of_the_reference() -> None:
    rows = list(csv.DictReader((DATA / "elb_zones.csv").read_text().splitlines()))
    known = {suffix: (found.zone_id, found.dualstack) for suffix, found in alias_zones().items()}
    assert len(rows) == 38
    for row in rows:
        assert known.pop(row["alb_clb_suffix"]) == (row["alb_clb_zone_id"], True)
        assert known.pop(row["nlb_suffix"]) == (row["nlb_zone_id"], False)
    assert known.keys() == {"cloudfront.net", "awsglobalaccelerator.com"}


@pytest.mark.parametrize(
    ("value", "suffix"),
    [
        ("lb.example.net", "example.net"),
        ("evil-eu-west-1.elb.amazonaws.com", "elb.amazonaws.com"),
        ("eu-west-1.elb.amazonaws.com", "elb.amazonaws.com"),
        ("dualstack.eu-west-1.elb.amazonaws.com", "eu-west-1.elb.amazonaws.com"),
        ("cloudfront.net", "net"),
        ("lb-1.new-region-1.elb.amazonaws.com", "new-region-1.elb.amazonaws.com"),
    ],
)
def test_an_unknown_suffix_is_named_with_the_way_out(value: str, suffix: str) -> None:
    rule, reason = refusal_of(f"host:{value}")
    assert rule == "alias-unknown"
    assert f"for {suffix} (target {value})" in reason
    assert "recordType: CNAME" in reason


def test_cloudfront_cannot_be_an_alias_of_a_private_zone() -> None:
    rule, reason = refusal_of("host:d1.cloudfront.net", where=zone(visibility="private"))
    assert rule == "alias-unknown"
    assert "private zone" in reason
    alias_of(converted("host:lb-1.eu-west-1.elb.amazonaws.com", where=zone(visibility="private")))


@pytest.mark.parametrize(
    ("value", "remedy"),
    [("lb.example.net", "use addresses"), ("lb-1.eu-west-1.elb.amazonaws.com", "this target can be an alias")],
)
def test_a_cname_at_the_apex_is_refused_with_the_remedy(value: str, remedy: str) -> None:
    rule, reason = refusal_of(f"host:{value}", record="@", prefer_cname=True)
    assert rule == "cname-apex"
    assert remedy in reason


@pytest.mark.parametrize(
    ("source_ttl", "zone_ttl", "is_tunnel", "expected"),
    [
        (120, 600, True, 120),
        (None, 600, True, 600),
        (None, None, True, 300),
        (None, None, False, 60),
        (0, 600, True, 0),
    ],
)
def test_the_ttl_of_a_cname_is_the_sources_else_the_zones_else_the_default(
    source_ttl: int | None, zone_ttl: int | None, is_tunnel: bool, expected: int
) -> None:
    where = zone(ttl=zone_ttl)
    (cname,) = converted("host:edge.example.net", where=where, prefer_cname=True, ttl=source_ttl, is_tunnel=is_tunnel)
    assert (cname.type, cname.values, cname.ttl) == ("CNAME", ("edge.example.net",), expected)


def test_the_reference_of_the_settings_names_both_defaults() -> None:
    (of_gateway,) = converted("host:edge.example.net", prefer_cname=True)
    (of_address,) = converted("ip:203.0.113.7")
    told = Zone.model_fields["ttl"].description or ""
    assert f"{of_gateway.ttl} for a CNAME of a Gateway on Route 53, else {of_address.ttl}" in told


def test_a_ttl_touches_addresses_but_no_alias() -> None:
    (a,) = converted("ip:203.0.113.7", where=zone(ttl=600), prefer_cname=True)
    assert (a.type, a.ttl) == ("A", 600)
    alias_of(converted("host:lb-1.eu-west-1.elb.amazonaws.com", where=zone(ttl=600)))


@pytest.mark.parametrize("ttl", [-1, 2**31])
def test_a_ttl_outside_the_range_is_refused(ttl: int) -> None:
    assert refusal_of("ip:203.0.113.7", ttl=ttl)[0] == "ttl-range"
