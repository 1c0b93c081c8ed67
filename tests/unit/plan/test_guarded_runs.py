"""The guard over whole runs: a mistake is named by its cause, and an acknowledgement by what it lets through."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.admission.objects import gateway, route
from tests.unit.plan.world import EDGE_TARGETS, Json, Run, run, settings_of, tunnel

NAMES = [f"app-{number:02}.example.com" for number in range(12)]
OBJECTS = [gateway(addresses=["8.8.8.8"]), route(hostnames=NAMES)]
CLUSTER = {"name": "c1"}


def _told(outcome: Run) -> str:
    return " ".join(" ".join(one["message"] for one in outcome.document["errors"]).split())


def _tunnel_run(**settings: Any) -> Run:
    first = run(settings_of(tunnels=[tunnel(*NAMES)]))
    return run(settings_of(**{"tunnels": [tunnel(*NAMES)], **settings}), memory=first.memory)


def _gateway_run(*objects: Json, other: bool = True, **cluster: Any) -> Run:
    """A run with another cluster beside, so that not everything is empty."""
    first = run(settings_of(clusters=[CLUSTER]), clusters={"c1": OBJECTS})
    beside = {"c2": [gateway("infra/two", uid="two", addresses=["8.8.4.4"])]} if other else {}
    settings = settings_of(clusters=[{**CLUSTER, **cluster}, *({"name": name} for name in beside)])
    return run(settings, clusters={"c1": objects or OBJECTS, **beside}, memory=first.memory)


MISTAKES: dict[str, tuple[Callable[[], Run], str]] = {
    "the region of the edge target": (
        lambda: _tunnel_run(edgeTargets={"EO": EDGE_TARGETS["EU"]}),
        "12 x edge-target-unknown: edgeTargets has no entry for region EU (known: EO)",
    ),
    "the domain of the zone": (
        lambda: _tunnel_run(zones=[{"domain": "example.con", "provider": "cloudflare", "zoneId": "z1"}]),
        "12 x zone-none: no zone of the settings is a suffix of it (example.con)",
    ),
    "the tunnel left out": (
        lambda: _tunnel_run(tunnels=[]),
        "12 x not-declared: TowonelTunnel shop/web is no longer in the settings",
    ),
    "the hostnames left out": (
        lambda: _tunnel_run(tunnels=[tunnel()]),
        "12 x not-declared: TowonelTunnel shop/web no longer declares it",
    ),
    "a selector of Gateways": (
        lambda: _gateway_run(select={"names": ["frnt"]}),
        "12 x not-declared: `select` of cluster c1 leaves out Gateway edge/front",
    ),
    "a selector of routes": (
        lambda: _gateway_run(routes={"namespaces": ["shpo"]}),
        "12 x not-declared: `routes` of cluster c1 leaves its route out",
    ),
    "the objects of another cluster": (
        lambda: _gateway_run(gateway("edge/other", uid="o"), route("x/y", uid="r", hostnames=["y.example.com"])),
        "12 x not-declared: Gateway c1:edge/front no longer exists",
    ),
    "the cluster left out": (
        lambda: run(
            settings_of(tunnels=[tunnel("t.example.com")]),
            memory=run(settings_of(clusters=[CLUSTER]), clusters={"c1": OBJECTS}).memory,
        ),
        "12 x not-declared: cluster c1 is no longer in the settings",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_mistake_is_one_cause_with_its_number(mistake: str) -> None:
    make, cause = MISTAKES[mistake]
    outcome = make()
    assert outcome.status == 2
    assert cause in _told(outcome)
    assert _told(outcome).index(cause) < _told(outcome).index("safety.acknowledge")


def test_an_edge_target_that_is_mistyped_shows_as_a_change_of_all() -> None:
    outcome = _tunnel_run(edgeTargets={"EU": "edge-eu.exmaple.net"})
    assert outcome.stops == ["mass-update"]
    old, new = f"CNAME {EDGE_TARGETS['EU']} (ttl auto)", "CNAME edge-eu.exmaple.net (ttl auto)"
    assert f"12 x {old} becomes {new}" in _told(outcome)


def test_a_zone_that_left_the_settings_is_told_by_its_domain_and_id() -> None:
    outcome = _tunnel_run(
        tunnels=[tunnel(*NAMES), tunnel("kept.example.org", name="kept")],
        zones=[{"domain": "example.org", "provider": "route53", "zoneId": "Z2"}],
    )
    assert outcome.stops == ["mass-delete"]
    assert "zone example.com (z1), which left the settings: 12 of 12 own records" in _told(outcome)


def test_the_numbers_of_a_zone_are_in_the_document() -> None:
    outcome = _tunnel_run(tunnels=[tunnel(*NAMES[3:])])
    (zone,) = outcome.document["zones"]
    assert (zone["own"], zone["withdrawn"], zone["withdrawnShare"], zone["changed"]) == (9, 3, 0.25, 0)


@pytest.mark.parametrize("acknowledge", [{"count": 12}, {"names": NAMES}], ids=["count", "names"])
def test_an_acknowledgement_that_is_needed_warns_of_nothing_and_one_that_is_left_in_is_told(
    acknowledge: dict[str, Any],
) -> None:
    safety = {"acknowledge": acknowledge}
    kept = [tunnel("kept.example.org", name="kept")]
    gone = _tunnel_run(tunnels=kept, safety=safety)
    assert (gone.status, gone.document["warnings"]) == (0, [])
    after = run(settings_of(tunnels=kept, safety=safety), memory=gone.memory)
    (warning,) = after.document["warnings"]
    assert warning["path"] == "edge-dns:safety.acknowledge"
    assert "pulumi config rm" in warning["message"]
    assert after.status == 0


def test_a_name_that_is_acknowledged_for_a_change_of_type_is_no_left_over() -> None:
    def to(*addresses: str, safety: Json, memory: object = None) -> Run:
        return run(settings_of(safety=safety), gateway(addresses=addresses), route(hostnames=NAMES[:1]), memory=memory)

    safety = {"acknowledge": {"names": NAMES[:1]}}
    first = to("8.8.8.8", "8.8.4.4", safety={})
    second = to("lb.example.net", safety=safety, memory=first.memory)
    assert (second.rules, second.document["warnings"]) == ({NAMES[0]: "type-transition"}, [])
    third = to("lb.example.net", safety=safety, memory=second.memory)
    assert third.rules == {NAMES[0]: None}
    assert len(third.document["warnings"]) == 1
