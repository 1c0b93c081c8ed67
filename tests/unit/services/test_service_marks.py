"""The Service objects of internal services are kept from external-dns as well, whose `service` source reads them."""

from typing import Any

import pytest

from tests.unit.admission.objects import Object, gateway
from tests.unit.plan.world import FREE, plan_of, settings_of
from tests.unit.services.world import plan, public, service

A = "a.example.com"
OLD, NEW = "external-dns.alpha.kubernetes.io/controller", "external-dns.kubernetes.io/controller"
BOTH = {OLD: "edge-dns-internal", NEW: "edge-dns-internal"}


def live(name: str = "wiki", **annotations: str) -> Object:
    metadata = {"namespace": "docs", "name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"type": "LoadBalancer"}}


def marks(one: Any, *objects: Object) -> dict[str, Any]:
    made = plan_of(settings_of(services=[one], safety=FREE), gateway(), *objects)
    return {mark.id: dict(mark.annotations) for mark in made.marks}


@pytest.mark.parametrize(
    ("one", "found", "marked"),
    [
        pytest.param(service(A), [live()], BOTH, id="internal"),
        pytest.param(service(A, gateway=None), [live()], BOTH, id="internal without Gateway"),
        pytest.param(service(A), [live(**BOTH)], BOTH, id="marked before"),
        pytest.param(service(A), [live(**{OLD: "theirs"})], {NEW: "edge-dns-internal"}, id="half marked by others"),
        pytest.param(service(A), [live(**{NEW: "dns-controller"})], BOTH, id="claimed for external-dns"),
        pytest.param(service(A), [live(**{OLD: "theirs", NEW: "theirs"})], None, id="marked by others"),
        pytest.param(service(A), [], None, id="no Service"),
        pytest.param(service(A), [live("other")], None, id="another Service"),
        pytest.param(public(A), [live()], None, id="public"),
    ],
)
def test_which_services_are_marked(one: Any, found: list[Object], marked: Any) -> None:
    assert marks(one, *found) == ({} if marked is None else {"c1/docs/wiki": marked})


def test_what_is_read_from_files_is_not_marked() -> None:
    cluster = {"name": "c1", "files": ["objects.yaml"]}
    settings = settings_of(services=[service(A, gateway=None)], clusters=[cluster], safety=FREE)
    assert plan_of(settings, clusters={"c1": [gateway(), live()]}).marks == ()


def test_the_plan_says_what_is_written_for_each_service() -> None:
    services = [service(A), public("b.example.com", name="shop"), service("c.example.com", name="db", gateway=None)]
    assert plan(services, gateway(), live()).document["services"] == [
        {
            "cluster": "c1",
            "namespace": "docs",
            "name": name,
            "exposure": exposure,
            "hostnames": [hostname],
            "route": route,
            "marked": marked,
        }
        for name, exposure, hostname, route, marked in (
            ("db", "internal", "c.example.com", False, False),
            ("shop", "public", "b.example.com", True, False),
            ("wiki", "internal", A, True, True),
        )
    ]
