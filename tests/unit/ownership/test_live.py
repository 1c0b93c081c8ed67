"""Live zones: the providers' answers in one normal form."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.live import (
    LiveRecord,
    LiveZone,
    cloudflare_record,
    normal_name,
    normal_value,
    route53_record,
    same_content,
)
from edge_dns.core.values import Alias, RRset

ALB = "front.eu-west-1.elb.amazonaws.com"
NLB = "front.elb.eu-west-1.amazonaws.com"
ALB_ZONE = "Z32O12XQLNTSW2"


def _route53(**answer: Any) -> LiveRecord:
    return route53_record("Z2", {"name": "www.example.org.", "type": "A", **answer})


def _alias(name: str, zone_id: str = ALB_ZONE, *, health: bool = True) -> dict[str, Any]:
    return {"aliasTarget": {"dnsName": name, "hostedZoneId": zone_id, "evaluateTargetHealth": health}}


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("WWW.Example.com.", "www.example.com"),
        (r"\052.example.com.", "*.example.com"),
        (r"\x52.example.com", r"\x52.example.com"),
        (" www.example.com ", "www.example.com"),
    ],
)
def test_a_name_is_brought_to_one_form(text: str, normal: str) -> None:
    assert normal_name(text) == normal


@pytest.mark.parametrize(
    ("kind", "text", "normal"),
    [
        ("A", "198.51.100.7", "198.51.100.7"),
        ("AAAA", "2001:DB8:0::7", "2001:db8::7"),
        ("A", "not an address", "not an address"),
        ("CNAME", "Edge.Example.NET.", "edge.example.net"),
        ("TXT", '"one" "two"', "onetwo"),
        ("TXT", r'"say \"hi\""', 'say "hi"'),
        ("TXT", "unquoted", "unquoted"),
        ("MX", "10 Mail.example.com.", "10 Mail.example.com."),
    ],
)
def test_a_value_is_brought_to_the_form_of_its_type(kind: str, text: str, normal: str) -> None:
    assert normal_value(kind, text) == normal


def test_a_cloudflare_record_is_known_by_zone_and_record_id() -> None:
    answer = {"id": "r1", "name": "WWW.example.com", "type": "CNAME", "content": "Edge.example.net", "ttl": 1.0}
    assert cloudflare_record("z1", {**answer, "proxied": True, "comment": "ours"}) == LiveRecord(
        import_id="z1/r1",
        name="www.example.com",
        type="CNAME",
        values=("edge.example.net",),
        ttl=1,
        proxied=True,
        comment="ours",
    )


def test_a_route_53_rrset_is_known_by_zone_name_and_type() -> None:
    values = [{"value": "198.51.100.9"}, {"value": "198.51.100.7"}]
    assert _route53(ttl=300.0, resourceRecords=values) == LiveRecord(
        import_id="Z2_www.example.org_A",
        name="www.example.org",
        type="A",
        values=("198.51.100.7", "198.51.100.9"),
        spelt=("198.51.100.7", "198.51.100.9"),
        ttl=300,
    )
    assert _route53(setIdentifier="blue").import_id == "Z2_www.example.org_A_blue"


@pytest.mark.parametrize("missing", ["id", "name", "type"])
def test_a_record_without_its_identity_is_no_answer(missing: str) -> None:
    answer = {"id": "r1", "name": "www.example.com", "type": "A", "content": "198.51.100.7"}
    with pytest.raises(ValueError, match=missing):
        cloudflare_record("z1", {key: value for key, value in answer.items() if key != missing})


@pytest.mark.parametrize(
    ("live", "same"),
    [
        pytest.param(_alias(f"dualstack.{ALB}."), True, id="equal"),
        pytest.param(_alias(f"{ALB.upper()}."), True, id="without dualstack and dot, upper case"),
        pytest.param(_alias(ALB, f"/hostedzone/{ALB_ZONE}"), True, id="hosted zone prefix"),
        pytest.param(_alias(ALB, health=False), False, id="target health"),
        pytest.param(_alias(ALB, "Z1"), False, id="other zone"),
        pytest.param(_alias(f"dualstack.{NLB}"), False, id="other name"),
        pytest.param({"ttl": 300, "resourceRecords": [{"value": "198.51.100.7"}]}, False, id="no alias"),
    ],
)
def test_aliases_are_compared_by_what_they_mean(live: dict[str, Any], same: bool) -> None:
    alias = Alias(name=f"dualstack.{ALB}.", zone_id=ALB_ZONE, evaluate_target_health=True)
    wanted = RRset(zone_id="Z2", name="www.example.org", type="A", values=(), ttl=None, alias=alias)
    # The lookup says 0 for a TTL that is not there.
    assert same_content(wanted, _route53(**{"ttl": 0, **live})) is same


def test_dualstack_is_part_of_the_name_where_no_such_name_exists_by_itself() -> None:
    alias = Alias(name=f"{NLB}.", zone_id="Z2IFOLAFXWLO4F", evaluate_target_health=True)
    wanted = RRset(zone_id="Z2", name="www.example.org", type="A", values=(), ttl=None, alias=alias)
    assert not same_content(wanted, _route53(**_alias(f"dualstack.{NLB}", "Z2IFOLAFXWLO4F")))


@pytest.mark.parametrize(
    ("live", "same"),
    [
        ({}, True),
        ({"content": "2001:DB8::7"}, True),
        ({"content": "2001:db8::8"}, False),
        ({"ttl": 300}, False),
        ({"proxied": True}, False),
        ({"type": "A"}, False),
        ({"comment": "by hand"}, True),
    ],
)
def test_records_are_compared_by_type_value_ttl_and_proxied(live: dict[str, Any], same: bool) -> None:
    wanted = RRset(zone_id="z1", name="a.example.com", type="AAAA", values=("2001:db8::7",), ttl=1, proxied=False)
    answer = {"id": "r1", "name": "a.example.com", "type": "AAAA", "content": "2001:db8::7", "ttl": 1, **live}
    assert same_content(wanted, cloudflare_record("z1", answer)) is same


def test_ns_below_the_apex_delegates() -> None:
    zone = LiveZone.of(
        "example.org",
        [_route53(name=name, type="NS") for name in ("example.org.", "Lab.example.org.")] + [_route53(type="TXT")],
    )
    assert zone.delegations == {"lab.example.org"}


def test_a_zone_with_names_of_another_domain_is_another_zone() -> None:
    with pytest.raises(ValueError, match=r"www\.example\.org.*another zone"):
        LiveZone.of("example.com", [_route53()])


RECORDS = st.lists(
    st.builds(
        LiveRecord,
        import_id=st.uuids().map(str),
        name=st.sampled_from(["example.org", "a.example.org", "b.example.org"]),
        type=st.sampled_from(["A", "NS", "TXT"]),
        values=st.tuples(st.sampled_from(["x", "y"])),
    ),
    unique_by=lambda record: record.import_id,
)


@given(RECORDS, st.randoms())
def test_the_order_of_reading_does_not_matter(records: list[LiveRecord], random: Any) -> None:
    shuffled = list(records)
    random.shuffle(shuffled)
    assert LiveZone.of("example.org", shuffled) == LiveZone.of("example.org", records)
