"""What keeps a name out of a DNSEndpoint: the place, the owner, the readers. And what changed there outside."""

from collections.abc import Mapping
from typing import Any

import pytest

from edge_dns.core.endpoint_readers import Reader, readers_of
from edge_dns.core.hub_view import view_of_list
from edge_dns.core.live import Live
from edge_dns.core.live_endpoints import LiveEndpoints, LiveObject
from edge_dns.core.memory import Memory, decode
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.observe.hub import parse_hub_list
from tests.unit.admission.objects import gateway, route
from tests.unit.dnsendpoints.test_external_dns_flags import deployment
from tests.unit.dnsendpoints.test_objects import by_endpoint, objects_of, settings_of, zone
from tests.unit.plan.world import FREE, Json, _state, invite, plan_of

NAME = "a.example.com"
ID = "c1/shop/towonel.shop.web"
PATH = "shop/towonel.shop.web"
OWNER = "edge-dns/prod"
SETTINGS = settings_of(zone(), tunnels=[by_endpoint(NAME)], safety=FREE)
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def planned(
    live: LiveEndpoints,
    settings: Json = SETTINGS,
    *,
    objects: tuple[Any, ...] = (NAMESPACE,),
    known: tuple[str, ...] | dict[str, str] = (),
    announced: tuple[str, ...] = (),
    memory: object = None,
) -> Plan:
    """The plan for a cluster with these DNSEndpoints; `known` are those of the state, by UID if one is given."""
    observed = Observed(
        clusters={"c1": _state(objects)},
        hub=view_of_list(parse_hub_list({"invites": [invite(NAME)]}), ["inv-1"]),
        live=Live(
            owner=OWNER,
            import_ids={},
            announced=frozenset(announced),
            zones={},
            endpoints={"c1": live},
            objects=known if isinstance(known, dict) else dict.fromkeys(known, ""),
        ),
    )
    remembered = decode(memory) if memory is not None else Memory()
    return make_plan(load_settings(settings), observed, remembered, adopt_by_name=True)


def outcome(plan: Plan) -> tuple[str, str | None]:
    (one,) = plan.decisions
    return one.state, one.refusal.rule if one.refusal else None


def published() -> object:
    """The memory after the name was published."""
    return plan_document(plan_of(SETTINGS, clusters={"c1": [NAMESPACE]}, hub=[invite(NAME)]))["memory"]


def there(owner: str | None = OWNER) -> LiveEndpoints:
    return LiveEndpoints(objects={PATH: LiveObject(owner=owner)})


EMPTY = LiveEndpoints(objects={})
NO_CRD = LiveEndpoints(objects=None)


def test_a_free_place_is_taken() -> None:
    assert outcome(planned(EMPTY)) == ("published", None)


def test_without_crd_a_new_name_waits_and_a_published_one_is_held() -> None:
    plan = planned(NO_CRD)
    assert outcome(plan) == ("refused", "dnsendpoint-unavailable")
    assert "install the CRD of external-dns" in str(plan.decisions[0].refusal)
    assert [one.hostnames for one in plan.tunnels] == [(NAME,)]
    held = planned(NO_CRD, known=(ID,), memory=published())
    assert outcome(held) == ("held", "dnsendpoint-unavailable")
    assert held.sets[0].records.keys() == {NAME}


def test_a_namespace_that_is_not_there_is_named() -> None:
    plan = planned(EMPTY, objects=({**NAMESPACE, "metadata": {"name": "other"}},))
    assert outcome(plan) == ("refused", "dnsendpoint-unavailable")
    assert "has no namespace shop" in str(plan.decisions[0].refusal)


def test_of_a_cluster_that_is_only_written_to_the_namespaces_are_not_known() -> None:
    assert outcome(planned(EMPTY, SETTINGS | {"clusters": [{"name": "c1", "gateways": False}]}, objects=())) == (
        "published",
        None,
    )


@pytest.mark.parametrize(
    ("owner", "known", "announced", "expected"),
    [
        pytest.param(None, (), (), "owner-foreign", id="somebody's"),
        pytest.param("edge-dns/other", (), (), "owner-foreign", id="another stack's"),
        pytest.param("edge-dns/other", (), (f"example.com/{NAME}",), "owner-foreign", id="another stack's, announced"),
        pytest.param(OWNER, (), (), "owner-foreign", id="of a stack of this name, never announced"),
        pytest.param(OWNER, (ID,), (), None, id="in the state"),
        pytest.param(OWNER, (), (f"example.com/{NAME}",), None, id="a create that was cut off"),
    ],
)
def test_an_object_is_ours_by_the_state_or_as_a_create_that_was_cut_off(
    owner: str | None, known: tuple[str, ...], announced: tuple[str, ...], expected: str | None
) -> None:
    plan = planned(there(owner), known=known, announced=announced)
    assert outcome(plan) == ("refused" if expected else "published", expected)
    assert dict(plan.sets[0].imports) == ({ID: PATH} if announced and not expected else {})


@pytest.mark.parametrize(
    ("owner", "said"),
    [(None, "edge-dns/marker is not there"), ("edge-dns/other", "edge-dns/marker names edge-dns/other")],
)
@pytest.mark.parametrize("wanted", [True, False], ids=["wanted", "to be deleted"])
def test_an_object_of_the_state_without_our_marker_stops_the_run(owner: str | None, said: str, wanted: bool) -> None:
    settings = SETTINGS if wanted else settings_of(zone(), safety=FREE)
    plan = planned(there(owner), settings, known=(ID,), memory=published())
    found = {one.refusal.rule: " ".join(f"{one.refusal.reason} {one.way_out}".split()) for one in plan.stops}
    assert said in found["dnsendpoint-identity"]
    assert "pulumi state delete" in found["dnsendpoint-identity"]
    assert (NAME in found["dnsendpoint-identity"]) == wanted


FORMER = "old/shop/towonel.shop.web"


@pytest.mark.parametrize(
    ("known", "wanted", "stops"),
    [
        pytest.param({FORMER: "u-1"}, True, True, id="its cluster was renamed"),
        pytest.param({FORMER: "u-2"}, True, False, id="that one is another object"),
        pytest.param({FORMER: ""}, True, False, id="that one is not known to be there"),
        pytest.param({FORMER: "u-1", ID: "u-1"}, True, False, id="it is known by both names"),
        pytest.param({FORMER: "u-1"}, False, False, id="nobody wants it any more"),
    ],
)
def test_an_object_that_the_state_knows_from_a_cluster_of_another_name_stops_the_run(
    known: dict[str, str], wanted: bool, stops: bool
) -> None:
    """The engine would take it over under the new name, and delete it under the old one."""
    live = LiveEndpoints(objects={PATH: LiveObject(owner=OWNER, uid="u-1")})
    settings = SETTINGS if wanted else settings_of(zone(), safety=FREE)
    announced = (f"example.com/{NAME}",)
    plan = planned(live, settings, known=known, announced=announced, memory=published())
    found = {one.refusal.rule: " ".join(f"{one.refusal.reason} {one.way_out}".split()) for one in plan.stops}
    assert ("dnsendpoint-identity" in found) is stops
    if stops:
        assert f"the state knows it as {FORMER}, from a cluster of another name" in found["dnsendpoint-identity"]
        assert "name the cluster old again" in found["dnsendpoint-identity"]


def test_an_object_of_nobody_that_the_state_does_not_hold_stops_nothing() -> None:
    assert planned(there(None)).stops == ()


def test_a_foreign_object_of_another_name_or_namespace_is_nobodys_business() -> None:
    others = {"shop/towonel.shop.other": LiveObject(owner=None), "other/towonel.shop.web": LiveObject(owner=None)}
    assert outcome(planned(LiveEndpoints(objects=others))) == ("published", None)


def test_what_changed_outside_is_drift() -> None:
    memory = published()
    (one,) = objects_of(SETTINGS, NAMESPACE, hub=[invite(NAME)])
    slots = {record.slot: record.rrset for record in decode(memory).sets["towonel.shop.web"].published[NAME]}
    assert one.key.path == PATH
    for objects, expected in (
        ({PATH: LiveObject(owner=OWNER, entries=slots)}, ""),
        ({PATH: LiveObject(owner=OWNER, entries={})}, "was changed"),
        ({}, "is gone from cluster c1"),
    ):
        (decision,) = planned(LiveEndpoints(objects=objects), known=(ID,), memory=memory).decisions
        assert decision.state == "published"
        assert expected in "".join(decision.drift)
        assert bool(decision.drift) == bool(expected)


@pytest.mark.parametrize(
    ("path", "owner", "known", "told"),
    [
        pytest.param("old/towonel.shop.web", OWNER, (), True, id="left behind"),
        pytest.param("old/towonel.shop.web", OWNER, ("c1/old/towonel.shop.web",), False, id="in the state"),
        pytest.param("old/towonel.shop.web", "edge-dns/other", (), False, id="of another stack"),
        pytest.param("old/towonel.shop.web", None, (), False, id="of somebody"),
        pytest.param(PATH, OWNER, (), False, id="wanted"),
    ],
)
def test_an_object_of_this_stack_that_nothing_knows_is_told(
    path: str, owner: str | None, known: tuple[str, ...], told: bool
) -> None:
    plan = planned(LiveEndpoints(objects={path: LiveObject(owner=owner)}), known=known)
    assert [f"DNSEndpoint {path} of cluster c1" in str(one) for one in plan.warnings] == ([True] if told else [])
    assert planned(NO_CRD).warnings == ()


# --- split horizon ----------------------------------------------------------------------------------------------------

PUBLIC_ONLY = "--label-filter=edge-dns/exposure=public"
NOT_PUBLIC = "--label-filter=edge-dns/exposure!=public"


def _beside(domain: str, visibility: str = "private") -> Json:
    """Settings with a zone of another stack."""
    return {**SETTINGS, "elsewhere": [{"domain": domain, "visibility": visibility}]}


def readers(**instances: tuple[str, ...]) -> tuple[Reader, ...]:
    named = []
    for name, flags in instances.items():
        one = deployment("--source=crd", *flags)
        named.append({**one, "metadata": {"namespace": "dns", "name": name}})
    return readers_of(named)


def with_private(domain: str = "example.com", **more: Any) -> Json:
    return settings_of(zone(), zone(domain, visibility="private", **more), tunnels=[by_endpoint(NAME)])


SPLIT = with_private()


@pytest.mark.parametrize(
    ("instances", "settings", "expected"),
    [
        pytest.param({}, SPLIT, None, id="nobody reads"),
        pytest.param({"all": ()}, SETTINGS, None, id="one for everything, no private view"),
        pytest.param({"all": ()}, SPLIT, "all", id="one for everything beside a private view"),
        pytest.param({"all": ()}, with_private("lan.example.com"), "all", id="a private view of a part"),
        pytest.param({"all": ()}, with_private("example.org"), None, id="a private view of other names"),
        pytest.param({"public": (PUBLIC_ONLY,), "lan": ()}, SETTINGS, "lan", id="lan without filter"),
        pytest.param({"public": (PUBLIC_ONLY,), "lan": (NOT_PUBLIC,)}, SPLIT, None, id="both filters"),
        pytest.param({"all": ()}, _beside("example.com"), "all", id="one for a private zone of another stack"),
        pytest.param({"all": ()}, _beside("lan.example.com"), "all", id="one for a part of it in another stack"),
        pytest.param({"all": ()}, _beside("example.org"), None, id="another stack has a view of other names"),
        pytest.param({"all": ()}, _beside("lan.example.com", "public"), None, id="another stack has a public part"),
        pytest.param(
            {"public": (PUBLIC_ONLY,)}, _beside("example.com"), None, id="the public one, the other elsewhere"
        ),
        pytest.param({"public": (PUBLIC_ONLY,)}, SPLIT, None, id="the public one alone"),
        pytest.param({"public": (PUBLIC_ONLY,), "second": (PUBLIC_ONLY,)}, SPLIT, None, id="two for public names"),
        pytest.param(
            {"public": (PUBLIC_ONLY,), "lan": ("--domain-filter=example.net",)}, SETTINGS, None, id="another domain"
        ),
        pytest.param({"public": (PUBLIC_ONLY,), "lan": ("--namespace=lan",)}, SETTINGS, None, id="another namespace"),
    ],
)
def test_a_new_public_name_waits_for_the_filter_of_every_other_view(
    instances: Mapping[str, tuple[str, ...]], settings: Json, expected: str | None
) -> None:
    plan = planned(LiveEndpoints(objects={}, readers=readers(**instances)), settings)
    assert outcome(plan) == (("refused", "lan-filter-missing") if expected else ("published", None))
    if expected:
        reason = str(plan.decisions[0].refusal)
        assert f"Deployment dns/{expected} of cluster c1 would take public names" in reason
        assert reason.index("!=public") < reason.index("=public)")


def test_names_of_a_private_zone_need_no_filter() -> None:
    settings = settings_of(zone(visibility="private"), clusters=[{"name": "c1", "visibility": "private"}])
    objects = (gateway(), route(hostnames=[NAME]), {**NAMESPACE, "metadata": {"name": "external-dns"}})
    assert (
        outcome(planned(LiveEndpoints(objects={}, readers=readers(all=())), settings, objects=objects))[0]
        == "published"
    )


def test_what_is_published_already_stays_and_a_listed_name_passes() -> None:
    live = LiveEndpoints(objects={}, readers=readers(all=()))
    kept = planned(live, {**SPLIT, "safety": FREE}, known=(ID,), memory=published())
    assert outcome(kept) == ("published", None)
    acknowledged = {**SPLIT, "safety": {"acknowledge": {"names": [NAME]}}}
    assert outcome(planned(live, acknowledged)) == ("published", None)


def test_where_deployments_may_not_be_listed_nothing_is_said() -> None:
    assert outcome(planned(LiveEndpoints(objects={}, readers=None), SPLIT)) == ("published", None)
