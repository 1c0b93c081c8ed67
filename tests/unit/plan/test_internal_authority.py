"""A service that turns internal waits for its internal resolver; what was not asked is not answered."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.authority import Answers, ResolverAnswer, Seen, questions
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.memory import Memory, decode
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document, reason
from edge_dns.core.services import exposure_annotations, manifest, plan_services
from edge_dns.core.settings import load_settings
from tests.unit.admission.objects import Object, gateway, listener, ref, route
from tests.unit.plan.world import CLOUDFLARE, FREE, Json, invite, run, settings_of, tunnel
from tests.unit.services.world import OWNER, written
from tests.unit.services.world import service as declared

RESOLVER = "192.168.0.53:53"
WIKI, DOCS, APP = "wiki.example.com", "docs.example.com", "app.example.com"
HIDDEN = {"annotations": {"external-dns.kubernetes.io/controller": "none"}}
YES = ResolverAnswer(counts=True, told="A 192.168.10.20")
NO = ResolverAnswer(counts=False, told="NXDOMAIN")
SILENT = ResolverAnswer(counts=False, told="it does not answer in time")


def service(*hostnames: str, **more: Any) -> Json:
    named = {"name": "wiki", "namespace": "docs", "hostnames": list(hostnames), "internalResolver": RESOLVER}
    return {**named, **more}


def objects(*, hidden: bool) -> list[Object]:
    return [
        gateway(addresses=[{"type": "IPAddress", "value": "203.0.113.7"}]),
        route(hostnames=[WIKI, DOCS], metadata=HIDDEN if hidden else None),
    ]


MEMORY = run(settings_of(tunnels=[tunnel(APP)]), *objects(hidden=False)).memory


def plan(answers: Answers | None, *services: Json, memory: object = MEMORY, hidden: bool = True, **more: Any) -> Plan:
    settings = {"safety": FREE, "tunnels": [tunnel(APP)], "services": list(services), **more}
    loaded = load_settings({"clusters": [{"name": "c1"}], **settings_of(**settings)})
    observed = Observed(clusters={"c1": parse_objects(objects(hidden=hidden))}, resolvers=answers)
    return make_plan(loaded, observed, decode(memory))


def outcome(found: Plan) -> dict[str, tuple[str, str | None]]:
    return {one.hostname: (one.state, one.refusal.rule if one.refusal else None) for one in found.decisions}


def told(found: Plan, hostname: str) -> str:
    (one,) = (one for one in found.decisions if one.hostname == hostname and one.visibility == "public")
    return reason(one)


HELD = ("held", "internal-authority-missing")
GONE = ("withdrawn", "exposure-internal")


def both(wiki: ResolverAnswer, docs: ResolverAnswer) -> Answers:
    return {(RESOLVER, WIKI): wiki, (RESOLVER, DOCS): docs}


@pytest.mark.parametrize(
    ("answers", "expected", "said"),
    [
        pytest.param(both(YES, YES), (GONE, GONE), f"inside, {RESOLVER} answers A 192.168.10.20", id="answered"),
        pytest.param(both(NO, NO), (HELD, HELD), f"({RESOLVER}: NXDOMAIN)", id="NXDOMAIN"),
        pytest.param(both(SILENT, SILENT), (HELD, HELD), f"({RESOLVER}: it does not answer in time)", id="silent"),
        pytest.param(both(NO, YES), (HELD, HELD), f"({RESOLVER}: NXDOMAIN)", id="one of two"),
        pytest.param({}, (HELD, HELD), f"({RESOLVER}: not asked)", id="no answer at all"),
        pytest.param(None, (HELD, HELD), f"its resolver {RESOLVER} is not asked here", id="not asked"),
    ],
)
def test_a_service_is_withdrawn_once_its_resolver_answers_all_of_its_names(
    answers: Answers | None, expected: tuple[object, object], said: str
) -> None:
    found = plan(answers, service(WIKI, DOCS))
    assert (outcome(found)[WIKI], outcome(found)[DOCS]) == expected
    assert said in told(found, WIKI)
    assert outcome(found)[APP] == ("published", None)
    records = {one["name"]: one["values"] for one in plan_document(found)["records"]}  # type: ignore[attr-defined]
    assert records.get(WIKI) == (["203.0.113.7"] if expected == (HELD, HELD) else None)
    # Offline nobody can ask, which is no error.
    assert bool(found.failures) == (expected == (HELD, HELD) and answers is not None)


def test_a_name_that_is_answered_waits_for_its_siblings_and_says_for_which() -> None:
    found = plan(both(NO, YES), service(WIKI, DOCS))
    assert told(found, DOCS).startswith(
        f"service docs/wiki is internal and waits as a whole: its resolver {RESOLVER} does not answer {WIKI} yet"
    )


def test_the_next_run_holds_on_and_withdraws_once_it_is_answered() -> None:
    waiting = plan(both(NO, NO), service(WIKI, DOCS))
    memory = plan_document(waiting)["memory"]
    assert outcome(plan(both(NO, NO), service(WIKI, DOCS), memory=memory))[WIKI] == HELD
    assert outcome(plan(both(YES, YES), service(WIKI, DOCS), memory=memory))[WIKI] == GONE
    # Made public again before that, nothing has happened to the names.
    back = plan(None, service(WIKI, DOCS, exposure="public"), memory=memory, hidden=False)
    assert outcome(back)[WIKI] == ("published", None)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(service(WIKI, DOCS, internalResolver=None), id="no resolver"),
        pytest.param(service("other.example.com"), id="another service"),
        pytest.param(service(WIKI, DOCS, exposure="public"), id="a public one: the route's own opt-out counts"),
    ],
)
def test_without_a_resolver_for_it_an_internal_name_goes_at_once(settings: Json) -> None:
    found = plan({}, {key: value for key, value in settings.items() if value is not None})
    assert outcome(found)[WIKI] == outcome(found)[DOCS] == GONE


def test_acknowledged_names_go_without_an_answer_for_this_run() -> None:
    safety = {**FREE, "acknowledge": {"names": [WIKI, DOCS]}}
    found = plan(both(NO, SILENT), service(WIKI, DOCS), safety=safety)
    assert outcome(found)[WIKI] == outcome(found)[DOCS] == GONE
    assert f"acknowledged although the internal resolver does not answer ({RESOLVER}: NXDOMAIN)" in told(found, WIKI)
    # The acknowledgement is needed, so that nobody is told to take it out.
    assert ["acknowledge" in one.path for one in found.warnings] == [False]
    assert not found.failures
    # One of both lets that one go.
    safety = {**FREE, "acknowledge": {"names": [WIKI]}}
    found = plan(both(NO, NO), service(WIKI, DOCS), safety=safety)
    assert (outcome(found)[WIKI], outcome(found)[DOCS]) == (GONE, HELD)
    # Nobody needs it any more: it is to be taken out.
    found = plan(both(YES, YES), service(WIKI, DOCS), safety=safety)
    assert ["acknowledge" in one.path for one in found.warnings] == [True, False]


def test_only_published_names_are_held_and_only_with_values_that_may_stand() -> None:
    # Never published: there is nothing to hold, and an internal name is never published anew.
    found = plan(both(NO, NO), service(WIKI, DOCS), memory=run(settings_of(tunnels=[tunnel(APP)])).memory)
    assert outcome(found)[WIKI] == ("refused", "exposure-internal")
    # A public zone must not hold it any more, whoever answers.
    private = {"domain": WIKI, "provider": "route53", "zoneId": "Z7", "visibility": "private"}
    found = plan(both(NO, NO), service(WIKI, DOCS), zones=[*settings_of()["zones"], private])
    assert outcome(found)[WIKI] == ("withdrawn", "internal-name-public-zone")


def test_a_name_that_a_tunnel_claims_too_is_held_unless_the_hub_has_refused_it() -> None:
    base: Any = {"safety": FREE, "tunnels": [tunnel(WIKI, APP)], "services": [service(WIKI)]}
    first = run(settings_of(**{**base, "services": []}))
    hidden = route(hostnames=[WIKI], metadata=HIDDEN)
    held = run(settings_of(**base), gateway(), hidden, memory=first.memory)
    assert held.outcome[WIKI] == HELD
    assert held.records[WIKI] == {"CNAME": ["edge-eu.example.net"]}
    hub = [invite(APP), invite(WIKI, invite_id="inv-2", name="other/tenant")]
    known = run(settings_of(**{**base, "services": []}), hub=[invite(WIKI, APP)])
    refused = run(settings_of(**base), gateway(), hidden, hub=hub, memory=known.memory)
    assert refused.outcome[WIKI] == GONE


def test_only_public_names_of_internal_services_with_a_resolver_are_asked() -> None:
    settings = load_settings(
        {
            "services": [
                service("Wiki.Example.com.", "not a name", DOCS),
                service(APP, name="app", exposure="public"),
                {"name": "other", "namespace": "docs", "hostnames": [APP]},
                service(WIKI, name="second", internalResolver="[2001:DB8::53]:5353"),
            ]
        }
    )
    services = plan_services(settings)
    assert questions(services, Seen(published={WIKI, APP})) == ((RESOLVER, WIKI), ("[2001:db8::53]:5353", WIKI))
    assert questions(services, Seen()) == ()


# --- the route of a service -------------------------------------------------------------------------------------------

FRONT = gateway(addresses=[{"type": "IPAddress", "value": "203.0.113.7"}])
LAN = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private"}
LAN_REF = ref("edge/lan")


def routed(answers: Answers | None, one: Json, *live: Object, memory: object = None, **settings: Any) -> Plan:
    """Plan with a service that declares its route, and what its cluster shows."""
    base = {"safety": FREE, "tunnels": [tunnel(APP)], "services": [one]}
    loaded = load_settings({"clusters": [{"name": "c1"}], **settings_of(**base | settings)})
    observed = Observed(clusters={"c1": parse_objects([FRONT, *live])}, resolvers=answers, owner=OWNER)
    return make_plan(loaded, observed, decode(memory) if memory else Memory())


def memory_of(found: Plan) -> Any:
    return plan_document(found)["memory"]


PUBLIC = declared(WIKI, exposure="public", internalResolver=RESOLVER)
INTERNAL = declared(WIKI, internalResolver=RESOLVER)
FIRST = memory_of(routed(None, PUBLIC, written(PUBLIC)))


@pytest.mark.parametrize(
    ("answer", "rule", "exposure"),
    [(NO, "internal-authority-missing", "public"), (YES, "exposure-internal", "internal")],
)
def test_the_annotation_waits_with_the_records(answer: ResolverAnswer, rule: str, exposure: str) -> None:
    found = routed({(RESOLVER, WIKI): answer}, INTERNAL, written(PUBLIC), memory=FIRST)
    assert outcome(found)[WIKI] == ("withdrawn" if answer.counts else "held", rule)
    (route,) = found.routes
    assert route.labels == {"edge-dns/exposure": exposure}
    assert route.annotations == exposure_annotations("public" if exposure == "public" else "internal")


def test_a_route_that_waits_gets_no_name_that_nobody_has_seen_and_loses_those_that_go() -> None:
    before = declared(WIKI, DOCS, exposure="public", internalResolver=RESOLVER)
    memory = memory_of(routed(None, before, written(before)))
    after = declared(WIKI, "new.example.com", internalResolver=RESOLVER)
    found = routed({(RESOLVER, WIKI): NO}, after, written(before), memory=memory)
    (route,) = found.routes
    assert route.hostnames == (WIKI,)
    assert outcome(found) == {
        APP: ("published", None),
        DOCS: ("withdrawn", "not-declared"),
        WIKI: HELD,
        "new.example.com": ("refused", "exposure-internal"),
    }


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"gateway": {"name": "other", "namespace": "edge"}}, id="another Gateway"),
        pytest.param({"gateway": None}, id="no Gateway any more"),
        pytest.param({"namespace": "other"}, id="another namespace"),
        pytest.param({"name": "other"}, id="another name"),
        pytest.param({"port": 8443}, id="another port"),
    ],
)
@pytest.mark.parametrize("name", [WIKI, "wiki.example.net"], ids=["ours", "of external-dns alone"])
def test_a_route_that_waits_stays_whatever_else_changes_with_it(name: str, change: Json) -> None:
    before = declared(name, exposure="public", internalResolver=RESOLVER, port=8080)
    memory = memory_of(routed(None, before, written(before)))
    after = declared(name, internalResolver=RESOLVER, **{"port": 8080, **change})
    found = routed({(RESOLVER, name): NO}, after, written(before), memory=memory)
    (was,) = routed(None, before, written(before)).routes
    stays = {one.id: one for one in found.routes}[was.id]
    assert manifest(stays, OWNER) == manifest(was, OWNER)
    assert outcome(found)[name] == (HELD if name == WIKI else ("refused", "internal-authority-missing"))
    done = routed({(RESOLVER, name): YES}, after, written(before), memory=memory_of(found))
    assert [one.written for one in done.routes] == (["internal"] if after["gateway"] else [])
    assert not done.failures


def test_a_name_that_moves_between_services_and_turns_internal_stays_on_the_route_that_shows_it() -> None:
    before = declared(WIKI, exposure="public")
    memory = memory_of(routed(None, before, written(before)))
    services = [declared(DOCS), declared(WIKI, name="second", internalResolver=RESOLVER)]
    found = routed({(RESOLVER, WIKI): NO}, {}, written(before), memory=memory, services=services)
    stays = {one.id: one for one in found.routes}["c1/docs/wiki"]
    assert (stays.hostnames, stays.written) == ((WIKI,), "public")
    assert outcome(found)[WIKI] == HELD


def test_names_that_only_external_dns_has_published_hold_the_annotation_too() -> None:
    # The zone of the name is none of ours, so that this stack has never published it.
    name = "wiki.example.net"
    before = declared(name, exposure="public", internalResolver=RESOLVER)
    memory = memory_of(routed(None, before, written(before)))
    found = routed({(RESOLVER, name): NO}, declared(name, internalResolver=RESOLVER), written(before), memory=memory)
    assert [route.waits for route in found.routes] == [True]
    assert outcome(found)[name] == ("refused", "internal-authority-missing")


@pytest.mark.parametrize(
    "live",
    [
        pytest.param([], id="no route yet"),
        pytest.param([written(INTERNAL)], id="the route is internal already"),
    ],
)
def test_a_route_that_nobody_can_see_never_waits(live: list[Object]) -> None:
    memory = memory_of(routed(None, INTERNAL, *live))
    found = routed({(RESOLVER, WIKI): NO}, INTERNAL, *live, memory=memory)
    assert [(route.waits, route.exposure) for route in found.routes] == [(False, "internal")]
    assert outcome(found)[WIKI] == ("refused", "exposure-internal")


def test_private_names_are_published_before_the_public_ones_go() -> None:
    zones = [*settings_of()["zones"], LAN]
    before = declared(WIKI, exposure="public", internalResolver=RESOLVER)
    memory = memory_of(routed(None, before, written(before), zones=zones))
    after = declared(WIKI, internalResolver=RESOLVER, privateZones=True)
    waiting = routed({(RESOLVER, WIKI): NO}, after, written(before), memory=memory, zones=zones)
    assert {(one.visibility, one.state) for one in waiting.decisions if one.hostname == WIKI} == {
        ("public", "held"),
        ("private", "published"),
    }
    assert [route.waits for route in waiting.routes] == [True]
    done = routed({(RESOLVER, WIKI): YES}, after, written(before), memory=memory_of(waiting), zones=zones)
    assert {(one.visibility, one.state) for one in done.decisions if one.hostname == WIKI} == {
        ("public", "withdrawn"),
        ("private", "published"),
    }
    assert f"inside, {RESOLVER} answers A 192.168.10.20; inside, private zone example.com (Z9) has the name" in told(
        done, WIKI
    )


@pytest.mark.parametrize("others", ["a service", "a route"])
@pytest.mark.parametrize("private_zones", [True, False])
def test_a_public_name_that_another_service_turns_internal_waits_for_its_resolver(
    private_zones: bool, others: str
) -> None:
    zones = [*settings_of()["zones"], LAN]
    w2 = declared(WIKI, name="w2", exposure="public")
    services = [w2] if others == "a service" else []
    live = written(w2, uid="rt-w2") if services else route("docs/w2", uid="rt-w2", hostnames=[WIKI])
    memory = memory_of(routed(None, {}, live, services=services, zones=zones))
    wiki = declared(WIKI, internalResolver=RESOLVER, privateZones=private_zones)
    shown = (live, written(wiki))
    for answer, expected in ((SILENT, HELD), (YES, GONE)):
        found = routed({(RESOLVER, WIKI): answer}, {}, *shown, memory=memory, services=[*services, wiki], zones=zones)
        (decision,) = (one for one in found.decisions if (one.hostname, one.visibility) == (WIKI, "public"))
        assert (decision.state, decision.refusal and decision.refusal.rule) == expected
        assert [one.state for one in found.decisions if one.visibility == "private"] == ["published"] * private_zones


# --- below a wildcard that turns internal -----------------------------------------------------------------------------

CORP, BELOW, DEEP, OWN = "*.corp.example.com", "x.corp.example.com", "y.z.corp.example.com", "own.corp.example.com"
WILD_ZONE = [{**CLOUDFLARE, "wildcards": True}]


def corp(answers: Answers | None, one: Json, *live: Object, memory: object = None, **settings: Any) -> Plan:
    """Plan with the service of a wildcard, and names below it: of a route, of a tunnel, of a service of its own."""
    below = [tunnel(DEEP, name="deep"), tunnel(OWN, APP)]
    services = [one, declared(OWN, name="own", exposure="public", gateway=None)]
    given: Any = {"zones": WILD_ZONE, "services": services, "tunnels": below, **settings}
    return routed(answers, {}, route("docs/x", uid="rt-x", hostnames=[BELOW]), *live, memory=memory, **given)


CORP_PUBLIC = declared(CORP, exposure="public", internalResolver=RESOLVER)
CORP_INTERNAL = declared(CORP, internalResolver=RESOLVER)
CORP_FIRST = memory_of(corp(None, CORP_PUBLIC, written(CORP_PUBLIC)))


def answered(*names: str) -> Answers:
    return {(RESOLVER, name): YES if name in names else NO for name in (CORP, BELOW, DEEP)}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param(answered(), HELD, id="none is answered"),
        pytest.param(answered(CORP), HELD, id="only the wildcard is"),
        pytest.param(answered(CORP, BELOW), HELD, id="one is missing"),
        pytest.param(None, HELD, id="not asked"),
        pytest.param(answered(CORP, BELOW, DEEP), GONE, id="all are"),
    ],
)
def test_names_below_a_wildcard_wait_with_it_and_it_with_them(answers: Answers | None, expected: object) -> None:
    found = corp(answers, CORP_INTERNAL, written(CORP_PUBLIC), memory=CORP_FIRST)
    assert outcome(found) == {
        CORP: expected,
        BELOW: expected,
        DEEP: expected,
        OWN: ("published", None),
        APP: ("published", None),
    }
    assert [one.waits for one in found.routes] == [expected == HELD]
    assert {name for one in found.tunnels for name in one.hidden} == (set() if expected == HELD else {DEEP})


def test_the_resolver_is_asked_for_every_public_name_that_a_wildcard_covers() -> None:
    nearer = declared("*.z.corp.example.com", name="nearer", internalResolver="10.0.0.9:53")
    services = plan_services(load_settings({"clusters": [{"name": "c1"}], "services": [CORP_INTERNAL, nearer]}))
    seen = Seen(published={BELOW, DEEP, "corp.example.com", APP})
    assert questions(services, seen) == (("10.0.0.9:53", DEEP), (RESOLVER, BELOW))


def test_a_name_below_a_wildcard_that_was_never_published_does_not_wait() -> None:
    found = corp(answered(), CORP_INTERNAL, tunnels=[tunnel(DEEP, APP)])
    assert (outcome(found)[DEEP], outcome(found)[APP]) == (("refused", "exposure-internal"), ("published", None))


def test_the_route_of_a_service_that_left_stays_while_its_name_waits_below_a_wildcard() -> None:
    own = declared(OWN, name="own", exposure="public")
    shown = [written(CORP_PUBLIC), written(own, uid="rt-own")]
    memory = memory_of(corp(None, {}, *shown, services=[CORP_PUBLIC, own], tunnels=[tunnel(APP)]))
    found = corp({}, {}, *shown, memory=memory, services=[CORP_INTERNAL], tunnels=[tunnel(APP)])
    assert outcome(found)[OWN] == HELD
    assert {one.id: one.hostnames for one in found.routes} == {"c1/docs/own": (OWN,), "c1/docs/wiki": (CORP,)}


def test_a_name_below_a_wildcard_that_nothing_names_any_more_goes_at_once_and_holds_nobody_up() -> None:
    # The resolver never answers it: rightly, since the name is gone.
    given: Any = {"zones": WILD_ZONE, "services": [CORP_INTERNAL], "tunnels": [tunnel(APP)], "memory": CORP_FIRST}
    answers = answered(CORP)
    found = routed(answers, {}, written(CORP_PUBLIC), **given)
    assert outcome(found) == {APP: ("published", None), BELOW: GONE, CORP: GONE, DEEP: GONE, OWN: GONE}
    assert [one.waits for one in found.routes] == [False]
    assert not found.failures


@pytest.mark.parametrize(
    "named",
    [
        pytest.param({"live": [route("docs/x", hostnames=[BELOW], metadata=HIDDEN)]}, id="a route that opts out"),
        pytest.param(
            {"live": [gateway("edge/lan", listeners=[listener(hostname=BELOW)]), route(hostnames=[], refs=[LAN_REF])]},
            id="a route without hostnames, by its listener",
        ),
        pytest.param({"tunnels": [tunnel(BELOW, APP, dns={"mode": "Disabled"})]}, id="a tunnel without records"),
        pytest.param(
            {"services": [CORP_INTERNAL, declared(BELOW, name="x", internalResolver=RESOLVER)]}, id="a service"
        ),
    ],
)
def test_a_name_below_a_wildcard_waits_while_anything_names_it(named: Any) -> None:
    given = {"services": [CORP_INTERNAL], "tunnels": [tunnel(APP)], "zones": WILD_ZONE, "live": [], **named}
    live = given.pop("live")
    found = routed(answered(CORP), {}, written(CORP_PUBLIC), *live, memory=CORP_FIRST, **given)
    assert outcome(found)[BELOW] == HELD


_NAMES = st.sets(st.sampled_from([WIKI, DOCS]))


@given(answered=_NAMES, acknowledged=_NAMES, published=st.booleans(), asked=st.booleans())
def test_nothing_goes_without_an_answer_and_nothing_internal_is_published_anew(
    answered: set[str], acknowledged: set[str], published: bool, asked: bool
) -> None:
    answers = {(RESOLVER, name): YES if name in answered else NO for name in (WIKI, DOCS)} if asked else None
    safety = {**FREE, "acknowledge": {"names": sorted(acknowledged)}} if acknowledged else FREE
    memory = MEMORY if published else run(settings_of(tunnels=[tunnel(APP)])).memory
    found = plan(answers, service(WIKI, DOCS), memory=memory, safety=safety)
    held = {one.hostname for one in found.decisions if one.promised} - {APP}
    missing = {WIKI, DOCS} - (answered if asked else set()) - acknowledged
    # Those that were acknowledged go; the others stay until all that is left is answered.
    assert held == (
        ({WIKI, DOCS} - (acknowledged - (answered if asked else set()))) if published and missing else set()
    )


def test_the_preview_of_a_name_that_turns_internal_says_to_save_it_first() -> None:
    def warned(found: Plan) -> list[str]:
        return [one.message for one in found.warnings if "`edge-dns baseline`" in one.message]

    (message,) = warned(plan(both(YES, YES), service(WIKI, DOCS)))
    assert message.startswith(f"2 names, {DOCS} first, turned internal and would be withdrawn by this run")
    assert warned(plan(both(NO, NO), service(WIKI, DOCS))) == []
    assert warned(plan(None, hidden=False)) == []
