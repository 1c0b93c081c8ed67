"""Adoption: live records that equal the wanted ones are taken over without a change, and no others."""

from collections.abc import Iterable
from functools import partial

from edge_dns.core.markers import marker_text, parse_marker, txt_value
from edge_dns.core.values import Source
from local import loopback
from local.stack import Run
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.engine.test_crash import killed_during_up, markers, unlock

EDGE = "edge-eu.example.net"
ADDRESSES = ["203.0.113.7", "203.0.113.8", "2001:db8::7"]
MANY = ["many.example.com", "many.example.org"]
BALANCER = "front-1.eu-central-1.elb.amazonaws.com"
BALANCER_ZONE = "Z215JYRZR1TBD5"
RECORD_TYPES = {"cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record"}
THEIRS = marker_text("edge-dns", "other", Source(cluster=None, kind="TowonelTunnel", namespace="t", name="t"))
HERITAGE = '"heritage=external-dns,external-dns/owner=old-cluster,external-dns/resource=ingress/shop/app"'


def _at_cloudflare(world: World, name: str, content: str, kind: str = "CNAME", **more: object) -> None:
    zone_id = world.services.zone_ids[CLOUDFLARE_ZONE]
    world.services.cloudflare.add_record(zone_id, name=name, type=kind, content=content, ttl=1, **more)


def _at_route53(world: World, name: str, *values: str, kind: str = "CNAME") -> None:
    zone_id = world.services.zone_ids[ROUTE53_ZONE]
    world.services.route53.add_record(zone_id, name=name, record_type=kind, values=values, ttl=300)


def _configure(world: World, tunnel: Iterable[str], *, many: Iterable[str], **settings: object) -> None:
    """Want these hostnames of a tunnel, those of `many` with several addresses, and an apex with an alias."""
    world.gateways.gateway("front", addresses=ADDRESSES)
    world.gateways.route("many", list(many), gateway="front")
    world.gateways.gateway("balanced", addresses=[BALANCER])
    world.gateways.route("lb", [ROUTE53_ZONE], gateway="balanced")
    world.gateways.write()
    zones = [zone | {"wildcards": True} for zone in world.zones()]
    dns = {"mode": "Zone", "includeWildcards": True}
    world.configure(world.tunnel("app", list(tunnel), dns=dns), zones=zones, **settings)


def _said(run: Run) -> str:
    return " ".join(run.text.split())


def _steps(run: Run, *ops: str) -> set[str]:
    """Hostname or marker of the steps on records with one of these operations."""
    return {
        step.name.partition("/")[2].partition("#")[0]
        for step in run.steps
        if step.type in RECORD_TYPES and step.op in ops
    }


def _is_marked(world: World, name: str) -> bool:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    return any(parse_marker(str(one["comment"])) for one in records if one["name"] == name)


def _without_comments(world: World) -> list[dict[str, object]]:
    records = world.services.cloudflare.records(world.services.zone_ids[CLOUDFLARE_ZONE])
    volatile = {"comment", "comment_modified_on", "modified_on"}
    ours, _ = world.foreign.without(records, [])
    return [{key: value for key, value in one.items() if key not in volatile} for one in ours]


def test_equal_records_are_taken_over_with_nothing_but_their_marker_and_no_others(world: World) -> None:
    services = world.services
    equal = ["equal.example.com", "*.wild.example.com", "example.com", "theirs.example.com"]
    for name in equal:
        _at_cloudflare(world, name, EDGE, comment=THEIRS if name.startswith("theirs") else "by hand")
    for address in ADDRESSES:
        _at_cloudflare(world, "many.example.com", address, "AAAA" if ":" in address else "A")
    _at_cloudflare(world, "a-equal.example.com", HERITAGE, "TXT")
    _at_route53(world, "equal.example.org", EDGE)
    _at_route53(world, "dotted.example.org", f"{EDGE.upper()}.")
    _at_route53(world, "many.example.org", *ADDRESSES[1::-1], kind="A")
    _at_route53(world, "many.example.org", ADDRESSES[2], kind="AAAA")
    for kind in ("A", "AAAA"):
        alias = {"name": ROUTE53_ZONE, "record_type": kind, "target": f"{BALANCER}.", "target_zone_id": BALANCER_ZONE}
        services.route53.add_alias(services.zone_ids[ROUTE53_ZONE], **alias)
    adopted = {*equal, "many.example.com", "equal.example.org", "dotted.example.org", "many.example.org", ROUTE53_ZONE}

    _at_cloudflare(world, "differs.example.com", "elsewhere.example.net")
    _at_cloudflare(world, "partial.example.com", ADDRESSES[0], "A")
    _at_cloudflare(world, "unlisted.example.com", EDGE)
    _at_route53(world, "differs.example.org", "elsewhere.example.net")
    _at_route53(world, "theirs.example.org", EDGE)
    _at_route53(world, "_edge-dns.theirs.example.org", txt_value(THEIRS), kind="TXT")
    refused = {
        "differs.example.com": "adopt-differs",
        "differs.example.org": "adopt-differs",
        "partial.example.com": "adopt-differs",
        "theirs.example.org": "owner-foreign",
        "unlisted.example.com": "owner-foreign",
    }
    before, unchanged = world.held(), _without_comments(world)

    tunnel = [name for name in (*adopted, *refused, "new.example.com") if not name.startswith(("many", "partial"))]
    tunnel.remove(ROUTE53_ZONE)
    listed: list[object] = [
        "*.wild.example.com",
        "Example.com.",
        {"hostname": "theirs.example.com"},
        "differs.example.com",
    ]
    listed += ["equal.example.com", {"hostname": "many.example.com"}, "partial.example.com", {"zone": ROUTE53_ZONE}]
    listed += ["new.example.com", {"hostname": "nobody.example.com", "type": "A"}]
    _configure(world, tunnel, many=[*MANY, "partial.example.com"], adopt=listed)
    preview = world.stack.preview()
    assert services.cloudflare.writes == []
    assert world.held() == before
    said = _said(preview)
    for name, rule in refused.items():
        assert f"{name}: refused: {rule}" in said
    assert "live CNAME elsewhere.example.net (ttl 300) (import id" in said
    assert f"wanted CNAME {EDGE} (ttl 300)" in said
    assert "edge-dns:adopt: [unlisted.example.com] takes it over" in said
    assert f"edge-dns:adopt[{len(listed) - 1}]: " in said
    assert " adopts nothing; remove it" in said
    assert "equal.example.com: TXT a-equal.example.com says that external-dns (old-cluster) manages it" in said
    made = {f"_edge-dns.{name}" for name in adopted if name.endswith(ROUTE53_ZONE)} | {"new.example.com"}
    assert _steps(preview, "import") == adopted
    assert _steps(preview, "create") == made
    # The comment is the marker at Cloudflare; what Route 53 holds says the same in whatever spelling.
    assert _steps(preview, "update") == {name for name in adopted if name.endswith(CLOUDFLARE_ZONE)}

    up = world.stack.up("--skip-preview")
    assert up.status != 0
    # At Cloudflare only comments have changed, at Route 53 nothing: the markers stand beside.
    assert [one for one in _without_comments(world) if one["name"] != "new.example.com"] == unchanged
    assert {one.method for one in services.cloudflare.writes} == {"PUT", "POST"}
    at_route53 = {one for one in world.held() if one.name.endswith(ROUTE53_ZONE) and one not in before}
    assert {one.name for one in at_route53} == made - {"new.example.com"}
    assert {one for one in before if one.name.endswith(ROUTE53_ZONE)} <= world.held()
    assert {one for one in before if one.name in refused} <= world.held()

    # Settled, with the entries and without them; only the registry's text is still told.
    wanted = [name for name in tunnel if name not in refused]
    for entries in (listed, []):
        _configure(world, wanted, many=MANY, adopt=entries)
        settled = world.stack.preview("--expect-no-changes")
        assert _steps(settled, "create", "update", "delete", "replace", "import") == set()
        assert "a-equal.example.com says that external-dns" in _said(settled)

    # They are ours now, and go with their hostnames.
    _configure(world, ["new.example.com"], many=["many.example.com"], safety={"withdraw": "free"})
    world.up("--skip-preview")
    kept = {"new.example.com", "many.example.com", ROUTE53_ZONE}
    assert world.names() == {*kept, "a-equal.example.com", *refused}
    world.assert_settled()


def test_an_adoption_that_a_kill_cut_off_is_finished_by_the_next_run(world: World) -> None:
    cloudflare = world.services.cloudflare
    names = ["equal.example.com", "equal.example.org"]
    _at_cloudflare(world, names[0], EDGE)
    _at_route53(world, names[1], EDGE)
    before, unchanged = world.held(), _without_comments(world)
    world.configure(world.tunnel("app", [*names, "new.example.com"]), adopt=names)

    # The marker at Route 53 is made, the comment at Cloudflare changed; the engine hears of neither.
    late = partial(loopback.Fault, after_commit=True, delay_seconds=300, times=100)
    cloudflare.inject(late(method="PUT", path="/dns_records"))
    world.services.route53.inject(late(method="POST", path="/rrset"))
    killed_during_up(world, lambda: _is_marked(world, names[0]) and markers(world) == 1)
    cloudflare.clear_faults()
    world.services.route53.clear_faults()

    unlock(world)
    world.up("--skip-preview")
    assert [one for one in _without_comments(world) if one["name"] == names[0]] == unchanged
    assert {one for one in before if one.name == names[1]} <= world.held()
    assert "_edge-dns.equal.example.org" in {one.name for one in world.held()}
    world.assert_settled()
