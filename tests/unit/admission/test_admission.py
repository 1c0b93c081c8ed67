"""Admission by tables: binding, acceptance, receipts, selection, opting out, and the reasons that people read."""

from collections.abc import Sequence
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.rules import RULES, Level
from edge_dns.core.values import Target
from tests.unit.admission.objects import (
    CONTROLLER,
    GROUP,
    Object,
    admitted,
    cluster,
    condition,
    gateway,
    gateway_class,
    listener,
    namespace,
    only_set,
    parent,
    reason,
    ref,
    refused,
    remembered,
    route,
    run,
    silent,
)

NAME = "cart.shop.test"
DELETING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def allowed(**namespaces: Any) -> Object:
    return {"allowedRoutes": {"namespaces": namespaces}}


# --- binding ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "is_bound"),
    [
        pytest.param(ref(section=None), True, id="neither section nor port"),
        pytest.param(ref(section="web"), True, id="section"),
        pytest.param(ref(section="other"), False, id="unknown section"),
        pytest.param(ref(section=None, port=443), True, id="port only"),
        pytest.param(ref(section=None, port=80), False, id="wrong port only"),
        pytest.param(ref(section="web", port=443), True, id="section and port"),
        pytest.param(ref(section="web", port=80), False, id="section with the wrong port"),
        pytest.param(ref(section="other", port=443), False, id="port with the wrong section"),
        pytest.param(ref(kind="Gateway", group=GROUP), True, id="kind and group written out"),
        pytest.param(ref(kind="ListenerSet"), False, id="another kind"),
        pytest.param(ref(group="example.net"), False, id="another group"),
        pytest.param(ref(kind="Service", group=""), False, id="the core group"),
    ],
)
def test_a_parent_ref_binds_the_listeners_that_it_names(one: Object, is_bound: bool) -> None:
    outcome = run(gateway(), route(refs=[one]))
    assert admitted(outcome) == ([NAME] if is_bound else [])


@pytest.mark.parametrize(
    ("more", "is_bound"),
    [
        pytest.param({"protocol": "HTTP"}, True, id="HTTP"),
        pytest.param({"protocol": "HTTPS"}, True, id="HTTPS"),
        pytest.param({"protocol": "TLS"}, False, id="TLS"),
        pytest.param({"protocol": "TCP"}, False, id="TCP"),
        pytest.param({"protocol": "UDP"}, False, id="UDP"),
        pytest.param({"allowedRoutes": {"namespaces": {"from": "All"}, "kinds": []}}, True, id="no kinds"),
        pytest.param(
            {"allowedRoutes": {"namespaces": {"from": "All"}, "kinds": [{"kind": "HTTPRoute"}]}}, True, id="HTTPRoute"
        ),
        pytest.param(
            {"allowedRoutes": {"namespaces": {"from": "All"}, "kinds": [{"kind": "GRPCRoute"}]}}, False, id="GRPCRoute"
        ),
        pytest.param(
            {
                "allowedRoutes": {
                    "namespaces": {"from": "All"},
                    "kinds": [{"kind": "HTTPRoute", "group": "example.net"}],
                }
            },
            False,
            id="HTTPRoute of another group",
        ),
        pytest.param(allowed(**{"from": "Same"}), False, id="Same"),
        pytest.param({"allowedRoutes": {}}, False, id="Same by default"),
        pytest.param(
            allowed(**{"from": "Selector", "selector": {"matchLabels": {"dns": "yes"}}}), True, id="Selector fits"
        ),
        pytest.param(
            allowed(**{"from": "Selector", "selector": {"matchLabels": {"dns": "no"}}}), False, id="Selector differs"
        ),
        pytest.param(allowed(**{"from": "Selector", "selector": {}}), True, id="empty Selector takes all"),
        pytest.param(allowed(**{"from": "Selector"}), False, id="missing Selector takes none"),
        pytest.param(
            allowed(
                **{
                    "from": "Selector",
                    "selector": {
                        "matchExpressions": [
                            {"key": "dns", "operator": "Exists"},
                            {"key": "tier", "operator": "NotIn", "values": ["lab"]},
                        ]
                    },
                }
            ),
            True,
            id="expressions",
        ),
    ],
)
def test_a_listener_takes_what_its_own_policy_admits(more: Object, is_bound: bool) -> None:
    outcome = run(gateway(listeners=[listener(**more)]), route(), namespace("team", {"dns": "yes"}))
    assert admitted(outcome) == ([NAME] if is_bound else [])
    assert refused(outcome) == ({} if is_bound else {NAME: "listener-denies"})


def test_a_route_in_the_gateways_namespace_is_taken_by_default() -> None:
    assert admitted(run(gateway(listeners=[listener(allowedRoutes={})]), route("edge/cart"))) == [NAME]


def test_a_selector_over_a_namespace_that_was_not_read_stops_the_run() -> None:
    listeners = [listener(**allowed(**{"from": "Selector", "selector": {"matchLabels": {"dns": "yes"}}}))]
    with pytest.raises(ObservationFailed, match="Namespace team was not read"):
        run(gateway(listeners=listeners), route(), namespace("other"))


def test_a_relabelled_namespace_loses_its_names_at_once() -> None:
    listeners = [listener(**allowed(**{"from": "Selector", "selector": {"matchLabels": {"dns": "yes"}}}))]
    memory = remembered(run(gateway(listeners=listeners), route(), namespace("team", {"dns": "yes"})))
    outcome = run(gateway(listeners=listeners), route(), namespace("team"), memory=memory)
    assert (admitted(outcome), refused(outcome)) == ([], {NAME: "listener-denies"})


# --- hostnames --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hostnames", "listener_hostname", "expected"),
    [
        pytest.param([], None, [], id="none on either side"),
        pytest.param([], "", [], id="an empty one counts as none"),
        pytest.param([], "*.example.com", ["*.example.com"], id="only the listener's"),
        pytest.param(["a.example.com", "b.test"], None, ["a.example.com", "b.test"], id="only the route's"),
        pytest.param(["a.example.com"], "*.example.com", ["a.example.com"], id="wildcard listener"),
        pytest.param(["x.a.example.com"], "*.example.com", ["x.a.example.com"], id="several labels"),
        pytest.param(["example.com"], "*.example.com", [], id="never the apex"),
        pytest.param(["*.a.example.com"], "*.example.com", ["*.a.example.com"], id="narrower route wildcard"),
        pytest.param(["*.example.com"], "*.a.example.com", ["*.a.example.com"], id="narrower listener wildcard"),
        pytest.param(["*.example.com"], "a.example.com", ["a.example.com"], id="wildcard route"),
        pytest.param(["xexample.com"], "*.example.com", [], id="whole labels only"),
        pytest.param(["A.Example.com."], "*.EXAMPLE.com", ["a.example.com"], id="letter case and trailing dot"),
        pytest.param(["a.example.com", "A.example.com."], None, ["a.example.com"], id="one name in two spellings"),
        pytest.param(["bücher.example"], None, ["xn--bcher-kva.example"], id="A-labels"),
    ],
)
def test_the_hostnames_of_a_binding(
    hostnames: Sequence[str], listener_hostname: str | None, expected: list[str]
) -> None:
    outcome = run(gateway(listeners=[listener(hostname=listener_hostname)]), route(hostnames=hostnames))
    assert admitted(outcome) == expected


def test_a_malformed_hostname_is_refused_and_its_siblings_are_published() -> None:
    outcome = run(gateway(), route(hostnames=["a_b.shop.test", NAME, "192.0.2.1", "a..test"]))
    assert admitted(outcome) == [NAME]
    assert refused(outcome) == dict.fromkeys(("a_b.shop.test", "192.0.2.1", "a..test"), "name-syntax")


def test_a_route_with_only_malformed_hostnames_does_not_fall_back_to_the_listeners_hostname() -> None:
    outcome = run(gateway(listeners=[listener(hostname="*.shop.test")]), route(hostnames=["a_b.shop.test"]))
    assert admitted(outcome) == []


def test_a_malformed_listener_hostname_takes_nothing() -> None:
    broken = gateway(listeners=[listener(hostname="*shop.test")])
    assert refused(run(broken, route())) == {NAME: "listener-denies"}
    assert refused(run(broken, route(hostnames=[]))) == {"*shop.test": "name-syntax"}


# --- acceptance -------------------------------------------------------------------------------------------------------


def said(*conditions: Object, one: Object | None = None, **more: Any) -> list[Object]:
    return [parent(one or ref(), *conditions, **more)]


@pytest.mark.parametrize(
    ("parents", "rule"),
    [
        pytest.param(said(condition("True", 2)), None, id="True"),
        pytest.param(said(condition("True", 1), condition("False", 2)), "route-rejected", id="stale True, False"),
        pytest.param(said(condition("False", 1)), "status-stale", id="stale False"),
        pytest.param(said(condition("True", 1)), "status-stale", id="stale True"),
        pytest.param(said(condition("True", 3)), "status-stale", id="True of a later generation"),
        pytest.param(said(condition("True", None)), "status-stale", id="True without generation"),
        pytest.param(said(condition("Unknown", 2)), "status-stale", id="Unknown"),
        pytest.param(said(condition("False", 2)), "route-rejected", id="False"),
        pytest.param(said(condition("True", 2), condition("False", 2)), "route-rejected", id="False beside True"),
        pytest.param(said(condition("False", 1), condition("True", 2)), None, id="stale False beside True"),
        pytest.param([], "status-stale", id="no entry"),
        pytest.param(said(), "status-stale", id="entry without conditions"),
        pytest.param(said(condition("True", 2), one=ref(section=None)), "status-stale", id="status drops the section"),
        pytest.param(said(condition("True", 2), one=ref(port=443)), "status-stale", id="status adds a port"),
        pytest.param(said(condition("True", 2), one=ref("team/front")), "status-stale", id="another namespace"),
        pytest.param(said(condition("True", 2), one=ref(kind="Gateway", group=GROUP)), None, id="defaults written out"),
    ],
)
def test_a_parent_ref_is_accepted_by_a_current_true_only(parents: list[Object], rule: str | None) -> None:
    outcome = run(gateway(), route(generation=2, parents=parents))
    assert admitted(outcome) == ([] if rule else [NAME])
    assert refused(outcome) == ({NAME: rule} if rule else {})


@pytest.mark.parametrize(
    ("sibling", "status", "is_admitted"),
    [
        pytest.param(ref(section="alt"), "True", True, id="another section, accepted"),
        pytest.param(ref(section="alt"), "False", False, id="another section, refused"),
        pytest.param(ref(section="alt"), None, False, id="another section, silent"),
        pytest.param(ref("lab/gone"), None, False, id="another Gateway, silent"),
        pytest.param(ref("team/extra", None, kind="ListenerSet"), "True", True, id="a ListenerSet, accepted"),
        pytest.param(ref("team/extra", None, kind="ListenerSet"), "False", False, id="a ListenerSet, refused"),
        pytest.param(ref("team/svc", None, kind="Service", group=""), None, False, id="a Service, silent"),
    ],
)
def test_a_new_hostname_needs_every_parent(sibling: Object, status: str | None, is_admitted: bool) -> None:
    parents = said(condition()) + ([parent(sibling, condition(status))] if status else [])
    settings = cluster(select={"namespaces": ["edge"]})
    both = gateway(listeners=[listener("web"), listener("alt", "*.other.test")])
    outcome = run(both, route(refs=[ref(), sibling], parents=parents), settings=settings)
    assert admitted(outcome) == ([NAME] if is_admitted else [])


def test_a_refused_route_leaves_the_other_routes_of_its_gateway_alone() -> None:
    bad = route("team/bad", uid="rt-2", hostnames=["bad.shop.test"], parents=said(condition("False")))
    outcome = run(gateway(), route(), bad)
    assert (admitted(outcome), refused(outcome)) == ([NAME], {"bad.shop.test": "route-rejected"})


TWO_WRITERS = [
    parent(ref(), condition("True"), controller=CONTROLLER),
    parent(ref(), condition("False"), controller="example.net/other"),
]


@pytest.mark.parametrize(
    ("classes", "rule"),
    [
        pytest.param([], "route-rejected", id="class not read: a False wins"),
        pytest.param([gateway_class("edge-class", CONTROLLER)], None, id="the class's controller accepts"),
        pytest.param([gateway_class("edge-class", "example.net/other")], "route-rejected", id="it refuses"),
        pytest.param([gateway_class("edge-class", "example.net/third")], "status-stale", id="it is silent"),
        pytest.param([gateway_class("x", "example.net/third")], "route-rejected", id="another class was read"),
    ],
)
def test_the_controller_of_the_class_decides(classes: list[Object], rule: str | None) -> None:
    outcome = run(gateway(), route(parents=TWO_WRITERS), *classes)
    assert refused(outcome) == ({NAME: rule} if rule else {})


@pytest.mark.parametrize(
    ("accepted", "rule"),
    [
        pytest.param(condition("False", 2), "gateway-rejected", id="False"),
        pytest.param(condition("False", 1), None, id="stale False"),
        pytest.param(condition("Unknown", 2), None, id="Unknown"),
        pytest.param(condition("True", 1), None, id="stale True"),
        pytest.param(None, None, id="no condition"),
    ],
)
def test_a_gateways_own_acceptance_only_withdraws(accepted: Object | None, rule: str | None) -> None:
    memory = remembered(run(gateway(generation=2), route()))
    outcome = run(gateway(generation=2, accepted=accepted), route(), memory=memory)
    assert refused(outcome) == ({NAME: rule} if rule else {})
    assert admitted(outcome) == ([] if rule else [NAME])


# --- receipts ---------------------------------------------------------------------------------------------------------


def previous() -> Any:
    return remembered(run(gateway(), route()))


@pytest.mark.parametrize(
    ("objects", "rule"),
    [
        pytest.param([gateway(), silent()], "status-stale", id="status missing"),
        pytest.param([gateway(), route(parents=said(condition("Unknown")))], "status-stale", id="status Unknown"),
        pytest.param([gateway(), route(generation=2, parents=said(condition()))], "status-stale", id="status stale"),
        pytest.param([gateway(addresses=[]), route()], "no-address", id="addresses gone"),
        pytest.param([gateway(addresses=[]), silent()], "status-stale", id="both gone"),
        pytest.param(
            [gateway(addresses=["198.51.100.7", "lb.test"]), route()], "target-mixed-kinds", id="addresses mixed"
        ),
        pytest.param([gateway(addresses=["not a name"]), route()], "target-syntax", id="address unparsable"),
        pytest.param(
            [gateway(), route(refs=[ref(), ref("lab/gone")], parents=said(condition()))],
            "route-not-accepted",
            id="sibling silent",
        ),
        pytest.param([gateway(generation=7), silent()], "status-stale", id="Gateway edited elsewhere"),
    ],
)
def test_a_published_name_is_held_while_nothing_denies_it(objects: list[Object], rule: str) -> None:
    memory = previous()
    outcome = run(*objects, memory=memory, settings=cluster(select={"namespaces": ["edge"]}))
    one = only_set(outcome)
    (name,) = one.admitted
    assert (name.hostname, name.hold and name.hold.rule) == (NAME, rule)
    assert one.targets == (Target("IPAddress", "198.51.100.7"),)
    assert one.receipts == memory[one.name].receipts


@pytest.mark.parametrize(
    ("objects", "rule"),
    [
        pytest.param([gateway(), silent(uid="rt-2")], "identity-changed", id="route recreated"),
        pytest.param([gateway(uid="gw-2"), silent()], "identity-changed", id="Gateway recreated"),
        pytest.param([gateway(uid="gw-2", addresses=[]), route()], "identity-changed", id="Gateway without address"),
        pytest.param([gateway(class_name="other"), silent()], "identity-changed", id="class changed"),
        pytest.param(
            [gateway(listeners=[listener(port=8443)]), silent()], "identity-changed", id="listener's text changed"
        ),
        pytest.param([gateway(), silent(refs=[ref(section=None)])], "identity-changed", id="parentRef changed"),
        pytest.param(
            [gateway(listeners=[listener("new")]), silent(refs=[ref(section=None)])],
            "identity-changed",
            id="another listener",
        ),
        pytest.param([gateway(listeners=[listener("new")]), silent()], "listener-denies", id="listener gone"),
        pytest.param([gateway(), silent(name="team/new")], "identity-changed", id="another route wants the name"),
        pytest.param([gateway(), route(parents=said(condition("False")))], "route-rejected", id="route rejected"),
        pytest.param([gateway(accepted=condition("False")), silent()], "gateway-rejected", id="Gateway rejected"),
        pytest.param([gateway(metadata=DELETING), silent()], "route-not-accepted", id="Gateway being deleted"),
        pytest.param([silent()], "route-not-accepted", id="Gateway gone"),
    ],
)
def test_a_published_name_goes_when_denied_or_no_longer_the_same(objects: list[Object], rule: str) -> None:
    outcome = run(*objects, memory=previous())
    assert (admitted(outcome), refused(outcome)) == ([], {NAME: rule})
    assert only_set(outcome).receipts == ()


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([gateway(), route(metadata=DELETING)], id="route being deleted"),
        pytest.param([gateway()], id="route gone"),
        pytest.param([gateway(), silent(hostnames=["other.shop.test"])], id="hostname no longer declared"),
    ],
)
def test_a_receipt_never_resurrects_what_nobody_declares(objects: list[Object]) -> None:
    outcome = run(*objects, memory=previous())
    assert admitted(outcome) == []
    assert NAME not in refused(outcome)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([gateway(uid="gw-2"), route()], id="Gateway recreated"),
        pytest.param([gateway(), route(uid="rt-2")], id="route recreated"),
        pytest.param([gateway(class_name="other"), route()], id="class changed"),
        pytest.param([gateway(listeners=[listener(port=8443)]), route()], id="listener edited"),
    ],
)
def test_with_current_admission_a_change_drops_no_name_and_mints_a_new_receipt(objects: list[Object]) -> None:
    memory = previous()
    one = only_set(run(*objects, memory=memory))
    assert [(name.hostname, name.hold) for name in one.admitted] == [(NAME, None)]
    assert len(one.receipts) == 1
    assert one.receipts != memory[one.name].receipts


def test_another_spelling_of_a_listener_is_no_other_listener() -> None:
    memory = remembered(run(gateway(listeners=[listener(hostname="*.shop.test")]), route()))
    outcome = run(gateway(listeners=[listener(hostname="*.Shop.test.")]), silent(), memory=memory)
    assert admitted(outcome) == [NAME]


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([gateway(addresses=[]), route()], id="no address"),
        pytest.param([gateway(addresses=["198.51.100.7", "lb.test"]), route()], id="mixed targets"),
        pytest.param([gateway(addresses=[{"type": "NamedAddress", "value": "x"}]), route()], id="named address"),
        pytest.param([gateway(), silent()], id="no status"),
        pytest.param([gateway(class_name=""), route()], id="Gateway without class"),
    ],
)
def test_no_receipt_is_minted_without_full_proof(objects: list[Object]) -> None:
    assert only_set(run(*objects)).receipts == ()


@pytest.mark.parametrize("route_uid", ["", "rt-1"])
@pytest.mark.parametrize("gateway_uid", ["", "gw-1"])
@pytest.mark.parametrize(("route_uid_then", "gateway_uid_then"), [("", ""), ("rt-1", "gw-1")], ids=["without", "with"])
def test_a_missing_uid_is_no_other_one(
    route_uid: str, gateway_uid: str, route_uid_then: str, gateway_uid_then: str
) -> None:
    memory = remembered(run(gateway(uid=gateway_uid_then), route(uid=route_uid_then)))
    outcome = run(gateway(uid=gateway_uid), silent(uid=route_uid), memory=memory)
    assert (admitted(outcome), refused(outcome)) == ([NAME], {})
    assert only_set(outcome).receipts == next(iter(memory.values())).receipts


def test_new_names_of_an_edited_route_wait_while_its_published_ones_are_held() -> None:
    edited = route(generation=2, hostnames=[NAME, "new.shop.test"], parents=said(condition()))
    outcome = run(gateway(), edited, memory=previous())
    assert (admitted(outcome), refused(outcome)) == ([NAME], {"new.shop.test": "status-stale"})


def test_current_addresses_win_over_remembered_ones_for_a_held_name() -> None:
    one = only_set(run(gateway(addresses=["198.51.100.9"]), silent(), memory=previous()))
    assert one.targets == (Target("IPAddress", "198.51.100.9"),)


def test_a_receipt_of_a_name_that_was_not_published_holds_nothing() -> None:
    ((name, one),) = previous().items()
    memory = {name: type(one)(receipts=one.receipts, targets=one.targets, hostnames=frozenset())}
    assert admitted(run(gateway(), silent(), memory=memory)) == []


@pytest.mark.parametrize(("stale_receipts", "expected"), [("hold", [NAME]), ("withdraw", [])])
def test_the_strict_reading_wants_the_same_generation(stale_receipts: str, expected: list[str]) -> None:
    edited = route(generation=2, parents=said(condition()))
    outcome = run(gateway(), edited, memory=previous(), settings=cluster(staleReceipts=stale_receipts))
    assert admitted(outcome) == expected
    assert refused(outcome) == ({} if expected else {NAME: "status-stale"})


def test_the_strict_reading_still_holds_a_name_of_the_same_generation() -> None:
    outcome = run(gateway(), silent(), memory=previous(), settings=cluster(staleReceipts="withdraw"))
    assert admitted(outcome) == [NAME]


# --- targets of the whole set -----------------------------------------------------------------------------------------


def test_mixed_targets_are_shown_and_their_names_refused() -> None:
    one = only_set(run(gateway(addresses=["198.51.100.7", "lb.test"]), route()))
    assert one.exists
    assert (one.admitted, one.hostnames) == ((), (NAME,))
    assert one.targets == (Target("Hostname", "lb.test"), Target("IPAddress", "198.51.100.7"))
    assert one.target_problem is not None


def test_mixed_targets_never_replace_the_ones_that_a_held_name_has() -> None:
    mixed = gateway(addresses=["198.51.100.7", "lb.test"])
    one = only_set(run(mixed, route(hostnames=[NAME, "new.shop.test"]), memory=previous()))
    assert one.hostnames == (NAME,)
    assert one.targets == (Target("IPAddress", "198.51.100.7"),)


# --- several routes and Gateways --------------------------------------------------------------------------------------


def test_a_name_is_admitted_when_one_of_its_routes_is() -> None:
    outcome = run(gateway(), route(), silent(name="ops/pay", uid="rt-2"))
    (name,) = only_set(outcome).admitted
    assert (name.hold, name.namespaces) == (None, frozenset({"team"}))
    assert refused(outcome) == {}


def test_a_name_carries_the_namespaces_of_all_routes_that_admit_it() -> None:
    (name,) = only_set(run(gateway(), route(), route("ops/pay", uid="rt-2"))).admitted
    assert name.namespaces == {"team", "ops"}


def test_two_gateways_get_a_set_each_also_when_they_claim_one_name() -> None:
    gateways = [
        gateway("infra/internal", uid="a", addresses=["10.180.0.58"]),
        gateway("infra/external", uid="b", addresses=["ingress.external.svc.cluster.local"]),
    ]
    refs = [ref("infra/internal"), ref("infra/external")]
    outcome = run(*gateways, route("team-a/ui", hostnames=["ui.example.com"], refs=refs))
    assert [(str(one.source), one.hostnames) for one in outcome.sets] == [
        ("Gateway c1:infra/external", ("ui.example.com",)),
        ("Gateway c1:infra/internal", ("ui.example.com",)),
    ]


# --- selection --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({}, ["a.test", "b.test"], id="everything"),
        pytest.param({"select": {"names": ["one"]}}, ["a.test"], id="Gateway name"),
        pytest.param({"select": {"namespaces": ["lab"]}}, ["b.test"], id="Gateway namespace"),
        pytest.param({"select": {"labels": "tier=public"}}, ["a.test"], id="Gateway labels"),
        pytest.param({"select": {"classes": ["slow"]}}, ["b.test"], id="Gateway class"),
        pytest.param({"select": {"names": ["one"], "namespaces": ["lab"]}}, [], id="all conditions together"),
        pytest.param({"routes": {"namespaces": ["team"]}}, ["a.test"], id="route namespace"),
        pytest.param({"routes": {"labels": "app in (x,y)"}}, ["b.test"], id="route labels"),
        pytest.param({"routes": {"annotations": "!skip"}}, ["a.test"], id="route annotations"),
    ],
)
def test_the_settings_select_gateways_and_routes(settings: Any, expected: list[str]) -> None:
    objects = [
        gateway("edge/one", uid="1", metadata={"labels": {"tier": "public"}}),
        gateway("lab/two", uid="2", class_name="slow"),
        route(uid="a", hostnames=["a.test"], refs=[ref("edge/one")]),
        route(
            "ops/pay",
            uid="b",
            hostnames=["b.test"],
            refs=[ref("lab/two")],
            metadata={"labels": {"app": "x"}, "annotations": {"skip": ""}},
        ),
    ]
    outcome = run(*objects, settings=cluster(**settings))
    assert admitted(outcome) == expected
    assert refused(outcome) == {}


def test_the_counts_leave_out_what_is_not_selected_or_being_deleted() -> None:
    outcome = run(
        gateway(),
        gateway("edge/old", metadata=DELETING),
        gateway("lab/other"),
        route(),
        route("team/old", metadata=DELETING),
        settings=cluster(select={"namespaces": ["edge"]}),
    )
    assert (outcome.gateways, outcome.routes) == (1, 1)


def test_a_missing_gateway_that_the_settings_cannot_mean_gets_no_line() -> None:
    outcome = run(route(refs=[ref("lab/gone")]), settings=cluster(select={"namespaces": ["edge"]}))
    assert outcome.sets == ()


# --- opting out -------------------------------------------------------------------------------------------------------

OLD, NEW = "external-dns.alpha.kubernetes.io/controller", "external-dns.kubernetes.io/controller"


@pytest.mark.parametrize(
    ("annotations", "opts_out"),
    [
        pytest.param({}, False, id="no annotation"),
        pytest.param({NEW: "dns-controller"}, False, id="the claiming value"),
        pytest.param({OLD: "dns-controller"}, False, id="the claiming value under the old prefix"),
        pytest.param({NEW: "none"}, True, id="another value"),
        pytest.param({OLD: "none"}, True, id="another value under the old prefix"),
        pytest.param({NEW: ""}, True, id="an empty value"),
        pytest.param({NEW: "Dns-Controller"}, True, id="letter case counts"),
        pytest.param({NEW: "dns-controller", OLD: "none"}, True, id="either prefix is enough"),
        pytest.param({"example.net/controller": "none"}, False, id="another prefix"),
    ],
)
@pytest.mark.parametrize("on_gateway", [False, True], ids=["on the route", "on the Gateway"])
def test_the_controller_annotation_opts_out(annotations: Object, opts_out: bool, on_gateway: bool) -> None:
    metadata = {"annotations": annotations}
    objects = [gateway(metadata=metadata), route()] if on_gateway else [gateway(), route(metadata=metadata)]
    outcome = run(*objects, memory=previous())
    assert admitted(outcome) == ([] if opts_out else [NAME])
    assert refused(outcome) == ({NAME: "exposure-internal"} if opts_out else {})
    assert set(outcome.internal) == ({NAME} if opts_out else set())


@pytest.mark.parametrize("parents", [None, []], ids=["accepted", "not yet accepted"])
def test_an_internal_name_wins_over_a_public_route_with_the_same_name(parents: list[Object] | None) -> None:
    hidden = route("ops/hidden", uid="rt-2", parents=parents, metadata={"annotations": {NEW: "none"}})
    outcome = run(gateway(), route(), hidden, memory=previous())
    assert (admitted(outcome), refused(outcome)) == ([], {NAME: "exposure-internal"})
    assert only_set(outcome).receipts == ()


def test_an_opted_out_route_that_no_listener_takes_is_internal_all_the_same() -> None:
    hidden = route("ops/hidden", uid="rt-2", refs=[ref(section="gone")], metadata={"annotations": {NEW: "none"}})
    outcome = run(gateway(), hidden)
    assert (refused(outcome), set(outcome.internal)) == ({NAME: "exposure-internal"}, {NAME})


# --- reasons ----------------------------------------------------------------------------------------------------------


def test_a_stale_status_names_route_gateway_controller_and_both_generations() -> None:
    """BC-A06: a controller that never fills observedGeneration."""
    shop = route(
        "team-a/shop",
        generation=3,
        hostnames=["shop.example.com"],
        refs=[ref("infra/edge", None)],
        parents=said(condition("True", 0), one=ref("infra/edge", None)),
    )
    outcome = run(gateway("infra/edge", addresses=["203.0.113.10"]), shop)
    assert (admitted(outcome), refused(outcome)) == ([], {"shop.example.com": "status-stale"})
    text = reason(outcome, "shop.example.com")
    for part in ("HTTPRoute team-a/shop", "Gateway infra/edge", CONTROLLER, "generation 0", "generation 3"):
        assert part in text


@pytest.mark.parametrize(
    ("objects", "parts"),
    [
        pytest.param([gateway(), silent()], ["team/cart", "edge/front", "any controller", "generation 1"], id="silent"),
        pytest.param(
            [gateway(), silent(), gateway_class("edge-class", "example.net/x")], ["example.net/x"], id="silent class"
        ),
        pytest.param([gateway(), route(parents=said(condition("False", reason="NoMatch")))], ["NoMatch"], id="refused"),
        pytest.param(
            [gateway(generation=4, accepted=condition("False", 4, "Invalid")), route()],
            ["edge/front", "Invalid", "4"],
            id="Gateway refused",
        ),
        pytest.param([route()], ["edge/front", "does not exist"], id="Gateway missing"),
        pytest.param([gateway(metadata=DELETING), route()], ["being deleted"], id="Gateway being deleted"),
        pytest.param([gateway(addresses=[]), route()], ["edge/front", "no address"], id="no address"),
        pytest.param(
            [gateway(addresses=[{"type": "NamedAddress", "value": "shared"}]), route()],
            ["edge/front", "'shared'", "NamedAddress"],
            id="named address",
        ),
        pytest.param([gateway(), route(refs=[ref(section="x")])], ["section x", "web:443"], id="no such listener"),
        pytest.param([gateway(listeners=[listener(protocol="TCP")]), route()], ["web", "TCP"], id="protocol"),
        pytest.param([gateway(listeners=[listener(hostname="a.test")]), route()], ["web", "a.test"], id="no overlap"),
        pytest.param(
            [gateway(), route(parents=said(condition(), one=ref(section=None)))],
            ["the status speaks of Gateway edge/front "],
            id="status under another reference",
        ),
        pytest.param(
            [gateway(listeners=[listener(f"l{n}", "a.test") for n in range(30)]), route(refs=[ref(section=None)])],
            ["l0", "and 26 more"],
            id="many listeners",
        ),
    ],
)
def test_a_refusal_names_what_to_look_at(objects: list[Object], parts: list[str]) -> None:
    text = reason(run(*objects), NAME)
    assert [part for part in parts if part not in text] == []


def test_a_changed_identity_says_what_changed() -> None:
    assert "the Gateway's UID, the GatewayClass" in reason(
        run(gateway(uid="gw-2", class_name="new"), silent(), memory=previous()), NAME
    )


def test_what_waits_for_a_team_never_fails_the_run() -> None:
    rules = {"status-stale", "route-not-accepted", "no-address", "route-rejected", "gateway-rejected"}
    rules |= {"listener-denies", "identity-changed", "exposure-internal"}
    assert {RULES[rule].level for rule in rules} == {Level.WAIT}


# --- what is bound to no Gateway, and what is not supported -----------------------------------------------------------


@pytest.mark.parametrize(
    ("refs", "part"),
    [
        pytest.param([], "no parentRef", id="no parentRef"),
        pytest.param([ref("team/extra", None, kind="ListenerSet")], "ListenerSet team/extra", id="a ListenerSet"),
        pytest.param([ref("team/svc", None, kind="Service", group="")], "Service team/svc", id="a Service"),
    ],
)
def test_a_route_that_refers_to_no_gateway_gets_a_line_for_each_hostname(refs: list[Object], part: str) -> None:
    outcome = run(gateway(), route(hostnames=["b.test", "a.test", "a_b.test"], refs=refs))
    assert [(name.hostname, name.route, name.refusal.rule) for name in outcome.unbound] == [
        ("a.test", "team/cart", "listener-denies"),
        ("a_b.test", "team/cart", "name-syntax"),
        ("b.test", "team/cart", "listener-denies"),
    ]
    assert part in outcome.unbound[0].refusal.reason


@pytest.mark.parametrize("kind", ["GRPCRoute", "TLSRoute", "ListenerSet", "XListenerSet"])
def test_objects_that_are_not_supported_are_named_with_their_hostnames(kind: str) -> None:
    spec = {"hostnames": ["a.test"], "listeners": [{"name": "x", "hostname": "a.test"}, {"name": "y"}]}
    group = "gateway.networking.x-k8s.io" if kind == "XListenerSet" else GROUP
    item = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"namespace": "team", "name": "x"}, "spec": spec}
    outcome = run(gateway(), item)
    assert [(str(found), found.hostnames) for found in outcome.not_supported] == [(f"{kind} team/x", ("a.test",))]
    assert admitted(outcome) == []
    elsewhere = run(gateway(), item, settings=cluster(routes={"namespaces": ["ops"]}))
    assert bool(elsewhere.not_supported) == kind.endswith("ListenerSet")
