"""The HTTPRoute that a service declares: by its exposure alone, and never one that an external-dns takes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.exposure import annotation_problem, opts_out
from edge_dns.core.services import PlannedRoute, exposure_annotations, manifest, plan_services
from edge_dns.core.settings import SettingsInvalid, load_settings
from tests.unit.services.world import OWNER, public, route_of, service

A, B = "a.example.com", "b.example.com"
PREFIXES = ("external-dns.alpha.kubernetes.io/", "external-dns.kubernetes.io/")


@pytest.mark.parametrize(
    ("one", "exposure", "guarded"),
    [
        pytest.param(service(A), "internal", True, id="omitted"),
        pytest.param(service(A, exposure="internal"), "internal", True, id="internal"),
        pytest.param(service(A, privateZones=True), "internal", True, id="internal with private zones"),
        pytest.param(public(A), "public", False, id="public"),
        pytest.param(public(A, privateZones=True), "public", False, id="public, whatever privateZones says"),
    ],
)
def test_exposure_alone_decides_over_label_and_annotations(one: Any, exposure: str, guarded: bool) -> None:
    metadata: Any = manifest(route_of(one), OWNER).metadata
    assert metadata["labels"] == {"edge-dns/exposure": exposure}
    keys = {key for key in metadata["annotations"] if key.endswith("/controller")}
    assert keys == ({f"{prefix}controller" for prefix in PREFIXES} if guarded else set())
    assert metadata["annotations"]["edge-dns/owner"] == OWNER


def test_the_route_sends_its_hostnames_in_normal_form_to_the_port_of_the_service() -> None:
    one = public("B.Example.com.", A, B, port=8080, gateway={"name": "front", "sectionName": "web"})
    assert manifest(route_of(one), OWNER).spec == {
        "hostnames": [A, B],
        "parentRefs": [
            {
                "group": "gateway.networking.k8s.io",
                "kind": "Gateway",
                "namespace": "docs",
                "name": "front",
                "sectionName": "web",
            }
        ],
        "rules": [{"backendRefs": [{"group": "", "kind": "Service", "name": "wiki", "port": 8080}]}],
    }


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(service(A, gateway=None), id="no Gateway"),
        pytest.param(service(), id="no hostname, which would take all of them"),
        pytest.param(service("-bad-", "10.0.0.1"), id="no valid hostname"),
    ],
)
def test_a_service_without_gateway_or_hostname_declares_no_route(one: Any) -> None:
    [plan] = plan_services(load_settings({"clusters": [{"name": "c1"}], "services": [one]}))
    assert plan.route is None


_NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
_SERVICES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "name": _NAMES | st.just("dns-controller"),
        "namespace": _NAMES | st.just("dns-controller"),
        "hostnames": st.lists(
            _NAMES.map("{}.example.com".format) | st.just("dns-controller.example"), min_size=1, max_size=16
        ),
        "gateway": st.fixed_dictionaries({"name": _NAMES | st.just("dns-controller")}),
    },
    optional={
        "exposure": st.sampled_from(["internal", "public"]),
        "privateZones": st.booleans(),
        "port": st.integers(1, 65535),
    },
)


@given(_SERVICES)
def test_no_input_makes_a_route_that_claims_it_for_external_dns_or_an_internal_one_without_the_guard(one: Any) -> None:
    metadata: Any = manifest(route_of(one), OWNER).metadata
    annotations = metadata["annotations"]
    assert "dns-controller" not in annotations.values()
    exposure = one.get("exposure", "internal")
    assert opts_out(annotations) is (exposure == "internal")
    assert all(f"{prefix}controller" in annotations for prefix in PREFIXES) is (exposure == "internal")
    assert annotation_problem(exposure, annotations) is None


@given(_SERVICES, _SERVICES)
def test_services_of_one_exposure_get_the_same_annotations(one: Any, other: Any) -> None:
    first, second = route_of(one), route_of(other)
    if first.exposure == second.exposure:
        assert first.annotations == second.annotations == exposure_annotations(first.exposure)


def test_there_is_no_field_by_which_a_route_could_have_other_annotations() -> None:
    assert set(PlannedRoute.__dataclass_fields__) == {
        "cluster",
        "namespace",
        "name",
        "exposure",
        "private_zones",
        "hostnames",
        "parent",
        "port",
        # The one other thing: a route that was public stays so until the internal resolver answers (E13).
        "waits",
    }


EAST, WEST = {"name": "east"}, {"name": "west"}
FILES = {"name": "files", "files": ["objects.yaml"]}


@pytest.mark.parametrize(
    ("clusters", "services", "path", "words"),
    [
        pytest.param([EAST], [service(A, cluster="wset")], "services[0].cluster", "known: east", id="unknown"),
        pytest.param([EAST, WEST], [service(A)], "services[0].cluster", "is required", id="several"),
        pytest.param([], [service(A)], "services[0].gateway", "the settings have none", id="none"),
        pytest.param([FILES], [service(A)], "services[0].gateway", "read from files", id="files"),
        pytest.param([EAST], [service(A), service(B, cluster="east")], "services[1]", "each service once", id="twice"),
        pytest.param(
            [EAST],
            [service(*(f"h{number}.example.com" for number in range(17)))],
            "services[0].hostnames",
            "at most 16",
            id="too many hostnames",
        ),
    ],
)
def test_a_service_whose_route_could_not_be_written_is_an_error_of_the_settings(
    clusters: Any, services: Any, path: str, words: str
) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        load_settings({"clusters": clusters, "services": services})
    [error] = caught.value.errors
    assert error.path == path
    assert words in error.message


@pytest.mark.parametrize("clusters", [[], [EAST, WEST], [FILES]], ids=["none", "several", "files"])
def test_without_gateway_nothing_is_written_so_no_cluster_is_needed(clusters: Any) -> None:
    settings = load_settings({"clusters": clusters, "services": [service(A, gateway=None)]})
    assert settings.services[0].exposure == "internal"
