"""From settings to DNSEndpoint objects: where each entry goes, what it looks like, and what the state gives back."""

from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.endpoint_entries import marker_of, object_records
from edge_dns.core.endpoint_objects import PlannedObject, planned_objects, stack_label
from edge_dns.core.endpoint_places import Places
from edge_dns.core.markers import owner
from edge_dns.core.settings import load_settings
from edge_dns.core.yaml_text import load
from edge_dns.core.zones import ZoneIndex
from tests.unit.admission.objects import gateway, route
from tests.unit.plan.world import EDGE_TARGETS, Json, invite, plan_of, run, tunnel


def _cases() -> Any:
    return load((Path(__file__).parent / "data" / "bug_cases_dnsendpoint.yaml").read_text(encoding="utf-8"))


BUGS: dict[str, Any] = {case["id"]: case for case in _cases()}
CLUSTER = {"name": "c1"}


def zone(domain: str = "example.com", *, visibility: str = "public", **consumer: Any) -> Json:
    given = {"version": "0.21", "cluster": "c1", **consumer}
    return {"domain": domain, "provider": "external-dns", "visibility": visibility, "consumer": given}


def by_endpoint(*hostnames: str, **dns: Any) -> Json:
    return tunnel(*hostnames, dns={"mode": "DNSEndpoint", **dns})


def settings_of(*zones: Json, tunnels: Any = (), **more: Any) -> Json:
    base = {"zones": list(zones), "tunnels": list(tunnels), "edgeTargets": EDGE_TARGETS}
    return {**base, "clusters": [CLUSTER], "hub": {"url": "https://hub.test"}, **more}


def objects_of(settings: Json, *objects: Any, hub: Any = None) -> list[PlannedObject]:
    """The objects that a run declares."""
    plan = plan_of(settings, *objects, clusters={"c1": objects}, hub=hub)
    loaded = load_settings(settings)
    places, zones = Places.of(loaded), ZoneIndex.of(loaded.zones)
    return [one for each in plan.sets for one in planned_objects(each, places, zones, project="edge-dns", stack="prod")]


def as_state(one: PlannedObject) -> Json:
    metadata = {"labels": one.labels, "annotations": one.annotations}
    return {"metadata": metadata, "spec": {"endpoints": one.endpoints(one.expected)}}


def test_a_tunnel_has_one_object_for_all_of_its_zones() -> None:
    zones = [zone(), zone("example.org", version="0.22")]
    names = ["a.example.com", "b.example.org"]
    (one,) = objects_of(settings_of(*zones, tunnels=[by_endpoint(*names)]), hub=[invite(*names)])
    assert one.key.id == "c1/shop/towonel.shop.web"
    assert [(entry["dnsName"], entry["targets"]) for entry in one.endpoints([])] == [
        (name, ["edge-eu.example.net"]) for name in names
    ]
    assert one.labels == {
        "app.kubernetes.io/managed-by": "edge-dns",
        "edge-dns/exposure": "public",
        "edge-dns/stack": "edge-dns.prod",
    }


def test_namespace_labels_and_properties_of_the_tunnel_are_added_to_those_of_the_consumer() -> None:
    where = zone(
        labels={"x": "1", "y": "1"},
        annotations={"a": "1"},
        providerSpecific={"cloudflare-proxied": "true", "alias": "A"},
    )
    dns = {"namespace": "dns", "labels": {"y": "2"}, "annotations": {"b": "2"}}
    properties = {"providerSpecific": {"cloudflare-proxied": "false", "aws/weight": "1"}}
    (one,) = objects_of(settings_of(where, tunnels=[by_endpoint("a.example.com", **dns, **properties)]))
    assert one.key.path == "dns/towonel.shop.web"
    assert (one.labels["x"], one.labels["y"]) == ("1", "2")
    assert (one.annotations["a"], one.annotations["b"]) == ("1", "2")
    (entry,) = one.endpoints(one.expected)
    assert entry["providerSpecific"] == [
        {"name": "alias", "value": "A"},
        {"name": "aws/weight", "value": "1"},
        {"name": "external-dns.alpha.kubernetes.io/cloudflare-proxied", "value": "false"},
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"labels": {"view": "b"}}, id="labels"),
        pytest.param({"annotations": {"view": "b"}}, id="annotations"),
        pytest.param({"cluster": "c2"}, id="cluster"),
    ],
)
def test_zones_that_want_other_objects_get_objects_of_their_own(other: Json) -> None:
    names = ["a.example.com", "b.example.org"]
    settings = settings_of(
        zone(), zone("example.org", **other), tunnels=[by_endpoint(*names)], clusters=[CLUSTER, {"name": "c2"}]
    )
    plan = plan_of(settings, clusters={"c1": [], "c2": []})
    loaded = load_settings(settings)
    places, zones = Places.of(loaded), ZoneIndex.of(loaded.zones)
    (planned,) = plan.sets
    found = planned_objects(planned, places, zones, project="edge-dns", stack="prod")
    assert len({one.key.id for one in found}) == 2
    assert {name for one in found for name in one.conditional} == set(names)


def test_a_gateway_has_one_object_for_each_zone_in_the_namespace_of_the_consumer() -> None:
    settings = settings_of(zone(namespace="dns"), zone("example.org"))
    names = ["a.example.com", "b.example.com", "c.example.org"]
    first, second = objects_of(settings, gateway(), route(hostnames=names))
    assert {first.key.namespace, second.key.namespace} == {"dns", "external-dns"}
    assert sorted(map(len, (first.entries, second.entries))) == [1, 2]
    assert first.key.name != second.key.name
    again = objects_of(settings, gateway(), route(hostnames=list(reversed(names))))
    assert [one.key for one in again] == [first.key, second.key]


def test_a_private_zone_has_internal_objects() -> None:
    settings = settings_of(
        zone(visibility="private"), tunnels=[{**by_endpoint("a.example.com"), "visibility": "private"}]
    )
    (one,) = objects_of(settings)
    assert one.labels["edge-dns/exposure"] == "internal"


def test_unconfirmed_names_are_in_the_object_once_the_hub_confirms_them() -> None:
    names = ["a.example.com", "b.example.com", "c.example.com"]
    taken = invite("c.example.com", invite_id="inv-2", name="other")
    (one,) = objects_of(settings_of(zone(), tunnels=[by_endpoint(*names)]), hub=[invite("a.example.com"), taken])
    assert one.expected == {"b.example.com"}
    assert [entry["dnsName"] for entry in one.endpoints([])] == ["a.example.com"]
    assert [entry["dnsName"] for entry in one.endpoints(one.expected)] == names[:2]
    assert [entry["dnsName"] for entry in one.endpoints(names)] == names


def test_the_state_gives_back_what_was_declared() -> None:
    settings = settings_of(zone(), zone("eu.example.com", visibility="private"))
    addresses = ["203.0.113.7", "203.0.113.8", "2001:db8::7"]
    at = gateway(addresses=[{"type": "IPAddress", "value": one} for one in addresses])
    objects = (at, route(hostnames=["a.example.com", "b.example.com"]))
    (one,) = objects_of(settings, *objects)
    (planned,) = plan_of(settings, clusters={"c1": objects}).sets
    expected = {record.slot: record.rrset for records in planned.records.values() for record in records}
    assert len(expected) == 4
    assert object_records(as_state(one)) == expected
    marker = marker_of(as_state(one))
    assert marker is not None
    assert marker.owner == owner("edge-dns", "prod")


@pytest.mark.parametrize(
    "found",
    [
        pytest.param({}, id="empty"),
        pytest.param({"metadata": {"annotations": {"edge-dns/zones": "["}}}, id="broken annotation"),
        pytest.param(
            {"metadata": {"annotations": {"edge-dns/zones": "[1]"}}, "spec": {"endpoints": [1, {}]}},
            id="broken entries",
        ),
        pytest.param({"spec": {"endpoints": [{"dnsName": "a.example.com", "recordType": "A"}]}}, id="somebody's"),
    ],
)
def test_what_is_no_object_of_ours_holds_no_records(found: Json) -> None:
    assert object_records(found) == {}
    assert marker_of(found) is None


@pytest.mark.parametrize(
    ("stack", "expected"),
    [("prod", "edge-dns.prod"), ("a/b", "sha256-"), ("x" * 63, "sha256-")],
    ids=["plain", "/", "long"],
)
def test_the_label_of_the_stack_is_always_a_label_value(stack: str, expected: str) -> None:
    label = stack_label("edge-dns", stack)
    assert label.startswith(expected)
    assert len(label) <= 63


def test_a_tunnel_by_dnsendpoint_needs_a_zone_of_external_dns() -> None:
    cloudflare = {"domain": "example.com", "provider": "cloudflare", "zoneId": "z1"}
    outcome = run(settings_of(cloudflare, tunnels=[by_endpoint("a.example.com")]), clusters={"c1": []})
    assert outcome.outcome == {"a.example.com": ("refused", "zone-none")}
    assert "of provider cloudflare, and one of external-dns is needed" in outcome.reason("a.example.com")
    both = run(settings_of(cloudflare, zone(), tunnels=[by_endpoint("a.example.com")]), clusters={"c1": []})
    assert both.states == {"a.example.com": "published"}


# --- cases ------------------------------------------------------------------------------------------------------------


def entry_of(case: Json) -> Json:
    """The entry that is made of the endpoint of a case, for a consumer of the case's version."""
    endpoint = case["input"]["endpoint"]
    version = str(case["input"].get("consumer", "0.21")).removeprefix("v")
    given = {"cloudflare-proxied": "true"} if "providerSpecific" in endpoint else {}
    dns = {"cnameTarget": endpoint["targets"][0], "providerSpecific": given}
    settings = settings_of(zone(version=version), tunnels=[by_endpoint(endpoint["dnsName"], **dns)])
    (one,) = objects_of(settings)
    (entry,) = one.endpoints(one.expected)
    return dict(entry)


def test_bc_b02_a_property_has_the_prefix_of_the_consumer() -> None:
    entry = entry_of(BUGS["BC-B02"])
    assert entry["providerSpecific"] == [{"name": "external-dns.kubernetes.io/cloudflare-proxied", "value": "true"}]


def test_bc_c01_no_dot_stands_at_the_end_of_names_and_targets() -> None:
    case = BUGS["BC-C01"]
    # The case's own name has an underscore, which no hostname of a tunnel may have.
    endpoint = {**case["input"]["endpoint"], "dnsName": "acme.example.com."}
    entry = entry_of({"input": {"endpoint": endpoint}})
    assert entry["dnsName"] == "acme.example.com"
    assert entry["targets"] == case["expect"]["emitted"]["targets"]


def test_bc_c02_only_types_that_every_consumer_publishes_are_written() -> None:
    assert BUGS["BC-C02"]["input"]["endpoint"]["recordType"] not in {"A", "AAAA", "CNAME"}
    settings = settings_of(zone(managedTypes=["A", "AAAA"]), tunnels=[by_endpoint("a.example.com")])
    outcome = run(settings, clusters={"c1": []})
    assert outcome.outcome == {"a.example.com": ("refused", BUGS["BC-C02"]["expect"]["rule"])}
