"""Run after run: the memory that one run prints is what the next one reads; what is withdrawn, and what is held."""

from collections.abc import Callable
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from tests.unit.admission.objects import (
    condition,
    gateway,
    gateway_class,
    listener,
    namespace,
    parent,
    ref,
    route,
    silent,
)
from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, Json, Run, invite, run, settings_of, tunnel

A = "a.example.com"
KEPT = "kept.example.com"
OTHER = [
    gateway("edge/other", uid="gw-9", addresses=["198.51.100.99"]),
    route("team/other", uid="rt-9", refs=[ref("edge/other")], hostnames=[KEPT]),
]
ALB = "front.eu-west-1.elb.amazonaws.com"


def _gateway_world(*objects: Any, **settings: Any) -> Any:
    """A world with one other Gateway, so that what goes is never the last name."""
    return {"settings": settings_of(safety=FREE, **settings), "objects": [*objects, *OTHER]}


def _tunnel_world(*tunnels: Json, hub: Any = None, **settings: Any) -> Any:
    safety = {"safety": FREE} | settings
    return {
        "settings": settings_of(tunnels=[tunnel(KEPT, name="other"), *tunnels], **safety),
        "objects": [],
        "hub": hub,
    }


def _run(world: Any, memory: Any = None) -> Run:
    clusters = {"c1": world["objects"]} if world["objects"] else {}
    return run(world["settings"], clusters=clusters, hub=world.get("hub"), memory=memory)


FRONT = gateway()
CART = route(hostnames=[A])
BEFORE = _gateway_world(FRONT, CART)
OPT_OUT = {"annotations": {"external-dns.kubernetes.io/controller": "internal"}}
REJECTED = [parent(ref(), condition("False"))]
NOBODY = {**CLOUDFLARE, "allowedRecordSets": []}

WITHDRAWN = [
    pytest.param(BEFORE, _gateway_world(FRONT), "not-declared", id="the route is gone"),
    pytest.param(BEFORE, _gateway_world(CART), "route-not-accepted", id="the Gateway is gone"),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=["b.example.com"])),
        "not-declared",
        id="the hostname left the route",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=[A], metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})),
        "not-declared",
        id="the route is being deleted",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), CART),
        "route-not-accepted",
        id="the Gateway is being deleted",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=[A], parents=REJECTED)),
        "route-rejected",
        id="the route is denied",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(accepted=condition("False")), CART),
        "gateway-rejected",
        id="the Gateway is denied",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(listeners=[listener(allowedRoutes={"namespaces": {"from": "Same"}})]), CART),
        "listener-denies",
        id="the listener denies the namespace",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(listeners=[listener(hostname="*.example.org")]), CART),
        "listener-denies",
        id="the listener takes another hostname",
    ),
    pytest.param(
        BEFORE, _gateway_world(FRONT, silent(hostnames=[A], uid="rt-2")), "identity-changed", id="a new route"
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(uid="gw-2"), silent(hostnames=[A])),
        "identity-changed",
        id="a new Gateway",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(class_name="another"), silent(hostnames=[A])),
        "identity-changed",
        id="another class",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(listeners=[listener(port=8443)]), silent(hostnames=[A])),
        "identity-changed",
        id="another listener text",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, silent(hostnames=[A], refs=[ref(section=None)])),
        "identity-changed",
        id="another parentRef",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=[A], metadata=OPT_OUT)),
        "exposure-internal",
        id="the route opts out",
    ),
    pytest.param(
        BEFORE, _gateway_world(gateway(metadata=OPT_OUT), CART), "exposure-internal", id="the Gateway opts out"
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(addresses=["10.0.0.1"]), CART),
        "private-address-public-zone",
        id="a private address",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(addresses=["gw.default.svc.cluster.local"]), CART),
        "internal-name-public-zone",
        id="an internal target",
    ),
    pytest.param(
        _gateway_world(FRONT, route(hostnames=["a.example.org"])),
        _gateway_world(FRONT, route(hostnames=["a.example.org"]), zones=[CLOUDFLARE]),
        "zone-none",
        id="the zone left the settings",
    ),
    pytest.param(_tunnel_world(tunnel(A)), _tunnel_world(), "not-declared", id="the tunnel is gone"),
    pytest.param(_tunnel_world(tunnel(A)), _tunnel_world(tunnel("b.example.com")), "not-declared", id="off the tunnel"),
    pytest.param(
        _tunnel_world(tunnel(A)),
        _tunnel_world(tunnel(A, dns={"mode": "Disabled"})),
        "dns-disabled",
        id="mode Disabled",
    ),
    pytest.param(
        _tunnel_world(tunnel(A)), _tunnel_world(tunnel(A, region="AP")), "edge-target-unknown", id="no edge target"
    ),
    pytest.param(
        _tunnel_world(tunnel("*.example.com", dns={"mode": "Zone", "includeWildcards": True})),
        _tunnel_world(tunnel("*.example.com")),
        "wildcard-opt-in",
        id="wildcards are switched off",
    ),
    pytest.param(
        _tunnel_world(tunnel(A), hub=[invite(A), invite(KEPT, invite_id="inv-2", name="shop/other")]),
        _tunnel_world(
            tunnel(A),
            hub=[
                invite(),
                invite(KEPT, invite_id="inv-2", name="shop/other"),
                invite(A, invite_id="inv-9", name="else/where"),
            ],
        ),
        "host-taken",
        id="another invite took it",
    ),
    pytest.param(
        _tunnel_world(tunnel(A), hub=[invite(A), invite(KEPT, invite_id="inv-2", name="shop/other")]),
        _tunnel_world(
            tunnel(A),
            hub=[
                invite(),
                invite(KEPT, invite_id="inv-2", name="shop/other"),
                invite(A, invite_id="inv-9", name="else/where"),
            ],
            zones=[NOBODY],
        ),
        "host-taken",
        id="another invite took it, and the zone allows it no more",
    ),
]


PRIVATE = {**ROUTE53, "zoneId": "Z9", "visibility": "private"}
WAS_PRIVATE = {**CLOUDFLARE, "visibility": "private"}
INSIDE = [{"name": "c1", "visibility": "private"}]
HELD_NO_LONGER = [
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, CART, tunnels=[tunnel(A)], zones=[CLOUDFLARE, {**PRIVATE, "domain": A}]),
        "internal-name-public-zone",
        "host-claimed-twice",
        id="the name lies in a private zone now",
    ),
    pytest.param(
        _gateway_world(gateway(addresses=["lb.example.net"]), CART),
        _gateway_world(
            gateway(addresses=["one.example.net", "two.example.net"]),
            CART,
            zones=[CLOUDFLARE, {**PRIVATE, "domain": "example.net"}],
        ),
        "internal-name-public-zone",
        "cname-single",
        id="the last target lies in a private zone now",
    ),
    pytest.param(
        _tunnel_world(tunnel(A, dns={"mode": "Zone", "cnameTarget": "lb.corp.test"})),
        _tunnel_world(
            tunnel(A, dns={"mode": "Zone", "cnameTarget": "b.example.com"}),
            tunnel("b.example.com", name="b", dns={"mode": "Zone", "cnameTarget": A}),
            zones=[CLOUDFLARE, {**PRIVATE, "domain": "corp.test"}],
        ),
        "internal-name-public-zone",
        "cname-loop",
        id="the last target, instead of a circle",
    ),
    pytest.param(
        _gateway_world(gateway(addresses=["10.0.0.1"]), CART, zones=[WAS_PRIVATE], clusters=INSIDE),
        _gateway_world(gateway(addresses=["one.example.net", "two.example.net"]), CART),
        "private-address-public-zone",
        "cname-single",
        id="the zone is public now",
    ),
    pytest.param(
        _gateway_world(gateway(addresses=["10.0.0.1", "10.0.0.2"]), CART, zones=[WAS_PRIVATE], clusters=INSIDE),
        _gateway_world(gateway(addresses=["lb.example.net"]), CART),
        "private-address-public-zone",
        "type-transition",
        id="the zone is public now, and two addresses would become a CNAME",
    ),
]


@pytest.mark.parametrize(("before", "after", "rule", "note"), HELD_NO_LONGER)
def test_what_would_be_held_is_withdrawn_once_a_public_zone_must_not_hold_it(
    before: Any, after: Any, rule: str, note: str
) -> None:
    first = _run(before)
    assert first.states[A] == "published"
    second = _run(after, first.memory)
    assert second.outcome[A] == ("withdrawn", rule)
    assert A not in second.records
    assert f"{note}: " in second.reason(A)


def test_nor_does_an_acknowledged_transition_keep_an_address_that_must_not_be_public() -> None:
    inside = _gateway_world(gateway(addresses=["10.0.0.1", "10.0.0.2"]), CART, zones=[WAS_PRIVATE], clusters=INSIDE)
    after = _gateway_world(gateway(addresses=["lb.example.net"]), CART)
    after["settings"]["safety"] = {**FREE, "acknowledge": {"names": [A]}}
    second = _run(after, _run(inside).memory)
    assert second.outcome[A] == ("withdrawn", "private-address-public-zone")
    assert A not in second.records
    assert _run(after, second.memory).records[A] == {"CNAME": ["lb.example.net"]}


@pytest.mark.parametrize(("before", "after", "rule"), WITHDRAWN)
def test_withdrawn(before: Any, after: Any, rule: str) -> None:
    first = _run(before)
    (name,) = first.states.keys() - {KEPT}
    assert first.states == {name: "published", KEPT: "published"}
    second = _run(after, first.memory)
    assert second.outcome[name] == ("withdrawn", rule)
    assert name not in second.records
    third = _run(after, second.memory)
    assert third.states.get(name) in {None, "refused"}
    assert third.records == second.records


HELD = [
    pytest.param(BEFORE, _gateway_world(FRONT, silent(hostnames=[A])), "status-stale", id="no status"),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=[A], parents=[parent(ref(), condition("Unknown"))])),
        "status-stale",
        id="status Unknown",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(FRONT, route(hostnames=[A], generation=2, parents=[parent(ref(), condition(generation=1))])),
        "status-stale",
        id="status of an older generation",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(
            FRONT,
            route(
                hostnames=[A],
                refs=[ref(), ref("edge/none")],
                parents=[parent(ref(), condition()), parent(ref("edge/none"), condition("False"))],
            ),
        ),
        "route-not-accepted",
        id="a sibling parent denies",
    ),
    pytest.param(BEFORE, _gateway_world(gateway(addresses=[]), CART), "no-address", id="addresses gone"),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(addresses=[]), silent(hostnames=[A])),
        "status-stale",
        id="addresses and status gone",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(addresses=["198.51.100.8", "lb.example.net"]), CART),
        "target-mixed-kinds",
        id="addresses mixed",
    ),
    pytest.param(
        BEFORE, _gateway_world(gateway(addresses=["300.1.2.3"]), CART), "target-syntax", id="addresses unparsable"
    ),
    pytest.param(
        _gateway_world(gateway(addresses=[ALB]), route(hostnames=["a.example.org"])),
        _gateway_world(gateway(addresses=["lb.example.net"]), route(hostnames=["a.example.org"])),
        "alias-unknown",
        id="no alias zone",
    ),
    pytest.param(
        BEFORE,
        _gateway_world(gateway(addresses=["one.example.net", "two.example.net"]), CART),
        "cname-single",
        id="several hostname targets",
    ),
    pytest.param(BEFORE, _gateway_world(gateway(addresses=[A]), CART), "cname-self", id="a target that is the name"),
    pytest.param(
        _tunnel_world(tunnel(A)),
        _tunnel_world(tunnel(A, dns={"mode": "Zone", "ttl": 1})),
        "ttl-range",
        id="a TTL outside the provider's range",
    ),
    pytest.param(
        BEFORE,
        {**BEFORE, "settings": settings_of(safety=FREE, zones=[NOBODY])},
        "record-not-allowed-by-zone",
        id="not allowed any more",
    ),
    pytest.param(
        BEFORE,
        {**BEFORE, "settings": settings_of(safety=FREE, zones=[CLOUDFLARE, {**CLOUDFLARE, "zoneId": "z9"}])},
        "zone-ambiguous",
        id="a second zone of one name",
    ),
    pytest.param(
        BEFORE,
        {**BEFORE, "settings": settings_of(safety=FREE, tunnels=[tunnel(A)])},
        "host-claimed-twice",
        id="claimed by a tunnel too",
    ),
    pytest.param(
        _tunnel_world(tunnel(A)),
        _tunnel_world(
            tunnel(A, dns={"mode": "Zone", "cnameTarget": "b.example.com"}),
            tunnel("b.example.com", name="b", dns={"mode": "Zone", "cnameTarget": A}),
        ),
        "cname-loop",
        id="a circle of CNAMEs",
    ),
    pytest.param(
        _gateway_world(gateway(addresses=["198.51.100.7", "198.51.100.8"]), CART),
        _gateway_world(gateway(addresses=["lb.example.net"]), CART),
        "type-transition",
        id="several values to a CNAME",
    ),
]
_ERRORS = {
    "target-mixed-kinds", "target-syntax", "alias-unknown", "cname-single", "cname-self", "ttl-range", "cname-loop",
    "record-not-allowed-by-zone", "zone-ambiguous", "host-claimed-twice", "type-transition",
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "rule"), HELD)
def test_held_with_the_last_values(before: Any, after: Any, rule: str) -> None:
    first = _run(before)
    (name,) = first.states.keys() - {KEPT}
    memory = first.memory
    for _ in range(3):
        again = _run(after, memory)
        assert again.outcome[name] == ("held", rule)
        assert again.records[name] == first.records[name]
        assert again.status == (1 if rule in _ERRORS else 0)
        memory = again.memory
    assert _run(before, memory).outcome[name] == ("published", None)


@pytest.mark.parametrize(("before", "after", "rule"), HELD)
def test_what_is_held_has_no_record_without_its_memory(before: Any, after: Any, rule: str) -> None:
    (name,) = _run(before).states.keys() - {KEPT}
    outcome = _run(after)
    if rule == "type-transition":
        assert outcome.states[name] == "published"
    else:
        assert outcome.states[name] == "refused"
        assert name not in outcome.records


def test_a_held_name_shows_in_its_set_as_retained() -> None:
    held = _run(_gateway_world(gateway(addresses=[]), CART), _run(BEFORE).memory)
    (one,) = (one for one in held.document["endpointRecordSets"] if one["source"]["name"] == "front")
    assert one["hostnames"] == one["retained"] == [A]
    assert one["targets"] == [{"type": "IPAddress", "value": "198.51.100.7"}]


def test_with_addresses_present_a_held_name_gets_the_current_ones() -> None:
    moved = _gateway_world(gateway(addresses=["198.51.100.8"]), silent(hostnames=[A]))
    held = _run(moved, _run(BEFORE).memory)
    assert held.outcome[A] == ("held", "status-stale")
    assert held.records[A] == {"A": ["198.51.100.8"]}


def test_a_name_that_the_route_no_longer_declares_is_not_held() -> None:
    both = _run(_gateway_world(FRONT, route(hostnames=[A, "b.example.com"])))
    after = _run(_gateway_world(FRONT, silent(hostnames=[A])), both.memory)
    assert after.outcome == {
        A: ("held", "status-stale"),
        "b.example.com": ("withdrawn", "not-declared"),
        KEPT: ("published", None),
    }


def test_a_new_name_of_a_stale_route_waits() -> None:
    first = _run(BEFORE)
    after = _run(_gateway_world(FRONT, silent(hostnames=[A, "b.example.com"], generation=2)), first.memory)
    assert after.outcome[A] == ("held", "status-stale")
    assert after.outcome["b.example.com"] == ("refused", "status-stale")
    assert after.status == 0


def test_the_strict_reading_withdraws_a_name_whose_route_was_edited() -> None:
    strict = [{"name": "c1", "staleReceipts": "withdraw"}]
    edited = _gateway_world(FRONT, silent(hostnames=[A], generation=2), clusters=strict)
    assert _run(edited, _run(BEFORE).memory).states[A] == "withdrawn"
    same = _gateway_world(FRONT, silent(hostnames=[A]), clusters=strict)
    assert _run(same, _run(BEFORE).memory).states[A] == "held"


def test_a_listener_edit_with_current_acceptance_does_not_drop_the_name() -> None:
    edited = _gateway_world(gateway(listeners=[listener(port=8443)], generation=2), CART)
    assert _run(edited, _run(BEFORE).memory).outcome[A] == ("published", None)


def test_a_name_once_withdrawn_is_not_held_later() -> None:
    denied = _run(_gateway_world(FRONT, route(hostnames=[A], parents=REJECTED)), _run(BEFORE).memory)
    after = _run(_gateway_world(FRONT, silent(hostnames=[A])), denied.memory)
    assert after.outcome[A] == ("refused", "status-stale")


def test_a_route_namespace_that_was_not_read_stops_the_run() -> None:
    selects = {"namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "a"}}}}
    front = gateway(listeners=[listener(allowedRoutes=selects)])
    read = _gateway_world(front, CART, namespace("team", {"team": "a"}))
    first = _run(read)
    assert first.states[A] == "published"
    with pytest.raises(ObservationFailed, match="team"):
        _run(_gateway_world(front, CART), first.memory)
    relabelled = _gateway_world(front, CART, namespace("team", {"team": "b"}))
    assert _run(relabelled, first.memory).outcome[A] == ("withdrawn", "listener-denies")


def test_a_zone_selector_without_the_namespace_stops_the_run() -> None:
    allowed = {"namespaces": {"selector": "team=a"}, "names": [".*"], "types": ["A"]}
    zones = [{**CLOUDFLARE, "allowedRecordSets": [allowed]}]
    objects = [FRONT, CART]
    with pytest.raises(ObservationFailed, match="team"):
        run(settings_of(zones=zones), *objects)
    labelled = run(settings_of(zones=zones), *objects, namespace("team", {"team": "a"}))
    assert labelled.states == {A: "published"}


def test_the_controller_of_the_class_decides() -> None:
    by_other = parent(ref(), condition(), controller="other.example.net/controller")
    known = gateway_class("edge-class", "example.net/edge-controller")
    after = _gateway_world(FRONT, route(hostnames=[A], parents=[by_other]), known)
    assert _run(after, _run(BEFORE).memory).outcome[A] == ("held", "status-stale")


# --- moves ------------------------------------------------------------------------------------------------------------


def test_a_name_claimed_twice_stays_as_it_was_until_one_claim_is_left() -> None:
    gateway_only = _gateway_world(FRONT, CART)
    both = _gateway_world(FRONT, CART, tunnels=[tunnel(A)])
    tunnel_only = _gateway_world(FRONT, tunnels=[tunnel(A)])
    first = _run(gateway_only)
    second = _run(both, first.memory)
    assert second.outcome[A] == ("held", "host-claimed-twice")
    assert second.source(A) == "Gateway c1:edge/front"
    assert second.records[A] == {"A": ["198.51.100.7"]}
    third = _run(tunnel_only, second.memory)
    assert third.outcome[A] == ("published", None)
    assert third.records[A] == {"CNAME": ["edge-eu.example.net"]}
    back = _run(gateway_only, _run(both, third.memory).memory)
    assert back.records[A] == {"A": ["198.51.100.7"]}


def test_a_move_between_a_tunnel_and_a_gateway_is_never_a_withdrawal() -> None:
    at_tunnel = _gateway_world(FRONT, tunnels=[tunnel(A)])
    at_gateway = _gateway_world(FRONT, CART)
    first = _run(at_tunnel)
    second = _run(at_gateway, first.memory)
    assert second.outcome[A] == ("published", None)
    assert second.source(A) == "Gateway c1:edge/front"
    third = _run(at_tunnel, second.memory)
    assert third.outcome[A] == ("published", None)
    assert third.source(A) == "TowonelTunnel None:shop/web"


def test_a_move_to_a_gateway_that_waits_withdraws_what_nobody_serves() -> None:
    first = _run(_gateway_world(FRONT, tunnels=[tunnel(A)]))
    waits = _run(_gateway_world(FRONT, silent(hostnames=[A])), first.memory)
    assert waits.outcome[A] == ("withdrawn", "status-stale")


def test_a_more_specific_zone_takes_the_name_over() -> None:
    name = "a.sub.example.com"
    sub = {**ROUTE53, "domain": "sub.example.com"}
    settings = settings_of(tunnels=[tunnel(name)])
    first = run(settings)
    second = run({**settings, "zones": [CLOUDFLARE, sub]}, memory=first.memory)
    assert [one["zone"] for one in first.document["records"]] == ["example.com"]
    assert [one["zone"] for one in second.document["records"]] == ["sub.example.com"]
    assert second.outcome == {name: ("published", None)}
    (remembered,) = second.memory["sets"]["towonel.shop.web"]["published"][name]
    assert remembered["rrset"]["zone_id"] == "Z2"


def test_what_the_more_specific_zone_does_not_allow_stays_where_it_is() -> None:
    name = "a.sub.example.com"
    sub = {**ROUTE53, "domain": "sub.example.com", "allowedRecordSets": []}
    settings = settings_of(tunnels=[tunnel(name)])
    second = run({**settings, "zones": [CLOUDFLARE, sub]}, memory=run(settings).memory)
    assert second.outcome == {name: ("held", "record-not-allowed-by-zone")}
    assert [one["zone"] for one in second.document["records"]] == ["example.com"]


def test_nothing_is_held_in_a_zone_that_left_the_settings() -> None:
    settings = settings_of(zones=[CLOUDFLARE], tunnels=[tunnel(A), tunnel("b.example.org", name="b")], safety=FREE)
    first = run({**settings, "zones": [CLOUDFLARE, ROUTE53]})
    others = [{**CLOUDFLARE, "zoneId": "z8"}, {**CLOUDFLARE, "zoneId": "z9"}, ROUTE53]
    second = run({**settings, "zones": others}, memory=first.memory)
    assert second.outcome[A] == ("withdrawn", "zone-ambiguous")
    assert A not in second.records


def test_each_visibility_of_a_name_is_accounted_for() -> None:
    zones = [CLOUDFLARE, {**ROUTE53, "domain": "example.com", "visibility": "private"}]
    public, private = tunnel(A), tunnel(A, name="inside", visibility="private")
    first = run(settings_of(zones=zones, tunnels=[public, private]))
    assert [one["state"] for one in first.document["hostnames"]] == ["published", "published"]
    second = run(settings_of(zones=zones, tunnels=[private], safety=FREE), memory=first.memory)
    assert [(one["source"]["name"], one["state"]) for one in second.document["hostnames"]] == [
        ("inside", "published"),
        ("web", "withdrawn"),
    ]
    third = run(settings_of(zones=zones[:1], tunnels=[public, private], safety=FREE), memory=first.memory)
    assert [(one["source"]["name"], one["state"], one["rule"]) for one in third.document["hostnames"]] == [
        ("inside", "withdrawn", "zone-none"),
        ("web", "published", None),
    ]


# --- type transitions -------------------------------------------------------------------------------------------------


def test_several_values_become_a_cname_in_two_acknowledged_runs() -> None:
    before = _gateway_world(gateway(addresses=["198.51.100.7", "198.51.100.8"]), CART)
    after = _gateway_world(gateway(addresses=["lb.example.net"]), CART)
    first = _run(before)
    refused = _run(after, first.memory)
    assert refused.outcome[A] == ("held", "type-transition")
    assert "safety.acknowledge.names" in refused.reason(A)
    assert refused.status == 1
    acknowledged = {**after, "settings": settings_of(safety={**FREE, "acknowledge": {"names": [A]}})}
    second = _run(acknowledged, refused.memory)
    assert second.outcome[A] == ("held", "type-transition")
    assert len(second.records[A]["A"]) == 1
    assert second.status == 0
    third = _run(after, second.memory)
    assert third.outcome[A] == ("published", None)
    assert third.records[A] == {"CNAME": ["lb.example.net"]}


@pytest.mark.parametrize("zone", ["example.com", "example.org"])
def test_one_value_changes_its_type_in_one_run(zone: str) -> None:
    name = f"a.{zone}"
    cname = [{"name": "c1", "recordType": "CNAME"}]
    before = _gateway_world(FRONT, route(hostnames=[name]), clusters=cname)
    after = _gateway_world(gateway(addresses=["lb.example.net"]), route(hostnames=[name]), clusters=cname)
    second = _run(after, _run(before).memory)
    assert second.outcome[name] == ("published", None)
    assert second.records[name] == {"CNAME": ["lb.example.net"]}
    third = _run(before, second.memory)
    assert third.records[name] == {"A": ["198.51.100.7"]}


def test_a_value_stays_in_its_slot_while_siblings_come_and_go() -> None:
    def slots(outcome: Run) -> dict[str, str]:
        (records,) = (one["published"][A] for one in outcome.memory["sets"].values() if A in one["published"])
        return {record["rrset"]["values"][0]: record["slot"] for record in records}

    def world(*addresses: str) -> Any:
        return _gateway_world(gateway(addresses=addresses), CART)

    first = _run(world("198.51.100.7"))
    second = _run(world("198.51.100.7", "198.51.100.1"), first.memory)
    assert slots(second)["198.51.100.7"] == slots(first)["198.51.100.7"] == f"z1/{A}"
    third = _run(world("198.51.100.1"), second.memory)
    assert slots(third) == {"198.51.100.1": slots(second)["198.51.100.1"]} or slots(third) == {
        "198.51.100.1": f"z1/{A}"
    }
    assert _run(world("198.51.100.1"), third.memory).records == third.records


# --- the guard --------------------------------------------------------------------------------------------------------

MANY = tuple(f"n{index}.example.com" for index in range(10))


def _many(hostnames: Any, safety: Any = None, **more: Any) -> Any:
    return settings_of(tunnels=[tunnel(*hostnames, **more)], safety=safety or {})


@pytest.mark.parametrize(
    ("safety", "passes"),
    [
        pytest.param({}, False, id="as it is"),
        pytest.param({"acknowledge": {"count": 4}}, True, id="by count"),
        pytest.param({"acknowledge": {"count": 3}}, False, id="by another count"),
        pytest.param({"acknowledge": {"names": list(MANY[:4])}}, True, id="by names"),
        pytest.param({"acknowledge": {"names": list(MANY[:3])}}, False, id="by fewer names"),
        pytest.param({"maxWithdraw": 0.4}, True, id="within a higher limit"),
        pytest.param({"minRecords": 11}, True, id="below the number of records that counts"),
        pytest.param({"withdraw": "free"}, True, id="without limits"),
    ],
)
def test_mass_withdrawal_stops_the_run_until_it_is_acknowledged(safety: Any, passes: bool) -> None:
    first = run(_many(MANY))
    second = run(_many(MANY[4:], safety), memory=first.memory)
    assert second.stops == ([] if passes else ["mass-delete"])
    assert second.status == (0 if passes else 2)
    assert (second.memory == first.memory) is not passes


def test_three_of_ten_withdrawals_are_no_mass() -> None:
    assert run(_many(MANY[3:]), memory=run(_many(MANY)).memory).stops == []


@pytest.mark.parametrize(
    ("safety", "passes"),
    [
        pytest.param({}, False, id="as it is"),
        pytest.param({"acknowledge": {"count": 10}}, True, id="by count"),
        pytest.param({"acknowledge": {"names": list(MANY)}}, True, id="by names"),
        pytest.param({"maxUpdate": 1}, True, id="within a higher limit"),
        pytest.param({"withdraw": "free"}, False, id="free withdrawals do not free updates"),
    ],
)
def test_mass_update_stops_the_run_until_it_is_acknowledged(safety: Any, passes: bool) -> None:
    first = run(_many(MANY))
    second = run(_many(MANY, safety, region="US"), memory=first.memory)
    assert second.stops == ([] if passes else ["mass-update"])
    assert (second.memory == first.memory) is not passes


@pytest.mark.parametrize(
    ("safety", "passes"),
    [
        pytest.param({}, False, id="as it is"),
        pytest.param({"withdraw": "free"}, False, id="free withdrawals do not allow it"),
        pytest.param({"acknowledge": {"count": 2}}, True, id="by count"),
        pytest.param({"acknowledge": {"names": list(MANY[:2])}}, True, id="by names"),
        pytest.param({"acknowledge": {"names": [MANY[0]]}}, False, id="by one name"),
    ],
)
@pytest.mark.parametrize(
    "after", [{"tunnels": []}, {"tunnels": [tunnel(*MANY[:2], dns={"mode": "Disabled"})]}], ids=["gone", "disabled"]
)
def test_nothing_left_stops_the_run_until_it_is_acknowledged(after: Any, safety: Any, passes: bool) -> None:
    first = run(_many(MANY[:2]))
    second = run(settings_of(safety=safety, **after), memory=first.memory)
    assert second.stops == ([] if passes else ["empty-desired"])
    assert second.memory["sets"] == ({} if passes else first.memory["sets"])


def test_a_settings_file_without_zones_stops_the_run() -> None:
    first = run(_many(MANY[:2]))
    assert run({**_many(MANY[:2]), "zones": []}, memory=first.memory).stops == ["empty-desired"]


@pytest.mark.parametrize("left", [[FRONT], [CART]], ids=["no route", "no Gateway"])
def test_a_cluster_that_lists_nothing_any_more_stops_the_run(left: Any) -> None:
    settings = settings_of(tunnels=[tunnel(KEPT)])
    first = run(settings, FRONT, CART)
    second = run(settings, *left, memory=first.memory)
    assert second.stops == ["empty-desired"]
    acknowledged = {**settings, "safety": {"acknowledge": {"names": [A]}}}
    assert run(acknowledged, *left, memory=first.memory).states == {A: "withdrawn", KEPT: "published"}


def test_a_cluster_that_left_the_settings_is_no_accident() -> None:
    settings = settings_of(tunnels=[tunnel(KEPT)])
    second = run(settings, memory=run(settings, FRONT, CART).memory)
    assert second.stops == []
    assert second.outcome == {A: ("withdrawn", "not-declared"), KEPT: ("published", None)}


@pytest.mark.parametrize(
    "safety",
    [
        pytest.param({"withdraw": "never"}, id="no withdrawal at all"),
        pytest.param({"protect": [MANY[0].upper()]}, id="a protected name"),
        pytest.param({"withdraw": "never", "acknowledge": {"names": [MANY[0]]}}, id="not by an acknowledgement"),
    ],
)
def test_a_forbidden_withdrawal_stops_the_run(safety: Any) -> None:
    first = run(_many(MANY))
    second = run(_many(MANY[1:], safety), memory=first.memory)
    assert second.stops == ["delete-forbidden"]
    assert second.memory == first.memory


@pytest.mark.parametrize(("name", "stops"), [("a.example.com", ["delete-forbidden"]), ("a.example.org", [])])
def test_without_withdrawals_a_type_change_is_refused_where_it_needs_a_delete(name: str, stops: list[str]) -> None:
    clusters = [{"name": "c1", "recordType": "CNAME"}]
    settings = settings_of(safety={"withdraw": "never"}, clusters=clusters)
    first = run(settings, FRONT, route(hostnames=[name]))
    second = run(settings, gateway(addresses=["lb.example.net"]), route(hostnames=[name]), memory=first.memory)
    assert second.stops == stops


def test_a_stop_says_which_names_and_how_to_go_on() -> None:
    second = run(_many(MANY[4:]), memory=run(_many(MANY)).memory)
    (error,) = second.document["errors"]
    assert error["path"] == "edge-dns:safety"
    assert all(name in error["message"] for name in MANY[:4])
    assert "safety.acknowledge.count to 4" in error["message"]
    assert "40.00 %" in error["message"]


# --- the memory -------------------------------------------------------------------------------------------------------

Damage = Callable[[Json], object]


def _one_set(memory: Json) -> Json:
    found: Json = next(iter(memory["sets"].values()))
    return found


DAMAGES: list[tuple[str, Damage]] = [
    ("no object", lambda _: ["memory"]),
    ("nothing", lambda _: "null"),
    ("no version", lambda memory: {key: value for key, value in memory.items() if key != "version"}),
    ("another version", lambda memory: {**memory, "version": 2}),
    ("no sets", lambda memory: {key: value for key, value in memory.items() if key != "sets"}),
    ("an unknown key", lambda memory: {**memory, "more": 1}),
    ("sets of another kind", lambda memory: {**memory, "sets": []}),
    ("an unknown key in a set", lambda memory: _one_set(memory).update(more=1) or memory),
    ("a set without its source", lambda memory: _one_set(memory).pop("source") and memory),
    ("a receipt with a blank", lambda memory: _one_set(memory)["receipts"][0].update(route_uid="") or memory),
    ("a receipt of no generation", lambda memory: _one_set(memory)["receipts"][0].update(route_generation=0) or memory),
    ("a name without records", lambda memory: _one_set(memory)["published"].update({A: []}) or memory),
    (
        "a record without values",
        lambda memory: _one_set(memory)["published"][A][0]["rrset"].update(values=[]) or memory,
    ),
    (
        "a record type that is none",
        lambda memory: _one_set(memory)["published"][A][0]["rrset"].update(type="MX") or memory,
    ),
]


@pytest.mark.parametrize("damage", [damage for _, damage in DAMAGES], ids=[name for name, _ in DAMAGES])
def test_a_broken_memory_is_never_no_memory(damage: Damage) -> None:
    memory = run(settings_of(), FRONT, CART).memory
    with pytest.raises(ObservationFailed):
        run(settings_of(), FRONT, CART, memory=damage(memory))


def test_the_second_run_prints_the_same() -> None:
    hub = [invite(KEPT)]
    settings = settings_of(tunnels=[tunnel(KEPT, "bad_name.example.com", "x.example.net")])
    first = run(settings, FRONT, CART, hub=hub)
    assert run(settings, FRONT, CART, hub=hub, memory=first.memory).text == first.text
