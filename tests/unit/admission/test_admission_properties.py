"""Properties of admission over small random clusters."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_dns.core.admission import Admission
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.names import covers
from tests.unit.admission.objects import (
    Object,
    condition,
    gateway,
    listener,
    namespace,
    parent,
    ref,
    remembered,
    route,
    run,
)

_HOSTNAMES = [
    "a.shop.test",
    "b.shop.test",
    "x.eu.shop.test",
    "shop.test",
    "*.shop.test",
    "*.eu.shop.test",
    "c.kiln.test",
]
_GATEWAYS = ["edge/front", "edge/back"]
_ROUTES = ["team/cart", "team/pay", "ops/home"]
_SELECTOR = {"from": "Selector", "selector": {"matchLabels": {"dns": "yes"}}}
_DELETING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
_Runs = tuple[list[Object], list[Object]]
_BUDGET = settings(max_examples=60)


def _mostly(healthy: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The healthy value in four of five cases, so that most examples publish something."""
    return st.sampled_from([healthy] * 4 * len(others) + list(others))


@st.composite
def _listener(draw: st.DrawFn, name: str) -> Object:
    return listener(
        name,
        draw(_mostly(None, "*.shop.test", "*.eu.shop.test", "a.shop.test", "*.test")),
        protocol=draw(_mostly("HTTPS", "TCP")),
        allowedRoutes={"namespaces": draw(_mostly({"from": "All"}, {"from": "Same"}, _SELECTOR))},
    )


@st.composite
def _gateway(draw: st.DrawFn, name: str) -> Object:
    addresses = draw(_mostly(["198.51.100.7"], [], ["lb.test"], ["lb.test", "192.0.2.1"], ["no name"]))
    listeners = [draw(_listener(one)) for one in draw(_mostly(["web"], ["web", "alt"]))]
    return gateway(
        name,
        uid=f"{name}-{draw(_mostly(1, 2))}",
        class_name=draw(_mostly("fast", "slow")),
        listeners=listeners,
        addresses=addresses,
        accepted=draw(_mostly(None, condition("False"), condition("False", 0), condition("Unknown"))),
        metadata=draw(_mostly({}, _DELETING)),
    )


@st.composite
def _route(draw: st.DrawFn, name: str) -> Object:
    generation = draw(_mostly(1, 2))
    gateways = draw(_mostly(["edge/front"], ["edge/back"], _GATEWAYS, []))
    refs = [ref(at, draw(_mostly(None, "web", "alt"))) for at in gateways]
    conditions = _mostly([("True", generation)], [], [("True", 1)], [("False", generation)], [("Unknown", generation)])
    return route(
        name,
        uid=f"{name}-{draw(_mostly(1, 2))}",
        generation=generation,
        hostnames=draw(st.lists(st.sampled_from(_HOSTNAMES), min_size=draw(_mostly(1, 0)), max_size=3, unique=True)),
        refs=refs,
        parents=[parent(one, *(condition(*said) for said in draw(conditions))) for one in refs],
        metadata=draw(_mostly({}, _DELETING)),
    )


@st.composite
def _clusters(draw: st.DrawFn) -> list[Object]:
    objects = [*(draw(_gateway(name)) for name in _GATEWAYS), *(draw(_route(name)) for name in _ROUTES)]
    return [*objects, namespace("team", {"dns": "yes"}), namespace("ops", draw(_mostly({"dns": "yes"}, {})))]


@st.composite
def _two_runs(draw: st.DrawFn) -> _Runs:
    """A cluster and what becomes of it: each object stays, loses its status, or is another one of the same name."""
    before = draw(_clusters())
    fresh = draw(_clusters())
    fates = st.sampled_from(["stays", "stays", "silent", "silent", "fresh"])
    now = [
        {"stays": old, "silent": {**old, "status": {}}, "fresh": new}[draw(fates)]
        for old, new in zip(before, fresh, strict=True)
    ]
    return before, now


def _names(admission: Admission) -> set[tuple[str, str]]:
    return {(one.name, name.hostname) for one in admission.sets for name in one.admitted}


def _respelled(objects: list[Object]) -> list[Object]:
    """The same objects with every hostname in capitals and with a dot at its end."""
    copy: Any = json.loads(json.dumps(objects))
    for item in copy:
        spec = item.get("spec", {})
        if "hostnames" in spec:
            spec["hostnames"] = [f"{hostname.upper()}." for hostname in spec["hostnames"]]
        for one in spec.get("listeners", []):
            if "hostname" in one:
                one["hostname"] = f"{one['hostname'].upper()}."
    return list(copy)


@_BUDGET
@given(runs=_two_runs(), data=st.data())
def test_order_letter_case_and_trailing_dots_change_nothing(runs: _Runs, data: st.DataObject) -> None:
    before, now = runs
    memory = remembered(run(*before))
    assert run(*data.draw(st.permutations(_respelled(now))), memory=memory) == run(*now, memory=memory)


@_BUDGET
@given(runs=_two_runs(), data=st.data())
def test_removing_an_object_never_adds_a_name(runs: _Runs, data: st.DataObject) -> None:
    before, now = runs
    memory = remembered(run(*before))
    gone = data.draw(st.sampled_from(now))
    try:
        fewer = _names(run(*(item for item in now if item is not gone), memory=memory))
    except ObservationFailed:
        assert gone["kind"] == "Namespace"
        return
    assert fewer <= _names(run(*now, memory=memory))


@_BUDGET
@given(runs=_two_runs())
def test_only_a_name_with_a_receipt_is_held_and_memory_admits_nothing_else(runs: _Runs) -> None:
    before, now = runs
    memory = remembered(run(*before))
    outcome = run(*now, memory=memory)
    held = {(one.name, name.hostname) for one in outcome.sets for name in one.admitted if name.hold}
    receipts = {(name, receipt.hostname) for name, one in memory.items() for receipt in one.receipts}
    assert held <= receipts
    assert _names(outcome) - held == _names(run(*now))


@_BUDGET
@given(runs=_two_runs())
def test_a_hostname_that_nobody_declares_is_never_admitted(runs: _Runs) -> None:
    before, now = runs
    outcome = run(*now, memory=remembered(run(*before)))
    live = [item for item in now if "deletionTimestamp" not in item["metadata"]]
    by_routes = [item["spec"]["hostnames"] for item in live if item["kind"] == "HTTPRoute"]
    by_listeners = {
        one.get("hostname") for item in live if item["kind"] == "Gateway" for one in item["spec"]["listeners"]
    }
    for _, hostname in _names(outcome):
        declared = any(covers(pattern, hostname) for hostnames in by_routes for pattern in hostnames)
        assert declared or ([] in by_routes and hostname in by_listeners)


@_BUDGET
@given(runs=_two_runs())
def test_a_set_is_published_with_targets_of_one_kind_and_a_receipt_for_each_name(runs: _Runs) -> None:
    before, now = runs
    for one in run(*now, memory=remembered(run(*before))).sets:
        names = {name.hostname for name in one.admitted}
        assert {receipt.hostname for receipt in one.receipts} == names
        assert not names & {name.hostname for name in one.refused}
        assert len({target.type for target in one.targets}) == 1 or not names
