"""The policy pack on the real engine: what it stops, when, and what it lets through."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from policy.policies import POLICIES
from tests.engine.policy_cases import CASES, LATER, PROGRAM, TOGETHER
from tests.engine.policy_stack import PolicyStack, open_policy_stack

SDK_PROGRAM = """
import pulumi
import pulumi_aws as aws
import pulumi_cloudflare as cloudflare
import pulumi_kubernetes as kubernetes

zones = pulumi.Config().require_object("zones")
cloudflare.DnsRecord("cf-private", zone_id=zones["cloudflare"], name="cf-private.example.com", type="A",
                     content="10.0.0.5", ttl=300)
cloudflare.DnsRecord("cf-proxied", zone_id=zones["cloudflare"], name="cf-proxied.example.com", type="CNAME",
                     content="edge.example.org", proxied=True, ttl=300)
aws.route53.Record("aws-private", zone_id=zones["route53"], name="aws-private.example.net", type="A",
                   records=["192.0.2.1", "100.64.0.1"], ttl=300)
aws.route53.Record("aws-overwrite", zone_id=zones["route53"], name="aws-overwrite.example.net", type="A",
                   records=["192.0.2.1"], ttl=300, allow_overwrite=True)
kubernetes.apiextensions.CustomResource("route", api_version="gateway.networking.k8s.io/v1", kind="HTTPRoute",
                                        metadata={"name": "admin"}, spec={"hostnames": ["admin.example.com"]})
kubernetes.core.v1.Service("service", metadata={
    "name": "web", "annotations": {"external-dns.alpha.kubernetes.io/hostname": "web.example.com"}})
kubernetes.apiextensions.CustomResource("endpoint", api_version="externaldns.k8s.io/v1alpha1", kind="DNSEndpoint",
                                        metadata={"name": "names"}, spec={"endpoints": [
    {"dnsName": "db.example.com", "recordType": "CNAME", "targets": ["db.internal"]}]})
"""


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[PolicyStack]:
    with open_policy_stack(tmp_path) as opened:
        yield opened


def rules(stack: PolicyStack, *, route53: str = "public", **more: object) -> dict[str, object]:
    """The pack's configuration: the two zones of the stack, a private one, and an internal name."""
    allowed = {"namespaces": {}, "names": ["(([^f]|f[^o]).*)?"], "types": ["A", "AAAA", "CNAME", "TXT"]}
    zones = [
        {
            "domain": "example.com",
            "provider": "cloudflare",
            "zoneId": stack.zones["cloudflare"],
            "allowedRecordSets": [allowed],
        },
        {"domain": "example.net", "provider": "route53", "zoneId": stack.zones["route53"], "visibility": route53},
        {"domain": "lan.example.net", "provider": "route53", "zoneId": "Z0PRIVATE", "visibility": "private"},
    ]
    return {"settings": {"zones": zones, "internalNames": ["wiki.example.com"], **more}}


def test_each_violation_fails_the_preview_of_resources_declared_with_the_official_sdks(stack: PolicyStack) -> None:
    stack.declare(SDK_PROGRAM)
    run = stack.preview({})
    assert run.status != 0
    assert set(run.violations) == {
        ("private-address-public-zone", "cf-private"),
        ("private-address-public-zone", "aws-private"),
        ("allow-overwrite", "aws-overwrite"),
        ("proxied-ttl", "cf-proxied"),
        ("internal-route-annotation", "route"),
        ("internal-route-annotation", "service"),
        ("dnsendpoint-selects-internal", "endpoint"),
    }


def test_each_violation_fails_the_preview_and_its_text_starts_with_the_rule(stack: PolicyStack) -> None:
    stack.declare(PROGRAM, *(case.violating() for case in CASES))
    run = stack.preview(rules(stack))
    assert run.status != 0
    # The rules across records have their say too: two of the cases stand at one name.
    assert set(run.violations) == {*((case.rule, case.name) for case in CASES), ("cname-coexistence", "apex")}
    assert all(f"\n{rule}: " in text for (rule, _), text in run.violations.items())


def test_each_violation_stops_an_update_before_a_provider_is_called(stack: PolicyStack) -> None:
    # One by one: the first violation ends the registrations of an update.
    for case in {case.rule: case for case in CASES}.values():
        stack.declare(PROGRAM, case.violating())
        run = stack.update(rules(stack))
        assert run.status != 0
        assert set(run.violations) == {(case.rule, case.name)}
    assert stack.calls() == 0


def test_violations_across_records_stop_the_preview(stack: PolicyStack) -> None:
    stack.declare(PROGRAM, *(case.violating() for case in TOGETHER))
    run = stack.preview(rules(stack))
    assert run.status != 0
    assert set(run.violations) == {
        *((case.rule, case.name) for case in TOGETHER),
        ("cname-loop", "circle-back"),
    }


def test_the_lawful_twins_pass_preview_and_update(stack: PolicyStack) -> None:
    """Bug cases: BC-J02."""
    stack.declare(PROGRAM, *(case.lawful() for case in (*CASES, *TOGETHER)))
    for run in (stack.preview(rules(stack)), stack.update(rules(stack))):
        assert (run.status, run.violations) == (0, {}), run.output
    assert {"cf-address.example.com", "aws-address.example.net", "www.example.net"} <= stack.published()
    # The same rules judge the finished state, without the program.
    assert stack.analyze(rules(stack))[0] == 0
    status, output = stack.analyze(rules(stack, internalNames=["cf-address.example.com"]))
    assert status != 0
    assert "internal-name-public-zone: record cf-address.example.com" in output


def test_a_guarded_value_that_is_not_known_yet_fails_the_preview(stack: PolicyStack) -> None:
    """Bug cases: BC-J01."""
    stack.declare(PROGRAM, LATER, *(case.unknown() for case in CASES))
    run = stack.preview(rules(stack))
    assert run.status != 0
    assert set(run.violations) >= {(case.rule, case.name) for case in CASES}
    assert all("unknown-guarded-value: " in text for text in run.violations.values())


def test_a_value_that_is_not_known_yet_fails_the_rules_across_records_too(stack: PolicyStack) -> None:
    # A name that is unknown is stopped by the rules about one record; in a private zone they ask for no target.
    expected = {case.rule for case in TOGETHER} - {"cname-coexistence", "host-claimed-twice"}
    stack.declare(PROGRAM, LATER, *(case.unknown() for case in TOGETHER if case.rule in expected))
    run = stack.preview(rules(stack, route53="private"))
    assert run.status != 0
    found = {rule for (rule, _), text in run.violations.items() if "unknown-guarded-value: " in text}
    assert found >= expected


def test_the_settings_say_what_is_private_who_is_excepted_and_what_is_wrong_with_them(stack: PolicyStack) -> None:
    stack.declare(PROGRAM, *(case.violating() for case in CASES[:2]))
    run = stack.preview(rules(stack, route53="private"))
    assert set(run.violations) == {("private-address-public-zone", "cf-address")}
    exceptions = [
        {"rule": "private-address-public-zone", "name": "cf-address.example.com", "reason": "tests", "expires": day}
        for day in ("2999-12-31", "2020-01-01")
    ]
    run = stack.preview(rules(stack, route53="private", exceptions=exceptions[:1]))
    assert (run.status, run.violations) == (0, {})
    assert "cf-address.example.com may break rule" in run.advice["exceptions", "policy-test-test"]
    run = stack.preview(rules(stack, route53="private", exceptions=exceptions[1:]))
    assert set(run.violations) == {("private-address-public-zone", "cf-address")}
    assert "ended on 2020-01-01: tests" in run.advice["exception-expired", "policy-test-test"]
    run = stack.preview(rules(stack, internalNames=["no name"]))
    assert "internalNames: " in run.violations["settings", "policy-test-test"]


def test_every_policy_is_seen_at_work() -> None:
    seen = {case.rule for case in (*CASES, *TOGETHER)} | {"settings", "exceptions", "exception-expired"}
    # The first is advice; the provider itself refuses what the second is about, before any policy is asked.
    assert {policy.name for policy in POLICIES} == seen | {"target-dangling", "alias-ttl"}
