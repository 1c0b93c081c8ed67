"""What live zones change in the plan: names refused or held, imports, drift."""

from collections.abc import Mapping
from typing import Any

import pytest

from edge_dns.core.decision import Decision
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.markers import marker_text, owner
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.core.values import Source
from tests.unit.plan.world import FREE, settings_of, tunnel

EDGE = "edge-eu.example.net"
OURS = marker_text("edge-dns", "prod", Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web"))
NAMES = ("a.example.com", "b.example.com", "a.example.org")
STATE = {
    "z1/a.example.com": "z1/r1",
    "z1/b.example.com": "z1/r2",
    "Z2/a.example.org": "Z2_a.example.org_CNAME",
    "Z2/_edge-dns.a.example.org": "Z2__edge-dns.a.example.org_TXT",
}


def _cloudflare(record_id: str, name: str, kind: str, content: str, comment: str = "") -> LiveRecord:
    answer = {"id": record_id, "name": name, "type": kind, "content": content, "ttl": 1, "comment": comment}
    return cloudflare_record("z1", answer)


def _route53(name: str, kind: str, *values: str) -> LiveRecord:
    records = [{"value": value} for value in values]
    return route53_record("Z2", {"name": name, "type": kind, "ttl": 300, "resourceRecords": records})


OWN = (
    _cloudflare("r1", "a.example.com", "CNAME", EDGE, OURS),
    _cloudflare("r2", "b.example.com", "CNAME", EDGE, OURS),
    _route53("a.example.org", "CNAME", EDGE),
    _route53("_edge-dns.a.example.org", "TXT", f'"{OURS}"'),
)


def _plan(
    *records: LiveRecord, state: Mapping[str, str] | None = None, memory: Memory | None = None, **more: Any
) -> Plan:
    by_zone = {
        key: LiveZone.of(domain, [one for one in records if one.import_id.startswith(key)])
        for key, domain in (("z1", "example.com"), ("Z2", "example.org"))
    }
    settings = load_settings(settings_of(**{"tunnels": [tunnel(*NAMES)], "safety": FREE, **more}))
    live = Live(owner=owner("edge-dns", "prod"), announced=None, import_ids=state or {}, zones=by_zone)
    return make_plan(settings, Observed(live=live), memory or Memory())


def _published() -> Memory:
    return _plan().memory


def _of(plan: Plan) -> dict[str, Decision]:
    return {one.hostname: one for one in plan.decisions}


def _outcome(plan: Plan) -> dict[str, tuple[str, str | None]]:
    return {one.hostname: (one.state, one.refusal.rule if one.refusal else None) for one in plan.decisions}


FINE = dict.fromkeys(NAMES, ("published", None))

FOREIGN = [
    pytest.param([_cloudflare("x", "a.example.com", "A", "198.51.100.1")], "a.example.com", "owner-foreign", id="A"),
    pytest.param([_route53("a.example.org", "TXT", '"x"')], "a.example.org", "cname-coexistence", id="TXT"),
    pytest.param([_route53("a.example.org", "NS", "ns1.x.test")], "a.example.org", "below-delegation", id="NS"),
    pytest.param(
        [_cloudflare("x", "a.example.com", "A", "198.51.100.1", OURS)], "a.example.com", "adopt-differs", id="marked A"
    ),
]


@pytest.mark.parametrize(("records", "name", "rule"), FOREIGN)
def test_a_live_record_refuses_a_new_name_alone(records: list[LiveRecord], name: str, rule: str) -> None:
    plan = _plan(*records)
    assert _outcome(plan) == {**FINE, name: ("refused", rule)}
    assert [one.hostname for one in plan.failures] == [name]
    assert all(name not in one.records and name not in one.conditional for one in plan.sets)
    assert [one.imports for one in plan.sets] == [{}]


@pytest.mark.parametrize(("records", "name", "rule"), FOREIGN)
def test_a_live_record_holds_a_published_name_as_it_is(records: list[LiveRecord], name: str, rule: str) -> None:
    memory = _published()
    changed = [tunnel(*NAMES, dns={"mode": "Zone", "cnameTarget": "new.example.net"})]
    plan = _plan(*OWN, *records, state=STATE, memory=memory, tunnels=changed)
    assert _outcome(plan) == {**FINE, name: ("held", rule)}
    values = {one.hostname: one.records[0].rrset.values for one in plan.decisions}
    assert values == {**dict.fromkeys(NAMES, ("new.example.net",)), name: (EDGE,)}


def test_own_records_in_the_state_change_nothing_about_the_plan() -> None:
    memory = _published()
    plan = _plan(*OWN, state=STATE, memory=memory)
    unobserved = make_plan(load_settings(settings_of(tunnels=[tunnel(*NAMES)], safety=FREE)), Observed(), memory)
    assert plan_document(plan) == plan_document(unobserved)
    assert (plan.decisions, plan.sets) == (unobserved.decisions, unobserved.sets)


def test_creates_that_were_cut_off_are_imports_of_their_set_and_no_part_of_the_memory() -> None:
    plan = _plan(*OWN)
    assert _outcome(plan) == FINE
    assert [one.imports for one in plan.sets] == [STATE]
    assert plan.memory == _plan().memory


def test_drift_is_told_of_published_and_of_withdrawn_names_and_is_no_failure() -> None:
    plan = _plan(
        *OWN[2:], _cloudflare("r1", "a.example.com", "CNAME", "x.example.net", OURS), state=STATE, memory=_published()
    )
    assert _outcome(plan) == FINE
    assert plan.failures == ()
    drift = {name: one.drift for name, one in _of(plan).items() if one.drift}
    assert list(drift) == ["a.example.com", "b.example.com"]
    assert "x.example.net" in drift["a.example.com"][0]
    assert "gone" in drift["b.example.com"][0]
    fewer = _plan(*OWN[2:], state=STATE, memory=_published(), tunnels=[tunnel(NAMES[2])])
    assert _of(fewer)["b.example.com"].state == "withdrawn"
    assert "gone" in _of(fewer)["b.example.com"].drift[0]


def test_a_name_whose_record_is_imported_anew_has_not_drifted() -> None:
    again = _cloudflare("r9", "b.example.com", "CNAME", EDGE, OURS)
    plan = _plan(OWN[0], again, *OWN[2:], state=STATE, memory=_published())
    assert [one.imports for one in plan.sets] == [{"z1/b.example.com": "z1/r9"}]
    assert all(one.drift == () for one in plan.decisions)


def test_a_name_that_is_refused_after_all_imports_nothing() -> None:
    circle = [
        tunnel("a.example.com", name="a", dns={"mode": "Zone", "cnameTarget": "a.example.org"}),
        tunnel("a.example.org", name="b", dns={"mode": "Zone", "cnameTarget": "a.example.com"}),
    ]
    plan = _plan(*OWN, tunnels=circle)
    assert _outcome(plan) == dict.fromkeys(["a.example.com", "a.example.org"], ("refused", "cname-loop"))
    assert [one.imports for one in plan.decisions] == [{}, {}]
