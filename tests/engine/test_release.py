"""Release: a listed name is managed no longer, and its records stay at the provider; it takes two updates."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from edge_dns.core.markers import RELEASED_COMMENT
from local import loopback
from local.stack import Run
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.test_crash import killed_during_up, unlock

APP = ["app.example.com", "app.example.org"]
MANY = ["many.example.com", "many.example.org"]
ADDRESSES = ["203.0.113.7", "203.0.113.8", "2001:db8::7"]
RECORD_TYPES = {"cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record"}
STRICT: Mapping[str, object] = {"minRecords": 0, "maxWithdraw": 0, "withdraw": "never", "protect": [*APP, *MANY]}
"""Nothing of a release is a withdrawal."""


def _configure(world: World, *tunnels: Mapping[str, object], route: Iterable[str] = (), **settings: object) -> None:
    """Want these tunnels, these hostnames of a route with several addresses, and one more hostname."""
    gateways = world.gateways
    gateways.objects.clear()
    gateways.gateway("aside", addresses=["203.0.113.99"])
    gateways.route("aside", ["aside.example.com"], gateway="aside")
    if hostnames := list(route):
        gateways.gateway("front", addresses=ADDRESSES)
        gateways.route("many", hostnames, gateway="front")
    gateways.write()
    world.configure(*tunnels, **settings)


def _comments(world: World, names: Iterable[str]) -> set[object]:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return {one["comment"] for one in records if one["name"] in set(names)}


def _ids(world: World) -> set[object]:
    return {one["id"] for one in world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])}


def _said(run: Run) -> str:
    return " ".join(run.text.split())


def _steps(run: Run) -> set[tuple[str, str]]:
    """Operation and hostname (or marker) of the steps on records."""
    return {(step.op, step.name.partition("/")[2].partition("#")[0]) for step in run.steps if step.type in RECORD_TYPES}


def _in_state(world: World) -> dict[str, bool]:
    """Each hostname with records in the state, markers too, and whether they are retained."""
    state = json.loads(world.stack.state())
    return {
        one["urn"].rpartition("/")[2].partition("#")[0]: bool(one.get("retainOnDelete"))
        for one in state["deployment"]["resources"]
        if one["type"] in RECORD_TYPES
    }


def _states(world: World) -> dict[str, str]:
    hostnames = world.stack.outputs()["hostnames"]
    assert isinstance(hostnames, dict)
    return {hostname: one["state"] for hostname, one in hostnames.items()}


def test_a_listed_name_is_forgotten_in_two_updates_while_it_stays_declared(world: World) -> None:
    """Bug cases: BC-I03."""
    app = world.tunnel("app", [*APP, "www.example.com"])
    _configure(world, app, route=MANY)
    world.up("--skip-preview")
    published, ids = world.published(), _ids(world)

    listed = {"release": [{"hostname": "app.example.com"}, "many.example.com", {"zone": "example.org"}]}
    _configure(world, app, route=MANY, safety=STRICT, **listed)
    writes = world.services.write_count
    preview = world.stack.preview()
    assert world.services.write_count == writes
    assert _steps(preview) == {
        *(("update", name) for name in ("app.example.com", "many.example.com")),
        *(("delete", f"_edge-dns.{name}") for name in ("app.example.org", "many.example.org")),
    }
    assert "app.example.org: released: release-listed: CNAME edge-eu.example.net (ttl 300) stays" in _said(preview)

    # A first update that fails at one provider begins the release at the other one only.
    world.services.cloudflare.inject(loopback.Fault(method="PUT", path="/dns_records", status=500, times=100))
    assert world.stack.up("--skip-preview").status != 0
    world.services.cloudflare.clear_faults()
    assert (world.published(), _ids(world)) == (published, ids)
    retained = _in_state(world)
    assert {name for name, kept in retained.items() if kept} == {"app.example.org", "many.example.org"}

    world.up("--skip-preview")
    assert (world.published(), _ids(world)) == (published, ids)
    assert _comments(world, [APP[0], MANY[0]]) == {RELEASED_COMMENT}
    assert [one for one in world.held() if one.name.startswith("_edge-dns")] == []
    retained = _in_state(world)
    assert {name for name, kept in retained.items() if kept} == {"app.example.com", "many.example.com"}
    assert not {"app.example.org", "many.example.org"} & retained.keys()

    preview = world.stack.preview()
    assert _steps(preview) == {("delete", "app.example.com"), ("delete", "many.example.com")}
    assert "app.example.com: released: release-listed: this update forgets it; CNAME" in _said(preview)
    world.up("--skip-preview")
    assert (world.published(), _ids(world)) == (published, ids)
    assert set(_in_state(world)) == {"aside.example.com", "www.example.com"}
    assert _states(world) == dict.fromkeys([*APP, *MANY], "released")
    zones: Any = world.stack.outputs()["zones"]
    assert {zone: one["hostnames"] for zone, one in zones.items()} == {
        "example.com": {"published": 2, "released": 2},
        "example.org": {"released": 2},
    }
    world.assert_settled()

    # Out of the list and still declared, they are somebody else's; the message says how to take them back.
    _configure(world, app, route=MANY)
    preview = world.stack.preview()
    assert "app.example.com: refused: owner-foreign" in _said(preview)
    assert "it equals the wanted one: edge-dns:adopt: [app.example.com] takes it over" in _said(preview)
    assert _steps(preview) == set()
    _configure(world, app, route=MANY, adopt=[*APP, *MANY])
    world.up("--skip-preview")
    assert (world.published(), _ids(world)) == (published, ids)
    assert set(_in_state(world)) > {*APP, *MANY}
    world.assert_settled()


def test_what_goes_with_its_release_stays_and_a_release_that_is_called_off_leaves_no_trace(world: World) -> None:
    off, both, gone = ([f"{name}.example.com", f"{name}.example.org"] for name in ("off", "both", "gone"))
    stay = "stay.example.com"
    _configure(world, world.tunnel("app", [stay, *off, *both]), world.tunnel("gone", gone), route=MANY)
    world.up("--skip-preview")
    before, state = world.held(), _in_state(world)
    published, ids = world.published(), _ids(world)

    # Tunnel and Gateway of listed names may go in the same step.
    listed = [*off, *both, *gone, *MANY]
    _configure(world, world.tunnel("app", [stay, *off, *both]), release=listed, safety=STRICT)
    world.up("--skip-preview")
    assert (world.published(), _ids(world)) == (published, ids)
    assert {name for name, kept in _in_state(world).items() if kept} == set(listed)

    # One is called off, one goes together with its entry, the others go on.
    _configure(world, world.tunnel("app", [stay, *off]), release=[*gone, *MANY], safety=STRICT)
    run = world.up("--skip-preview")
    assert "both.example.com: released: release-listed: its release had begun" in _said(run)
    assert (world.published(), _ids(world)) == (published, ids)
    left = _in_state(world)
    assert left == {name: False for name in state if name.removeprefix("_edge-dns.") not in {*both, *gone, *MANY}}
    assert {one for one in before if one.name.removeprefix("_edge-dns.") in off and one.type != "CNAME"} <= world.held()
    assert _comments(world, [both[0], gone[0], MANY[0]]) == {RELEASED_COMMENT}
    assert RELEASED_COMMENT not in _comments(world, [off[0], stay])
    preview = world.stack.preview("--expect-no-changes")
    assert preview.steps == ()
    assert "edge-dns:release[0]: " in _said(preview)
    assert " releases nothing; remove it" in _said(preview)

    # Managed as before: when its hostname goes, its records go, and nothing else.
    _configure(world, world.tunnel("app", [stay]))
    world.up("--skip-preview")
    assert world.published() == {one for one in published if one[0] not in off}
    world.assert_settled()


def test_a_kill_in_the_first_update_of_a_release_loses_nothing(world: World) -> None:
    _configure(world, world.tunnel("app", [*APP, "www.example.com"]))
    world.up("--skip-preview")
    published, ids = world.published(), _ids(world)

    _configure(world, world.tunnel("app", ["www.example.com"]), release=APP)
    late = loopback.Fault(method="PUT", path="/dns_records", after_commit=True, delay_seconds=300, times=100)
    world.services.cloudflare.inject(late)
    killed_during_up(world, lambda: RELEASED_COMMENT in _comments(world, APP))
    world.services.cloudflare.clear_faults()
    unlock(world)
    for _ in range(2):
        world.up("--skip-preview")
        assert (world.published(), _ids(world)) == (published, ids)
    assert not set(APP) & _in_state(world).keys()
    assert world.stack.preview("--expect-no-changes").steps == ()
