"""What becomes of records when Gateways and routes change on a real API server, each time with the real engine."""

from collections.abc import Mapping

import pytest

from tests.cluster.objects import Object, Scene, gateway
from tests.engine.conftest import World

SHOP = {("shop.example.com", "A", "203.0.113.7"), ("shop.example.org", "A", "203.0.113.7")}
KEEPER = {("keeper.example.com", "A", "203.0.113.99")}
"""Published by a Gateway of its own throughout: losing everything at once would stop the run."""
ALL_NAMES = ["shop.example.com", "shop.example.org"]


@pytest.fixture
def story(scene: Scene, world: World) -> Scene:
    """The scene with Gateway `keeper`, read by a stack that publishes it."""
    scene.gateway("keeper", "203.0.113.99")
    scene.accepted_route("keeper", ["keeper.example.com"], to="keeper")
    world.configure(clusters=[{"name": "prod", "kubeconfig": str(scene.kube.kubeconfig()), "context": "local"}])
    return scene


def up(world: World) -> None:
    """Update at once: what an update previews first is not looked at here."""
    world.up("--skip-preview")


def publish_shop(story: Scene, world: World) -> tuple[Object, Object]:
    """Publish route `shop` of Gateway `front`; returns both."""
    front = story.gateway("front", "203.0.113.7")
    shop = story.accepted_route("shop", ALL_NAMES, to="front")
    up(world)
    assert world.published() == SHOP | KEEPER
    return front, shop


def test_losing_sight_changes_nothing_and_a_denial_withdraws(story: Scene, world: World) -> None:
    front, shop = publish_shop(story, world)
    world.assert_settled()

    story.route_status(shop, None)
    world.assert_settled()
    story.route_status(shop)
    story.gateway_status(front)
    world.assert_settled()
    story.route_status(shop, None)
    world.assert_settled()

    story.gateway_status(front, "203.0.113.7")
    story.route_status(shop, "False")
    up(world)
    assert world.published() == KEEPER
    world.assert_settled()


def test_a_gateway_of_the_same_name_inherits_nothing(story: Scene, world: World) -> None:
    front, _ = publish_shop(story, world)

    story.kube.delete(front)
    again = story.gateway("front")
    assert again["metadata"]["uid"] != front["metadata"]["uid"]
    up(world)
    assert world.published() == KEEPER

    story.gateway_status(again, "203.0.113.8")
    up(world)
    assert world.published() == KEEPER | {(name, "A", "203.0.113.8") for name in ALL_NAMES}
    world.assert_settled()


def test_a_gateway_that_is_made_anew_with_other_addresses_moves_its_records(story: Scene, world: World) -> None:
    front, _ = publish_shop(story, world)
    story.kube.delete(front)
    story.gateway("front", "203.0.113.8")
    up(world)
    assert world.published() == KEEPER | {(name, "A", "203.0.113.8") for name in ALL_NAMES}


def test_a_route_that_is_made_anew_inherits_nothing(story: Scene, world: World) -> None:
    _, shop = publish_shop(story, world)
    story.kube.delete(shop)
    again = story.route("shop", ALL_NAMES, to="front")
    up(world)
    assert world.published() == KEEPER
    story.route_status(again)
    up(world)
    assert world.published() == KEEPER | SHOP


def test_the_labels_of_a_namespace_decide_under_a_selector(story: Scene, world: World) -> None:
    selected: Mapping[str, object] = {"from": "Selector", "selector": {"matchLabels": {"edge": "public"}}}
    story.namespace("team", edge="public")
    story.gateway("front", "203.0.113.7", namespaces=selected)
    story.accepted_route("shop", ALL_NAMES, to="front", namespace="team")
    up(world)
    assert world.published() == SHOP | KEEPER

    story.namespace("team", edge="internal")
    up(world)
    assert world.published() == KEEPER
    world.assert_settled()

    story.namespace("team", edge="public")
    up(world)
    assert world.published() == SHOP | KEEPER


def test_an_edit_that_the_controller_has_not_seen_yet_withdraws_only_what_was_removed(
    story: Scene, world: World
) -> None:
    publish_shop(story, world)
    edited = story.route("shop", ["shop.example.com", "new.example.com"], to="front")
    assert edited["metadata"]["generation"] == 2
    up(world)
    assert world.published() == KEEPER | {("shop.example.com", "A", "203.0.113.7")}
    world.assert_settled()

    story.route_status(edited)
    up(world)
    assert world.published() == KEEPER | {
        (name, "A", "203.0.113.7") for name in ("shop.example.com", "new.example.com")
    }


def test_an_edit_of_a_listener_with_current_acceptance_drops_no_name(story: Scene, world: World) -> None:
    publish_shop(story, world)
    edited = gateway("front")
    listener = {**edited["spec"]["listeners"][0], "tls": {"certificateRefs": [{"name": "other"}]}}
    [live] = story.kube.apply({**edited, "spec": {**edited["spec"], "listeners": [listener]}})
    assert live["metadata"]["generation"] == 2
    world.assert_settled()


def test_a_cluster_that_cannot_be_read_stops_the_run_with_nothing_changed(story: Scene, world: World) -> None:
    """BC-A10: it is not taken for a cluster whose objects are gone."""
    publish_shop(story, world)
    story.kube.clear()
    clusters = [{"name": "prod", "kubeconfig": str(story.kube.kubeconfig(credentials={"token": "wr0ng"}))}]
    world.configure(clusters=clusters)
    before = world.services.write_count
    for run in (world.stack.preview(), world.stack.up()):
        assert run.status != 0
        assert "observation-failed: cluster prod: the API server" in run.text
        assert "says Unauthorized" in run.text
        assert "Traceback" not in run.text
    assert world.published() == SHOP | KEEPER
    assert world.services.write_count == before
