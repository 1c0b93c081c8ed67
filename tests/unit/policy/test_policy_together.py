"""The rules across records as pure functions."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE

from policy.declared import DeclaredObject, DeclaredRecord
from policy.rule import Program, find_violations
from policy.together import (
    cname_coexistence,
    cname_loop,
    duplicate_record,
    exposure_internal,
    host_claimed_twice,
    marker_missing_route53,
    target_dangling,
)
from tests.unit.policy.resources import (
    CLOUDFLARE,
    MARKER,
    NONE,
    ROUTE,
    SERVICE,
    cloudflare,
    cloudflare_props,
    endpoint,
    given,
    judge,
    kubernetes,
    route53,
    settings,
)

SET = "edge:dns:EndpointRecordSet"
TEAM = "test:index:Team"
INTERNAL_ROUTE = kubernetes(ROUTE, {"hostnames": ["Secret.example.com", "*.inner.example.com"]}, annotations=NONE)
PUBLIC_ROUTE = kubernetes(ROUTE, {"hostnames": ["secret.example.com"]}, labels={"edge-dns/exposure": "public"})


def cname(name: str, target: str, resource: str = "cname", **more: object) -> DeclaredRecord:
    return cloudflare(type="CNAME", name=name, content=target, resource=resource, **more)


def marker(name: str, text: str = MARKER, **more: object) -> DeclaredRecord:
    return route53(SET, type="TXT", name=name, records=[text], resource="marker", **more)


def program(resources: Iterable[DeclaredRecord | DeclaredObject]) -> Program:
    found = tuple(resources)
    return Program(
        records=tuple(one for one in found if isinstance(one, DeclaredRecord)),
        objects=tuple(one for one in found if isinstance(one, DeclaredObject)),
    )


def violations(check: Any, *resources: DeclaredRecord | DeclaredObject) -> dict[str, str]:
    """The text of each violation by the name of its resource."""
    rule = check.__name__.replace("_", "-").removesuffix("-route53")
    return {urn.rpartition("::")[2]: text for urn, text in find_violations(rule, check, program(resources), given())}


REFUSED = [
    (cname_coexistence, [route53(type="CNAME", records=["a.b"]), route53(type="TXT", records=["x"])], "the TXT record"),
    (cname_coexistence, [route53(type="CNAME", records=["a.b"]), route53(aliases=[{"name": "b.c"}])], "the A record"),
    (cname_coexistence, [cname("app.example.com", "a.b"), cloudflare(name="APP")], "the A record"),
    (cname_coexistence, [cname("app", "a.b"), cloudflare(type="NS", content="n.b")], "the NS record"),
    (cname_loop, [cname("app.example.com", "APP.example.com.")], "app.example.com → app.example.com"),
    (
        cname_loop,
        [cname("a.example.com", "b.example.net"), route53(type="CNAME", name="b", records=["a.example.com"])],
        "CNAMEs in a circle",
    ),
    (duplicate_record, [route53(), route53(records=["1.0.0.1"], resource="two")], "A record is declared twice"),
    (duplicate_record, [cloudflare(), cloudflare(name="app", ttl=60, resource="two")], "A record is declared twice"),
    (duplicate_record, [cname("app", "a.b"), cname("app", "b.c", "two")], "CNAME record is declared twice"),
    (
        duplicate_record,
        [cloudflare(type="SRV", content=None, data={"port": 1.0, "target": "a"}) for _ in range(2)],
        "SRV record is declared twice",
    ),
    (host_claimed_twice, [cloudflare(SET), cloudflare(content="1.0.0.1", resource="two")], "parent, the stack"),
    (host_claimed_twice, [cloudflare(SET), cloudflare(TEAM, type="AAAA", content="::1")], "Several sources"),
    (exposure_internal, [INTERNAL_ROUTE, cloudflare(name="secret")], "internal and has this hostname"),
    (exposure_internal, [INTERNAL_ROUTE, PUBLIC_ROUTE, cloudflare(name="secret")], "internal and has this hostname"),
    (exposure_internal, [INTERNAL_ROUTE, cloudflare(name="a.inner.example.com")], "internal and has this hostname"),
    (exposure_internal, [INTERNAL_ROUTE, cname("www.example.com", "secret.example.com")], "of an internal route"),
    (exposure_internal, [INTERNAL_ROUTE, endpoint("secret.example.com", "A", "1.1.1.1")], "secret.example.com"),
    (
        exposure_internal,
        [
            kubernetes(SERVICE, annotations={**NONE, "external-dns.kubernetes.io/hostname": "x.test, app.example.com"}),
            cloudflare(),
        ],
        "internal and has this hostname",
    ),
    (marker_missing_route53, [route53(SET)], "No TXT record"),
    (marker_missing_route53, [route53(SET), marker("_edge-dns.other.example.net")], "No TXT record"),
    (marker_missing_route53, [route53(SET), marker("_edge-dns.app.example.net", "other")], "No TXT record"),
    (
        marker_missing_route53,
        [route53(SET), marker("_edge-dns.app.example.net", MARKER.replace("prod", "test"))],
        "No TXT record",
    ),
    (marker_missing_route53, [route53(SET), marker("_edge-dns.app.example.net", zoneId="other")], "No TXT record"),
    (target_dangling, [cname("www.example.com", "gone.example.net")], "gone.example.net is in a zone"),
]

LAWFUL = [
    (cname_coexistence, [cname("app", "a.b"), cloudflare(type="TXT", content="x")]),
    (cname_coexistence, [route53(type="CNAME", records=["a.b"]), route53(zoneId="aws-lan", type="TXT", records=["x"])]),
    (cname_coexistence, [route53(), route53(type="TXT", records=["x"])]),
    (
        cname_loop,
        [cname("a", "b.example.com"), cname("b", "c.example.org"), cname("c", "b.example.com")],
    ),
    (cname_loop, [cname("a", UNKNOWN_STRING_VALUE, proxied=True)]),
    (duplicate_record, [cloudflare(), cloudflare(content="1.0.0.1")]),
    (duplicate_record, [cloudflare(content=UNKNOWN_STRING_VALUE)]),
    (duplicate_record, [route53(setIdentifier="a"), route53(setIdentifier="b")]),
    (duplicate_record, [route53(), route53(zoneId="aws-lan"), route53(type="AAAA", records=["::1"])]),
    (
        duplicate_record,
        [cloudflare(type="SRV", content=UNKNOWN_STRING_VALUE, data={"port": port}) for port in (1.0, 2.0)],
    ),
    (host_claimed_twice, [cloudflare(SET), cloudflare(SET, type="AAAA", content="::1")]),
    (host_claimed_twice, [cloudflare(SET), cloudflare(TEAM, type="TXT", content="x")]),
    (host_claimed_twice, [cloudflare(SET), cloudflare(TEAM, zoneId="cf-lan")]),
    (host_claimed_twice, [route53(SET, setIdentifier="a"), route53(TEAM, setIdentifier="b")]),
    (exposure_internal, [PUBLIC_ROUTE, cloudflare(name="secret")]),
    (exposure_internal, [INTERNAL_ROUTE, cloudflare(name="secret.example.com", zoneId="cf-lan")]),
    (exposure_internal, [INTERNAL_ROUTE, cloudflare(name="inner.example.com")]),
    (marker_missing_route53, [route53(SET), marker("_edge-dns.app.example.net")]),
    (marker_missing_route53, [route53(SET, resource="z/app#released")]),
    (marker_missing_route53, [route53(SET, name="*.example.net"), marker("_edge-dns._wildcard.example.net")]),
    (marker_missing_route53, [route53(), route53(TEAM, name="other")]),
    (marker_missing_route53, [cloudflare(SET)]),
    (target_dangling, [cname("www.example.com", "a.example.net"), route53(name="a")]),
    (target_dangling, [cname("www.example.com", "a.example.net"), route53(name="*.example.net")]),
    (target_dangling, [cname("www.example.com", "edge.example.org")]),
    (target_dangling, [cname("www.example.com", UNKNOWN_STRING_VALUE)]),
]

UNKNOWN = [
    (cname_coexistence, [cloudflare(name=UNKNOWN_STRING_VALUE)], "name"),
    (cname_coexistence, [cloudflare(type=UNKNOWN_STRING_VALUE)], "type"),
    (cname_loop, [cname("a", UNKNOWN_STRING_VALUE)], "content"),
    (duplicate_record, [cloudflare(), cloudflare(content=UNKNOWN_STRING_VALUE)], "content"),
    (duplicate_record, [route53(setIdentifier=UNKNOWN_STRING_VALUE)], "setIdentifier"),
    (host_claimed_twice, [cloudflare(name=UNKNOWN_STRING_VALUE)], "name"),
    (exposure_internal, [kubernetes(ROUTE, {"hostnames": [UNKNOWN_STRING_VALUE]})], "spec.hostnames.0"),
    (exposure_internal, [kubernetes(ROUTE, labels=UNKNOWN_OBJECT_VALUE)], "metadata.labels"),
    (exposure_internal, [INTERNAL_ROUTE, cloudflare(name=UNKNOWN_STRING_VALUE)], "name"),
    (exposure_internal, [INTERNAL_ROUTE, cname("a", UNKNOWN_STRING_VALUE)], "content"),
    (exposure_internal, [INTERNAL_ROUTE, endpoint(UNKNOWN_STRING_VALUE, "A")], "spec.endpoints.0.dnsName"),
    (
        marker_missing_route53,
        [route53(SET), marker("_edge-dns.app.example.net", UNKNOWN_STRING_VALUE)],
        "records.0",
    ),
]


def by_name(value: object) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.parametrize(("check", "resources", "shown"), REFUSED, ids=by_name)
def test_records_that_do_not_stand_together_are_refused(check: Any, resources: list[Any], shown: str) -> None:
    for found in (resources, resources[::-1]):
        texts = violations(check, *found)
        assert texts
        assert any(shown in " ".join(text.splitlines()) for text in texts.values())
        assert all(
            text.startswith(check.__name__.removesuffix("_route53").replace("_", "-")) for text in texts.values()
        )


@pytest.mark.parametrize(("check", "resources"), LAWFUL, ids=by_name)
def test_records_that_may_stand_together_are_lawful(check: Any, resources: list[Any]) -> None:
    assert violations(check, *resources) == {}


@pytest.mark.parametrize(("check", "resources", "path"), UNKNOWN, ids=by_name)
def test_what_is_unknown_is_a_violation_across_records_too(check: Any, resources: list[Any], path: str) -> None:
    texts = violations(check, *resources)
    assert texts
    assert all(text.startswith("unknown-guarded-value: ") and f"\n{path} is unknown" in text for text in texts.values())


def test_a_zone_without_markers_needs_none() -> None:
    zone = {"domain": "example.net", "provider": "route53", "zoneId": "aws", "marker": "none"}
    pack = settings(zones=[zone])
    unmarked = DeclaredRecord(
        token="aws:route53/record:Record", props=route53().props, zones=pack.zones, urn=route53(SET).urn
    )
    assert list(marker_missing_route53(program([unmarked]), given(pack))) == []
    assert list(marker_missing_route53(program([route53(SET)]), given())) != []


def test_a_name_that_no_run_changes_may_have_anothers_marker() -> None:
    beside = marker("_edge-dns.app.example.net", MARKER.replace("prod", "test"))
    assert list(marker_missing_route53(program([route53(SET), beside]), given())) != []
    left = [replace(one, untouched=True) for one in (route53(SET), beside)]
    assert list(marker_missing_route53(program(left), given())) == []


@pytest.mark.parametrize(
    ("slot", "parent", "ignored", "refused"),
    [
        pytest.param("z/wiki#released", SET, ["*"], False, id="forgotten by the next run"),
        pytest.param("z/wiki", SET, ["*"], True, id="declared on"),
        pytest.param("z/wiki#released", SET, [], True, id="written by this run"),
        pytest.param("z/wiki#released", TEAM, ["*"], True, id="of another program"),
    ],
)
def test_anothers_record_that_is_forgotten_does_not_keep_internal_names_in_dns(
    slot: str, parent: str, ignored: list[str], refused: bool
) -> None:
    name = "wiki.example.com"
    route = (ROUTE, "route", "", {"metadata": {"annotations": NONE}, "spec": {"hostnames": [name]}})
    wiki = (CLOUDFLARE, slot, f"{parent}::set", cloudflare_props(name=name, comment=MARKER.replace("prod", "test")))
    found = judge({"internalNames": [name]}, [route, wiki], ignore_changes=ignored)
    for rule in ("internal-name-public-zone", "exposure-internal"):
        assert (slot in found.get(rule, set())) is refused
