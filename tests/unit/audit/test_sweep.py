"""The sweep finds what carries this stack's marker and is not in its state, and nothing else."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.cloudflare_view import AccountTunnels, LiveTunnel
from edge_dns.core.hub_view import HubInvite
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.markers import marker_name, marker_text, owner, txt_value
from edge_dns.core.memory import FixedOnHub, InviteMemory, Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.sweep import UNREMEMBERED, sweep, unwanted_notice
from edge_dns.core.values import RRset, Source
from tests.unit.audit.zones import EDGE, GONE, INVITE, OURS, THEIRS, cf, mark, one, r53, standings, swept
from tests.unit.plan.world import ZONES, tunnel

ACCOUNT, UUID = "0" * 32, "01234567-89ab-cdef-0123-456789abcdef"
BUGS = {case["id"]: case for case in yaml.safe_load((Path(__file__).parent / "data" / "bug_cases.yaml").read_text())}


NEVER_FOUND = [
    pytest.param([cf("x.example.com", GONE, comment="")], id="no comment"),
    pytest.param([cf("x.example.com", GONE, comment=THEIRS)], id="the comment of another stack"),
    pytest.param([cf("x.example.com", GONE, comment=f"see {OURS}")], id="a comment that mentions a marker"),
    pytest.param([cf("x.example.com", "text", kind="TXT")], id="a type that is never written, with our comment"),
    pytest.param([r53("x.example.org", GONE)], id="no TXT"),
    pytest.param([r53("x.example.org", GONE), mark("x.example.org", THEIRS)], id="the TXT of another stack"),
    pytest.param([r53("x.example.org", GONE), mark("y.x.example.org", THEIRS)], id="the TXT of another name"),
    pytest.param([r53("x.example.org", GONE), r53("x.example.org", OURS, kind="TXT")], id="a TXT at the name itself"),
]


@pytest.mark.parametrize("records", NEVER_FOUND)
def test_a_record_without_our_marker_is_never_found(records: list[LiveRecord]) -> None:
    assert swept(*records).unremembered == ()


def test_a_record_of_the_state_is_no_orphan_whatever_its_marker() -> None:
    records = (cf("x.example.com", GONE), r53("x.example.org", GONE), mark("x.example.org"))
    state = {f"slot{number}": record.import_id for number, record in enumerate(records)}
    assert swept(*records, state=state).unremembered == ()


def test_an_unwanted_record_gets_the_slot_of_its_name_under_a_component_that_no_program_declares() -> None:
    found = swept(cf("x.example.com", GONE), r53("x.example.org", GONE), mark("x.example.org"))
    assert [(one.slot, one.record.import_id, one.parent, one.standing) for one in found.unremembered] == [
        ("z1/x.example.com", f"z1/{GONE}", UNREMEMBERED, "unwanted"),
        ("Z2/x.example.org", "Z2_x.example.org_CNAME", UNREMEMBERED, "unwanted"),
        ("Z2/_edge-dns.x.example.org", "Z2__edge-dns.x.example.org_TXT", UNREMEMBERED, "unwanted"),
    ]
    assert {(one.hostname, one.source) for one in found.unremembered} == {
        ("x.example.com", "TowonelTunnel/shop/web"),
        ("x.example.org", "TowonelTunnel/shop/web"),
    }


def test_every_run_warns_of_records_that_neither_state_nor_settings_know() -> None:
    names = [f"x{number}.example.com" for number in range(5)]
    notice = unwanted_notice(
        swept(*(cf(name, GONE) for name in names), r53("a.example.org", EDGE), mark("a.example.org"))
    )
    assert notice is not None
    assert "records of x0.example.com, x1.example.com, x2.example.com and 2 more carry" in str(notice)
    assert "edge-dns audit orphans" in str(notice)


def test_a_wanted_record_is_no_cause_for_a_warning() -> None:
    assert unwanted_notice(swept(cf("a.example.com", EDGE), r53("a.example.org", EDGE), mark("a.example.org"))) is None


def test_a_marker_alone_is_warned_of_too_as_its_name_cannot_be_published_again() -> None:
    assert "records of x.example.org carry" in str(unwanted_notice(swept(mark("x.example.org"))))


def test_several_values_of_a_name_get_slots_of_their_own() -> None:
    found = swept(cf("x.example.com", "198.51.100.7", "A"), cf("x.example.com", "198.51.100.8", "A"))
    slots = [record.slot for record in found.unremembered]
    assert slots[0] == "z1/x.example.com"
    assert str(slots[1]).startswith("z1/x.example.com#")


def test_a_slot_that_the_state_holds_is_not_taken_twice() -> None:
    old = cf("x.example.com", "198.51.100.7", "A", record_id="old")
    found = swept(old, state={"z1/x.example.com": "z1/other"})
    assert str(one(found).slot).startswith("z1/x.example.com#")
    again = swept(old, state={"z1/x.example.com": "z1/other", str(one(found).slot): "z1/another"})
    assert (one(again).standing, one(again).slot) == ("unclear", None)


@pytest.mark.parametrize(
    ("announced", "way_in"),
    [
        ("z1/a.example.com", "; the next update takes it over"),
        ("z1/b.example.com", "; the state never declared the name, so no update takes it over: import it (--all)"),
    ],
    ids=["the state was about to declare it", "another name"],
)
def test_a_wanted_record_says_how_it_comes_into_the_state(announced: str, way_in: str) -> None:
    memory = Memory(invites={"shop/web": InviteMemory(invite_id="inv-1", generation=1, fixed=FixedOnHub())})
    found = one(swept(cf("a.example.com", EDGE), memory=memory, announced=[announced]))
    assert found.standing == "wanted"
    assert way_in in found.reason


def test_what_the_plan_wants_gets_the_slot_and_the_component_that_the_program_declares() -> None:
    found = swept(cf("a.example.com", EDGE), r53("a.example.org", EDGE), mark("a.example.org"))
    assert {(one.slot, one.parent, one.standing) for one in found.unremembered} == {
        (slot, "towonel.shop.web", "wanted")
        for slot in ("z1/a.example.com", "Z2/a.example.org", "Z2/_edge-dns.a.example.org")
    }


STANDINGS = [
    pytest.param({}, "wanted", id="declared and confirmed"),
    pytest.param({"invites": []}, "waiting", id="not confirmed by the hub"),
    pytest.param({"invites": [INVITE, INVITE]}, "waiting", id="held by an invite that may be ours or not"),
    pytest.param({"edgeTargets": {"US": EDGE}}, "waiting", id="without an edge target"),
    pytest.param({"tunnels": []}, "unwanted", id="declared by nobody"),
    pytest.param({"tunnels": [tunnel("a.example.com", dns={"mode": "Disabled"})]}, "unwanted", id="switched off"),
]


@pytest.mark.parametrize(("given", "standing"), STANDINGS)
def test_only_what_nobody_may_want_again_is_unwanted(given: dict[str, object], standing: str) -> None:
    found = one(swept(cf("a.example.com", EDGE), **given))  # type: ignore[arg-type]  # settings of many kinds
    assert found.standing == standing
    assert (found.slot is None) == (standing == "waiting")


def test_a_record_of_ours_of_another_type_is_unwanted_where_its_own_comment_says_whose_it_is() -> None:
    address = "198.51.100.7"
    found = swept(cf("a.example.com", address, "A"), r53("a.example.org", address, kind="A"), mark("a.example.org"))
    assert standings(found) == {
        f"z1/{address}": "unwanted",
        "Z2_a.example.org_A": "waiting",
        "Z2__edge-dns.a.example.org_TXT": "waiting",
    }


def test_a_stale_value_beside_the_wanted_one_is_unwanted() -> None:
    found = swept(cf("a.example.com", EDGE), cf("a.example.com", "old-edge.example.net"))
    assert standings(found) == {f"z1/{EDGE}": "wanted", "z1/old-edge.example.net": "unwanted"}


UNCLEAR = [
    pytest.param([r53("x.example.org", "2001:db8::7", kind="AAAA"), mark("x.example.org")], id="beside ours"),
    pytest.param([mark("x.example.org", OURS, "somebody's")], id="a text beside the marker"),
    pytest.param([mark("x.example.org", OURS, THEIRS)], id="two owners"),
]


@pytest.mark.parametrize("records", UNCLEAR)
def test_a_record_that_may_be_somebody_elses_is_shown_and_never_imported(records: list[LiveRecord]) -> None:
    ours = r53("x.example.org", "198.51.100.7", kind="A")
    state = {"Z2/x.example.org": ours.import_id}
    if len(records) == 2:
        state["Z2/_edge-dns.x.example.org"] = records[1].import_id
    found = one(swept(ours, *records, state=state))
    assert (found.standing, found.slot) == ("unclear", None)


def test_the_marker_of_a_name_waits_for_the_records_that_the_state_holds() -> None:
    ours = r53("x.example.org", GONE)
    found = one(swept(ours, mark("x.example.org"), state={"Z2/x.example.org": ours.import_id}))
    assert (found.record.type, found.standing, found.slot) == ("TXT", "waiting", None)


def test_a_zone_without_markers_is_named_and_nothing_is_found_in_it() -> None:
    zones = [ZONES[0], {**ZONES[1], "marker": "none"}]
    found = swept(r53("x.example.org", GONE), mark("x.example.org"), zones=zones)
    assert (found.unremembered, found.blind) == ((), ("example.org",))


def test_the_records_of_the_state_that_point_at_hostnames_are_listed() -> None:
    slots = {
        "z1/x.example.com": RRset(zone_id="z1", name="x.example.com", type="CNAME", values=("G.example.net.",), ttl=1),
        "z1/y.example.com": RRset(zone_id="z1", name="y.example.com", type="A", values=("198.51.100.7",), ttl=1),
    }
    found = swept(slots=slots).remembered
    assert [(one.zone, one.hostname, one.target) for one in found] == [
        ("example.com", "x.example.com", "g.example.net")
    ]


def test_the_invite_of_a_lost_state_is_found_by_name_where_a_marked_record_names_its_tunnel() -> None:
    (lost,) = swept(cf("a.example.com", EDGE)).invites
    assert (lost.tunnel, lost.invite_id, lost.unissued) == ("shop/web", "inv-1", False)
    assert "whose invite has to be imported with it" in one(swept(cf("a.example.com", EDGE))).reason
    assert swept().invites == ()
    assert swept(cf("a.example.com", EDGE), invites=[]).invites == ()
    known = InviteMemory(invite_id="inv-1", generation=1, fixed=FixedOnHub())
    assert swept(cf("a.example.com", EDGE), memory=Memory(invites={"shop/web": known})).invites == ()


def test_the_invite_of_a_renamed_tunnel_is_found_by_its_alias_and_the_way_to_it_is_told() -> None:
    renamed = [tunnel("a.example.com", name="kasse")]
    found = swept(cf("a.example.com", EDGE), tunnels=renamed)
    assert one(found).standing == "waiting"
    assert "host-taken: the invite 'shop/web' (inv-1) of the hub holds it" in one(found).reason
    assert one(found).reason.endswith("enter its name into the tunnel's aliases and run the audit again")
    assert found.invites == ()
    found = swept(cf("a.example.com", EDGE), tunnels=[{**renamed[0], "aliases": ["shop/web"]}])
    (lost,) = found.invites
    assert (one(found).standing, lost.tunnel, lost.name) == ("wanted", "shop/kasse", "shop/web")


def test_what_another_invite_holds_beside_the_tunnels_own_has_no_way_by_an_alias() -> None:
    other = HubInvite(invite_id="inv-2", name="x/y", hostnames=frozenset(["a.example.com"]), status="claimed")
    own = HubInvite(invite_id="inv-1", name="shop/web", hostnames=frozenset(["a.example.org"]), status="claimed")
    found = one(swept(cf("a.example.com", EDGE), invites=[own, other]))
    assert (found.standing, "aliases" in found.reason) == ("waiting", False)


def test_a_cloudflare_tunnel_of_a_lost_state_is_taken_over_first() -> None:
    tunnels = AccountTunnels(by_id={UUID: LiveTunnel(tunnel_id=UUID, name="shop.web", deleted=False)})

    def found(**adopt: str) -> tuple[str, str]:
        of = {"accountId": ACCOUNT, "origin": "http://web:80", **adopt}
        mine = {**tunnel("a.example.com"), "kind": "cloudflare", "cloudflare": of}
        record = cf("a.example.com", f"{UUID}.cfargotunnel.com", proxied=True)
        sighted = one(swept(record, tunnels=[mine], accounts={ACCOUNT: tunnels}))
        return sighted.standing, sighted.reason

    standing, reason = found()
    assert standing == "waiting"
    assert f"a tunnel named shop.web ({UUID}) that this stack did not make" in reason
    assert reason.endswith("set cloudflare.adopt to its id and run the audit again with --all")
    assert found(adopt=UUID)[0] == "wanted"


def test_an_unissued_invite_in_the_place_of_the_lost_one_keeps_its_records_out_of_the_import() -> None:
    memory = Memory(invites={"shop/web": InviteMemory(invite_id="", generation=1, fixed=FixedOnHub())})
    found = swept(cf("a.example.com", EDGE), memory=memory)
    assert found.invites[0].unissued
    assert (one(found).standing, one(found).slot) == ("waiting", None)


# --- bug cases --------------------------------------------------------------------------------------------------------


def _live(case: str) -> list[LiveRecord]:
    return [
        cf(entry["name"], entry["values"][0], entry["type"], comment=OURS if entry["owner"] == "ours" else "")
        for entry in BUGS[case]["input"]["live"]
    ]


def test_bc_f14_a_clean_up_proposes_only_what_carries_the_marker() -> None:
    found = swept(*_live("BC-F14"), tunnels=[])
    assert [f"{one.hostname} {one.record.type}" for one in found.unremembered] == BUGS["BC-F14"]["expect"]["delete"]


def test_bc_f16_a_marked_record_that_no_state_holds_is_an_orphan() -> None:
    found = swept(*_live("BC-F16"))
    assert [f"{one.hostname} {one.record.type}" for one in found.unremembered] == BUGS["BC-F16"]["expect"]["orphans"]


# --- F20: what we write is what the sweep finds -----------------------------------------------------------------------

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,44}[a-z0-9])?", fullmatch=True)
WORDS = st.text(max_size=120)
SOURCES = st.builds(
    Source,
    cluster=st.one_of(st.none(), WORDS),
    kind=st.sampled_from(["Gateway", "TowonelTunnel", "CloudflareTunnel"]),
    namespace=WORDS,
    name=WORDS,
)
NAMES = st.builds(
    lambda labels, wildcard: ".".join((["*"] if wildcard else []) + labels),
    st.lists(LABELS, min_size=1, max_size=5),
    st.booleans(),
)


@given(
    project=WORDS, stack=WORDS, source=SOURCES, name=NAMES, values=st.sets(st.integers(1, 250), min_size=1, max_size=3)
)
def test_every_record_that_is_written_is_found(
    project: str, stack: str, source: Source, name: str, values: set[int]
) -> None:
    marker = marker_text(project, stack, source)
    addresses = [f"198.51.100.{value}" for value in values]
    com, org = f"{name}.example.com", f"{name}.example.org"
    answer = {"name": com, "type": "A", "ttl": 1, "comment": marker}
    written = [cloudflare_record("z1", {**answer, "id": value, "content": value}) for value in addresses]
    text = {"name": marker_name(org, "example.org"), "type": "TXT", "resourceRecords": [{"value": txt_value(marker)}]}
    rrset = {"name": org.replace("*", "\\052"), "type": "A", "resourceRecords": [{"value": one} for one in addresses]}
    at_route53 = [route53_record("Z2", {**one, "ttl": 300}) for one in (text, rrset)]
    live = Live(
        owner=owner(project, stack),
        announced=None,
        import_ids={},
        zones={"z1": LiveZone.of("example.com", written), "Z2": LiveZone.of("example.org", at_route53)},
    )
    settings = load_settings({"zones": ZONES})
    found = sweep(settings.zones, live, Memory(), make_plan(settings, Observed(live=live), Memory())).unremembered
    assert {one.record.import_id for one in found} == {one.import_id for one in (*written, *at_route53)}
    assert {one.hostname for one in found} == {com, org}
    assert len({one.slot for one in found}) == len(found)


def test_a_record_that_is_left_in_the_parent_of_its_zone_says_where_the_name_is_now() -> None:
    child = {"domain": "shop.example.com", "provider": "cloudflare", "zoneId": "z2"}
    name = "a.shop.example.com"
    found = one(swept(cf(name, EDGE), zones=[*ZONES, child], tunnels=[tunnel(name)]))
    assert (found.standing, found.zone, found.slot) == ("unwanted", "example.com", f"z1/{name}")
    assert found.reason == "no source declares the name in this zone: it is in zone shop.example.com (z2)"
