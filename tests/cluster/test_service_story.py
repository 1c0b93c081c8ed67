"""Services through the shipped program and the policy pack to a real API server, and what becomes of their records."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from edge_dns.core.dns_outcome import Answer, NxDomain
from edge_dns.observe.dns_answers import Server, ask_twice
from local.bind import BindServer
from local.child import LOOPBACK
from local.stack import Run
from tests.cluster.objects import Scene, route
from tests.cluster.service_objects import ServiceWorld, public, service
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tools.toolchain import ROOT

PACK = ("--policy-pack", str(ROOT / "policy"))
CONTROLLERS = {"external-dns.alpha.kubernetes.io/controller", "external-dns.kubernetes.io/controller"}
SHOP = {("shop.example.com", "A", "203.0.113.7"), ("shop.example.org", "A", "203.0.113.7")}
KEEPER = {("keeper.example.com", "A", "203.0.113.99")}
"""Published by a Gateway of its own throughout: losing everything at once would stop the run."""

# Loaded by every Python that starts with its folder on the path: no route says that it is internal.
WITHOUT_ANNOTATIONS = """
from edge_dns.core import services
services.exposure_annotations = lambda exposure: {}
"""


@pytest.fixture
def story(scene: Scene, world: World) -> Iterator[ServiceWorld]:
    """A cluster that the stack writes to, with Gateway `keeper` and a route of somebody else."""
    scene.gateway("keeper", "203.0.113.99")
    scene.accepted_route("keeper", ["keeper.example.com"], to="keeper")
    opened = ServiceWorld.open(scene, world)
    yield opened
    opened.close()


def shown(story: ServiceWorld, name: str) -> tuple[str | None, set[str], set[str]]:
    """Return label, annotations of the guard and their values of a route in the cluster."""
    metadata = story.routes()[name]["metadata"]
    guard = {key: value for key, value in metadata.get("annotations", {}).items() if key.endswith("/controller")}
    return metadata["labels"].get("edge-dns/exposure"), set(guard), set(guard.values())


HIDDEN = ("internal", CONTROLLERS, {"edge-dns-internal"})
OPEN = ("public", set[str](), set[str]())


def test_the_exposure_of_a_service_decides_from_the_settings_to_the_records(story: ServiceWorld) -> None:
    world = story.world
    wiki = service("wiki", "wiki.example.com", exposure="internal")
    chat = service("chat", "chat.example.com")
    shop = public("shop", "shop.example.com", "shop.example.org")
    for name in ("wiki", "shop"):
        story.service(name)
    story.configure(wiki, chat, shop)
    world.up(*PACK)
    assert story.guarded_services() == {"wiki"}
    assert [shown(story, name) for name in ("wiki", "chat", "shop")] == [HIDDEN, HIDDEN, OPEN]
    assert world.published() == KEEPER
    assert world.told()["shop.example.com"] == ("refused", "status-stale")
    world.assert_settled()

    story.accept()
    world.up("--skip-preview", *PACK)
    assert world.published() == SHOP | KEEPER
    assert world.told()["wiki.example.com"] == world.told()["chat.example.com"] == ("refused", "exposure-internal")

    story.configure(wiki, chat, {**shop, "exposure": "internal"})
    preview = world.stack.preview(*PACK)
    assert {
        one.name for one in preview.steps if one.op == "delete" and one.type == "cloudflare:index/dnsRecord:DnsRecord"
    }
    world.up("--skip-preview", *PACK)
    assert shown(story, "shop") == HIDDEN
    assert story.guarded_services() == {"wiki", "shop"}
    assert world.published() == KEEPER

    story.up(wiki, chat, shop)
    assert shown(story, "shop") == OPEN
    assert story.guarded_services() == {"wiki"}
    assert world.published() == SHOP | KEEPER
    world.assert_settled()


def test_the_pack_alone_keeps_internal_routes_without_annotation_out_of_the_cluster(
    story: ServiceWorld, tmp_path: Path
) -> None:
    story.configure(service("wiki", "wiki.example.com"))
    story.world.stack.environment["PYTHONPATH"] = f"{tmp_path}:{ROOT}"
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_ANNOTATIONS, encoding="utf-8")
    run = story.world.stack.up(*PACK)
    assert run.status != 0
    assert "internal-route-annotation" in run.text
    assert "it is internal, and has no annotation" in run.text
    assert "wiki" not in story.routes()


def test_a_route_of_somebody_else_is_never_taken_over(story: ServiceWorld) -> None:
    world = story.world
    [theirs] = story.scene.kube.apply(route("shop", ["theirs.example.com"], "front"))
    story.scene.route_status(theirs)
    before = story.routes()["shop"]
    story.configure(public("shop", "shop.example.com"), public("cart", "cart.example.com"))
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert world.told()["shop.example.com"] == ("refused", "route-foreign")
    assert story.routes()["shop"] == before
    assert "cart" in story.routes()
    assert world.published() == KEEPER | {("theirs.example.com", "A", "203.0.113.7")}

    story.up(public("cart", "cart.example.com"))
    assert story.routes()["shop"] == before
    run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text
    assert set(story.routes()) == {"keeper", "shop"}


# --- the round trip ---------------------------------------------------------------------------------------------------

GONE = {"hostname": "hostname.example.com", "service": "service.example.org"}
STAYING = {"stays.example.com", "stays.example.org", "keeper.example.com"}


@pytest.fixture
def bind() -> Iterator[BindServer]:
    with BindServer([CLOUDFLARE_ZONE, ROUTE53_ZONE]) as server:
        yield server


def _assert_dns(world: World, bind: BindServer, *, there: Collection[str], gone: Collection[str]) -> None:
    assert world.names() == set(there)
    world.services.push_zones(bind)
    server = Server(host=LOOPBACK, addresses=(LOOPBACK,), port=bind.port)
    for name in there:
        assert isinstance(ask_twice([server], name, "A"), Answer), name
    for name in gone:
        assert ask_twice([server], name, "A") == NxDomain(), name
        assert ask_twice([server], f"_edge-dns.{name}", "TXT") == NxDomain(), name


def _deleted(run: Run) -> list[str]:
    """The names of what was deleted, in the order of the engine, without ownership markers."""
    return [one.name for one in run.steps if one.op == "delete" and one.type in {*_RECORDS, _ROUTE}]


_ROUTE = "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute"
_RECORDS = {"cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record"}


@pytest.mark.timeout(900)  # some fifteen runs of the engine
def test_a_hostname_goes_with_its_service_twice_in_a_row(story: ServiceWorld, bind: BindServer) -> None:
    world = story.world
    stays = public("stays", "stays.example.com", GONE["hostname"], "stays.example.org")
    goes = public("goes", GONE["service"])
    for _ in range(2):
        story.up(stays, goes)
        story.accept()
        story.up(stays, goes)
        _assert_dns(world, bind, there={*STAYING, *GONE.values()}, gone=())

        fewer = public("stays", "stays.example.com", "stays.example.org")
        story.up(fewer, goes)
        _assert_dns(world, bind, there={*STAYING, GONE["service"]}, gone=[GONE["hostname"]])
        world.assert_settled()

        order = _deleted(story.up(fewer))
        assert order[-1] == "prod/edge/goes", order
        assert any(GONE["service"] in name for name in order)
        assert set(story.routes()) == {"keeper", "stays"}
        _assert_dns(world, bind, there=STAYING, gone=GONE.values())

        run = world.stack.destroy("--skip-preview")
        assert run.status == 0, run.text
        assert "prod/edge/stays" in _deleted(run)
        assert all("stays.example" not in name for name in _deleted(run)[_deleted(run).index("prod/edge/stays") :])
        assert set(story.routes()) == {"keeper"}
        _assert_dns(world, bind, there=(), gone={*STAYING, *GONE.values()})


def test_a_route_that_a_crash_left_is_taken_back_and_one_that_was_edited_is_written_again(story: ServiceWorld) -> None:
    world, stack = story.world, story.world.stack
    shop = public("shop", "shop.example.com")
    story.up(shop)
    before = story.routes()["shop"]["metadata"]["uid"]
    story.forget("shop")

    story.up(public("shop", "shop.example.com", "shop.example.org"))
    assert story.routes()["shop"]["metadata"]["uid"] == before
    assert story.routes()["shop"]["spec"]["hostnames"] == ["shop.example.com", "shop.example.org"]

    story.scene.kube.apply(route("shop", ["edited.example.com"], "front"))
    run = stack.preview()
    assert run.steps == ()
    assert any(one.startswith("route-drift:") and "--refresh" in one for one in run.messages)
    world.up("--refresh", "--skip-preview")
    assert story.routes()["shop"]["spec"]["hostnames"] == ["shop.example.com", "shop.example.org"]
    world.assert_settled()


def test_a_refresh_gives_nobodys_route_to_the_stack(story: ServiceWorld) -> None:
    world, kube = story.world, story.scene.kube
    shop = public("shop", "shop.example.com")
    story.up(shop)
    story.accept()
    story.up(shop)
    before = world.published()
    kube.delete(route("shop", [], "front"))
    [theirs] = kube.apply(route("shop", ["theirs.example.com"], "front"))
    story.scene.route_status(theirs)
    live = story.routes()["shop"]
    for services, arguments in ([shop], ("--refresh",)), ([shop], ()), ([], ()):
        story.configure(*services)
        run = world.stack.up("--skip-preview", *arguments)
        assert run.status != 0
        assert "route-identity" in run.text
        assert "let the state forget the route prod/edge/shop as docs/services.md says" in " ".join(run.text.split())
        assert story.routes()["shop"] == live
        assert world.published() == before

    # A destroy that runs the program stops with it.
    run = world.stack.destroy("--skip-preview", "--run-program")
    assert run.status != 0
    assert "route-identity" in run.text
    assert story.routes()["shop"] == live
    assert world.published() == before

    # Once the state has forgotten the route, its records go, and it stays.
    story.forget("shop")
    story.configure(shop)
    assert world.stack.up("--skip-preview").status != 0
    assert world.told()["shop.example.com"] == ("withdrawn", "route-foreign")
    assert world.published() == KEEPER | {("theirs.example.com", "A", "203.0.113.7")}
    run = world.stack.destroy("--skip-preview", "--run-program")
    assert run.status != 0
    assert "route-foreign" in run.text
    assert story.routes()["shop"] == live
    assert world.published() == set()


def test_who_claims_an_internal_service_for_external_dns_does_not_keep_it(story: ServiceWorld) -> None:
    claim = dict.fromkeys(CONTROLLERS, "dns-controller")
    story.service("wiki", **claim)
    story.up(service("wiki", "wiki.example.com"))
    assert story.guarded_services() == {"wiki"}
    story.service("wiki", **claim)
    story.world.up("--refresh", "--skip-preview")
    assert story.guarded_services() == {"wiki"}
    story.world.assert_settled()


def test_a_service_that_gets_another_gateway_keeps_its_record_until_that_has_accepted_it(story: ServiceWorld) -> None:
    world = story.world
    story.scene.gateway("back", "203.0.113.8")
    shop = public("shop", "shop.example.com")
    story.up(shop)
    story.accept()
    story.up(shop)
    moved = {**shop, "gateway": {"name": "back"}}
    for _ in range(2):
        story.up(moved)
        assert world.told()["shop.example.com"] == ("held", "status-stale")
        assert world.published() == KEEPER | {("shop.example.com", "A", "203.0.113.7")}
    assert story.routes()["shop"]["spec"]["parentRefs"][0]["name"] == "back"
    story.accept()
    story.up(moved)
    assert world.published() == KEEPER | {("shop.example.com", "A", "203.0.113.8")}
    world.assert_settled()
