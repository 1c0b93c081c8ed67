from pathlib import Path

from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.observe.gateway_files import read_files
from tests.bench.bare_resources import Json, bare_resources
from tests.bench.workload import ZONE_IDS, stack_settings

CLOUDFLARE, ROUTE53 = ZONE_IDS.values()


def declared(count: int, folder: Path) -> list[Json]:
    gateways = folder / "gateways.json"
    settings = load_settings(stack_settings(count, hub={"url": "http://hub", "apiKey": "key"}, gateway_state=gateways))
    state: GatewayState = read_files([gateways])
    plan = make_plan(settings, Observed(clusters={"prod": state}), Memory())
    return bare_resources(plan_document(plan), settings, project="edge-dns", stack="local")


def test_a_record_at_cloudflare_carries_the_marker_as_its_comment(tmp_path: Path) -> None:
    resources = {str(one["name"]): one for one in declared(4, tmp_path)}
    assert resources[f"{CLOUDFLARE}/tunnel-0.example.com"] == {
        "class": "cloudflare",
        "name": f"{CLOUDFLARE}/tunnel-0.example.com",
        "inputs": {
            "zone_id": CLOUDFLARE,
            "name": "tunnel-0.example.com",
            "type": "CNAME",
            "content": "edge-eu.example.net",
            "ttl": 1.0,
            "proxied": False,
            "comment": "edge-dns/1 edge-dns/local TowonelTunnel/team/app-0",
        },
        "dependsOn": ["team/app-0"],
    }


def test_a_record_at_route_53_comes_after_its_marker(tmp_path: Path) -> None:
    resources = {str(one["name"]): one for one in declared(4, tmp_path)}
    marker = f"{ROUTE53}/_edge-dns.gateway-1.example.org"
    assert resources[marker]["class"] == "route53"
    assert resources[f"{ROUTE53}/gateway-1.example.org"]["dependsOn"] == [marker]


def test_every_hostname_has_a_record_and_everything_is_declared_after_what_it_depends_on(tmp_path: Path) -> None:
    resources = declared(300, tmp_path)
    names: list[object] = []
    for one in resources:
        depends_on = one["dependsOn"]
        assert isinstance(depends_on, list)
        assert set(depends_on) <= set(names)
        names.append(one["name"])
    # 6 invites for 150 names of tunnels; half of all names are in Route 53 and have a marker each.
    assert len(set(names)) == len(names) == 6 + 300 + 150
