from typing import Any

import pytest

from local.plugins import route53_lookups, route53_records
from local.plugins.properties import UNKNOWN
from local.plugins.provider import ProviderError
from local.plugins.route53_names import api_name, expanded, shown_name
from local.plugins.route53_rules import Alias, RRset

INPUTS: dict[str, Any] = {
    "zoneId": "Z1",
    "name": "www.example.com",
    "type": "A",
    "ttl": 300,
    "records": ["203.0.113.7", "203.0.113.9"],
}
TARGET: dict[str, Any] = {"name": "lb.elb.eu-west-1.amazonaws.com", "zoneId": "Z2", "evaluateTargetHealth": True}
ALIAS: dict[str, Any] = {"zoneId": "Z1", "name": "example.com", "type": "A", "aliases": [TARGET]}


def outputs_of(inputs: dict[str, Any]) -> dict[str, Any]:
    rrset = route53_records.rrset(inputs, "example.com.")
    return inputs | route53_records.outputs_of(rrset, inputs["zoneId"], name=inputs["name"])


OUTPUTS = outputs_of(INPUTS)


def test_names_have_a_form_of_the_api_and_one_of_the_provider() -> None:
    assert api_name("*.Example.com") == api_name("*.example.com.") == r"\052.example.com."
    assert shown_name(r"\052.Example.com.") == "*.example.com"


@pytest.mark.parametrize(
    ("name", "fqdn"),
    [
        ("www", "www.example.com"),
        ("WWW.example.com.", "www.example.com"),
        ("example.com", "example.com"),
        ("", "example.com"),
        ("notexample.com", "notexample.com.example.com"),
    ],
)
def test_a_relative_name_is_expanded_with_the_zone(name: str, fqdn: str) -> None:
    assert expanded(name, "example.com.") == fqdn


@pytest.mark.parametrize(
    ("inputs", "failed"),
    [
        pytest.param(INPUTS, [], id="records"),
        pytest.param(ALIAS, [], id="alias"),
        pytest.param(INPUTS | {"aliases": [TARGET]}, ["records"], id="both"),
        pytest.param({"zoneId": "Z1", "name": "a", "type": "A"}, ["records"], id="neither"),
        pytest.param(ALIAS | {"ttl": 60}, ["ttl"], id="ttl-with-alias"),
        pytest.param(INPUTS | {"type": "NOPE"}, ["type"], id="type"),
        pytest.param(INPUTS | {"setIdentifier": "a"}, ["setIdentifier"], id="routing-policy"),
        pytest.param({"records": []}, ["zoneId", "name", "type"], id="missing"),
        pytest.param(dict.fromkeys(INPUTS, UNKNOWN), [], id="all-unknown"),
        pytest.param({key: INPUTS[key] for key in INPUTS if key != "ttl"}, [], id="missing-ttl-passes-the-preview"),
    ],
)
def test_inputs_are_checked_as_the_official_provider_does_at_preview(inputs: Any, failed: list[str]) -> None:
    assert [failure.property for failure in route53_records.check(inputs)] == failed


@pytest.mark.parametrize(
    ("new", "changed", "replaces"),
    [
        pytest.param({}, (), (), id="nothing"),
        pytest.param({"zoneId": "Z9"}, ("zoneId",), ("zoneId",), id="zone-replaces"),
        pytest.param({"zoneId": "/hostedzone/Z1"}, (), (), id="zone-respelled"),
        pytest.param({"name": "a.example.com"}, ("name",), ("name",), id="name-replaces"),
        pytest.param({"name": "WWW.Example.com."}, (), (), id="name-respelled"),
        pytest.param({"type": "AAAA"}, ("type",), (), id="type-in-place"),
        pytest.param({"ttl": 60}, ("ttl",), (), id="ttl"),
        pytest.param({"records": ["203.0.113.9", "203.0.113.7"]}, (), (), id="records-are-a-set"),
        pytest.param({"records": ["203.0.113.9"]}, ("records",), (), id="records"),
        pytest.param({"records": UNKNOWN}, ("records",), (), id="unknown-records"),
        pytest.param({"records": ["203.0.113.7", UNKNOWN]}, ("records",), (), id="unknown-record"),
        pytest.param({"allowOverwrite": True}, ("allowOverwrite",), (), id="allow-overwrite"),
    ],
)
def test_differences_are_those_of_the_official_provider(new: Any, changed: Any, replaces: Any) -> None:
    found = route53_records.diff(old_inputs=INPUTS, old_outputs=OUTPUTS, inputs=INPUTS | new)
    assert (found.changed, found.replaces) == (changed, replaces)


@pytest.mark.parametrize(
    ("target", "changed"),
    [
        pytest.param({"name": "LB.elb.eu-west-1.amazonaws.com."}, (), id="respelled"),
        pytest.param({"name": "dualstack.lb.elb.eu-west-1.amazonaws.com"}, ("aliases",), id="dualstack-is-another"),
        pytest.param({"evaluateTargetHealth": False}, ("aliases",), id="health"),
        pytest.param({"zoneId": "Z3"}, ("aliases",), id="zone"),
        pytest.param({"name": UNKNOWN}, ("aliases",), id="unknown"),
    ],
)
def test_differences_of_an_alias(target: Any, changed: Any) -> None:
    new = ALIAS | {"aliases": [TARGET | target]}
    assert route53_records.diff(old_inputs=ALIAS, old_outputs=outputs_of(ALIAS), inputs=new).changed == changed


def test_records_to_alias_is_a_change_in_place() -> None:
    new = {key: INPUTS[key] for key in ("zoneId", "name", "type")} | {"aliases": [TARGET]}
    found = route53_records.diff(old_inputs=INPUTS, old_outputs=OUTPUTS, inputs=new)
    assert (found.changed, found.replaces) == (("ttl", "records", "aliases"), ())


def test_text_values_get_their_quotation_marks_for_the_api_and_lose_them_in_the_outputs() -> None:
    inputs = INPUTS | {"type": "TXT", "records": ["heritage=edge-dns", 'two" "strings']}
    rrset = route53_records.rrset(inputs, "example.com.")
    assert rrset.values == ('"heritage=edge-dns"', '"two" "strings"')
    assert outputs_of(inputs)["records"] == inputs["records"]


def test_an_rrset_survives_the_way_through_the_form_of_the_api() -> None:
    for inputs in (INPUTS, ALIAS, INPUTS | {"name": "*.example.com"}):
        rrset = route53_records.rrset(inputs, "example.com.")
        assert route53_records.from_api(route53_records.to_api(rrset)) == rrset


def test_an_alias_target_has_a_dot_for_the_api_and_none_in_the_outputs() -> None:
    rrset = route53_records.rrset(ALIAS, "example.com.")
    assert rrset == RRset(
        name="example.com.",
        type="A",
        alias=Alias(name="lb.elb.eu-west-1.amazonaws.com.", zone_id="Z2", evaluate_target_health=True),
    )
    assert outputs_of(ALIAS | {"aliases": [TARGET | {"name": "LB.elb.eu-west-1.amazonaws.com."}]})["aliases"] == [
        TARGET
    ]


def test_outputs_hold_the_fqdn_and_the_id_without_escape() -> None:
    outputs = outputs_of(INPUTS | {"name": "*"})
    assert (outputs["fqdn"], outputs["id"], outputs["name"]) == ("*.example.com", "Z1_*_A", "*")


def test_a_predicted_create_has_a_normal_name_and_an_unknown_fqdn() -> None:
    outputs = route53_records.predicted_outputs(INPUTS | {"name": "WWW.example.com.", "records": UNKNOWN})
    assert (outputs["name"], outputs["fqdn"], outputs["records"]) == ("www.example.com", UNKNOWN, UNKNOWN)
    assert route53_records.predicted_outputs(INPUTS | {"name": UNKNOWN})["name"] == UNKNOWN
    assert route53_records.predicted_outputs(INPUTS, OUTPUTS)["fqdn"] == "www.example.com"


def test_an_import_finds_all_inputs_and_a_refresh_those_that_were_set() -> None:
    assert route53_records.inputs_of(OUTPUTS, {}) == INPUTS
    old = INPUTS | {"allowOverwrite": False}
    assert route53_records.inputs_of(OUTPUTS | {"ttl": 60}, old) == old | {"ttl": 60}


@pytest.mark.parametrize(
    ("import_id", "parts"),
    [
        ("Z1_www.example.com_A", ("Z1", "www.example.com", "A", "")),
        ("Z1_www.example.com._A", ("Z1", "www.example.com", "A", "")),
        ("Z1_*.example.com_CNAME", ("Z1", "*.example.com", "CNAME", "")),
        ("Z1__dmarc.example.com_TXT", ("Z1", "_dmarc.example.com", "TXT", "")),
        ("Z1_a_b_TXT_my_set", ("Z1", "a_b", "TXT", "my_set")),
    ],
)
def test_an_import_id_is_split_at_the_first_part_that_is_a_type(import_id: str, parts: tuple[str, ...]) -> None:
    assert route53_records.parse_import_id(import_id) == parts


@pytest.mark.parametrize("malformed", ["", "Z1", "Z1_www.example.com", "_www_A", "Z1_A"])
def test_a_malformed_import_id_is_refused_with_the_form_that_is_expected(malformed: str) -> None:
    with pytest.raises(ProviderError, match="expected ZONEID_RECORDNAME_TYPE"):
        route53_records.parse_import_id(malformed)


LISTING: list[dict[str, Any]] = [
    {"Name": r"\052.example.com.", "Type": "A", "TTL": 300, "ResourceRecords": [{"Value": "203.0.113.7"}]},
    {
        "Name": "example.com.",
        "Type": "A",
        "AliasTarget": {"DNSName": "lb.", "HostedZoneId": "Z2", "EvaluateTargetHealth": False},
    },
]


def test_a_listing_keeps_the_names_of_the_api_and_is_spelled_as_the_sdk_does() -> None:
    result: Any = route53_lookups.records_result({"zoneId": "Z1"}, LISTING)
    first, second = result["resourceRecordSets"]
    assert (first["name"], first["ttl"], first["resourceRecords"]) == (
        r"\052.example.com.",
        300,
        [{"value": "203.0.113.7"}],
    )
    assert second["aliasTarget"] == {"dnsName": "lb.", "hostedZoneId": "Z2", "evaluateTargetHealth": False}
    assert (second["ttl"], second["resourceRecords"]) == (None, [])


def test_a_name_expression_filters_a_listing() -> None:
    result: Any = route53_lookups.records_result({"zoneId": "Z1", "nameRegex": "^example"}, LISTING)
    assert [record["name"] for record in result["resourceRecordSets"]] == ["example.com."]


def test_a_zone_is_chosen_by_name_and_privacy() -> None:
    zones = [
        {"Id": f"/hostedzone/{zone_id}", "Name": "example.com.", "Config": {"PrivateZone": private}}
        for zone_id, private in (("ZPUBLIC", False), ("ZPRIVATE", True))
    ]
    assert route53_lookups.only_zone_id({"name": "Example.com"}, zones) == "ZPUBLIC"
    assert route53_lookups.only_zone_id({"name": "example.com.", "privateZone": True}, zones) == "ZPRIVATE"
    with pytest.raises(ProviderError, match="no matching"):
        route53_lookups.only_zone_id({"name": "example.org"}, zones)
    with pytest.raises(ProviderError, match="multiple"):
        route53_lookups.only_zone_id({"name": "example.com"}, [*zones, zones[0]])
