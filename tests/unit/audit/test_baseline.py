"""The baseline of names: whose each record is, and how it comes back."""

import pytest

from edge_dns.cli.baseline_text import restore_lines, zone_file_lines
from edge_dns.core.baseline import NameBaseline, ZoneBaseline, baselines
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.settings import Zone

CLOUDFLARE = Zone(domain="example.com", provider="cloudflare", zone_id="z1")
ROUTE53 = Zone(domain="example.org", provider="route53", zone_id="Z2")
PRIVATE = Zone(domain="example.com", provider="route53", zone_id="Z3", visibility="private")
NAME, OTHER = "media.example.com", "media.example.org"
HERITAGE = "heritage=external-dns,external-dns/owner={},external-dns/resource=httproute/team/media"


def cf(name: str, kind: str, content: str, **more: object) -> LiveRecord:
    answer = {"id": f"{kind}-{content}", "name": name, "type": kind, "content": content, "ttl": 1}
    return cloudflare_record("z1", {**answer, **more})


def r53(name: str, kind: str, *values: str, zone: str = "Z2") -> LiveRecord:
    records = [{"value": value} for value in values]
    return route53_record(zone, {"name": name, "type": kind, "ttl": 300, "resourceRecords": records})


def heritage(owner: str = "prod") -> str:
    return f'"{HERITAGE.format(owner)}"'


OWN = [
    cf(NAME, "A", "203.0.113.7"),
    r53(OTHER, "A", "203.0.113.7"),
    r53(f"_edge-dns.{OTHER}", "TXT", '"edge-dns/1 x y"'),
]
ZONE_RECORDS = [
    *OWN,
    cf(NAME, "AAAA", "2001:db8::7", proxied=True),
    cf(f"aaaa-{NAME}", "TXT", heritage()),
    cf(f"cname-{NAME}", "TXT", heritage("lan")),
    cf(NAME, "TXT", '"v=spf1 -all"'),
    cf(f"x.{NAME}", "A", "198.51.100.1"),
    cf("other.example.com", "A", "198.51.100.2"),
    r53("example.org", "SOA", "ns. host. 1 2 3 4 5"),
    r53("example.org", "NS", "ns1.example.net."),
    r53(NAME, "A", "10.0.0.7", zone="Z3"),
]


def live(*records: LiveRecord) -> Live:
    by_zone: dict[str, list[LiveRecord]] = {"z1": [], "Z2": [], "Z3": []}
    for one in records:
        by_zone[one.import_id.replace("/", "_").partition("_")[0]].append(one)
    domains = {"z1": "example.com", "Z2": "example.org", "Z3": "example.com"}
    return Live(
        owner="edge-dns/test",
        announced=None,
        import_ids={f"slot-{number}": one.import_id for number, one in enumerate(OWN)},
        zones={key: LiveZone.of(domains[key], found) for key, found in by_zone.items()},
    )


def found(*hostnames: str, zones: tuple[Zone, ...] = (ROUTE53, CLOUDFLARE)) -> tuple[ZoneBaseline, ...]:
    return baselines(hostnames, zones, live(*ZONE_RECORDS))


def named(name: NameBaseline) -> dict[str, list[str]]:
    """What each hand holds of a name, by type or, of registries, by name."""
    theirs = {
        one.owner: [*(record.type for record in one.records), *(record.name for record in one.registry)]
        for one in name.external
    }
    return {"own": [one.type for one in name.own], **theirs, "others": [one.type for one in name.others]}


def test_each_record_of_a_name_is_told_by_whose_hand_it_comes_back() -> None:
    first, second = found(NAME, OTHER)
    assert [named(one) for one in first.names] == [
        {"own": ["A"], "lan": [f"cname-{NAME}"], "prod": ["AAAA", f"aaaa-{NAME}"], "others": ["TXT"]}
    ]
    assert [named(one) for one in second.names] == [{"own": ["A", "TXT"], "others": []}]
    assert (first.domain, second.domain) == ("example.com", "example.org")
    # Nothing of names that were not asked for, also not of those below.
    assert {record.name for record in first.records} == {NAME, f"aaaa-{NAME}", f"cname-{NAME}"}
    assert list(first.records) == sorted(first.records, key=lambda one: (one.name, one.type, one.values))


def test_every_zone_that_holds_a_name_is_in_it_and_no_other() -> None:
    assert [zone.zone_id for zone in found(NAME, zones=(CLOUDFLARE, ROUTE53, PRIVATE))] == ["Z3", "z1"]
    assert found("gone.example.com") == ()
    assert found(NAME, zones=(ROUTE53,)) == ()


def test_the_procedure_has_a_part_for_each_hand() -> None:
    text = "\n".join(restore_lines("prod", found(NAME, OTHER)))
    own, lan, prod, others = text.split("\n\n")[1:]
    assert f"  {NAME}  A 203.0.113.7\n  {OTHER}  A 203.0.113.7\n" in own
    pack = "      --policy-pack policy --policy-pack-config stacks/prod-policy.json\n"
    assert f"  pulumi preview --stack prod \\\n{pack}" in own
    assert f"  pulumi up --stack prod --continue-on-error \\\n{pack}" in own
    assert lan.startswith("Records of the external-dns with --txt-owner-id=lan,")
    assert prod.endswith(
        f'  aaaa-{NAME}. 1 IN TXT "{HERITAGE.format("prod")}"\n    ; ttl 1 is automatic\n'
        f"  {NAME}. 1 IN AAAA 2001:db8::7\n    ; ttl 1 is automatic, proxied"
    )
    assert others.endswith(f"  {NAME}  TXT v=spf1 -all")
    assert max(len(line) for line in text.splitlines() if " IN " not in line) <= 78


def test_without_a_name_there_is_nothing_to_restore() -> None:
    assert list(restore_lines("prod", ())) == [
        "Baseline of stack prod: no record of a name that would be withdrawn, as the",
        "providers held them.",
    ]
    assert next(restore_lines("prod", (), ("gone.example.com",))).startswith(
        "Baseline of stack prod: no record of gone.example.com, as"
    )


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        pytest.param(r53(OTHER, "A", "8.8.8.8", "1.1.1.1"), ["300 IN A 1.1.1.1", "300 IN A 8.8.8.8"], id="two values"),
        pytest.param(r53(OTHER, "CNAME", "Edge.example.net."), ["300 IN CNAME edge.example.net."], id="name"),
        pytest.param(r53(OTHER, "MX", "10 mail.example.net."), ["300 IN MX 10 mail.example.net."], id="as it is"),
        pytest.param(r53(OTHER, "TXT", r'"a \"b\" \\ c"'), [r'300 IN TXT "a \"b\" \\ c"'], id="quotes"),
        pytest.param(
            r53(OTHER, "TXT", f'"{"x" * 255}" "{"x" * 45}"'), [f'300 IN TXT "{"x" * 255}" "{"x" * 45}"'], id="long text"
        ),
    ],
)
def test_records_are_written_as_in_a_zone_file(record: LiveRecord, lines: list[str]) -> None:
    assert list(zone_file_lines(record)) == [f"{OTHER}. {line}" for line in lines]


def test_an_alias_has_no_line_in_a_zone_file_but_a_comment() -> None:
    target = {"dnsName": "lb.example.net.", "hostedZoneId": "Z9", "evaluateTargetHealth": True}
    record = route53_record("Z2", {"name": OTHER, "type": "A", "ttl": 0, "aliasTarget": target})
    assert list(zone_file_lines(record)) == [
        f"; {OTHER}. A alias lb.example.net. (hosted zone Z9, EvaluateTargetHealth true)"
    ]
