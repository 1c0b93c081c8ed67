"""DNSEndpoints of this stack that its state does not hold: the audit lists them, and proposes those nobody wants."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.import_file import import_file
from edge_dns.core.live import Live
from edge_dns.core.live_endpoints import LiveEndpoints, LiveObject
from edge_dns.core.memory import Memory
from edge_dns.core.orphans import OrphanReport, report
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.sweep import sweep
from edge_dns.core.values import RRset
from tests.unit.audit.test_orphans import resources
from tests.unit.dnsendpoints.test_objects import by_endpoint, settings_of, zone
from tests.unit.plan.world import CLOUDFLARE, FREE, Json

OURS, WANTED = "old/towonel.shop.web", "shop/towonel.shop.web"
PROVIDER = "urn:provider:c1"
ENTRIES = {
    f"z/{name}": RRset(zone_id="z", name=name, type="CNAME", values=("edge.example.net",), ttl=300)
    for name in ("b.example.com", "a.example.com")
}
SOURCE = "TowonelTunnel/shop/web"
CLUSTER = replace(GatewayState.of_nothing(), namespaces={"shop": {}, "external-dns": {}})


def reported(
    *paths: str,
    owner: str | None = "edge-dns/prod",
    known: Mapping[str, str] | None = None,
    every: bool = True,
    urns: str = PROVIDER,
) -> OrphanReport:
    """The report on a cluster with objects of these paths; `known` are those of the state."""
    return planned(*paths, owner=owner, known=known, every=every, urns=urns)[0]


def planned(
    *paths: str,
    owner: str | None = "edge-dns/prod",
    known: Mapping[str, str] | None = None,
    every: bool = True,
    urns: str = PROVIDER,
    announced: frozenset[str] | None = None,
    zones: Sequence[Json] = (),
    names: Sequence[str] = ("a.example.com",),
    cluster: GatewayState = CLUSTER,
    **more: Any,
) -> tuple[OrphanReport, Plan]:
    """That report and the plan that it is by; `announced` is as in `Live`, `more` are other settings."""
    settings = load_settings(settings_of(zone(), *zones, tunnels=[by_endpoint(*names)], safety=FREE, **more))
    objects = {path: LiveObject(owner=owner, source=SOURCE, entries=ENTRIES, uid="uid-1") for path in paths}
    live = Live(
        owner="edge-dns/prod",
        import_ids={},
        announced=announced,
        zones={},
        endpoints={"c1": LiveEndpoints(objects=objects)},
        objects=known or {},
    )
    plan = make_plan(settings, Observed(live=live, clusters={"c1": cluster}), Memory(), adopt_by_name=True)
    return report(sweep(settings.zones, live, Memory(), plan), {}, resources(urns), every=every), plan


def test_an_object_that_the_state_has_lost_is_listed_with_what_it_holds() -> None:
    found = reported(OURS, WANTED)
    assert found.found
    listed = [(one.object.key.id, one.object.standing, one.proposed) for one in found.objects]
    assert listed == [(f"c1/{OURS}", "unwanted", True), (f"c1/{WANTED}", "wanted", False)]
    assert found.objects[0].object.hostnames == ("a.example.com", "b.example.com")
    assert found.objects[0].object.source == SOURCE


@pytest.mark.parametrize(
    ("owner", "known"),
    [
        pytest.param("edge-dns/prod", {f"c1/{OURS}": "uid-1"}, id="that the state holds"),
        pytest.param("edge-dns/prod", {f"former/{OURS}": "uid-1"}, id="that the state holds by another cluster name"),
        pytest.param("edge-dns/other", {}, id="of another stack"),
        pytest.param(None, {}, id="of somebody"),
    ],
)
def test_no_other_object_is_listed(owner: str | None, known: dict[str, str]) -> None:
    found = reported(OURS, owner=owner, known=known)
    assert found.objects == ()
    assert not found.found


def test_an_object_is_proposed_only_with_all_and_where_the_state_has_the_provider_of_its_cluster() -> None:
    assert reported(OURS, every=False).number_proposed == 0
    (lacking,) = reported(OURS, urns="urn:provider:c2").objects
    assert (lacking.importable, lacking.proposed) == (False, False)
    assert reported(OURS, WANTED).number_proposed == 1


def test_an_import_puts_an_object_below_what_no_program_declares() -> None:
    found = reported(OURS, WANTED)
    kind = "edge:dns:EndpointRecordSet"
    assert import_file((), (), found.proposed_objects, resources(PROVIDER)) == {
        "nameTable": {PROVIDER: PROVIDER},
        "resources": [
            {"type": kind, "name": f"{kind}::unremembered", "logicalName": "unremembered", "component": True},
            {
                "type": "kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint",
                "name": f"c1/{OURS}",
                "id": OURS,
                "parent": f"{kind}::unremembered",
                "provider": PROVIDER,
            },
        ],
    }


INTERNAL = {"name": "wiki", "namespace": "docs", "exposure": "internal", "hostnames": ["a.example.com"]}
SHOP = {**CLOUDFLARE, "domain": "shop.example.com"}


@pytest.mark.parametrize(
    ("more", "standing", "warned"),
    [
        pytest.param({}, "wanted", False, id="a name of this run"),
        pytest.param({"announced": frozenset()}, "wanted", False, id="a name that only the object keeps out"),
        pytest.param({"services": [INTERNAL]}, "unwanted", True, id="a name that is internal"),
        pytest.param(
            {"services": [INTERNAL], "names": ("a.example.com", "b.example.com")},
            "wanted",
            False,
            id="a name that is internal beside one of this run",
        ),
        pytest.param(
            {"services": [INTERNAL], "names": ("a.example.com", "b.shop.example.com"), "zones": (SHOP,)},
            "unwanted",
            True,
            id="a name that is internal beside one in a zone without objects",
        ),
        pytest.param(
            {"elsewhere": [{"domain": "shop.example.com", "visibility": "public"}], "names": ("a.shop.example.com",)},
            "unwanted",
            True,
            id="a name that is left to another stack",
        ),
        pytest.param({"names": ("*.example.com",)}, "unwanted", True, id="no wildcard"),
    ],
)
def test_only_names_with_records_make_an_object_wanted(more: Json, standing: str, warned: bool) -> None:
    found, plan = planned(WANTED, **more)
    (one,) = found.objects
    assert (one.object.standing, one.importable) == (standing, standing == "unwanted")
    assert any(WANTED in str(warning) for warning in plan.warnings) is warned


def test_an_object_whose_names_are_refused_for_now_is_warned_of_and_never_imported() -> None:
    found, plan = planned(WANTED, cluster=GatewayState.of_nothing())
    assert [one.refusal and one.refusal.rule for one in plan.decisions] == ["dnsendpoint-unavailable"]
    (one,) = found.objects
    assert (one.object.standing, one.importable) == ("waiting", False)
    assert any(WANTED in str(warning) for warning in plan.warnings)
