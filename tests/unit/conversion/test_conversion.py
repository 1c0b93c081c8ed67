"""Conversion for all providers, Cloudflare and external-dns in particular."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.conversion import ConversionOptions, convert
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Consumer, Zone
from edge_dns.core.values import Provider, RRset, Target

DATA = Path(__file__).parent / "data"
BUGS = {case["id"]: case for case in yaml.safe_load((DATA / "bug_cases.yaml").read_text())}
PROVIDERS: tuple[Provider, ...] = ("cloudflare", "route53", "external-dns")
EDGE = Target("Hostname", "edge.example.net")
ADDRESS = Target("IPAddress", "203.0.113.7")


def zone(provider: Provider = "cloudflare", **more: Any) -> Zone:
    if provider == "external-dns":
        return Zone(domain="example.com", provider=provider, consumer=Consumer(version="0.21"), **more)
    return Zone(domain="example.com", provider=provider, zone_id="z1", **more)


def converted(
    *targets: Target, hostname: str = "www.example.com", where: Zone | None = None, **options: Any
) -> tuple[RRset, ...]:
    return convert(hostname, targets, where or zone(), ConversionOptions(**({"prefer_cname": True} | options)))


def refusal_of(*targets: Target, **how: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        converted(*targets, **how)
    return refused.value.refusal.rule, refused.value.refusal.reason


def rows(rrsets: tuple[RRset, ...]) -> list[tuple[str, tuple[str, ...], int | None, bool | None]]:
    return [(rrset.type, rrset.values, rrset.ttl, rrset.proxied) for rrset in rrsets]


REFUSED = [
    ("no target", [], "no-address"),
    ("mixed kinds", [EDGE, ADDRESS], "target-mixed-kinds"),
    ("two hostnames", [EDGE, Target("Hostname", "other.example.net")], "cname-single"),
    ("itself", [Target("Hostname", "WWW.example.com.")], "cname-self"),
    ("no address", [Target("IPAddress", "203.0.113.700")], "value-ip-syntax"),
    ("zone index", [Target("IPAddress", "fe80::1%eth0")], "value-ip-syntax"),
    ("no hostname", [Target("Hostname", "edge_1.example.net")], "target-syntax"),
    ("no dot inside", [Target("Hostname", "edge")], "target-syntax"),
    ("wildcard", [Target("Hostname", "*.example.net")], "target-syntax"),
    ("address as hostname", [Target("Hostname", "203.0.113.7")], "target-not-ip"),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("targets", "rule"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_bad_targets_are_refused_by_every_provider(provider: Provider, targets: list[Target], rule: str) -> None:
    assert refusal_of(*targets, where=zone(provider))[0] == rule


def test_cloudflare_addresses_are_automatic_and_not_proxied() -> None:
    targets = [Target("IPAddress", text) for text in ("203.0.113.7", "203.0.113.9", "2001:DB8::7", "203.0.113.7")]
    expected = [("A", ("203.0.113.7", "203.0.113.9"), 1, False), ("AAAA", ("2001:db8::7",), 1, False)]
    assert rows(converted(*targets)) == expected


@pytest.mark.parametrize("hostname", ["www.example.com", "example.com", "*.example.com"])
@pytest.mark.parametrize("value", ["edge.example.net", "Edge.Example.net."])
@pytest.mark.parametrize("prefer_cname", [True, False])
def test_a_hostname_is_a_cname_on_cloudflare_also_at_the_apex(hostname: str, value: str, prefer_cname: bool) -> None:
    found = converted(Target("Hostname", value), hostname=hostname, prefer_cname=prefer_cname)
    assert rows(found) == [("CNAME", ("edge.example.net",), 1, False)]
    assert found[0].name == hostname


def test_a_proxied_record_is_automatic() -> None:
    assert rows(converted(EDGE, proxied=True)) == [("CNAME", ("edge.example.net",), 1, True)]
    assert rows(converted(ADDRESS, proxied=True, where=zone(ttl=600))) == [("A", ("203.0.113.7",), 1, True)]


def test_a_proxied_record_with_a_ttl_is_refused() -> None:
    assert refusal_of(EDGE, proxied=True, ttl=300)[0] == "proxied-ttl"


@pytest.mark.parametrize("ttl", [0, 1, 30, 59, 86401])
def test_a_ttl_outside_of_cloudflares_range_is_refused(ttl: int) -> None:
    rule, reason = refusal_of(EDGE, ttl=ttl)
    assert rule == "ttl-range"
    assert "60 to 86400" in reason


@pytest.mark.parametrize(("ttl", "zone_ttl", "expected"), [(60, None, 60), (86400, 600, 86400), (None, 600, 600)])
def test_a_fixed_ttl_is_the_sources_else_the_zones(ttl: int | None, zone_ttl: int | None, expected: int) -> None:
    assert [row[2] for row in rows(converted(EDGE, ttl=ttl, where=zone(ttl=zone_ttl)))] == [expected]


def test_external_dns_entries_have_one_type_each_and_a_whole_ttl() -> None:
    where = zone("external-dns")
    targets = [ADDRESS, Target("IPAddress", "2001:db8::7")]
    expected = [("A", ("203.0.113.7",), 300, None), ("AAAA", ("2001:db8::7",), 300, None)]
    assert rows(converted(*targets, where=where)) == expected
    assert rows(converted(EDGE, where=where, ttl=120)) == [("CNAME", ("edge.example.net",), 120, None)]
    assert {rrset.zone_id for rrset in converted(EDGE, where=where)} == {"example.com"}


def test_external_dns_refuses_a_cname_at_the_apex_and_a_ttl_of_zero() -> None:
    assert refusal_of(EDGE, hostname="example.com", where=zone("external-dns"))[0] == "cname-apex"
    assert refusal_of(EDGE, ttl=0, where=zone("external-dns"))[0] == "ttl-range"


@pytest.mark.parametrize(("target", "longest"), [(EDGE, 57), (ADDRESS, 61), (Target("IPAddress", "2001:db8::7"), 58)])
def test_a_label_that_external_dns_could_not_own_is_refused(target: Target, longest: int) -> None:
    where = zone("external-dns")
    assert converted(target, hostname=f"{'a' * longest}.example.com", where=where)
    assert refusal_of(target, hostname=f"{'a' * (longest + 1)}.example.com", where=where)[0] == "consumer-capability"


def test_a_type_that_the_consumer_ignores_is_refused() -> None:
    consumer = {"version": "0.21", "managedTypes": ["A", "CNAME"]}
    where = Zone.model_validate({"domain": "example.com", "provider": "external-dns", "consumer": consumer})
    assert converted(ADDRESS, where=where)
    rule, reason = refusal_of(Target("IPAddress", "2001:db8::7"), where=where)
    assert rule == "consumer-capability"
    assert "AAAA" in reason


@pytest.mark.parametrize(
    ("hostname", "consumer", "problem"),
    [
        pytest.param("example.com", {}, "a-example.com is not in the zone", id="apex"),
        pytest.param("example.com", {"txtPrefix": "reg-"}, "reg-a-example.com is not in the zone", id="apex, prefix"),
        pytest.param("example.com", {"txtPrefix": "%{record_type}."}, None, id="apex, prefix with a label of its own"),
        pytest.param("*.example.com", {}, "many providers refuse a-*.example.com", id="wildcard"),
        pytest.param("*.example.com", {"txtWildcardReplacement": "any"}, None, id="wildcard that is replaced"),
        pytest.param(f"{'a' * 60}.example.com", {"txtPrefix": "reg."}, None, id="prefix that is a label"),
        pytest.param(f"{'a' * 60}.example.com", {"txtPrefix": "reg-"}, "is too long", id="prefix that is too long"),
    ],
)
def test_what_external_dns_could_not_own_is_refused(
    hostname: str, consumer: dict[str, str], problem: str | None
) -> None:
    given = {"version": "0.21", **consumer}
    where = Zone.model_validate({"domain": "example.com", "provider": "external-dns", "consumer": given})
    if problem is None:
        assert converted(ADDRESS, hostname=hostname, where=where)
    else:
        rule, reason = refusal_of(ADDRESS, hostname=hostname, where=where)
        assert rule == "consumer-capability"
        assert problem in reason


def test_a_target_is_absolute() -> None:
    case = BUGS["BC-C03"]
    where = Zone(domain=case["input"]["zone"], provider="cloudflare", zone_id="z1")
    record = case["input"]["record"]
    (cname,) = converted(
        *(Target("Hostname", value) for value in record["values"]), hostname=record["name"], where=where
    )
    assert cname.values[0] + "." == case["expect"]["absolute_target"]


def test_a_record_has_its_full_name() -> None:
    case = BUGS["BC-C04"]
    record = case["input"]["record"]
    (a,) = converted(*(Target("IPAddress", value) for value in record["values"]), hostname=record["label"])
    assert a.name == case["expect"]["fqdn"]
    assert a.ttl == record["ttl"]


def test_a_cname_at_the_apex_depends_on_the_provider() -> None:
    case = BUGS["BC-C11"]
    record = case["input"]["records"][0]
    targets = [Target("Hostname", value) for value in record["values"]]
    assert refusal_of(*targets, hostname=record["name"], where=zone("route53"))[0] == case["expect"]["rule"]
    assert converted(*targets, hostname=record["name"])


TARGETS = st.one_of(
    st.ip_addresses().map(lambda address: Target("IPAddress", str(address))),
    st.sampled_from([EDGE, Target("Hostname", "Edge.example.net."), Target("Hostname", "b.example.net"), ADDRESS]),
    st.sampled_from(
        [Target("Hostname", "lb.eu-west-1.elb.amazonaws.com"), Target("IPAddress", "x"), Target("Hostname", "")]
    ),
)


@given(
    targets=st.lists(TARGETS, max_size=4),
    provider=st.sampled_from(PROVIDERS),
    hostname=st.sampled_from(["example.com", "www.example.com", "*.example.com"]),
    prefer_cname=st.booleans(),
    ttl=st.one_of(st.none(), st.integers(0, 100000)),
)
def test_conversion_gives_valid_records_or_a_known_rule(
    targets: list[Target], provider: Provider, hostname: str, prefer_cname: bool, ttl: int | None
) -> None:
    options = ConversionOptions(prefer_cname=prefer_cname, ttl=ttl)
    try:
        rrsets = convert(hostname, targets, zone(provider), options)
    except Refused:
        return
    assert rrsets
    types = [rrset.type for rrset in rrsets]
    assert types in (["A"], ["AAAA"], ["A", "AAAA"], ["CNAME"])
    for rrset in rrsets:
        assert bool(rrset.values) != bool(rrset.alias)
        assert (rrset.ttl is None) == bool(rrset.alias)
        assert (rrset.proxied is None) == (provider != "cloudflare")
        assert len(set(rrset.values)) == len(rrset.values)
        assert not any(value.endswith(".") for value in rrset.values)
