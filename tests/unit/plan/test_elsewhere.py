"""`elsewhere`: names in the zones of another stack are neither published nor refused here, nor silently withdrawn."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.plan import Plan
from edge_dns.core.settings import Elsewhere, SettingsInvalid, Zone, load_settings
from edge_dns.core.values import Visibility
from edge_dns.core.zones import ZoneIndex, choose_zone
from tests.unit.admission.objects import gateway, route, silent
from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, Json, Run, plan_of, run, settings_of, tunnel
from tests.unit.services.world import OWNER, public, written

ORG: Json = {"zones": [CLOUDFLARE], "elsewhere": ["example.org"]}
GATEWAY = gateway(addresses=["8.8.8.8"])
HOSTS = ["shop.example.com", "shop.example.org"]


def _plan(names: Sequence[str] = HOSTS, memory: object = None, **settings: Any) -> Run:
    return run(settings_of(**settings), GATEWAY, route(hostnames=list(names)), memory=memory)


def test_a_hostname_of_a_domain_elsewhere_is_neither_published_nor_refused() -> None:
    outcome = _plan(**ORG)
    assert outcome.status == 0
    assert outcome.outcome == {
        "shop.example.com": ("published", None),
        "shop.example.org": ("elsewhere", "zone-elsewhere"),
    }
    assert set(outcome.records) == {"shop.example.com"}
    assert outcome.reason("shop.example.org") == "edge-dns:elsewhere leaves the names of example.org to another stack"


@pytest.mark.parametrize(
    ("zones", "elsewhere", "expected"),
    [
        pytest.param(["example.com"], ["shop.example.com"], "elsewhere", id="a child of an own zone"),
        pytest.param(["shop.example.com"], ["example.com"], "shop.example.com", id="the parent of an own zone"),
        pytest.param(["example.com"], ["www.shop.example.com"], "elsewhere", id="the name itself"),
        pytest.param(
            ["shop.example.com"],
            ["example.com", {"domain": "shop.example.com", "visibility": "private"}],
            "shop.example.com",
            id="the other view of an own zone",
        ),
        pytest.param(["example.com"], ["op.example.com"], "example.com", id="no whole label"),
        pytest.param(
            ["example.com"],
            [{"domain": "shop.example.com", "visibility": "private"}],
            "refused",
            id="a private zone below, which a public one never passes over",
        ),
    ],
)
def test_the_longest_domain_of_both_lists_decides(zones: list[str], elsewhere: list[Any], expected: str) -> None:
    listed = [{"domain": one, "provider": "cloudflare", "zoneId": one.replace(".", "-")} for one in zones]
    outcome = _plan(["www.shop.example.com"], zones=listed, elsewhere=elsewhere)
    (found,) = outcome.document["hostnames"]
    where = [one["zone"] for one in outcome.document["records"]]
    assert (where or [found["state"]]) == [expected]


LABELS = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=4).map(".".join)


@given(hostname=LABELS, ours=st.sets(LABELS, max_size=4), theirs=st.sets(LABELS, max_size=4))
def test_no_name_is_of_two_stacks_that_list_each_others_zones(hostname: str, ours: set[str], theirs: set[str]) -> None:
    def index(zones: set[str], others: set[str]) -> ZoneIndex:
        own = (Zone(domain=one, provider="cloudflare", zone_id=one.replace(".", "-")) for one in zones)
        return ZoneIndex.of(own, (Elsewhere(domain=one) for one in others))

    theirs = theirs - ours
    here, there = index(ours, theirs), index(theirs, ours)
    left = (here.left_to_others(hostname, "public"), there.left_to_others(hostname, "public"))
    if here.nearest(hostname) is None:
        assert left == (None, None)
        return
    assert [one is None for one in left].count(True) == 1
    publishing = here if left[0] is None else there
    assert choose_zone(hostname, publishing, "public").domain == here.nearest(hostname)


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_one_view_of_a_zone_may_be_here_and_the_other_elsewhere(visibility: Visibility) -> None:
    zone = {**CLOUDFLARE, "visibility": visibility}
    other = {"domain": "example.com", "visibility": "private" if visibility == "public" else "public"}
    settings = settings_of(
        zones=[zone],
        elsewhere=[other],
        clusters=[{"name": "c1", "visibility": "public"}, {"name": "c2", "visibility": "private"}],
    )
    objects = [GATEWAY, route(hostnames=["www.example.com"])]
    outcome = run(settings, clusters={"c1": objects, "c2": objects})
    states = [one["state"] for one in outcome.document["hostnames"]]
    assert sorted(states) == ["elsewhere", "published"]
    assert outcome.status == 0


def test_a_public_view_elsewhere_is_a_public_target_and_a_private_one_is_none() -> None:
    """Bug case of split horizon: what only private zones hold, no public record may point at."""
    private = {**ROUTE53, "visibility": "private"}

    def to_org(**settings: Any) -> Run:
        objects = [gateway(addresses=["lb.example.org"]), route(hostnames=["shop.example.com"])]
        return run(settings_of(**settings), *objects)

    refused = ("refused", "internal-name-public-zone")
    assert to_org(zones=[CLOUDFLARE, private]).outcome["shop.example.com"] == refused
    shared = to_org(zones=[CLOUDFLARE, private], elsewhere=["example.org"])
    assert shared.outcome["shop.example.com"] == ("published", None)
    hidden = to_org(zones=[CLOUDFLARE], elsewhere=[{"domain": "example.org", "visibility": "private"}])
    assert hidden.outcome["shop.example.com"] == refused


def test_what_a_source_would_be_refused_for_is_the_other_stacks_business() -> None:
    outcome = run(
        settings_of(**ORG, exposure={"publishers": "listed"}),
        GATEWAY,
        route(hostnames=["shop.example.org", "bad_name.example.org"]),
        silent(name="shop/waits", uid="w", hostnames=["waits.example.org"]),
    )
    assert set(outcome.outcome.values()) == {("elsewhere", "zone-elsewhere")}
    assert (outcome.status, outcome.document["warnings"]) == (0, [])


@pytest.mark.parametrize("accepted", [1, None], ids=["accepted", "waiting"])
def test_a_name_of_a_service_of_this_stack_is_an_error_that_says_so(accepted: int | None) -> None:
    one = public("wiki.example.org")
    outcome = run(settings_of(**ORG, services=[one]), GATEWAY, written(one, accepted=accepted), owner=OWNER)
    expected = {1: (1, "zone-none"), None: (0, "status-stale")}[accepted]
    assert (outcome.status, outcome.rules["wiki.example.org"]) == expected
    assert outcome.states["wiki.example.org"] == "refused"


def test_a_name_of_a_tunnel_of_this_stack_is_an_error_that_says_so() -> None:
    outcome = run(settings_of(**ORG, tunnels=[tunnel("shop.example.org")]))
    assert outcome.outcome == {"shop.example.org": ("refused", "zone-none")}
    assert outcome.reason("shop.example.org") == (
        "edge-dns:elsewhere leaves the names of example.org to another stack, but this one declares the name"
    )


def test_a_tunnel_without_dns_here_leaves_its_names_to_a_gateway_that_another_stack_publishes() -> None:
    quiet = tunnel("shop.example.org", dns={"mode": "Disabled"})
    outcome = _plan(["shop.example.org"], **ORG, tunnels=[quiet])
    assert outcome.outcome == {"shop.example.org": ("elsewhere", "zone-elsewhere")}
    assert outcome.status == 0


@pytest.mark.parametrize("safety", [{}, FREE], ids=["guarded", "free"])
@pytest.mark.parametrize("still_declared", [True, False], ids=["still declared", "not declared any more"])
def test_a_zone_that_is_moved_away_with_its_records_stops_the_run(safety: Json, *, still_declared: bool) -> None:
    first = _plan()
    names = HOSTS if still_declared else HOSTS[:1]
    moved = _plan(names, memory=first.memory, **ORG, safety=safety)
    assert (moved.status, moved.stops) == (2, ["zone-moved"])
    assert moved.memory == first.memory
    (told,) = moved.document["errors"]
    text = " ".join(told["message"].split())
    assert "leaves the names of example.org to another stack, but this one publishes 1 of them" in text
    assert "move the zone as docs/large-environments.md says" in text
    assert "safety.acknowledge.count to 1" in text

    acknowledged = _plan(names, memory=first.memory, **ORG, safety={**safety, "acknowledge": {"count": 1}})
    assert (acknowledged.status, acknowledged.states["shop.example.org"]) == (0, "withdrawn")
    assert set(acknowledged.records) == {"shop.example.com"}


def test_names_of_a_child_that_moves_away_stop_the_run_too() -> None:
    names = ["www.example.com", "a.shop.example.com"]
    first = _plan(names)
    moved = _plan(names, memory=first.memory, elsewhere=["shop.example.com"])
    assert moved.stops == ["zone-moved"]


def test_many_names_that_move_away_are_told_once_with_the_guard_of_the_zone() -> None:
    names = [f"app-{number:02}.example.org" for number in range(12)]
    first = _plan([*names, "www.example.com"])
    moved = _plan([*names, "www.example.com"], memory=first.memory, **ORG)
    assert moved.stops == ["mass-delete", "zone-moved"]
    text = " ".join(" ".join(one["message"] for one in moved.document["errors"]).split())
    assert "causes and hostnames: among those of zone-moved" in text
    assert _plan(names, memory=first.memory, **ORG, safety={"acknowledge": {"count": 12}}).stops != []


def test_nothing_of_another_stacks_names_is_remembered() -> None:
    with_theirs, without = _plan(**ORG), _plan(HOSTS[:1], **ORG)
    assert with_theirs.memory == without.memory
    assert with_theirs.document["zones"] == without.document["zones"]


def test_a_note_says_how_many_hostnames_are_left_by_domain() -> None:
    objects = [GATEWAY, route(hostnames=[*HOSTS, "blog.example.org"])]
    plan = plan_of(settings_of(**ORG), *objects)
    assert [str(one) for one in plan.notes] == [
        "zone-elsewhere: left to another stack by edge-dns:elsewhere: 2 hostnames of example.org"
    ]


@pytest.mark.parametrize(
    ("elsewhere", "path", "message"),
    [
        pytest.param(["Example.com."], "elsewhere[0]", "the public zone example.com is in zones too", id="own zone"),
        pytest.param(["example.org"] * 2, "elsewhere[1]", "each domain once", id="twice"),
        pytest.param(["not a domain"], "elsewhere[0]", 'is "not a domain", expected a domain', id="no domain"),
        pytest.param([{"visibility": "private"}], "elsewhere[0].domain", "is required", id="no domain at all"),
    ],
)
def test_wrong_entries_are_told_with_their_path(elsewhere: list[Any], path: str, message: str) -> None:
    with pytest.raises(SettingsInvalid) as raised:
        load_settings({"zones": [CLOUDFLARE], "elsewhere": elsewhere})
    (error,) = raised.value.errors
    assert error.path == path
    assert message in error.message


def test_the_private_view_of_an_own_zone_may_be_elsewhere() -> None:
    loaded = load_settings({"zones": [CLOUDFLARE], "elsewhere": [{"domain": "example.com", "visibility": "private"}]})
    assert loaded.elsewhere == (Elsewhere(domain="example.com", visibility="private"),)


def test_a_public_name_below_a_private_domain_elsewhere_stops_the_run() -> None:
    names = ["www.corp.example.com", "shop.example.com"]
    first = _plan(names)
    moved = _plan(names, memory=first.memory, elsewhere=[{"domain": "corp.example.com", "visibility": "private"}])
    assert moved.stops == ["zone-moved"]
    assert moved.memory == first.memory


PRIVATE: Json = {"domain": "example.com", "provider": "route53", "zoneId": "ZP", "visibility": "private"}
PRIVATE_ELSEWHERE: Json = {"domain": "example.com", "visibility": "private"}
BOTH = [{"name": "c1"}, {"name": "c2", "visibility": "private"}]


@pytest.mark.parametrize("clusters", [BOTH[:1], BOTH], ids=["with its cluster", "its cluster stays"])
def test_a_private_view_that_moves_away_stops_the_run_although_the_public_one_stays(clusters: list[Json]) -> None:
    objects = [GATEWAY, route(hostnames=["www.example.com"])]
    every = {"c1": objects, "c2": objects}
    first = run(settings_of(zones=[CLOUDFLARE, PRIVATE], clusters=BOTH), clusters=every)
    assert sorted(one["provider"] for one in first.document["records"]) == ["cloudflare", "route53"]
    left = {name: every[name] for name in (one["name"] for one in clusters)}

    def moved(**settings: Any) -> Plan:
        more: Json = {"zones": [CLOUDFLARE], "clusters": clusters, **settings}
        return plan_of(settings_of(**more), clusters=left, memory=first.memory)

    assert [one.refusal.rule for one in moved(elsewhere=[PRIVATE_ELSEWHERE]).stops] == ["zone-moved"]
    meant = {"acknowledge": {"names": ["www.example.com"]}}
    for settings in ({"elsewhere": [PRIVATE_ELSEWHERE], "safety": meant}, {}):
        told = {one.visibility: one.state for one in moved(**settings).decisions}
        assert told == {"public": "published", "private": "withdrawn"}


def test_a_record_of_a_zone_that_moves_away_stops_the_run_although_its_name_is_in_a_new_own_zone() -> None:
    names = ["y.a.shop.example.com", "www.example.com"]
    shop, child = (
        {"domain": domain, "provider": "cloudflare", "zoneId": zone_id}
        for domain, zone_id in (("shop.example.com", "z2"), ("a.shop.example.com", "z3"))
    )
    first = _plan(names, zones=[CLOUDFLARE, shop])
    moved = _plan(names, memory=first.memory, zones=[CLOUDFLARE, child], elsewhere=["shop.example.com"])
    assert moved.stops == ["zone-moved"]


@pytest.mark.parametrize("elsewhere", [["example.org"], [PRIVATE_ELSEWHERE]], ids=["other domain", "other view"])
def test_what_goes_or_moves_within_the_own_zones_is_no_move(elsewhere: list[Any]) -> None:
    first = _plan(["a.shop.example.com", "www.example.com"], zones=[CLOUDFLARE], elsewhere=elsewhere)
    gone = _plan(["a.shop.example.com"], memory=first.memory, zones=[CLOUDFLARE], elsewhere=elsewhere)
    assert (gone.stops, gone.states["www.example.com"]) == ([], "withdrawn")
    child = {"domain": "shop.example.com", "provider": "cloudflare", "zoneId": "z2"}
    views = [*elsewhere, {"domain": "shop.example.com", "visibility": "private"}]
    split = _plan(["a.shop.example.com"], memory=gone.memory, zones=[CLOUDFLARE, child], elsewhere=views)
    assert (split.stops, split.states["a.shop.example.com"]) == ([], "published")


@pytest.mark.parametrize("view", ["public", "private"])
def test_a_zone_that_is_made_anew_moves_nothing_to_the_stack_that_has_the_other_view(view: Visibility) -> None:
    other: Visibility = "private" if view == "public" else "public"
    zone, elsewhere = {**PRIVATE, "visibility": view}, [{"domain": "example.com", "visibility": other}]
    objects = {"c1": [GATEWAY, route(hostnames=["www.example.com"])]}
    clusters = [{"name": "c1", "visibility": view}]
    settings = settings_of(zones=[zone], elsewhere=elsewhere, clusters=clusters)
    first = run(settings, clusters=objects)
    anew = run({**settings, "zones": [{**zone, "zoneId": "ZN"}]}, clusters=objects, memory=first.memory)
    assert (anew.stops, anew.states) == ([], {"www.example.com": "published"})
    assert "this run deletes A 8.8.8.8 (ttl 300) in zone example.com (ZP)" in anew.reason("www.example.com")

    # Where its view is in no zone any more, somebody may have entered the wrong one.
    gone = run({**settings, "zones": [ROUTE53]}, clusters=objects, memory=first.memory)
    assert gone.stops == ["empty-desired", "zone-moved"]


def test_the_view_of_a_zone_that_left_is_remembered_and_not_taken_from_a_cluster_that_has_another_now() -> None:
    objects = {"c1": [GATEWAY, route(hostnames=["www.example.com"])]}
    first = run(
        settings_of(zones=[PRIVATE], clusters=[{"name": "c1", "visibility": "private"}]),
        clusters=objects,
    )
    turned = plan_of(settings_of(zones=[CLOUDFLARE], clusters=[{"name": "c1"}]), clusters=objects, memory=first.memory)
    assert {one.visibility: one.state for one in turned.decisions} == {"public": "published", "private": "withdrawn"}


@pytest.mark.parametrize(
    ("hostname", "asked"),
    [
        pytest.param("wiki.example.org", "wiki.example.org", id="its hostname"),
        pytest.param("*.corp.example.org", "x.y.corp.example.org", id="below its wildcard"),
    ],
)
@pytest.mark.parametrize("view", ["public", "private"])
def test_an_internal_service_in_a_domain_elsewhere_is_an_error_that_says_where_it_belongs(
    hostname: str, asked: str, view: str
) -> None:
    """The other stack knows nothing of the service, and publishes its name for any route."""
    one = {"name": "wiki", "namespace": "docs", "exposure": "internal", "hostnames": [hostname]}
    elsewhere = [{"domain": "example.org", "visibility": view}]
    for names in (["shop.example.com"], ["shop.example.com", asked]):
        outcome = _plan(names, zones=[CLOUDFLARE], elsewhere=elsewhere, services=[one])
        assert outcome.status == 1
        told = {hostname, *names[1:]}
        assert {name: outcome.outcome[name] for name in told} == dict.fromkeys(told, ("refused", "zone-none"))
        assert "service docs/wiki is internal" in outcome.reason(names[-1] if names[1:] else hostname)
        assert "declare the service in the stack that publishes the domain" in outcome.reason(hostname)
        assert outcome.states["shop.example.com"] == "published"


def test_an_internal_service_of_an_own_zone_keeps_names_elsewhere_internal_without_an_error() -> None:
    """Split horizon, and a wildcard that reaches into a child: the service is where its own zone is."""
    private = {"name": "wiki", "namespace": "docs", "exposure": "internal", "hostnames": ["*.example.com"]}
    outcome = _plan(["x.corp.example.com"], zones=[CLOUDFLARE], elsewhere=["corp.example.com"], services=[private])
    assert (outcome.status, outcome.outcome["x.corp.example.com"]) == (0, ("refused", "exposure-internal"))
    outcome = _plan(["wiki.example.com"], zones=[PRIVATE], elsewhere=["example.com"], services=[private])
    assert (outcome.status, outcome.outcome["wiki.example.com"]) == (0, ("refused", "exposure-internal"))
