"""Acceptance cases through the whole plan: admission, claims, zones, conversion, memory."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_sets import gateway_set_name
from edge_dns.core.yaml_text import load
from tests.unit.admission import test_dns_api_cases as dns_api
from tests.unit.admission import test_gateway_cases as gateway_cases
from tests.unit.admission.objects import condition, gateway, listener, namespace, parent, ref, route
from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, Run, invite, run, settings_of, tunnel

UNIT = Path(__file__).parents[1]


def _load(path: str) -> Any:
    return load((UNIT / path).read_text(encoding="utf-8"))


def _by_id(*paths: str) -> dict[str, Any]:
    return {case["id"]: case for path in paths for case in _load(path)}


# --- Gateways and HTTPRoutes ------------------------------------------------------------------------------------------

GATEWAY_CASES = {case["id"]: case for case in _load("admission/data/gateway-cases.yaml")["cases"]}
STRICT = [name for name, case in GATEWAY_CASES.items() if "expectedStrict" in case]


@pytest.mark.parametrize("name", GATEWAY_CASES)
def test_gateway_cases(name: str) -> None:
    case = GATEWAY_CASES[name]
    _assert_outcome(_run_gateway_case(case, "hold"), case["expected"])


@pytest.mark.parametrize("name", STRICT)
def test_gateway_cases_under_the_strict_reading(name: str) -> None:
    case = GATEWAY_CASES[name]
    _assert_outcome(_run_gateway_case(case, "withdraw"), case["expectedStrict"])


def _run_gateway_case(case: Any, stale_receipts: str) -> Run:
    """Everything goes to private zones, one for each top-level domain, so that neither zone nor address refuses it."""
    filters = case.get("filters", {})
    select = {"namespaces": [filters["gatewayNamespace"]]} if "gatewayNamespace" in filters else {}
    routes = {"annotations": filters["routeAnnotationFilter"]} if "routeAnnotationFilter" in filters else {}
    cluster = {"name": "c1", "visibility": "private", "select": select, "routes": routes}
    zones = [_private_zone(domain) for domain in ("example", "internal", "com", "net", "org", "test")]
    receipts = case.get("receipts") or []
    acknowledge = {"acknowledge": {"names": sorted({one["hostname"] for one in receipts})}} if receipts else {}
    settings = {
        "zones": zones,
        "clusters": [{**cluster, "staleReceipts": stale_receipts}],
        "safety": {**FREE, **acknowledge},
    }
    objects = list(gateway_cases._objects(deepcopy(case)))
    return run(settings, clusters={"c1": objects}, memory=_remembered(case, objects))


def _private_zone(domain: str) -> dict[str, Any]:
    return {"domain": domain, "provider": "cloudflare", "zoneId": domain, "visibility": "private", "wildcards": True}


def _remembered(case: Any, objects: Any) -> Any:
    """The memory that the receipts of a case stand for: each name is published with the targets of its receipt."""
    sets: dict[str, Any] = {}
    for one in case.get("receipts") or []:
        at = one["gateway"]
        source = {"cluster": "c1", "kind": "Gateway", "namespace": at["namespace"], "name": at["name"]}
        name = gateway_set_name(at["namespace"], at["name"])
        empty = {"source": source, "targets": one["targets"], "receipts": [], "published": {}}
        found = sets.setdefault(f"c1/{name}", empty)
        receipt = gateway_cases._receipt(one, parse_objects(deepcopy(objects)))
        found["receipts"].append({field: getattr(receipt, field) for field in receipt.__slots__})
        found["published"][one["hostname"]] = [_published(one["hostname"], target) for target in one["targets"]]
    return {"version": 1, "sets": sets, "invites": {}}


def _published(hostname: str, target: Mapping[str, str]) -> dict[str, Any]:
    zone = hostname.rpartition(".")[2]
    rrset = {"zone_id": zone, "name": hostname, "type": "A", "values": [target["value"]], "ttl": 1, "proxied": False}
    return {"slot": f"{zone}/{hostname}", "rrset": rrset}


def _assert_outcome(outcome: Run, expected: Any) -> None:
    sets = {
        f"{one['source']['namespace']}/{one['source']['name']}": (one["hostnames"], one["targets"])
        for one in outcome.document["endpointRecordSets"]
    }
    wanted = expected["endpointRecordSets"]
    assert sets == {name: (one["hostnames"], one["targets"]) for name, one in wanted.items()}
    assert sorted({name for one in outcome.document["endpointRecordSets"] for name in one["retained"]}) == expected.get(
        "retained", []
    )
    twice = [name for name, rule in outcome.rules.items() if rule == "host-claimed-twice"]
    assert sorted(twice) == expected.get("claimedByTwoGateways", [])
    for hostname, values in expected["hosts"].items():
        if hostname in twice:
            assert hostname not in outcome.records
        elif outcome.rules[hostname] in {"target-mixed-kinds", "cname-single"}:
            assert len(values) > 1
            assert outcome.states[hostname] == "refused"
        else:
            assert sorted(value for found in outcome.records[hostname].values() for value in found) == sorted(values)
    assert set(outcome.records) <= set(expected["hosts"])


# --- the cases of dns-api ---------------------------------------------------------------------------------------------

DNS_API = _load("admission/data/dns-api-cases.yaml")
BASE = DNS_API["fixtures"]["BASE"]


def _cases(group: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", group, ids=lambda case: case["id"])


def _wanted(case: Any) -> Any:
    return case.get("want", case.get("expect"))


def _run_fixture(fixture: Any, memory: Any = None) -> Run:
    gateways = [dns_api._gateway(fixture["gateway"])] if fixture["gateway"] else []
    routes = [dns_api._route(name, one) for name, one in fixture["routes"].items() if one]
    settings = {
        "zones": [_private_zone("test")],
        "clusters": [{"name": "c1", "visibility": "private"}],
        "safety": {**FREE, "acknowledge": {"names": ["cart.shop.test"]}},
    }
    return run(settings, clusters={"c1": [*gateways, *routes]}, memory=memory)


def _shown(outcome: Run) -> Any:
    kinds = {"IPAddress": "ip", "Hostname": "host"}
    for one in outcome.document["endpointRecordSets"]:
        targets = [f"{kinds[target['type']]}:{target['value']}" for target in one["targets"]]
        return {"hosts": one["hostnames"], "targets": targets}
    return "none"


@_cases(DNS_API["hostnames"])
def test_hostnames(case: Any) -> None:
    outcome = _run_fixture(dns_api._patched(BASE, case["given"]))
    shown, wanted = _shown(outcome), _wanted(case)
    assert (shown if shown == "none" else shown["hosts"]) == wanted
    if wanted != "none":
        assert sorted(outcome.records) == sorted(name for name in wanted if name.endswith(".test"))


@_cases(DNS_API["admission"])
def test_admission(case: Any) -> None:
    assert _shown(_run_fixture(dns_api._patched(BASE, case["given"]))) == _wanted(case)


@_cases(DNS_API["targets"])
def test_targets(case: Any) -> None:
    outcome = _run_fixture(dns_api._patched(BASE, case["given"]))
    wanted = _wanted(case)
    if wanted == "error":
        assert outcome.outcome == {"cart.shop.test": ("refused", "target-syntax")}
        assert outcome.records == {}
    else:
        shown = _shown(outcome)
        assert (shown if shown == "none" else shown["targets"]) == wanted


@_cases([case for case in DNS_API["receipts"] if "previous" not in case])
def test_receipts_over_runs(case: Any) -> None:
    fixture = dns_api._patched(BASE, case.get("fixture_patch", {}))
    memory = _run_fixture(fixture).memory
    for step in case.get("steps", [case]):
        outcome = _run_fixture(dns_api._patched(fixture, step["given"]), memory)
        assert outcome.stops == []
        assert _shown(outcome) == _wanted(step)
        memory = outcome.memory


@_cases(_load("zones/data/dns_api_zones.yaml"))
def test_zones(case: Any) -> None:
    given, wanted = case["given"], _wanted(case)
    hosts = given.get("hosts") or [given["host"]]
    settings = settings_of(zones=_zones(given.get("zones_before", given.get("zones"))), tunnels=[_wild(*hosts)])
    outcome = run(settings)
    if "stop" in wanted:
        gone = run({**settings, "zones": _zones(given["zones_now"])}, memory=outcome.memory)
        assert gone.stops == [wanted["stop"]]
        assert gone.memory == outcome.memory
    elif wanted["zone"] == "none":
        assert outcome.rules == {hosts[0]: "zone-none"}
    else:
        (record,) = outcome.document["records"]
        (zone,) = (one["domain"] for one in given["zones"] if one["at"] == wanted["zone"])
        assert record["zone"] == zone
        assert record["name"] == (zone if wanted["record"] == "@" else f"{wanted['record']}.{zone}")


def _zones(given: Any) -> list[Any]:
    return [{"domain": one["domain"], "provider": "cloudflare", "zoneId": one["at"].replace("/", "-")} for one in given]


def _wild(*hostnames: str, **more: Any) -> Any:
    return tunnel(*hostnames, dns={"mode": "Zone", "includeWildcards": True}, **more)


PATTERN = r"([a-z0-9]([-a-z0-9]*[a-z0-9])?|\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)"


@_cases(_load("zones/data/dns_api_allowed.yaml"))
def test_allowed_record_sets(case: Any) -> None:
    given, wanted = case["given"], _wanted(case)
    rule = given.get("rule", {"pattern": PATTERN, "types": ["A", "AAAA"]})
    allowed = {"namespaces": {"selector": "dns-writer=edge"}, "names": [rule["pattern"]], "types": rule["types"]}
    zone = {**CLOUDFLARE, "domain": "shop.test", "wildcards": True, "allowedRecordSets": [allowed]}
    name = "shop.test" if given["record"] == "@" else f"{given['record']}.shop.test"
    address = "198.51.100.7" if given["type"] == "A" else "2001:db8::7"
    objects = [
        namespace("writers", {"dns-writer": "edge"}),
        namespace("strangers"),
        gateway(addresses=[address]),
        route(f"{given['ns']}/cart", hostnames=[name]),
    ]
    if wanted == {"stop": "observation-failed"}:
        with pytest.raises(ObservationFailed, match="missing-namespace"):
            run(settings_of(zones=[zone]), *objects)
        return
    outcome = run(settings_of(zones=[zone]), *objects)
    denied = wanted != "allowed"
    assert outcome.rules == {name: "record-not-allowed-by-zone" if denied else None}
    assert bool(outcome.records) is not denied
    assert rule["pattern"] not in outcome.reason(name)


_UNSUPPORTED = {"alias-unknown", "target-mixed-kinds", "cname-single"}


@_cases(_load("conversion/data/dns_api_route53.yaml"))
def test_conversion_for_route_53(case: Any) -> None:
    given, wanted = case["given"], _wanted(case)
    kinds = {"ip": "IPAddress", "host": "Hostname"}
    targets = [target.partition(":") for target in given["targets"]]
    addresses = [{"type": kinds[kind], "value": value} for kind, _, value in targets]
    zone = {**ROUTE53, "domain": "shop.test", "wildcards": True}
    clusters = [{"name": "c1", **({"recordType": given["prefer"]} if "prefer" in given else {})}]
    name = f"{given['record']}.shop.test"
    outcome = run(settings_of(zones=[zone], clusters=clusters), gateway(addresses=addresses), route(hostnames=[name]))
    if "error" in wanted:
        assert outcome.rules[name] in _UNSUPPORTED
        assert outcome.records == {}
        return
    for record in outcome.document["records"]:
        alias = record["alias"] and {
            "name": record["alias"]["name"],
            "zone": record["alias"]["zoneId"],
            "health": record["alias"]["evaluateTargetHealth"],
        }
        expected = wanted.get(record["type"], {"ttl": None, "values": []})
        assert (alias, record["ttl"], record["values"]) == (wanted.get("alias"), expected["ttl"], expected["values"])
    assert {record["type"] for record in outcome.document["records"]} == set(wanted.get("types", wanted))


# --- bugs of comparable tools -----------------------------------------------------------------------------------------

BUGS = _by_id(
    "plan/data/bug_cases.yaml",
    "zones/data/bug_cases.yaml",
    "conversion/data/bug_cases.yaml",
    "withdrawal/data/bug_cases.yaml",
)


def _cloudflare_zones(*domains: str) -> list[Any]:
    return [{"domain": domain, "provider": "cloudflare", "zoneId": domain.replace(".", "-")} for domain in domains]


def test_a_controller_that_never_fills_observed_generation_admits_no_new_name() -> None:
    case = BUGS["BC-A06"]["input"]
    one, front = case["route"], case["gateway"]
    said = one["conditions"][0]
    parents = [parent(ref("infra/edge", None), condition(said["status"], said["observedGeneration"]))]
    outcome = run(
        settings_of(),
        gateway(
            "infra/edge", listeners=[listener(**found) for found in front["listeners"]], addresses=front["addresses"]
        ),
        route(
            f"{one['namespace']}/{one['name']}",
            generation=one["generation"],
            hostnames=one["hostnames"],
            refs=[ref("infra/edge", None)],
            parents=parents,
        ),
    )
    assert outcome.outcome == {"shop.example.com": ("refused", BUGS["BC-A06"]["expect"]["reason"])}
    for told in ("example.net/edge-controller", "HTTPRoute team-a/shop", "generation 0", "generation 3"):
        assert told in outcome.reason("shop.example.com")


def test_two_sources_of_one_name_are_a_conflict() -> None:
    case = BUGS["BC-A11"]
    objects = []
    for one in case["input"]["sources"]:
        name = one["id"].rpartition("/")[2]
        objects += [
            gateway(f"team-a/{name}", uid=f"gw-{name}", addresses=one["targets"]),
            route(f"team-a/{name}", uid=f"rt-{name}", hostnames=[one["hostname"]], refs=[ref(f"team-a/{name}")]),
        ]
    zones = _cloudflare_zones("example.com")
    outcome = run(settings_of(zones=zones), *objects)
    assert outcome.rules == dict.fromkeys(case["expect"]["names"], case["expect"]["rule"])
    assert outcome.records == {}


def test_two_gateways_of_one_route_are_a_conflict_and_never_a_record_without_values() -> None:
    case = BUGS["BC-A13"]
    given = case["input"]
    gateways = [
        gateway(f"infra/{one['name']}", uid=one["name"], addresses=one["addresses"]) for one in given["gateways"]
    ]
    one = given["route"]
    refs = [ref(f"{found['namespace']}/{found['name']}", None) for found in one["parentRefs"]]
    outcome = run(settings_of(), *gateways, route("team-a/ui", hostnames=one["hostnames"], refs=refs))
    assert outcome.rules == {"ui.example.com": case["expect"]["rule"]}
    assert outcome.document["records"] == []


@pytest.mark.parametrize("name", ["BC-A14", "BC-D01", "BC-D06"])
def test_the_longest_zone_takes_the_name(name: str) -> None:
    given, expect = BUGS[name]["input"], BUGS[name]["expect"]
    names = given.get("names") or given.get("hostnames") or [given["record"]["name"]]
    outcome = run(settings_of(zones=_cloudflare_zones(*given["zones"]), tunnels=[tunnel(*names)]))
    found = {record["name"]: record["zone"] for record in outcome.document["records"]}
    assert [found[one] for one in names] == (expect.get("zones") or [expect["zone"]])


def test_a_new_more_specific_zone_gets_the_record_and_the_old_one_loses_it() -> None:
    before, now = BUGS["BC-D05"]["input"]["runs"]
    tunnels = [tunnel(before["record"])]
    first = run(settings_of(zones=_cloudflare_zones(*before["zones"]), tunnels=tunnels))
    second = run(settings_of(zones=_cloudflare_zones(*now["zones"]), tunnels=tunnels), memory=first.memory)
    assert [one["zone"] for one in first.document["records"]] == ["example.com"]
    assert [one["zone"] for one in second.document["records"]] == ["sub.example.com"]


def test_a_name_outside_every_zone_is_told() -> None:
    case = BUGS["BC-D07"]
    name = case["input"]["record"]["name"]
    outcome = run(settings_of(zones=_cloudflare_zones(*case["input"]["zones"]), tunnels=[tunnel(name)]))
    assert outcome.rules == {name: case["expect"]["rule"]}
    assert outcome.status == 1


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_zones_of_one_name_are_told_apart_by_visibility_or_are_ambiguous(visibility: str) -> None:
    case = BUGS["BC-B06"]
    zones = [
        {**CLOUDFLARE, "domain": one["name"], "zoneId": one["id"], "visibility": one["visibility"]}
        for one in case["input"]["zones"]
    ]
    record = case["input"]["record"]
    objects = [gateway(addresses=record["values"]), route(hostnames=[record["name"]])]
    clusters = [{"name": "c1", "visibility": visibility}]
    assert run(settings_of(zones=zones, clusters=clusters), *objects).status == 0
    same = [{**zone, "visibility": visibility} for zone in zones]
    outcome = run(settings_of(zones=same, clusters=clusters), *objects)
    assert outcome.rules == {record["name"]: case["expect"]["rule"]}
    assert all(candidate in outcome.reason(record["name"]) for candidate in case["expect"]["candidates"])


def test_a_private_address_never_reaches_a_public_zone() -> None:
    case = BUGS["BC-B03"]
    record, zone = case["input"]["record"], case["input"]["zone"]
    zones = [{**CLOUDFLARE, "domain": zone["name"], "visibility": zone["visibility"]}]
    outcome = run(settings_of(zones=zones), gateway(addresses=record["values"]), route(hostnames=[record["name"]]))
    assert outcome.rules == {record["name"]: case["expect"]["rule"]}
    assert outcome.document["records"] == []


def test_a_target_is_absolute_and_a_name_is_whole() -> None:
    given = BUGS["BC-C03"]["input"]
    name, (value,) = given["record"]["name"], given["record"]["values"]
    dns = {"mode": "Zone", "cnameTarget": value}
    outcome = run(settings_of(zones=_cloudflare_zones(given["zone"]), tunnels=[tunnel(name, dns=dns)]))
    assert outcome.records == {name: {"CNAME": [BUGS["BC-C03"]["expect"]["absolute_target"].removesuffix(".")]}}
    given = BUGS["BC-C04"]["input"]
    label, zones = given["record"]["label"], _cloudflare_zones(given["zone"])
    objects = [gateway(addresses=given["record"]["values"]), route(hostnames=[label])]
    first = run(settings_of(zones=zones), *objects)
    assert first.records == {BUGS["BC-C04"]["expect"]["fqdn"]: {"A": given["record"]["values"]}}
    assert run(settings_of(zones=zones), *objects, memory=first.memory).text == first.text


@pytest.mark.parametrize("provider", ["cloudflare", "route53"])
def test_a_cname_at_the_apex_depends_on_the_provider(provider: str) -> None:
    case = BUGS["BC-C11"]
    (record,) = case["input"]["records"]
    zones = [{"domain": case["input"]["zone"], "provider": provider, "zoneId": "z1"}]
    dns = {"mode": "Zone", "cnameTarget": record["values"][0]}
    outcome = run(settings_of(zones=zones, tunnels=[tunnel(record["name"], dns=dns)]))
    expected = case["expect"]["rule"] if provider == case["expect"]["provider"] else None
    assert outcome.rules == {record["name"]: expected}


def test_a_changed_name_of_a_tunnel_takes_the_old_record_away() -> None:
    case = BUGS["BC-I01"]
    before, now = (tunnel(one["fqdn"], name=one["tunnel"]) for one in case["input"]["runs"])
    second = run(settings_of(tunnels=[now]), memory=run(settings_of(tunnels=[before])).memory)
    assert list(second.records) == case["expect"]["create"]
    assert [name for name, state in second.states.items() if state == "withdrawn"] == case["expect"]["delete"]


def test_the_records_of_a_removed_tunnel_go() -> None:
    names = BUGS["BC-I02"]["input"]["records"]
    kept = tunnel("kept.example.com", name="kept")
    first = run(settings_of(tunnels=[kept, tunnel(*names)]))
    second = run(settings_of(tunnels=[kept]), memory=first.memory)
    assert {name: second.states[name] for name in names} == dict.fromkeys(names, "withdrawn")
    assert list(second.records) == ["kept.example.com"]


def test_only_what_the_hub_confirmed_is_published_at_its_region() -> None:
    case = BUGS["BC-I04"]
    given = case["input"]
    (confirmed,), (refused,) = given["invite"]["confirmed"], given["invite"]["refused_409"]
    hub = [
        invite(confirmed, region=given["invite"]["region"]),
        invite(refused, invite_id="inv-9", name="other/tenant"),
    ]
    settings = settings_of(edgeTargets=given["edge_targets"], tunnels=[tunnel(confirmed, refused)])
    outcome = run(settings, hub=hub)
    assert outcome.records == {one["name"]: {one["type"]: one["values"]} for one in case["expect"]["records"]}


def test_without_an_edge_target_for_the_region_nothing_is_guessed() -> None:
    case = BUGS["BC-I05"]
    given = case["input"]
    names = given["invite"]["confirmed"]
    settings = settings_of(edgeTargets=given["edge_targets"], tunnels=[tunnel(*names)])
    outcome = run(settings, hub=[invite(*names, region=given["invite"]["region"])])
    assert outcome.rules == dict.fromkeys(names, case["expect"]["rule"])
    assert "AP" in outcome.reason(names[0])
    assert "EU" in outcome.reason(names[0])


def test_the_guard_tells_the_share_and_the_way_through() -> None:
    case = BUGS["BC-E01"]
    existing, deleted = case["input"]["existing"], case["input"]["plan"]["delete"]
    names = [f"n{number}.example.com" for number in range(existing)]
    first = run(settings_of(tunnels=[tunnel(*names)]))
    second = run(settings_of(tunnels=[tunnel(*names[deleted:])]), memory=first.memory)
    (error,) = second.document["errors"]
    assert error["rule"] == case["expect"]["rule"]
    assert f"{case['expect']['percent']} %" in " ".join(error["message"].split())
    assert f"safety.acknowledge.count to {deleted}" in " ".join(error["message"].split())


def test_without_withdrawals_a_change_of_type_is_refused() -> None:
    case = BUGS["BC-E09"]
    (live,), (desired,) = case["input"]["live"], case["input"]["desired"]
    settings = settings_of(safety={"withdraw": "never"})
    first = run(settings, gateway(addresses=live["values"]), route(hostnames=[live["name"]]))
    assert first.states == {live["name"]: "published"}
    second = run(
        settings, gateway(addresses=desired["values"]), route(hostnames=[desired["name"]]), memory=first.memory
    )
    assert second.stops == [case["expect"]["rule"]]


def test_a_moved_hostname_leaves_nothing_behind() -> None:
    runs = BUGS["BC-A15"]["input"]["runs"]
    first, second = (
        settings_of(tunnels=[tunnel(*one["hostnames"], dns={"mode": "Zone", "cnameTarget": one["target"]})])
        for one in runs
    )
    after = run(second, memory=run(first).memory)
    expect = BUGS["BC-A15"]["expect"]
    assert list(after.records) == expect["create"]
    assert [name for name, state in after.states.items() if state == "withdrawn"] == expect["delete"]
