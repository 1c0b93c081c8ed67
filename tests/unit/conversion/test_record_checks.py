"""What may stand in a public zone, and which records may stand together."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.conversion import check_beside, check_public, check_together
from edge_dns.core.rules import Level, Refused
from edge_dns.core.settings import Zone
from edge_dns.core.values import Alias, Provider, RecordType, RRset, Visibility
from edge_dns.core.zones import ZoneIndex

DATA = Path(__file__).parent / "data"
BUGS = {case["id"]: case for case in yaml.safe_load((DATA / "bug_cases.yaml").read_text())}


def zone(domain: str = "example.com", visibility: Visibility = "public", provider: Provider = "route53") -> Zone:
    return Zone(
        domain=domain, provider=provider, zone_id=f"{domain}-{visibility}".replace(".", "-"), visibility=visibility
    )


ZONES = ZoneIndex.of(
    [zone(), zone(visibility="private"), zone("corp.example", "private"), zone("sub.example.com", "private")]
)


def record(*values: str, name: str = "www.example.com", kind: RecordType = "A", zone_id: str = "z1") -> RRset:
    return RRset(zone_id=zone_id, name=name, type=kind, values=values, ttl=300)


def alias(target: str) -> RRset:
    target_of = Alias(name=f"{target}.", zone_id="Z2", evaluate_target_health=True)
    return RRset(zone_id="z1", name="www.example.com", type="A", values=(), ttl=None, alias=target_of)


@pytest.mark.parametrize("value", ["10.0.0.1", "192.168.10.20", "fd00::1", "64:ff9b::c0a8:214", "ff02::1", "127.0.0.1"])
def test_no_address_that_is_not_global_goes_to_a_public_zone(value: str) -> None:
    rrset = record("8.8.8.8", value) if "." in value else record(value, kind="AAAA")
    with pytest.raises(Refused, match="private-address-public-zone") as refused:
        check_public([rrset], zone(), ZONES)
    assert value in refused.value.refusal.reason


@pytest.mark.parametrize(
    "rrset",
    [
        record("web.team.svc.cluster.local", kind="CNAME"),
        record("app.corp.example", kind="CNAME"),
        record("app.sub.example.com", kind="CNAME"),
        alias("dualstack.internal-app-1.eu-west-1.elb.amazonaws.com"),
    ],
    ids=lambda rrset: rrset.alias.name if rrset.alias else rrset.values[0],
)
def test_no_internal_target_goes_to_a_public_zone(rrset: RRset) -> None:
    with pytest.raises(Refused, match="internal-name-public-zone"):
        check_public([rrset], zone(), ZONES)


@pytest.mark.parametrize("name", ["app.sub.example.com", "sub.example.com", "*.sub.example.com"])
def test_no_name_of_a_private_zone_goes_to_a_public_one(name: str) -> None:
    with pytest.raises(Refused, match=r"internal-name-public-zone.*zone sub.example.com of the settings is private"):
        check_public([record("8.8.8.8", name=name)], zone(), ZONES)


def test_everything_may_stand_in_a_private_zone() -> None:
    rrsets = [record("10.0.0.1"), record("app.corp.example", kind="CNAME"), record("203.0.113.7")]
    assert check_public(rrsets, zone(visibility="private"), ZONES) == ()


def test_documentation_addresses_are_warned_about_once_each() -> None:
    rrsets = [record("203.0.113.7", "8.8.8.8", "203.0.113.7"), record("2001:db8::7", kind="AAAA")]
    found = check_public(rrsets, zone(), ZONES)
    assert [(refusal.rule, refusal.level) for refusal in found] == [("documentation-address", Level.WARNING)] * 2


@pytest.mark.parametrize(
    "rrset",
    [
        record("8.8.8.8"),
        record("edge.example.net", kind="CNAME"),
        record("app.example.com", kind="CNAME"),
        alias("dualstack.lb-1.eu-west-1.elb.amazonaws.com"),
    ],
    ids=["address", "foreign name", "name in a zone of both visibilities", "alias"],
)
def test_public_targets_pass_without_a_word(rrset: RRset) -> None:
    assert check_public([rrset], zone(), ZONES) == ()


def test_a_cname_beside_a_foreign_record_is_refused() -> None:
    case = BUGS["BC-C10"]
    cname, other = case["input"]["records"]
    wanted = record(*cname["values"], name=cname["name"], kind="CNAME")
    with pytest.raises(Refused, match=case["expect"]["rule"]):
        check_beside([wanted], {other["type"]}, zone(provider="route53"))
    check_beside([wanted], {other["type"], "MX", "CAA"}, zone(provider="cloudflare"))
    check_beside([record("8.8.8.8")], {other["type"]}, zone(provider="route53"))


@pytest.mark.parametrize("other", ["A", "AAAA", "NS"])
def test_a_cname_beside_an_address_or_delegation_is_refused_on_cloudflare_too(other: str) -> None:
    with pytest.raises(Refused, match=f"cname-coexistence.*{other}"):
        check_beside([record("edge.example.net", kind="CNAME")], {other}, zone(provider="cloudflare"))


def cname(name: str, target: str, zone_id: str = "z1") -> RRset:
    return record(target, name=name, kind="CNAME", zone_id=zone_id)


@pytest.mark.parametrize(
    ("rrsets", "expected"),
    [
        ([record("8.8.8.8"), record("2606:4700::1", kind="AAAA")], {}),
        ([record("8.8.8.8"), record("8.8.8.8", zone_id="z2")], {}),
        ([record("8.8.8.8"), record("8.8.4.4")], {("z1", "www.example.com"): "duplicate-record"}),
        (
            [record("8.8.8.8"), record("edge.example.net", kind="CNAME")],
            {("z1", "www.example.com"): "cname-coexistence"},
        ),
        ([cname("a.x", "b.x"), cname("b.x", "c.x")], {}),
        (
            [cname("a.x", "b.x"), cname("b.x", "c.x", "z2"), cname("c.x", "b.x"), cname("z.x", "a.x")],
            {("z2", "b.x"): "cname-loop", ("z1", "c.x"): "cname-loop"},
        ),
    ],
    ids=["two types", "two zones", "one type twice", "cname beside", "chain", "circle through zones"],
)
def test_records_that_clash_are_refused_by_name(rrsets: list[RRset], expected: dict[tuple[str, str], str]) -> None:
    assert {key: refusal.rule for key, refusal in check_together(rrsets).items()} == expected


def test_the_circle_is_spelled_out() -> None:
    (first, _) = check_together([cname("a.x", "b.x"), cname("b.x", "a.x")]).values()
    assert first.reason == "CNAMEs in a circle: a.x → b.x → a.x"


NAMES = st.sampled_from(list("abcdef"))


@given(st.dictionaries(NAMES, NAMES))
def test_exactly_the_names_that_come_back_to_themselves_are_in_a_circle(targets: dict[str, str]) -> None:
    def returns(name: str) -> bool:
        at: str | None = name
        for _ in targets:
            at = targets.get(at) if at else None
            if at == name:
                return True
        return False

    found = check_together(cname(name, target) for name, target in targets.items())
    assert {name for _, name in found} == {name for name in targets if returns(name)}
