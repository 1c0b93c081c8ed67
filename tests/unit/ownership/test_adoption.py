"""Adoption: what the list takes over, only where live equals wanted, and what everything else is told."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core import yaml_text
from edge_dns.core.live import LiveRecord, normal_name, normal_value, route53_record, same_content
from edge_dns.core.ownership import Claimed, check_ownership
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Adoption, Zone
from edge_dns.core.values import Alias, RRset, SlotRecord
from tests.unit.ownership.test_ownership import (
    AAAA,
    CLOUDFLARE,
    CLOUDFLARE_RECORDS,
    CNAME,
    MARKER_SLOT,
    MARKERS,
    NAME,
    OURS,
    ROUTE53,
    ROUTE53_RECORDS,
    SLOT,
    THEIRS,
    UNMARKED,
    VALUES,
    A,
    cf,
    live,
    mark,
    r53,
    wanted,
)

B = "198.51.100.8"
COM, ORG = NAME["example.com"], NAME["example.org"]
Entry = Mapping[str, str]


def adopted(zone: Zone, *there: LiveRecord, want: tuple[str, ...], by: Any, state: Entry | None = None) -> Claimed:
    entries = [Adoption(**one) for one in ([by] if isinstance(by, dict) else by)]
    return check_ownership(wanted(zone, *want), zone, live(zone, *there, state=state), entries)


def refused(zone: Zone, *there: LiveRecord, want: tuple[str, ...], by: Any, state: Entry | None = None) -> str:
    with pytest.raises(Refused) as raised:
        adopted(zone, *there, want=want, by=by, state=state)
    return f"{raised.value.refusal.rule}: {raised.value.refusal.reason}"


BY_NAME, BY_ZONE = {"hostname": COM}, {"zone": "example.com"}


@pytest.mark.parametrize("by", [BY_NAME, BY_ZONE, {"zone": "z1"}, {"hostname": COM, "type": "A"}], ids=str)
@pytest.mark.parametrize("comment", ["", "by hand"])
def test_an_equal_record_is_imported(by: Entry, comment: str) -> None:
    claimed = adopted(CLOUDFLARE, cf(A, comment=comment), want=(A,), by=by)
    assert claimed.imports == {"z1/www.example.com": f"z1/{A}"}
    assert claimed.notes == (f"adopts A {A} (import id z1/{A})",)
    assert claimed.warnings == ()


def test_every_value_at_cloudflare_goes_to_its_slot() -> None:
    claimed = adopted(CLOUDFLARE, cf(B), cf(AAAA), cf(A), want=(A, B, AAAA), by=BY_NAME)
    slots = {one.slot: f"z1/{one.rrset.values[0]}" for one in wanted(CLOUDFLARE, A, B, AAAA)}
    assert claimed.imports == slots


@pytest.mark.parametrize("zone", [ROUTE53, UNMARKED], ids=["txt", "none"])
def test_at_route_53_the_marker_is_made_beside_it(zone: Zone) -> None:
    claimed = adopted(zone, r53(B, A), want=(A, B), by={"hostname": ORG})
    assert claimed.imports == {SLOT: "Z2_www.example.org_A"}


@pytest.mark.parametrize(
    ("there", "told"),
    [
        pytest.param([cf(B)], f"live A {B} (ttl auto) (import id z1/{B}); wanted A {A} (ttl auto)", id="value"),
        pytest.param([cf(A, ttl=300)], f"live A {A} (ttl 300) (import id z1/{A}); wanted A {A} (ttl auto)", id="ttl"),
        pytest.param([cf(A, proxied=True)], f"live A {A} (ttl auto, proxied)", id="proxied"),
        pytest.param([cf(CNAME)], f"live CNAME {CNAME} (ttl auto)", id="type"),
        pytest.param([cf(A), cf(B)], f"live A {A} (ttl auto) (import id z1/{A}); A {B}", id="one too many"),
        pytest.param([cf(A), cf(A, id="twin")], "(import id z1/twin)", id="twice"),
    ],
)
@pytest.mark.parametrize("by", [BY_NAME, BY_ZONE], ids=["name", "zone"])
def test_a_difference_is_refused_and_shows_both_sides(there: list[LiveRecord], told: str, by: Entry) -> None:
    said = refused(CLOUDFLARE, *there, want=(A,), by=by)
    assert said.startswith("adopt-differs: ")
    assert told in said
    assert "stay untouched" in said


def test_one_value_that_is_not_there_is_a_difference_unless_its_type_is_left_out() -> None:
    assert refused(CLOUDFLARE, cf(A), want=(A, B), by=BY_NAME).startswith("adopt-differs: ")
    assert refused(CLOUDFLARE, cf(A), want=(A, AAAA), by=BY_NAME).startswith("adopt-differs: ")
    only = {"hostname": COM, "type": "A"}
    assert list(adopted(CLOUDFLARE, cf(A), want=(A, AAAA), by=only).imports.values()) == [f"z1/{A}"]
    assert refused(CLOUDFLARE, cf(A), cf(AAAA), want=(A, AAAA), by=only).startswith("owner-foreign: ")


def test_nothing_there_is_nothing_to_adopt_and_the_name_is_free() -> None:
    assert adopted(CLOUDFLARE, want=(A,), by=BY_NAME) == Claimed()


def test_once_it_is_in_the_state_the_entry_has_no_effect_and_the_name_may_change() -> None:
    state = {"z1/www.example.com": f"z1/{A}"}
    assert adopted(CLOUDFLARE, cf(A, comment=OURS), want=(A, B), by=BY_NAME, state=state) == Claimed()
    state = {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    assert adopted(ROUTE53, r53(A), mark(OURS), want=(A, AAAA), by={"hostname": ORG}, state=state) == Claimed()


def test_a_value_that_a_crash_left_out_is_adopted_by_the_next_run() -> None:
    state = {"z1/www.example.com": f"z1/{A}"}
    claimed = adopted(CLOUDFLARE, cf(A, comment=OURS), cf(AAAA), want=(A, AAAA), by=BY_NAME, state=state)
    assert list(claimed.imports.values()) == [f"z1/{AAAA}"]


def test_a_marker_that_a_crash_left_without_its_record_makes_no_differing_record_ours() -> None:
    by = {"hostname": ORG}
    claimed = adopted(ROUTE53, mark(OURS), r53(A), want=(A,), by=by)
    assert claimed.imports == {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    assert refused(ROUTE53, mark(OURS), r53(B), want=(A,), by=by).startswith("adopt-differs: ")


@pytest.mark.parametrize(
    ("zone", "there"),
    [(CLOUDFLARE, [cf(A, comment=THEIRS)]), (ROUTE53, [r53(A), mark(THEIRS)])],
    ids=["cloudflare", "route53"],
)
def test_a_record_of_another_stack_is_adopted_by_its_hostname_only(zone: Zone, there: list[LiveRecord]) -> None:
    said = refused(zone, *there, want=(A,), by={"zone": zone.domain})
    assert said.startswith("owner-foreign: ")
    assert "it is marked as that of edge-dns/other" in said
    claimed = adopted(zone, *there, want=(A,), by={"hostname": NAME[zone.domain]})
    assert set(claimed.imports.values()) == {one.import_id for one in there}
    assert claimed.warnings == ("it is adopted from edge-dns/other, which must not manage it any more",)


@pytest.mark.parametrize("kind", ["TXT", "CNAME"])
def test_what_is_no_marker_where_the_marker_belongs_is_never_adopted(kind: str) -> None:
    there = r53('"x"', kind=kind, name="_edge-dns.www.example.org")
    assert refused(ROUTE53, r53(A), there, want=(A,), by={"hostname": ORG}).startswith("owner-foreign: ")
    assert "edge-dns:adopt" not in refused(ROUTE53, r53(A), there, want=(A,), by=[])


def test_a_record_with_a_routing_policy_is_never_adopted() -> None:
    said = refused(ROUTE53, r53(A, setIdentifier="blue"), want=(A,), by={"hostname": ORG})
    assert said.startswith("owner-foreign: ")
    assert "edge-dns:adopt" not in said


@pytest.mark.parametrize(
    ("there", "way_out"),
    [
        (A, "it equals the wanted one: edge-dns:adopt: [www.example.com] takes it over"),
        (B, f"once it equals the wanted one, A {A} (ttl auto), edge-dns:adopt: [www.example.com] takes it over"),
    ],
)
def test_without_an_entry_the_message_names_import_id_and_line(there: str, way_out: str) -> None:
    said = refused(CLOUDFLARE, cf(there), want=(A,), by={"hostname": "other.example.com"})
    assert said.startswith("owner-foreign: ")
    assert f"(import id z1/{there})" in said
    assert said.endswith(way_out)


HERITAGE = "heritage=external-dns,external-dns/owner=old-cluster,external-dns/resource=ingress/shop/app"


@pytest.mark.parametrize("name", ["a-www.example.com", "cname-www.example.com", "www.example.com"])
@pytest.mark.parametrize("quoted", [HERITAGE, f'"{HERITAGE}"'])
def test_the_registry_text_of_an_external_dns_is_reported_for_removal(name: str, quoted: str) -> None:
    text = cf(quoted, kind="TXT", name=name, id="text")
    claimed = adopted(CLOUDFLARE, cf(A), text, want=(A,), by=BY_NAME)
    assert list(claimed.imports.values()) == [f"z1/{A}"]
    (warning,) = claimed.warnings
    assert warning.startswith(f"TXT {name} says that external-dns (old-cluster) manages it")
    # Also in later runs, and without the entry.
    state = {"z1/www.example.com": f"z1/{A}"}
    assert adopted(CLOUDFLARE, cf(A, comment=OURS), text, want=(A,), by=[], state=state).warnings == (warning,)


def test_the_texts_of_other_names_are_not_reported() -> None:
    texts = [
        cf(HERITAGE, kind="TXT", name=f"{name}.example.com", id=name) for name in ("a-my-www", "a-x.www", "mx-www")
    ]
    assert adopted(CLOUDFLARE, cf(A), *texts, want=(A,), by=BY_NAME).warnings == ()


CASES: Any = yaml_text.load((Path(__file__).parent / "data" / "dns_api_adoption.yaml").read_text(encoding="utf-8"))


def _rrset(kind: str, value: Mapping[str, Any]) -> RRset:
    alias = None
    if "zone" in value:
        alias = Alias(name=value["name"], zone_id=value["zone"], evaluate_target_health=value["health"])
    return RRset(
        zone_id="Z2",
        name=ORG,
        type=kind.removesuffix("_alias"),  # type: ignore[arg-type]  # as the cases spell it
        values=tuple(value.get("values", ())),
        ttl=value.get("ttl"),
        alias=alias,
    )


def _live(kind: str, value: Mapping[str, Any]) -> LiveRecord:
    answer = {"name": f"{ORG}.", "type": kind.removesuffix("_alias"), "ttl": value.get("ttl", 0)}
    if "zone" in value:
        alias = {"dnsName": value["name"], "hostedZoneId": value["zone"], "evaluateTargetHealth": value["health"]}
        return route53_record("Z2", answer | {"aliasTarget": alias})
    return route53_record("Z2", answer | {"resourceRecords": [{"value": one} for one in value["values"]]})


@pytest.mark.parametrize("case", [one for one in CASES if "desired" in one["given"]], ids=lambda case: str(case["id"]))
def test_adoption_cases_of_dns_api(case: Mapping[str, Any]) -> None:
    given_ = case["given"]
    records = [SlotRecord(slot=SLOT, rrset=_rrset(kind, value)) for kind, value in given_["desired"].items()]
    there = [] if given_["live"] == "absent" else [_live(kind, value) for kind, value in given_["live"].items()]
    state = {SLOT: "Z2_www.example.org_A"} if given_["managed"] else {}
    entries = [Adoption(hostname=ORG)] if given_["mode"] == "adopt" else []
    rules = {"ExternalResourceMismatch": "adopt-differs", "ProviderConflict": "owner-foreign"}
    expected = rules.get(case["expect"].get("reason"))
    found = live(ROUTE53, *there, state=state)
    if expected:
        with pytest.raises(Refused) as raised:
            check_ownership(records, ROUTE53, found, entries)
        assert raised.value.refusal.rule == expected
    else:
        assert bool(check_ownership(records, ROUTE53, found, entries).imports) == (not given_["managed"])


@pytest.mark.parametrize("case", [one for one in CASES if "compare" in one["given"]], ids=lambda case: str(case["id"]))
def test_comparison_cases_of_dns_api(case: Mapping[str, Any]) -> None:
    compare = case["given"]["compare"]
    if "type" in compare:
        same = normal_value(compare["type"], compare["live"]) == normal_value(compare["type"], compare["desired"])
    elif "name_live" in compare:
        same = normal_name(compare["name_live"]) == normal_name(compare["name_desired"])
    elif "alias_live" in compare:
        both = [{"name": compare[f"alias_{side}"], "zone": "Z9", "health": True} for side in ("live", "desired")]
        same = same_content(_rrset("A", both[1]), _live("A", both[0]))
    else:
        same = normal_name(compare["live"]) == normal_name(compare["desired"])
    assert same == (case["expect"] == "equal")


ENTRIES = st.lists(
    st.sampled_from(
        [
            Adoption(hostname=COM),
            Adoption(hostname=COM, type="A"),
            Adoption(hostname=ORG),
            Adoption(hostname=ORG, type="AAAA"),
            Adoption(zone="example.com"),
            Adoption(zone="Z2"),
        ]
    ),
    max_size=2,
)


@given(VALUES, CLOUDFLARE_RECORDS, ENTRIES, st.booleans())
def test_at_cloudflare_only_what_is_ours_or_equal_and_listed_is_ever_imported(
    values: list[str], there: list[LiveRecord], entries: list[Adoption], in_state: bool
) -> None:
    records = wanted(CLOUDFLARE, *values)
    state = {records[0].slot: there[0].import_id} if in_state and there else {}
    _assert_sound(CLOUDFLARE, records, there, entries, state)


@given(VALUES, ROUTE53_RECORDS, MARKERS, ENTRIES, st.booleans())
def test_at_route_53_only_what_is_ours_or_equal_and_listed_is_ever_imported(
    values: list[str], there: list[LiveRecord], texts: list[str], entries: list[Adoption], in_state: bool
) -> None:
    records = wanted(ROUTE53, *values)
    every = [*there, *([mark(*texts)] if texts else [])]
    state = {SLOT: there[0].import_id} if in_state and there else {}
    _assert_sound(ROUTE53, records, every, entries, state)


def _assert_sound(
    zone: Zone, records: tuple[SlotRecord, ...], there: list[LiveRecord], entries: list[Adoption], state: Entry
) -> None:
    try:
        imports = check_ownership(records, zone, live(zone, *there, state=state), entries).imports
    except Refused:
        return
    # One live record never goes into two resources, nor one that a resource holds.
    assert len(set(imports.values())) == len(imports)
    assert not set(imports.values()) & set(state.values())
    by_id = {one.import_id: one for one in there}
    by_slot = {one.slot: one.rrset for one in records}
    marked = any(one.values == (OURS,) for one in there if one.type == "TXT")
    for slot, import_id in imports.items():
        found = by_id[import_id]
        ours = found.comment == OURS or (marked and zone is ROUTE53)
        listed = any(one.covers(records[0].rrset.name, zone) for one in entries)
        assert ours or (listed and (slot == MARKER_SLOT or same_content(by_slot[slot], found)))
        assert not found.set_identifier
