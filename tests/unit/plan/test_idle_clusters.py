"""Settings of a cluster that match nothing in it are told, since a mistyped one has no other effect."""

import pytest

from tests.unit.admission.objects import Object, gateway, route
from tests.unit.plan.world import FREE, Json, run, settings_of

OBJECTS = (gateway(), route(hostnames=["a.example.com"]))


def _told(cluster: Json, *objects: Object) -> list[tuple[str, str]]:
    settings = settings_of(clusters=[{"name": "c1", **cluster}], safety=FREE)
    outcome = run(settings, clusters={"c1": objects})
    return [(one["path"], one["message"]) for one in outcome.document["warnings"]]


def _target(name: str) -> Json:
    return {"namespace": "edge", "name": name, "region": "eu"}


@pytest.mark.parametrize(
    ("cluster", "path", "why"),
    [
        pytest.param(
            {"targets": [_target("front"), _target("frontt")]},
            "targets[1]",
            "cluster c1 has no Gateway edge/frontt; correct or remove it",
            id="a target",
        ),
        pytest.param(
            {"select": {"names": ["frontt"]}},
            "select",
            "leaves out every Gateway of cluster c1 (edge/front); correct it",
            id="select",
        ),
        pytest.param(
            {"routes": {"labels": "public=yes"}},
            "routes",
            "leaves out every HTTPRoute of cluster c1 (team/cart); correct it",
            id="routes",
        ),
    ],
)
def test_a_setting_that_matches_nothing_of_its_cluster_is_told(cluster: Json, path: str, why: str) -> None:
    path = f"edge-dns:clusters[0].{path}"
    assert _told(cluster, *OBJECTS) == [(path, f"{path}: {why}")]


@pytest.mark.parametrize(
    "cluster",
    [
        {},
        {"targets": [_target("front")]},
        {"select": {"names": ["front", "later"]}},
        {"routes": {"namespaces": ["team"]}},
    ],
    ids=["none", "a target", "select", "routes"],
)
def test_a_setting_that_matches_something_is_not_told(cluster: Json) -> None:
    assert _told(cluster, *OBJECTS) == []


def test_a_cluster_without_objects_says_nothing_of_what_selects_them() -> None:
    assert _told({"select": {"names": ["front"]}, "routes": {"namespaces": ["shop"]}}) == []
