"""Gateway API objects on a real API server, with the statuses that a controller would write."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from local.kube import KubeServer

Object = Mapping[str, Any]

GROUP = "gateway.networking.k8s.io"
CONTROLLER = "example.net/edge"
CLASS = "edge"
NAMESPACE = "edge"
FROM_ALL = {"from": "All"}


@dataclass(frozen=True, slots=True)
class Scene:
    """A class and a namespace, and what is added to them."""

    kube: KubeServer

    def __post_init__(self) -> None:
        self.kube.apply(gateway_class())
        self.namespace(NAMESPACE)

    def namespace(self, name: str, **labels: str) -> None:
        """Create a namespace, or give it these labels."""
        self.kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})

    def gateway(
        self, name: str, *addresses: str, namespaces: Object = FROM_ALL, accepted: str | None = "True"
    ) -> Object:
        """Apply a Gateway with one HTTPS listener, and write its status; returns it without that status."""
        live = self.kube.apply(gateway(name, namespaces))[0]
        self.gateway_status(live, *addresses, accepted=accepted)
        return live

    def gateway_status(self, live: Object, *addresses: str, accepted: str | None = "True") -> None:
        """Write the status of a Gateway; without condition for None."""
        self.kube.set_status(live, gateway_status(addresses, accepted, live["metadata"]["generation"]))

    def route(self, name: str, hostnames: Sequence[str], *, to: str, namespace: str = NAMESPACE) -> Object:
        """Apply an HTTPRoute that refers to a Gateway, without writing its status."""
        return self.kube.apply(route(name, hostnames, to, namespace))[0]

    def route_status(self, live: Object, accepted: str | None = "True") -> None:
        """Write the status of a route for its generation; no parent at all for None."""
        self.kube.set_status(live, route_status(live, accepted))

    def accepted_route(self, name: str, hostnames: Sequence[str], *, to: str, namespace: str = NAMESPACE) -> Object:
        """Apply a route that its controller has accepted."""
        live = self.route(name, hostnames, to=to, namespace=namespace)
        self.route_status(live)
        return live


def gateway_class() -> Object:
    """The class of all Gateways."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "GatewayClass",
        "metadata": {"name": CLASS},
        "spec": {"controllerName": CONTROLLER},
    }


def gateway(name: str, namespaces: Object = FROM_ALL) -> Object:
    """A Gateway without status."""
    listener = {"name": "web", "port": 443, "protocol": "HTTPS", "tls": {"certificateRefs": [{"name": "cert"}]}}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Gateway",
        "metadata": {"namespace": NAMESPACE, "name": name},
        "spec": {"gatewayClassName": CLASS, "listeners": [{**listener, "allowedRoutes": {"namespaces": namespaces}}]},
    }


def gateway_status(addresses: Sequence[str], accepted: str | None = "True", generation: int = 1) -> Object:
    """The status of a Gateway with these IP addresses."""
    found: dict[str, Any] = {"addresses": [{"type": "IPAddress", "value": address} for address in addresses]}
    return found | ({"conditions": [_condition(accepted, generation)]} if accepted else {})


def route(name: str, hostnames: Sequence[str], gateway: str, namespace: str = NAMESPACE) -> Object:
    """An HTTPRoute without status."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"hostnames": list(hostnames), "parentRefs": [{"name": gateway, "namespace": NAMESPACE}]},
    }


def route_status(one: Object, accepted: str | None = "True") -> Object:
    """The status of a route for its first parentRef and its generation, which is 1 where it is not there yet."""
    if accepted is None:
        return {"parents": []}
    condition = _condition(accepted, one["metadata"].get("generation", 1))
    parent = {"parentRef": one["spec"]["parentRefs"][0], "controllerName": CONTROLLER, "conditions": [condition]}
    return {"parents": [parent]}


def _condition(status: str, generation: int) -> Object:
    return {
        "type": "Accepted",
        "status": status,
        "reason": "Tested",
        "message": "",
        "observedGeneration": generation,
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }


@contextmanager
def collecting_garbage(kube: KubeServer, *paths: str) -> Iterator[None]:
    """Let deleted objects of these lists go meanwhile, as a controller would once nothing depends on them any more."""
    ended = threading.Event()

    def collect() -> None:
        while not ended.wait(0.2):
            for path in paths:
                kube.collect_garbage(path)

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
