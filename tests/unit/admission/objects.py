"""Kubernetes objects as literals for the tests of admission, and short ways to run it."""

from collections.abc import Iterable, Mapping
from typing import Any

from edge_dns.core.admission import Admission, admit
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_sets import GatewaySet
from edge_dns.core.receipts import GatewayMemory
from edge_dns.core.settings import Cluster

GROUP = "gateway.networking.k8s.io"
CONTROLLER = "example.net/edge-controller"

Object = dict[str, Any]


def cluster(**settings: Any) -> Cluster:
    return Cluster.model_validate({"name": "c1", **settings})


def namespace(name: str, labels: Mapping[str, str] | None = None) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels or {})}}


def gateway_class(name: str, controller: str) -> Object:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "GatewayClass",
        "metadata": {"name": name},
        "spec": {"controllerName": controller},
    }


def listener(name: str = "web", hostname: str | None = None, **more: Any) -> Object:
    """A listener 443/HTTPS that takes routes of all namespaces, unless said otherwise."""
    fields = {"port": 443, "protocol": "HTTPS", "allowedRoutes": {"namespaces": {"from": "All"}}, **more}
    return {"name": name, **({} if hostname is None else {"hostname": hostname}), **fields}


def gateway(
    name: str = "edge/front",
    *,
    uid: str = "gw-1",
    generation: int = 1,
    class_name: str = "edge-class",
    listeners: Iterable[Object] | None = None,
    addresses: Iterable[str | Object] = ("198.51.100.7",),
    accepted: Object | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Object:
    space, _, short = name.partition("/")
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Gateway",
        "metadata": {"namespace": space, "name": short, "uid": uid, "generation": generation, **(metadata or {})},
        "spec": {
            "gatewayClassName": class_name,
            "listeners": [listener()] if listeners is None else list(listeners),
        },
        "status": {
            "addresses": [{"value": value} if isinstance(value, str) else value for value in addresses],
            "conditions": [] if accepted is None else [accepted],
        },
    }


def condition(status: str = "True", generation: int | None = 1, reason: str = "Because") -> Object:
    observed = {} if generation is None else {"observedGeneration": generation}
    return {"type": "Accepted", "status": status, "reason": reason, **observed}


def ref(name: str = "edge/front", section: str | None = "web", **more: Any) -> Object:
    space, _, short = name.partition("/")
    return {"namespace": space, "name": short, **({"sectionName": section} if section else {}), **more}


def parent(parent_ref: Object, *conditions: Object, controller: str = CONTROLLER) -> Object:
    return {"parentRef": parent_ref, "controllerName": controller, "conditions": list(conditions)}


def route(
    name: str = "team/cart",
    *,
    uid: str = "rt-1",
    generation: int = 1,
    hostnames: Iterable[str] = ("cart.shop.test",),
    refs: Iterable[Object] | None = None,
    parents: Iterable[Object] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Object:
    """A route; without `parents` each of its parentRefs is accepted at its generation."""
    space, _, short = name.partition("/")
    spec_refs = [ref()] if refs is None else list(refs)
    accepted = [parent(one, condition(generation=generation)) for one in spec_refs]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": {"namespace": space, "name": short, "uid": uid, "generation": generation, **(metadata or {})},
        "spec": {"hostnames": list(hostnames), "parentRefs": spec_refs},
        "status": {"parents": accepted if parents is None else list(parents)},
    }


def silent(**settings: Any) -> Object:
    """A route that no controller has said anything about."""
    return route(parents=(), **settings)


def run(
    *objects: Object, memory: Mapping[str, GatewayMemory] | None = None, settings: Cluster | None = None
) -> Admission:
    return admit(settings or cluster(), parse_objects(objects), memory or {})


def remembered(admission: Admission) -> dict[str, GatewayMemory]:
    """What the next run remembers when everything admitted was published."""
    return {
        one.name: GatewayMemory(
            receipts=one.receipts, targets=one.targets, hostnames=frozenset(name.hostname for name in one.admitted)
        )
        for one in admission.sets
        if one.exists
    }


def only_set(admission: Admission) -> GatewaySet:
    (found,) = admission.sets
    return found


def admitted(admission: Admission) -> list[str]:
    """The hostnames admitted on any Gateway, held ones included."""
    return sorted(name.hostname for one in admission.sets for name in one.admitted)


def refused(admission: Admission) -> dict[str, str]:
    """The rules by hostname of all names refused on any Gateway."""
    return {name.hostname: name.refusal.rule for one in admission.sets for name in one.refused}


def reason(admission: Admission, hostname: str) -> str:
    (found,) = (name.refusal.reason for one in admission.sets for name in one.refused if name.hostname == hostname)
    return found
