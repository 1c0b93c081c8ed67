import pytest

from local.plugins.route53_rules import Action, Alias, Change, RRset, Zone, violations

ZONE = Zone(id="Z1", name="example.com.")
WWW = "www.example.com."
A = RRset(name=WWW, type="A", values=("203.0.113.7",), ttl=300)
AAAA = RRset(name=WWW, type="AAAA", values=("2001:db8::7",), ttl=300)
CNAME = RRset(name=WWW, type="CNAME", values=("edge.example.net",), ttl=60)
TXT = RRset(name=WWW, type="TXT", values=('"text"',), ttl=300)


def alias(name: str, zone_id: str = "Z32O12XQLNTSW2", *, health: bool = False) -> RRset:
    return RRset(name=WWW, type="A", alias=Alias(name=name, zone_id=zone_id, evaluate_target_health=health))


def value(record_type: str, *values: str) -> RRset:
    return RRset(name=WWW, type=record_type, values=values, ttl=300)


def create(*rrsets: RRset) -> list[Change]:
    return [Change(action="CREATE", rrset=rrset) for rrset in rrsets]


def delete(rrset: RRset) -> Change:
    return Change(action="DELETE", rrset=rrset)


@pytest.mark.parametrize(
    ("existing", "batch"),
    [
        pytest.param([], create(A), id="new"),
        pytest.param([A], create(AAAA, TXT), id="other-types-at-a-name"),
        pytest.param([A], [delete(A), *create(CNAME)], id="a-to-cname-in-one-batch"),
        pytest.param([CNAME], [*create(A), delete(CNAME)], id="cname-to-a-whatever-the-order"),
        pytest.param([A], [Change(action="UPSERT", rrset=value("A", "203.0.113.9"))], id="upsert-over-existing"),
        pytest.param([], [Change(action="UPSERT", rrset=A)], id="upsert-of-new"),
        pytest.param([], create(value("A", "203.0.113.7", "203.0.113.9")), id="two-addresses"),
        pytest.param([], create(value("TXT", '"a" "b"', '"with \\" quote"')), id="texts"),
        pytest.param(
            [], create(RRset(name=r"\052.example.com.", type="A", values=("203.0.113.7",), ttl=0)), id="wildcard"
        ),
        pytest.param([], create(RRset(name="example.com.", type="A", values=("203.0.113.7",), ttl=60)), id="a-at-apex"),
        pytest.param([], create(alias("lb.eu-west-1.elb.amazonaws.com.", health=True)), id="alias-to-balancer"),
        pytest.param([], create(alias("d1.cloudfront.net.", "Z2FDTNDATAQYW2")), id="alias-to-cloudfront"),
        pytest.param(
            [RRset(name="a.example.com.", type="A", values=("203.0.113.7",), ttl=60)],
            create(alias("a.example.com.", "Z1")),
            id="alias-in-the-zone",
        ),
    ],
)
def test_a_batch_that_route_53_takes_is_without_violations(existing: list[RRset], batch: list[Change]) -> None:
    assert violations(ZONE, existing, batch) == []


@pytest.mark.parametrize(
    ("existing", "batch", "text"),
    [
        pytest.param([A], create(A), "type='A'] but it already exists", id="exists"),
        pytest.param([A], create(value("A", "203.0.113.9")), "but it already exists", id="exists-with-other-value"),
        pytest.param([], [delete(A)], "but it was not found", id="delete-missing"),
        pytest.param([A], [delete(value("A", "203.0.113.9"))], "do not match the current values", id="delete-drifted"),
        pytest.param([A], create(CNAME), "conflicts with other records", id="cname-beside-a"),
        pytest.param([TXT], create(CNAME), "conflicts with other records", id="cname-beside-txt"),
        pytest.param([CNAME], create(A), "a conflicting RRSet of type CNAME", id="a-beside-cname"),
        pytest.param([CNAME], create(TXT), "a conflicting RRSet of type CNAME", id="txt-beside-cname"),
        pytest.param([], create(A, CNAME), "conflicts with other records", id="both-in-one-batch"),
        pytest.param([A, AAAA], [delete(A), *create(CNAME)], "conflicts with other", id="a-to-cname-while-aaaa-stays"),
        pytest.param(
            [],
            create(RRset(name="example.com.", type="CNAME", values=("edge.example.net",), ttl=60)),
            "not permitted at apex in zone example.com.",
            id="cname-at-apex",
        ),
        pytest.param(
            [], create(value("CNAME", "a.example.net", "b.example.net")), "exactly one", id="cname-two-values"
        ),
        pytest.param(
            [],
            create(RRset(name="www.example.org.", type="A", values=("203.0.113.7",), ttl=60)),
            "RRSet with DNS name www.example.org. is not permitted in zone example.com.",
            id="other-zone",
        ),
        pytest.param(
            [],
            create(RRset(name="notexample.com.", type="A", values=("203.0.113.7",), ttl=60)),
            "not permitted in zone",
            id="suffix-without-label-boundary",
        ),
        pytest.param(
            [], create(RRset(name=WWW, type="A", values=("203.0.113.7",))), "found none in Change", id="no-ttl"
        ),
        pytest.param([], create(RRset(name=WWW, type="A", ttl=60)), "found none in Change", id="no-values"),
        pytest.param([], create(RRset(name=WWW, type="A", values=("203.0.113.7",), ttl=-1)), "Invalid TTL", id="ttl"),
        pytest.param([], create(value("A", "2001:db8::7")), "ARRDATAIllegalIPv4Address", id="ipv6-in-a"),
        pytest.param([], create(value("AAAA", "203.0.113.7")), "AAAARRDATAIllegalIPv6Address", id="ipv4-in-aaaa"),
        pytest.param([], create(value("A", "203.0.113.7", "203.0.113.7")), "Duplicate", id="duplicate"),
        pytest.param([], create(value("CNAME", "a..example.net")), "DomainLabelEmpty", id="empty-label"),
        pytest.param([], create(value("CNAME", "a b")), "RRDATANotSingleField", id="two-fields"),
        pytest.param([], create(value("CNAME", "a" * 64 + ".net")), "DomainLabelTooLong", id="long-label"),
        pytest.param([], create(value("TXT", "text")), "should be enclosed in quotation marks", id="unquoted"),
        pytest.param([], create(value("TXT", '"a"b"')), "should be enclosed in quotation marks", id="inner-quote"),
        pytest.param([], create(value("TXT", '"' + "x" * 256 + '"')), "CharacterStringTooLong", id="long-text"),
        pytest.param([], create(alias("lb.example.net.")), "does not lie within the target zone", id="alias-elsewhere"),
        pytest.param([], create(alias("d1.cloudfront.net.")), "does not lie within", id="alias-in-the-wrong-zone"),
        pytest.param(
            [],
            create(alias("d1.cloudfront.net.", "Z2FDTNDATAQYW2", health=True)),
            "EvaluateTargetHealth",
            id="health-of-cloudfront",
        ),
        pytest.param([AAAA], create(alias("a.example.com.", "Z1")), "that target was not found", id="alias-to-nothing"),
    ],
)
def test_a_batch_that_route_53_refuses_is_refused_in_its_words(
    existing: list[RRset], batch: list[Change], text: str
) -> None:
    assert text in "\n".join(violations(ZONE, existing, batch))


@pytest.mark.parametrize("action", ["CREATE", "UPSERT"])
def test_an_alias_with_values_beside_it_is_refused(action: Action) -> None:
    both = RRset(name=WWW, type="A", values=("203.0.113.7",), ttl=60, alias=alias("a.amazonaws.com.").alias)
    assert len(violations(ZONE, [], [Change(action=action, rrset=both)])) == 1
