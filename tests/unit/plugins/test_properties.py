import pytest
from google.protobuf.struct_pb2 import Struct

from local.plugins.properties import UNKNOWN, from_struct, is_unknown, to_struct, with_secrets

SECRET = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    "value": {"list": [1, "text"]},
}


def test_properties_survive_the_way_through_protobuf() -> None:
    properties = {"text": "a", "number": 1, "half": 0.5, "yes": True, "list": ["a", {"b": [1]}], "empty": {}}
    assert from_struct(to_struct(properties)) == properties


def test_whole_numbers_are_int_and_bools_stay_bools() -> None:
    read = from_struct(to_struct({"ttl": 300.0, "flag": True}))
    assert (type(read["ttl"]), type(read["flag"])) == (int, bool)


def test_what_is_none_is_left_out_at_every_depth() -> None:
    assert from_struct(to_struct({"a": None, "b": {"c": None, "d": 1}})) == {"b": {"d": 1}}


def test_null_is_none() -> None:
    struct = Struct()
    struct.update({"a": None})
    assert from_struct(struct) == {"a": None}


def test_secrets_are_unwrapped_at_every_depth() -> None:
    assert from_struct(to_struct({"a": SECRET, "b": [SECRET]})) == {
        "a": {"list": [1, "text"]},
        "b": [{"list": [1, "text"]}],
    }


def test_settings_that_are_credentials_are_marked_as_secrets_once() -> None:
    marked = with_secrets(to_struct({"apiToken": "hidden", "baseUrl": "shown"}), ["apiToken", "apiKey"])
    assert set(marked.fields["apiToken"].struct_value.fields) == set(SECRET)
    assert marked.fields["baseUrl"].string_value == "shown"
    assert with_secrets(marked, ["apiToken"]) == marked
    assert from_struct(marked) == {"apiToken": "hidden", "baseUrl": "shown"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(UNKNOWN, True, id="plain"),
        pytest.param(["a", UNKNOWN], True, id="in-list"),
        pytest.param({"a": {"b": UNKNOWN}}, True, id="nested"),
        pytest.param({"a": ["b"]}, False, id="known"),
        pytest.param(None, False, id="none"),
    ],
)
def test_a_value_with_an_unknown_part_is_unknown(value: object, expected: bool) -> None:
    assert is_unknown(value) is expected
