"""Names that turn internal on the real engine: what goes is told and saved before, and comes back by both hands.

Where their service names its internal resolver, they wait for it.
"""

from collections.abc import Iterable
from typing import Any

import yaml

from local.bind import BindServer
from local.zone_answers import RRsetAnswer
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.test_audit import edge_dns

MEDIA, SHOP, WIKI, APP = "media.example.com", "shop.example.org", "wiki.example.com", "app.example.org"
HERITAGE = "heritage=external-dns,external-dns/owner=prod,external-dns/resource=httproute/edge/wiki"
HIDDEN = {"external-dns.alpha.kubernetes.io/controller": "none", "external-dns.kubernetes.io/controller": "none"}
BLAST = (
    f"external-dns (owner prod) has A 203.0.113.20, TXT a-{WIKI} in public zone example.com: not of this stack, it "
    "removes them within one pass once it honours the annotation; afterwards: NXDOMAIN; no wildcard, no private zone "
    "and no internal resolver stands in"
)


def _invited(world: World) -> set[str]:
    return {name for one in world.services.hub.invites if not one.revoked for name in one.hostnames}


def _routes(world: World, *, hidden: bool) -> None:
    """Two routes of one Gateway: the names of one are this stack's, that of the other is external-dns' own."""
    world.gateways.gateway("front", addresses=["203.0.113.9"])
    world.gateways.route("media", [MEDIA, SHOP], gateway="front")
    world.gateways.route("wiki", [WIKI], gateway="front")
    if hidden:
        for name in ("media", "wiki"):
            metadata: Any = world.gateways.objects["HTTPRoute", name]["metadata"]
            metadata["annotations"] = HIDDEN
    world.gateways.write()


def _plant(world: World, lines: Iterable[str]) -> None:
    """Write records at Cloudflare that are given as in a zone file."""
    for line in lines:
        name, ttl, _, kind, content = line.split(" ", 4)
        fields = {"name": name.removesuffix("."), "type": kind, "content": content, "ttl": int(ttl)}
        world.services.cloudflare.add_record(world.services.zone_ids[CLOUDFLARE_ZONE], **fields)


def _remove(world: World, *names: str) -> None:
    """Delete the records of these names at Cloudflare, as external-dns does."""
    zone_id = world.services.zone_ids[CLOUDFLARE_ZONE]
    for one in world.services.cloudflare.records(zone_id):
        if one["name"] in names:
            world.services.cloudflare.delete_record(zone_id, str(one["id"]))


def _zones(text: str) -> dict[str, list[dict[str, Any]]]:
    """The records of a baseline by zone, without what only their ids and markers tell."""
    documents = [one for one in yaml.safe_load_all(text) if one]
    return {
        one["zone"]: [
            {key: value for key, value in record.items() if key not in {"importId", "comment"}}
            for record in one["records"]
        ]
        for one in documents
    }


def _as_zone_file(text: str) -> list[str]:
    """The record lines of the procedure."""
    return [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   ") and " IN " in line]


def test_what_turns_internal_is_told_saved_and_restored_by_both_hands(world: World) -> None:
    _routes(world, hidden=False)
    world.configure(world.tunnel("app", [APP]), onRefused="warn")
    theirs = [f'a-{WIKI}. 300 IN TXT "{HERITAGE}"', f"{WIKI}. 300 IN A 203.0.113.20"]
    _plant(world, theirs)
    world.up("--skip-preview")
    assert world.told() == {WIKI: ("refused", "owner-foreign")}
    published, held = world.published(), world.held()

    # Nothing would be withdrawn: there is nothing to save.
    assert edge_dns(world, "baseline", status=0) == (
        "# Baseline of stack local: no record of a name that would be withdrawn, as the\n# providers held them.\n"
    )

    _routes(world, hidden=True)
    saved = edge_dns(world, "baseline", status=0)
    assert saved == edge_dns(world, "baseline", status=0)
    assert max(len(line) for line in saved.splitlines() if line.startswith("#") and " IN " not in line) <= 80
    assert {zone: [(one["name"], one["type"]) for one in records] for zone, records in _zones(saved).items()} == {
        "example.com": [(f"a-{WIKI}", "TXT"), (MEDIA, "A"), (WIKI, "A")],
        "example.org": [(f"_edge-dns.{SHOP}", "TXT"), (SHOP, "A")],
    }
    dumped = _zones(edge_dns(world, "dump", CLOUDFLARE_ZONE, status=0))["example.com"]
    assert all(one in dumped for one in _zones(saved)["example.com"])
    assert _as_zone_file(saved) == theirs

    # The preview says exactly what goes; the update withdraws this stack's half and nothing else.
    run = world.stack.preview()
    assert f"{WIKI}: refused: exposure-internal" in run.text
    assert BLAST in run.text
    assert (
        f"this run deletes A 203.0.113.9 (ttl 300) and the marker TXT _edge-dns.{SHOP}; afterwards: NXDOMAIN"
        in run.text
    )
    world.up("--skip-preview")
    gone = {(MEDIA, "A", "203.0.113.9"), (SHOP, "A", "203.0.113.9")}
    assert world.published() == published - gone
    assert {one for one in held - world.held() if one.type == "TXT"} == {
        one for one in held if one.name == f"_edge-dns.{SHOP}"
    }
    entry: Any = world.stack.outputs()["hostnames"]
    assert entry[WIKI]["blastRadius"]["externalDns"][0]["registry"] == [f"a-{WIKI}"]
    _remove(world, WIKI, f"a-{WIKI}")
    text = edge_dns(world, "baseline", WIKI, "--zone", CLOUDFLARE_ZONE, status=0)
    assert f"note: {WIKI} has no record in the zones that were read" in text

    # Restored: the program writes its half, the lines of the file the other one.
    _routes(world, hidden=False)
    _plant(world, _as_zone_file(saved))
    world.up("--skip-preview")
    assert world.published() == published
    assert _zones(edge_dns(world, "baseline", WIKI, MEDIA, SHOP, status=0)) == _zones(saved)
    assert edge_dns(world, "baseline", "--zone", "nowhere.test", MEDIA, status=2).startswith(
        "error: observation-failed:"
    )


def test_a_name_that_a_route_opts_out_of_leaves_the_invite_of_its_tunnel_with_its_record(world: World) -> None:
    world.configure(world.tunnel("app", [APP, SHOP]))
    world.up("--skip-preview")
    published = world.published()
    assert _invited(world) == {APP, SHOP}
    world.gateways.gateway("front", addresses=["203.0.113.9"])
    world.gateways.route("shop", [SHOP], gateway="front")
    route: Any = world.gateways.objects["HTTPRoute", "shop"]
    route["metadata"]["annotations"] = HIDDEN
    world.gateways.write()
    world.configure(world.tunnel("app", [APP, SHOP]))
    world.up("--skip-preview")
    assert _invited(world) == {APP}
    assert world.published() == {one for one in published if one[0] == APP}
    assert world.told() == {SHOP: ("withdrawn", "exposure-internal")}
    world.assert_settled()


def test_public_names_of_a_service_stay_until_its_internal_resolver_answers_them(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.9"])
    world.gateways.route("media", [MEDIA], gateway="front")
    world.gateways.write()
    # A tunnel serves the name, too, although its record is that of the Gateway.
    tunnels = world.tunnel("app", [APP]), world.tunnel("edge", [MEDIA, SHOP], dns={"mode": "Disabled"})
    service = {"name": "media", "namespace": "edge", "hostnames": [MEDIA]}
    world.configure(*tunnels, services=[{**service, "exposure": "public"}])
    world.up("--skip-preview")
    published = world.published()
    assert (MEDIA, "A", "203.0.113.9") in published
    assert _invited(world) == {APP, MEDIA, SHOP}

    with BindServer([CLOUDFLARE_ZONE]) as bind:
        world.configure(*tunnels, services=[{**service, "internalResolver": bind.address}])
        preview = world.stack.preview()
        assert preview.status == 0, preview.text
        run = world.stack.up("--skip-preview")
        assert run.status != 0
        for text in (preview.text, run.text):
            assert f"{MEDIA}: held: internal-authority-missing: service edge/media is internal" in text
            assert f"{bind.address}: NXDOMAIN" in text
        assert (world.published(), _invited(world)) == (published, {APP, MEDIA, SHOP})

        bind.push(CLOUDFLARE_ZONE, [RRsetAnswer(name=MEDIA, type="A", ttl=60, values=("192.168.10.20",))])
        run = world.up("--skip-preview")
        assert f"afterwards: NXDOMAIN; inside, {bind.address} answers A 192.168.10.20" in run.text
        assert world.published() == published - {(MEDIA, "A", "203.0.113.9")}
        assert _invited(world) == {APP, SHOP}
    # Nothing is published any more, so that nothing is asked: the resolver may be away.
    world.assert_settled()
