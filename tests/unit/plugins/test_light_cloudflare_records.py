from typing import Any

import pytest

from local.plugins import cloudflare_lookups, cloudflare_records
from local.plugins.properties import UNKNOWN
from local.plugins.provider import ProviderError

ZONE = "a" * 32
INPUTS: dict[str, Any] = {
    "zoneId": ZONE,
    "name": "www.example.com",
    "type": "A",
    "content": "203.0.113.7",
    "ttl": 300,
}
CNAME = INPUTS | {"type": "CNAME", "content": "edge.example.net"}
API: dict[str, Any] = {
    "id": "b" * 32,
    "name": "www.example.com",
    "type": "A",
    "content": "203.0.113.7",
    "ttl": 300,
    "proxied": False,
    "proxiable": True,
    "comment": None,
    "tags": [],
    "settings": {},
    "meta": {"auto_added": False},
    "created_on": "2026-01-01T00:00:00Z",
    "modified_on": "2026-01-02T00:00:00Z",
}
OUTPUTS = cloudflare_records.outputs_of(API, ZONE)


def diff(inputs: dict[str, Any], outputs: dict[str, Any], old_inputs: dict[str, Any]) -> tuple[Any, Any]:
    found = cloudflare_records.diff(old_inputs=old_inputs, old_outputs=outputs, inputs=inputs)
    return found.changed, found.replaces


def without(properties: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name != key}


@pytest.mark.parametrize(
    ("inputs", "failed"),
    [
        pytest.param(INPUTS, [], id="fine"),
        pytest.param(INPUTS | {"ttl": 1}, [], id="automatic"),
        pytest.param(INPUTS | {"ttl": 30}, [], id="enterprise-ttl"),
        pytest.param(INPUTS | {"ttl": 29}, ["ttl"], id="ttl-29"),
        pytest.param(INPUTS | {"ttl": 86401}, ["ttl"], id="ttl-86401"),
        pytest.param(INPUTS | {"proxied": True}, [], id="proxied-with-ttl-passes-the-preview"),
        pytest.param(INPUTS | {"type": "NOPE"}, ["type"], id="type"),
        pytest.param(INPUTS | {"data": {"flags": 0}}, ["content"], id="content-and-data"),
        pytest.param(INPUTS | {"priority": 65536}, ["priority"], id="priority"),
        pytest.param({}, ["zoneId", "name", "type", "ttl"], id="nothing"),
        pytest.param(dict.fromkeys(INPUTS, UNKNOWN), [], id="all-unknown"),
    ],
)
def test_inputs_are_checked_as_the_official_provider_does_at_preview(inputs: Any, failed: list[str]) -> None:
    assert [failure.property for failure in cloudflare_records.check(inputs)] == failed


@pytest.mark.parametrize(
    ("new", "old", "changed", "replaces"),
    [
        pytest.param({}, {}, (), (), id="nothing"),
        pytest.param({"zoneId": "c" * 32}, {}, ("zoneId",), ("zoneId",), id="zone-replaces"),
        pytest.param({"type": "TXT"}, {}, ("type",), ("type",), id="type-replaces"),
        pytest.param({"content": "203.0.113.9"}, {}, ("content",), (), id="content"),
        pytest.param({"ttl": 600}, {}, ("ttl",), (), id="ttl"),
        pytest.param({"name": "a.example.com"}, {}, ("name",), (), id="name"),
        pytest.param({"name": "WWW.example.com"}, {}, ("name",), (), id="case-of-name-is-an-update"),
        pytest.param({"name": "www"}, {}, (), (), id="relative-name"),
        pytest.param({"proxied": False}, {}, (), (), id="proxied-default"),
        pytest.param({"proxied": True}, {}, ("proxied",), (), id="proxied"),
        pytest.param({}, {"proxied": True}, ("proxied",), (), id="proxied-drifted"),
        pytest.param({"comment": "a"}, {}, ("comment",), (), id="comment"),
        pytest.param({}, {"comment": "by hand"}, ("comment",), (), id="comment-drifted"),
        pytest.param({"tags": ["a:1", "b:2"]}, {"tags": ["b:2", "a:1"]}, (), (), id="tags-are-a-set"),
        pytest.param({"tags": []}, {}, (), (), id="no-tags"),
        pytest.param({"tags": ["a:1"]}, {}, ("tags",), (), id="tags"),
        pytest.param({"settings": {"flattenCname": True}}, {"settings": {}}, ("settings",), (), id="settings"),
        pytest.param({}, {"settings": {"flattenCname": False}}, (), (), id="settings-of-the-api"),
        pytest.param({}, {"priority": 10}, (), (), id="priority-of-the-api"),
        pytest.param({"content": UNKNOWN}, {}, ("content",), (), id="unknown-content"),
    ],
)
def test_differences_are_those_of_the_official_provider(new: Any, old: Any, changed: Any, replaces: Any) -> None:
    assert diff(INPUTS | new, OUTPUTS | old, INPUTS) == (changed, replaces)


def test_the_case_of_a_cname_content_is_no_difference() -> None:
    outputs = OUTPUTS | {"type": "CNAME", "content": "edge.example.net"}
    assert diff(CNAME | {"content": "Edge.Example.net"}, outputs, CNAME) == ((), ())
    assert diff(CNAME | {"content": "other.example.net"}, outputs, CNAME) == (("content",), ())


def test_an_apex_sign_stays_the_apex() -> None:
    inputs = INPUTS | {"name": "@"}
    assert diff(inputs, OUTPUTS | {"name": "example.com"}, inputs) == ((), ())
    assert diff(inputs, OUTPUTS | {"name": "www.example.com"}, INPUTS) == (("name",), ())


def test_an_optional_input_that_was_dropped_is_a_difference() -> None:
    old = INPUTS | {"priority": 10}
    assert diff(INPUTS, OUTPUTS | {"priority": 10}, old) == (("priority",), ())


def test_a_body_holds_what_the_api_needs_and_says_proxied_in_any_case() -> None:
    assert cloudflare_records.body(INPUTS) == without(INPUTS, "zoneId") | {"proxied": False}
    assert cloudflare_records.body(CNAME | {"settings": {"flattenCname": True, "ipv4Only": False}})["settings"] == {
        "flatten_cname": True,
        "ipv4_only": False,
    }


def test_a_ttl_beside_proxied_is_refused_when_the_body_is_made() -> None:
    with pytest.raises(ProviderError, match="ttl must be set to 1 when `proxied` is true"):
        cloudflare_records.body(INPUTS | {"proxied": True})
    assert cloudflare_records.body(INPUTS | {"proxied": True, "ttl": 1})["proxied"] is True


def test_a_predicted_create_keeps_unknown_inputs_and_knows_no_output_of_the_api() -> None:
    outputs = cloudflare_records.predicted_outputs(INPUTS | {"content": UNKNOWN})
    assert outputs["content"] == outputs["createdOn"] == outputs["meta"] == UNKNOWN
    assert (outputs["name"], outputs["proxied"], outputs["tags"]) == ("www.example.com", False, [])
    assert "id" not in outputs


def test_a_predicted_update_keeps_what_cannot_change() -> None:
    outputs = cloudflare_records.predicted_outputs(INPUTS | {"ttl": 600}, OUTPUTS)
    assert (outputs["ttl"], outputs["createdOn"], outputs["id"]) == (600, OUTPUTS["createdOn"], OUTPUTS["id"])
    assert outputs["modifiedOn"] == UNKNOWN


def test_outputs_are_those_of_the_sdk_and_the_programs_spelling_stays_after_a_write() -> None:
    assert OUTPUTS["createdOn"] == "2026-01-01T00:00:00Z"
    assert OUTPUTS["meta"] == '{"auto_added": false}'
    assert (OUTPUTS["zoneId"], OUTPUTS["id"], OUTPUTS["proxiable"]) == (ZONE, "b" * 32, True)
    assert cloudflare_records.outputs_of(API, ZONE, INPUTS | {"name": "WWW.example.com"})["name"] == "WWW.example.com"


def test_an_import_finds_all_inputs_and_a_refresh_those_that_were_set() -> None:
    assert cloudflare_records.inputs_of(OUTPUTS, {}) == INPUTS | {"proxied": False}
    drifted = OUTPUTS | {"content": "203.0.113.9", "comment": "by hand"}
    assert cloudflare_records.inputs_of(drifted, INPUTS) == INPUTS | {"content": "203.0.113.9"}


def test_an_import_id_names_zone_and_record() -> None:
    assert cloudflare_records.parse_import_id("zone/record") == ("zone", "record")


@pytest.mark.parametrize("malformed", ["", "record", "zone/", "/record", "a/b/c"])
def test_a_malformed_import_id_is_refused_with_the_form_that_is_expected(malformed: str) -> None:
    with pytest.raises(ProviderError, match="expected <zone_id>/<dns_record_id>"):
        cloudflare_records.parse_import_id(malformed)


def test_a_lookup_is_capped_at_1000_unless_it_says_otherwise() -> None:
    assert cloudflare_lookups.max_items({}) == 1000
    assert cloudflare_lookups.max_items({"maxItems": 20000}) == 20000
    with pytest.raises(ProviderError):
        cloudflare_lookups.max_items({"maxItems": 0})


def test_filters_of_a_lookup_are_spelled_as_the_client_wants_them() -> None:
    arguments = {"zoneId": ZONE, "maxItems": 5, "comment": {"startswith": "edge"}, "tagMatch": "any", "type": "A"}
    assert cloudflare_lookups.records_query(arguments) == {
        "comment": {"startswith": "edge"},
        "tag_match": "any",
        "type": "A",
    }


def test_a_lookup_result_echoes_its_arguments_and_spells_records_as_the_sdk_does() -> None:
    result: Any = cloudflare_lookups.records_result({"zoneId": ZONE, "maxItems": 5}, [API])
    assert (result["zoneId"], result["maxItems"], result["match"], result["direction"]) == (ZONE, 5, "all", "asc")
    (listed,) = result["results"]
    assert listed == without(OUTPUTS, "zoneId")


def test_any_number_of_zones_but_one_is_an_error() -> None:
    assert cloudflare_lookups.only_zone([API]) == API
    for zones in ([], [API, API]):
        with pytest.raises(ProviderError, match=f"finds {len(zones)} zones"):
            cloudflare_lookups.only_zone(zones)


def test_a_zone_is_spelled_as_the_sdk_does() -> None:
    result = cloudflare_lookups.zone_result({"id": ZONE, "name_servers": ["a"], "meta": {"cdn_only": True}})
    assert result == {"id": ZONE, "zoneId": ZONE, "nameServers": ["a"], "meta": {"cdnOnly": True}}
