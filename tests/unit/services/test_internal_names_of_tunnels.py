"""Internal names at tunnels: no invite and no ingress list holds them, since a public wildcard may lead there."""

from typing import Any

import pytest

from edge_dns.core.authority import ResolverAnswer
from edge_dns.core.cloudflare_view import IngressRule
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import plan_document
from tests.unit.admission.objects import Object, gateway, route
from tests.unit.plan.test_cloudflare_tunnel_plans import CATCH_ALL, ID, ingress, listed, remembered, rule, web
from tests.unit.plan.test_not_supported import other
from tests.unit.plan.world import CLOUDFLARE, FREE, Json, invite, plan_of, run, settings_of, tunnel
from tests.unit.services.world import public, service, written

A, B, WILDCARD = "a.example.com", "b.example.com", "*.example.com"
DNS = {"mode": "Zone", "includeWildcards": True}
ZONES = [{**CLOUDFLARE, "wildcards": True}]
RESOLVER = "192.168.0.53:53"
INTERNAL = pytest.mark.parametrize(
    "names", [pytest.param([A], id="by its name"), pytest.param(["*.example.com"], id="below a wildcard")]
)


def settings(services: list[Json], *tunnels: Json) -> Json:
    return settings_of(services=services, tunnels=list(tunnels), zones=ZONES, safety=FREE)


def rules(plan: Plan) -> dict[str, str | None]:
    return {one.hostname: one.refusal.rule if one.refusal else None for one in plan.decisions}


def asked(plan: Plan) -> tuple[str, ...]:
    (one,) = plan.tunnels
    return one.hostnames


def test_an_internal_name_is_in_no_ingress_list_although_a_wildcard_is_published() -> None:
    given = settings([service(A, gateway=None)], web(WILDCARD, A, dns=DNS))
    assert run(given).outcome == {A: ("refused", "exposure-internal"), WILDCARD: ("published", None)}
    blocked = [f"{A} → http_status:404", "*.example.com → http://app:80", "* → http_status:404"]
    assert ingress(plan_of(given)) == blocked


@INTERNAL
def test_the_hub_is_not_asked_for_an_internal_name(names: list[str]) -> None:
    services = [service(*names, gateway=None), public(B, name="shop", gateway=None)]
    plan = plan_of(settings(services, tunnel(A, B)))
    assert asked(plan) == (B,)
    assert {one.hostname: one.state for one in plan.decisions if one.hostname in (A, B)} == {
        A: "refused",
        B: "published",
    }


def test_a_name_that_turns_internal_leaves_the_invite_and_the_ingress_list() -> None:
    first = run(settings([], tunnel(A, B)), hub=[invite(A, B)])
    given = settings([service(A, gateway=None)], tunnel(A, B))
    plan = plan_of(given, hub=[invite(A, B)], memory=first.memory)
    assert (asked(plan), plan.tunnels[0].released) == ((B,), (A,))
    first = run(settings([], web(A, B)))
    plan = plan_of(settings([service(A, gateway=None)], web(A, B)), memory=first.memory)
    assert ingress(plan) == [f"{B} → http://app:80", "* → http_status:404"]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)], ids=["one way", "the other"])
def test_two_tunnels_of_one_name_and_of_different_kinds_have_internal_names_of_their_own(order: slice) -> None:
    tunnels = [tunnel(A, B), web("c.example.com", "d.example.com")][order]
    plan = plan_of(settings([service(A, "c.example.com", gateway=None)], *tunnels))
    assert asked(plan) == (B,)
    assert ingress(plan) == ["d.example.com → http://app:80", "* → http_status:404"]


def test_an_invite_whose_names_all_turn_internal_keeps_them_and_a_new_tunnel_gets_none() -> None:
    first = run(settings([], tunnel(A)), hub=[invite(A)])
    given = settings([service(A, B, gateway=None)], tunnel(A, B))
    plan = plan_of(given, hub=[invite(A)], memory=first.memory)
    assert asked(plan) == (A,)
    fresh = plan_of(given, hub=[])
    assert asked(fresh) == ()
    assert [str(one) for one in fresh.notes] == [
        "tunnel shop/web has internal hostnames only: it gets no invite, so no token, and publishes nothing"
    ]


NONE = {"annotations": {"external-dns.kubernetes.io/controller": "none"}}


def hiding(kind: str) -> Object:
    found = other(kind, A)
    return {**found, "metadata": {**found["metadata"], **NONE}}


OPTING_OUT = [
    pytest.param([route("team/x", hostnames=[A], metadata=NONE, refs=[])], id="a route without a Gateway"),
    pytest.param([gateway(metadata=NONE), route("team/x", hostnames=[A])], id="its Gateway"),
    pytest.param([hiding("GRPCRoute")], id="GRPCRoute"),
    pytest.param([hiding("ListenerSet")], id="ListenerSet"),
]


@pytest.mark.parametrize("objects", OPTING_OUT)
@pytest.mark.parametrize("dns", [DNS, {"mode": "Disabled"}], ids=["Zone", "Disabled"])
def test_a_name_that_an_object_opts_out_of_leaves_the_invite_and_the_ingress_list(
    dns: Json, objects: list[Object]
) -> None:
    first = run(settings([], tunnel(A, B, dns=dns)), hub=[invite(A, B)])
    plan = plan_of(settings([], tunnel(A, B, dns=dns)), *objects, hub=[invite(A, B)], memory=first.memory)
    assert (asked(plan), plan.tunnels[0].released) == ((B,), (A,))
    assert rules(plan)[A] == "exposure-internal"
    first = run(settings([], web(A, B, dns=dns)))
    plan = plan_of(settings([], web(A, B, dns=dns)), *objects, memory=first.memory)
    assert ingress(plan) == [f"{B} → http://app:80", "* → http_status:404"]
    assert rules(plan)[A] == "exposure-internal"


def test_an_invite_whose_names_are_all_opted_out_of_keeps_them_and_gets_none_anew() -> None:
    hides = route("team/x", hostnames=[A, B], metadata=NONE)
    first = run(settings([], tunnel(A)), hub=[invite(A)])
    plan = plan_of(settings([], tunnel(A, B)), gateway(), hides, hub=[invite(A)], memory=first.memory)
    assert asked(plan) == (A,)
    assert asked(plan_of(settings([], tunnel(A)), gateway(), hides, hub=[])) == ()


def test_a_name_that_only_private_zones_may_hold_stays_at_a_private_tunnel_until_an_object_opts_out() -> None:
    lan = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private"}
    services = [service(A, gateway=None, privateZones=True)]
    given = settings_of(services=services, tunnels=[tunnel(A, B, visibility="private")], zones=[lan], safety=FREE)
    assert asked(plan_of(given)) == (A, B)
    assert asked(plan_of(given, gateway(), route("team/x", hostnames=[A], metadata=NONE))) == (B,)


def test_the_agents_of_a_tunnel_are_told_what_is_internal_unless_it_waits() -> None:
    """Also where the invite keeps the names, so that nothing answers for them at its other end."""
    first = run(settings([], tunnel(A)), hub=[invite(A)])
    resolver = {"internalResolver": RESOLVER}
    for more, hidden in ({}, frozenset({A})), (resolver, frozenset[str]()):
        services = [service(A, gateway=None, **more)]
        plan = plan_of(settings(services, tunnel(A)), hub=[invite(A)], memory=first.memory, clusters={"c1": []})
        assert (asked(plan), plan.tunnels[0].hidden) == ((A,), hidden)
    plan = plan_of(settings([], tunnel(A, B)), route(hostnames=[B], metadata=NONE), hub=[invite(A)])
    assert plan.tunnels[0].hidden == {B}


def adopted(*hostnames: str, dns: Json | None = None) -> Json:
    return web(*hostnames, adopt=ID, dns=dns)


@pytest.mark.parametrize("kind", [tunnel, adopted])
def test_a_name_that_waits_for_its_internal_resolver_stays_served_and_is_not_asked_for_newly(kind: Any) -> None:
    def served(memory: Json) -> tuple[str, ...]:
        waiting = settings([service(A, gateway=None, internalResolver=RESOLVER)], kind(A, B))
        plan = plan_of(waiting, memory=memory, clusters={"c1": []}, hub=[invite(A)], resolvers={})
        assert {one.hostname: one.state for one in plan.decisions} == {A: "held", B: "published"}
        return asked(plan) if plan.tunnels else plan.cloudflare[0].hostnames

    by_tunnel = run(settings([], kind(A)), hub=[invite(A)])
    assert served(by_tunnel.memory) == (A, B)
    by_route = run(settings([public(A)], kind(B)), gateway(), written(public(A)), hub=[invite(B)])
    assert by_route.states == {A: "published", B: "published"}
    assert served(by_route.memory) == (B,)


APPS, X = "*.apps.example.com", "x.apps.example.com"


@pytest.mark.parametrize("kind", [tunnel, adopted])
@pytest.mark.parametrize(
    ("internal", "name", "dns"),
    [
        pytest.param(A, A, {"mode": "Disabled"}, id="by its name"),
        pytest.param(APPS, X, {"mode": "Disabled"}, id="by a wildcard"),
        pytest.param(APPS, X, {"mode": "Zone"}, id="by a wildcard without a record"),
    ],
)
@pytest.mark.parametrize("opting", [None, NONE], ids=["shown", "opted out of"])
def test_a_tunnel_serves_what_waits_whoever_publishes_it_and_lets_go_with_the_record(
    internal: str, name: str, dns: Json, kind: Any, opting: Json | None
) -> None:
    has = {internal, B}

    def planned(services: list[Json], metadata: Json | None, memory: object, **more: Any) -> Plan:
        objects = [gateway(addresses=["8.8.8.8"]), route(hostnames=[name], metadata=metadata)]
        given = settings(services, kind(*has, dns=dns))
        return plan_of(given, clusters={"c1": objects}, memory=memory, hub=[invite(*has)], **more)

    def served_by(plan: Plan) -> set[str]:
        if plan.cloudflare:
            return {*plan.cloudflare[0].hostnames}
        assert not plan.tunnels[0].hidden & {*asked(plan)}
        return {*asked(plan)}

    first = plan_document(planned([], None, None))["memory"]
    services = [service(internal, gateway=None, internalResolver=RESOLVER)]
    waiting = planned(services, opting, first, resolvers={})
    assert {one.hostname: one.state for one in waiting.decisions}[name] == "held"
    assert served_by(waiting) == has
    answer = {(RESOLVER, name): ResolverAnswer(counts=True, told="A 10.0.0.1")}
    done = planned(services, opting, plan_document(waiting)["memory"], resolvers=answer)
    assert {one.hostname: one.state for one in done.decisions}[name] == "withdrawn"
    assert served_by(done) == {B}


def test_an_internal_name_is_answered_before_what_would_serve_it_and_counts_as_ours() -> None:
    blocked, wild = rule(A, "http_status:404"), rule(WILDCARD)
    first = run(settings([], adopted(WILDCARD, A, dns=DNS)))
    given = settings([service(A, gateway=None)], adopted(WILDCARD, A, dns=DNS))
    plan = plan_of(given, memory=first.memory, cloudflare=listed(rule(A), wild, CATCH_ALL))
    assert list(plan.cloudflare[0].ingress) == [blocked, wild, CATCH_ALL]
    assert plan.cloudflare[0].hostnames == (WILDCARD,)
    memory = plan_document(plan)["memory"]
    # Also once the tunnel no longer names it, and whoever takes it away is told.
    later = settings([service(A, gateway=None)], adopted(WILDCARD, dns=DNS))
    for live, is_told in ([blocked, wild, CATCH_ALL], False), ([wild, CATCH_ALL], True):
        plan = plan_of(later, memory=memory, cloudflare=listed(*live))
        assert list(plan.cloudflare[0].ingress) == [blocked, wild, CATCH_ALL]
        assert any(f"were changed at Cloudflare: {blocked};" in one.message for one in plan.warnings) == is_told
    # A list that may not be changed does not serve it again before it may.
    theirs = listed(blocked, wild, rule("old.example.com", "http://old"), CATCH_ALL)
    plan = plan_of(given, memory=memory, cloudflare=theirs)
    assert told(plan) == []
    back = plan_of(settings([], adopted(WILDCARD, A, dns=DNS)), memory=memory, cloudflare=theirs)
    assert rules(back)[A] == "ingress-foreign"


@pytest.mark.parametrize(
    ("catch_all", "expected"),
    [
        ("http://all", [f"{A} → http_status:404", f"{B} → http://app:80", "* → http://all"]),
        ("http_status:503", [f"{B} → http://app:80", "* → http_status:503"]),
    ],
)
def test_a_catch_all_that_leads_somewhere_serves_no_internal_name(catch_all: str, expected: list[str]) -> None:
    assert ingress(plan_of(settings([service(A, gateway=None)], web(A, B, catchAll=catch_all)))) == expected


DEEP = "*.in.example.com"


@pytest.mark.parametrize("dns", [DNS, {"mode": "Disabled"}], ids=["Zone", "Disabled"])
@pytest.mark.parametrize("more", [{}, {"privateZones": True}], ids=["internal", "in private zones"])
def test_a_wildcard_of_a_tunnel_serves_no_name_of_an_internal_service_that_it_never_named(
    dns: Json, more: Json
) -> None:
    services = [service(A, DEEP, "else.example.org", gateway=None, **more)]
    given = settings(services, web(WILDCARD, B, dns=dns))
    blocked = [f"{A} → http_status:404", f"{B} → http://app:80", f"{DEEP} → http_status:404"]
    plan = plan_of(given)
    assert ingress(plan) == [*blocked, "*.example.com → http://app:80", "* → http_status:404"]
    assert plan.cloudflare[0].hostnames == (WILDCARD, B)
    # What it refuses, nobody has to look after.
    assert warned(plan) == []
    assert {one.state for one in plan.decisions if one.hostname == A} == {"refused"}
    gone = plan_of(settings([], web(WILDCARD, B, dns=dns)), memory=plan_document(plan)["memory"])
    assert ingress(gone) == [f"{B} → http://app:80", "*.example.com → http://app:80", "* → http_status:404"]


def test_only_what_a_wildcard_of_the_tunnel_would_serve_is_answered_before_it() -> None:
    services = [service(A, gateway=None)]
    catch_all = plan_of(settings(services, web(B, catchAll="http://all")))
    assert ingress(catch_all) == [f"{B} → http://app:80", "* → http://all"]
    refused = plan_of(settings(services, web(WILDCARD, dns=DNS, origins={WILDCARD: "http_status:404"})))
    assert ingress(refused) == ["*.example.com → http_status:404", "* → http_status:404"]


def test_a_name_that_waits_is_not_answered_before_the_wildcard_that_may_serve_it() -> None:
    first = run(settings([public(A)], web(WILDCARD, dns=DNS)), gateway(), written(public(A)))
    assert first.states[A] == "published"
    waiting = settings([service(A, gateway=None, internalResolver=RESOLVER)], web(WILDCARD, dns=DNS))
    plan = plan_of(waiting, memory=first.memory, clusters={"c1": []}, resolvers={})
    assert rules(plan)[A] == "internal-authority-missing"
    assert ingress(plan) == ["*.example.com → http://app:80", "* → http_status:404"]


# --- an ingress list that may not be changed --------------------------------------------------------------------------

THEIRS = rule("old.example.com", "http://old")


def kept(
    *hostnames: str,
    services: list[Json],
    live: list[IngressRule],
    objects: list[Object] | None = None,
    replace: tuple[str, ...] = (),
) -> Plan:
    """Plan with a tunnel that had A and B, beside whose rules somebody else has put one."""
    plan = plan_of(
        settings(services, web(*hostnames, replaceIngress=list(replace))),
        memory=remembered(A, B),
        cloudflare=listed(*live, THEIRS, CATCH_ALL),
        clusters={"c1": objects or []},
    )
    assert plan.cloudflare[0].kept is not bool(replace)
    return plan


def told(plan: Plan) -> list[str]:
    return [one.message for one in plan.warnings if one.rule == "ingress-internal"]


HIDES = route("team/x", hostnames=[A], metadata=NONE, refs=[])
BY_PATH = IngressRule(hostname=A, service="http://x", path="/x")


@pytest.mark.parametrize(
    ("hostnames", "services", "objects", "live", "rules_told"),
    [
        pytest.param((A, B), [service(A, gateway=None)], [], [rule(A), rule(B)], [rule(A)], id="of a service"),
        pytest.param((A, B), [], [HIDES], [rule(A), rule(B)], [rule(A)], id="opted out of"),
        pytest.param((B,), [service(A, gateway=None)], [], [rule(A), rule(B)], [rule(A)], id="no hostname of it now"),
        pytest.param((A, B), [service(A, gateway=None)], [], [BY_PATH, rule(B)], [BY_PATH], id="a rule of others"),
        pytest.param((A, B), [service(A, gateway=None)], [], [rule(B)], [], id="somebody has deleted it"),
        pytest.param((A, B), [], [], [rule(A), rule(B)], [], id="nothing is internal"),
        pytest.param(
            (A, B), [service(A, gateway=None, internalResolver=RESOLVER)], [], [rule(A), rule(B)], [], id="it waits"
        ),
    ],
)
def test_a_kept_ingress_list_that_leads_to_an_internal_name_is_told_in_every_run(
    hostnames: tuple[str, ...],
    services: list[Json],
    objects: list[Object],
    live: list[IngressRule],
    rules_told: list[IngressRule],
) -> None:
    plan = kept(*hostnames, services=services, objects=objects, live=live)
    message = (
        "tunnel shop/web: its ingress list may not be changed and still leads to internal names: "
        f"{', '.join(map(str, rules_told))}. Take the rules of others into the settings, or name their hostnames in "
        "cloudflare.replaceIngress, or delete those that are internal at Cloudflare"
    )
    assert told(plan) == ([message] if rules_told else [])
    # A rule that had to go is not missed.
    assert not any("were changed at Cloudflare" in one.message for one in plan.warnings)


def test_the_rule_of_an_internal_name_goes_once_the_others_are_let_go() -> None:
    live = [rule(A), rule(B)]
    plan = kept(A, B, services=[service(A, gateway=None)], live=live, replace=(THEIRS.hostname,))
    assert (ingress(plan), told(plan)) == ([f"{B} → http://app:80", "* → http_status:404"], [])


# --- a public wildcard above them -------------------------------------------------------------------------------------

DELEGATED = {"domain": "sub.example.com", "provider": "cloudflare", "zoneId": "z2"}


def warned(plan: Plan) -> list[str]:
    return [one.message for one in plan.warnings if one.rule == "internal-name-public-zone"]


def test_a_public_wildcard_above_a_name_that_a_route_opts_out_of_is_told() -> None:
    hides = route("team/x", hostnames=[A], metadata=NONE)
    plan = plan_of(settings([], web(WILDCARD, dns=DNS)), gateway(), hides)
    (message,) = warned(plan)
    assert f"is public and answers for {A}: HTTPRoute team/x opts out of publishing" in message
    # The wildcard may be why the route asks for no record of its own.
    assert ingress(plan) == ["*.example.com → http://app:80", "* → http_status:404"]


@pytest.mark.parametrize("of", ["tunnel", "route", "service"])
def test_a_public_wildcard_above_internal_names_is_told_with_them_in_every_run(of: str) -> None:
    shop = public(WILDCARD, name="shop")
    names = [*(f"{label}.example.com" for label in "abcd"), "*.e.example.com", "w.sub.example.com"]
    services = [service(*names, gateway=None), *([shop] if of == "service" else [])]
    objects = {
        "tunnel": [],
        "route": [gateway(), route("team/x", hostnames=[WILDCARD])],
        "service": [gateway(), written(shop)],
    }[of]
    tunnels = [tunnel(WILDCARD, dns=DNS)] if of == "tunnel" else []
    given = settings_of(services=services, tunnels=tunnels, zones=[*ZONES, DELEGATED], safety=FREE)
    plan = plan_of(given, clusters={"c1": objects})
    assert {one.hostname: one.state for one in plan.decisions}[WILDCARD] == "published"
    (message,) = warned(plan)
    assert message.startswith(f"{WILDCARD} of ")
    assert "is public and answers for *.e.example.com, a.example.com, b.example.com and 2 more" in message
    assert "service docs/wiki is internal" in message
    assert warned(plan_of(given, clusters={"c1": objects}, memory=run(given, clusters={"c1": objects}).memory))


def test_the_nearest_wildcard_is_told_and_none_that_is_refused_private_or_internal_itself() -> None:
    lan = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private", "wildcards": True}
    deep = "x.deep.example.com"
    services = [service(deep, gateway=None), service("*.in.example.com", "x.in.example.com", name="in", gateway=None)]

    def told(zones: list[Json], *tunnels: Json) -> list[str]:
        return warned(plan_of(settings_of(services=services, zones=zones, tunnels=list(tunnels), safety=FREE)))

    nearest, above = told(ZONES, tunnel(WILDCARD, "*.deep.example.com", dns=DNS))
    assert "answers for *.in.example.com, x.in.example.com: " in above
    assert f"answers for {deep}: " in nearest
    assert told(ZONES, tunnel("*.in.example.com", dns=DNS)) == []
    assert told([CLOUDFLARE], tunnel(WILDCARD)) == []
    assert told([lan], tunnel(WILDCARD, dns=DNS, visibility="private")) == []
