"""What a stack's resources are called: a changed name, type or parent would delete and create records in production."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World, open_world
from tests.fault_table import shows

GOLDEN = Path(__file__).parent / "data" / "urns.txt"


def _zones(world: World) -> list[dict[str, object]]:
    cloudflare, route53 = world.zones()
    token = {"apiToken": world.services.cloudflare.token}
    keys = {"accessKey": "local", "secretKey": "local", "region": "us-east-1"}
    return [
        cloudflare | {"wildcards": True, "ttl": 300, "credentials": token},
        route53 | {"wildcards": True, "credentials": keys},
    ]


def _cloudflare(world: World) -> dict[str, object]:
    return {"origin": "http://web.team.svc", "accountId": world.services.cloudflare.account_id}


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world with one of everything, updated once; the tests leave it as it is."""
    with open_world(tmp_path_factory.mktemp("everything")) as world:
        world.gateways.gateway("front", addresses=["203.0.113.7", "203.0.113.8", "2001:db8::7"])
        world.gateways.gateway("balanced", addresses=["front-1.eu-central-1.elb.amazonaws.com"])
        world.gateways.route("cart", ["cart.example.com", "cart.example.org", "*.cart.example.org"], gateway="front")
        world.gateways.route("docs", ["docs.example.com", "docs.example.org"], gateway="balanced")
        world.gateways.write()
        world.configure(
            world.tunnel("app", ["app.example.com", "bücher.example.com", "example.com"], region="EU"),
            world.tunnel(
                "far",
                ["far.example.org", "*.far.example.org"],
                region="CA",
                dns={"mode": "Zone", "includeWildcards": True, "ttl": 120},
            ),
            world.tunnel("quiet", ["quiet.example.org"], dns={"mode": "Disabled"}),
            world.tunnel("web", ["web.example.com"], kind="cloudflare", cloudflare=_cloudflare(world)),
            zones=_zones(world),
        )
        world.up()
        yield world


@shows("F16", "a naming scheme would change: the names of all resources are compared with a file", runs="0")
def test_urns_are_those_of_earlier_versions(everything: World) -> None:
    """Bug cases: BC-F10."""
    resources = json.loads(everything.stack.state())["deployment"]["resources"]
    # The engine names its default providers after the versions of their plugins.
    urns = sorted(one["urn"] for one in resources if not one["urn"].rpartition("::")[2].startswith("default"))
    text = "\n".join([*urns, ""])
    for domain in (CLOUDFLARE_ZONE, ROUTE53_ZONE):
        text = text.replace(everything.services.zone_ids[domain], f"<{domain}>")
    assert text == GOLDEN.read_text(encoding="utf-8")


@shows("F14", "every name, target and list is spelt and ordered in another way", runs="0")
def test_reordering_and_respelling_everything_changes_nothing(everything: World) -> None:
    everything.assert_settled()
    gateways = json.loads(everything.gateways.path.read_text(encoding="utf-8"))
    respelt = json.dumps(_reversed(gateways)).replace("2001:db8::7", "2001:0DB8:0::0007")
    respelt = respelt.replace("cart.example.com", "Cart.Example.COM.")
    respelt = respelt.replace("front-1.eu-central-1.elb", "Front-1.EU-Central-1.elb")
    everything.gateways.path.write_text(respelt, encoding="utf-8")
    far = {
        "dns": {"ttl": 120, "includeWildcards": True, "mode": "Zone"},
        "region": "ca",
        "hostnames": ["*.FAR.example.org.", "Far.Example.ORG"],
        "namespace": "team",
        "name": "far",
    }
    zones = [zone | {"domain": f"{str(zone['domain']).title()}."} for zone in reversed(_zones(everything))]
    everything.configure(
        everything.tunnel("web", ["WEB.example.com."], kind="cloudflare", cloudflare=_cloudflare(everything)),
        everything.tunnel("quiet", ["QUIET.example.org."], dns={"mode": "Disabled"}),
        far,
        everything.tunnel("app", ["Example.com.", "xn--bcher-kva.example.com", "APP.example.com"], region="eu"),
        zones=zones,
        edgeTargets={"ca": "Edge-CA.example.net.", "eu": "EDGE-eu.example.net"},
        hub={"apiKey": everything.services.hub.operator_key, "url": f"{everything.services.hub.url}/"},
    )
    everything.assert_settled()


def _reversed(value: object) -> object:
    """Return the JSON value with the keys of all objects and the items of all lists the other way round."""
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [_reversed(item) for item in reversed(value)]
    return value


def test_the_state_holds_no_stack_traces(everything: World) -> None:
    """They would be a third of it, and hold the paths of the machine that ran the update."""
    resources = json.loads(everything.stack.state())["deployment"]["resources"]
    # The stack itself is registered before the program runs.
    assert [one["type"] for one in resources if "stackTrace" in one] == ["pulumi:pulumi:Stack"]
