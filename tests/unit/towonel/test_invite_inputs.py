"""Inputs of an invite: one normal form, and every failure with its property path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.towonel.invite import InviteInputs
from providers.towonel.values import UNKNOWN

VALID: dict[str, Any] = {"name": "net/app", "hostnames": ["a.x.test"]}


def test_the_normal_form_has_defaults_and_sorted_lower_case_hostnames_without_duplicates() -> None:
    inputs, failures = InviteInputs.read(
        {
            "name": "net/app",
            "hostnames": ["B.x.test", " a.x.test", "b.X.TEST", "*.x.test"],
            "region": " ca ",
            "failoverRegions": ["eu", "", "ca"],
            "expiresInSecs": 0,
        }
    )
    assert failures == []
    assert inputs.properties() == {
        "name": "net/app",
        "hostnames": ("*.x.test", "a.x.test", "b.x.test"),
        "region": "CA",
        "failoverRegions": ("EU", "CA"),
        "generation": 1,
        "deletionPolicy": "Delete",
    }


@given(names=st.lists(st.sampled_from(["a.x.test", "A.x.test", "b.x.test", "*.x.test"]), min_size=1))
def test_the_normal_form_of_a_normal_form_is_itself(names: list[str]) -> None:
    once, _ = InviteInputs.read({**VALID, "hostnames": names})
    twice, failures = InviteInputs.read(once.properties())
    assert (twice, failures) == (once, [])


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        ({"name": None}, ["name"]),
        ({"name": "  "}, ["name"]),
        ({"name": 7}, ["name"]),
        ({"hostnames": None}, ["hostnames"]),
        ({"hostnames": []}, ["hostnames"]),
        ({"hostnames": "a.x.test"}, ["hostnames", "hostnames"]),
        (
            {"hostnames": ["a.x.test", "x", "b..test", 3]},
            ["hostnames[3]", "hostnames[1]", "hostnames[2]", "hostnames[3]"],
        ),
        ({"region": 5}, ["region"]),
        ({"failoverRegions": "EU"}, ["failoverRegions"]),
        ({"failoverRegions": ["EU", 5]}, ["failoverRegions[1]"]),
        ({"expiresInSecs": -1}, ["expiresInSecs"]),
        ({"expiresInSecs": 2_592_001}, ["expiresInSecs"]),
        ({"expiresInSecs": 1.5}, ["expiresInSecs"]),
        ({"expiresInSecs": True}, ["expiresInSecs"]),
        ({"generation": 0}, ["generation"]),
        ({"generation": "2"}, ["generation"]),
        ({"deletionPolicy": "retain"}, ["deletionPolicy"]),
        ({"hostname": "a.x.test"}, ["hostname"]),
        ({"name": "", "generation": 0, "hostnames": []}, ["name", "hostnames", "generation"]),
    ],
    ids=str,
)
def test_what_is_wrong_is_reported_with_its_path_all_at_once(change: dict[str, Any], paths: list[str]) -> None:
    _, failures = InviteInputs.read({**VALID, **change})
    assert [failure.path for failure in failures] == paths


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"name": UNKNOWN}, ["name"]),
        ({"hostnames": UNKNOWN}, ["hostnames"]),
        ({"hostnames": ["a.x.test", UNKNOWN]}, ["hostnames"]),
        ({"region": UNKNOWN}, ["region"]),
        ({"failoverRegions": [UNKNOWN]}, ["failoverRegions"]),
        ({"expiresInSecs": UNKNOWN, "generation": UNKNOWN}, ["expiresInSecs", "generation"]),
        ({"deletionPolicy": UNKNOWN}, ["deletionPolicy"]),
    ],
    ids=str,
)
def test_an_unknown_value_passes_and_stays_unknown(change: dict[str, Any], unknown: list[str]) -> None:
    inputs, failures = InviteInputs.read({**VALID, **change})
    assert failures == []
    assert [key for key, value in inputs.properties().items() if value is UNKNOWN] == unknown
