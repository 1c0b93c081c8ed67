import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from edge_dns.core.settings import Requirement, Selector, SelectorSyntax, parse_selector
from edge_dns.core.settings.selectors import SelectorSetting

SETTING: TypeAdapter[Selector] = TypeAdapter(SelectorSetting)
LABELS = st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["", "x", "y"]))


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {}, True),
        ("a=x", {"a": "x"}, True),
        ("a==x", {"a": "x"}, True),
        ("a=x", {"a": "y"}, False),
        ("a=x", {}, False),
        ("a=", {"a": ""}, True),
        ("a!=x", {"a": "y"}, True),
        ("a!=x", {}, True),
        ("a!=x", {"a": "x"}, False),
        ("a", {"a": "x"}, True),
        ("a", {"b": "x"}, False),
        ("!a", {"b": "x"}, True),
        ("!a", {"a": ""}, False),
        ("a in (x,y)", {"a": "y"}, True),
        ("a in (x,y)", {"a": "z"}, False),
        ("a in (x,y)", {}, False),
        ("a in ()", {"a": ""}, True),
        ("a in (x,)", {"a": ""}, True),
        ("a notin (x, y)", {"a": "z"}, True),
        ("a notin (x, y)", {}, True),
        ("a notin (x, y)", {"a": "x"}, False),
        ("a=x, b in (x,y) ,!c", {"a": "x", "b": "y"}, True),
        ("a=x,b in (x,y),!c", {"a": "x", "b": "y", "c": ""}, False),
        ("example.com/team = web", {"example.com/team": "web"}, True),
        ("in in (in,notin)", {"in": "notin"}, True),
    ],
)
def test_a_selector_text_matches_as_in_kubernetes(text: str, labels: dict[str, str], matches: bool) -> None:
    assert parse_selector(text).matches(labels) is matches


@pytest.mark.parametrize(
    "text",
    [
        ",",
        "a,",
        ",a",
        "a,,b",
        "a=x b=y",
        "a in x",
        "a in (x",
        "a in (x y)",
        "!",
        "=x",
        "a like x",
        "a=x=y",
        "/a",
        "A.com/x/y",
        "a=" + "x" * 64,
        "a=-x",
        "a b",
        "a=ü",
        "!a=x",
        "a>1",
    ],
)
def test_a_text_that_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(SelectorSyntax):
        parse_selector(text)


@given(st.text(st.sampled_from("abin not(),=! /."), max_size=20))
def test_any_text_is_a_selector_or_refused(text: str) -> None:
    try:
        selector = parse_selector(text)
    except SelectorSyntax:
        return
    assert selector.matches({}) in {True, False}


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        ({"matchLabels": {"a": "x", "b": "y"}}, "a=x,b=y"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}, "a in (x,y)"),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]}, "a!=x"),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, "a"),
        (
            {"matchLabels": {"a": "x"}, "matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]},
            "a=x,!b",
        ),
        ({}, ""),
    ],
)
def test_the_object_form_means_the_same_as_the_text(written: object, same_as: str) -> None:
    assert SETTING.validate_python(written) == parse_selector(same_as) == SETTING.validate_python(same_as)


@pytest.mark.parametrize(
    "written",
    [
        {"a": "x"},
        {"matchLabels": {"a": 1}},
        {"matchLabels": {"-a": "x"}},
        {"matchExpressions": [{"key": "a", "operator": "Like", "values": ["x"]}]},
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
        5,
        None,
    ],
)
def test_an_object_that_is_no_selector_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        SETTING.validate_python(written)


@given(LABELS, st.sampled_from(["a", "b"]), st.frozensets(st.sampled_from(["", "x", "y"]), min_size=1))
def test_notin_is_the_opposite_of_in(labels: dict[str, str], key: str, values: frozenset[str]) -> None:
    inside = Requirement(key=key, operator="In", values=values)
    outside = Requirement(key=key, operator="NotIn", values=values)
    assert inside.matches(labels) is not outside.matches(labels)
