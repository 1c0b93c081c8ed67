"""Records of the state with another owner's marker: declared without a change, then retained, then forgotten."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.decision import Decision
from edge_dns.core.foreign_markers import former_owners, owners_to_remember
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.markers import RELEASED_COMMENT, marker_text
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.slots import is_released, managed_slot
from edge_dns.core.values import RRset, Source
from tests.unit.plan.world import FREE, ZONES, settings_of, tunnel

SOURCE = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")
OURS, THEIRS = (marker_text("edge-dns", stack, SOURCE) for stack in ("prod", "other"))
COM, ORG, STAY = "a.example.com", "a.example.org", "stay.example.com"
MARKER = f"Z2/_edge-dns.{ORG}"
CHILD = {"domain": "a.example.com", "provider": "cloudflare", "zoneId": "z3"}
CHILD_ORG = {"domain": "a.example.org", "provider": "route53", "zoneId": "Z4"}


def _rrset(record: RRset, comment: str) -> LiveRecord:
    if record.zone_id.startswith("z"):
        (content,) = record.values
        answer = {"id": record.name, "name": record.name, "type": record.type, "content": content, "comment": comment}
        return cloudflare_record(record.zone_id, {**answer, "ttl": record.ttl})
    values = [{"value": value} for value in record.values]
    named = {"name": record.name, "type": record.type, "ttl": record.ttl}
    return route53_record(record.zone_id, {**named, "resourceRecords": values})


def _txt(hostname: str, text: str) -> LiveRecord:
    records = [{"value": f'"{text}"'}]
    answer = {"name": f"_edge-dns.{hostname}", "type": "TXT", "ttl": 300, "resourceRecords": records}
    return route53_record("Z2", answer)


def live_of(memory: Memory, texts: Mapping[str, str], markers: Mapping[str, str], former: str = "") -> Live:
    """What the providers hold of the records of a state, marked with these texts by hostname, else as ours.

    `markers` are the slots of the TXT markers in the state by hostname.
    """
    records = {slot: _rrset(rrset, texts.get(rrset.name, OURS)) for slot, rrset in memory.slots.items()}
    records |= {slot: _txt(name, texts.get(name, OURS)) for name, slot in markers.items()}
    by_zone = {zone["zoneId"]: str(zone["domain"]) for zone in [*ZONES, CHILD, CHILD_ORG]}
    return Live(
        owner="edge-dns/prod",
        former=frozenset({former} if former else ()),
        announced=frozenset(),
        import_ids={slot: one.import_id for slot, one in records.items()},
        zones={
            key: LiveZone.of(domain, [one for one in records.values() if one.import_id.startswith(key)])
            for key, domain in by_zone.items()
        },
    )


def plan_of(memory: Memory, live: Live | None, *hostnames: str, **more: Any) -> Plan:
    tunnels = [*([tunnel(*hostnames)] if hostnames else []), tunnel(STAY, name="stay")]
    settings = load_settings(settings_of(**{"tunnels": tunnels, "safety": FREE, **more}))
    return make_plan(settings, Observed(live=live), memory)


def state_after(plan: Plan) -> Memory:
    """The memory as the engine gives it back: with every record resource that exists."""
    records = [record for one in plan.sets for group in one.memory.published.values() for record in group]
    slots = {one.slot: one.rrset for one in records}
    return replace(plan.memory, sets={one.id: one.memory for one in plan.sets}, slots=slots)


def of(plan: Plan, hostname: str) -> Decision:
    return next(one for one in plan.decisions if one.hostname == hostname)


def rule(plan: Plan, hostname: str) -> tuple[str, str | None]:
    one = of(plan, hostname)
    return one.state, one.refusal.rule if one.refusal else None


PUBLISHED = state_after(plan_of(Memory(), None, COM, ORG))
FOREIGN = live_of(PUBLISHED, {COM: THEIRS, ORG: THEIRS}, {ORG: MARKER})


def test_while_it_is_wanted_it_is_held_without_a_change_and_without_advice_to_refresh() -> None:
    plan = plan_of(PUBLISHED, FOREIGN, COM, ORG)
    for name, untouched in ((COM, frozenset({f"z1/{COM}"})), (ORG, frozenset({f"Z2/{ORG}", MARKER}))):
        one = of(plan, name)
        assert rule(plan, name) == ("held", "owner-duplicate")
        assert (one.untouched, one.drift, one.conditional) == (untouched, (), False)
        assert one.refusal is not None
        assert "the marker is that of edge-dns/other, so nothing is written: release it there first" in (
            one.refusal.reason
        )
    assert rule(plan, STAY) == ("published", None)
    assert of(plan, STAY).untouched == frozenset()


def test_once_its_hostname_goes_it_is_retained_and_the_next_run_forgets_it() -> None:
    first = plan_of(PUBLISHED, FOREIGN)
    for name, slot, marker in ((COM, f"z1/{COM}", None), (ORG, f"Z2/{ORG}", MARKER)):
        one = of(first, name)
        (record,) = one.records
        assert rule(first, name) == ("released", "owner-duplicate")
        assert (record.slot, record.former, record.rrset) == (f"{slot}#released", slot, PUBLISHED.slots[slot])
        assert one.untouched == {record.slot, *([f"{marker}#released"] if marker else [])}
        assert one.renamed == ({f"{marker}#released": marker} if marker else {})
        assert one.refusal is not None
        assert one.refusal.reason.endswith("not-declared: TowonelTunnel shop/web no longer declares it")
    assert [one.hostname for one in first.failures] == [COM, ORG]

    begun = state_after(first)
    seen = live_of(begun, {COM: THEIRS, ORG: THEIRS}, {ORG: f"{MARKER}#released"})
    second = plan_of(begun, seen)
    assert [(rule(second, name), of(second, name).records) for name in (COM, ORG)] == [
        (("released", "release-listed"), ())
    ] * 2
    assert second.failures == ()

    # Wanted again in between, it is declared where it was, still without a change.
    back = plan_of(begun, seen, COM, ORG)
    for name in (COM, ORG):
        (record,) = of(back, name).records
        assert rule(back, name) == ("held", "owner-duplicate")
        assert record.slot in of(back, name).untouched
        assert record.former == f"{record.slot}#released"
    assert of(back, ORG).renamed == {MARKER: f"{MARKER}#released"}


@pytest.mark.parametrize("text", ["handmade by Bob", ""], ids=["edited", "emptied"])
def test_a_record_with_no_marker_of_anybody_is_the_states_and_goes_with_its_hostname(text: str) -> None:
    plan = plan_of(PUBLISHED, live_of(PUBLISHED, {COM: text}, {ORG: MARKER}), ORG)
    assert rule(plan, COM) == ("withdrawn", "not-declared")
    (told,) = of(plan, COM).drift
    assert "has lost its ownership marker, the comment" in told
    assert told.endswith("the state proves that it is this stack's, so it goes all the same")


def test_listed_in_release_it_is_forgotten_without_a_change() -> None:
    plan = plan_of(PUBLISHED, FOREIGN, COM, ORG, release=[COM, ORG])
    assert of(plan, COM).untouched == {f"z1/{COM}#released"}
    assert of(plan, ORG).untouched == {f"Z2/{ORG}#released", f"{MARKER}#released"}
    assert rule(plan, ORG) == ("released", "release-listed")


def test_a_move_to_another_zone_waits_until_the_old_record_is_forgotten() -> None:
    zones = [*ZONES, CHILD]
    first = plan_of(PUBLISHED, FOREIGN, COM, ORG, zones=zones)
    (record,) = of(first, COM).records
    assert (rule(first, COM), record.slot) == (("released", "owner-duplicate"), f"z1/{COM}#released")
    begun = state_after(first)
    seen = live_of(begun, {COM: THEIRS, ORG: THEIRS}, {ORG: MARKER})
    second = plan_of(begun, seen, COM, ORG, zones=zones)
    (record,) = of(second, COM).records
    assert (rule(second, COM), record.slot) == (("published", None), f"z3/{COM}")
    assert any("this run forgets CNAME" in text for text in of(second, COM).warnings)


def test_a_name_that_moves_to_another_source_and_zone_at_once_keeps_both_records() -> None:
    moved = [tunnel(ORG), tunnel(COM, STAY, name="stay")]
    plan = plan_of(PUBLISHED, FOREIGN, tunnels=moved, zones=[*ZONES, CHILD])
    found = {one.records[0].slot: one.state for one in plan.decisions if one.hostname == COM}
    assert found == {f"z3/{COM}": "published", f"z1/{COM}#released": "released"}
    assert {one.id for one in plan.sets if COM in {**one.records, **one.conditional}} == {
        "towonel.shop.stay",
        "towonel.shop.web",
    }


def test_the_markers_of_the_stacks_former_name_are_its_own_until_none_is_left() -> None:
    remembered = {name: replace(one, owners=("edge-dns/other",)) for name, one in PUBLISHED.sets.items()}
    renamed = replace(PUBLISHED, sets=remembered)
    assert former_owners(renamed, "edge-dns/prod") == {"edge-dns/other"}
    seen = live_of(renamed, {COM: THEIRS, ORG: THEIRS}, {ORG: MARKER}, former="edge-dns/other")
    plan = plan_of(renamed, seen, COM, ORG)
    assert (rule(plan, COM), of(plan, COM).untouched) == (("held", "owner-duplicate"), frozenset())
    assert of(plan, COM).refusal is not None
    assert {one.memory.owners for one in plan.sets} == {("edge-dns/prod", "edge-dns/other")}
    assert rule(plan_of(renamed, seen, ORG), COM) == ("withdrawn", "not-declared")
    ours = live_of(renamed, {}, {ORG: MARKER}, former="edge-dns/other")
    assert owners_to_remember(ours, renamed) == ("edge-dns/prod",)


CHANGES: Mapping[str, Mapping[str, Any]] = {
    "nothing": {},
    "tunnel gone": {"tunnels": [tunnel(STAY, name="stay")]},
    "hostname gone": {"tunnels": [tunnel(ORG), tunnel(STAY, name="stay")]},
    "another source": {"tunnels": [tunnel(ORG), tunnel(COM, STAY, name="stay")]},
    "disabled": {"tunnels": [tunnel(COM, ORG, dns={"mode": "Disabled"}), tunnel(STAY, name="stay")]},
    "another target": {"edgeTargets": {"EU": "other.example.net"}},
    "unknown target": {"edgeTargets": {}},
    "private address": {
        "tunnels": [tunnel(COM, ORG, dns={"mode": "Zone", "cnameTarget": "db.internal"}), tunnel(STAY, name="stay")]
    },
    "child zones": {"zones": [*ZONES, CHILD, CHILD_ORG]},
    "child zones and another source": {
        "zones": [*ZONES, CHILD, CHILD_ORG],
        "tunnels": [tunnel(COM, ORG, STAY, name="stay")],
    },
    "no names": {"zones": [{**zone, "allowedRecordSets": []} for zone in ZONES]},
    "released": {"release": [COM, {"zone": "example.org"}]},
    "adopted": {"adopt": [COM, ORG, {"zone": "example.org"}]},
    "elsewhere": {"elsewhere": ["a.example.com", "a.example.org"]},
}


@given(
    changes=st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=4),
    texts=st.fixed_dictionaries({name: st.sampled_from([OURS, THEIRS, RELEASED_COMMENT, ""]) for name in (COM, ORG)}),
)
def test_whatever_changes_no_record_or_marker_of_others_is_written_or_deleted(
    changes: list[str], texts: Mapping[str, str]
) -> None:
    memory, markers = PUBLISHED, {ORG: MARKER}
    for change in changes:
        plan = plan_of(memory, live_of(memory, texts, markers), COM, ORG, **CHANGES[change])
        # A zone that left the settings is not read.
        read = {zone["zoneId"] for zone in CHANGES[change].get("zones", ZONES)}
        theirs = [slot for slot, one in memory.slots.items() if _is(one.name, texts) and one.zone_id in read]
        theirs += [slot for name, slot in markers.items() if _is(name, texts)]
        declared = _declared(plan, markers.values())
        untouched = {slot for one in plan.decisions for slot in one.untouched}
        for slot in theirs:
            if slot not in declared:
                assert is_released(slot), f"{change} deletes {slot}"
            else:
                assert declared[slot] in untouched, f"{change} writes {slot}"
        markers = {name: declared[slot] for name, slot in markers.items() if slot in declared}
        memory = state_after(plan)


def _is(name: str, texts: Mapping[str, str]) -> bool:
    return texts.get(name) == THEIRS


def _declared(plan: Plan, markers: Collection[str]) -> dict[str, str]:
    """By slot of the state the one in which this run declares it, as the components do."""
    records = [record for one in plan.decisions for record in one.records]
    declared = {record.former or record.slot: record.slot for record in records}
    declared |= {record.slot: record.slot for record in records}
    renamed = {old: new for one in plan.sets for new, old in one.renamed.items()}
    for slot in markers:
        names = {record.rrset.name for record in records if record.rrset.zone_id == "Z2"}
        if slot.partition("#")[0].removeprefix("Z2/_edge-dns.") not in names:
            continue
        released = all(is_released(record.slot) for record in records if record.rrset.zone_id == "Z2")
        new = renamed.get(slot, slot)
        if not released or any(new in one.untouched for one in plan.sets):
            declared[slot] = new if released else managed_slot(new)
    return declared
