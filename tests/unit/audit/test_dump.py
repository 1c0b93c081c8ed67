"""What `edge-dns dump` prints of a zone."""

from edge_dns.cli.dump import adopt_setting, yaml_text, zone_document
from edge_dns.core import yaml_text as yaml_values
from edge_dns.core.live import LiveRecord, cloudflare_record
from edge_dns.core.settings import load_settings
from edge_dns.observe.questions import ZoneAnswer
from tests.unit.audit.zones import OURS, THEIRS, cf, mark, r53
from tests.unit.plan.world import ZONES


def zone(*records: LiveRecord) -> ZoneAnswer:
    if records[0].import_id.startswith("z1"):
        return ZoneAnswer(
            domain="example.com", provider="cloudflare", zone_id="z1", visibility="public", records=records
        )
    return ZoneAnswer(domain="example.org", provider="route53", zone_id="Z2", visibility="public", records=records)


def test_a_zone_is_printed_with_all_its_records_and_reads_back_as_it_was() -> None:
    target = {"dnsName": "lb.example.net.", "hostedZoneId": "Z9", "evaluateTargetHealth": True}
    dumped = zone_document(
        zone(
            r53("1e3.example.org", "10 mail.example.net.", kind="MX"),
            r53("a.example.org", kind="A", aliasTarget=target),
            r53("w.example.org", "198.51.100.7", kind="A", setIdentifier="blue"),
        )
    )
    assert dumped["records"] == [
        {
            "name": "1e3.example.org",
            "type": "MX",
            "values": ["10 mail.example.net."],
            "ttl": 300,
            "alias": None,
            "proxied": None,
            "comment": "",
            "importId": "Z2_1e3.example.org_MX",
        },
        {
            "name": "a.example.org",
            "type": "A",
            "values": [],
            "ttl": None,
            "alias": {"name": "lb.example.net.", "zoneId": "Z9", "evaluateTargetHealth": True},
            "proxied": None,
            "comment": "",
            "importId": "Z2_a.example.org_A",
        },
        {
            "name": "w.example.org",
            "type": "A",
            "values": ["198.51.100.7"],
            "ttl": 300,
            "alias": None,
            "proxied": None,
            "comment": "",
            "importId": "Z2_w.example.org_A_blue",
            "setIdentifier": "blue",
        },
    ]
    assert yaml_values.load(yaml_text(dumped)) == dumped


def test_the_priority_of_a_record_at_cloudflare_is_part_of_its_value_as_in_a_zone_file() -> None:
    answer = {"id": "r", "name": "example.com", "type": "MX", "content": "mail.example.net", "priority": 10.0}
    assert cloudflare_record("z1", answer).values == ("10 mail.example.net",)
    assert cloudflare_record("z1", {**answer, "type": "CNAME", "priority": 0.0}).values == ("mail.example.net",)


def test_the_setting_for_adoption_names_what_no_stack_has_marked() -> None:
    at_cloudflare = zone(
        cf("old.example.com", "198.51.100.7", "A", comment=""),
        cf("old.example.com", "198.51.100.8", "A", comment="by hand"),
        cf("ours.example.com", "edge.example.net", comment=OURS),
        cf("theirs.example.com", "edge.example.net", comment=THEIRS),
        cf("example.com", "text", kind="TXT", comment=""),
    )
    at_route53 = zone(
        r53("old.example.org", "edge.example.net"),
        r53("*.example.org", "edge.example.net"),
        r53("ours.example.org", "edge.example.net"),
        mark("ours.example.org"),
        r53("blue.example.org", "198.51.100.7", kind="A", setIdentifier="blue"),
    )
    found = [adopt_setting(one)["config"] for one in (at_cloudflare, at_route53)]
    assert found == [
        {"edge-dns:adopt": ["old.example.com"]},
        {"edge-dns:adopt": ["*.example.org", "old.example.org"]},
    ]
    adopted = load_settings({"zones": ZONES, **found[1]}).adopt  # type: ignore[dict-item]  # a mapping, as compared
    assert [one.hostname for one in adopted] == ["*.example.org", "old.example.org"]
