"""What a real external-dns makes of the controller annotation of routes, by its version and its annotation prefix."""

from collections.abc import Iterator, Mapping

import pytest

from edge_dns.core.exposure import PREFIXES, opts_out
from local.bind import BindServer
from tests.cluster.external_dns import NEW, NOTHING, OLD, VERSIONS, ExternalDns, Version, answer
from tests.cluster.objects import Scene, route

ZONE = "example.com"
ALPHA, PLAIN = (f"{prefix}controller" for prefix in PREFIXES)
ROUTES: Mapping[str, Mapping[str, str]] = {
    "unmarked": {},
    "both": {ALPHA: "edge-dns", PLAIN: "edge-dns"},
    "alpha": {ALPHA: "edge-dns"},
    "plain": {PLAIN: "edge-dns"},
    "empty": {ALPHA: "", PLAIN: ""},
    "claimed": {ALPHA: "dns-controller", PLAIN: "dns-controller"},
}
"""Annotations by the name of the route, which is the first label of its hostname."""


@pytest.fixture
def bind() -> Iterator[BindServer]:
    with BindServer([ZONE]) as server:
        yield server


def external_dns(version: Version, scene: Scene, bind: BindServer) -> ExternalDns:
    return ExternalDns(version=version, kubeconfig=scene.kube.kubeconfig(), bind=bind, zones=[ZONE])


def published(bind: BindServer) -> set[str]:
    """Return the routes of which BIND answers both the address and the registry entry of external-dns."""
    found = {name for name in ROUTES if answer(bind, f"{name}.{ZONE}", "A") != NOTHING}
    assert found == {name for name in ROUTES if answer(bind, f"a-{name}.{ZONE}", "TXT") != NOTHING}
    return found


def apply_routes(scene: Scene) -> None:
    scene.gateway("front", "203.0.113.7")
    for name, annotations in ROUTES.items():
        one = route(name, [f"{name}.{ZONE}"], "front")
        [live] = scene.kube.apply({**one, "metadata": {**one["metadata"], "annotations": annotations}})
        scene.route_status(live)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_the_annotation_hides_a_route_under_the_prefix_of_the_version_only(
    version: Version, scene: Scene, bind: BindServer
) -> None:
    apply_routes(scene)
    other = {OLD.name: "plain", NEW.name: "alpha"}[version.name]
    external_dns(version, scene, bind).sync("gateway-httproute")
    assert published(bind) == {"unmarked", "claimed", other}
    assert answer(bind, f"unmarked.{ZONE}", "A") == ("NOERROR", ("203.0.113.7",))


def test_a_prefix_given_to_the_newer_version_replaces_its_own(scene: Scene, bind: BindServer) -> None:
    apply_routes(scene)
    external_dns(NEW, scene, bind).sync("gateway-httproute", f"--annotation-prefix={OLD.prefix}")
    assert published(bind) == {"unmarked", "claimed", "plain"}


def test_what_counts_as_opted_out_here_is_published_by_no_version(scene: Scene, bind: BindServer) -> None:
    """Except under one prefix alone: there the other version takes it, and the guard does not."""
    apply_routes(scene)
    for version in VERSIONS:
        external_dns(version, scene, bind).sync("gateway-httproute", policy="upsert-only")
    hidden = {name for name, annotations in ROUTES.items() if opts_out(annotations)}
    assert hidden == {"both", "alpha", "plain", "empty"}
    assert published(bind) == set(ROUTES) - {"both", "empty"}


def test_an_annotation_added_to_a_published_route_takes_its_records_away(scene: Scene, bind: BindServer) -> None:
    scene.gateway("front", "203.0.113.7")
    for name in ("unmarked", "both"):
        scene.accepted_route(name, [f"{name}.{ZONE}"], to="front")
    public = external_dns(OLD, scene, bind)
    public.sync("gateway-httproute")
    assert published(bind) == {"unmarked", "both"}
    one = route("both", [f"both.{ZONE}"], "front")
    scene.kube.apply({**one, "metadata": {**one["metadata"], "annotations": ROUTES["both"]}})
    public.sync("gateway-httproute")
    assert published(bind) == {"unmarked"}
