"""Acceptance cases about names, admission, targets, receipts and several Gateways, run after run."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.admission import Admission
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_sets import gateway_set_name
from edge_dns.core.memory import SetMemory, decode_set, encode_set
from edge_dns.core.receipts import GatewayMemory
from edge_dns.core.yaml_text import load
from tests.unit.admission.objects import Object, condition, gateway, listener, parent, remembered, route, run

_FILE: Any = load((Path(__file__).parent / "data/dns-api-cases.yaml").read_text())
_BASE = _FILE["fixtures"]["BASE"]
_NEW_ROUTE = _FILE["fixtures"]["NEW_ROUTE_DEFAULTS"]

Memory = Mapping[str, GatewayMemory]


def _cases(group: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", _FILE[group], ids=lambda case: case["id"])


@_cases("hostnames")
def test_hostnames(case: Any) -> None:
    outcome = _admit(_patched(_BASE, case["given"]))
    assert _shown(outcome, "edge/front")["hosts"] == _wanted(case)


@_cases("admission")
def test_admission(case: Any) -> None:
    assert _shown(_admit(_patched(_BASE, case["given"])), "edge/front") == _wanted_set(_wanted(case))


@_cases("targets")
def test_targets(case: Any) -> None:
    outcome = _admit(_patched(_BASE, case["given"]))
    if _wanted(case) == "error":
        rules = {name.hostname: name.refusal.rule for one in outcome.sets for name in one.refused}
        assert rules == {"cart.shop.test": "target-syntax"}
    else:
        assert _shown(outcome, "edge/front")["targets"] == _wanted(case)


@_cases("receipts")
def test_receipts(case: Any) -> None:
    fixture = _patched(_BASE, case.get("fixture_patch", {}))
    memory: Memory = remembered(_admit(fixture))
    previous = case.get("previous", {}).get("receipt")
    if previous in {"malformed", "blank_field"}:
        _assert_stops(case, memory, previous)
        return
    if previous == "absent":
        memory = {name: GatewayMemory(targets=one.targets, hostnames=one.hostnames) for name, one in memory.items()}
    for step in case.get("steps", [case]):
        outcome = _admit(_patched(fixture, step["given"]), memory)
        assert _shown(outcome, "edge/front") == _wanted_set(_wanted(step))
        memory = remembered(outcome)


def _assert_stops(case: Any, memory: Memory, damage: str) -> None:
    """A broken receipt is found where the memory is read, so admission never sees it."""
    assert case["want"] == {"stop": "observation-failed"}
    outcome = _admit(_BASE)
    (one,) = memory.values()
    text = encode_set(SetMemory(source=outcome.sets[0].source, targets=one.targets, receipts=one.receipts))
    broken = text.replace('"gw-1"', '""') if damage == "blank_field" else text.replace('"gateway_uid"', '"gateway"')
    assert broken != text
    assert decode_set(text).receipts == one.receipts
    with pytest.raises(ObservationFailed):
        decode_set(broken)


@_cases("two_gateways")
def test_two_gateways(case: Any) -> None:
    memory: Memory = (
        remembered(run(*_two_gateways({"edge/a": "True@1", "edge/b": "True@1"}))) if "after" in case else {}
    )
    given = case["given"]
    objects = _two_gateways(given["parents"], given.get("gen", 1))
    if "then" in given:
        objects = [item for item in objects if item["kind"] != "HTTPRoute"]
    outcome = run(*objects, memory=memory)
    assert {name: _shown(outcome, name) for name in case["expect"]} == {
        name: _wanted_set(wanted) for name, wanted in case["expect"].items()
    }


@_cases("names")
def test_names(case: Any) -> None:
    assert gateway_set_name(case["given"]["ns"], case["given"]["name"]) == _wanted(case)


def _wanted(case: Any) -> Any:
    return case.get("want", case.get("expect"))


def _wanted_set(wanted: Any) -> Any:
    return {"hosts": "none", "targets": "none"} if wanted == "none" else wanted


def _shown(outcome: Admission, name: str) -> dict[str, Any]:
    for one in outcome.sets:
        if f"{one.source.namespace}/{one.source.name}" == name and one.exists:
            kinds = {"IPAddress": "ip", "Hostname": "host"}
            targets = [f"{kinds[target.type]}:{target.value}" for target in one.targets]
            return {"hosts": list(one.hostnames), "targets": targets}
    return {"hosts": "none", "targets": "none"}


def _admit(fixture: Any, memory: Memory | None = None) -> Admission:
    gateways = [_gateway(fixture["gateway"])] if fixture["gateway"] else []
    routes = [_route(name, one) for name, one in fixture["routes"].items() if one]
    return run(*gateways, *routes, memory=memory)


def _patched(fixture: Any, given: Any) -> Any:
    patched = deepcopy(fixture)
    if "gateway" in given:
        patched["gateway"] = {**patched["gateway"], **given["gateway"]} if given["gateway"] else None
    for name, one in given.get("routes", {}).items():
        new = {"uid": f"rt-{name}", **_NEW_ROUTE}
        patched["routes"][name] = {**patched["routes"].get(name, new), **one} if one else None
    return patched


def _gateway(one: Any) -> Object:
    return gateway(
        one["at"],
        uid=one["uid"],
        generation=one["gen"],
        class_name=one["class"],
        listeners=[_listener(item) for item in one["listeners"]],
        addresses=one["addr"],
        accepted=None if one["accepted"] == "none" else _condition(one["accepted"]),
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"} if one["deleting"] else {},
    )


def _listener(item: Any) -> Object:
    fields = {"port": item.get("port", 443), "protocol": item.get("protocol", "HTTPS")}
    return listener(item["n"], item.get("host"), allowedRoutes={"namespaces": {"from": item["from"]}}, **fields)


def _route(name: str, one: Any) -> Object:
    return route(
        name,
        uid=one["uid"],
        generation=one["gen"],
        hostnames=one["hosts"],
        refs=[_ref(item) for item in one["parents"]],
        parents=[status for item in one["parents"] for status in _status(item, one["gen"])],
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"} if one["deleting"] else {},
    )


def _ref(item: Any) -> Object:
    space, _, name = item["gw"].partition("/")
    fields = {"sectionName": "section", "port": "port", "kind": "kind", "group": "group"}
    found = {field: item[key] for field, key in fields.items() if key in item}
    return {**found, **({} if space == "-" else {"namespace": space}), "name": name}


def _status(item: Any, generation: int) -> list[Object]:
    said = item.get("acc", f"True@{generation}")
    if said == "none":
        return []
    texts = said if isinstance(said, list) else [said]
    return [parent(_ref(item.get("ref_in_status", item)), *map(_condition, texts))]


def _condition(text: str) -> Object:
    status, _, generation = text.partition("@")
    return condition(status, int(generation))


def _two_gateways(parents: Any, generation: int = 1) -> list[Object]:
    gateways = [
        gateway(f"edge/{name}", uid=f"gw-{name}", addresses=[address])
        for name, address in (("a", "198.51.100.10"), ("b", "198.51.100.20"))
    ]
    refs = [{"gw": name, "section": "web", "acc": said} for name, said in parents.items()]
    one = {"uid": "rt-1", "gen": generation, "hosts": ["cart.shop.test"], "parents": refs, "deleting": False}
    return [*gateways, _route("team/cart", one)]
