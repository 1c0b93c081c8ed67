"""`clusters[].targets`: the names of a Gateway point at an edge target, whatever its status says."""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.unit.admission.objects import Object, condition, gateway, parent, ref, route, silent
from tests.unit.plan.world import CLOUDFLARE, FREE, Json, Run, invite, run, settings_of, tunnel

NAME = "a.example.com"
EDGE = {"CNAME": ["edge-eu.example.net"]}


def plan(
    *objects: Object, region: str = "eu", memory: object = None, invites: Iterable[Json] | None = None, **more: Any
) -> Run:
    cluster = {"name": "c1", "targets": [{"namespace": "edge", "name": "front", "region": region}]}
    return run(settings_of(clusters=[cluster], safety=FREE, **more), *objects, memory=memory, hub=invites)


MIXED = ("198.51.100.7", "lb.example.net")


@pytest.mark.parametrize("addresses", [("198.51.100.7",), (), MIXED], ids=["addresses", "none", "of mixed kinds"])
def test_the_names_of_the_gateway_are_cnames_of_its_edge_target(addresses: tuple[str, ...]) -> None:
    outcome = plan(gateway(addresses=addresses), route(hostnames=[NAME, "b.example.org"]))
    assert outcome.outcome == {NAME: ("published", None), "b.example.org": ("published", None)}
    assert outcome.records == {NAME: EDGE, "b.example.org": EDGE}
    (shown,) = outcome.document["endpointRecordSets"]
    assert shown["targets"] == [{"type": "Hostname", "value": "edge-eu.example.net"}]


def test_other_gateways_keep_the_addresses_of_their_status() -> None:
    other = gateway("edge/back", uid="gw-2")
    names = route("team/b", uid="rt-2", hostnames=["b.example.com"], refs=[ref("edge/back")])
    outcome = plan(gateway(), other, route(hostnames=[NAME]), names)
    assert outcome.records == {NAME: EDGE, "b.example.com": {"A": ["198.51.100.7"]}}


def test_a_proxied_zone_does_not_proxy_what_the_edge_serves() -> None:
    outcome = plan(gateway(), route(hostnames=[NAME]), zones=[{**CLOUDFLARE, "proxied": True}])
    assert [one["proxied"] for one in outcome.document["records"]] == [False]


def test_a_tunnel_and_a_gateway_at_the_same_edge_want_the_same_record() -> None:
    outcome = plan(gateway(), route(hostnames=[NAME]), tunnels=[tunnel(NAME)])
    assert outcome.outcome == {NAME: ("published", None)}
    assert outcome.records == {NAME: EDGE}


def test_a_name_that_the_hub_refuses_to_a_tunnel_is_not_published_by_a_gateway_at_the_same_edge() -> None:
    taken = invite(NAME, invite_id="inv-9", name="other/web")
    outcome = plan(gateway(), route(hostnames=[NAME]), tunnels=[tunnel(NAME)], invites=[taken])
    assert outcome.outcome == {NAME: ("refused", "host-taken")}
    assert outcome.records == {}


def test_the_edge_target_admits_nothing_by_itself() -> None:
    assert plan(gateway(), silent(hostnames=[NAME])).outcome == {NAME: ("refused", "status-stale")}
    assert plan(gateway(accepted=condition("False")), route(hostnames=[NAME])).rules == {NAME: "gateway-rejected"}
    assert plan(silent(hostnames=[NAME])).records == {}


def test_a_name_held_on_its_receipt_follows_the_edge_target() -> None:
    first = plan(gateway(addresses=()), route(hostnames=[NAME]))
    waiting = plan(gateway(addresses=()), silent(hostnames=[NAME]), memory=first.memory)
    assert waiting.outcome == {NAME: ("held", "status-stale")}
    moved = plan(gateway(addresses=()), silent(hostnames=[NAME]), region="US", memory=first.memory)
    assert moved.records == {NAME: {"CNAME": ["edge-us.example.net"]}}
    denied = route(hostnames=[NAME], parents=[parent(ref(), condition("False"))])
    assert plan(gateway(), denied, memory=first.memory).outcome == {NAME: ("withdrawn", "route-rejected")}


def test_an_edge_target_that_changes_moves_every_record_of_the_gateway() -> None:
    first = plan(gateway(), route(hostnames=[NAME]))
    moved = plan(gateway(), route(hostnames=[NAME]), region="US", memory=first.memory)
    assert moved.records == {NAME: {"CNAME": ["edge-us.example.net"]}}


def test_the_defaults_of_the_public_hub_count() -> None:
    outcome = plan(gateway(), route(hostnames=[NAME]), region="ca", hub={"url": "https://hub.towonel.dev/"})
    assert outcome.records == {NAME: {"CNAME": ["edge-na.towonel.dev"]}}
