"""Hostnames of ListenerSets, GRPCRoutes and TLSRoutes: a line for each, and never a record."""

from typing import Any

import pytest

from tests.unit.admission.objects import GROUP, Object, gateway, route, silent
from tests.unit.plan.world import Run, run, settings_of, tunnel

NAME = "grpc.example.com"


def other(kind: str, *hostnames: str, name: str = "team/x") -> Object:
    space, _, short = name.partition("/")
    listeners = [{"name": f"l{index}", "hostname": hostname} for index, hostname in enumerate(hostnames)]
    group = "gateway.networking.x-k8s.io" if kind.startswith("X") else GROUP
    spec = {"listeners": listeners} if kind.endswith("ListenerSet") else {"hostnames": list(hostnames)}
    return {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"namespace": space, "name": short, "uid": "x", "generation": 1},
        "spec": spec,
    }


def plan(*objects: Object, **more: Any) -> Run:
    return run(settings_of(), *objects, **more)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("GRPCRoute", "GRPCRoute"),
        ("TLSRoute", "TLSRoute"),
        ("ListenerSet", "ListenerSet"),
        ("XListenerSet", "ListenerSet"),
    ],
)
def test_each_hostname_of_an_object_that_is_not_supported_has_a_line_and_no_record(kind: str, source: str) -> None:
    outcome = plan(gateway(), other(kind, "GRPC.Example.com.", "*.example.com"))
    assert outcome.outcome == {
        "*.example.com": ("refused", "not-supported"),
        NAME: ("refused", "not-supported"),
    }
    assert outcome.source(NAME) == f"{source} c1:team/x"
    assert outcome.reason(NAME) == f"{kind} team/x names it, but only the hostnames of HTTPRoutes are published"
    assert outcome.records == {}
    assert outcome.status == 0


def test_a_malformed_name_of_it_is_shown_as_written_and_fails_nothing() -> None:
    outcome = plan(gateway(), other("GRPCRoute", "Not_A_Name"))
    assert outcome.outcome == {"not_a_name": ("refused", "not-supported")}
    assert outcome.status == 0


@pytest.mark.parametrize("kind", ["GRPCRoute", "TLSRoute", "ListenerSet"])
def test_a_name_that_an_httproute_claims_too_stays_published_and_its_note_tells_the_other(kind: str) -> None:
    outcome = plan(gateway(), route(hostnames=[NAME]), other(kind, NAME))
    assert outcome.outcome == {NAME: ("published", None)}
    assert f"{kind} c1:team/x: not-supported" in outcome.reason(NAME)


def test_a_name_that_a_tunnel_claims_too_stays_published() -> None:
    outcome = run(settings_of(tunnels=[tunnel(NAME)]), gateway(), other("GRPCRoute", NAME))
    assert outcome.states == {NAME: "published"}


def test_what_an_httproute_waits_for_is_told_before_what_is_not_supported() -> None:
    outcome = plan(gateway(), silent(hostnames=[NAME]), other("GRPCRoute", NAME))
    assert outcome.rules == {NAME: "status-stale"}


def test_a_published_name_that_moves_to_a_route_that_is_not_supported_is_withdrawn() -> None:
    keep = route("team/keep", uid="rt-2", hostnames=["keep.example.com"])
    first = run(settings_of(safety={"withdraw": "free"}), gateway(), keep, route(hostnames=[NAME]))
    after = run(
        settings_of(safety={"withdraw": "free"}), gateway(), keep, other("GRPCRoute", NAME), memory=first.memory
    )
    assert after.outcome[NAME] == ("withdrawn", "not-supported")
    assert after.states["keep.example.com"] == "published"


def test_routes_of_other_namespaces_than_the_selected_have_no_line() -> None:
    settings = settings_of(clusters=[{"name": "c1", "routes": {"namespaces": ["ops"]}}])
    outcome = run(settings, gateway(), other("GRPCRoute", NAME), other("TLSRoute", "tls.example.com", name="ops/y"))
    assert list(outcome.states) == ["tls.example.com"]
