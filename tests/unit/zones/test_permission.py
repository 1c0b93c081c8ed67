"""allowedRecordSets: namespace, whole relative name and type; the reason names the most advanced failure."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.permission import check_permission
from edge_dns.core.rules import Refusal, Refused
from edge_dns.core.settings import Zone
from edge_dns.core.values import RecordType

DATA = Path(__file__).parent / "data"
CASES: list[dict[str, Any]] = yaml.safe_load((DATA / "dns_api_allowed.yaml").read_text())

PATTERN = r"([a-z0-9]([-a-z0-9]*[a-z0-9])?|\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)"
WRITERS = {"matchLabels": {"dns-writer": "edge"}}
LABELS: Mapping[str, Mapping[str, str]] = {"writers": {"dns-writer": "edge"}, "strangers": {}}


def rule(pattern: str = PATTERN, types: tuple[str, ...] = ("A", "AAAA"), **namespaces: object) -> dict[str, object]:
    return {"namespaces": namespaces or {"selector": WRITERS}, "names": [pattern], "types": list(types)}


def zone(*rules: dict[str, object] | None) -> Zone:
    allowed = {} if rules == (None,) else {"allowedRecordSets": list(rules)}
    return Zone.model_validate({"domain": "shop.test", "provider": "cloudflare", "zoneId": "z1"} | allowed)


def outcome(
    where: Zone,
    record: str,
    types: tuple[RecordType, ...],
    namespaces: Mapping[str, Mapping[str, str] | None],
    of_cluster: bool = True,
) -> Refusal | None:
    try:
        check_permission(record, types, where, namespaces, of_cluster=of_cluster)
    except Refused as refused:
        return refused.refusal
    return None


DENIED = {
    "namespace": "namespace {ns} may not publish in zone shop.test",
    "name": "namespace {ns} may not publish the name {record} in zone shop.test",
    "type": "namespace {ns} may not publish type {type} for the name {record} in zone shop.test",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_records_are_admitted_as_in_dns_api(case: dict[str, Any]) -> None:
    given = case["given"]
    where = zone(rule(given["rule"]["pattern"], tuple(given["rule"]["types"])) if "rule" in given else rule())
    found = outcome(where, given["record"], (given["type"],), {given["ns"]: LABELS.get(given["ns"])})
    want = case.get("want", case["expect"])
    if want == "allowed":
        assert found is None
    elif "stop" in want:
        assert found is not None
        assert found.rule == want["stop"]
    else:
        assert found is not None
        assert found.rule == "record-not-allowed-by-zone"
        assert found.reason.startswith(DENIED[want["denied"]].format(**given))


@pytest.mark.parametrize(
    ("ns", "record", "record_type", "denied"),
    [
        ("strangers", "cart", "A", "namespace"),
        ("writers", "api.cart", "A", "name"),
        ("writers", "*", "A", "name"),
        ("writers", "cart", "CNAME", "type"),
    ],
)
def test_the_reason_is_graded_and_shows_no_pattern(ns: str, record: str, record_type: RecordType, denied: str) -> None:
    found = outcome(zone(rule()), record, (record_type,), {ns: LABELS[ns]})
    assert found is not None
    assert found.reason.startswith(DENIED[denied].format(ns=ns, record=record, type=record_type))
    assert "a-z0-9" not in found.reason
    assert "dns-writer" not in found.reason


def test_the_most_advanced_failure_of_several_rules_is_told() -> None:
    where = zone(rule("other", names=["team"]), rule("cart", types=("TXT",), names=["team"]), rule("cart"))
    found = outcome(where, "cart", ("A",), {"team": {}})
    assert found is not None
    assert "type A" in found.reason


@pytest.mark.parametrize("record", ["@", "*", "*.cart"])
def test_apex_and_star_are_literal_names(record: str) -> None:
    granted = {"@": "@", "*": r"\*", "*.cart": r"\*\.cart"}
    assert outcome(zone(rule(granted[record])), record, ("A",), {"writers": LABELS["writers"]}) is None
    assert outcome(zone(rule("cart")), record, ("A",), {"writers": LABELS["writers"]}) is not None


def test_an_alias_pair_needs_both_types() -> None:
    only_a = outcome(zone(rule(types=("A",))), "cart", ("A", "AAAA"), {"writers": LABELS["writers"]})
    assert only_a is not None
    assert "type AAAA" in only_a.reason
    split = zone(rule(types=("A",)), rule(types=("AAAA",)))
    assert outcome(split, "cart", ("A", "AAAA"), {"writers": LABELS["writers"]}) is None


def test_every_namespace_that_claims_the_name_must_be_admitted() -> None:
    found = outcome(zone(rule()), "cart", ("A",), LABELS)
    assert found is not None
    assert "strangers" in found.reason


def test_without_the_setting_everything_is_allowed_and_an_empty_list_allows_nothing() -> None:
    assert outcome(zone(None), "@", ("A",), {"strangers": None}) is None
    found = outcome(zone(), "cart", ("A",), {"writers": LABELS["writers"]})
    assert found is not None
    assert found.rule == "record-not-allowed-by-zone"


@pytest.mark.parametrize(
    "selector", [WRITERS, {"matchExpressions": [{"key": "dns-writer", "operator": "DoesNotExist"}]}, "team!=x"]
)
def test_unknown_labels_stop_where_a_selector_decides_and_never_satisfy_one(selector: object) -> None:
    found = outcome(zone(rule(selector=selector)), "cart", ("A",), {"gone": None})
    assert found is not None
    assert found.rule == "observation-failed"


def test_a_namespace_admitted_by_name_needs_no_labels() -> None:
    where = zone(rule(names=["gone"], selector=WRITERS))
    assert outcome(where, "cart", ("A",), {"gone": None}) is None
    found = outcome(zone(rule(names=["other"])), "cart", ("A",), {"gone": None})
    assert found is not None
    assert found.rule == "record-not-allowed-by-zone"


@pytest.mark.parametrize(
    "selector", [WRITERS, {"matchExpressions": [{"key": "dns-writer", "operator": "DoesNotExist"}]}, "team!=x", "a,!b"]
)
def test_no_selector_takes_the_namespace_of_a_tunnel_which_never_has_labels(selector: object) -> None:
    found = outcome(zone(rule(selector=selector)), "cart", ("A",), {"shop": None}, of_cluster=False)
    assert found is not None
    assert (found.rule, "namespace shop may not publish" in found.reason) == ("record-not-allowed-by-zone", True)


def test_a_pattern_that_backtracks_without_end_elsewhere_answers_at_once() -> None:
    where = zone(rule(pattern="(a+)+$"))
    labels = {"writers": LABELS["writers"]}
    assert outcome(where, "a" * 60, ("A",), labels) is None
    found = outcome(where, "a" * 60 + "-b", ("A",), labels)
    assert found is not None
    assert "may not publish the name" in found.reason
