"""A cluster that holds agents is not renamed by the way: the run stops before the engine deletes them."""

from typing import Any

import pytest

from edge_dns.core.resource_types import TUNNEL_AGENT
from edge_dns.observe.own_state import memory_of
from tests.unit.plan.world import CLOUDFLARE, FREE, Json, Run, invite, run, tunnel

NAME = "app.example.com"
OLD, NEW = ({"name": name, "kubeconfig": "k", "gateways": False} for name in ("old", "new"))


def _plan(*clusters: Json, agents: list[Json] | None = None, memory: object = None, **more: Any) -> Run:
    one = tunnel(NAME, agents=[{"name": "agent"}] if agents is None else agents, **more)
    settings = {"zones": [CLOUDFLARE], "edgeTargets": {"EU": "edge-eu.example.net"}, "safety": FREE}
    given = {**settings, "hub": {"url": "https://hub.test"}, "clusters": list(clusters), "tunnels": [one]}
    return run(given, clusters={str(each["name"]): [] for each in clusters}, hub=[invite(NAME)], memory=memory)


def test_a_renamed_cluster_with_agents_stops_the_run_and_says_what_to_do() -> None:
    first = _plan(OLD)
    assert first.memory["agents"] == ["old/shop/agent"]
    renamed = _plan(NEW, memory=first.memory)
    assert (renamed.status, renamed.stops, renamed.memory) == (2, ["agent-identity"], first.memory)
    (told,) = renamed.document["errors"]
    text = " ".join(told["message"].split())
    assert "the state knows agent new/shop/agent of tunnel shop/web as old/shop/agent" in text
    assert "name the cluster old again; or take its agents out of the tunnels, update, and enter them again" in text
    assert NAME in text


@pytest.mark.parametrize(
    ("clusters", "more"),
    [
        pytest.param([OLD], {}, id="nothing is renamed"),
        pytest.param([NEW], {"agents": []}, id="the agents are taken out first"),
        pytest.param([OLD, NEW], {"agents": [{"name": "agent", "cluster": "new"}]}, id="they move to another cluster"),
        pytest.param([NEW], {"agents": [{"name": "other"}]}, id="another agent in another cluster"),
        pytest.param([NEW], {"agents": [{"name": "agent", "namespace": "edge"}]}, id="in another namespace"),
    ],
)
def test_what_goes_or_moves_on_purpose_stops_nothing(clusters: list[Json], more: Json) -> None:
    first = _plan(OLD)
    assert _plan(*clusters, memory=first.memory, **more).stops == []


def test_the_agents_of_a_state_are_known_by_their_names() -> None:
    urns = [f"urn:pulumi:prod::edge-dns::{TUNNEL_AGENT}::{name}" for name in ("b/shop/web", "a/shop/web")]
    assert memory_of({urn: {} for urn in urns}).agents == ("a/shop/web", "b/shop/web")
