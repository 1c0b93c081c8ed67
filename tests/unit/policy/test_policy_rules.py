"""The rules of the policy pack as pure functions, and what happens to values that are unknown at preview."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi_policy import PolicyCustomTimeouts, PolicyResourceOptions, ResourceValidationArgs
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_STRING_VALUE,
    unknown_checking_proxy,
)

from edge_dns.core.rules import RULES
from policy import exposure, ownership, provider_limits
from policy.exposure import private_address_public_zone
from policy.ownership import allow_overwrite, records_exclusive
from policy.provider_limits import proxied_ttl
from policy.rule import Check, find_violation

ZONE = "zone-1"
PRIVATE = {"privateZones": ["zone-1"]}
# Of 80 columns the engine takes ten to indent the text.
MAX_WIDTH = 70
POLICIES = [*exposure.POLICIES, *ownership.POLICIES, *provider_limits.POLICIES]


def cloudflare(**properties: object) -> Mapping[str, object]:
    record = {"zoneId": ZONE, "name": "app.example.com", "type": "A", "content": "1.1.1.1", "ttl": 300.0}
    return unknown_checking_proxy(record | properties)


def route53(**properties: object) -> Mapping[str, object]:
    record = {"zoneId": ZONE, "name": "app.example.com", "type": "A", "records": ["1.1.1.1"], "ttl": 300.0}
    return unknown_checking_proxy(record | properties)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(cloudflare(content="10.0.0.5"), id="cloudflare private use"),
        pytest.param(cloudflare(type="AAAA", content="fd00::1"), id="cloudflare unique local"),
        pytest.param(cloudflare(type="AAAA", content="64:ff9b::a00:5"), id="cloudflare NAT64 of a private address"),
        pytest.param(cloudflare(type="a", content="10.0.0.5"), id="type in lower case"),
        pytest.param(cloudflare(content=None, value="10.0.0.5"), id="older name of the content"),
        pytest.param(cloudflare(content="app.internal"), id="no address at all"),
        pytest.param(route53(records=["1.1.1.1", "100.64.0.1"]), id="one of several is shared address space"),
        pytest.param(route53(type="AAAA", records=["fe80::1"]), id="route53 link-local"),
        pytest.param(route53(records=["10.0.0.5"], zoneId=UNKNOWN_STRING_VALUE), id="an unknown zone is public"),
        pytest.param({"type": "A", "name": "app.example.com", "content": "10.0.0.5"}, id="no zone at all"),
    ],
)
@pytest.mark.parametrize("parameters", [{}, {"privateZones": ["zone-2"]}], ids=["no private zones", "another zone"])
def test_an_address_that_is_not_globally_routable_is_refused_in_a_public_zone(
    record: Mapping[str, object], parameters: Mapping[str, object]
) -> None:
    assert private_address_public_zone(record, parameters) is not None


@pytest.mark.parametrize(
    ("record", "parameters"),
    [
        pytest.param(cloudflare(), {}, id="cloudflare public address"),
        pytest.param(cloudflare(type="AAAA", content="2606:4700:4700::1111"), {}, id="cloudflare public IPv6 address"),
        pytest.param(route53(), {}, id="route53 public address"),
        pytest.param(cloudflare(content="192.0.2.1"), {}, id="documentation addresses are only warned of"),
        pytest.param(cloudflare(content="10.0.0.5"), PRIVATE, id="private zone"),
        pytest.param(cloudflare(content=UNKNOWN_STRING_VALUE), PRIVATE, id="unknown content in a private zone"),
        pytest.param(cloudflare(zoneId=UNKNOWN_STRING_VALUE), PRIVATE, id="public address in an unknown zone"),
        pytest.param(cloudflare(type="CNAME", content=UNKNOWN_STRING_VALUE), {}, id="tunnel that is yet to be created"),
        pytest.param(cloudflare(type="TXT", content="10.0.0.5"), {}, id="text"),
        pytest.param(route53(records=None, aliases=[{"name": "lb.example.net."}]), {}, id="route53 alias"),
    ],
)
def test_other_records_are_lawful(record: Mapping[str, object], parameters: Mapping[str, object]) -> None:
    assert private_address_public_zone(record, parameters) is None


@pytest.mark.parametrize("record", [route53(allowOverwrite=True), cloudflare(allowOverwrite=True)], ids=["aws", "old"])
def test_a_record_that_may_overwrite_a_foreign_one_is_refused(record: Mapping[str, object]) -> None:
    assert allow_overwrite(record, {}) is not None


@pytest.mark.parametrize(
    "record",
    [route53(), route53(allowOverwrite=False), route53(allowOverwrite=None)],
    ids=["omitted", "false", "null"],
)
def test_a_record_that_only_creates_is_lawful(record: Mapping[str, object]) -> None:
    assert allow_overwrite(record, {}) is None


def test_a_resource_that_takes_over_a_whole_zone_is_always_refused() -> None:
    assert records_exclusive({"zoneId": ZONE, "resourceRecordSets": []}, {}) is not None


@pytest.mark.parametrize("ttl", [0, 2, 60.0, 300], ids=str)
def test_a_proxied_record_with_a_ttl_of_its_own_is_refused(ttl: float) -> None:
    assert proxied_ttl(cloudflare(proxied=True, ttl=ttl), {}) is not None


@pytest.mark.parametrize(
    "record",
    [
        cloudflare(proxied=True, ttl=1.0),
        cloudflare(proxied=True, ttl=None),
        cloudflare(proxied=False),
        cloudflare(proxied=False, ttl=UNKNOWN_NUMBER_VALUE),
        cloudflare(),
    ],
    ids=["automatic", "provider's default", "not proxied", "not proxied, ttl unknown", "proxied omitted"],
)
def test_a_record_with_the_automatic_ttl_or_without_proxy_is_lawful(record: Mapping[str, object]) -> None:
    assert proxied_ttl(record, {}) is None


@pytest.mark.parametrize(
    ("rule", "check", "record", "path"),
    [
        ("private-address-public-zone", private_address_public_zone, cloudflare(type=UNKNOWN_STRING_VALUE), "type"),
        (
            "private-address-public-zone",
            private_address_public_zone,
            cloudflare(content=UNKNOWN_STRING_VALUE),
            "content",
        ),
        ("private-address-public-zone", private_address_public_zone, route53(records=UNKNOWN_ARRAY_VALUE), "records"),
        (
            "private-address-public-zone",
            private_address_public_zone,
            route53(records=["1.1.1.1", UNKNOWN_STRING_VALUE]),
            "records.1",
        ),
        ("allow-overwrite", allow_overwrite, route53(allowOverwrite=UNKNOWN_BOOLEAN_VALUE), "allowOverwrite"),
        ("proxied-ttl", proxied_ttl, cloudflare(proxied=UNKNOWN_BOOLEAN_VALUE), "proxied"),
        ("proxied-ttl", proxied_ttl, cloudflare(proxied=True, ttl=UNKNOWN_NUMBER_VALUE), "ttl"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unknown_guarded_value_is_a_violation(
    rule: str, check: Check, record: Mapping[str, object], path: str
) -> None:
    text = find_violation(rule, check, record, {})
    assert text is not None
    assert text.startswith("unknown-guarded-value: record app.example.com, zone zone-1\n")
    assert f"{path} is unknown" in text
    assert rule in text
    assert max(map(len, text.splitlines())) <= MAX_WIDTH


@pytest.mark.parametrize(
    ("rule", "check", "record", "shown"),
    [
        ("private-address-public-zone", private_address_public_zone, cloudflare(content="10.0.0.5"), "10.0.0.5"),
        ("allow-overwrite", allow_overwrite, route53(allowOverwrite=True), "true"),
        ("proxied-ttl", proxied_ttl, cloudflare(proxied=True, ttl=300.0), "ttl 300. Set"),
    ],
    ids=["private-address-public-zone", "allow-overwrite", "proxied-ttl"],
)
def test_a_violation_names_rule_record_zone_and_value_and_fits_the_terminal(
    rule: str, check: Check, record: Mapping[str, object], shown: str
) -> None:
    text = find_violation(rule, check, record, {})
    assert text is not None
    first, *rest = text.splitlines()
    assert first == f"{rule}: record app.example.com, zone zone-1"
    assert shown in " ".join(rest)
    assert max(map(len, text.splitlines())) <= MAX_WIDTH


def test_a_text_that_is_no_address_is_not_printed() -> None:
    text = find_violation("private-address-public-zone", private_address_public_zone, cloudflare(content="s3cr3t"), {})
    assert text is not None
    assert "s3cr3t" not in text


def test_unknown_name_and_zone_do_not_hide_a_violation() -> None:
    record = route53(allowOverwrite=True, name=UNKNOWN_STRING_VALUE, zoneId=UNKNOWN_STRING_VALUE)
    text = find_violation("allow-overwrite", allow_overwrite, record, {})
    assert text is not None
    assert text.startswith("allow-overwrite: record (unknown), zone (unknown)\n")


def test_a_lawful_record_has_no_violation() -> None:
    assert find_violation("proxied-ttl", proxied_ttl, cloudflare(), {}) is None


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_every_policy_is_a_mandatory_rule_of_the_table(policy: Any) -> None:
    assert policy.name in RULES
    assert policy.enforcement_level.value == "mandatory"


def reported(policy_name: str, resource_type: str, props: Mapping[str, object]) -> list[str]:
    options = PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
    args = ResourceValidationArgs(resource_type, props, "urn", "app", options, None)
    found: list[str] = []

    def report(message: str, urn: str | None) -> None:
        assert urn is None
        found.append(message)

    policy = next(policy for policy in POLICIES if policy.name == policy_name)
    policy.validate(args, report)
    return found


@pytest.mark.parametrize(
    ("policy_name", "resource_type", "record"),
    [
        ("private-address-public-zone", "cloudflare:index/dnsRecord:DnsRecord", cloudflare(content="10.0.0.5")),
        ("private-address-public-zone", "cloudflare:index/record:Record", cloudflare(content="10.0.0.5")),
        ("private-address-public-zone", "aws:route53/record:Record", route53(records=["10.0.0.5"])),
        ("allow-overwrite", "aws:route53/record:Record", route53(allowOverwrite=True)),
        ("allow-overwrite", "cloudflare:index/record:Record", cloudflare(allowOverwrite=True)),
        ("allow-overwrite", "aws:route53/recordsExclusive:RecordsExclusive", {"zoneId": ZONE}),
        ("proxied-ttl", "cloudflare:index/dnsRecord:DnsRecord", cloudflare(proxied=True)),
        ("proxied-ttl", "cloudflare:index/record:Record", cloudflare(proxied=True)),
    ],
)
def test_a_policy_reports_for_the_resource_types_of_its_rule_only(
    policy_name: str, resource_type: str, record: Mapping[str, object]
) -> None:
    assert [text.partition(":")[0] for text in reported(policy_name, resource_type, record)] == [policy_name]
    assert reported(policy_name, "aws:s3/bucket:Bucket", record) == []
