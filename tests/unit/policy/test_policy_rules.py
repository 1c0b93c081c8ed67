"""The rules about one resource as pure functions: what they refuse, what they let pass, what they say."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_policy import EnforcementLevel, ResourceValidationPolicy, StackValidationPolicy
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    unknown_checking_proxy,
)

from edge_dns.core.markers import RELEASED_COMMENT
from edge_dns.core.rules import RULES, Level
from policy.declared import DeclaredRegister, kind_of
from policy.exposure import (
    dnsendpoint_selects_internal,
    internal_name_public_zone,
    internal_route_annotation,
    private_address_public_zone,
    register_grew,
)
from policy.limits import alias_ttl, apex_ns, cname_apex, proxied_ttl, proxied_type, ttl_range
from policy.ownership import RECORDS_EXCLUSIVE, allow_overwrite, marker_missing
from policy.permission import record_not_allowed_by_zone, wildcard_opt_in
from policy.policies import POLICIES
from policy.rule import find_violation
from tests.unit.policy.resources import (
    CLOUDFLARE,
    ENDPOINT,
    MARKER,
    NONE,
    ROUTE,
    SERVICE,
    ZONES,
    cloudflare,
    cloudflare_props,
    endpoint,
    given,
    judge,
    kubernetes,
    record,
    route53,
    settings,
)

# Of 80 columns the engine takes ten to indent the text.
MAX_WIDTH = 70
SET = "edge:dns:EndpointRecordSet"
ALLOWING = settings(
    zones=[{**ZONES[0], "allowedRecordSets": [{"namespaces": {}, "names": ["@", "www"], "types": ["A"]}]}]
)
OPEN = settings(zones=[{**ZONES[0], "wildcards": True}])
ALIAS = [{"name": "lb.example.org.", "zoneId": "Z2", "evaluateTargetHealth": False}]
PUBLIC = {"edge-dns/exposure": "public"}
INTERNAL = {"edge-dns/exposure": "internal"}
HOSTNAME = {"external-dns.alpha.kubernetes.io/hostname": "web.example.com"}


def register(entries: object, before: object = None) -> DeclaredRegister:
    return DeclaredRegister(props=unknown_checking_proxy({"entries": entries, "before": before}))


REFUSED = [
    (private_address_public_zone, cloudflare(content="10.0.0.5"), "10.0.0.5 is not globally routable"),
    (private_address_public_zone, cloudflare(type="AAAA", content="fd00::1"), "fd00::1"),
    (private_address_public_zone, cloudflare(type="AAAA", content="64:ff9b::a00:5"), "embedded in IPv6"),
    (private_address_public_zone, cloudflare(type="a", content="10.0.0.5"), "10.0.0.5"),
    (private_address_public_zone, cloudflare(content=None, value="10.0.0.5"), "10.0.0.5"),
    (private_address_public_zone, cloudflare(content="app.internal"), "not an IP address"),
    (private_address_public_zone, route53(records=["1.1.1.1", "100.64.0.1"]), "100.64.0.1"),
    (private_address_public_zone, route53(type="AAAA", records=["fe80::1"]), "fe80::1"),
    (private_address_public_zone, route53(records=["10.0.0.5"], zoneId=UNKNOWN_STRING_VALUE), "10.0.0.5"),
    (private_address_public_zone, route53(records=["10.0.0.5"], zoneId="not listed"), "10.0.0.5"),
    (private_address_public_zone, route53(records=["10.0.0.5"], zoneId=None), "10.0.0.5"),
    (internal_name_public_zone, cloudflare(name="wiki.example.com"), "internalNames"),
    (internal_name_public_zone, cloudflare(name="WIKI.example.com."), "internalNames"),
    (internal_name_public_zone, cloudflare(name="wiki"), "internalNames"),
    (internal_name_public_zone, cloudflare(name="a.b.corp.example.com"), "internalNames"),
    (internal_name_public_zone, cloudflare(name="db.lan.example.com"), "zone lan.example.com is private"),
    (internal_name_public_zone, cloudflare(type="CNAME", content="db.lan.example.net"), "lan.example.net"),
    (internal_name_public_zone, cloudflare(type="CNAME", content="web.shop.svc.cluster.local."), "suffix local"),
    (internal_name_public_zone, cloudflare(type="CNAME", content="wiki.example.com"), "wiki.example.com"),
    (internal_name_public_zone, cloudflare(type="CNAME", content="localhost"), "no hostname with a dot"),
    (internal_name_public_zone, cloudflare(type="CNAME", content="db.internal", proxied=True), "db.internal"),
    (internal_name_public_zone, route53(aliases=[{"name": "DB.lan.example.net."}]), "db.lan.example.net"),
    (internal_name_public_zone, cloudflare(type="TXT", name="a-wiki.example.com", content="x"), "wiki.example.com"),
    (internal_name_public_zone, cloudflare(type="TXT", name="_edge-dns.wiki.example.com", content="x"), "wiki"),
    (internal_route_annotation, kubernetes(ROUTE), "is internal, and has no annotation"),
    (internal_route_annotation, kubernetes(ROUTE, labels=INTERNAL), "is internal"),
    (internal_route_annotation, kubernetes(ROUTE, labels={"edge-dns/exposure": "Public"}), "is internal"),
    (
        internal_route_annotation,
        kubernetes(ROUTE, annotations={"external-dns.kubernetes.io/controller": "none"}),
        "no annotation external-dns.alpha.kubernetes.io/controller",
    ),
    (internal_route_annotation, kubernetes(ROUTE, labels=PUBLIC, annotations=NONE), "hides it"),
    (
        internal_route_annotation,
        kubernetes(ROUTE, labels=PUBLIC, annotations={"external-dns.kubernetes.io/controller": "dns-controller"}),
        "which every external-dns takes",
    ),
    (
        internal_route_annotation,
        kubernetes(ROUTE, annotations={**NONE, "external-dns.kubernetes.io/controller": "dns-controller"}),
        "which every external-dns takes",
    ),
    (internal_route_annotation, kubernetes(SERVICE, labels=INTERNAL), "is internal"),
    (internal_route_annotation, kubernetes(SERVICE, annotations=HOSTNAME), "is internal"),
    (dnsendpoint_selects_internal, endpoint("wiki.example.com", "A", "1.1.1.1"), "internalNames"),
    (dnsendpoint_selects_internal, endpoint("x.lan.example.net", "A", "1.1.1.1"), "lan.example.net"),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "A", "1.1.1.1", "10.0.0.1"), "10.0.0.1"),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "CNAME", "db.internal"), "db.internal"),
    (allow_overwrite, route53(allowOverwrite=True), "allowOverwrite is true"),
    (allow_overwrite, cloudflare(allowOverwrite=True), "allowOverwrite is true"),
    (allow_overwrite, record(RECORDS_EXCLUSIVE, {"zoneId": "aws"}), "deletes every record"),
    (marker_missing, cloudflare(SET), "not the ownership marker"),
    (marker_missing, cloudflare(SET, comment="by hand"), "not the ownership marker"),
    (marker_missing, cloudflare(SET, comment=RELEASED_COMMENT), "not the ownership marker"),
    (marker_missing, cloudflare(SET, comment="by hand", resource="z/a#released"), "not the ownership marker"),
    (marker_missing, cloudflare(SET, comment=MARKER.replace("prod", "test")), "not the ownership marker"),
    (marker_missing, replace(cloudflare(SET, comment="by hand"), untouched=True), "not the ownership marker"),
    (wildcard_opt_in, cloudflare(name="*.example.com"), "takes no wildcard"),
    (wildcard_opt_in, cloudflare(name="*"), "takes no wildcard"),
    (wildcard_opt_in, route53(name="\\052.example.net"), "takes no wildcard"),
    (wildcard_opt_in, route53(name="*.example.net", zoneId="not listed"), "takes no wildcard"),
    (proxied_ttl, cloudflare(proxied=True, ttl=0), "ttl 0."),
    (proxied_ttl, cloudflare(proxied=True, ttl=2), "ttl 2."),
    (proxied_ttl, cloudflare(proxied=True, ttl=60.0), "ttl 60."),
    (proxied_type, cloudflare(proxied=True, ttl=1, type="TXT"), "type TXT cannot"),
    (proxied_type, cloudflare(proxied=True, ttl=1, type="MX"), "type MX cannot"),
    (alias_ttl, route53(records=None, aliases=ALIAS), "has ttl 300"),
    (ttl_range, cloudflare(ttl=59), "outside 60 to 86400"),
    (ttl_range, cloudflare(ttl=86401), "outside 60 to 86400"),
    (ttl_range, route53(ttl=2**31), "outside 0 to 2147483647"),
    (cname_apex, route53(type="CNAME", name="example.net"), "at the apex"),
    (cname_apex, route53(type="CNAME", name="EXAMPLE.NET."), "at the apex"),
    (cname_apex, route53(type="CNAME", name=""), "at the apex"),
    (cname_apex, route53(type="CNAME", name="", zoneId="not listed"), "at the apex"),
    (apex_ns, cloudflare(type="NS", name="@", content="ns1.example.org"), "NS record at the apex"),
    (apex_ns, cloudflare(type="NS", name="@", content="ns1.example.org", zoneId="not listed"), "NS record"),
    (apex_ns, route53(type="NS", name="example.net", records=["ns1.example.org."]), "NS record at the apex"),
    (apex_ns, route53(type="SOA", name="example.net", records=["x"], zoneId="not listed"), "SOA record"),
    (register_grew, register(["HTTPRoute a:b/c", "HTTPRoute a:b/d"], ["HTTPRoute a:b/c"]), "HTTPRoute a:b/d"),
    (register_grew, register(["HTTPRoute a:b/c"], []), "HTTPRoute a:b/c"),
]

LAWFUL = [
    (private_address_public_zone, cloudflare()),
    (private_address_public_zone, cloudflare(type="AAAA", content="2606:4700:4700::1111")),
    (private_address_public_zone, route53()),
    (private_address_public_zone, cloudflare(content="192.0.2.1")),  # documentation is a warning of the plan
    (private_address_public_zone, route53(records=["10.0.0.5"], zoneId="aws-lan")),
    (private_address_public_zone, route53(records=["10.0.0.5"], zoneId="/hostedzone/aws-lan")),
    (private_address_public_zone, route53(records=UNKNOWN_ARRAY_VALUE, zoneId="aws-lan")),
    (private_address_public_zone, cloudflare(zoneId=UNKNOWN_STRING_VALUE)),
    (private_address_public_zone, cloudflare(type="CNAME", content=UNKNOWN_STRING_VALUE)),
    (private_address_public_zone, cloudflare(type="TXT", content="10.0.0.5")),
    (private_address_public_zone, route53(records=None, aliases=ALIAS)),
    (internal_name_public_zone, cloudflare(name="wikis.example.com")),
    (internal_name_public_zone, cloudflare(name="corp.example.com")),
    (internal_name_public_zone, cloudflare(name="db.lan.example.com", zoneId="cf-lan")),
    (internal_name_public_zone, cloudflare(type="CNAME", content="edge.example.org")),
    (internal_name_public_zone, cloudflare(type="CNAME", content="db.lan.example.net", zoneId="cf-lan")),
    (internal_name_public_zone, cloudflare(type="CNAME", content=UNKNOWN_STRING_VALUE, proxied=True)),
    (internal_name_public_zone, cloudflare(type="TXT", content="db.internal")),
    (internal_name_public_zone, route53(records=None, aliases=ALIAS)),
    (internal_route_annotation, kubernetes(ROUTE, annotations=NONE)),
    (internal_route_annotation, kubernetes(ROUTE, labels=INTERNAL, annotations=dict.fromkeys(NONE, ""))),
    (internal_route_annotation, kubernetes(ROUTE, labels=PUBLIC)),
    (internal_route_annotation, kubernetes(SERVICE)),
    (internal_route_annotation, kubernetes(SERVICE, labels=PUBLIC, annotations=HOSTNAME)),
    (internal_route_annotation, kubernetes(SERVICE, annotations={**HOSTNAME, **NONE})),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "A", "1.1.1.1")),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "CNAME", "edge.example.org")),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "TXT", "10.0.0.1")),
    (allow_overwrite, route53()),
    (allow_overwrite, route53(allowOverwrite=False)),
    (allow_overwrite, route53(allowOverwrite=None)),
    (marker_missing, cloudflare(SET, comment=MARKER)),
    (marker_missing, cloudflare(SET, comment=RELEASED_COMMENT, resource="z/a#released")),
    (marker_missing, cloudflare(comment="by hand")),
    (marker_missing, replace(cloudflare(SET, comment=MARKER.replace("prod", "test")), untouched=True)),
    (marker_missing, cloudflare("test:index:Team")),
    (wildcard_opt_in, cloudflare()),
    (wildcard_opt_in, cloudflare(name="a*.example.com")),
    (record_not_allowed_by_zone, cloudflare()),
    (record_not_allowed_by_zone, cloudflare(zoneId="not listed")),
    (proxied_ttl, cloudflare(proxied=True, ttl=1.0)),
    (proxied_ttl, cloudflare(proxied=True, ttl=None)),
    (proxied_ttl, cloudflare(proxied=False)),
    (proxied_ttl, cloudflare(proxied=False, ttl=UNKNOWN_NUMBER_VALUE)),
    (proxied_ttl, cloudflare()),
    (proxied_type, cloudflare(proxied=True, ttl=1, type="CNAME")),
    (proxied_type, cloudflare(proxied=False, type="TXT")),
    (alias_ttl, route53()),
    (alias_ttl, route53(records=None, aliases=ALIAS, ttl=None)),
    (ttl_range, cloudflare(ttl=1)),
    (ttl_range, cloudflare(ttl=60.0)),
    (ttl_range, cloudflare(ttl=86400)),
    (ttl_range, route53(ttl=0)),
    (ttl_range, route53(records=None, aliases=ALIAS, ttl=None)),
    (cname_apex, route53(type="CNAME", name="www.example.net")),
    (cname_apex, route53(type="CNAME", name="www")),
    (cname_apex, route53(type="CNAME", name="example.net", zoneId="not listed")),
    (cname_apex, route53(name="example.net")),
    (apex_ns, cloudflare(type="NS", name="sub.example.com", content="ns1.example.org")),
    (apex_ns, cloudflare(name="example.com")),
    (register_grew, register(["HTTPRoute a:b/c"], ["HTTPRoute a:b/c", "HTTPRoute a:b/d"])),
    (register_grew, register(["HTTPRoute a:b/c"])),
    (register_grew, register([], [])),
]

UNKNOWN = [
    (private_address_public_zone, cloudflare(type=UNKNOWN_STRING_VALUE), "type"),
    (private_address_public_zone, cloudflare(content=UNKNOWN_STRING_VALUE), "content"),
    (private_address_public_zone, route53(records=UNKNOWN_ARRAY_VALUE), "records"),
    (private_address_public_zone, route53(records=["1.1.1.1", UNKNOWN_STRING_VALUE]), "records.1"),
    (internal_name_public_zone, cloudflare(name=UNKNOWN_STRING_VALUE), "name"),
    (internal_name_public_zone, cloudflare(type="CNAME", content=UNKNOWN_STRING_VALUE), "content"),
    (internal_name_public_zone, cloudflare(type="CNAME", content=UNKNOWN_STRING_VALUE, proxied=False), "content"),
    (internal_name_public_zone, route53(aliases=[{"name": UNKNOWN_STRING_VALUE}]), "aliases.0.name"),
    (internal_route_annotation, kubernetes(ROUTE, labels=UNKNOWN_OBJECT_VALUE), "metadata.labels"),
    (internal_route_annotation, kubernetes(ROUTE, labels={"edge-dns/exposure": UNKNOWN_STRING_VALUE}), "metadata"),
    (internal_route_annotation, kubernetes(ROUTE, annotations=UNKNOWN_OBJECT_VALUE), "metadata.annotations"),
    (
        internal_route_annotation,
        kubernetes(ROUTE, annotations=dict.fromkeys(NONE, UNKNOWN_STRING_VALUE)),
        "metadata.annotations",
    ),
    (internal_route_annotation, kubernetes(SERVICE, annotations=UNKNOWN_OBJECT_VALUE), "metadata.annotations"),
    (dnsendpoint_selects_internal, endpoint(UNKNOWN_STRING_VALUE, "A", "1.1.1.1"), "spec.endpoints.0.dnsName"),
    (dnsendpoint_selects_internal, endpoint("a.example.com", "A", UNKNOWN_STRING_VALUE), "spec.endpoints.0.targets.0"),
    (dnsendpoint_selects_internal, kubernetes(ENDPOINT, UNKNOWN_OBJECT_VALUE), "spec"),
    (allow_overwrite, route53(allowOverwrite=UNKNOWN_BOOLEAN_VALUE), "allowOverwrite"),
    (marker_missing, cloudflare(SET, comment=UNKNOWN_STRING_VALUE), "comment"),
    (wildcard_opt_in, cloudflare(name=UNKNOWN_STRING_VALUE), "name"),
    (proxied_ttl, cloudflare(proxied=UNKNOWN_BOOLEAN_VALUE), "proxied"),
    (proxied_ttl, cloudflare(proxied=True, ttl=UNKNOWN_NUMBER_VALUE), "ttl"),
    (proxied_type, cloudflare(proxied=True, type=UNKNOWN_STRING_VALUE), "type"),
    (alias_ttl, route53(aliases=ALIAS, ttl=UNKNOWN_NUMBER_VALUE), "ttl"),
    (alias_ttl, route53(aliases=UNKNOWN_ARRAY_VALUE), "aliases"),
    (ttl_range, cloudflare(ttl=UNKNOWN_NUMBER_VALUE), "ttl"),
    (cname_apex, route53(type="CNAME", name=UNKNOWN_STRING_VALUE), "name"),
    (apex_ns, route53(type="NS", name=UNKNOWN_STRING_VALUE), "name"),
    (apex_ns, route53(type=UNKNOWN_STRING_VALUE), "type"),
    (register_grew, register(UNKNOWN_ARRAY_VALUE, []), "entries"),
    (register_grew, register(["HTTPRoute a:b/c"], UNKNOWN_ARRAY_VALUE), "before"),
]


def rule_of(check: Any) -> str:
    return str(check.__name__).replace("_", "-")


@pytest.mark.parametrize(("check", "resource", "shown"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_violation_names_rule_resource_and_value_and_fits_the_terminal(check: Any, resource: Any, shown: str) -> None:
    text = find_violation(rule_of(check), check, resource, given())
    assert text is not None
    first, *rest = text.splitlines()
    assert first.startswith(f"{rule_of(check)}: {resource.title}"[:40])
    assert shown in " ".join(rest)
    assert max(map(len, text.splitlines())) <= MAX_WIDTH


@pytest.mark.parametrize(("check", "resource"), LAWFUL, ids=lambda value: getattr(value, "__name__", ""))
def test_a_lawful_resource_has_no_violation(check: Any, resource: Any) -> None:
    assert find_violation(rule_of(check), check, resource, given()) is None


@pytest.mark.parametrize(("check", "resource", "path"), UNKNOWN, ids=lambda value: getattr(value, "__name__", ""))
def test_an_unknown_guarded_value_is_a_violation(check: Any, resource: Any, path: str) -> None:
    text = find_violation(rule_of(check), check, resource, given())
    assert text is not None
    assert text.startswith("unknown-guarded-value: ")
    told = " ".join(text.splitlines())
    assert path in told
    assert f"leaves the rule {rule_of(check)} unchecked" in told
    assert max(map(len, text.splitlines())) <= MAX_WIDTH


def test_a_violation_names_the_record_in_full_and_its_zone() -> None:
    text = find_violation("wildcard-opt-in", wildcard_opt_in, cloudflare(name="*"), given())
    assert text is not None
    assert text.startswith("wildcard-opt-in: record *.example.com, zone example.com (cf)\n")


def test_unknown_name_and_zone_do_not_hide_a_violation() -> None:
    resource = route53(allowOverwrite=True, name=UNKNOWN_STRING_VALUE, zoneId=UNKNOWN_STRING_VALUE)
    text = find_violation("allow-overwrite", allow_overwrite, resource, given())
    assert text is not None
    assert text.startswith("allow-overwrite: record (unknown), zone (unknown)\n")


@pytest.mark.parametrize(
    ("check", "resource"),
    [
        (private_address_public_zone, cloudflare(content="s3cr3t")),
        (internal_name_public_zone, cloudflare(type="CNAME", content="s3cr3t")),
        (dnsendpoint_selects_internal, endpoint("a.example.com", "A", "s3cr3t")),
        (dnsendpoint_selects_internal, endpoint("a.example.com", "CNAME", "s3cr3t")),
    ],
    ids=["address", "target", "endpoint address", "endpoint target"],
)
def test_a_text_that_is_no_address_and_no_name_is_not_printed(check: Any, resource: Any) -> None:
    text = find_violation(rule_of(check), check, resource, given())
    assert text is not None
    assert "s3cr3t" not in text


@pytest.mark.parametrize(
    ("properties", "admitted"),
    [
        ({"name": "www.example.com"}, True),
        ({"name": "example.com"}, True),
        ({"name": "@"}, True),
        ({"name": "www.example.com", "type": "AAAA"}, False),
        ({"name": "wwww.example.com"}, False),
        ({"name": "_edge-dns.www.example.com", "type": "TXT", "content": MARKER}, True),
        ({"name": "_edge-dns.www.example.com", "type": "TXT", "content": "other"}, False),
        ({"name": "other.example.com", "zoneId": "not listed"}, True),
    ],
)
def test_a_zone_with_allowed_record_sets_takes_nothing_else(properties: dict[str, object], admitted: bool) -> None:
    resource = record(CLOUDFLARE, cloudflare_props(**properties), pack=ALLOWING)
    assert (record_not_allowed_by_zone(resource, given(ALLOWING)) is None) is admitted


def test_a_zone_may_take_wildcards() -> None:
    resource = record(CLOUDFLARE, cloudflare_props(name="*.example.com"), pack=OPEN)
    assert wildcard_opt_in(resource, given(OPEN)) is None


def test_the_parameters_of_ttl_range_replace_the_limits_of_the_provider() -> None:
    assert ttl_range(cloudflare(ttl=30.0), given(minimum=30.0)) is None
    assert ttl_range(cloudflare(ttl=300.0), given(minimum=600.0)) is not None
    assert ttl_range(route53(ttl=300.0), given(maximum=60.0)) is not None
    assert ttl_range(cloudflare(ttl=1.0), given(minimum=600.0)) is None


def test_one_prefix_of_external_dns_may_be_pinned_and_the_label_named() -> None:
    pinned = settings(annotationPrefixes=["external-dns.kubernetes.io/"], exposureLabel="acme/exposure")
    route = kubernetes(ROUTE, annotations={"external-dns.kubernetes.io/controller": "none"})
    assert internal_route_annotation(route, given(pinned)) is None
    assert internal_route_annotation(kubernetes(ROUTE, labels={"acme/exposure": "public"}), given(pinned)) is None
    assert internal_route_annotation(kubernetes(ROUTE, labels=PUBLIC), given(pinned)) is not None


def test_only_dnsendpoints_that_a_public_instance_selects_are_judged() -> None:
    pack = settings(internalNames=["wiki.example.com"], publicEndpoints="exposure=public")
    resources = [endpoint("wiki.example.com", "A", "10.0.0.1", labels=labels) for labels in ({}, {"exposure": "lan"})]
    assert [dnsendpoint_selects_internal(one, given(pack)) for one in resources] == [None, None]
    public = endpoint("wiki.example.com", "A", "10.0.0.1", labels={"exposure": "public"})
    assert dnsendpoint_selects_internal(public, given(pack)) is not None


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("kubernetes:gateway.networking.k8s.io/v1:HTTPRoute", "HTTPRoute"),
        ("kubernetes:gateway.networking.k8s.io/v1beta1:HTTPRoute", "HTTPRoute"),
        ("kubernetes:gateway.networking.k8s.io/v1alpha2:TLSRoute", "TLSRoute"),
        ("kubernetes:core/v1:Service", "Service"),
        ("kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint", "DNSEndpoint"),
        ("kubernetes:gateway.networking.k8s.io/v1:HTTPRoutePatch", None),
        ("kubernetes:serving.knative.dev/v1:Service", None),
        ("kubernetes:core/v1:ConfigMap", None),
        ("aws:route53/record:Record", None),
    ],
)
def test_the_kinds_that_external_dns_reads_are_known_in_every_version(token: str, kind: str | None) -> None:
    assert kind_of(token) == kind


@pytest.mark.parametrize("policy", POLICIES[3:], ids=lambda policy: policy.name)
def test_every_rule_is_one_of_the_table_and_mandatory_unless_it_is_a_warning(policy: Any) -> None:
    rule = policy.name.removesuffix("-route53")
    warning = RULES[rule].level is Level.WARNING
    assert policy.enforcement_level is (EnforcementLevel.ADVISORY if warning else EnforcementLevel.MANDATORY)
    assert policy.description == RULES[rule].meaning


def test_the_settings_are_read_before_any_rule_asks_for_them() -> None:
    assert [policy.name for policy in POLICIES[:3]] == ["settings", "exceptions", "exception-expired"]
    kinds = [type(policy) for policy in POLICIES]
    assert kinds == sorted(kinds, key=[ResourceValidationPolicy, StackValidationPolicy].index)


def test_resources_of_other_types_are_not_judged() -> None:
    assert judge({}, [("aws:s3/bucket:Bucket", "bucket", "", cloudflare_props(content="10.0.0.5"))]) == {}
    assert judge({}, [("cloudflare:index/record:Record", "old", "", cloudflare_props(content="10.0.0.5"))]) == {
        "private-address-public-zone": {"old"}
    }
