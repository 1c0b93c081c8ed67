"""A renamed tunnel: `aliases` hands it the memory of its former identity."""

from typing import Any

import pytest

from tests.unit.admission.objects import gateway, route, silent
from tests.unit.plan.world import FREE, invite, run, settings_of, tunnel

HELD = [invite("a.example.com", invite_id="inv-a", name="shop/old")]


def before(**more: Any) -> Any:
    return run(settings_of(tunnels=[tunnel("a.example.com", name="old", **more)], safety=FREE), hub=HELD).memory


@pytest.mark.parametrize(
    "renamed",
    [
        pytest.param({"name": "new"}, id="name"),
        pytest.param({"name": "old", "namespace": "web"}, id="namespace"),
        pytest.param({"name": "new", "namespace": "web"}, id="both"),
    ],
)
@pytest.mark.parametrize("hub", [HELD, None], ids=["hub read", "hub not read"])
def test_a_renamed_tunnel_keeps_its_invite_and_its_published_names(renamed: Any, hub: Any) -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", aliases=["shop/old"], **renamed)], safety=FREE)
    outcome = run(settings, hub=hub, memory=before())
    assert outcome.outcome == {"a.example.com": ("published", None)}
    key = f"{renamed.get('namespace', 'shop')}/{renamed['name']}"
    assert {name: one["invite_id"] for name, one in outcome.memory["invites"].items()} == {key: "inv-a"}
    assert run(settings, hub=hub, memory=outcome.memory).document == outcome.document


def test_what_the_former_identity_published_is_held_under_the_new_one() -> None:
    dns = {"mode": "Zone", "ttl": 10}
    settings = settings_of(tunnels=[tunnel("a.example.com", name="new", aliases=["shop/old"], dns=dns)], safety=FREE)
    outcome = run(settings, hub=HELD, memory=before())
    assert outcome.outcome == {"a.example.com": ("held", "ttl-range")}
    assert outcome.source("a.example.com") == "TowonelTunnel None:shop/new"


def test_a_memory_of_its_own_counts_more_than_that_of_a_former_identity() -> None:
    memory = before()
    memory["invites"]["shop/new"] = {**memory["invites"]["shop/old"], "invite_id": "inv-n"}
    hub = [*HELD, invite("b.example.com", invite_id="inv-n", name="shop/new")]
    settings = settings_of(tunnels=[tunnel("b.example.com", name="new", aliases=["shop/old"])], safety=FREE)
    assert run(settings, hub=hub, memory=memory).memory["invites"]["shop/new"]["invite_id"] == "inv-n"


def test_without_memory_the_invite_is_found_by_a_former_name() -> None:
    outcome = run(settings_of(tunnels=[tunnel("a.example.com", name="new", aliases=["shop/old"])]), hub=HELD)
    assert outcome.outcome == {"a.example.com": ("published", None)}


def test_an_invite_that_the_key_does_not_show_stops_the_run_under_the_new_name_too() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", name="new", aliases=["shop/old"])])
    assert run(settings, hub=[], memory=before()).stops == ["empty-desired", "hub-account"]


@pytest.mark.parametrize("uid", ["gw-1", "gw-2"])
def test_a_renamed_cluster_is_known_by_its_gateways_so_that_receipts_still_hold(uid: str) -> None:
    def outcome(cluster: str, found: Any, memory: Any, uid: str = "gw-1") -> Any:
        return run(settings_of(safety=FREE), clusters={cluster: [gateway(uid=uid), found]}, memory=memory)

    first = outcome("c1", route(hostnames=["a.example.com"]), None)
    assert first.outcome == {"a.example.com": ("published", None)}
    renamed = outcome("c2", silent(hostnames=["a.example.com"]), first.memory, uid)
    known = uid == "gw-1"
    assert renamed.outcome == {"a.example.com": ("held", "status-stale") if known else ("withdrawn", "status-stale")}
