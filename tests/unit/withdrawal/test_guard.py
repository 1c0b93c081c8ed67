"""The guard: what stops a run, what it says, and what exactly lets it pass once."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.causes import Causes
from edge_dns.core.decision import Decision
from edge_dns.core.guard import (
    Finding,
    Listing,
    Stop,
    below_minimum,
    empty_desired,
    hub_account,
    judge,
    over_limits,
    told,
)
from edge_dns.core.rules import Level, Refusal
from edge_dns.core.settings import Acknowledge, Safety, Zone
from edge_dns.core.values import Alias, Provider, RecordType, RRset, Source
from edge_dns.core.zone_changes import zone_changes
from edge_dns.core.zones import ZoneIndex

DATA = Path(__file__).parent / "data"
BUGS = {case["id"]: case for case in yaml.safe_load((DATA / "bug_cases.yaml").read_text())}
ZONES = [
    Zone(domain="example.com", provider="cloudflare", zone_id="zcf"),
    Zone(domain="example.org", provider="route53", zone_id="zr53"),
]
ZONE_OF: dict[Provider, str] = {"cloudflare": "zcf", "route53": "zr53"}
LB = Alias(name="dualstack.lb.eu-west-1.elb.amazonaws.com.", zone_id="Z2", evaluate_target_health=True)


def record(
    name: str,
    *values: str,
    kind: RecordType = "A",
    zone_id: str = "zcf",
    ttl: int | None = 300,
    alias: Alias | None = None,
) -> RRset:
    return RRset(zone_id=zone_id, name=name, type=kind, values=values or ("8.8.8.8",), ttl=ttl, alias=alias)


def names(count: int) -> list[str]:
    return [f"app-{number:03}.example.com" for number in range(count)]


def some(count: int, *, zone_id: str = "zcf") -> list[RRset]:
    return [record(name, zone_id=zone_id) for name in names(count)]


def stops(before: Iterable[RRset], after: Iterable[RRset], **safety: Any) -> tuple[Stop, ...]:
    given = Safety(**safety)
    return judged(over_limits(zone_changes(before, after, ZoneIndex.of(ZONES)), given), given.acknowledge)


def judged(
    findings: Iterable[Finding], acknowledge: Acknowledge | None = None, decisions: Iterable[Decision] = ()
) -> tuple[Stop, ...]:
    return judge(tuple(findings), acknowledge, Causes(decisions)).stops


def rules(found: Iterable[Stop]) -> list[str]:
    assert all(stop.refusal.level is Level.STOP for stop in found)
    return [stop.refusal.rule for stop in found]


def unwrapped(stop: Stop) -> str:
    return " ".join(f"{stop.refusal.reason} {stop.way_out}".split())


def test_a_mass_withdrawal_names_counts_share_limit_names_and_the_way_through() -> None:
    case = BUGS["BC-E01"]
    existing, deleted = case["input"]["existing"], case["input"]["plan"]["delete"]
    limits = case["input"]["limits"]
    (stop,) = stops(
        some(existing),
        some(existing)[deleted:],
        max_update=limits["update"],
        max_withdraw=limits["delete"],
        min_records=limits["min_existing"],
    )
    assert stop.refusal.rule == case["expect"]["rule"]
    assert stop.hostnames == tuple(names(deleted))
    lines = stop.refusal.reason.splitlines()
    share = f"{case['expect']['percent']:.2f}"
    text = unwrapped(stop)
    assert text.startswith(
        f"zone example.com (zcf): {deleted} of {existing} own records ({share} %) would be withdrawn, "
        "safety.maxWithdraw allows 30 %: hostnames: app-000.example.com "
    )
    assert text.endswith(
        f" and {deleted - 20} more when this is meant: to allow exactly this in one run, set "
        f"edge-dns:safety.acknowledge.count to {deleted}, or list all these hostnames in "
        "edge-dns:safety.acknowledge.names"
    )
    assert [line for line in lines if line.startswith("  app-")] == [f"  {name}" for name in names(20)]
    assert max(map(len, told([stop]).splitlines())) <= 80


@pytest.mark.parametrize(
    ("existing", "withdrawn", "stopped"),
    [(9, 9, False), (10, 3, False), (10, 4, True), (100, 30, False), (100, 31, True)],
    ids=["too few records", "exactly the limit", "over", "exactly the limit of many", "just over"],
)
def test_only_more_than_the_limit_stops_and_only_from_the_minimum_up(
    existing: int, withdrawn: int, stopped: bool
) -> None:
    assert rules(stops(some(existing), some(existing)[withdrawn:])) == (["mass-delete"] if stopped else [])


@pytest.mark.parametrize("share", [0.07, 0.29, 0.57, 0.58])
def test_a_share_is_taken_as_it_is_written(share: float) -> None:
    allowed = round(share * 100)
    assert stops(some(100), some(100)[allowed:], max_withdraw=share) == ()
    assert rules(stops(some(100), some(100)[allowed + 1 :], max_withdraw=share)) == ["mass-delete"]


def test_each_zone_is_measured_by_itself() -> None:
    big = some(100, zone_id="zr53")
    found = stops([*some(10), *big], big)
    assert rules(found) == ["mass-delete"]
    assert "example.com" in unwrapped(found[0])


def test_a_zone_that_left_the_settings_is_withdrawn_whole() -> None:
    (stop,) = stops(some(12, zone_id="gone"), some(12))
    assert stop.refusal.rule == "mass-delete"
    assert "zone gone, which left the settings" in unwrapped(stop)


CHANGES = [
    ("another value", [record("x", "8.8.4.4")], [record("x", "8.8.8.8")]),
    ("another TTL", [record("x")], [record("x", ttl=60)]),
    ("proxied", [record("x")], [replace(record("x"), proxied=True)]),
    ("another type", [record("x")], [record("x", "edge.example.net", kind="CNAME")]),
    ("one of two values", [record("x", "8.8.8.8", "8.8.4.4")], [record("x")]),
]


@pytest.mark.parametrize(("old", "new"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_changes_are_updates_and_no_withdrawals(old: list[RRset], new: list[RRset]) -> None:
    def everywhere(rrsets: list[RRset]) -> list[RRset]:
        return [replace(rrset, name=name) for name in names(10) for rrset in rrsets]

    found = stops(everywhere(old), everywhere(new))
    assert rules(found) == ["mass-update"]
    assert "10 of 10 own records (100.00 %) would be changed" in unwrapped(found[0])
    assert "safety.maxUpdate" in unwrapped(found[0])
    assert stops(everywhere(old), everywhere(new), max_update=1.0) == ()


def test_a_change_of_type_of_a_pair_counts_as_one_update() -> None:
    pair: list[RRset] = []
    for name in names(10):
        pair += [record(name, alias=LB, ttl=None, zone_id="zr53"), record(name, kind="AAAA", alias=LB, zone_id="zr53")]
    after = [record(name, "edge.example.net", kind="CNAME", zone_id="zr53") for name in names(10)]
    (stop,) = stops(pair, after)
    assert "10 of 20 own records (50.00 %) would be changed" in unwrapped(stop)


def test_a_type_that_goes_while_another_stays_is_a_withdrawal() -> None:
    before = [*some(10), *(record(name, "2606:4700::1", kind="AAAA") for name in names(10))]
    found = stops(before, some(10))
    assert rules(found) == ["mass-delete"]
    assert "10 of 20" in unwrapped(found[0])


def test_values_spread_over_slots_are_one_record_set() -> None:
    whole = [record(name, "8.8.8.8", "8.8.4.4") for name in names(10)]
    spread = [record(name, value) for name in names(10) for value in ("8.8.4.4", "8.8.8.8")]
    assert stops(spread, whole) == ()
    assert "4 of 10" in unwrapped(stops(spread, whole[4:])[0])


def test_new_names_stop_nothing() -> None:
    assert stops(some(10), some(1000)) == ()
    assert stops([], some(1000)) == ()


@pytest.mark.parametrize(
    ("acknowledge", "passes"),
    [
        ({"count": 5}, True),
        ({"count": 4}, False),
        ({"count": 6}, False),
        ({"names": names(5)}, True),
        ({"names": names(7)}, True),
        ({"names": names(4)}, False),
        ({"names": ["app-999.example.com"]}, False),
    ],
    ids=["the count", "a smaller count", "a greater count", "the names", "more names", "not all names", "other names"],
)
def test_only_an_exact_acknowledgement_passes(acknowledge: dict[str, Any], passes: bool) -> None:
    found = stops(some(10), some(10)[5:], acknowledge=Acknowledge(**acknowledge))
    assert rules(found) == ([] if passes else ["mass-delete"])


def test_an_acknowledged_count_is_of_hostnames() -> None:
    before = [*some(10), *(record(name, "2606:4700::1", kind="AAAA") for name in names(10))]
    after = [rrset for rrset in before if rrset.name not in names(5)]
    assert rules(stops(before, after, acknowledge=Acknowledge(count=10))) == ["mass-delete"]
    assert stops(before, after, acknowledge=Acknowledge(count=5)) == ()


def test_free_withdraws_without_limit_but_changes_within_it() -> None:
    assert stops(some(10), [], withdraw="free") == ()
    assert rules(stops(some(10), [record(name, "8.8.4.4") for name in names(10)], withdraw="free")) == ["mass-update"]


@pytest.mark.parametrize("acknowledge", [None, Acknowledge(count=1), Acknowledge(names=("app-000.example.com",))])
def test_never_forbids_every_withdrawal_whatever_is_acknowledged(acknowledge: Acknowledge | None) -> None:
    (stop,) = stops(some(2), some(2)[1:], withdraw="never", acknowledge=acknowledge)
    assert stop.refusal.rule == "delete-forbidden"
    assert stop.hostnames == ("app-000.example.com",)
    assert "set edge-dns:safety.withdraw to guarded" in unwrapped(stop)


@pytest.mark.parametrize(
    ("provider", "forbidden"), [("cloudflare", True), ("route53", False)], ids=["deleted first", "in place"]
)
def test_never_forbids_a_change_of_type_that_needs_a_delete(provider: Provider, forbidden: bool) -> None:
    case = BUGS["BC-E09"]
    live, desired = case["input"]["live"][0], case["input"]["desired"][0]
    zone_id = ZONE_OF[provider]
    old = record(live["name"], *live["values"], kind=live["type"], zone_id=zone_id)
    new = record(desired["name"], *desired["values"], kind=desired["type"], zone_id=zone_id)
    found = rules(stops([old], [new], withdraw="never"))
    assert found == ([case["expect"]["rule"]] if forbidden else [])


def test_never_forbids_that_a_pair_becomes_one_record_anywhere() -> None:
    pair = [record("x", zone_id="zr53"), record("x", "2606:4700::1", kind="AAAA", zone_id="zr53")]
    after = [record("x", "edge.example.net", kind="CNAME", zone_id="zr53")]
    assert rules(stops(pair, after, withdraw="never")) == ["delete-forbidden"]


def test_never_lets_updates_pass() -> None:
    assert stops([record("x")], [record("x", "8.8.4.4")], withdraw="never") == ()


@pytest.mark.parametrize("withdraw", ["never", "guarded", "free"])
def test_nothing_passes_the_withdrawal_of_a_protected_name(withdraw: str) -> None:
    protected = "app-000.example.com"
    found = stops(
        some(2), some(2)[1:], withdraw=withdraw, protect=(protected,), acknowledge=Acknowledge(names=(protected,))
    )
    assert found[0].refusal.rule == "delete-forbidden"
    assert found[0].hostnames == (protected,)
    assert "take them out of edge-dns:safety.protect" in unwrapped(found[0])
    assert rules(stops(some(2), some(2)[:1], withdraw="free", protect=(protected,))) == []


CLUSTERS = {"east": Listing(gateways=1, routes=1), "west": Listing(gateways=1, routes=1)}
PUBLISHED: dict[str | None, Collection[str]] = {None: ["t.example.com"], "east": ["a.example.com", "b.example.com"]}


def empties(planned: Collection[str], acknowledge: Acknowledge | None = None, **listed: Listing) -> tuple[Stop, ...]:
    return judged(empty_desired(PUBLISHED, planned, CLUSTERS | listed), acknowledge)


def test_nothing_at_all_where_something_was_stops() -> None:
    (stop,) = empties([])
    assert stop.refusal.rule == "empty-desired"
    assert stop.hostnames == ("a.example.com", "b.example.com", "t.example.com")
    assert "nothing at all would be published" in unwrapped(stop)
    assert empty_desired({}, [], CLUSTERS) == ()


@pytest.mark.parametrize(
    ("listing", "missing"),
    [
        (Listing(gateways=0, routes=5), "lists no Gateway that"),
        (Listing(gateways=1, routes=0), "lists no route that"),
        (Listing(gateways=0, routes=0), "lists no Gateway and no route that"),
    ],
)
def test_a_cluster_that_lists_nothing_any_more_stops(listing: Listing, missing: str) -> None:
    (stop,) = empties(["t.example.com"], east=listing)
    assert stop.hostnames == ("a.example.com", "b.example.com")
    assert f"cluster east {missing}" in unwrapped(stop)


def test_removing_one_of_several_sources_is_not_empty() -> None:
    assert empties(["t.example.com"]) == ()
    assert empties(["a.example.com"]) == ()
    assert empty_desired(PUBLISHED, ["t.example.com"], {}) == ()


def test_an_empty_cluster_that_never_published_stops_nothing() -> None:
    assert empties(["t.example.com"], west=Listing(gateways=0, routes=0)) == ()


@pytest.mark.parametrize(
    ("acknowledge", "passes"),
    [
        (Acknowledge(count=3), True),
        (Acknowledge(count=2), False),
        (Acknowledge(names=("a.example.com", "b.example.com", "t.example.com")), True),
        (Acknowledge(names=("a.example.com", "b.example.com")), False),
    ],
)
def test_an_empty_plan_is_acknowledged_like_a_mass_withdrawal(acknowledge: Acknowledge, passes: bool) -> None:
    assert (empties([], acknowledge) == ()) is passes


def test_no_visible_invite_stops_until_acknowledged() -> None:
    published = ["a.example.com", "b.example.com"]
    found = hub_account(["media/films", "apps/web"], published)
    (stop,) = judged(found)
    assert stop.refusal.rule == "hub-account"
    assert stop.hostnames == tuple(published)
    assert "none of the known invites (apps/web, media/films)" in unwrapped(stop)
    assert "edge-dns:hub.apiKey" in unwrapped(stop)
    assert judged(found, Acknowledge(count=2)) == ()
    assert judged(found, Acknowledge(count=1)) != ()
    assert hub_account(["media/films"], []) == ()
    assert hub_account([], []) == ()


# --- one acknowledgement for a run ------------------------------------------------------------------------------------


def test_one_count_is_for_all_stops_of_a_run() -> None:
    org = [record(f"x{number}.example.org", zone_id="zr53") for number in range(12)]
    before, after = [*some(10), *org], [*some(10)[5:], *org[6:]]
    first, second = stops(before, after)
    assert first.way_out == second.way_out
    assert "safety.acknowledge.count to 11," in unwrapped(first)
    assert told([first, second]).count("when this is meant") == 1
    assert stops(before, after, acknowledge=Acknowledge(count=11)) == ()
    for count in (5, 6, 10):
        assert rules(stops(before, after, acknowledge=Acknowledge(count=count))) == ["mass-delete", "mass-delete"]


def test_a_hostname_in_two_stops_counts_once() -> None:
    published: dict[str | None, Collection[str]] = {None: names(10)}
    changes = zone_changes(some(10), [], ZoneIndex.of(ZONES))
    found = (*empty_desired(published, [], {}), *over_limits(changes, Safety()))
    assert rules(judged(found)) == ["empty-desired", "mass-delete"]
    assert rules(judged(found, Acknowledge(count=11))) == ["empty-desired", "mass-delete"]
    assert told(judged(found)).splitlines().count("  app-000.example.com") == 1
    assert "  causes and hostnames: among those of empty-desired" in told(judged(found)).splitlines()
    assert judged(found, Acknowledge(count=10)) == ()


def test_names_let_those_stops_pass_that_they_hold() -> None:
    org = [record(f"x{number}.example.org", zone_id="zr53") for number in range(12)]
    (stop,) = stops([*some(10), *org], [*some(10)[5:], *org[6:]], acknowledge=Acknowledge(names=tuple(names(5))))
    assert stop.hostnames[0] == "x0.example.org"


def test_a_count_that_does_not_fit_is_told() -> None:
    (stop,) = stops(some(10), some(10)[5:], acknowledge=Acknowledge(count=3))
    assert stop.way_out.endswith("\nsafety.acknowledge.count is 3, this run needs 5")


def test_names_that_miss_some_are_told_with_those() -> None:
    acknowledge = Acknowledge(names=(*names(4), "other.example.com"))
    (stop,) = stops(some(10), some(10)[5:], acknowledge=acknowledge)
    assert stop.way_out.endswith("\nsafety.acknowledge.names holds 4 of them; missing:\n  app-004.example.com")


def test_missing_names_are_cut_like_all_lists() -> None:
    (stop,) = stops(some(100), [], acknowledge=Acknowledge(names=tuple(names(1))))
    assert stop.way_out.endswith("\n  app-020.example.com\n  and 79 more")


def test_several_ways_out_are_told_to_be_needed_all() -> None:
    found = stops(some(10), some(10)[5:], protect=("app-000.example.com",))
    lines = told(found).splitlines()
    assert lines.count("the run goes on only with all of these 2 answers:") == 1
    assert lines.index("the run goes on only with all of these 2 answers:") < lines.index(
        "when this is meant: take them out of edge-dns:safety.protect"
    )
    assert "answers" not in told(stops(some(10), some(10)[5:]))


@pytest.mark.parametrize(
    ("existing", "withdrawn", "safety", "noted"),
    [
        (9, 3, {}, True),
        (9, 2, {}, False),
        (10, 4, {}, False),
        (9, 9, {"withdraw": "free"}, False),
        (3, 1, {"min_records": 4}, True),
        (3, 1, {"min_records": 1}, False),
    ],
    ids=["over the share", "within it", "enough records", "free", "of a set minimum", "guarded"],
)
def test_what_the_minimum_lets_pass_is_noted(
    existing: int, withdrawn: int, safety: dict[str, Any], noted: bool
) -> None:
    settings = Safety(**safety)
    changes = zone_changes(some(existing), some(existing)[withdrawn:], ZoneIndex.of(ZONES))
    found = [one.message for one in below_minimum(changes, settings)]
    assert len(found) == noted
    for message in found:
        assert f"{withdrawn} of {existing} own records" in message
        assert f"is not looked at below safety.minRecords ({settings.min_records} own records)" in message


def test_what_nothing_acknowledges_has_a_way_out_of_its_own_beside_the_others() -> None:
    found = stops(some(10), some(10)[5:], protect=("app-000.example.com",), acknowledge=Acknowledge(count=5))
    assert rules(found) == ["delete-forbidden"]
    both = stops(some(10), some(10)[5:], protect=("app-000.example.com",))
    assert rules(both) == ["delete-forbidden", "mass-delete"]
    assert told(both).index("take them out of edge-dns:safety.protect") > told(both).index("mass-delete")


# --- the causes come first --------------------------------------------------------------------------------------------

WEB = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")


def withdrawn(name: str, rule: str, reason: str) -> Decision:
    refusal = Refusal(rule=rule, reason=reason)
    return Decision(hostname=name, visibility="public", source=WEB, state="withdrawn", refusal=refusal)


def lines_of(decisions: Iterable[Decision], before: Iterable[RRset], after: Iterable[RRset]) -> list[str]:
    found = over_limits(zone_changes(before, after, ZoneIndex.of(ZONES)), Safety())
    text = told(judged(found, None, decisions))
    assert max(map(len, text.splitlines())) <= 80
    return text.splitlines()


def test_causes_are_grouped_by_rule_and_reason_with_the_remedy_before_names_and_acknowledgement() -> None:
    decisions = [
        *(withdrawn(name, "zone-none", "no zone of the settings is a suffix of it (example.con)") for name in names(8)),
        withdrawn(names(9)[8], "not-declared", "TowonelTunnel shop/web no longer declares it"),
    ]
    assert lines_of(decisions, some(10), some(10)[9:]) == [
        "mass-delete: zone example.com (zcf): 9 of 10 own records (90.00 %)",
        "would be withdrawn, safety.maxWithdraw allows 30 %:",
        "  8 x zone-none: no zone of the settings is a suffix of it (example.con)",
        "      -> add the zone to `zones`, or check `visibility` of zone and source",
        "  1 x not-declared: TowonelTunnel shop/web no longer declares it",
        "      -> nothing when meant; else look at the settings, their `select` and",
        "         `routes`, and the objects",
        "hostnames:",
        *(f"  {name}" for name in names(9)),
        "when this is meant: to allow exactly this in one run, set",
        "edge-dns:safety.acknowledge.count to 9, or list all these hostnames in",
        "edge-dns:safety.acknowledge.names",
    ]


def test_many_reasons_of_one_rule_are_counted_together() -> None:
    decisions = [withdrawn(name, "route-rejected", f"HTTPRoute shop/{name}: refused") for name in names(9)]
    lines = lines_of(decisions, some(10), some(10)[9:])
    assert [line for line in lines if " x " in line] == [
        *(f"  1 x route-rejected: HTTPRoute shop/{name}: refused" for name in names(3)),
        "  6 x route-rejected: 6 other reasons",
    ]


def test_a_changed_target_shows_as_one_cause() -> None:
    before = [record(name, "edge-eu.example.net", kind="CNAME") for name in names(10)]
    after = [record(name, "edge-eu.exmaple.net", kind="CNAME") for name in names(10)]
    decisions = [Decision(hostname=name, visibility="public", source=WEB, state="published") for name in names(10)]
    assert lines_of(decisions, before, after)[2:4] == [
        "  10 x CNAME edge-eu.example.net (ttl 300) becomes CNAME edge-eu.exmaple.net",
        "      (ttl 300)",
    ]


def test_a_move_to_another_zone_is_a_cause() -> None:
    sub = Zone(domain="sub.example.com", provider="cloudflare", zone_id="zsub")
    decisions = [
        Decision(hostname=name, visibility="public", source=WEB, state="published", zone=sub) for name in names(10)
    ]
    assert "  10 x moves to zone sub.example.com (zsub)" in lines_of(decisions, some(10), some(10, zone_id="zsub"))


def test_a_forbidden_withdrawal_tells_its_cause_too() -> None:
    decisions = [withdrawn(names(1)[0], "dns-disabled", "dns.mode of the tunnel is Disabled")]
    changes = zone_changes(some(1), [], ZoneIndex.of(ZONES))
    (stop,) = judged(over_limits(changes, Safety(withdraw="never")), None, decisions)
    assert "  1 x dns-disabled: dns.mode of the tunnel is Disabled" in stop.refusal.reason.splitlines()


def test_a_hostile_reason_is_safe_for_a_terminal() -> None:
    decisions = [withdrawn(name, "route-rejected", "\x1b[31mred") for name in names(9)]
    (stop,) = judged(over_limits(zone_changes(some(10), [], ZoneIndex.of(ZONES)), Safety()), None, decisions)
    assert "\x1b" not in stop.refusal.reason
