"""The form of the JSON: endpoint record sets, records, sources, states and the exit status."""

from typing import Any

import pytest

from tests.unit.admission.objects import gateway, listener, route, silent
from tests.unit.plan.world import CLOUDFLARE, ROUTE53, ZONES, run, settings_of, tunnel

ALB = "Front.eu-west-1.elb.amazonaws.com."


def _records(outcome: Any) -> list[Any]:
    return list(outcome.document["records"])


def test_the_document_has_exactly_its_keys() -> None:
    document = run(settings_of(tunnels=[tunnel("a.example.com")])).document
    assert list(document) == [
        *("version", "endpointRecordSets", "records", "hostnames", "services", "zones"),
        *("errors", "warnings", "memoryGiven", "memory"),
    ]
    assert document["version"] == 1
    assert document["errors"] == []
    (one,) = document["endpointRecordSets"]
    assert list(one) == ["name", "source", "hostnames", "targets", "retained"]
    (record,) = document["records"]
    assert list(record) == ["zone", "provider", "name", "type", "values", "ttl", "alias", "proxied", "source"]
    (hostname,) = document["hostnames"]
    assert list(hostname) == ["hostname", "state", "rule", "reason", "source"]
    numbers = {"own": 1, "withdrawn": 0, "withdrawnShare": 0.0, "changed": 0, "changedShare": 0.0}
    assert document["zones"] == [{"zone": "example.com", "zoneId": "z1", **numbers}]


def test_a_tunnel_with_its_set_record_and_source() -> None:
    source = {"cluster": None, "kind": "TowonelTunnel", "namespace": "shop", "name": "web"}
    document = run(settings_of(tunnels=[tunnel("A.Example.com.")])).document
    assert document["endpointRecordSets"] == [
        {
            "name": "towonel.shop.web",
            "source": source,
            "hostnames": ["a.example.com"],
            "targets": [{"type": "Hostname", "value": "edge-eu.example.net"}],
            "retained": [],
        }
    ]
    assert document["records"] == [
        {
            "zone": "example.com",
            "provider": "cloudflare",
            "name": "a.example.com",
            "type": "CNAME",
            "values": ["edge-eu.example.net"],
            "ttl": 1,
            "alias": None,
            "proxied": False,
            "source": source,
        }
    ]
    assert document["hostnames"] == [
        {"hostname": "a.example.com", "state": "published", "rule": None, "reason": "", "source": source}
    ]


def test_a_gateway_set_has_its_deterministic_name() -> None:
    outcome = run(
        settings_of(), gateway("edge-system/web-gw"), route(refs=[{"namespace": "edge-system", "name": "web-gw"}])
    )
    (one,) = outcome.document["endpointRecordSets"]
    assert one["name"] == "edge-system-web-gw-85e30e42f7"
    assert one["source"] == {"cluster": "c1", "kind": "Gateway", "namespace": "edge-system", "name": "web-gw"}


def test_sets_show_names_without_a_zone_and_hostnames_say_that_they_are_refused() -> None:
    outcome = run(settings_of(tunnels=[tunnel("t.example.net")]), gateway(), route(hostnames=["cart.shop.test"]))
    sets = {one["name"]: one["hostnames"] for one in outcome.document["endpointRecordSets"]}
    assert list(sets.values()) == [["cart.shop.test"], ["t.example.net"]]
    assert outcome.outcome == {"cart.shop.test": ("refused", "zone-none"), "t.example.net": ("refused", "zone-none")}
    assert _records(outcome) == []
    assert outcome.status == 1


def test_names_are_lower_case_a_labels_without_a_dot_at_the_end() -> None:
    outcome = run(
        settings_of(
            tunnels=[
                tunnel("BÜCHER.Example.com.", "*.Dev.example.org.", dns={"mode": "Zone", "includeWildcards": True})
            ]
        )
    )
    assert [one["name"] for one in _records(outcome)] == ["xn--bcher-kva.example.com", "*.dev.example.org"]


@pytest.mark.parametrize("zone", ["example.com", "example.org"])
def test_all_values_of_one_type_are_one_entry_at_every_provider(zone: str) -> None:
    addresses = ["203.0.113.9", "198.51.100.7", "2001:DB8::7", "2001:db8:0::6"]
    outcome = run(settings_of(), gateway(addresses=addresses), route(hostnames=[f"a.{zone}"]))
    assert [(one["name"], one["type"], one["values"]) for one in _records(outcome)] == [
        (f"a.{zone}", "A", ["198.51.100.7", "203.0.113.9"]),
        (f"a.{zone}", "AAAA", ["2001:db8::6", "2001:db8::7"]),
    ]


def test_an_alias_has_no_ttl_and_no_values_and_its_name_ends_with_a_dot() -> None:
    outcome = run(
        settings_of(), gateway(addresses=[{"type": "Hostname", "value": ALB}]), route(hostnames=["a.example.org"])
    )
    alias = {
        "name": "dualstack.front.eu-west-1.elb.amazonaws.com.",
        "zoneId": "Z32O12XQLNTSW2",
        "evaluateTargetHealth": True,
    }
    assert [(one["type"], one["values"], one["ttl"], one["alias"], one["proxied"]) for one in _records(outcome)] == [
        ("A", [], None, alias, None),
        ("AAAA", [], None, alias, None),
    ]


def test_values_never_end_with_a_dot() -> None:
    clusters = [{"name": "c1", "recordType": "CNAME"}]
    address = {"type": "Hostname", "value": ALB}
    hostnames = ["a.example.com", "a.example.org"]
    outcome = run(settings_of(clusters=clusters), gateway(addresses=[address]), route(hostnames=hostnames))
    assert [(one["values"], one["ttl"]) for one in _records(outcome)] == [
        (["front.eu-west-1.elb.amazonaws.com"], 1),
        (["front.eu-west-1.elb.amazonaws.com"], 60),
    ]


EXTERNAL_DNS = {"domain": "example.com", "provider": "external-dns", "consumer": {"version": "0.21"}}


@pytest.mark.parametrize(
    ("zone", "proxied"),
    [
        pytest.param(CLOUDFLARE, False, id="cloudflare"),
        pytest.param({**CLOUDFLARE, "proxied": True}, True, id="cloudflare, proxied zone"),
        pytest.param({**ROUTE53, "domain": "example.com"}, None, id="route53"),
        pytest.param(EXTERNAL_DNS, None, id="external-dns"),
    ],
)
def test_proxied_is_null_except_on_cloudflare(zone: Any, proxied: bool | None) -> None:
    (record,) = _records(run(settings_of(zones=[zone]), gateway(), route(hostnames=["a.example.com"])))
    assert record["proxied"] is proxied


def test_the_ttl_of_the_zone_is_taken_and_1_stands_for_automatic() -> None:
    zones = [{**CLOUDFLARE, "ttl": 120}, {**ROUTE53, "ttl": 0}]
    hostnames = ["a.example.com", "a.example.org"]
    outcome = run(settings_of(zones=zones), gateway(), route(hostnames=hostnames))
    assert [one["ttl"] for one in _records(outcome)] == [120, 0]
    assert [one["ttl"] for one in _records(run(settings_of(), gateway(), route(hostnames=hostnames)))] == [1, 300]


def test_of_two_claimants_the_first_sorted_is_the_source_and_the_other_stands_in_the_reason() -> None:
    second = [
        gateway("edge/b", uid="gw-2"),
        route("team/b", uid="rt-2", refs=[{"namespace": "edge", "name": "b"}], hostnames=["a.example.com"]),
    ]
    first = [gateway("edge/a"), route("team/a", refs=[{"namespace": "edge", "name": "a"}], hostnames=["a.example.com"])]
    outcome = run(settings_of(), *second, *first)
    assert outcome.outcome == {"a.example.com": ("published", None)}
    assert outcome.source("a.example.com") == "Gateway c1:edge/a"
    assert "edge/b" in outcome.reason("a.example.com")
    (record,) = _records(outcome)
    assert record["source"]["name"] == "a"
    # Also where the other one published it before.
    after = run(settings_of(), *second, *first, memory=run(settings_of(), *second).memory)
    assert after.document["hostnames"] == outcome.document["hostnames"]
    assert after.document["records"] == outcome.document["records"]


def test_two_claimants_that_come_to_the_same_record_do_not_compete() -> None:
    objects = [gateway(addresses=["edge-eu.example.net"]), route(hostnames=["a.example.com", "a.example.org"])]
    outcome = run(settings_of(tunnels=[tunnel("a.example.com", "a.example.org")]), *objects)
    # On Route 53 the tunnel wants a CNAME and the Gateway an alias.
    assert outcome.outcome == {
        "a.example.com": ("published", None),
        "a.example.org": ("refused", "host-claimed-twice"),
    }
    assert outcome.source("a.example.com") == "TowonelTunnel None:shop/web"


def test_two_claimants_of_different_records_are_both_refused() -> None:
    outcome = run(settings_of(tunnels=[tunnel("a.example.com")]), gateway(), route(hostnames=["a.example.com"]))
    assert outcome.outcome == {"a.example.com": ("refused", "host-claimed-twice")}
    assert "Gateway c1:edge/front" in outcome.reason("a.example.com")
    assert "TowonelTunnel shop/web" in outcome.reason("a.example.com")
    assert _records(outcome) == []
    assert len(outcome.document["endpointRecordSets"]) == 2
    assert outcome.status == 1


def test_a_name_in_two_visibilities_is_two_lines_and_two_records() -> None:
    zones = [CLOUDFLARE, {**ROUTE53, "domain": "example.com", "visibility": "private"}]
    clusters = [{"name": "c1"}, {"name": "c2", "visibility": "private"}]
    inside = [gateway(addresses=["10.0.0.1"]), route(hostnames=["a.example.com"])]
    outcome = run(
        settings_of(zones=zones, clusters=clusters),
        clusters={"c1": [gateway(), route(hostnames=["a.example.com"])], "c2": inside},
    )
    assert [(one["hostname"], one["source"]["cluster"]) for one in outcome.document["hostnames"]] == [
        ("a.example.com", "c2"),
        ("a.example.com", "c1"),
    ]
    assert sorted((one["provider"], *one["values"]) for one in _records(outcome)) == [
        ("cloudflare", "198.51.100.7"),
        ("route53", "10.0.0.1"),
    ]


@pytest.mark.parametrize(
    ("objects", "rule", "status"),
    [
        pytest.param([gateway(), silent(hostnames=["a.example.com"])], "status-stale", 0, id="no status yet"),
        pytest.param([gateway(addresses=[]), route(hostnames=["a.example.com"])], "no-address", 0, id="no address yet"),
        pytest.param([route(hostnames=["a.example.com"])], "route-not-accepted", 0, id="no Gateway yet"),
        pytest.param(
            [gateway(listeners=[listener(hostname="*.example.org")]), route(hostnames=["a.example.com"])],
            "listener-denies",
            0,
            id="another listener hostname",
        ),
        pytest.param(
            [gateway(addresses=["10.0.0.1"]), route(hostnames=["a.example.com"])],
            "private-address-public-zone",
            1,
            id="a private address",
        ),
        pytest.param(
            [gateway(addresses=["gw.default.svc.cluster.local"]), route(hostnames=["a.example.com"])],
            "internal-name-public-zone",
            1,
            id="an internal target",
        ),
        pytest.param(
            [gateway(addresses=["198.51.100.7", "lb.example.net"]), route(hostnames=["a.example.com"])],
            "target-mixed-kinds",
            1,
            id="mixed targets",
        ),
        pytest.param(
            [gateway(addresses=["a.example.com"]), route(hostnames=["a.example.com"])], "cname-self", 1, id="itself"
        ),
        pytest.param(
            [
                gateway(),
                route(
                    hostnames=["a.example.com"],
                    metadata={"annotations": {"external-dns.alpha.kubernetes.io/controller": "internal"}},
                ),
            ],
            "exposure-internal",
            0,
            id="an opt-out",
        ),
    ],
)
def test_only_rules_of_level_error_fail_the_run(objects: Any, rule: str, status: int) -> None:
    outcome = run(settings_of(), *objects)
    assert outcome.outcome == {"a.example.com": ("refused", rule)}
    assert outcome.status == status
    assert _records(outcome) == []


def test_a_route_that_opts_out_takes_its_name_from_everyone() -> None:
    annotations = {"external-dns.kubernetes.io/controller": "internal"}
    internal = route(hostnames=["a.example.com"], metadata={"annotations": annotations})
    open_one = route("team/open", uid="rt-2", hostnames=["a.example.com"])
    other = [gateway(), route("team/other", uid="rt-3", hostnames=["a.example.com"])]
    outcome = run(
        settings_of(tunnels=[tunnel("a.example.com")], clusters=[{"name": "c1"}, {"name": "c2"}]),
        clusters={"c1": [gateway(), internal, open_one], "c2": other},
    )
    assert outcome.outcome == {"a.example.com": ("refused", "exposure-internal")}
    assert _records(outcome) == []


def test_documentation_addresses_are_a_warning_in_the_reason() -> None:
    outcome = run(settings_of(), gateway(addresses=["203.0.113.9"]), route(hostnames=["a.example.com"]))
    assert outcome.outcome == {"a.example.com": ("published", None)}
    assert "documentation-address" in outcome.reason("a.example.com")


@pytest.mark.parametrize(
    ("pattern", "state"),
    [("cart", "published"), ("cart.example.com", "refused"), ("c", "refused"), ("c.*", "published")],
)
def test_allowed_record_sets_match_the_whole_relative_name(pattern: str, state: str) -> None:
    allowed = {"namespaces": {"names": ["team"]}, "names": [pattern], "types": ["A"]}
    zone = {**CLOUDFLARE, "allowedRecordSets": [allowed]}
    outcome = run(settings_of(zones=[zone]), gateway(), route(hostnames=["cart.example.com"]))
    assert outcome.states == {"cart.example.com": state}


def test_allowed_record_sets_take_the_namespace_of_the_tunnel() -> None:
    allowed = {"namespaces": {"names": ["shop"]}, "names": ["@|a"], "types": ["CNAME"]}
    zone = {**CLOUDFLARE, "allowedRecordSets": [allowed]}
    tunnels = [tunnel("example.com", "a.example.com", "b.example.com"), tunnel("a.example.com", namespace="other")]
    assert run(settings_of(zones=[zone], tunnels=tunnels[:1])).states == {
        "example.com": "published",
        "a.example.com": "published",
        "b.example.com": "refused",
    }
    assert run(settings_of(zones=[zone], tunnels=tunnels[1:])).states == {"a.example.com": "refused"}


def test_cnames_in_a_circle_are_refused_and_their_siblings_are_not() -> None:
    tunnels = [
        tunnel("a.example.com", name="a", dns={"mode": "Zone", "cnameTarget": "b.example.org"}),
        tunnel("b.example.org", name="b", dns={"mode": "Zone", "cnameTarget": "a.example.com"}),
        tunnel("c.example.com", name="c", dns={"mode": "Zone", "cnameTarget": "a.example.com"}),
    ]
    assert run(settings_of(tunnels=tunnels)).outcome == {
        "a.example.com": ("refused", "cname-loop"),
        "b.example.org": ("refused", "cname-loop"),
        "c.example.com": ("published", None),
    }


def test_lists_are_sorted() -> None:
    tunnels = [
        tunnel("b.example.org", "a.example.com", name="two"),
        tunnel("b.example.com", "a.example.org", name="one"),
    ]
    objects = [gateway(), route(hostnames=["z.example.com"])]
    settings = settings_of(zones=ZONES[::-1], tunnels=tunnels, clusters=[{"name": "zz"}])
    document = run(settings, clusters={"zz": objects}).document
    names = [one["name"] for one in document["endpointRecordSets"]]
    assert names == sorted(names)
    assert len(names) == 3
    assert [(one["zone"], one["name"]) for one in document["records"]] == [
        ("example.com", "a.example.com"),
        ("example.com", "b.example.com"),
        ("example.com", "z.example.com"),
        ("example.org", "a.example.org"),
        ("example.org", "b.example.org"),
    ]
    hostnames = [one["hostname"] for one in document["hostnames"]]
    assert hostnames == sorted(hostnames)
