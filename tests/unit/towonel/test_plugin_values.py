"""Property values to plain ones and back, and the provider's configuration."""

from typing import Any

import pytest
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

from providers.towonel import config
from providers.towonel.values import UNKNOWN, Plain, known, plain, property_map, property_value


@pytest.mark.parametrize("value", [None, True, 7, 1.5, "text", UNKNOWN, ["a", UNKNOWN], {"a": [1, {"b": None}]}])
def test_a_value_survives_the_way_to_the_engine_and_back(value: Plain) -> None:
    wire = property_value(value).marshal()
    assert plain(PropertyValue.unmarshal(wire)) == value


def test_the_secret_mark_is_no_part_of_the_plain_value() -> None:
    assert plain(PropertyValue("s", is_secret=True)) == "s"


def test_only_named_values_are_secret_and_null_never_is() -> None:
    wrapped = property_map({"token": "t", "other": "o"}, secret={"token"})
    assert [wrapped["token"].is_secret, wrapped["other"].is_secret] == [True, False]
    assert not property_map({"token": None}, secret={"token"})["token"].is_secret


def test_an_unknown_secret_stays_unknown_and_secret() -> None:
    wrapped = property_map({"token": UNKNOWN}, secret={"token"})["token"]
    assert (wrapped.value, wrapped.is_secret) == (rpc.UNKNOWN, True)


def test_an_unknown_value_at_update_is_an_error() -> None:
    assert known("x") == "x"
    with pytest.raises(TypeError, match="unknown"):
        known(UNKNOWN)


def test_one_trailing_slash_of_the_url_is_cut() -> None:
    inputs, failures = config.check({"url": "https://hub.test/", "apiKey": "k"})
    assert (inputs["url"], failures) == ("https://hub.test", [])


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({}, ["url", "apiKey"]),
        ({"url": "hub.test", "apiKey": "k"}, ["url"]),
        ({"url": "https://hub.test", "apiKey": "a b"}, ["apiKey"]),
        ({"url": UNKNOWN, "apiKey": UNKNOWN}, []),
    ],
    ids=["missing", "url", "key", "unknown"],
)
def test_the_configuration_is_checked_without_showing_it(inputs: dict[str, Any], paths: list[str]) -> None:
    _, failures = config.check(inputs)
    assert [failure.path for failure in failures] == paths
    assert "a b" not in " ".join(failure.reason for failure in failures)


def test_there_are_no_credentials_while_one_is_unknown() -> None:
    assert config.credentials({"url": "https://hub.test", "apiKey": UNKNOWN}) is None
    assert config.credentials({"url": "https://hub.test", "apiKey": "k"}) == ("https://hub.test", "k")
