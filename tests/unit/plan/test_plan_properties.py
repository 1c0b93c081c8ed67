"""Properties of the whole plan over small random worlds (clusters, tunnels, the hub, zones), one after the other.

The worlds are drawn from a seed with plain functions: drawing every part by a strategy takes far longer than the plan.
"""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.names import NameSyntax, meet, normalise_hostname
from tests.unit.admission.objects import condition, gateway, listener, namespace, parent, ref, route
from tests.unit.plan.world import FREE, Json, Run, invite, run, tunnel

_BUDGET = settings(max_examples=150)
_NAMES = ["a.shop.test", "b.shop.test", "x.eu.shop.test", "shop.test", "*.shop.test", "t.shop.test", "c.kiln.test"]
_MALFORMED = "no"
_DELETING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
_OPT_OUT = {"annotations": {"external-dns.kubernetes.io/controller": "internal"}}
_SELECTOR = {"from": "Selector", "selector": {"matchLabels": {"dns": "yes"}}}


@dataclass(frozen=True)
class World:
    """Everything that one run reads, besides the memory."""

    settings: Json
    clusters: dict[str, Any]
    hub: list[Json] | None

    def run(self, memory: Any = None) -> Run:
        return run(self.settings, clusters=self.clusters, hub=self.hub, memory=memory)


def _mostly(random: Random, usual: Any, *others: Any) -> Any:
    """The usual value in four of five cases, so that most names are published."""
    return random.choice(others) if random.random() < 0.2 else usual


def _zones(random: Random) -> list[Json]:
    allowed = {"namespaces": {"names": ["team", "shop"]}, "names": [".*"], "types": ["A", "AAAA", "CNAME"]}
    shop = {"domain": "shop.test", "provider": "cloudflare", "zoneId": "z1", "wildcards": random.random() < 0.5}
    kiln = {"domain": "kiln.test", "provider": "route53", "zoneId": "Z2"}
    inner = {"domain": "eu.shop.test", "provider": random.choice(["route53", "cloudflare"]), "zoneId": "z3"}
    private = {**inner, "zoneId": "z4", "visibility": "private"}
    limits = _mostly(random, {}, {"allowedRecordSets": []}, {"allowedRecordSets": [allowed]})
    return [
        {**shop, **limits},
        *_mostly(random, [kiln], []),
        *_mostly(random, [], [inner], [private], [inner, private]),
    ]


def _tunnel(random: Random, name: str) -> Json:
    targets = [{"cnameTarget": target} for target in ("lb.test", "edge.example.net", "a.shop.test")]
    return tunnel(
        *random.sample([*_NAMES, _MALFORMED], random.randint(0, 4)),
        name=name,
        generation=_mostly(random, 1, 2),
        visibility=_mostly(random, "public", "private"),
        region=_mostly(random, "EU", "US", "AP"),
        dns={
            "mode": _mostly(random, "Zone", "Disabled"),
            "includeWildcards": random.random() < 0.5,
            **_mostly(random, {}, {"ttl": 1}, *targets),
        },
    )


def _hub(random: Random) -> list[Json] | None:
    names = random.sample(_NAMES, len(_NAMES))
    cuts = sorted(random.choices(range(len(names) + 1), k=2))
    parts = {"shop/one": names[: cuts[0]], "shop/two": names[cuts[0] : cuts[1]], "else/where": names[cuts[1] :]}
    invites = [
        invite(
            *part,
            invite_id=f"inv-{name}",
            name=name,
            region=random.choice(["EU", None, "us"]),
            status=_mostly(random, "claimed", "pending", "revoked"),
        )
        for name, part in parts.items()
        if random.random() < 0.8
    ]
    return random.choice([None, invites])


def _gateway(random: Random, name: str) -> Json:
    openness = _mostly(random, {"from": "All"}, {"from": "Same"}, _SELECTOR)
    listeners = [
        listener(
            one,
            _mostly(random, None, "*.shop.test", "a.shop.test", "*.test"),
            protocol=_mostly(random, "HTTPS", "TCP"),
            allowedRoutes={"namespaces": openness},
        )
        for one in _mostly(random, ["web"], ["web", "alt"])
    ]
    addresses = random.choice([["198.51.100.7"], ["198.51.100.7", "2001:db8::7", "198.51.100.8"], ["lb.test"]])
    return gateway(
        name,
        uid=f"{name}-{_mostly(random, 1, 2)}",
        class_name=_mostly(random, "fast", "slow"),
        listeners=listeners,
        addresses=_mostly(random, addresses, [], ["lb.test", "192.0.2.1"], ["10.0.0.1"], ["no name"]),
        accepted=_mostly(random, None, condition("False"), condition("False", 0), condition("Unknown")),
        metadata=_mostly(random, {}, {}, _DELETING, _OPT_OUT),
    )


def _route(random: Random, name: str) -> Json:
    generation = _mostly(random, 1, 2)
    refs = [
        ref(at, _mostly(random, None, "web")) for at in random.choice([["edge/front"], ["edge/back"], _GATEWAYS, _ALL])
    ]
    said = [_mostly(random, ("True", generation), ("True", 1), ("False", generation), ("Unknown", 1)) for _ in refs]
    return route(
        name,
        uid=f"{name}-{_mostly(random, 1, 2)}",
        generation=generation,
        hostnames=random.sample(_NAMES, random.randint(0, 3)),
        refs=refs,
        parents=[
            parent(one, condition(*words), *_mostly(random, [], [condition("Unknown", 0)]), controller=controller)
            for one, words in zip(refs, said, strict=True)
            for controller in _mostly(random, ["a.example.net/one"], ["a.example.net/one", "b.example.net/two"])
        ],
        metadata=_mostly(random, {}, _DELETING, _OPT_OUT),
    )


_GATEWAYS = ["edge/front", "edge/back"]
_ALL = [*_GATEWAYS, "edge/none", "edge/nowhere"]


def _cluster(random: Random) -> list[Json]:
    routes = [_route(random, name) for name in ("team/cart", "team/pay", "ops/home")]
    spaces = [namespace("team", {"dns": "yes"}), namespace("ops", _mostly(random, {"dns": "yes"}, {}))]
    return [*(_gateway(random, name) for name in _GATEWAYS), *routes, *spaces]


def _world(random: Random) -> World:
    names = random.choice([["c1"], ["c1", "c2"]])
    safety = {**FREE, **random.choice([{}, {"acknowledge": {"names": _NAMES}}])}
    given_settings = {
        "zones": _zones(random),
        "edgeTargets": {"EU": "edge-eu.example.net", "US": "edge-us.example.net"},
        "tunnels": [_tunnel(random, name) for name in ("one", "two")],
        "clusters": [{"name": name, "visibility": _mostly(random, "public", "private")} for name in names],
        "safety": safety,
    }
    return World(settings=given_settings, clusters={name: _cluster(random) for name in names}, hub=_hub(random))


def _later(world: World, random: Random) -> World:
    """What becomes of a world: each part stays, loses its status, or is another one of the same name."""
    fresh = _world(random)
    clusters = {
        name: [_fate(random, old, new) for old, new in zip(objects, _cluster(random), strict=True)]
        for name, objects in world.clusters.items()
    }
    kept = {key: _mostly(random, value, fresh.settings[key]) for key, value in world.settings.items()}
    kept["clusters"] = world.settings["clusters"]
    kept["tunnels"] = [
        random.choice([old, old, new])
        for old, new in zip(world.settings["tunnels"], fresh.settings["tunnels"], strict=True)
    ]
    return World(settings=kept, clusters=clusters, hub=_mostly(random, world.hub, fresh.hub, None))


def _fate(random: Random, old: Json, new: Json) -> Json:
    silent = {**old, "status": {}} if "status" in old else old
    return random.choice([old, old, old, silent, new])


WORLD = st.integers(0, 2**40).map(lambda seed: _world(Random(seed)))


def two_worlds(seed: int) -> tuple[World, World]:
    random = Random(seed)
    world = _world(random)
    return world, _later(world, random)


TWO_WORLDS = st.integers(0, 2**40).map(two_worlds)
"""A world and what becomes of it."""


def _attempt(world: World, memory: Any = None) -> Run | None:
    """The run; None where it stops, which other tests are about."""
    try:
        return world.run(memory)
    except ObservationFailed:
        return None


def _shuffled(value: Any, random: Random, *, lists: bool = True) -> Any:
    """The same value with the keys of objects in another order, and the items of lists too."""
    if isinstance(value, dict):
        pairs = [(key, _shuffled(one, random, lists=lists)) for key, one in value.items()]
        random.shuffle(pairs)
        return dict(pairs)
    if isinstance(value, list):
        items = [_shuffled(one, random, lists=lists) for one in value]
        if lists:
            random.shuffle(items)
        return items
    return value


def _respelled(world: World) -> World:
    tunnels = [
        {**one, "hostnames": [f"{name.upper()}." if name != _MALFORMED else name for name in one["hostnames"]]}
        for one in world.settings["tunnels"]
    ]
    zones = [{**zone, "domain": f"{zone['domain'].upper()}."} for zone in world.settings["zones"]]
    targets = {region.lower(): f"{target.upper()}." for region, target in world.settings["edgeTargets"].items()}
    clusters = {name: _respelled_objects(objects) for name, objects in world.clusters.items()}
    hub = world.hub and [
        {**one, "hostnames": [name.upper() for name in one["hostnames"]], "region": (one["region"] or "").lower()}
        for one in world.hub
    ]
    spelled = {**world.settings, "tunnels": tunnels, "zones": zones, "edgeTargets": targets}
    return World(settings=spelled, clusters=clusters, hub=hub)


def _respelled_objects(objects: Any) -> Any:
    copy: Any = json.loads(json.dumps(objects))
    for spec in (item.get("spec", {}) for item in copy):
        if "hostnames" in spec:
            spec["hostnames"] = [f"{name.upper()}." for name in spec["hostnames"]]
        for one in spec.get("listeners", []):
            if "hostname" in one:
                one["hostname"] = f"{one['hostname'].upper()}."
    return copy


@_BUDGET
@given(worlds=TWO_WORLDS, random=st.randoms(use_true_random=False))
def test_the_order_of_nothing_in_the_input_matters(worlds: tuple[World, World], random: Random) -> None:
    before, now = worlds
    first = _attempt(before)
    memory = first.memory if first else {}
    outcome = _attempt(now, memory)
    shuffled = World(
        settings=_shuffled(now.settings, random),
        clusters=_shuffled(now.clusters, random),
        hub=_shuffled(now.hub, random),
    )
    again = _attempt(shuffled, _shuffled(memory, random, lists=False))
    assert (outcome and outcome.text) == (again and again.text)


@_BUDGET
@given(world=WORLD)
def test_letter_case_and_trailing_dots_do_not_matter(world: World) -> None:
    outcome, again = _attempt(world), _attempt(_respelled(world))
    assert (outcome and _without_digests(outcome)) == (again and _without_digests(again))


def _without_digests(outcome: Run) -> Any:
    """A listener's digest is of its text, so that it differs where the hostname is spelled differently."""
    copy = json.loads(outcome.text)
    for one in copy["memory"]["sets"].values():
        for receipt in one["receipts"]:
            del receipt["listener_digest"]
    return copy


@_BUDGET
@given(worlds=TWO_WORLDS)
def test_no_hostname_is_published_that_no_source_declares(worlds: tuple[World, World]) -> None:
    before, now = worlds
    first = _attempt(before)
    outcome = _attempt(now, first.memory if first else {})
    if outcome is None or outcome.stops:
        return
    declared = _declared(now)
    for record in outcome.document["records"]:
        assert any(meet(name, record["name"]) == record["name"] for name in declared)


def _declared(world: World) -> set[str]:
    texts = [name for one in world.settings["tunnels"] for name in one["hostnames"]]
    for objects in world.clusters.values():
        for item in objects:
            spec = item.get("spec", {})
            texts += spec.get("hostnames", [])
            # A route without hostnames of its own takes those of the listeners.
            texts += [one["hostname"] for one in spec.get("listeners", []) if "hostname" in one]
    return {name for text in texts if (name := _normal(text))}


def _normal(text: str) -> str | None:
    try:
        return normalise_hostname(text)
    except NameSyntax:
        return None


@_BUDGET
@given(worlds=TWO_WORLDS)
def test_every_record_of_a_tunnel_is_confirmed_or_predicted_and_never_refused(worlds: tuple[World, World]) -> None:
    before, now = worlds
    first = _attempt(before)
    outcome = _attempt(now, first.memory if first else {})
    if outcome is None or outcome.stops or now.hub is None:
        return
    remembered = outcome.memory["invites"]
    for record in outcome.document["records"]:
        if record["source"]["kind"] != "TowonelTunnel":
            continue
        key = f"{record['source']['namespace']}/{record['source']['name']}"
        own = remembered.get(key, {}).get("invite_id", f"inv-{key}")
        holders = {
            one["invite_id"] for one in now.hub if record["name"] in one["hostnames"] and one["status"] != "revoked"
        }
        shared = _claimed_by_a_gateway(outcome, record["name"])
        assert holders - _giving_up(now, record["name"]) <= {own} or shared


def _giving_up(world: World, name: str) -> set[str]:
    """Return the ids of the invites whose tunnels of the settings no longer list the name."""
    return {
        f"inv-{one['namespace']}/{one['name']}"
        for one in world.settings["tunnels"]
        if name not in {_normal(text) for text in one["hostnames"]}
    }


def _claimed_by_a_gateway(outcome: Run, name: str) -> bool:
    return any(
        one["source"]["kind"] == "Gateway" and name in one["hostnames"]
        for one in outcome.document["endpointRecordSets"]
    )


@_BUDGET
@given(world=WORLD)
def test_the_same_input_twice_gives_the_same_bytes(world: World) -> None:
    first = _attempt(world)
    if first is None or first.stops:
        return
    second = world.run(first.memory)
    if "hub-account" in second.stops:
        return
    assert second.document["records"] == first.document["records"]
    third = world.run(second.memory)
    assert third.text == world.run(third.memory).text


@_BUDGET
@given(worlds=TWO_WORLDS)
def test_every_name_in_memory_is_published_held_or_withdrawn(worlds: tuple[World, World]) -> None:
    before, now = worlds
    first = _attempt(before)
    outcome = _attempt(now, first.memory) if first else None
    if first is None or outcome is None:
        return
    remembered = {name for one in first.memory["sets"].values() for name in one["published"]}
    told: dict[str, set[str]] = {}
    for one in outcome.document["hostnames"]:
        told.setdefault(one["hostname"], set()).add(one["state"])
    assert all(told[name] & {"published", "held", "withdrawn"} for name in remembered)
    published = {one["name"] for one in outcome.document["records"]}
    assert published == {name for name, states in told.items() if states & {"published", "held"}}
    if outcome.stops:
        assert outcome.memory == first.memory
    else:
        kept = {name for one in outcome.memory["sets"].values() for name in one["published"]}
        assert kept == published
