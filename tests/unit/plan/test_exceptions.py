"""Exceptions of the settings: what they let through, for how long, and that every use of one is told."""

from collections.abc import Sequence
from typing import Any

import pytest

from edge_dns.core.exceptions import EXCEPTABLE
from edge_dns.core.live import Live, LiveZone, cloudflare_record, route53_record
from edge_dns.core.memory import Memory
from edge_dns.core.outputs import exceptions_output
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import reason
from edge_dns.core.program_settings import program_settings
from edge_dns.core.rules import RULES
from edge_dns.core.settings import SettingsInvalid, load_settings
from edge_dns.core.settle import HubAnswer, settle
from tests.unit.admission.objects import Object, gateway, route
from tests.unit.plan.world import (
    CLOUDFLARE,
    EDGE_TARGETS,
    FREE,
    ROUTE53,
    Run,
    invite,
    plan_of,
    run,
    settings_of,
    tunnel,
)

NAME = "vpn.example.com"
PRIVATE = {"domain": "lan.example.com", "provider": "route53", "zoneId": "Z3", "visibility": "private"}


def exception(rule: str, name: str = NAME, expires: str = "2027-03-31") -> dict[str, str]:
    return {"rule": rule, "name": name, "reason": "ticket 4711", "expires": expires}


def front(*hostnames: str, address: str = "203.0.113.7") -> list[Object]:
    """One Gateway with this address, and a route with these hostnames."""
    return [gateway(addresses=[{"type": "IPAddress", "value": address}]), route(hostnames=list(hostnames))]


def closed(zone: dict[str, Any]) -> dict[str, Any]:
    return {**zone, "allowedRecordSets": []}


# What breaks a rule: settings, objects, and the rule that the name `vpn.example.com` (or the other) breaks.
BROKEN = [
    pytest.param({}, front(NAME, address="10.0.0.7"), NAME, "private-address-public-zone", id="private address"),
    pytest.param(
        {"zones": [{**PRIVATE, "visibility": "public"}, {**PRIVATE, "domain": "corp.example.net", "zoneId": "Z4"}]},
        [],
        "x.lan.example.com",
        "internal-name-public-zone",
        id="target in a private zone",
    ),
    pytest.param({}, front("*.example.com"), "*.example.com", "wildcard-opt-in", id="wildcard"),
    pytest.param({"zones": [closed(CLOUDFLARE)]}, front(NAME), NAME, "record-not-allowed-by-zone", id="permission"),
    pytest.param({}, [], "ttl.example.com", "ttl-range", id="ttl"),
]
TUNNELS = [
    tunnel("x.lan.example.com", name="inner", dns={"mode": "Zone", "cnameTarget": "web.corp.example.net"}),
    tunnel("ttl.example.com", name="quick", dns={"mode": "Zone", "ttl": 30}),
]


def plan(settings: dict[str, Any], objects: Sequence[Object], *exceptions: Any, **more: Any) -> Run:
    base = {"tunnels": TUNNELS, "safety": FREE, "exceptions": list(exceptions)}
    return run(settings_of(**base | settings), *objects, **more)


@pytest.mark.parametrize(("settings", "objects", "name", "rule"), BROKEN)
def test_an_exception_lets_its_hostname_break_its_rule_until_its_last_day(
    settings: dict[str, Any], objects: list[Object], name: str, rule: str
) -> None:
    assert plan(settings, objects, today="2027-03-31").outcome[name] == ("refused", rule)
    excepted = plan(settings, objects, exception(rule, name), today="2027-03-31")
    assert excepted.outcome[name] == ("published", None)
    assert f"exception: it may break {rule} until 2027-03-31: ticket 4711" in excepted.reason(name)
    (entry,) = (one for one in excepted.document["hostnames"] if one["hostname"] == name)
    assert entry["exceptions"] == [{"rule": rule, "reason": "ticket 4711", "expires": "2027-03-31"}]
    assert [one for one in excepted.document["warnings"] if "exceptions" in one["path"]] == []

    # On the day after it counts as none, and the run says so; the published name follows its rule.
    after = plan(settings, objects, exception(rule, name), today="2027-04-01", memory=excepted.memory)
    state = "held" if rule in {"record-not-allowed-by-zone", "ttl-range"} else "withdrawn"
    assert after.outcome[name] == (state, rule)
    assert [(one["rule"], one["path"]) for one in after.document["warnings"]] == [
        ("exception-expired", "edge-dns:exceptions[0]")
    ]


def test_an_exception_of_one_rule_or_name_lets_nothing_else_through() -> None:
    objects = front(NAME, "db.example.com", "*.example.com", address="10.0.0.7")
    outcome = plan(
        {},
        objects,
        exception("private-address-public-zone"),
        exception("wildcard-opt-in", "*.example.com"),
        today="2027-01-01",
    )
    assert outcome.outcome[NAME] == ("published", None)
    assert outcome.outcome["db.example.com"] == ("refused", "private-address-public-zone")
    # It passes one rule by its exception and is refused by the next: the exception is needed, and is not told as idle.
    assert outcome.outcome["*.example.com"] == ("refused", "private-address-public-zone")
    assert outcome.document["warnings"] == []


def test_several_exceptions_of_a_name_are_used_together() -> None:
    rules = ["private-address-public-zone", "record-not-allowed-by-zone"]
    zones = [closed(CLOUDFLARE), ROUTE53]
    outcome = plan({"zones": zones}, front(NAME, address="10.0.0.7"), *map(exception, rules))
    assert outcome.outcome[NAME] == ("published", None)
    (entry,) = (one for one in outcome.document["hostnames"] if one["hostname"] == NAME)
    assert [one["rule"] for one in entry["exceptions"]] == rules


def test_an_exception_never_publishes_an_internal_name() -> None:
    opt_out = {"annotations": {"external-dns.kubernetes.io/controller": "none"}}
    hidden = route("team/hidden", uid="rt-2", hostnames=[NAME], metadata=opt_out)
    every = [exception(rule) for rule in sorted(EXCEPTABLE)]
    outcome = plan({}, [*front(NAME), hidden], *every)
    assert outcome.outcome[NAME] == ("refused", "exposure-internal")


def test_an_exception_that_nothing_needs_is_told() -> None:
    exceptions = [exception("wildcard-opt-in"), exception("ttl-range", "nobody.example.com")]
    outcome = plan({}, front(NAME), *exceptions, today="2027-01-01")
    assert [(one["rule"], one["path"]) for one in outcome.document["warnings"]] == [
        (None, "edge-dns:exceptions[0]"),
        (None, "edge-dns:exceptions[1]"),
    ]
    assert outcome.document["warnings"][0]["message"].endswith(
        f"{NAME}, rule wildcard-opt-in, until 2027-03-31: nothing breaks the rule; remove it"
    )


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        pytest.param("private-address-public-zone", "is not honoured; renew it or remove it", id="that is needed"),
        pytest.param("wildcard-opt-in", "nothing breaks the rule; remove it", id="that nothing needs"),
    ],
)
def test_an_exception_that_is_over_names_its_day_and_is_to_be_renewed_only_where_something_needs_it(
    rule: str, told: str
) -> None:
    address = "10.0.0.7" if rule == "private-address-public-zone" else "198.51.100.7"
    outcome = plan({}, front(NAME, address=address), exception(rule), today="2099-01-01")
    (warning,) = outcome.document["warnings"]
    assert warning["rule"] == "exception-expired"
    assert f"it ended on {exception(rule)['expires']} and {told}" in warning["message"]


def test_a_held_name_keeps_values_that_only_an_exception_lets_stand() -> None:
    objects = front(NAME, address="10.0.0.7")
    allowed = exception("private-address-public-zone")
    first = plan({}, objects, allowed)
    rival = tunnel(NAME, name="rival")
    second = plan({"tunnels": [rival]}, objects, allowed, memory=first.memory)
    assert second.outcome[NAME] == ("held", "host-claimed-twice")
    assert second.records[NAME] == {"A": ["10.0.0.7"]}
    assert "exception: it may break private-address-public-zone" in second.reason(NAME)
    assert plan({"tunnels": [rival]}, objects, memory=first.memory).outcome[NAME] == (
        "withdrawn",
        "private-address-public-zone",
    )


def test_cnames_in_a_circle_stand_where_each_name_of_it_is_excepted() -> None:
    pair = [
        tunnel("a.example.com", name="a", dns={"mode": "Zone", "cnameTarget": "b.example.com"}),
        tunnel("b.example.com", name="b", dns={"mode": "Zone", "cnameTarget": "a.example.com"}),
    ]
    one, other = exception("cname-loop", "a.example.com"), exception("cname-loop", "b.example.com")
    both = run(settings_of(tunnels=pair, exceptions=[one, other]))
    assert both.states == {"a.example.com": "published", "b.example.com": "published"}
    assert all(entry["exceptions"] for entry in both.document["hostnames"])
    # With one of them refused there is no circle any more.
    half = run(settings_of(tunnels=pair, exceptions=[one]))
    assert half.outcome["b.example.com"] == ("refused", "cname-loop")
    assert half.states["a.example.com"] == "published"


def _beside(zone: dict[str, Any], name: str, *exceptions: Any) -> Plan:
    """The plan of a tunnel's CNAME beside a record of somebody else, which the live zone holds."""
    if zone is CLOUDFLARE:
        record = cloudflare_record("z1", {"id": "1", "name": name, "type": "NS", "content": "ns.example.net", "ttl": 1})
    else:
        answer = {"name": name, "type": "MX", "ttl": 300, "resourceRecords": [{"value": "10 mail.example.net."}]}
        record = route53_record("Z2", answer)
    live = Live(
        owner="edge-dns/test",
        announced=None,
        import_ids={},
        zones={zone["zoneId"]: LiveZone.of(zone["domain"], [record])},
    )
    settings = load_settings(
        {"zones": [zone], "edgeTargets": EDGE_TARGETS, "tunnels": [tunnel(name)], "exceptions": list(exceptions)}
    )
    return make_plan(settings, Observed(live=live), Memory())


def test_a_cname_stands_beside_another_record_by_exception_and_the_report_lists_it() -> None:
    """Bug case: BC-C20."""
    name = "legacy.example.org"
    (refused,) = _beside(ROUTE53, name).decisions
    assert refused.refusal
    assert refused.refusal.rule == "cname-coexistence"
    (excepted,) = _beside(ROUTE53, name, exception("cname-coexistence", name)).decisions
    assert excepted.state == "published"
    assert "exception: it may break cname-coexistence" in reason(excepted)
    assert exceptions_output([excepted]) == {
        name: [{"rule": "cname-coexistence", "reason": "ticket 4711", "expires": "2027-03-31"}]
    }


@pytest.mark.parametrize(
    "rule", sorted(set(RULES) - EXCEPTABLE - {r for r, one in RULES.items() if one.level.value == "stop"})
)
def test_every_other_rule_is_refused_with_the_list_of_those_that_can_be_excepted(rule: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        program_settings({"edge-dns:exceptions": [exception("ttl-range"), exception(rule)]})
    (error,) = refused.value.errors
    assert error.path == "edge-dns:exceptions[1].rule"
    assert error.message == f"the program makes no exception of {rule}, only of {', '.join(sorted(EXCEPTABLE))}"


def test_an_exception_is_told_of_a_name_that_the_hub_confirms_after_it_had_refused_it() -> None:
    inner = tunnel("x.example.com", dns={"mode": "Zone", "cnameTarget": "web.team.svc.cluster.local"})
    settings = settings_of(tunnels=[inner], exceptions=[exception("internal-name-public-zone", "x.example.com")])
    taken = [invite(), invite("x.example.com", invite_id="inv-2", name="other/tenant")]
    plan = plan_of(settings, hub=taken)
    (refused,) = plan.decisions
    assert (refused.state, refused.conditional) == ("refused", True)
    (settled,) = settle([refused], {refused.source: HubAnswer(confirmed=["x.example.com"], refused={})})
    assert settled.state == "published"
    assert [one.rule for one in settled.excepted] == ["internal-name-public-zone"]


def test_an_impossible_exception_is_told_with_all_other_errors_of_the_settings() -> None:
    without_reason = {key: value for key, value in exception("host-taken").items() if key != "reason"}
    with pytest.raises(SettingsInvalid) as refused:
        program_settings({"exceptions": [without_reason, exception("nope"), exception("host-taken")], "zones": 1})
    assert sorted(error.path for error in refused.value.errors) == [
        "exceptions[0].reason",
        "exceptions[0].rule",
        "exceptions[1].rule",
        "exceptions[2].rule",
        "zones",
    ]
