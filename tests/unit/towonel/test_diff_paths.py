"""What a preview shows of a changed input."""

from typing import Any

import pytest
from pulumi.provider.experimental.provider import PropertyDiffKind as Kind

from providers.towonel.detail import changed_paths


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["a", "c"], ["a", "b", "c"], {"hostnames[1]": Kind.ADD}),
        (["a", "b", "c"], ["a", "c"], {"hostnames[1]": Kind.DELETE}),
        (["a", "c"], ["b", "c"], {"hostnames[0]": Kind.UPDATE}),
        (["b"], ["a", "c"], {"hostnames[0]": Kind.UPDATE, "hostnames[1]": Kind.ADD}),
        (["a"], ["a"], {"hostnames": Kind.UPDATE}),
    ],
    ids=["added", "removed", "swapped", "swapped-and-added", "same-names"],
)
def test_of_a_list_only_the_items_that_come_and_go(before: list[str], after: list[str], expected: Any) -> None:
    assert changed_paths({"hostnames": before}, {"hostnames": after}, ["hostnames"], replaces=[]) == expected


@pytest.mark.parametrize(
    ("old", "new", "replaces", "kind"),
    [
        ({"region": "EU"}, {"region": "CA"}, ["region"], Kind.UPDATE_REPLACE),
        ({}, {"region": "CA"}, ["region"], Kind.ADD_REPLACE),
        ({"region": "EU"}, {}, ["region"], Kind.DELETE_REPLACE),
        ({"region": ["EU"]}, {"region": ["CA"]}, ["region"], Kind.UPDATE_REPLACE),
        ({"region": "EU"}, {"region": "CA"}, [], Kind.UPDATE),
    ],
)
def test_of_another_property_the_whole(old: Any, new: Any, replaces: list[str], kind: Kind) -> None:
    assert changed_paths(old, new, ["region"], replaces=replaces) == {"region": kind}
