"""A file with Gateways and HTTPRoutes, written as `kubectl get -o json` prints them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

Object = dict[str, object]

GROUP = "gateway.networking.k8s.io"


@dataclass(slots=True)
class GatewayFile:
    """Objects by kind and name in one namespace, `edge`; `write` puts them into the file."""

    path: Path
    objects: dict[tuple[str, str], Object] = field(default_factory=dict)

    def gateway(self, name: str, *, addresses: Sequence[str], uid: str | None = None) -> None:
        """Set a Gateway with one HTTPS listener for every hostname and these addresses, IP or hostname."""
        self.objects["Gateway", name] = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Gateway",
            "metadata": {"namespace": "edge", "name": name, "uid": uid or f"gateway-{name}", "generation": 1},
            "spec": {
                "gatewayClassName": "edge",
                "listeners": [{"name": "web", "port": 443, "protocol": "HTTPS"}],
            },
            "status": {"addresses": [_address(value) for value in addresses]},
        }

    def route(self, name: str, hostnames: Sequence[str], *, gateway: str, accepted: str | None = "True") -> None:
        """Set an HTTPRoute of one Gateway; `accepted` is the status of its condition, None for no status at all."""
        parent: Object = {"name": gateway}
        condition = {"type": "Accepted", "status": accepted, "observedGeneration": 1, "reason": "Tested"}
        status = {"parentRef": parent, "controllerName": "example.net/edge", "conditions": [condition]}
        self.objects["HTTPRoute", name] = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "HTTPRoute",
            "metadata": {"namespace": "edge", "name": name, "uid": f"route-{name}", "generation": 1},
            "spec": {"parentRefs": [parent], "hostnames": list(hostnames)},
            "status": {"parents": [status] if accepted else []},
        }

    def service(self, name: str, *, hostname: str) -> None:
        """Set a Service that asks external-dns for a hostname."""
        annotations = {"external-dns.alpha.kubernetes.io/hostname": hostname}
        self.objects["Service", name] = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"namespace": "edge", "name": name, "annotations": annotations},
            "spec": {"type": "LoadBalancer"},
        }

    def remove(self, kind: str, name: str) -> None:
        """Remove an object."""
        del self.objects[kind, name]

    def write(self) -> None:
        """Write the file."""
        self.path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(self.objects.values())}))


def _address(value: str) -> Object:
    try:
        ip_address(value)
    except ValueError:
        return {"type": "Hostname", "value": value}
    return {"type": "IPAddress", "value": value}
