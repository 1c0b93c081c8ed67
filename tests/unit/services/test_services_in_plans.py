"""What becomes of the hostnames of services, in plans that follow each other on what the cluster still shows."""

from typing import Any

import pytest

from tests.unit.admission.objects import Object, gateway, ref, route
from tests.unit.plan.world import CLOUDFLARE, FREE, plan_of, run, settings_of, tunnel
from tests.unit.services.world import OWNER, plan, public, service, written

A, B, C = "a.example.com", "b.example.com", "c.example.com"
HIDDEN = "service docs/wiki is internal"
LAN = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private"}


def published(*hostnames: str) -> Any:
    """The memory after a public service with these hostnames was published."""
    one = public(*hostnames)
    done = plan([one], gateway(), written(one))
    assert done.states == dict.fromkeys(hostnames, "published")
    return done.memory


def test_a_new_service_waits_for_its_controller_and_is_published_then() -> None:
    first = plan([public(A)], gateway())
    assert first.outcome == {A: ("refused", "status-stale")}
    assert first.memory["services"] == {"c1/docs/wiki": {"uid": "", "hostnames": [A], "port": 80}}
    second = plan([public(A)], gateway(), written(public(A)), memory=first.memory)
    assert second.outcome == {A: ("published", None)}
    assert second.memory["services"] == {"c1/docs/wiki": {"uid": "rt-wiki", "hostnames": [A], "port": 80}}


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([gateway()], id="before its route was ever written"),
        pytest.param([gateway(), written(service(A))], id="with its route"),
        pytest.param([], id="without its Gateway"),
        pytest.param([gateway(), written(public(A))], id="while the cluster shows the public route"),
    ],
)
@pytest.mark.parametrize("rivals", [[], [tunnel(A)]], ids=["alone", "beside a tunnel"])
def test_an_internal_service_is_published_for_nobody(objects: list[Object], rivals: list[Any]) -> None:
    outcome = run(
        settings_of(services=[service(A)], tunnels=rivals, clusters=[{"name": "c1"}], safety=FREE),
        clusters={"c1": [*objects, route("team/x", hostnames=[B])]},
    )
    assert outcome.outcome[A] == ("refused", "exposure-internal")
    assert HIDDEN in outcome.reason(A)
    assert outcome.status == 0


def test_a_name_that_only_the_route_of_the_services_name_names_says_that_it_counts_as_a_whole() -> None:
    outcome = plan([service(A)], gateway(), route("docs/wiki", uid="rt-x", hostnames=[A, B]))
    assert outcome.outcome[B] == ("refused", "exposure-internal")
    assert outcome.reason(B) == f"{HIDDEN}, and HTTPRoute docs/wiki, which has its name, counts as a whole"
    assert outcome.reason(A).startswith(HIDDEN)
    assert "counts as a whole" not in outcome.reason(A).partition(";")[0]


def test_internal_wins_over_a_route_of_others_a_tunnel_and_a_public_service_of_the_same_hostname() -> None:
    services = [service(A), public(A, B, name="shop")]
    others = route("team/x", uid="rt-x", hostnames=[A, C])
    outcome = plan(services, gateway(), others, written(services[1], uid="rt-shop"), tunnels=[tunnel(A)])
    assert outcome.outcome == {
        A: ("refused", "exposure-internal"),
        B: ("published", None),
        C: ("published", None),
    }


BELOW, DEEP, NAMED, INSIDE = (f"{label}.corp.example.com" for label in ("x", "y.z", "named", "inside"))


def test_the_wildcard_of_an_internal_service_covers_all_names_below_it_but_those_of_other_services() -> None:
    services = [
        service("*.corp.example.com"),
        public(NAMED, name="shop"),
        service(INSIDE, name="lan", privateZones=True),
    ]
    tunnels = [tunnel(BELOW, "corp.example.com"), to_internal(A, INSIDE), to_internal(B, BELOW)]
    objects = [gateway(), *(written(one, uid=one["name"]) for one in services), route("team/x", hostnames=[DEEP])]
    outcome = plan(services, *objects, tunnels=tunnels, zones=[CLOUDFLARE, LAN])
    assert outcome.outcome == {
        "*.corp.example.com": ("refused", "exposure-internal"),
        BELOW: ("refused", "exposure-internal"),
        DEEP: ("refused", "exposure-internal"),
        NAMED: ("published", None),
        "corp.example.com": ("published", None),
        INSIDE: ("published", None),
        A: ("refused", "internal-name-public-zone"),
        B: ("refused", "internal-name-public-zone"),
    }
    assert outcome.reason(DEEP) == f"{HIDDEN}, and *.corp.example.com covers this name"


def to_internal(hostname: str, target: str) -> Any:
    """A tunnel whose record points at an internal name."""
    return tunnel(hostname, name=hostname[0], dns={"mode": "Zone", "cnameTarget": target})


def test_a_service_without_gateway_rules_its_hostnames_all_the_same() -> None:
    outcome = run(settings_of(services=[service(A, gateway=None)], tunnels=[tunnel(A, B)]))
    assert outcome.outcome == {A: ("refused", "exposure-internal"), B: ("published", None)}
    assert outcome.memory["services"] == {}


def test_a_public_service_without_gateway_is_published_by_its_tunnel_and_told_without_one() -> None:
    services = [public(A, B, gateway=None)]
    outcome = run(settings_of(services=services, tunnels=[tunnel(A)]))
    assert outcome.outcome == {A: ("published", None), B: ("refused", "route-not-accepted")}
    assert "no tunnel of the settings names it" in outcome.reason(B)


def test_a_hostname_taken_out_goes_in_this_run_a_new_one_waits_and_the_rest_is_held() -> None:
    outcome = plan([public(A, C)], gateway(), written(public(A, B)), memory=published(A, B))
    assert outcome.outcome == {
        A: ("held", "status-stale"),
        B: ("withdrawn", "not-declared"),
        C: ("refused", "status-stale"),
    }
    assert outcome.reason(B) == "service docs/wiki no longer names it"
    caught_up = plan([public(A, C)], gateway(), written(public(A, C), generation=2, accepted=2), memory=outcome.memory)
    assert caught_up.states == {A: "published", C: "published"}


BACK = gateway("edge/back", uid="gw-2", addresses=[{"type": "IPAddress", "value": "203.0.113.9"}])


@pytest.mark.parametrize(
    ("one", "values"),
    [
        pytest.param(public(A, gateway={"name": "back", "namespace": "edge"}), ["203.0.113.9"], id="another Gateway"),
        pytest.param(public(A, name="shop"), ["198.51.100.7"], id="another name"),
        pytest.param(public(A, namespace="other"), ["198.51.100.7"], id="another namespace"),
    ],
)
def test_a_binding_that_the_settings_change_holds_the_name_until_the_controller_has_judged_it(
    one: Any, values: list[str]
) -> None:
    memory, before = published(A), written(public(A))
    is_same = (one["namespace"], one["name"]) == ("docs", "wiki")
    silent = written(one, uid="rt-wiki" if is_same else "rt-new", generation=2, accepted=None)
    accepted = written(one, uid="rt-wiki" if is_same else "rt-new", generation=2, accepted=2)
    for shown in (before, silent):
        waiting = plan([one], gateway(), BACK, shown, memory=memory)
        assert waiting.outcome == {A: ("held", "status-stale")}
        assert waiting.records == {A: {"A": ["198.51.100.7"]}}
        memory = waiting.memory
    done = plan([one], gateway(), BACK, accepted, memory=memory)
    assert (done.outcome, done.records) == ({A: ("published", None)}, {A: {"A": values}})


def test_a_hostname_that_moves_to_another_service_is_held_until_its_route_is_judged() -> None:
    services = [public(B), public(A, name="shop")]
    objects = [gateway(), written(public(A, B)), written(public(C, name="shop"), uid="rt-shop")]
    outcome = plan(services, *objects, memory=published(A, B))
    assert outcome.outcome[A] == ("held", "status-stale")


def test_a_gateway_that_others_made_anew_and_a_denial_withdraw_the_name_of_a_service() -> None:
    one = public(A)
    new = gateway(uid="gw-new")
    outcome = plan([one], new, written(one, accepted=None), memory=published(A), tunnels=[tunnel(B)])
    assert outcome.outcome[A] == ("withdrawn", "identity-changed")
    gone = plan([one], gateway(), route("team/x", hostnames=[C]), memory=published(A))
    assert gone.outcome[A][0] == "withdrawn"


def test_a_service_taken_out_of_the_settings_loses_its_records_although_its_route_is_still_there() -> None:
    outcome = plan([], gateway(), written(public(A, B)), memory=published(A, B), tunnels=[tunnel(C)])
    gone = ("withdrawn", "not-declared")
    assert outcome.outcome == {A: gone, B: gone, C: ("published", None)}
    assert "service docs/wiki no longer declares a route" in outcome.reason(A)
    assert outcome.memory["services"] == {}


def test_taking_out_the_only_route_of_a_cluster_is_no_empty_read() -> None:
    services = [public(A)]
    outcome = run(
        settings_of(services=[], tunnels=[tunnel(B)], clusters=[{"name": "c1"}], safety=FREE),
        clusters={"c1": [gateway(), written(services[0])]},
        memory=published(A),
    )
    assert outcome.stops == []
    assert outcome.states == {A: "withdrawn", B: "published"}


def test_what_is_declared_is_no_proof_that_the_cluster_was_read() -> None:
    outcome = plan([public(A)], gateway(), memory=published(A), tunnels=[tunnel(B)])
    assert outcome.stops == ["empty-desired"]


def test_turning_a_service_internal_withdraws_in_this_run_and_turning_it_back_publishes_in_this_run() -> None:
    hidden = plan([service(A)], gateway(), written(public(A)), memory=published(A), tunnels=[tunnel(B)])
    assert hidden.outcome == {A: ("withdrawn", "exposure-internal"), B: ("published", None)}
    shown = plan([public(A)], gateway(), written(service(A)), memory=hidden.memory, tunnels=[tunnel(B)])
    assert shown.outcome == {A: ("published", None), B: ("published", None)}


def test_the_opt_out_of_somebody_else_on_a_public_route_is_honoured() -> None:
    live = written(public(A), annotations={"external-dns.kubernetes.io/controller": "another"})
    outcome = plan([public(A)], gateway(), live, memory=published(A), tunnels=[tunnel(B)])
    assert outcome.outcome[A] == ("withdrawn", "exposure-internal")


def test_an_internal_service_goes_to_private_zones_only_where_it_says_so() -> None:
    services = [service(A, privateZones=True), service(B, name="db")]
    objects = [gateway(addresses=["10.0.0.7"]), written(services[0]), written(services[1], uid="rt-db")]
    outcome = plan(services, *objects, zones=[CLOUDFLARE, LAN], tunnels=[tunnel(A, C)])
    assert [(one["hostname"], one["state"], one["rule"]) for one in outcome.document["hostnames"]] == [
        (A, "published", None),
        (A, "refused", "exposure-internal"),
        (B, "refused", "exposure-internal"),
        (C, "published", None),
    ]
    [record] = [one for one in outcome.document["records"] if one["name"] == A]
    assert (record["provider"], record["values"]) == ("route53", ["10.0.0.7"])


def test_turning_internal_with_private_zones_moves_the_name_from_the_public_to_the_private_zone() -> None:
    memory = published(A)
    outcome = plan(
        [service(A, privateZones=True)], gateway(), written(public(A)), memory=memory, zones=[CLOUDFLARE, LAN]
    )
    assert [(one["hostname"], one["state"], one["rule"]) for one in outcome.document["hostnames"]] == [
        (A, "published", None),
        (A, "withdrawn", "exposure-internal"),
    ]


def test_no_public_zone_points_at_a_name_of_an_internal_service() -> None:
    outcome = run(
        settings_of(
            services=[service("db.example.net", gateway=None)],
            tunnels=[tunnel(A, dns={"mode": "Zone", "cnameTarget": "db.example.net"})],
        )
    )
    assert outcome.outcome[A] == ("refused", "internal-name-public-zone")
    assert HIDDEN in outcome.reason(A)


def test_bad_hostnames_are_refused_one_by_one() -> None:
    services = [public(A, "-bad-.example.com", "10.0.0.1")]
    outcome = plan(services, gateway(), written(services[0]))
    assert outcome.outcome == {
        A: ("published", None),
        "-bad-.example.com": ("refused", "name-syntax"),
        "10.0.0.1": ("refused", "name-syntax"),
    }
    assert outcome.source(A) == "Gateway c1:edge/front"
    assert outcome.source("10.0.0.1") == "Service c1:docs/wiki"


def foreign(**more: Any) -> Object:
    """A route of the service's name without the marker of any stack."""
    return route("docs/wiki", **{"uid": "rt-theirs", "hostnames": [C], **more})


def test_a_route_of_somebody_else_is_refused_by_name_and_counts_as_what_it_is() -> None:
    made = plan_of(settings_of(services=[public(A, B)], safety=FREE), gateway(), foreign())
    assert {one.hostname: one.refusal and one.refusal.rule for one in made.decisions} == {
        A: "route-foreign",
        B: "route-foreign",
        C: None,
    }
    assert len(made.failures) == 2
    assert made.routes == ()
    assert made.memory.services == {}


def test_the_hostnames_of_an_internal_service_stay_internal_on_a_foreign_route() -> None:
    outcome = plan([service(A)], gateway(), foreign(hostnames=[A]))
    assert outcome.outcome == {A: ("refused", "exposure-internal")}
    assert outcome.reason(A) == (
        "service docs/wiki is internal; Service c1:docs/wiki: exposure-internal: HTTPRoute docs/wiki is in cluster c1 "
        "already, and this stack did not make it; it is left as it is"
    )


def test_a_foreign_route_in_the_place_of_ours_stops_the_run_before_the_engine_touches_it() -> None:
    memory = published(A)
    for services in ([public(A)], []):
        stopped = plan(services, gateway(), foreign(), memory=memory)
        assert stopped.stops == ["route-identity"]
        assert "as docs/services.md says" in " ".join(stopped.text.split())
        assert stopped.memory == memory


@pytest.mark.parametrize("publishers", ["all", "listed"])
@pytest.mark.parametrize("front", [None, {"name": "front", "namespace": "edge"}], ids=["no Gateway", "a Gateway"])
def test_all_that_a_route_under_the_name_of_an_internal_service_names_is_internal(
    front: dict[str, str] | None, publishers: str
) -> None:
    services = [service(A, gateway=front), public(C, name="shop")]
    objects = [gateway(), foreign(hostnames=[A, B]), written(services[1], uid="rt-shop")]
    outcome = plan(services, *objects, exposure={"publishers": publishers})
    hidden = ("refused", "exposure-internal")
    assert outcome.outcome == {A: hidden, B: hidden, C: ("published", None)}
    in_private = plan([service(A, gateway=front, privateZones=True), services[1]], *objects, zones=[CLOUDFLARE, LAN])
    found = {one["provider"] for one in in_private.document["records"] if one["name"] != C}
    assert found == {"route53"}


# --- a public hostname that a route of others names, too --------------------------------------------------------------

OTHER_ADDRESS = "198.51.100.9"
OTHER = gateway("edge/other", uid="gw-2", addresses=[OTHER_ADDRESS])


def theirs(at: str, name: str = "team/x") -> Object:
    return route(name, uid="rt-x", hostnames=[A], refs=[ref(f"edge/{at}")])


TWICE = ("refused", "host-claimed-twice")


@pytest.mark.parametrize("accepted", [None, 1], ids=["its route waits", "its route is accepted"])
@pytest.mark.parametrize("name", ["team/x", "docs/x"], ids=["another namespace", "its namespace"])
def test_a_route_of_others_at_another_gateway_never_publishes_the_hostname_of_a_service(
    name: str, accepted: int | None
) -> None:
    objects = [gateway(), OTHER, theirs("other", name), written(public(A), accepted=accepted)]
    outcome = plan([public(A)], *objects)
    assert (outcome.outcome, outcome.status, outcome.records) == ({A: TWICE}, 1, {})
    assert "Gateway c1:edge/other" in outcome.reason(A)
    if not accepted:
        assert "service docs/wiki declares it at Gateway c1:edge/front" in outcome.reason(A)


def test_a_hostname_that_a_route_of_others_has_published_is_held_once_a_service_declares_it() -> None:
    before = plan([], gateway(), OTHER, theirs("other"))
    outcome = plan([public(A)], gateway(), OTHER, theirs("other"), memory=before.memory)
    assert outcome.outcome == {A: ("held", "host-claimed-twice")}
    assert outcome.records == {A: {"A": [OTHER_ADDRESS]}}
    # The way out: the route lets go, and the service's is accepted.
    done = plan([public(A)], gateway(), OTHER, written(public(A)), memory=outcome.memory)
    assert done.outcome == {A: ("published", None)}


@pytest.mark.parametrize(
    "services",
    [
        pytest.param([public(A), public(A, name="two", gateway={"name": "other", "namespace": "edge"})], id="of two"),
        pytest.param([public(A, gateway=None)], id="without a Gateway"),
    ],
)
def test_a_gateway_that_a_service_may_use_for_the_hostname_is_no_other_one(services: list[Any]) -> None:
    outcome = plan(services, gateway(), OTHER, theirs("other"))
    assert outcome.outcome == {A: ("published", None)}


def test_another_gateway_with_the_same_addresses_wants_the_same_record() -> None:
    outcome = plan([public(A)], gateway(), gateway("edge/other", uid="gw-2"), theirs("other"))
    assert outcome.outcome == {A: ("published", None)}


def test_a_private_view_of_the_hostname_is_none_of_the_service() -> None:
    clusters = [{"name": "c1"}, {"name": "lan", "visibility": "private"}]
    outcome = run(
        settings_of(services=[{**public(A), "cluster": "c1"}], clusters=clusters, zones=[CLOUDFLARE, LAN], safety=FREE),
        clusters={"c1": [gateway(), written(public(A))], "lan": [OTHER, theirs("other")]},
    )
    assert [one["state"] for one in outcome.document["hostnames"]] == ["published", "published"]


@pytest.mark.parametrize("name", ["team/x", "docs/wiki"], ids=["another name", "the name of its route"])
def test_a_hostname_that_only_a_route_of_others_publishes_at_the_gateway_of_its_service_is_told(name: str) -> None:
    def warned(*objects: Object) -> list[str]:
        made = plan_of(settings_of(services=[public(A)], safety=FREE), gateway(), *objects)
        assert {one.hostname: one.state for one in made.decisions} == {A: "published"}
        return [one.message for one in made.warnings if one.rule == "host-claimed-twice"]

    (message,) = warned(theirs("front", name))
    assert message.startswith(
        f"service docs/wiki: {A} is published at Gateway c1:edge/front over HTTPRoute {name} of somebody else alone"
    )
    # Routes of one Gateway may share a hostname, by paths.
    if name == "team/x":
        assert warned(theirs("front"), written(public(A))) == []


def owned(annotation: str | None, **more: Any) -> Object:
    """The route of the state by UID, with this annotation of an owner."""
    annotations = {"edge-dns/owner": annotation} if annotation else {}
    return foreign(uid="rt-wiki", metadata={"annotations": annotations}, **more)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [(None, "it has no edge-dns/owner"), ("edge/other", "its annotation edge-dns/owner says edge/other")],
)
def test_the_uid_of_the_state_proves_nothing_since_a_refresh_may_have_put_it_there(
    annotation: str | None, words: str
) -> None:
    for services in ([public(A)], []):
        settings = settings_of(services=services, safety=FREE, clusters=[{"name": "c1"}])
        made = plan_of(settings, gateway(), owned(annotation), memory=published(A), owner=OWNER)
        [stop] = made.stops
        assert stop.refusal.rule == "route-identity"
        assert words in str(stop)
        assert "--run-program" in str(stop)
        assert f"kubectl annotate --overwrite --namespace docs httproute wiki edge-dns/owner={OWNER}" in str(stop)


def test_the_marker_is_enough_whatever_uid_the_route_has() -> None:
    settings = settings_of(services=[public(A)], safety=FREE)
    live = written(public(A), uid="rt-restored")
    made = plan_of(settings, gateway(), live, memory=published(A), owner=OWNER)
    assert (made.stops, made.failures) == ((), ())


def test_a_route_with_our_marker_is_ours_although_the_state_does_not_know_it() -> None:
    outcome = plan([public(A)], gateway(), written(public(A)))
    assert outcome.outcome == {A: ("published", None)}


def test_a_renamed_cluster_stops_the_run_since_the_engine_would_delete_what_it_has_just_written() -> None:
    outcome = run(
        settings_of(services=[public(A)], safety=FREE),
        clusters={"new": [gateway(), written(public(A))]},
        memory=published(A),
    )
    assert outcome.stops == ["route-identity"]
    assert "name the cluster c1 again" in outcome.text


def test_one_cluster_under_two_names_is_no_renamed_one() -> None:
    one = public(A, cluster="c1")
    objects = [gateway(), written(public(A))]
    outcome = run(
        settings_of(services=[one], safety=FREE), clusters={"c1": objects, "c2": objects}, memory=published(A)
    )
    assert outcome.stops == []
    assert outcome.document["warnings"] == []


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        pytest.param([], "is gone, and the state still knows it", id="deleted"),
        pytest.param([written(public(A, C))], "was changed by somebody else", id="edited"),
    ],
)
def test_what_became_of_a_route_outside_is_told_with_the_way_out(objects: list[Object], words: str) -> None:
    others = route("team/x", hostnames=[B])
    outcome = plan([public(A)], gateway(), others, *objects, memory=published(A))
    [warning] = outcome.document["warnings"]
    assert warning["rule"] == "route-drift"
    assert words in warning["message"]
    assert "pulumi up --refresh" in warning["message"]


@pytest.mark.parametrize(
    "cluster",
    [{"routes": {"labels": "dns=yes"}}, {"routes": {"namespaces": ["another"]}}],
    ids=["labels", "namespaces"],
)
def test_the_selector_of_routes_does_not_leave_out_what_the_stack_itself_declares(cluster: Any) -> None:
    outcome = plan([public(A)], gateway(), written(public(A)), clusters=[{"name": "c1", **cluster}])
    assert outcome.outcome == {A: ("published", None)}


def test_a_gateway_that_is_not_selected_is_named() -> None:
    outcome = plan([public(A)], gateway(), clusters=[{"name": "c1", "select": {"names": ["another"]}}])
    assert outcome.outcome == {A: ("refused", "listener-denies")}
    assert outcome.reason(A) == "service docs/wiki: `select` of cluster c1 leaves out Gateway edge/front"
