import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.yaml_text import TextInvalid, Value, load, load_all

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**63), max_value=2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc0.:- ", max_size=5), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("NO", "no", "on", "off", "yes", "y", "1:30", "2026-12-31", "=", ".", "1.2.3")),
        *((word, None) for word in ("~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        ("0", 0),
        ("-17", -17),
        ("+5", 5),
        ("012", 10),
        ("0o14", 12),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("08", 8.0),
        ("1.5", 1.5),
        (".5e3", 500.0),
        ("-.inf", -math.inf),
        ("9" * 400, "9" * 400),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!float 3", 3.0),
        ("!!int 3", 3),
    ],
)
def test_scalars_are_read_as_pulumi_reads_them(text: str, value: Value) -> None:
    found = load(f"a: {text}")
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


def test_not_a_number_is_read() -> None:
    assert math.isnan(load("[.nan]")[0])  # type: ignore[index, arg-type]  # a list of one float


def test_keys_are_texts_as_they_are_written() -> None:
    assert load("NO: 1\n1: 2\ntrue: 3\n~: 4\n") == {"NO": 1, "1": 2, "true": 3, "~": 4}


def test_an_empty_text_is_nothing() -> None:
    assert load("") is None
    assert load_all("# only a comment\n") == []


def test_several_documents_are_read_one_by_one() -> None:
    assert load_all("a: 1\n---\nb: 2\n---\n") == [{"a": 1}, {"b": 2}, None]
    with pytest.raises(TextInvalid, match="one document"):
        load("a: 1\n---\nb: 2\n")


def test_aliases_are_copies_and_merge_keys_yield_to_written_ones() -> None:
    value = load("base: &b {x: 1, y: 2}\nsame: *b\nmore: {<<: [*b, {x: 7, z: 8}], y: 3}\n")
    assert value == {"base": {"x": 1, "y": 2}, "same": {"x": 1, "y": 2}, "more": {"x": 1, "y": 3, "z": 8}}
    assert value["base"] is not value["same"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", "line 3, column 1: duplicate key 'a'", id="duplicate key"),
        pytest.param('{"a": 1,\n "a": 2}', "line 2, column 2: duplicate key 'a'", id="duplicate key in json"),
        pytest.param("a: 1\n b: 2\n", "line 2, column 3: mapping values are not allowed", id="indentation"),
        pytest.param("a: [1,\n", "line 2, column 1", id="list not closed"),
        pytest.param('{"a": ', "line 2, column 1", id="json cut off"),
        pytest.param("a: &x [*x]", "line 1, column 4: an alias stands inside its own anchor", id="endless"),
        pytest.param("a: *nothing", "line 1, column 4", id="alias without anchor"),
        pytest.param("a: *.example.com", "; write the value in quotes", id="wildcard without quotes"),
        pytest.param("a: @", "cannot start any token; write the value in quotes", id="apex without quotes"),
        pytest.param("a: !env HOME", "line 1, column 4: the tag '!env'", id="tag of our own"),
        pytest.param("a: !!binary aGk=", "the tag", id="binary"),
        pytest.param("a: !!int x", "the tag", id="tag that does not fit"),
        pytest.param("a: !!set {x, y}", "the tag", id="set"),
        pytest.param("? [a]\n: b", "line 1, column 3: a key must be a text", id="key that is a list"),
        pytest.param("<<: 3", "'<<' takes a mapping", id="merge of a number"),
        pytest.param("a: \0", "not YAML", id="control character"),
        pytest.param("\ud800", "not YAML", id="lone surrogate"),
        pytest.param("[" * 100_000, "depth", id="deep flow"),
        pytest.param("- " * 100_000, "depth", id="deep block"),
        pytest.param("[" * 300 + "]" * 300 + " #", "deeper than 200", id="deep but closed"),
    ],
)
def test_what_is_not_yaml_is_refused_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(TextInvalid, match=r"^[^\n]*$") as refusal:
        load(text)
    assert message in str(refusal.value)


def test_aliases_cannot_expand_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(TextInvalid, match="expand to too much"):
        load("\n".join(lines))


@given(JSON_VALUES)
def test_json_is_read_as_it_was_written(value: Value) -> None:
    assert load(json.dumps([value])) == [value]


@given(JSON_VALUES)
def test_json_inside_yaml_is_the_same_value(value: Value) -> None:
    assert load("a:\n  " + json.dumps(value, ensure_ascii=False)) == {"a": value}


@given(st.text(st.sampled_from("ab:-[]{}&*!<>'\"#|?,. \n\t019~"), max_size=40) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        documents = load_all(text)
    except TextInvalid:
        return
    assert isinstance(documents, list)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["\\ud800.example.com"]', ["\ufffd.example.com"]),
        ('{"a\\uDFFF": {"b": "\\ud800\\ud800x"}}', {"a\ufffd": {"b": "\ufffd\ufffdx"}}),
        ('["\\ud83d\\ude00"]', ["\U0001f600"]),
        ('["\\\\ud800"]', ["\\ud800"]),
    ],
    ids=["value", "key and two halves", "whole pair", "no escape"],
)
def test_half_of_a_surrogate_pair_is_read_as_go_reads_it(text: str, value: object) -> None:
    assert load(text) == value
