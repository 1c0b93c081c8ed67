"""Each way that a hostname can go, and back, twice: its record alone is gone, at the provider and in DNS."""

from collections.abc import Collection, Iterator

import pytest

from edge_dns.core.dns_outcome import Answer, NxDomain
from edge_dns.observe.dns_answers import Server, ask_twice
from local.bind import BindServer
from local.child import LOOPBACK
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, Held, World

# The hostname that goes by each way.
WAYS = {
    "hostname of a tunnel": "setting.example.com",
    "mode Disabled": "disabled.example.com",
    "hostname of a route": "hostname.example.org",
    "route": "route.example.com",
    "listener": "listener.example.com",
    "Gateway": "gateway.example.org",
}
ZONE_ENTRY = "zone entry"
# Each update takes several ways; every one of them is seen by its own hostname.
UPDATES = (
    ("hostname of a tunnel", "route", "Gateway"),
    ("mode Disabled", "hostname of a route", "listener"),
)
STAYING = {"app.example.com", "www.example.org", "cart.example.com", "stays.example.org"}
FOREIGN = {"foreign.example.com", "foreign.example.org"}


@pytest.fixture
def bind() -> Iterator[BindServer]:
    with BindServer([CLOUDFLARE_ZONE, ROUTE53_ZONE]) as server:
        yield server


def _declare(world: World, gone: Collection[str]) -> None:
    """Write stack file and cluster without what is gone."""

    def hostnames(*names: str) -> list[str]:
        return [name for name in names if name not in {WAYS[way] for way in gone if way in WAYS}]

    gateways = world.gateways
    gateways.objects.clear()
    gateways.gateway("front", addresses=["203.0.113.7"])
    gateways.route("cart", hostnames("cart.example.com", WAYS["hostname of a route"]), gateway="front")
    if "route" not in gone:
        gateways.route("pay", [WAYS["route"]], gateway="front")
    gateways.gateway("shop", addresses=["203.0.113.8"])
    gateways.objects["Gateway", "shop"]["spec"] = {
        "gatewayClassName": "edge",
        "listeners": [
            {"name": name, "port": 443, "protocol": "HTTPS", "hostname": hostname}
            for name, hostname in (("stays", "stays.example.org"), ("listener", WAYS["listener"]))
            if name not in gone
        ],
    }
    gateways.route("shop", ["stays.example.org", WAYS["listener"]], gateway="shop")
    if "Gateway" not in gone:
        gateways.gateway("back", addresses=["203.0.113.9", "2001:db8::9"])
    gateways.route("back", [WAYS["Gateway"]], gateway="back")
    gateways.write()
    zones = world.zones()[: 1 if ZONE_ENTRY in gone else 2]
    off = world.tunnel("off", [WAYS["mode Disabled"]], dns={"mode": "Disabled" if "mode Disabled" in gone else "Zone"})
    app = world.tunnel("app", hostnames("app.example.com", "www.example.org", WAYS["hostname of a tunnel"]))
    # Names without a zone are refused: without the warning the run would end unsuccessful.
    world.configure(app, off, zones=zones, onRefused="warn")


def _names(records: Collection[Held]) -> set[str]:
    return {one.name.removeprefix("_edge-dns.") for one in records}


def _assert_dns_agrees(world: World, bind: BindServer, *, gone: Collection[str]) -> None:
    """After a push every name of a record at a provider is answered, and those that are gone do not exist."""
    world.services.push_zones(bind)
    server = Server(host=LOOPBACK, addresses=(LOOPBACK,), port=bind.port)
    for name, kind, _ in world.published():
        assert isinstance(ask_twice([server], name, kind), Answer), name
    for name in gone:
        assert ask_twice([server], name, "A") == NxDomain(), name
        assert ask_twice([server], f"_edge-dns.{name}", "TXT") == NxDomain(), name


def _publish(world: World, bind: BindServer) -> None:
    _declare(world, gone=())
    world.up("--skip-preview")
    assert world.names() == {*WAYS.values(), *STAYING, *FOREIGN}
    _assert_dns_agrees(world, bind, gone=())


def _withdraw(world: World, bind: BindServer, gone: Collection[str], expected: Collection[str]) -> None:
    """Update without what is gone: exactly the records of the expected names go, and the next preview is empty."""
    before = world.held()
    _declare(world, gone)
    world.up("--skip-preview")
    after = world.held()
    assert after <= before
    assert _names(before - after) == set(expected)
    assert not _names(after) & set(expected)
    _assert_dns_agrees(world, bind, gone=expected)
    world.assert_settled()


@pytest.mark.timeout(1200)  # some twenty runs of the engine
def test_every_way_a_hostname_goes_ends_in_nxdomain_twice_in_a_row(world: World, bind: BindServer) -> None:
    services = world.services
    services.cloudflare.add_record(
        services.zone_ids[CLOUDFLARE_ZONE], name="foreign.example.com", type="A", content="198.51.100.1"
    )
    services.route53.add_record(
        services.zone_ids[ROUTE53_ZONE], name="foreign.example.org", record_type="A", values=["198.51.100.1"]
    )
    foreign = world.held()
    for _ in range(2):
        _publish(world, bind)
        gone: list[str] = []
        for ways in UPDATES:
            gone += ways
            _withdraw(world, bind, gone, {WAYS[way] for way in ways})
        gone.append(ZONE_ENTRY)
        _withdraw(world, bind, gone, {name for name in STAYING if name.endswith(ROUTE53_ZONE)})

        run = world.stack.destroy("--skip-preview")
        assert run.status == 0, run.text
        assert world.held() == foreign
        _assert_dns_agrees(world, bind, gone={*WAYS.values(), *STAYING})
