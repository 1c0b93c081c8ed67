"""Where publishers are listed, only services of the stack and the register publish, and the register only shrinks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.explain import explain
from edge_dns.core.exposure import hostnames_of_service
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.memory import Memory, decode, encode
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.publisher_register import grown, is_listed, publisher_text
from edge_dns.core.publishers import publishers_of
from edge_dns.core.settings import load_settings
from tests.unit.admission.objects import Object, gateway, listener, ref, route
from tests.unit.plan.world import FREE, Json, Run, plan_of, run, settings_of, tunnel

OLD, NEW = "external-dns.alpha.kubernetes.io/", "external-dns.kubernetes.io/"
A, B, C = "a.example.com", "b.example.com", "c.example.com"
UNLISTED = "is neither a service of this stack nor in exposure.register"
CART: Json = {"namespace": "team", "name": "cart"}
BLOG: Json = {"namespace": "team", "name": "blog"}


def route_of(name: str, *hostnames: str, **annotations: str) -> Object:
    return route(f"team/{name}", uid=f"rt-{name}", hostnames=hostnames, metadata={"annotations": annotations})


def service(name: str, **annotations: str) -> Object:
    metadata = {"namespace": "team", "name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"type": "LoadBalancer"}}


def settings(*register: Json, publishers: str = "listed", **more: Any) -> Json:
    exposure = {"publishers": publishers, "register": list(register)}
    return settings_of(exposure=exposure, safety=FREE, **more)


def plan(*objects: Object, register: tuple[Json, ...] = (), memory: object = None, **more: Any) -> Run:
    return run(settings(*register, **more), gateway(), *objects, memory=memory)


def notices(outcome: Run) -> list[tuple[str | None, str]]:
    return [(one["rule"], one["message"]) for one in outcome.document["warnings"]]


# --- who may publish --------------------------------------------------------------------------------------------------


def test_a_route_that_is_not_listed_is_refused_by_name_and_a_listed_one_published() -> None:
    outcome = plan(route_of("cart", A), route_of("blog", B), register=(CART,))
    assert outcome.outcome == {A: ("published", None), B: ("refused", "unlisted-publisher")}
    assert outcome.reason(B) == f"HTTPRoute c1:team/blog {UNLISTED}"
    assert outcome.status == 1
    assert notices(outcome) == []


def test_everybody_may_publish_unless_the_settings_say_otherwise() -> None:
    outcome = plan(route_of("cart", A), publishers="all")
    assert outcome.outcome == {A: ("published", None)}
    assert outcome.memory["register"] is None


def test_a_name_that_was_published_is_withdrawn_with_its_entry_and_the_guard_sees_it() -> None:
    before = plan(route_of("cart", A), route_of("blog", B), register=(CART, BLOG))
    after = plan(route_of("cart", A), route_of("blog", B), register=(CART,), memory=before.memory)
    assert after.outcome == {A: ("published", None), B: ("withdrawn", "unlisted-publisher")}
    protected = settings(CART) | {"safety": {"protect": [B], "minRecords": 1}}
    objects = (gateway(), route_of("cart", A), route_of("blog", B))
    assert "delete-forbidden" in run(protected, *objects, memory=before.memory).stops


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        pytest.param(CART, "published", id="any cluster"),
        pytest.param(CART | {"cluster": "c1"}, "published", id="its cluster"),
        pytest.param(CART | {"cluster": "c2"}, "refused", id="another cluster"),
        pytest.param(CART | {"namespace": "other"}, "refused", id="another namespace"),
        pytest.param(CART | {"kind": "Service"}, "refused", id="another kind"),
        pytest.param(BLOG, "refused", id="another name"),
    ],
)
def test_an_entry_lists_exactly_one_object(entry: Json, state: str) -> None:
    assert plan(route_of("cart", A), register=(entry,)).states == {A: state}


@pytest.mark.parametrize(
    ("publisher", "more", "may"),
    [
        pytest.param("HTTPRoute c1:team/cart", {"gateway": {"name": "front"}}, True, id="its route"),
        pytest.param("HTTPRoute c1:team/cart", {"gateway": {"name": "front"}, "cluster": "c1"}, True, id="its cluster"),
        pytest.param("HTTPRoute c2:team/cart", {"gateway": {"name": "front"}}, False, id="another cluster"),
        pytest.param("HTTPRoute c1:team/cart", {}, True, id="a route that something else declares"),
        pytest.param("HTTPRoute c1:team/db", {}, False, id="another route"),
        pytest.param("Service c1:team/cart", {}, True, id="its Service"),
        pytest.param("Service c1:team/db", {}, False, id="another Service"),
    ],
)
def test_route_and_service_of_a_service_of_the_stack_are_listed_by_themselves(
    publisher: str, more: Json, *, may: bool
) -> None:
    given_settings = load_settings(
        {"clusters": [{"name": "c1"}], **settings(services=[{**CART, "hostnames": [A], **more}])}
    )
    publishers = publishers_of(given_settings, None)
    assert publishers is not None
    assert (publishers.refusal(publisher) is None) == may


def test_a_name_of_a_listed_route_is_published_although_an_unlisted_one_wants_it_too() -> None:
    outcome = plan(route_of("cart", A), route_of("blog", A), register=(CART,))
    assert outcome.outcome == {A: ("published", None)}
    said = f"HTTPRoute c1:team/blog {UNLISTED}, and asks external-dns for {A}"
    assert notices(outcome) == [("unlisted-publisher", said)]


def test_tunnels_are_of_this_stack() -> None:
    assert plan(tunnels=[tunnel(A)]).outcome == {A: ("published", None)}


def test_a_route_that_opts_out_needs_no_entry() -> None:
    outcome = plan(route_of("cart", A, **{f"{OLD}controller": "none"}))
    assert outcome.outcome == {A: ("refused", "exposure-internal")}
    assert notices(outcome) == []


def test_a_route_of_a_gateway_that_is_not_selected_is_none_of_ours() -> None:
    other = route("team/blog", hostnames=[B], refs=[ref("edge/other")])
    outcome = plan(other, gateway("edge/other", uid="gw-2"), clusters=[{"name": "c1", "select": {"names": ["front"]}}])
    assert (outcome.outcome, notices(outcome)) == ({}, [])


def test_a_route_without_hostnames_is_refused_by_those_of_its_listeners() -> None:
    front = gateway(listeners=[listener(hostname=A)])
    outcome = run(settings(), front, route("team/cart", hostnames=[]))
    assert outcome.outcome == {A: ("refused", "unlisted-publisher")}


# --- what external-dns would publish ----------------------------------------------------------------------------------


def test_the_hostname_annotation_of_a_route_is_a_way_to_publish() -> None:
    outcome = plan(route_of("cart", A, **{f"{NEW}hostname": f"{B}, {A}", f"{NEW}gateway-hostname-source": "x"}))
    assert outcome.outcome == {A: ("refused", "unlisted-publisher")}
    assert [message.rpartition(" for ")[2] for _, message in notices(outcome)] == [B]
    listed = plan(route_of("cart", A, **{f"{NEW}hostname": B}), register=(CART,))
    assert notices(listed) == []


@pytest.mark.parametrize(
    ("annotations", "names"),
    [
        pytest.param({}, (), id="no annotation"),
        pytest.param({f"{OLD}hostname": A}, (A,), id="the old prefix"),
        pytest.param({f"{NEW}hostname": f"{B},{A}"}, (A, B), id="the new prefix"),
        pytest.param({f"{NEW}internal-hostname": A}, (A,), id="the internal hostname"),
        pytest.param({f"{NEW}hostname": A, f"{OLD}hostname": B}, (A, B), id="both"),
        pytest.param({f"{NEW}hostname": A, f"{NEW}controller": "none"}, (), id="opted out"),
        pytest.param({f"{NEW}hostname": A, f"{NEW}controller": ""}, (), id="opted out by an empty value"),
        pytest.param({f"{NEW}hostname": A, f"{NEW}controller": "dns-controller"}, (A,), id="claimed"),
        pytest.param({f"{NEW}hostname": A, f"{OLD}controller": "none"}, (A,), id="opted out under the other prefix"),
        pytest.param({f"{NEW}hostname": A, f"{OLD}hostname": B, f"{OLD}controller": "none"}, (A,), id="half"),
        pytest.param({f"{NEW}target": A}, (), id="another annotation"),
        pytest.param({"example.net/hostname": A}, (), id="another prefix"),
    ],
)
def test_what_external_dns_would_publish_of_a_service(annotations: dict[str, str], names: tuple[str, ...]) -> None:
    assert hostnames_of_service(annotations) == names


def test_an_unlisted_service_is_told_and_refuses_nothing() -> None:
    found = service("db", **{f"{OLD}hostname": "DB.example.com."})
    outcome = plan(route_of("cart", A), found, service("quiet"), register=(CART,))
    assert outcome.outcome == {A: ("published", None)}
    said = f"Service c1:team/db {UNLISTED}, and asks external-dns for db.example.com"
    assert notices(outcome) == [("unlisted-publisher", said)]
    assert outcome.status == 0
    listed = plan(route_of("cart", A), found, register=(CART, {"kind": "Service", "namespace": "team", "name": "db"}))
    assert notices(listed) == []


@pytest.mark.parametrize("publishers", ["all", "listed"])
def test_an_annotation_that_asks_for_an_internal_hostname_is_told(publishers: str) -> None:
    hidden = route_of("wiki", A, **{f"{OLD}controller": "none", f"{OLD}hostname": B})
    asking = route_of("cart", C, **{f"{NEW}hostname": "A.example.com, x.test"})
    outcome = plan(hidden, asking, service("db", **{f"{OLD}hostname": A}), publishers=publishers)
    said = [message for rule, message in notices(outcome) if rule == "internal-name-public-zone"]
    why = "HTTPRoute team/wiki opts out of publishing by its external-dns controller annotation"
    assert said == [
        f"{one} in cluster c1 asks external-dns by annotation for {A}: {why}"
        for one in ("HTTPRoute team/cart", "Service team/db")
    ]


def test_explain_says_who_is_not_listed() -> None:
    given_settings = load_settings({"clusters": [{"name": "c1"}], **settings()})
    observed = Observed(clusters={"c1": parse_objects([gateway(), route_of("cart", A)])})
    made = make_plan(given_settings, observed, Memory())
    [walk] = explain(A, settings=given_settings, observed=observed, memory=Memory(), plan=made).walks
    assert (walk.steps[-1].name, walk.steps[-1].outcome) == ("exposure", "decides")
    assert walk.steps[-1].details[-1] == f"unlisted-publisher: HTTPRoute c1:team/cart {UNLISTED}"
    assert "HTTPRoute team/cart: its exposure decides, not admission for Gateway c1:edge/front: unlisted-publisher" in [
        *walk.steps[1].details
    ]


# --- the register only shrinks ----------------------------------------------------------------------------------------


def test_an_entry_that_was_not_there_before_does_not_count() -> None:
    objects = (route_of("cart", A), route_of("blog", B))
    first = plan(*objects, register=(CART,))
    second = plan(*objects, register=(CART, BLOG), memory=first.memory)
    assert second.outcome == {A: ("published", None), B: ("refused", "register-grew")}
    assert second.status == 1
    assert second.reason(B).startswith("HTTPRoute c1:team/blog was not in exposure.register before")
    assert notices(second) == []
    assert second.memory["register"] == first.memory["register"]


def test_an_entry_that_no_refused_hostname_tells_of_is_told_in_a_warning() -> None:
    first = plan(route_of("cart", A), register=(CART,))
    second = plan(route_of("cart", A), register=(CART, BLOG), memory=first.memory)
    [(rule, message)] = notices(second)
    assert rule == "register-grew"
    assert message.startswith("HTTPRoute *:team/blog was not in exposure.register before")
    assert second.status == 0


def test_of_an_entry_that_was_widened_to_any_cluster_the_old_part_counts() -> None:
    clusters = {"c1": (gateway(), route_of("cart", A)), "c2": (gateway(), route_of("cart", B))}
    narrow = {**CART, "cluster": "c1"}
    first = run(settings(narrow), clusters={"c1": clusters["c1"], "c2": (gateway(),)})
    wide = run(settings(CART), clusters=clusters, memory=first.memory)
    assert wide.outcome == {A: ("published", None), B: ("refused", "register-grew")}
    assert wide.memory["register"] == first.memory["register"]
    alone = run(settings(CART), clusters={"c1": clusters["c1"], "c2": (gateway(),)}, memory=wide.memory)
    assert alone.outcome == {A: ("published", None)}
    [(_, message)] = notices(alone)
    assert "only HTTPRoute c1:team/cart counts, as before" in message


def test_it_cannot_grow_while_everybody_may_publish_either() -> None:
    objects = (route_of("cart", A), route_of("blog", B))
    memory = plan(*objects, register=(CART,)).memory
    everybody = plan(*objects, register=(CART, BLOG), publishers="all", memory=memory)
    assert everybody.memory["register"] == memory["register"]
    assert plan(*objects, register=(CART, BLOG), memory=everybody.memory).rules == {A: None, B: "register-grew"}


def test_an_empty_register_stays_empty() -> None:
    memory = plan(route_of("cart", A)).memory
    assert plan(route_of("cart", A), register=(CART,), memory=memory).rules == {A: "register-grew"}


def test_a_run_without_a_change_declares_the_register_as_the_last_one_did() -> None:
    objects = (gateway(), route_of("cart", A), route_of("blog", B))
    first = plan_of(settings(CART, BLOG), *objects)
    assert first.register is not None
    assert (first.register.entries, first.register.before) == (("HTTPRoute *:team/blog", "HTTPRoute *:team/cart"), None)
    again = plan_of(settings(BLOG, CART), *objects, memory=encode(first.memory))
    assert again.register == first.register
    shrunk = plan_of(settings(CART), *objects, memory=encode(again.memory))
    assert shrunk.register is not None
    assert (shrunk.register.entries, shrunk.register.before) == (("HTTPRoute *:team/cart",), first.register.entries)
    assert plan_of(settings(CART), *objects, memory=encode(shrunk.memory)).register == shrunk.register


@pytest.mark.parametrize(
    ("entry", "before", "new"),
    [
        pytest.param("HTTPRoute c1:a/b", "HTTPRoute *:a/b", False, id="narrowed to a cluster"),
        pytest.param("HTTPRoute *:a/b", "HTTPRoute c1:a/b", True, id="widened to any"),
        pytest.param("HTTPRoute c1:a/b", "HTTPRoute c2:a/b", True, id="moved"),
        pytest.param("Service c1:a/b", "HTTPRoute *:a/b", True, id="another kind"),
        pytest.param("HTTPRoute x: y:a/b", "HTTPRoute *:a/b", False, id="a cluster with a space and a colon"),
    ],
)
def test_what_counts_as_growth(entry: str, before: str, *, new: bool) -> None:
    assert grown([entry], [before]) == ((entry,) if new else ())
    assert grown([entry], None) == ()


_NAMES = st.sampled_from(["a", "b"])
_TEXTS = st.builds(publisher_text, st.sampled_from(["HTTPRoute", "Service"]), st.none() | _NAMES, _NAMES, _NAMES)
_REGISTERS = st.lists(_TEXTS, max_size=6)


@given(registers=st.lists(_REGISTERS, min_size=1, max_size=5), objects=st.lists(_TEXTS, max_size=6))
def test_whatever_is_written_run_after_run_no_object_becomes_listed_again(
    registers: list[list[str]], objects: list[str]
) -> None:
    memory, known = None, None
    for listed in registers:
        outcome = plan_of(settings(*map(_entry, listed)), gateway(), memory=memory)
        assert outcome.register is not None
        assert grown(outcome.register.entries, outcome.register.before) == ()
        now = {one for one in objects if is_listed(one, outcome.register.entries)}
        assert known is None or now <= known
        memory, known = encode(outcome.memory), now


def _entry(text: str) -> Json:
    kind, _, rest = text.partition(" ")
    cluster, _, path = rest.partition(":")
    namespace, _, name = path.partition("/")
    return {"kind": kind, "namespace": namespace, "name": name} | ({} if cluster == "*" else {"cluster": cluster})


@pytest.mark.parametrize(
    ("objects", "more", "why"),
    [
        pytest.param([], {}, "is in no cluster any more", id="gone"),
        pytest.param([route_of("cart", A, **{f"{NEW}controller": "x"})], {}, "publishes nothing any more", id="hidden"),
        pytest.param(
            [route_of("cart", A)],
            {"services": [{**CART, "gateway": {"name": "front", "namespace": "edge"}, "hostnames": [A]}]},
            "is a service of this stack now",
            id="declared",
        ),
    ],
)
def test_an_entry_that_nothing_needs_any_more_is_told(objects: list[Object], more: Json, why: str) -> None:
    outcome = plan_of(settings(CART, **more), gateway(), *objects)
    said = [str(one) for one in outcome.warnings if one.path == "edge-dns:exposure.register"]
    assert said == [f"HTTPRoute *:team/cart {why}: take it out of exposure.register"]
    assert outcome.publishers is not None
    assert (outcome.publishers.registered, outcome.publishers.idle) == (1, 1)


def test_the_memory_keeps_the_register() -> None:
    memory = plan(route_of("cart", A), register=(CART,)).memory
    assert memory["register"] == {"entries": ["HTTPRoute *:team/cart"], "before": None}
    assert encode(decode(memory)) == memory
    assert decode({key: value for key, value in memory.items() if key != "register"}).register is None
    assert Memory().register is None
