"""Tunnels of kind cloudflare in the plan: which hostnames are published, and what becomes of the ingress list."""

from dataclasses import replace
from typing import Any

import pytest

from edge_dns.core.cloudflare_view import (
    AccountTunnels,
    IngressRule,
    LiveTunnel,
    is_unknown_target,
    sorted_rules,
    unknown_target,
)
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import Live, LiveZone
from edge_dns.core.memory import RulesMemory
from edge_dns.core.plan import Plan
from tests.unit.admission.objects import gateway, route
from tests.unit.plan.world import FREE, Json, Run, plan_of, run, settings_of, tunnel

ACCOUNT, OTHER = "a" * 32, "b" * 32
ID = "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11"
TARGET = f"{ID}.cfargotunnel.com"
APP, WIKI = "app.example.com", "wiki.example.com"
ORIGIN = "http://app:80"
CATCH_ALL = IngressRule(hostname="", service="http_status:404")


def web(*hostnames: str, dns: Json | None = None, **more: Any) -> Json:
    of = {"accountId": ACCOUNT, "origin": ORIGIN, **more}
    return tunnel(*hostnames, kind="cloudflare", cloudflare=of, dns={"mode": "Zone", **(dns or {})})


def rule(hostname: str, service: str = ORIGIN) -> IngressRule:
    return IngressRule(hostname=hostname, service=service)


def remembered(*hostnames: str, **more: Any) -> Json:
    """The memory of a run that has made the tunnel with these hostnames."""
    first = run(settings_of(tunnels=[web(*hostnames, adopt=ID)], safety=FREE), **more)
    assert first.states == dict.fromkeys(hostnames, "published")
    return first.memory


def listed(*ingress: IngressRule, name: str = "shop.web", **more: Any) -> dict[str, AccountTunnels]:
    live = LiveTunnel(tunnel_id=ID, name=name, deleted=False, ingress=ingress)
    return {ACCOUNT: AccountTunnels(by_id={ID: replace(live, **more)})}


EMPTY = {ACCOUNT: AccountTunnels(by_id={})}


def planned(*hostnames: str, memory: object = None, cloudflare: Any = None, **more: Any) -> tuple[Run, Plan]:
    settings, found = settings_of(tunnels=[web(*hostnames, **more)], safety=FREE), cloudflare or {}
    return run(settings, memory=memory, cloudflare=found), plan_of(settings, memory=memory, cloudflare=found)


def ingress(plan: Plan) -> list[str]:
    (one,) = plan.cloudflare
    return [str(rule) for rule in one.ingress]


# --- what is published ------------------------------------------------------------------------------------------------


def test_bc_i06_hostnames_are_proxied_cnames_of_the_tunnel_also_at_the_apex() -> None:
    settings = settings_of(tunnels=[web(APP, "example.com")])
    document = run(settings, memory=remembered(APP, "example.com")).document["records"]
    told = {(one["name"], one["type"], *one["values"], one["ttl"], one["proxied"]) for one in document}
    assert told == {(name, "CNAME", TARGET, 1, True) for name in (APP, "example.com")}


def test_a_tunnel_without_an_id_has_a_target_that_stands_for_it() -> None:
    outcome, plan = planned(APP, cloudflare=EMPTY)
    assert outcome.states == {APP: "published"}
    (value,) = outcome.records[APP]["CNAME"]
    assert value == unknown_target("shop/web")
    assert is_unknown_target(value)
    assert not is_unknown_target(TARGET)
    assert (plan.cloudflare[0].tunnel_id, outcome.memory["tunnels"]) == (None, {})


def test_two_new_tunnels_do_not_want_the_same() -> None:
    two = {**web(APP), "name": "two"}
    assert run(settings_of(tunnels=[web(APP), two])).rules == {APP: "host-claimed-twice"}


@pytest.mark.parametrize(
    ("hostname", "reason"),
    [("app.example.org", "example.org is at route53"), (APP, f"of account {ACCOUNT}, and zone example.com of {OTHER}")],
)
def test_only_cloudflare_zones_of_the_account_hold_its_names(hostname: str, reason: str) -> None:
    live = Live(owner="me", import_ids={}, announced=None, zones={"z1": LiveZone(account=OTHER)})
    outcome = run(settings_of(tunnels=[web(hostname)]), live=live)
    assert outcome.outcome == {hostname: ("refused", "tunnel-zone")}
    assert reason in outcome.reason(hostname)
    assert outcome.status == 1


def test_a_zone_of_the_account_holds_its_names() -> None:
    live = Live(owner="me", import_ids={}, announced=None, zones={"z1": LiveZone(account=ACCOUNT)})
    assert run(settings_of(tunnels=[web(APP)]), live=live).states == {APP: "published"}


def test_a_ttl_of_the_zone_does_not_count() -> None:
    zone = {"domain": "example.com", "provider": "cloudflare", "zoneId": "z1", "ttl": 300}
    (record,) = run(settings_of(zones=[zone], tunnels=[web(APP)])).document["records"]
    assert (record["ttl"], record["proxied"]) == (1, True)


def test_names_are_refused_one_by_one() -> None:
    outcome, plan = planned(APP, "a..b", "*.example.com", cloudflare=EMPTY)
    assert outcome.outcome == {
        APP: ("published", None),
        "a..b": ("refused", "name-syntax"),
        "*.example.com": ("refused", "wildcard-opt-in"),
    }
    assert ingress(plan) == [f"{APP} → {ORIGIN}", f"*.example.com → {ORIGIN}", "* → http_status:404"]


def test_with_dns_disabled_the_tunnel_serves_the_names_and_none_is_published() -> None:
    outcome, plan = planned(APP, dns={"mode": "Disabled"}, memory=remembered(APP))
    assert outcome.outcome == {APP: ("withdrawn", "dns-disabled")}
    assert ingress(plan)[0] == f"{APP} → {ORIGIN}"


def test_bc_i01_a_changed_hostname_is_one_new_and_one_withdrawn() -> None:
    outcome, plan = planned(WIKI, memory=remembered(APP), cloudflare=listed(rule(APP), CATCH_ALL))
    assert outcome.outcome == {APP: ("withdrawn", "not-declared"), WIKI: ("published", None)}
    assert ingress(plan) == [f"{WIKI} → {ORIGIN}", "* → http_status:404"]


def test_bc_i03_a_hostname_that_is_handed_over_is_released_and_not_deleted() -> None:
    settings = settings_of(tunnels=[web(APP)], release=[APP], safety=FREE)
    assert run(settings, memory=remembered(APP)).outcome == {APP: ("released", "release-listed")}


def test_a_renamed_tunnel_keeps_its_id_and_its_names() -> None:
    renamed = {**web(APP), "name": "site", "aliases": ["shop/web"]}
    settings = settings_of(tunnels=[renamed])
    plan = plan_of(settings, memory=remembered(APP), cloudflare=listed(rule(APP), CATCH_ALL))
    assert (plan.cloudflare[0].tunnel_id, plan.cloudflare[0].name) == (ID, "shop.web")
    assert [(one.hostname, one.state, one.published_before) for one in plan.decisions] == [(APP, "published", True)]
    assert plan.warnings == ()


def test_a_towonel_tunnel_of_the_same_name_is_another_source() -> None:
    settings = settings_of(tunnels=[web(APP), tunnel("shop.example.com")])
    assert {one.id for one in plan_of(settings).sets} == {"cloudflare.shop.web", "towonel.shop.web"}


def test_a_gateway_that_wants_other_records_for_the_name_is_told() -> None:
    settings = settings_of(tunnels=[web(APP)])
    outcome = run(settings, gateway(), route(hostnames=[APP]), memory=remembered(APP))
    assert outcome.outcome == {APP: ("held", "host-claimed-twice")}
    assert outcome.records[APP] == {"CNAME": [TARGET]}


# --- the tunnel itself ------------------------------------------------------------------------------------------------


ELSE = LiveTunnel(tunnel_id="1d0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a12", name="other", deleted=False)


@pytest.mark.parametrize(
    "account", [EMPTY, {ACCOUNT: AccountTunnels(by_id={ELSE.tunnel_id: ELSE})}], ids=["empty", "without the tunnel"]
)
def test_a_list_without_a_tunnel_of_this_stack_was_not_read_whole_since_deleted_ones_stay_in_it(account: Any) -> None:
    with pytest.raises(ObservationFailed) as failed:
        planned(APP, memory=remembered(APP), cloudflare=account)
    assert f"the list lacks tunnel shop.web ({ID}) of this stack" in str(failed.value)
    assert "cloudflare:apiToken" in str(failed.value)


def test_the_names_of_a_deleted_tunnel_are_withdrawn_and_nothing_else_changes() -> None:
    account = listed(deleted=True)
    # Something else stays published: a stack without any name is for the guard.
    settings = settings_of(tunnels=[web(APP, WIKI), tunnel("keep.example.com", name="keep")], safety=FREE)
    memory = remembered(APP)
    outcome = run(settings, memory=memory, cloudflare=account)
    plan = plan_of(settings, memory=memory, cloudflare=account)
    assert outcome.outcome == {
        APP: ("withdrawn", "tunnel-gone"),
        WIKI: ("refused", "tunnel-gone"),
        "keep.example.com": ("published", None),
    }
    assert ID in outcome.reason(APP)
    assert outcome.status == 1
    (one,) = plan.cloudflare
    assert (one.gone, ingress(plan)) == (True, [f"{APP} → {ORIGIN}", "* → http_status:404"])


def test_a_tunnel_is_adopted_by_its_id_under_the_name_that_it_has() -> None:
    _, plan = planned(APP, adopt=ID, cloudflare=listed(CATCH_ALL, name="by-hand"))
    (one,) = plan.cloudflare
    assert (one.adopts, one.tunnel_id, one.name) == (ID, ID, "by-hand")
    _, again = planned(APP, adopt=ID, memory=remembered(APP), cloudflare=listed(rule(APP), CATCH_ALL, name="by-hand"))
    assert again.cloudflare[0].adopts is None


@pytest.mark.parametrize(
    ("account", "more", "rule_id"),
    [
        (listed(), {}, "tunnel-foreign"),
        (EMPTY, {"adopt": ID}, "tunnel-gone"),
        (listed(deleted=True), {"adopt": ID}, "tunnel-gone"),
        (listed(remote=False), {"adopt": ID}, "adopt-differs"),
    ],
    ids=["name taken", "not there", "deleted", "configured locally"],
)
def test_a_tunnel_that_cannot_be_had_is_not_declared(account: Any, more: Json, rule_id: str) -> None:
    outcome, plan = planned(APP, cloudflare=account, **more)
    assert outcome.outcome == {APP: ("refused", rule_id)}
    assert (ingress(plan), outcome.memory["tunnels"], outcome.status) == ([], {}, 1)


def test_the_name_of_a_deleted_tunnel_is_free() -> None:
    assert planned(APP, cloudflare=listed(deleted=True))[0].states == {APP: "published"}


def test_another_account_is_another_tunnel() -> None:
    settings = settings_of(tunnels=[{**web(APP), "cloudflare": {"accountId": OTHER, "origin": ORIGIN}}], safety=FREE)
    plan = plan_of(settings, memory=remembered(APP), cloudflare={OTHER: AccountTunnels(by_id={})})
    assert plan.cloudflare[0].tunnel_id is None
    assert [one.rule for one in plan.warnings] == ["tunnel-deleted"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("other", "since the tunnel left the settings"), ("web", "since its kind is towonel now")],
    ids=["left", "another kind"],
)
def test_a_tunnel_that_leaves_is_told_with_what_goes(name: str, told: str) -> None:
    outcome = run(settings_of(safety=FREE, tunnels=[tunnel("x.example.com", name=name)]), memory=remembered(APP))
    assert outcome.outcome[APP] == ("withdrawn", "not-declared")
    (warning,) = outcome.document["warnings"]
    assert warning["rule"] == "tunnel-deleted"
    assert ID in warning["message"]
    assert told in warning["message"]
    assert ("`aliases: [shop/web]`" in warning["message"]) is (name == "other")


# --- the ingress list -------------------------------------------------------------------------------------------------


def test_exact_names_come_before_wildcards_and_long_wildcards_before_short_ones() -> None:
    names = ["*.example.com", "z.a.example.com", "*.a.example.com", "a.example.com"]
    ordered = [one.hostname for one in sorted_rules(map(rule, names))]
    assert ordered == ["z.a.example.com", "a.example.com", "*.a.example.com", "*.example.com"]


def test_each_hostname_leads_to_its_origin_and_all_else_to_the_catch_all() -> None:
    _, plan = planned(APP, WIKI, origins={WIKI: "https://wiki:8443"}, catchAll="http_status:503")
    assert ingress(plan) == [f"{APP} → {ORIGIN}", f"{WIKI} → https://wiki:8443", "* → http_status:503"]


def test_a_tunnel_without_hostnames_keeps_its_catch_all_alone() -> None:
    assert ingress(planned()[1]) == ["* → http_status:404"]


THEIRS = rule("old.example.com", "http://old")


def test_rules_of_others_are_not_deleted_and_hold_back_new_names_only() -> None:
    account = listed(rule(APP), THEIRS, CATCH_ALL)
    outcome, plan = planned(APP, WIKI, memory=remembered(APP), cloudflare=account)
    assert outcome.outcome == {APP: ("published", None), WIKI: ("refused", "ingress-foreign")}
    assert "old.example.com → http://old" in outcome.reason(WIKI)
    assert (plan.cloudflare[0].kept, ingress(plan)) == (True, [f"{APP} → {ORIGIN}", "* → http_status:404"])
    allowed, plan = planned(APP, WIKI, memory=remembered(APP), cloudflare=account, replaceIngress=[THEIRS.hostname])
    assert (allowed.states, plan.cloudflare[0].kept) == ({APP: "published", WIKI: "published"}, False)
    assert f"{WIKI} → {ORIGIN}" in ingress(plan)


def test_rules_of_others_are_told_and_kept_where_nothing_would_be_written() -> None:
    outcome, plan = planned(APP, memory=remembered(APP), cloudflare=listed(rule(APP), THEIRS, CATCH_ALL))
    assert outcome.outcome == {APP: ("published", None)}
    (warning,) = outcome.document["warnings"]
    assert "somebody else added ingress rules" in warning["message"]
    assert plan.cloudflare[0].kept


def test_rules_that_were_to_be_replaced_stay_ours_until_cloudflare_holds_them_no_more() -> None:
    def after(memory: Json, held: str) -> tuple[Run, Plan]:
        return planned(WIKI, memory=memory, cloudflare=listed(rule(held), CATCH_ALL))

    failed, plan = after(remembered(APP), APP)
    assert plan.cloudflare[0].rules.former == (rule(APP),)
    again, plan = after(failed.memory, APP)
    assert (again.states, plan.cloudflare[0].kept) == ({WIKI: "published"}, False)
    _, plan = after(again.memory, WIKI)
    assert plan.cloudflare[0].rules == RulesMemory(declared=(rule(WIKI), CATCH_ALL))


def test_a_tunnel_of_this_stack_whose_rules_others_wrote_before_it_did_is_not_given_up() -> None:
    memory = remembered(APP)
    memory["tunnels"]["shop/web"]["rules"] = {}
    outcome, plan = planned(APP, memory=memory, cloudflare=listed(THEIRS, CATCH_ALL))
    (one,) = plan.cloudflare
    assert (outcome.rules, one.declared, one.ingress) == ({APP: "ingress-foreign"}, True, ())


def test_rules_of_ours_that_were_changed_outside_are_told_with_the_remedy() -> None:
    changed = listed(rule(APP, "http://elsewhere"), CATCH_ALL)
    outcome, _ = planned(APP, memory=remembered(APP), cloudflare=changed, replaceIngress=[APP])
    (warning,) = outcome.document["warnings"]
    assert f"{APP} → {ORIGIN}; `pulumi up --refresh` puts them right" in warning["message"]


@pytest.mark.parametrize(
    ("theirs", "name"),
    [
        (IngressRule(hostname="", service="http://fallback"), "*"),
        (IngressRule(hostname=APP, service=ORIGIN, path="/api"), APP),
        (IngressRule(hostname=APP, service=ORIGIN, tuned=True), APP),
    ],
    ids=["catch-all", "path", "settings of the origin"],
)
def test_an_adopted_tunnel_keeps_what_nobody_let_go(theirs: IngressRule, name: str) -> None:
    outcome, plan = planned(APP, adopt=ID, cloudflare=listed(theirs))
    assert (outcome.rules, ingress(plan)) == ({APP: "ingress-foreign"}, [])
    outcome, plan = planned(APP, adopt=ID, cloudflare=listed(theirs), replaceIngress=[name])
    assert (outcome.states, len(ingress(plan))) == ({APP: "published"}, 2)


def test_an_adopted_tunnel_with_exactly_the_wanted_rules_needs_no_word() -> None:
    outcome, _ = planned(APP, adopt=ID, cloudflare=listed(rule(APP), CATCH_ALL))
    assert (outcome.states, outcome.document["warnings"]) == ({APP: "published"}, [])


def test_the_plan_is_the_same_whatever_the_order() -> None:
    memory = remembered(APP, WIKI)
    first, _ = planned(APP, WIKI, memory=memory, cloudflare=listed(rule(APP), rule(WIKI), CATCH_ALL))
    second, _ = planned(WIKI, APP, memory=memory, cloudflare=listed(CATCH_ALL, rule(WIKI), rule(APP)))
    assert first.text == second.text
