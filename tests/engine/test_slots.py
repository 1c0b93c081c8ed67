"""Every change of a name's records is one that both providers accept, and touches no sibling."""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address

from local.loopback import Fault
from local.stack import Run
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.fault_table import shows

EDGE = "edge-eu.example.net"
NAMES = ["v.example.com", "v.example.org"]
RECORD_TYPES = {"cloudflare:index/dnsRecord:DnsRecord": "Cloudflare", "aws:route53/record:Record": "Route 53"}
CNAMES = {"recordType": "CNAME"}


def _publish(world: World, addresses: Sequence[str], *flags: str, **settings: object) -> Run:
    """Update with the names of `NAMES` on one Gateway with these addresses; a tunnel stands beside it."""
    world.gateways.gateway("front", addresses=addresses)
    world.gateways.route("v", NAMES, gateway="front")
    _configure(world, **settings)
    return world.up("--skip-preview", *flags)


def _configure(world: World, *tunnels: object, **settings: object) -> None:
    world.gateways.write()
    cluster = {"name": "prod", "files": [str(world.gateways.path)]}
    options = settings.pop("cluster", {})
    assert isinstance(options, dict)
    aside = world.tunnel("aside", ["aside.example.com"])
    world.configure(aside, *tunnels, clusters=[cluster | options], **settings)  # type: ignore[arg-type] # settings


def _published(world: World, name: str) -> set[tuple[str, str]]:
    return {(kind, value) for one, kind, value in world.published() if one == name}


def _ids(world: World) -> dict[str, object]:
    """Return the id of each record at Cloudflare by its content."""
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return {str(one["content"]): one["id"] for one in records if one["name"] == NAMES[0]}


def _steps(run: Run) -> list[tuple[str, str, str]]:
    """Return (provider, operation, hostname) of the steps on records but markers, sorted."""
    return sorted(
        (RECORD_TYPES[step.type], step.op, step.name.partition("/")[2].partition("#")[0])
        for step in run.steps
        if step.type in RECORD_TYPES and "_edge-dns." not in step.name
    )


def _of_addresses(addresses: Iterable[str]) -> set[tuple[str, str]]:
    return {("A" if ip_address(address).version == 4 else "AAAA", address) for address in addresses}


@shows("F15", "the first of several values goes, others change their order")
def test_values_come_go_and_change_their_order_without_touching_the_others(world: World) -> None:
    one, two, three, four = (f"203.0.113.{number}" for number in range(1, 5))
    _publish(world, [one])
    ids = _ids(world)
    for addresses in ([one, two, three], [one, three], [three], [three, four, "2001:db8::1"], [two, three]):
        run = _publish(world, addresses)
        for name in NAMES:
            assert _published(world, name) == _of_addresses(addresses)
        assert {ids[value] for value in addresses if value in ids} <= set(_ids(world).values())
        assert {op for _, op, _ in _steps(run)} <= {"create", "update", "delete"}
        ids = _ids(world)
        world.assert_settled()

    assert _steps(_publish(world, [three, two])) == []
    assert _ids(world) == ids


@shows("F13", "a name changes between address and CNAME")
def test_a_lone_value_changes_between_address_and_cname_in_one_update(world: World) -> None:
    """Bug cases: BC-F02, BC-G01."""
    _publish(world, ["203.0.113.1"])
    for target, kind in (("lb.example.net", "CNAME"), ("203.0.113.1", "A")):
        writes = len(world.services.cloudflare.writes)
        run = _publish(world, [target], cluster=CNAMES)
        assert [_published(world, name) for name in NAMES] == [{(kind, target)}] * 2
        # Cloudflare refuses both at once; Route 53 changes the type in one transaction.
        assert [request.method for request in world.services.cloudflare.writes[writes:]] == ["DELETE", "POST"]
        assert _steps(run) == [
            ("Cloudflare", "create-replacement", "v.example.com"),
            ("Cloudflare", "delete-replaced", "v.example.com"),
            ("Cloudflare", "replace", "v.example.com"),
            ("Route 53", "update", "v.example.org"),
        ]
        world.assert_settled()


def test_several_values_become_a_cname_in_two_updates_once_that_is_acknowledged(world: World) -> None:
    addresses = ["203.0.113.1", "203.0.113.2", "2001:db8::1"]
    _publish(world, addresses)
    before = world.held()

    world.gateways.gateway("front", addresses=["lb.example.net"])
    _configure(world, cluster=CNAMES)
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert all(f"{name}: held: type-transition" in run.text for name in NAMES)
    assert world.held() == before
    world.assert_settled()

    acknowledged = {"safety": {"acknowledge": {"names": NAMES}}}
    _publish(world, ["lb.example.net"], cluster=CNAMES, **acknowledged)
    assert all(len(_published(world, name) - _of_addresses(addresses)) == 0 for name in NAMES)
    assert {len({kind for kind, _ in _published(world, name)}) for name in NAMES} == {1}
    assert len(_published(world, NAMES[0])) == 1
    _publish(world, ["lb.example.net"], cluster=CNAMES, **acknowledged)
    assert [_published(world, name) for name in NAMES] == [{("CNAME", "lb.example.net")}] * 2
    world.assert_settled()

    # The way back needs no second update: what stands beside the plain slot waits until it is an address.
    _publish(world, addresses)
    assert [_published(world, name) for name in NAMES] == [_of_addresses(addresses)] * 2
    world.assert_settled()


def test_a_name_moves_between_a_tunnel_and_a_gateway_and_back_in_place(world: World) -> None:
    world.gateways.gateway("front", addresses=["lb.example.net"])
    world.gateways.route("other", ["other.example.com"], gateway="front")
    names = ["app.example.org", *NAMES]
    _configure(world, world.tunnel("app", names), cluster=CNAMES)
    world.up("--skip-preview")
    (record_id,) = _ids(world).values()

    world.gateways.route("v", NAMES, gateway="front")
    _configure(world, world.tunnel("app", names[:1]), cluster=CNAMES)
    run = world.up("--skip-preview")
    assert _steps(run) == [("Cloudflare", "update", "v.example.com"), ("Route 53", "update", "v.example.org")]
    assert _ids(world) == {"lb.example.net": record_id}
    assert _published(world, NAMES[1]) == {("CNAME", "lb.example.net")}
    world.assert_settled()

    world.gateways.remove("HTTPRoute", "v")
    _configure(world, world.tunnel("app", names), cluster=CNAMES)
    run = world.up("--skip-preview")
    assert _steps(run) == [("Cloudflare", "update", "v.example.com"), ("Route 53", "update", "v.example.org")]
    assert _ids(world) == {EDGE: record_id}
    assert _published(world, NAMES[1]) == {("CNAME", EDGE)}
    world.assert_settled()


@shows("F21", "a name moves to another zone at another provider, and back")
def test_a_name_moves_to_a_longer_zone_and_back(world: World) -> None:
    route53 = world.services.route53
    longer = route53.add_zone("v.example.com")
    zones = [*world.zones(), {"domain": "v.example.com", "provider": "route53", "zoneId": longer}]
    _publish(world, ["203.0.113.1"])
    before = world.held()

    here = world.services.zone_ids[CLOUDFLARE_ZONE]
    run = _publish(world, ["203.0.113.1"], zones=zones)
    assert (
        f"v.example.com: this run deletes A 203.0.113.1 (ttl auto) in zone example.com ({here}): it moves to zone "
        f"v.example.com ({longer}); zone example.com does not delegate v.example.com yet"
    ) in run.text
    _assert_created_first(run, there=longer, here=here)
    assert _published(world, "v.example.com") == set()
    assert {(one.name, one.type) for one in route53.records(longer)} == {
        ("v.example.com", "A"),
        ("_edge-dns.v.example.com", "TXT"),
    }
    assert {one.name for one in before - world.held()} == {"v.example.com"}
    world.assert_settled()

    # Without --continue-on-error the old record stays where the new one cannot be made.
    world.services.cloudflare.inject(Fault(method="POST", path="/dns_records", status=403, times=100))
    _configure(world)
    assert world.stack.up("--skip-preview", "--continue-on-error=false").status != 0
    world.services.cloudflare.clear_faults()
    assert {one.type for one in route53.records(longer)} == {"A", "TXT"}

    run = _publish(world, ["203.0.113.1"])
    _assert_created_first(run, there=here, here=longer)
    assert route53.records(longer) == []
    assert _published(world, "v.example.com") == {("A", "203.0.113.1")}
    world.assert_settled()


def _assert_created_first(run: Run, *, there: str, here: str) -> None:
    """The record of the name is made in its new zone before the one in its old zone goes."""
    steps = [(step.op, step.name) for step in run.steps]
    assert steps.index(("create", f"{there}/v.example.com")) < steps.index(("delete", f"{here}/v.example.com"))


def test_an_alias_pair_comes_changes_and_goes_as_one(world: World) -> None:
    first, second = (f"{name}-1.eu-central-1.elb.amazonaws.com" for name in ("first", "second"))
    _publish(world, ["203.0.113.1"])
    for target in (first, second):
        run = _publish(world, [target])
        alias = f"dualstack.{target}."
        assert _published(world, "v.example.org") == {("A", alias), ("AAAA", alias)}
        assert _published(world, "v.example.com") == {("CNAME", target)}
    assert _steps(run) == [
        ("Cloudflare", "update", "v.example.com"),
        ("Route 53", "update", "v.example.org"),
        ("Route 53", "update", "v.example.org"),
    ]
    world.assert_settled()

    _publish(world, ["203.0.113.1"])
    assert [_published(world, name) for name in NAMES] == [{("A", "203.0.113.1")}] * 2
    world.assert_settled()


def test_ttl_and_proxying_change_in_place(world: World) -> None:
    _publish(world, ["203.0.113.1"])
    ids = _ids(world)
    cloudflare, route53 = world.zones()
    in_place = [("Cloudflare", "update", "v.example.com"), ("Route 53", "update", "v.example.org")]

    zones = [cloudflare | {"ttl": 600}, route53 | {"ttl": 600}]
    aside = ("Cloudflare", "update", "aside.example.com")
    assert _steps(_publish(world, ["203.0.113.1"], zones=zones)) == [aside, *in_place]
    assert _details(world) == [(600, False), (600, None)]

    zones = [cloudflare | {"proxied": True}, route53 | {"ttl": 600}]
    assert _steps(_publish(world, ["203.0.113.1"], zones=zones)) == [aside, in_place[0]]
    assert _details(world) == [(1, True), (600, None)]
    assert _ids(world) == ids
    world.assert_settled()


def _details(world: World) -> list[tuple[object, object]]:
    """Return TTL and proxied of the record of each name of `NAMES`."""
    services = world.services
    cloudflare = [
        (one["ttl"], one["proxied"])
        for one in services.cloudflare.records(services.zone_ids[CLOUDFLARE_ZONE])
        if one["name"] == NAMES[0]
    ]
    route53 = [
        (one.ttl, None)
        for one in services.route53.records(services.zone_ids[ROUTE53_ZONE])
        if (one.name, one.type) == (NAMES[1], "A")
    ]
    return [*cloudflare, *route53]
