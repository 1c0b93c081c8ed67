"""Acceptance cases for hostname admission: what is published for each Gateway, and what is kept on a receipt."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from edge_dns.core.admission import Admission, admit
from edge_dns.core.binding import Bound, bound_hostnames, declared_hostnames
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_sets import GatewaySet, gateway_set_name
from edge_dns.core.gateway_state import GatewayState, ParentRef
from edge_dns.core.receipts import GatewayMemory, Receipt
from edge_dns.core.settings import Cluster
from edge_dns.core.values import Target
from edge_dns.core.yaml_text import load
from tests.unit.admission.objects import CONTROLLER, GROUP, Object, cluster, listener, namespace, route

_FILE: Any = load((Path(__file__).parent / "data/gateway-cases.yaml").read_text())
_CASES = {case["id"]: case for case in _FILE["cases"]}
_STRICT = [name for name, case in _CASES.items() if "expectedStrict" in case]
_WITHOUT_COUNTERPART = {"listenerSets", "ignoreHostnameAnnotation"}


@pytest.mark.parametrize("name", _CASES)
def test_a_gateway_publishes_what_the_case_expects(name: str) -> None:
    case = _CASES[name]
    assert _outcome(_admit(case, "hold")) == _expected(case["expected"])


@pytest.mark.parametrize("name", _STRICT)
def test_a_receipt_of_an_older_generation_is_no_receipt_under_the_strict_reading(name: str) -> None:
    case = _CASES[name]
    assert _outcome(_admit(case, "withdraw")) == _expected(case["expectedStrict"])


@pytest.mark.parametrize("name", _CASES)
def test_every_hostname_of_a_selected_route_ends_in_one_line_per_gateway(name: str) -> None:
    outcome = _admit(_CASES[name], "hold")
    for one in outcome.sets:
        lines = _lines(one)
        assert len(lines) == len(set(lines))
    told = {hostname for one in outcome.sets for hostname in _lines(one)}
    told |= {name.hostname for name in outcome.unbound}
    declared = {
        hostname
        for found in _CASES[name]["routes"]
        for hostname in found["spec"].get("hostnames", [])
        if not hostname.startswith("*") and "annotations-dont-match" not in hostname
    }
    assert declared <= told


def _lines(one: GatewaySet) -> list[str]:
    return [*(name.hostname for name in one.admitted), *(name.hostname for name in one.refused)]


@pytest.mark.parametrize("vector", _FILE["hostIntersection"], ids=lambda vector: vector["name"])
def test_hostnames_meet_as_in_the_vectors_of_external_dns(vector: Any) -> None:
    assert _meet(vector["a"], vector["b"]) == _meet(vector["b"], vector["a"]) == (vector["result"] or None)


def _meet(route_hostname: str, listener_hostname: str) -> str | None:
    """The hostname of a route under a listener; None where there is none."""
    texts = [text for text in (route_hostname, listener_hostname) if text]
    hostnames = [declared_hostnames(_parsed_route(text)) for text in texts]
    if any(not one.valid for one in hostnames):
        return None
    declared = hostnames[0] if route_hostname else declared_hostnames(_parsed_route())
    bound = Bound(listener=_parsed_listener(), hostname=hostnames[-1].valid[0] if listener_hostname else None)
    return next((found for _, found in bound_hostnames(declared, bound)), None)


def _parsed_route(*hostnames: str) -> Any:
    return parse_objects([route(hostnames=hostnames)]).routes[0]


def _parsed_listener() -> Any:
    spec = {"gatewayClassName": "c", "listeners": [listener()]}
    metadata = {"namespace": "n", "name": "g", "uid": "u", "generation": 1}
    item = {"apiVersion": f"{GROUP}/v1", "kind": "Gateway", "metadata": metadata, "spec": spec}
    return parse_objects([item]).gateways[0].listeners[0]


def _admit(case: Any, stale_receipts: Literal["hold", "withdraw"]) -> Admission:
    state = parse_objects(_objects(case))
    return admit(_settings(case.get("filters", {}), stale_receipts), state, _memory(case, state))


def _objects(case: Any) -> Iterator[Object]:
    yield from (namespace(one["name"], one["labels"]) for one in case["namespaces"])
    for kind, group in (("Gateway", "gateways"), ("ListenerSet", "listenerSets"), ("HTTPRoute", "routes")):
        for one in case.get(group, []):
            found = {"apiVersion": f"{GROUP}/v1", "kind": kind, **one}
            for parent in found.get("status", {}).get("parents", []):
                parent["controllerName"] = CONTROLLER
            yield found


def _settings(filters: Any, stale_receipts: str) -> Cluster:
    settings: Any = {"select": {}, "routes": {}, "staleReceipts": stale_receipts}
    if "gatewayNamespace" in filters:
        settings["select"]["namespaces"] = [filters["gatewayNamespace"]]
    if "routeAnnotationFilter" in filters:
        settings["routes"]["annotations"] = filters["routeAnnotationFilter"]
    assert set(filters) <= {"gatewayNamespace", "routeAnnotationFilter", *_WITHOUT_COUNTERPART}
    return cluster(**settings)


def _memory(case: Any, state: GatewayState) -> dict[str, GatewayMemory]:
    memory: dict[str, GatewayMemory] = {}
    for one in case.get("receipts") or []:
        at = one["gateway"]
        name = gateway_set_name(at["namespace"], at["name"])
        known = memory.get(name, GatewayMemory())
        memory[name] = GatewayMemory(
            receipts=(*known.receipts, _receipt(one, state)),
            targets=tuple(Target(target["type"], target["value"]) for target in one["targets"]),
            hostnames=known.hostnames | {one["hostname"]},
        )
    return memory


def _receipt(one: Any, state: GatewayState) -> Receipt:
    at, owner = one["gateway"], one["route"]
    (found,) = (item for item in state.gateways if item.key == (at["namespace"], at["name"]))
    (digest,) = (item.digest for item in found.listeners if item.name == one["listener"])
    parent = ParentRef(group=GROUP, kind="Gateway", namespace=at["namespace"], name=at["name"], section="", port=None)
    return Receipt(
        hostname=one["hostname"],
        route_namespace=owner["namespace"],
        route_name=owner["name"],
        route_uid=owner["uid"],
        route_generation=owner["generation"],
        gateway_uid=at["uid"],
        gateway_class=at["class"],
        parent_ref=parent.key,
        listener=one["listener"],
        listener_digest=digest,
    )


def _outcome(admission: Admission) -> dict[str, Any]:
    shown = [one for one in admission.sets if one.exists]
    hosts: dict[str, set[str]] = {}
    for one in shown:
        for hostname in one.hostnames:
            hosts.setdefault(hostname, set()).update(target.value for target in one.targets)
    claims = Counter(hostname for one in shown for hostname in one.hostnames)
    return {
        "sets": {
            f"{one.source.namespace}/{one.source.name}": (
                list(one.hostnames),
                [(target.type, target.value) for target in one.targets],
            )
            for one in shown
        },
        "hosts": {hostname: sorted(values) for hostname, values in hosts.items()},
        "claimed twice": sorted(hostname for hostname, count in claims.items() if count > 1),
        "retained": sorted({name.hostname for one in shown for name in one.admitted if name.hold}),
    }


def _expected(expected: Any) -> dict[str, Any]:
    return {
        "sets": {
            name: (one["hostnames"], [(target["type"], target["value"]) for target in one["targets"]])
            for name, one in expected["endpointRecordSets"].items()
        },
        "hosts": {hostname: sorted(values) for hostname, values in expected["hosts"].items()},
        "claimed twice": expected.get("claimedByTwoGateways", []),
        "retained": expected.get("retained", []),
    }
