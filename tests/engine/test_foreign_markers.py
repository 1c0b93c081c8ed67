"""A record of the state that carries another stack's marker at the provider is never written, and never deleted."""

import json
from collections.abc import Iterable

from edge_dns.core.markers import RELEASED_COMMENT, marker_text, txt_value
from edge_dns.core.values import Source
from local.stack import Run
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, Held, World
from tools.toolchain import ROOT

THEIRS = marker_text("edge-dns", "other", Source(cluster=None, kind="TowonelTunnel", namespace="team", name="app"))
GOES, HELD, STAYS = "goes.example.com", "held.example.com", "stays.example.com"
HAND = "hand.example.com"


def _said(run: Run) -> str:
    return " ".join(run.text.split())


def _in_state(world: World) -> set[str]:
    resources = json.loads(world.stack.state())["deployment"]["resources"]
    records = ("DnsRecord", "Record")
    return {one["urn"].rpartition("/")[2] for one in resources if one["type"].rpartition(":")[2] in records}


def _edit(world: World, hostnames: Iterable[str], comment: str) -> None:
    cloudflare, zone = world.services.cloudflare, world.services.zone_ids[CLOUDFLARE_ZONE]
    for one in cloudflare.records(zone):
        if one["name"] in set(hostnames):
            cloudflare.edit_record(zone, one["id"], comment=comment)


def _at(world: World, *names: str) -> set[Held]:
    return {one for one in world.held() if one.name in names}


def test_a_record_at_cloudflare_with_anothers_comment_is_left_and_forgotten(world: World) -> None:
    app = world.tunnel("app", [GOES, HELD, STAYS, HAND])
    world.configure(app)
    world.up("--skip-preview")
    _edit(world, [GOES, HELD], THEIRS)
    _edit(world, [HAND], "handmade by Bob")
    world.stack.others = frozenset({GOES})
    theirs = _at(world, GOES, HELD)

    world.configure(world.tunnel("app", [HELD, STAYS]))
    said = _said(world.stack.preview())
    assert f"{GOES}: released: owner-duplicate: the marker of CNAME" in said
    assert "is that of edge-dns/other, so it is not deleted" in said
    assert f"{HELD}: held: owner-duplicate: the state of this stack holds" in said
    assert f"{HAND}: drift: CNAME edge-eu.example.net has lost its ownership marker" in said
    assert "now 'handmade by Bob'; the state proves that it is this stack's, so it goes all the same" in said
    assert "puts it right" not in said

    # Not even a refresh, after which the state holds the others' comment, writes over it.
    for flags in (["--refresh", "--policy-pack", str(ROOT / "policy")], []):
        assert world.stack.up("--skip-preview", *flags).status != 0
        assert _at(world, GOES, HELD) == theirs
    assert world.names() == {GOES, HELD, STAYS}
    assert _in_state(world) == {HELD, STAYS}
    assert world.told() == {HELD: ("held", "owner-duplicate"), GOES: ("released", "release-listed")}
    assert world.stack.up("--skip-preview").status != 0
    assert world.told() == {HELD: ("held", "owner-duplicate")}

    # The other stack releases it: then it is this one's as before.
    _edit(world, [HELD], RELEASED_COMMENT)
    assert "`pulumi up --refresh` puts it right" in _said(world.stack.preview())
    world.up("--skip-preview", "--refresh")
    assert _at(world, GOES) < theirs
    assert _at(world, HELD).isdisjoint(theirs)
    world.assert_settled()
    world.configure(world.tunnel("app", [STAYS]))
    world.up("--skip-preview")
    assert world.names() == {GOES, STAYS}


def test_a_name_at_route_53_with_anothers_marker_is_left_and_forgotten(world: World) -> None:
    goes, held, stays = "goes.example.org", "held.example.org", "stays.example.org"
    world.configure(world.tunnel("app", [goes, held, stays]))
    world.up("--skip-preview")
    marks = {name: f"_edge-dns.{name}" for name in (goes, held, stays)}
    zone = world.services.zone_ids[ROUTE53_ZONE]
    for name in (goes, held):
        world.services.route53.add_record(zone, name=marks[name], record_type="TXT", values=[txt_value(THEIRS)])
    world.stack.others = frozenset({goes, marks[goes]})
    before = world.held()

    world.configure(world.tunnel("app", [held, stays]))
    said = _said(world.stack.preview())
    assert f"{goes}: released: owner-duplicate: the marker of CNAME" in said
    assert f"{held}: held: owner-duplicate: the state of this stack holds" in said
    assert "puts it right" not in said
    assert world.stack.up("--skip-preview").status != 0
    assert _in_state(world) == {f"{goes}#released", f"{marks[goes]}#released", held, marks[held], stays, marks[stays]}
    assert world.held() == before

    # Called off in between, its record and its marker are declared as before.
    world.configure(world.tunnel("app", [goes, held, stays]))
    assert world.stack.up("--skip-preview", "--refresh").status != 0
    assert _in_state(world) == {*marks, *marks.values()}
    assert world.held() == before
    world.configure(world.tunnel("app", [held, stays]))
    for _ in range(2):
        assert world.stack.up("--skip-preview").status != 0
        assert world.held() == before
    assert _in_state(world) == {held, marks[held], stays, marks[stays]}

    # Nothing of the other stack is taken for a lost record of this one.
    assert "carry the marker of this stack" not in _said(world.stack.preview())


def test_the_records_of_a_stack_that_is_renamed_stay_its_own(world: World) -> None:
    names = {"app.example.com", "app.example.org"}
    world.configure(world.tunnel("app", [*names, "gone.example.com"]))
    world.up("--skip-preview")
    stack, published = world.stack, world.published()
    stack.checked("stack", "rename", "renamed", "--stack", stack.name, "--cwd", str(stack.folder))
    stack.name = "renamed"

    world.configure(world.tunnel("app", sorted(names)))
    run = stack.up("--skip-preview", "--refresh")
    assert "has the former name of this stack, which this update replaces: edge-dns/local" in _said(run)
    assert run.status != 0
    assert world.published() == {one for one in published if one[0] in names}
    assert not any("edge-dns/local" in f"{one.values} {one.rest}" for one in world.held())
    world.up("--skip-preview")
    world.assert_settled()
