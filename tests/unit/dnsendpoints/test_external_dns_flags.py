"""Which external-dns instances of a cluster would publish an object, by the flags of their Deployments."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from edge_dns.core.endpoint_readers import Reader, readers_of

PUBLIC = {"edge-dns/exposure": "public"}
INTERNAL = {"edge-dns/exposure": "internal"}


def deployment(*args: str, image: str = "registry.k8s.io/external-dns/external-dns:v0.21.0", **more: Any) -> Any:
    container = {"image": image, "args": list(args), **more}
    spec = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    return {"metadata": {"namespace": "dns", "name": "public"}, "spec": spec}


def reader(*args: str, **more: Any) -> Reader:
    (found,) = readers_of([deployment("--source=crd", *args, **more)])
    return found


def takes(found: Reader, labels: Mapping[str, str] = PUBLIC, namespace: str = "team") -> bool:
    return found.takes(namespace, labels, {"team": "shop"}, "example.com")


@pytest.mark.parametrize(
    ("args", "public", "internal"),
    [
        pytest.param([], True, True, id="no filter"),
        pytest.param(["--label-filter=edge-dns/exposure=public"], True, False, id="public only"),
        pytest.param(["--label-filter", "edge-dns/exposure!=public"], False, True, id="all but public, in two words"),
        pytest.param(["--label-filter=edge-dns/exposure in (public)"], True, False, id="set"),
        pytest.param(["--annotation-filter=team=shop"], True, True, id="annotation that the object has"),
        pytest.param(["--annotation-filter=team=blog"], False, False, id="annotation that it has not"),
        pytest.param(["--namespace=team"], True, True, id="its namespace"),
        pytest.param(["--namespace=other"], False, False, id="another namespace"),
        pytest.param(["--domain-filter=other.example", "--domain-filter=example.com"], True, True, id="its domain"),
        pytest.param(["--domain-filter=eu.example.com"], True, True, id="a part of its domain"),
        pytest.param(["--domain-filter=other.example"], False, False, id="another domain"),
        pytest.param(["--once", "--label-filter=edge-dns/exposure=public"], True, False, id="after a switch"),
        pytest.param(["--label-filter=a in (b"], True, True, id="a filter with which it would not start"),
    ],
)
def test_an_instance_takes_what_all_of_its_filters_admit(args: Sequence[str], public: bool, internal: bool) -> None:
    found = reader(*args)
    assert (takes(found), takes(found, INTERNAL)) == (public, internal)


def test_flags_may_be_variables_and_a_given_flag_counts_more() -> None:
    env = [{"name": "EXTERNAL_DNS_LABEL_FILTER", "value": "edge-dns/exposure=public"}]
    assert not takes(reader(env=env), INTERNAL)
    assert takes(reader("--label-filter=edge-dns/exposure!=public", env=env), INTERNAL)
    (found,) = readers_of([deployment(env=[{"name": "EXTERNAL_DNS_SOURCE", "value": "service\ncrd"}])])
    assert found.title == "Deployment dns/public"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(deployment("--source=service", "--source=gateway-httproute"), id="other sources"),
        pytest.param(deployment("--source=crd", image="example.com/other:v1"), id="another program"),
        pytest.param({**deployment("--source=crd"), "spec": {"replicas": 0}}, id="scaled to nothing"),
        pytest.param({}, id="nothing in it"),
    ],
)
def test_what_reads_no_dnsendpoints_is_left_out(other: Any) -> None:
    assert readers_of([other]) == ()
