"""The pack against the plan: it lets through what the plan declares, and refuses by itself what the plan refuses."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge_dns.core.conversion import ConversionOptions, check_public, check_together, convert
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.markers import marker_name, marker_text
from edge_dns.core.names import relative_name
from edge_dns.core.permission import check_permission
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Zone, load_settings
from edge_dns.core.slots import slot_key
from edge_dns.core.values import Alias, RRset, Target
from edge_dns.core.zones import ZoneIndex, check_wildcard
from tests.unit.plan.test_plan_properties import TWO_WORLDS, WORLD, World, two_worlds
from tests.unit.plan.world import plan_of
from tests.unit.policy.resources import CLOUDFLARE, ROUTE53, Declared, judge

_BUDGET = settings(max_examples=100)


def _props(rrset: RRset, zone: Zone) -> list[dict[str, Any]]:
    """The properties of each resource that holds an RRset, as components/records declares them."""
    common: dict[str, Any] = {"zoneId": rrset.zone_id, "name": rrset.name, "type": rrset.type}
    if zone.provider == "cloudflare":
        ttl, proxied = float(rrset.ttl or 1), bool(rrset.proxied)
        return [{**common, "content": value, "ttl": ttl, "proxied": proxied} for value in rrset.values]
    if rrset.alias:
        return [{**common, "aliases": [{"name": rrset.alias.name, "zoneId": rrset.alias.zone_id}]}]
    return [{**common, "records": list(rrset.values), "ttl": float(rrset.ttl or 0)}]


def _program(plan: Plan, zones: ZoneIndex) -> list[Declared]:
    """Everything that a plan declares, each record with its marker."""
    found: dict[str, Declared] = {}
    for one in plan.sets:
        marker, parent = marker_text("shop", "prod", one.source), f"edge:dns:EndpointRecordSet::{one.id}"
        for records in (*one.records.values(), *one.conditional.values()):
            for record in records:
                zone = zones.by_zone_key[record.rrset.zone_id]
                (props,) = _props(record.rrset, zone)
                if zone.provider == "cloudflare":
                    found[record.slot] = (CLOUDFLARE, record.slot, parent, {**props, "comment": marker})
                    continue
                name = marker_name(record.rrset.name, zone.domain)
                slot = slot_key(record.rrset.zone_id, name)
                text = {"zoneId": props["zoneId"], "name": name, "type": "TXT", "records": [marker], "ttl": 300.0}
                found |= {record.slot: (ROUTE53, record.slot, parent, props), slot: (ROUTE53, slot, parent, text)}
    return list(found.values())


def _refused(plan: Plan | None, zones: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    if plan is None or plan.stops:
        return {}
    # A tunnel may ask for wildcards by itself.
    pack = {"zones": [{**zone, "wildcards": True} for zone in zones]}
    program = _program(plan, ZoneIndex.of(load_settings(pack).zones))
    found = judge(pack, program)
    found.pop("target-dangling", None)  # advice
    return found


def _planned(world: World, memory: object = None) -> Plan | None:
    try:
        return plan_of(world.settings, clusters=world.clusters, hub=world.hub, memory=memory)
    except ObservationFailed:
        return None


@_BUDGET
@given(world=WORLD)
def test_what_the_plan_declares_never_violates_the_pack(world: World) -> None:
    assert _refused(_planned(world), world.settings["zones"]) == {}


@_BUDGET
@given(worlds=TWO_WORLDS)
@example(worlds=two_worlds(288)).via("a held name that lies in a private zone now")
def test_nor_does_what_it_holds_from_an_earlier_run(worlds: tuple[World, World]) -> None:
    before, now = worlds
    first = _planned(before)
    memory = plan_document(first)["memory"] if first else None
    # A name that a zone does not allow any more is held, so the pack is asked without that.
    zones = [
        {key: value for key, value in zone.items() if key != "allowedRecordSets"} for zone in now.settings["zones"]
    ]
    assert _refused(_planned(now, memory), zones) == {}


_ALLOWED = {"namespaces": {"names": ["team"]}, "names": ["@", "[a-z]"], "types": ["A", "CNAME"]}
_ZONES = [
    {"domain": "a.test", "provider": "cloudflare", "zoneId": "z1"},
    {"domain": "b.test", "provider": "route53", "zoneId": "z2", "allowedRecordSets": [_ALLOWED]},
    {"domain": "c.test", "provider": "route53", "zoneId": "z3", "visibility": "private", "wildcards": True},
]
_LOADED = load_settings({"zones": _ZONES}).zones
_NAMES = ["x", "y", "*", "sub.x", "@"]
_ADDRESSES = ["1.1.1.1", "10.0.0.1", "192.0.2.1", "100.64.0.1", "169.254.0.1"]
_TARGETS = ["edge.example.net", "x.c.test", "x.a.test", "y.b.test", "db.internal", "web.svc.cluster.local", "x.b.test"]


def _rrset(random: Random) -> tuple[RRset, Zone]:
    """Any RRset, as a plan without its checks might want it."""
    zone = random.choice(_LOADED)
    relative = random.choice(_NAMES)
    name = zone.domain if relative == "@" else f"{relative}.{zone.domain}"
    key, proxied = str(zone.zone_id), random.random() < 0.3 if zone.provider == "cloudflare" else None
    ttl = random.choice([1, 30, 60, 300, 90000])
    if random.random() < 0.5:
        values = tuple(random.sample(_ADDRESSES, random.randint(1, 2)))
        return RRset(zone_id=key, name=name, type="A", values=values, ttl=ttl, proxied=proxied), zone
    target = random.choice(_TARGETS)
    if zone.provider == "route53" and random.random() < 0.5:
        alias = Alias(name=f"{target}.", zone_id="Z", evaluate_target_health=False)
        return RRset(zone_id=key, name=name, type="A", values=(), ttl=None, alias=alias), zone
    return RRset(zone_id=key, name=name, type="CNAME", values=(target,), ttl=ttl, proxied=proxied), zone


def _core(wanted: Sequence[tuple[RRset, Zone]]) -> set[str]:
    """The rules under which the checks of the plan refuse one of these RRsets."""
    zones, found = ZoneIndex.of(_LOADED), set()
    for rrset, zone in wanted:
        checks = (
            lambda rrset=rrset, zone=zone: check_public([rrset], zone, zones),
            lambda rrset=rrset, zone=zone: check_wildcard(rrset.name, zone),
            lambda rrset=rrset, zone=zone: check_permission(
                relative_name(rrset.name, zone.domain), [rrset.type], zone, {"team": {}}, of_cluster=True
            ),
            lambda rrset=rrset, zone=zone: _convert(rrset, zone),
        )
        for check in checks:
            try:
                check()
            except Refused as refused:
                found.add(refused.refusal.rule)
    return found | {refusal.rule for refusal in check_together(rrset for rrset, _ in wanted).values()}


def _convert(rrset: RRset, zone: Zone) -> None:
    """Ask the conversion for its limits: the TTL, the proxy, a CNAME at the apex."""
    if rrset.alias is None:
        kind: Any = "Hostname" if rrset.type == "CNAME" else "IPAddress"
        targets = [Target(kind, value) for value in rrset.values]
        ttl = None if zone.provider == "cloudflare" and rrset.ttl == 1 else rrset.ttl
        options = ConversionOptions(prefer_cname=True, ttl=ttl, proxied=bool(rrset.proxied))
        convert(rrset.name, targets, zone, options)


def _lone(wanted: Sequence[tuple[RRset, Zone]]) -> list[tuple[RRset, Zone]]:
    """Leave out further RRsets of one name and type at Cloudflare, where their values make one RRset together."""
    seen: dict[tuple[str, str], RRset] = {}
    return [
        (rrset, zone)
        for rrset, zone in wanted
        if zone.provider == "route53" or seen.setdefault((rrset.name, rrset.type), rrset).values == rrset.values
    ]


# The pack has no rule of its own for a CNAME that points at itself: it is a circle of one.
_SAME = {"cname-self": "cname-loop"}


@_BUDGET
@given(seed=st.integers(0, 2**40))
@example(seed=5595).via("two CNAMEs at one name, one of which points at itself")
def test_what_the_checks_of_the_plan_refuse_the_pack_refuses_too(seed: int) -> None:
    random = Random(seed)
    wanted = _lone([_rrset(random) for _ in range(random.randint(1, 4))])
    program = [
        (CLOUDFLARE if zone.provider == "cloudflare" else ROUTE53, f"{number}-{index}", "", props)
        for number, (rrset, zone) in enumerate(wanted)
        for index, props in enumerate(_props(rrset, zone))
    ]
    found = judge({"zones": _ZONES}, program).keys()
    refused = {_SAME.get(rule, rule) for rule in _core(wanted)}
    # Of two CNAMEs at one name the pack follows one only; that there are two is refused anyway.
    assert refused - ({"cname-loop"} if "duplicate-record" in found else set()) <= found
