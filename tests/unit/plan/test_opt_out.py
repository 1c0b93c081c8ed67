"""The opt-out of a route keeps its names off every public claim, wherever the route stands."""

from typing import Any

import pytest

from tests.unit.admission.objects import Object, condition, gateway, listener, namespace, parent, ref, route, silent
from tests.unit.plan.test_not_supported import other
from tests.unit.plan.world import FREE, Run, run, settings_of, tunnel

A, B = "a.example.com", "b.example.com"
NONE = {"annotations": {"external-dns.alpha.kubernetes.io/controller": "none"}}
DELETING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
HIDDEN = "HTTPRoute team/cart opts out of publishing by its external-dns controller annotation"


def hidden(**settings: Any) -> Object:
    return route(**{"hostnames": [A], "metadata": NONE} | settings)


def plan(*objects: Object, **more: Any) -> Run:
    cluster = {"name": "c1", **more.pop("cluster", {})}
    return run(settings_of(tunnels=[tunnel(A, B)], clusters=[cluster], safety=FREE), *objects, **more)


WHEREVER = [
    pytest.param([gateway(), hidden()], {}, id="accepted"),
    pytest.param([gateway(metadata=DELETING), hidden()], {}, id="its Gateway is being deleted"),
    pytest.param([hidden()], {}, id="its Gateway is missing"),
    pytest.param([gateway(), hidden()], {"select": {"names": ["another"]}}, id="its Gateway is not selected"),
    pytest.param([hidden()], {"select": {"names": ["another"]}}, id="its Gateway is missing and not selected"),
    pytest.param([gateway(), hidden(refs=[])], {}, id="no parent"),
    pytest.param([gateway(), hidden(refs=[ref(kind="Service", group="")])], {}, id="no Gateway for a parent"),
    pytest.param([gateway(), hidden(refs=[ref(section="gone")])], {}, id="no such listener"),
    pytest.param([gateway(listeners=[listener(hostname="x.test")]), hidden()], {}, id="no listener takes the name"),
    pytest.param([gateway(), hidden()], {"routes": {"namespaces": ["another"]}}, id="its namespace is not selected"),
    pytest.param([gateway(), hidden()], {"routes": {"labels": "dns=yes"}}, id="its labels are not selected"),
    pytest.param([gateway(), hidden(parents=[])], {}, id="no status"),
    pytest.param([gateway(), hidden(parents=[parent(ref(), condition("False"))])], {}, id="rejected"),
    pytest.param([gateway(accepted=condition("False")), hidden()], {}, id="its Gateway is rejected"),
    pytest.param([gateway(), hidden(metadata={**NONE, **DELETING})], {}, id="being deleted itself"),
]


@pytest.mark.parametrize(("objects", "cluster"), WHEREVER)
def test_a_name_that_a_route_opts_out_of_is_published_for_nobody(objects: list[Object], cluster: Any) -> None:
    outcome = plan(*objects, cluster=cluster)
    assert outcome.outcome == {A: ("refused", "exposure-internal"), B: ("published", None)}
    assert HIDDEN in outcome.reason(A)
    assert outcome.status == 0


@pytest.mark.parametrize(("objects", "cluster"), WHEREVER)
def test_a_published_name_is_withdrawn_once_any_route_with_it_opts_out(objects: list[Object], cluster: Any) -> None:
    before = plan(gateway(), silent(hostnames=["x.example.org"]))
    assert before.states[A] == "published"
    assert plan(*objects, cluster=cluster, memory=before.memory).outcome[A] == ("withdrawn", "exposure-internal")


@pytest.mark.parametrize(
    "front",
    [
        pytest.param(gateway(listeners=[listener(hostname=A)]), id="Gateway"),
        pytest.param(gateway(listeners=[listener(hostname=A)], metadata=DELETING), id="Gateway being deleted"),
    ],
)
def test_a_route_without_hostnames_opts_out_of_those_of_its_listeners(front: Object) -> None:
    assert plan(front, hidden(hostnames=[])).outcome[A] == ("refused", "exposure-internal")


def test_what_the_listener_makes_of_a_wildcard_is_opted_out_of() -> None:
    front = gateway(listeners=[listener(hostname=A)])
    assert plan(front, hidden(hostnames=["*.example.com"])).outcome[A] == ("refused", "exposure-internal")


def test_a_gateway_that_opts_out_hides_what_it_routes_also_while_it_is_deleted() -> None:
    front = gateway(metadata={**NONE, **DELETING})
    assert plan(front, route(hostnames=[A])).outcome[A] == ("refused", "exposure-internal")


def test_a_gateway_that_is_not_selected_hides_nothing_by_its_own_annotation() -> None:
    """Split horizon: the same route on an internal Gateway, which `select` leaves out, and on a public way."""
    outcome = plan(gateway(metadata=NONE), route(hostnames=[A]), cluster={"select": {"names": ["another"]}})
    assert outcome.outcome[A] == ("published", None)


@pytest.mark.parametrize("kind", ["GRPCRoute", "TLSRoute", "ListenerSet", "XListenerSet"])
def test_the_opt_out_of_an_object_that_is_not_supported_counts(kind: str) -> None:
    one = other(kind, "A.example.com.", "not_a_name")
    one["metadata"] |= NONE
    outcome = plan(gateway(), one)
    assert (outcome.outcome[A], outcome.outcome[B]) == (("refused", "exposure-internal"), ("published", None))
    assert outcome.reason(A).startswith(f"{kind} team/x opts out")


def test_a_route_of_another_cluster_opts_out_too() -> None:
    clusters = {"c1": [gateway(), namespace("team")], "c2": [gateway(), hidden()]}
    outcome = run(settings_of(tunnels=[tunnel(A, B)], safety=FREE), clusters=clusters)
    assert outcome.outcome[A] == ("refused", "exposure-internal")
