"""Release in the plan: what each of its two runs declares, says and counts, and what ends it."""

from dataclasses import replace
from typing import Any

import pytest
import yaml

from edge_dns.core.decision import Decision
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.live import Live, LiveZone
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.core.slots import is_released
from tests.unit.plan.world import settings_of, tunnel

EDGE = "edge-eu.example.net"
COM, ORG, STAY = "a.example.com", "a.example.org", "stay.example.com"
STRICT = {"withdraw": "never", "minRecords": 0, "maxWithdraw": 0, "maxUpdate": 0, "protect": [COM, ORG]}


def plan_of(*hostnames: str, memory: Memory | None = None, observed: Observed | None = None, **more: Any) -> Plan:
    tunnels = [tunnel(*hostnames), tunnel(STAY, name="stay")] if hostnames else [tunnel(STAY, name="stay")]
    settings = load_settings(settings_of(**{"tunnels": tunnels, "safety": STRICT, **more}))
    return make_plan(settings, observed or Observed(), memory or Memory())


def state_after(plan: Plan) -> Memory:
    """The memory as the engine gives it back: with every record resource that exists."""
    records = [record for one in plan.sets for group in one.memory.published.values() for record in group]
    return replace(
        plan.memory, sets={one.id: one.memory for one in plan.sets}, slots={one.slot: one.rrset for one in records}
    )


def of(plan: Plan, hostname: str) -> Decision:
    return next(one for one in plan.decisions if one.hostname == hostname)


PUBLISHED = state_after(plan_of(COM, ORG))
FIRST = plan_of(COM, ORG, memory=PUBLISHED, release=[COM, {"zone": "Z2"}])
BEGUN = state_after(FIRST)


@pytest.mark.parametrize("declared", [[COM, ORG], [ORG], []], ids=["declared", "one gone", "tunnel gone"])
def test_the_first_run_declares_the_same_records_in_released_slots(declared: list[str]) -> None:
    plan = plan_of(*declared, memory=PUBLISHED, release=[COM, ORG])
    for hostname, zone, ttl in ((COM, "z1", "auto"), (ORG, "Z2", "300")):
        one = of(plan, hostname)
        (record,) = one.records
        (before,) = PUBLISHED.sets["towonel.shop.web"].published[hostname]
        assert (one.state, one.refusal.rule if one.refusal else None) == ("released", "release-listed")
        assert one.refusal is not None
        assert one.refusal.reason == (f"CNAME {EDGE} (ttl {ttl}) stays, without our marker; the next update forgets it")
        assert (record.slot, record.former, record.rrset) == (f"{zone}/{hostname}#released", before.slot, before.rrset)
    assert plan.stops == ()
    assert plan.failures == ()
    assert of(plan, STAY).state == "published"
    (parent,) = (one for one in plan.sets if one.id == "towonel.shop.web")
    assert set(parent.records) == {COM, ORG}


def test_the_second_run_declares_nothing_and_later_ones_say_that_it_is_not_managed() -> None:
    second = plan_of(COM, ORG, memory=BEGUN, release=[COM, ORG])
    for hostname in (COM, ORG):
        one = of(second, hostname)
        assert (one.state, one.records, one.promised) == ("released", (), ())
        assert one.refusal is not None
        assert one.refusal.reason.startswith("this update forgets it; CNAME")
    third = plan_of(COM, ORG, memory=state_after(second), release=[COM, ORG])
    one = of(third, COM)
    assert one.refusal is not None
    assert (one.state, one.refusal.reason, one.records) == ("released", "it is not managed", ())
    assert [*second.stops, *third.stops] == []


def test_a_name_that_never_had_a_record_is_told() -> None:
    empty = Live(owner="x/y", announced=None, import_ids={}, zones={"z1": LiveZone.of("example.com", [])})
    one = of(plan_of(COM, observed=Observed(live=empty), release=[COM]), COM)
    assert one.refusal is not None
    assert one.refusal.reason == "it is not managed, and has no record"


def test_called_off_the_name_is_managed_as_before() -> None:
    plan = plan_of(COM, ORG, memory=BEGUN)
    for hostname, slot in ((COM, f"z1/{COM}"), (ORG, f"Z2/{ORG}")):
        one = of(plan, hostname)
        (record,) = one.records
        assert (one.state, record.slot, record.former) == ("published", slot, f"{slot}#released")
    assert state_after(plan) == PUBLISHED


def test_called_off_and_refused_the_name_is_held_in_its_old_slot() -> None:
    other = tunnel(COM, name="other", dns={"mode": "Zone", "cnameTarget": "other.example.net"})
    plan = plan_of(memory=BEGUN, tunnels=[tunnel(COM, ORG), other, tunnel(STAY, name="stay")])
    one = of(plan, COM)
    (record,) = one.records
    assert (one.state, record.slot, record.former) == ("held", f"z1/{COM}", f"z1/{COM}#released")


def test_a_name_that_goes_together_with_its_entry_stays_at_the_provider_and_is_told() -> None:
    """BC-E12: entry and mark removed in one step leave the record, reported as released."""
    plan = plan_of(ORG, memory=BEGUN)
    one = of(plan, COM)
    assert one.refusal is not None
    assert (one.state, one.records, one.refusal.rule) == ("released", (), "release-listed")
    assert one.refusal.reason.startswith(f"its release had begun, so this update forgets it; CNAME {EDGE}")
    assert "not-declared" in one.refusal.reason
    assert plan.stops == ()


def test_a_release_that_is_half_begun_goes_on_with_both_halves() -> None:
    (begun,) = BEGUN.sets["towonel.shop.web"].published[COM]
    (before,) = PUBLISHED.sets["towonel.shop.web"].published[COM]
    second = replace(before, slot=f"{before.slot}#0123456789", rrset=replace(before.rrset, values=("x.example.net",)))
    slots = {begun.slot: begun.rrset, second.slot: second.rrset}
    web = replace(BEGUN.sets["towonel.shop.web"], published={COM: (begun, second)})
    plan = plan_of(COM, memory=replace(BEGUN, sets={"towonel.shop.web": web}, slots=slots), release=[COM])
    assert {(one.slot, one.former) for one in of(plan, COM).records} == {
        (begun.slot, None),
        (f"{second.slot}#released", second.slot),
    }


def test_nothing_but_a_listed_name_is_ever_in_a_released_slot() -> None:
    assert {record.rrset.name for one in FIRST.decisions for record in one.records if is_released(record.slot)} == {
        COM,
        ORG,
    }


ROUTE = """
kind: Gateway
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: edge, name: front, uid: g1, generation: 1}
spec: {gatewayClassName: edge, listeners: [{name: web, port: 443, protocol: HTTPS}]}
status: {addresses: [{type: IPAddress, value: 203.0.113.7}]}
---
kind: HTTPRoute
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: edge, name: r, uid: r1, generation: 1, annotations: {ANNOTATIONS}}
spec: {parentRefs: [{name: front}], hostnames: [a.example.com]}
status:
  parents:
  - parentRef: {name: front}
    controllerName: example.net/edge
    conditions: [{type: Accepted, status: "True", observedGeneration: 1}]
"""
OPT_OUT = "external-dns.alpha.kubernetes.io/controller: none"


def _gateways(annotations: str) -> Observed:
    return Observed(clusters={"prod": parse_objects(yaml.safe_load_all(ROUTE.replace("ANNOTATIONS", annotations)))})


def test_a_name_that_turns_internal_is_withdrawn_unless_its_release_has_begun() -> None:
    more: dict[str, Any] = {"clusters": [{"name": "prod", "files": ["x"]}], "safety": {"withdraw": "free"}}
    published = state_after(plan_of(observed=_gateways(""), **more))
    plan = plan_of(memory=published, observed=_gateways(OPT_OUT), release=[COM], **more)
    assert (of(plan, COM).state, of(plan, COM).records) == ("withdrawn", ())
    begun = state_after(plan_of(memory=published, observed=_gateways(""), release=[COM], **more))
    plan = plan_of(memory=begun, observed=_gateways(OPT_OUT), release=[COM], **more)
    assert (of(plan, COM).state, of(plan, COM).records) == ("released", ())


def test_the_json_names_released_hostnames_and_no_record_of_theirs() -> None:
    document: Any = plan_document(FIRST)
    states = {one["hostname"]: (one["state"], one["rule"]) for one in document["hostnames"]}
    assert states[COM] == ("released", "release-listed")
    assert {one["name"] for one in document["records"]} == {STAY}
    assert document["errors"] == []


def test_entries_that_concern_nothing_are_told_by_their_path() -> None:
    adopt = [
        STAY,
        {"hostname": STAY, "type": "AAAA"},
        {"zone": "example.org"},
        {"zone": "example.com"},
        "b.example.com",
    ]
    plan = plan_of(memory=PUBLISHED, adopt=adopt, release=[COM, "c.example.com", {"zone": "Z2"}])
    assert [str(one) for one in plan.warnings] == [
        f"edge-dns:adopt[1]: {STAY} adopts nothing; remove it",
        "edge-dns:adopt[2]: zone example.org adopts nothing; remove it",
        "edge-dns:adopt[4]: b.example.com adopts nothing; remove it",
        "edge-dns:release[1]: c.example.com releases nothing; remove it",
    ]
