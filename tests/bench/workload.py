"""Stacks of any size, over the providers of a workload: half of the hostnames on tunnels, half on Gateways."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.engine.gateways import GatewayFile

CLOUDFLARE_ZONE = "example.com"
ROUTE53_ZONE = "example.org"
ENDPOINT_ZONE = "example.edu"
ZONE_IDS = {CLOUDFLARE_ZONE: "0123456789abcdef0123456789abcdef", ROUTE53_ZONE: "Z0123456789ABCDEFGHIJ"}

WRITTEN_CLUSTER = "written"
"""The cluster that DNSEndpoints are written to; Gateways are read from files."""
TUNNEL_NAMESPACE = "team"
CONSUMER_NAMESPACE = "dns"

_NAMES_PER_TUNNEL = 25
_NAMES_PER_ROUTE = 4
_NAMES_PER_GATEWAY = 100

Mode = Literal["Zone", "DNSEndpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Where hostnames are published: spread over these domains in turn."""

    name: str
    domains: tuple[str, ...]

    @property
    def mode(self) -> Mode:
        """The DNS mode of its tunnels."""
        return "DNSEndpoint" if ENDPOINT_ZONE in self.domains else "Zone"


MIXED = Workload(name="mixed", domains=(CLOUDFLARE_ZONE, ROUTE53_ZONE))
CLOUDFLARE = Workload(name="cloudflare", domains=(CLOUDFLARE_ZONE,))
ROUTE53 = Workload(name="route53", domains=(ROUTE53_ZONE,))
DNSENDPOINT = Workload(name="dnsendpoint", domains=(ENDPOINT_ZONE,))
WORKLOADS = (MIXED, CLOUDFLARE, ROUTE53, DNSENDPOINT)


def stack_settings(
    count: int,
    *,
    hub: Mapping[str, str],
    gateway_state: Path,
    workload: Workload = MIXED,
    kubeconfig: Path | None = None,
    changes: int = 0,
) -> dict[str, object]:
    """Return the settings of a stack with `count` hostnames; writes the objects of its cluster to `gateway_state`.

    Each of the `changes` takes the hostname away that the one before added, at first the first one, and adds another.
    `kubeconfig` is that of the cluster that DNSEndpoints are written to.
    """
    named = [f"gateway-{index}.{_domain(workload, index)}" for index in range(count // 2)]
    _write_gateways(named, gateway_state)
    on_tunnels = [f"tunnel-{index}.{_domain(workload, index)}" for index in range(count - count // 2)]
    if changes:
        on_tunnels[0] = f"changed-{changes}.{_domain(workload, 0)}"
    written = {"name": WRITTEN_CLUSTER, "kubeconfig": str(kubeconfig), "gateways": False}
    return {
        "hub": dict(hub),
        "edgeTargets": {"EU": "edge-eu.example.net"},
        "zones": [_zone(domain) for domain in workload.domains],
        "clusters": [{"name": "prod", "files": [str(gateway_state)]}, *([written] if kubeconfig else [])],
        "tunnels": [
            {"name": f"app-{index}", "namespace": TUNNEL_NAMESPACE, "hostnames": names, "dns": {"mode": workload.mode}}
            for index, names in enumerate(_chunks(on_tunnels, _NAMES_PER_TUNNEL))
        ],
    }


def write_stack(count: int, *, hub: Mapping[str, str], folder: Path) -> Path:
    """Write the settings (JSON) and the gateway state of a mixed stack into a new folder; returns the settings."""
    folder.mkdir(parents=True)
    file = folder / "settings.json"
    settings = stack_settings(count, hub=hub, gateway_state=folder / "gateways.json")
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def _domain(workload: Workload, index: int) -> str:
    return workload.domains[index % len(workload.domains)]


def _zone(domain: str) -> dict[str, object]:
    if domain == ENDPOINT_ZONE:
        consumer = {"version": "0.22", "cluster": WRITTEN_CLUSTER, "namespace": CONSUMER_NAMESPACE}
        return {"domain": domain, "provider": "external-dns", "consumer": consumer}
    provider = "cloudflare" if domain == CLOUDFLARE_ZONE else "route53"
    return {"domain": domain, "provider": provider, "zoneId": ZONE_IDS[domain]}


def _write_gateways(hostnames: Sequence[str], file: Path) -> None:
    state = GatewayFile(file)
    for number, names in enumerate(_chunks(hostnames, _NAMES_PER_GATEWAY)):
        gateway = f"gateway-{number}"
        state.gateway(gateway, addresses=[f"203.0.113.{number % 250 + 1}"])
        for route, on_route in enumerate(_chunks(names, _NAMES_PER_ROUTE)):
            state.route(f"{gateway}-{route}", on_route, gateway=gateway)
    state.write()


def _chunks(names: Sequence[str], size: int) -> list[list[str]]:
    return [list(names[start : start + size]) for start in range(0, len(names), size)]
