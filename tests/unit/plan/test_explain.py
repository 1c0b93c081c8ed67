"""One hostname through all steps: what is looked at, which step decides, what there is to do."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.explain import Explanation, explain
from edge_dns.core.explain_walk import STEPS, Walk
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.hub_view import view_of_list
from edge_dns.core.memory import Memory, decode
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.remedies import REMEDIES
from edge_dns.core.settings import load_settings
from edge_dns.observe.hub import parse_hub_list
from tests.unit.admission.objects import CONTROLLER, Object, condition, gateway, listener, parent, ref, route, silent
from tests.unit.plan.test_not_supported import other
from tests.unit.plan.world import CLOUDFLARE, FREE, Json, invite, run, settings_of, tunnel

NAME = "a.example.com"
UUID = "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11"
PARENT = "Gateway edge/front section web"


def told(
    hostname: str,
    settings: Mapping[str, Any],
    *objects: Object,
    hub: Iterable[Json] | None = None,
    memory: object = None,
) -> Explanation:
    """Explain a hostname of a plan that is made as `world.run` makes it."""
    loaded = load_settings({"clusters": [{"name": "c1"}] if objects else [], **settings})
    remembered = decode(memory) if memory is not None else Memory()
    known = [one.invite_id for one in remembered.invites.values() if one.invite_id]
    view = None if hub is None else view_of_list(parse_hub_list({"invites": list(hub)}), known)
    observed = Observed(clusters={one.name: parse_objects(objects) for one in loaded.clusters}, hub=view)
    plan = make_plan(loaded, observed, remembered, adopt_by_name=True)
    return explain(hostname, settings=loaded, observed=observed, memory=remembered, plan=plan)


def walk(*arguments: Any, **more: Any) -> Walk:
    (found,) = told(*arguments, **more).walks
    return found


def step(found: Walk, name: str) -> str:
    (one,) = (one for one in found.steps if one.name == name)
    return "\n".join([one.outcome, *one.details])


SETTINGS = settings_of(tunnels=[])


def test_a_published_name_passes_every_step_in_the_order_of_the_rules() -> None:
    found = walk(NAME, SETTINGS, gateway(), route(hostnames=[NAME]))
    assert tuple(one.name for one in found.steps) == STEPS
    assert {one.outcome for one in found.steps} == {"passed", "-"}
    assert found.todo == "nothing"
    assert step(found, "admission").splitlines()[1:] == [
        "HTTPRoute team/cart: admitted for Gateway c1:edge/front",
        f"parentRef {PARENT}: binds listener web",
        f"status of {PARENT}: controller {CONTROLLER} said Accepted=True (Because) for generation 1",
        "receipt: admitted over listener web with the route at generation 1",
    ]
    assert "zone example.com (cloudflare z1, public)" in step(found, "zone")
    assert "198.51.100.7, from its status.addresses" in step(found, "target")
    assert "A 198.51.100.7 (ttl auto)" in step(found, "conversion")
    assert "the memory holds no record of it" in step(found, "ownership")


def test_the_page_of_the_rules_has_the_same_order_of_steps() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
    (order,) = re.findall(r"first hit decides: (.*?)\. The\s+guard", page, re.DOTALL)
    assert tuple(name.strip().replace(" ", "-") for name in order.replace("\n", " ").split(",")) == STEPS[:-1]


WILD = settings_of(tunnels=[tunnel("*.example.com", dns={"mode": "Zone", "includeWildcards": True})])
PERMISSION = {"namespaces": {"names": ["other"]}, "names": [".*"], "types": ["A"]}
PRIVATE = gateway(addresses=["10.0.0.1"])


@pytest.mark.parametrize(
    ("hostname", "settings", "objects", "decides", "rule"),
    [
        pytest.param(
            "a_b.example.com",
            settings_of(tunnels=[tunnel("A_b.example.com")]),
            [],
            "name-syntax",
            "name-syntax",
            id="name syntax",
        ),
        pytest.param(
            NAME, SETTINGS, [gateway(), silent(hostnames=[NAME])], "admission", "status-stale", id="admission"
        ),
        pytest.param(
            NAME, SETTINGS, [gateway(addresses=[]), route(hostnames=[NAME])], "admission", "no-address", id="addresses"
        ),
        pytest.param(
            NAME, SETTINGS, [gateway(), other("GRPCRoute", NAME)], "admission", "not-supported", id="not supported"
        ),
        pytest.param(
            NAME,
            settings_of(tunnels=[tunnel(NAME, dns={"mode": "Disabled"})]),
            [],
            "admission",
            "dns-disabled",
            id="a tunnel without DNS",
        ),
        pytest.param(
            "*.example.com",
            settings_of(tunnels=[tunnel("*.example.com")]),
            [],
            "admission",
            "wildcard-opt-in",
            id="a wildcard that its tunnel leaves out",
        ),
        pytest.param(
            NAME,
            SETTINGS,
            [
                gateway(),
                route(hostnames=[NAME], metadata={"annotations": {"external-dns.kubernetes.io/controller": "x"}}),
            ],
            "exposure",
            "exposure-internal",
            id="exposure",
        ),
        pytest.param(
            NAME, settings_of(tunnels=[tunnel(NAME, region="XX")]), [], "hub", "edge-target-unknown", id="edge target"
        ),
        pytest.param(
            NAME,
            settings_of(tunnels=[tunnel(NAME)]),
            [gateway(), route(hostnames=[NAME])],
            "claim",
            "host-claimed-twice",
            id="claim",
        ),
        pytest.param(
            "a.test.invalid", SETTINGS, [gateway(), route(hostnames=["a.test.invalid"])], "zone", "zone-none", id="zone"
        ),
        pytest.param(
            "a.example.net",
            settings_of(elsewhere=["example.net"]),
            [gateway(), route(hostnames=["a.example.net"])],
            "zone",
            "zone-elsewhere",
            id="a zone of another stack",
        ),
        pytest.param(
            "a.example.net",
            settings_of(elsewhere=["example.net"]),
            [gateway(), silent(hostnames=["a.example.net"])],
            "zone",
            "zone-elsewhere",
            id="a zone of another stack, not admitted here",
        ),
        pytest.param(
            "*.example.com",
            SETTINGS,
            [gateway(), route(hostnames=["*.example.com"])],
            "zone",
            "wildcard-opt-in",
            id="a wildcard that the zone leaves out",
        ),
        pytest.param(
            "a.example.org",
            SETTINGS,
            [gateway(addresses=["lb.example.net"]), route(hostnames=["a.example.org"])],
            "conversion",
            "alias-unknown",
            id="conversion",
        ),
        pytest.param(
            NAME,
            {**SETTINGS, "zones": [{**CLOUDFLARE, "allowedRecordSets": [PERMISSION]}]},
            [gateway(), route(hostnames=[NAME])],
            "permission",
            "record-not-allowed-by-zone",
            id="permission",
        ),
        pytest.param(
            NAME, SETTINGS, [PRIVATE, route(hostnames=[NAME])], "address", "private-address-public-zone", id="address"
        ),
        pytest.param(
            NAME,
            SETTINGS,
            [
                gateway(addresses=["b.example.com"]),
                route(hostnames=[NAME]),
                gateway("edge/b", uid="gw-2", addresses=[NAME]),
                route("team/b", uid="rt-2", hostnames=["b.example.com"], refs=[ref("edge/b")]),
            ],
            "coexistence",
            "cname-loop",
            id="coexistence",
        ),
    ],
)
def test_the_walk_ends_at_the_step_whose_rule_decided(
    hostname: str, settings: Json, objects: list[Object], decides: str, rule: str
) -> None:
    found = walk(hostname, settings, *objects)
    assert found.decision.state == ("elsewhere" if rule == "zone-elsewhere" else "refused")
    last = found.steps[-1]
    assert (last.name, last.outcome) == (decides, "decides")
    assert last.details[-1].startswith(f"{rule}: ")
    assert [one.outcome for one in found.steps].count("decides") == 1
    assert [one.name for one in found.steps] == list(STEPS[: len(found.steps)])
    assert found.todo == REMEDIES[rule]


def test_a_tunnel_shows_its_invite_what_the_hub_confirms_and_its_edge_target() -> None:
    settings = settings_of(tunnels=[tunnel(NAME, "b.example.com")])
    hub = [invite(NAME, region="US")]
    assert step(walk(NAME, settings, hub=hub), "hub").splitlines()[1] == (
        "TowonelTunnel shop/web: invite inv-1, the hub confirms the name; region US, edge target edge-us.example.net"
    )
    assert "does not list the name yet" in step(walk("b.example.com", settings, hub=hub), "hub")
    assert "no invite yet" in step(walk(NAME, settings, hub=[]), "hub")
    predicted = walk(NAME, settings)
    assert "the hub was not read, its confirmation is predicted" in step(predicted, "hub")
    assert "once the hub confirms" in predicted.todo
    taken = walk(NAME, settings, hub=[invite(NAME, invite_id="inv-9", name="other/web")])
    assert (taken.steps[-1].name, taken.steps[-1].outcome) == ("hub", "decides")


def test_a_name_held_on_its_receipt_passes_the_other_steps() -> None:
    first = run(SETTINGS, gateway(), route(hostnames=[NAME]))
    objects = [gateway(), route(generation=2, hostnames=[NAME], parents=[parent(ref(), condition(generation=1))])]
    found = walk(NAME, SETTINGS, *objects, memory=first.memory)
    assert found.decision.state == "held"
    assert step(found, "admission").splitlines()[:2] == [
        "held",
        "HTTPRoute team/cart: held for Gateway c1:edge/front: status-stale",
    ]
    assert "generation 1, the route is at generation 2" in step(found, "admission")
    assert "receipt: admitted over listener web with the route at generation 1" in step(found, "admission")
    assert found.steps[-1].name == "guard"
    assert "published before by Gateway c1:edge/front, slot z1/a.example.com" in step(found, "ownership")
    assert found.todo == REMEDIES["status-stale"]


def test_a_name_that_nobody_names_any_more_says_where_it_was() -> None:
    first = run(settings_of(tunnels=[tunnel(NAME)]))
    found = walk(
        NAME, settings_of(tunnels=[tunnel()], safety=FREE | {"acknowledge": {"count": 1}}), memory=first.memory
    )
    assert step(found, "admission").splitlines()[1] == "no source names it"
    assert (found.decision.state, found.steps[-1].name) == ("withdrawn", "admission")


def test_a_stop_of_the_guard_is_told_whatever_decided() -> None:
    first = run(settings_of(tunnels=[tunnel(NAME)]))
    found = walk(NAME, settings_of(tunnels=[tunnel()]), memory=first.memory)
    assert step(found, "guard").splitlines() == ["decides", "empty-desired stops the run, this name is among them"]
    assert found.todo.startswith("the run stops (empty-desired), and nothing changes: ")


def test_every_source_is_told_also_those_that_do_not_decide() -> None:
    second = route("team/second", uid="rt-2", hostnames=[NAME], refs=[ref("edge/front", "tls")])
    found = walk(NAME, SETTINGS, gateway(), route(hostnames=[NAME]), second, other("TLSRoute", NAME))
    assert found.decision.state == "published"
    text = step(found, "admission")
    assert "HTTPRoute team/second: not admitted for Gateway c1:edge/front: listener-denies" in text
    assert "Gateway edge/front section tls names no listener of the Gateway (it has web:443)" in text
    assert "TLSRoute c1:team/x: not-supported" in text


def test_a_service_without_a_gateway_is_told_what_it_lacks_and_not_to_look_at_a_parent_ref_alone() -> None:
    notes = {"name": "notes", "namespace": "docs", "hostnames": [NAME], "exposure": "public", "cluster": "c1"}
    found = walk(NAME, settings_of(services=[notes]), gateway())
    assert found.decision.refusal
    assert found.decision.refusal.rule == "route-not-accepted"
    assert "give it a `gateway`, or name it in a tunnel" in found.todo


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({}, "service docs/notes says none, and internal is the default", id="omitted"),
        pytest.param({"exposure": "internal"}, "service docs/notes says exposure internal", id="written"),
    ],
)
def test_an_exposure_that_nobody_wrote_is_told_as_the_default(more: Json, said: str) -> None:
    notes = {"name": "notes", "namespace": "docs", "hostnames": [NAME], "cluster": "c1", **more}
    found = walk(NAME, settings_of(services=[notes]), gateway())
    assert step(found, "exposure").splitlines()[1] == said


def test_a_name_that_only_the_route_of_a_services_name_names_is_told_with_the_service() -> None:
    site = {"name": "site", "namespace": "team", "hostnames": ["other.example.com"]}
    found = walk(NAME, settings_of(services=[site]), gateway(), route("team/site", hostnames=[NAME]))
    assert "service team/site is internal and does not list it, but the route of its name counts as a whole" in step(
        found, "exposure"
    )


def test_a_route_that_exposure_keeps_back_is_not_told_as_one_that_is_not_admitted() -> None:
    hidden = {"annotations": {"external-dns.kubernetes.io/controller": "none"}}
    found = walk(NAME, SETTINGS, gateway(), route(hostnames=[NAME], metadata=hidden))
    assert step(found, "admission").splitlines()[:2] == [
        "passed",
        "HTTPRoute team/cart: its exposure decides, not admission for Gateway c1:edge/front: exposure-internal",
    ]


def test_a_name_taken_from_a_listener_or_a_wildcard_is_traced_to_its_route() -> None:
    bound = gateway(listeners=[listener(hostname=NAME)])
    for hostnames in ([], ["*.example.com"]):
        found = walk(NAME, SETTINGS, bound, route(hostnames=hostnames))
        assert "HTTPRoute team/cart: admitted for Gateway c1:edge/front" in step(found, "admission")


def test_a_name_has_one_walk_for_each_visibility() -> None:
    clusters = [{"name": "c1"}, {"name": "c2", "visibility": "private"}]
    lan = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private"}
    settings = settings_of(zones=[CLOUDFLARE, lan], clusters=clusters)
    found = told(NAME, settings, gateway(), route(hostnames=[NAME]))
    assert [one.decision.visibility for one in found.walks] == ["private", "public"]
    assert [step(one, "admission").count("HTTPRoute") for one in found.walks] == [1, 1]
    assert found.is_published


# --- names that no source names ---------------------------------------------------------------------------------------


def test_a_name_that_no_source_names_has_its_near_misses_and_wildcards() -> None:
    found = told("wwww.shop.example.com", {**WILD, "zones": [{**CLOUDFLARE, "wildcards": True}]})
    assert found.walks == ()
    assert [(one.hostname, one.state) for one in found.covered_by] == [("*.example.com", "published")]
    near = told("shopp.example.com", settings_of(tunnels=[tunnel("shop.example.com", "www.example.net")]))
    assert [(one.hostname, one.state) for one in near.near] == [("shop.example.com", "published")]
    assert not near.is_published


@pytest.mark.parametrize(
    ("cluster", "part"),
    [
        ({"routes": {"namespaces": ["ops"]}}, "`routes` of cluster c1 leaves the route out"),
        ({"select": {"names": ["other"]}}, "`select` of cluster c1 leaves its Gateways out"),
    ],
    ids=["route", "Gateway"],
)
def test_what_the_settings_leave_out_is_told(cluster: Json, part: str) -> None:
    settings = settings_of(clusters=[{"name": "c1", **cluster}])
    found = told(NAME, settings, gateway(), route(hostnames=[NAME]))
    assert found.walks == ()
    (line,) = found.out_of_sight
    assert part in line


def test_the_hostname_is_taken_as_people_write_it() -> None:
    settings = settings_of(tunnels=[tunnel("bücher.example.com", "Not_Valid")])
    assert told("BÜCHER.example.com.", settings).hostname == "xn--bcher-kva.example.com"
    assert told("not_valid", settings).walks[0].steps[-1].name == "name-syntax"
    malformed = told("a b", settings)
    assert malformed.walks == ()
    assert malformed.problem is not None
    assert malformed.problem.startswith("name-syntax: ")


def test_the_step_that_an_exception_passes_says_so() -> None:
    exception = {"rule": "private-address-public-zone", "name": NAME, "reason": "moves soon", "expires": "2027-03-31"}
    objects = [gateway(addresses=[{"type": "IPAddress", "value": "10.0.0.7"}]), route(hostnames=[NAME])]
    found = walk(NAME, {**SETTINGS, "exceptions": [exception]}, *objects)
    assert step(found, "address").endswith(
        "exception: it may break private-address-public-zone until 2027-03-31: moves soon"
    )


def test_a_name_of_a_cloudflare_tunnel_is_told_with_the_tunnel_and_its_rule() -> None:
    of = {"accountId": "a" * 32, "origin": "http://a"}
    new = walk(NAME, settings_of(tunnels=[tunnel(NAME, kind="cloudflare", cloudflare=of)]))
    assert "CloudflareTunnel shop/web names it, dns.mode Zone" in step(new, "admission")
    assert f"the run makes its Cloudflare tunnel; {NAME} → http://a" in step(new, "hub")
    assert "the tunnel itself" in step(new, "target")
    known = walk(NAME, settings_of(tunnels=[tunnel(NAME, kind="cloudflare", cloudflare={**of, "adopt": UUID})]))
    assert f"Cloudflare tunnel {UUID}; {NAME} → http://a" in step(known, "hub")
    apart = walk("a.example.org", settings_of(tunnels=[tunnel("a.example.org", kind="cloudflare", cloudflare=of)]))
    assert step(apart, "zone").startswith("decides")
    assert "tunnel-zone" in step(apart, "zone")


def test_of_a_name_that_turns_internal_it_says_what_goes() -> None:
    first = run(SETTINGS, gateway(addresses=[{"type": "IPAddress", "value": "203.0.113.7"}]), route(hostnames=[NAME]))
    hidden = route(hostnames=[NAME], metadata={"annotations": {"external-dns.kubernetes.io/controller": "none"}})
    found = walk(NAME, {**SETTINGS, "safety": FREE}, gateway(), hidden, memory=first.memory)
    assert step(found, "exposure").startswith(
        "decides\nthis run deletes A 203.0.113.7 (ttl auto)\nafterwards: NXDOMAIN, as far as the plan tells"
    )


def test_a_record_that_moves_to_another_zone_is_told_with_the_slot_that_it_had() -> None:
    name = "a.shop.example.com"
    child = {"domain": "shop.example.com", "provider": "cloudflare", "zoneId": "z2"}
    objects = [gateway(), route(hostnames=[name])]
    first = run(settings_of(zones=[CLOUDFLARE]), *objects)
    found = walk(name, settings_of(zones=[CLOUDFLARE, child]), *objects, memory=first.memory)
    assert "this run deletes A 198.51.100.7 (ttl auto) in zone example.com (z1)" in step(found, "ownership")
