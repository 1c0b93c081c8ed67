"""Stacks of any size: half of the hostnames on tunnels, half on Gateways, each half spread over two zones."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engine.gateways import GatewayFile

CLOUDFLARE_ZONE = "example.com"
ROUTE53_ZONE = "example.org"
ZONE_IDS = {CLOUDFLARE_ZONE: "0123456789abcdef0123456789abcdef", ROUTE53_ZONE: "Z0123456789ABCDEFGHIJ"}

_NAMES_PER_TUNNEL = 25
_NAMES_PER_ROUTE = 4
_NAMES_PER_GATEWAY = 100


def stack_settings(count: int, *, hub: Mapping[str, str], gateway_state: Path) -> dict[str, object]:
    """Return the settings of a stack with `count` hostnames; writes the objects of its cluster to `gateway_state`."""
    _write_gateways([_hostname("gateway", index) for index in range(count // 2)], gateway_state)
    on_tunnels = [_hostname("tunnel", index) for index in range(count - count // 2)]
    return {
        "hub": dict(hub),
        "edgeTargets": {"EU": "edge-eu.example.net"},
        "zones": [
            {"domain": CLOUDFLARE_ZONE, "provider": "cloudflare", "zoneId": ZONE_IDS[CLOUDFLARE_ZONE]},
            {"domain": ROUTE53_ZONE, "provider": "route53", "zoneId": ZONE_IDS[ROUTE53_ZONE]},
        ],
        "clusters": [{"name": "prod", "files": [str(gateway_state)]}],
        "tunnels": [
            {"name": f"app-{index}", "namespace": "team", "hostnames": names, "dns": {"mode": "Zone"}}
            for index, names in enumerate(_chunks(on_tunnels, _NAMES_PER_TUNNEL))
        ],
    }


def write_stack(count: int, *, hub: Mapping[str, str], folder: Path) -> Path:
    """Write the settings (JSON) and the gateway state of a stack into a folder of its own; returns the settings."""
    folder.mkdir(parents=True)
    file = folder / "settings.json"
    settings = stack_settings(count, hub=hub, gateway_state=folder / "gateways.json")
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def _hostname(source: str, index: int) -> str:
    return f"{source}-{index}.{(CLOUDFLARE_ZONE, ROUTE53_ZONE)[index % 2]}"


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
