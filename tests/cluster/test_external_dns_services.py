"""A real external-dns reads the routes that `up` writes: what a service shows and hides of itself, in a public zone."""

from collections.abc import Iterator

import pytest

from local.bind import BindServer
from local.zone_answers import RRsetAnswer
from tests.cluster.external_dns import NOTHING, OLD, ExternalDns, answer
from tests.cluster.objects import Scene
from tests.cluster.service_objects import ServiceWorld, public, service
from tests.engine.conftest import World

ZONE = "example.com"
THEIRS = RRsetAnswer(name=f"mail.{ZONE}", type="A", ttl=300, values=("203.0.113.99",))
"""A record of somebody else in the zone."""


@pytest.fixture
def bind() -> Iterator[BindServer]:
    with BindServer([ZONE]) as server:
        server.push(ZONE, [THEIRS])
        yield server


@pytest.fixture
def story(scene: Scene, world: World) -> ServiceWorld:
    return ServiceWorld.open(scene, world)


def test_a_service_that_turns_internal_is_gone_from_the_public_zone_within_one_pass(
    story: ServiceWorld, bind: BindServer
) -> None:
    external_dns = ExternalDns(version=OLD, kubeconfig=story.scene.kube.kubeconfig(), bind=bind, zones=[ZONE])
    shop = public("shop", f"shop.{ZONE}")
    others = [public("blog", f"blog.{ZONE}"), service("wiki", f"wiki.{ZONE}"), service("chat", f"chat.{ZONE}")]

    def up(*services: object) -> None:
        story.up(shop if "public" in services else {**shop, "exposure": "internal"}, *others)
        story.accept()
        external_dns.sync("gateway-httproute")

    up("public")
    before = bind.content(ZONE)
    for name in ("shop", "blog"):
        assert answer(bind, f"{name}.{ZONE}", "A") == ("NOERROR", ("203.0.113.7",))
    for name in ("wiki", "chat"):
        assert answer(bind, f"{name}.{ZONE}", "A") == NOTHING
        assert answer(bind, f"a-{name}.{ZONE}", "TXT") == NOTHING

    up()
    assert answer(bind, f"shop.{ZONE}", "A") == NOTHING
    gone = {(name, kind) for name, kind in before if "shop" in name.to_text()}
    assert len(gone) == 2
    assert bind.content(ZONE) == {key: found for key, found in before.items() if key not in gone}

    up("public")
    assert bind.content(ZONE) == before
