"""Whose a live record is: the state's, this stack's by its marker, or somebody else's, which is never touched."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.markers import marker_text, owner, txt_value
from edge_dns.core.ownership import Claimed, check_ownership, find_drift
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Adoption, Zone
from edge_dns.core.slots import assign
from edge_dns.core.values import RRset, SlotRecord, Source

SOURCE = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")
OURS, THEIRS = (marker_text("edge-dns", stack, SOURCE) for stack in ("prod", "other"))
OWNER = owner("edge-dns", "prod")
CLOUDFLARE = Zone(domain="example.com", provider="cloudflare", zone_id="z1")
ROUTE53 = Zone(domain="example.org", provider="route53", zone_id="Z2")
UNMARKED = Zone(domain="example.org", provider="route53", zone_id="Z2", marker="none")
NAME = {"example.com": "www.example.com", "example.org": "www.example.org"}
TYPES = {"198.51.100.7": "A", "198.51.100.8": "A", "2001:db8::7": "AAAA", "edge.example.net": "CNAME"}


def cf(
    value: str, *, comment: str = "", kind: str | None = None, name: str = "www.example.com", **more: Any
) -> LiveRecord:
    """A record at Cloudflare; its id is its value unless said otherwise."""
    answer = {"id": value, "name": name, "type": kind or TYPES[value], "content": value, "ttl": 1, "comment": comment}
    return cloudflare_record("z1", {**answer, **more})


def r53(*values: str, kind: str | None = None, name: str = "www.example.org", **more: Any) -> LiveRecord:
    """An RRset at Route 53."""
    records = [{"value": value} for value in values]
    answer = {"name": name, "type": kind or TYPES[values[0]], "ttl": 300, "resourceRecords": records}
    return route53_record("Z2", {**answer, **more})


def mark(*texts: str) -> LiveRecord:
    """What stands at the marker's name at Route 53."""
    return r53(*map(txt_value, texts), kind="TXT", name="_edge-dns.www.example.org")


def wanted(zone: Zone, *values: str, remembered: Mapping[str, RRset] | None = None) -> tuple[SlotRecord, ...]:
    """The record resources for these values of `www`."""
    ttl, proxied = (1, False) if zone is CLOUDFLARE else (300, None)
    by_type: dict[str, list[str]] = {}
    for value in values:
        by_type.setdefault(TYPES[value], []).append(value)
    name, zone_id = NAME[zone.domain], zone.zone_id or ""
    rrsets = [
        RRset(zone_id=zone_id, name=name, type=kind, values=tuple(found), ttl=ttl, proxied=proxied)  # type: ignore[arg-type]  # of TYPES
        for kind, found in by_type.items()
    ]
    return assign(f"{zone_id}/{name}", rrsets, remembered or {}, provider=zone.provider)


def live(
    zone: Zone,
    *records: LiveRecord,
    state: Mapping[str, str] | None = None,
    announced: frozenset[str] | None = None,
) -> Live:
    return Live(
        owner=OWNER,
        announced=announced,
        import_ids=state or {},
        zones={zone.zone_id or "": LiveZone.of(zone.domain, records)},
    )


def refusal(zone: Zone, records: Sequence[SlotRecord], found: Live) -> tuple[str, str]:
    with pytest.raises(Refused) as raised:
        check_ownership(records, zone, found)
    return raised.value.refusal.rule, raised.value.refusal.reason


SLOT, MARKER_SLOT = "Z2/www.example.org", "Z2/_edge-dns.www.example.org"
A, AAAA, CNAME = "198.51.100.7", "2001:db8::7", "edge.example.net"


def test_a_zone_that_was_not_read_says_nothing() -> None:
    found = Live(owner=OWNER, announced=None, import_ids={}, zones={})
    assert check_ownership(wanted(CLOUDFLARE, A), CLOUDFLARE, found) == Claimed()


@pytest.mark.parametrize("want", [A, AAAA, CNAME])
@pytest.mark.parametrize("there", [A, AAAA, CNAME])
@pytest.mark.parametrize("comment", ["", "by hand", THEIRS])
def test_a_foreign_address_or_cname_holds_the_name_at_cloudflare(want: str, there: str, comment: str) -> None:
    rule, reason = refusal(CLOUDFLARE, wanted(CLOUDFLARE, want), live(CLOUDFLARE, cf(there, comment=comment)))
    assert rule == "owner-foreign"
    assert f"import id z1/{there}" in reason
    assert f"{TYPES[there]} {there}" in reason
    assert ("edge-dns/other" in reason) == (comment == THEIRS)


@pytest.mark.parametrize("want", [A, AAAA, CNAME])
@pytest.mark.parametrize("there", [A, AAAA, CNAME])
@pytest.mark.parametrize("zone", [ROUTE53, UNMARKED], ids=["txt", "none"])
def test_a_foreign_address_or_cname_holds_the_name_at_route_53(zone: Zone, want: str, there: str) -> None:
    rule, reason = refusal(zone, wanted(zone, want), live(zone, r53(there)))
    assert rule == "owner-foreign"
    assert f"import id Z2_www.example.org_{TYPES[there]}" in reason


def test_without_markers_nothing_at_route_53_is_ours_but_what_the_state_holds() -> None:
    assert refusal(UNMARKED, wanted(UNMARKED, A), live(UNMARKED, r53(A), mark(OURS)))[0] == "owner-foreign"


@pytest.mark.parametrize(
    ("zone", "want", "kind", "rule"),
    [
        *((CLOUDFLARE, want, kind, None) for want in (A, CNAME) for kind in ("TXT", "MX", "CAA")),
        (CLOUDFLARE, CNAME, "NS", "cname-coexistence"),
        *((ROUTE53, CNAME, kind, "cname-coexistence") for kind in ("TXT", "MX", "CAA", "NS")),
        *((ROUTE53, A, kind, None) for kind in ("TXT", "MX", "CAA")),
    ],
)
def test_other_types_block_only_what_cannot_stand_beside_them(
    zone: Zone, want: str, kind: str, rule: str | None
) -> None:
    record = cf("x", kind=kind) if zone is CLOUDFLARE else r53("x", kind=kind)
    if rule is None:
        assert check_ownership(wanted(zone, want), zone, live(zone, record)) == Claimed()
    else:
        assert refusal(zone, wanted(zone, want), live(zone, record))[0] == rule


def test_the_zones_own_ns_exclude_no_flattened_cname_at_its_apex() -> None:
    (record,) = wanted(CLOUDFLARE, CNAME)
    apex = SlotRecord(slot="z1/example.com", rrset=replace(record.rrset, name="example.com"))
    there = cf("ns1.example.net", kind="NS", name="example.com")
    assert check_ownership([apex], CLOUDFLARE, live(CLOUDFLARE, there)) == Claimed()


@pytest.mark.parametrize("kind", ["TXT", "CNAME"])
def test_a_foreign_record_where_the_marker_belongs_holds_the_name(kind: str) -> None:
    there = r53('"x"', kind=kind, name="_edge-dns.www.example.org")
    rule, reason = refusal(ROUTE53, wanted(ROUTE53, A), live(ROUTE53, there))
    assert rule == "owner-foreign"
    assert f"Z2__edge-dns.www.example.org_{kind}" in reason


def test_a_marker_of_another_stack_holds_the_name() -> None:
    assert refusal(ROUTE53, wanted(ROUTE53, A), live(ROUTE53, mark(THEIRS)))[0] == "owner-foreign"


def test_a_marker_that_stands_with_a_foreign_text_is_not_taken_over() -> None:
    there = r53(txt_value(OURS), '"somebody\'s"', kind="TXT", name="_edge-dns.www.example.org")
    assert refusal(ROUTE53, wanted(ROUTE53, A), live(ROUTE53, there, r53(A)))[0] == "owner-foreign"


@pytest.mark.parametrize(
    ("zone", "records", "state", "told"),
    [
        (
            CLOUDFLARE,
            [cf(A, comment=OURS), cf(CNAME, comment=THEIRS)],
            {},
            "several owners: edge-dns/other, edge-dns/prod",
        ),
        (
            CLOUDFLARE,
            [cf(A), cf(AAAA, comment=THEIRS)],
            {"z1/www.example.com": f"z1/{A}"},
            "beside this stack's records",
        ),
        (CLOUDFLARE, [cf(A, comment=THEIRS)], {"z1/www.example.com": f"z1/{A}"}, "but the marker is that of"),
        (ROUTE53, [r53(A), mark(OURS, THEIRS)], {}, "several owners: edge-dns/other, edge-dns/prod"),
        (ROUTE53, [r53(A), mark(THEIRS)], {SLOT: "Z2_www.example.org_A"}, "but the marker is that of"),
    ],
)
def test_a_name_with_two_owners_is_refused(
    zone: Zone, records: list[LiveRecord], state: dict[str, str], told: str
) -> None:
    rule, reason = refusal(zone, wanted(zone, A), live(zone, *records, state=state))
    assert rule == "owner-duplicate"
    assert "edge-dns/other" in reason
    assert told in reason


def test_what_the_state_holds_is_left_as_it_is() -> None:
    records = wanted(CLOUDFLARE, A, AAAA)
    state = {one.slot: f"z1/{one.rrset.values[0]}" for one in records}
    assert check_ownership(records, CLOUDFLARE, live(CLOUDFLARE, cf(A), cf(AAAA), state=state)) == Claimed()
    state = {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    found = live(ROUTE53, r53(A), mark(OURS), state=state)
    assert check_ownership(wanted(ROUTE53, A), ROUTE53, found) == Claimed()


def test_a_marked_record_that_the_state_does_not_hold_is_imported() -> None:
    found = live(CLOUDFLARE, cf(A, comment=OURS))
    assert check_ownership(wanted(CLOUDFLARE, A), CLOUDFLARE, found).imports == {"z1/www.example.com": f"z1/{A}"}
    found = live(ROUTE53, r53(A), mark(OURS))
    assert check_ownership(wanted(ROUTE53, A), ROUTE53, found).imports == {
        SLOT: "Z2_www.example.org_A",
        MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT",
    }


def test_a_marker_alone_is_imported() -> None:
    imports = check_ownership(wanted(ROUTE53, A), ROUTE53, live(ROUTE53, mark(OURS))).imports
    assert imports == {MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}


def test_several_values_go_to_the_slots_that_they_fit() -> None:
    records = wanted(CLOUDFLARE, A, AAAA, "198.51.100.8")
    found = live(CLOUDFLARE, cf("198.51.100.8", comment=OURS), cf(AAAA, comment=OURS))
    by_value = {one.rrset.values[0]: one.slot for one in records}
    assert check_ownership(records, CLOUDFLARE, found).imports == {
        by_value["198.51.100.8"]: "z1/198.51.100.8",
        by_value[AAAA]: f"z1/{AAAA}",
    }


def test_a_record_that_differs_in_place_is_imported_to_be_updated() -> None:
    found = live(CLOUDFLARE, cf("198.51.100.8", comment=OURS, ttl=300))
    assert check_ownership(wanted(CLOUDFLARE, A), CLOUDFLARE, found).imports == {
        "z1/www.example.com": "z1/198.51.100.8"
    }
    found = live(ROUTE53, r53("198.51.100.8", ttl=60), mark(OURS))
    assert SLOT in check_ownership(wanted(ROUTE53, A), ROUTE53, found).imports


@pytest.mark.parametrize(("want", "there"), [(A, CNAME), (CNAME, A), (A, AAAA)])
@pytest.mark.parametrize("zone", [CLOUDFLARE, ROUTE53], ids=["cloudflare", "route53"])
def test_another_type_is_not_adopted_and_both_sides_are_shown(zone: Zone, want: str, there: str) -> None:
    records = [cf(there, comment=OURS)] if zone is CLOUDFLARE else [r53(there), mark(OURS)]
    rule, reason = refusal(zone, wanted(zone, want), live(zone, *records))
    assert rule == "adopt-differs"
    assert f"{TYPES[there]} {there}" in reason
    assert f"{TYPES[want]} {want}" in reason


def test_one_value_too_many_at_cloudflare_is_told() -> None:
    found = live(CLOUDFLARE, cf(A, comment=OURS), cf("198.51.100.8", comment=OURS))
    claimed = check_ownership(wanted(CLOUDFLARE, A), CLOUDFLARE, found)
    assert claimed.imports == {"z1/www.example.com": f"z1/{A}"}
    (note,) = claimed.warnings
    assert "A 198.51.100.8 (import id z1/198.51.100.8)" in note


def test_beside_records_of_ours_at_route_53_only_the_wanted_one_is_taken_over() -> None:
    state = {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    records = wanted(ROUTE53, A, AAAA, remembered={SLOT: wanted(ROUTE53, A)[0].rrset})
    equal = live(ROUTE53, r53(A), r53(AAAA), mark(OURS), state=state)
    assert list(check_ownership(records, ROUTE53, equal).imports.values()) == ["Z2_www.example.org_AAAA"]
    other = live(ROUTE53, r53(A), r53("2001:db8::8", kind="AAAA"), mark(OURS), state=state)
    assert refusal(ROUTE53, records, other)[0] == "adopt-differs"


def test_a_record_with_a_routing_policy_is_never_ours() -> None:
    found = live(ROUTE53, r53(A, setIdentifier="blue"), mark(OURS))
    assert refusal(ROUTE53, wanted(ROUTE53, A), found)[0] == "owner-foreign"


def test_a_replacement_that_was_cut_off_after_its_create_goes_on_with_the_new_record() -> None:
    state = {"z1/www.example.com": "z1/deleted"}
    found = live(CLOUDFLARE, cf(CNAME, comment=OURS), state=state)
    assert check_ownership(wanted(CLOUDFLARE, CNAME), CLOUDFLARE, found).imports == {
        "z1/www.example.com": f"z1/{CNAME}"
    }
    state = {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    found = live(ROUTE53, r53(CNAME), mark(OURS), state=state)
    assert check_ownership(wanted(ROUTE53, CNAME), ROUTE53, found).imports == {SLOT: "Z2_www.example.org_CNAME"}


@pytest.mark.parametrize(
    ("there", "told"),
    [
        pytest.param([cf(A, comment=OURS)], None, id="as it was"),
        pytest.param([], "is gone", id="gone"),
        pytest.param([cf(A, comment=OURS, ttl=300)], "ttl 300", id="ttl"),
        pytest.param([cf(A, comment=OURS, proxied=True)], "proxied", id="proxied"),
        pytest.param([cf("198.51.100.8", comment=OURS, id=A)], "is now A 198.51.100.8", id="value"),
        pytest.param([cf(A, comment="by hand")], "marker", id="marker"),
    ],
)
def test_what_changed_outside_is_told_with_the_remedy(there: list[LiveRecord], told: str | None) -> None:
    (record,) = wanted(CLOUDFLARE, A)
    found = live(CLOUDFLARE, *there, state={record.slot: f"z1/{A}"})
    drift = find_drift({record.slot: record.rrset}, [record], CLOUDFLARE, found)
    if told is None:
        assert drift == ()
    else:
        (text,) = drift
        assert told in text
        assert "pulumi up --refresh" in text


@pytest.mark.parametrize("rule", ["owner-foreign", "adopt-differs"])
def test_no_refresh_is_advised_while_another_record_stands_in_the_place_of_ours(rule: str) -> None:
    (record,) = wanted(CLOUDFLARE, A)
    found = live(CLOUDFLARE, cf("198.51.100.8", id="theirs"), state={record.slot: f"z1/{A}"})
    (text,) = find_drift({record.slot: record.rrset}, [record], CLOUDFLARE, found, rule)
    assert "is gone at the provider; mend what holds the name first" in text
    assert "puts it right" not in text
    (held,) = find_drift({record.slot: record.rrset}, [record], CLOUDFLARE, found, "status-stale")
    assert held.endswith("`pulumi up --refresh` puts it right")


def test_a_withdrawn_name_whose_record_is_gone_needs_a_refresh_since_its_deletion_fails() -> None:
    (record,) = wanted(CLOUDFLARE, A)
    (text,) = find_drift({record.slot: record.rrset}, [], CLOUDFLARE, live(CLOUDFLARE, state={record.slot: f"z1/{A}"}))
    assert text.endswith("is gone at the provider; `pulumi up --refresh` puts it right")


def test_a_record_that_is_already_as_wanted_has_not_drifted() -> None:
    (before,) = wanted(CLOUDFLARE, A)
    (after,) = wanted(CLOUDFLARE, "198.51.100.8", remembered={before.slot: before.rrset})
    found = live(CLOUDFLARE, cf("198.51.100.8", comment=OURS, id=A), state={before.slot: f"z1/{A}"})
    assert find_drift({before.slot: before.rrset}, [after], CLOUDFLARE, found) == ()


@pytest.mark.parametrize(
    ("there", "told"),
    [
        pytest.param([mark(OURS)], None, id="as it was"),
        pytest.param([], "TXT _edge-dns.www.example.org is gone", id="gone"),
        pytest.param([mark("by hand")], "is now TXT by hand", id="changed"),
    ],
)
def test_a_marker_that_changed_outside_is_told(there: list[LiveRecord], told: str | None) -> None:
    (record,) = wanted(ROUTE53, A)
    state = {SLOT: "Z2_www.example.org_A", MARKER_SLOT: "Z2__edge-dns.www.example.org_TXT"}
    drift = find_drift({SLOT: record.rrset}, [record], ROUTE53, live(ROUTE53, r53(A), *there, state=state))
    assert len(drift) == (told is not None)
    assert (told or "") in "".join(drift)


# Any records at one name, whoever made them, and any of them in the state.
CLOUDFLARE_RECORDS = st.lists(
    st.builds(
        lambda number, value, comment: cf(value, comment=comment, id=f"r{number}"),
        st.integers(0, 99),
        st.sampled_from(sorted(TYPES)),
        st.sampled_from(["", "by hand", OURS, THEIRS]),
    ),
    max_size=4,
    unique_by=lambda record: record.import_id,
)
ROUTE53_RECORDS = st.lists(
    st.builds(
        lambda value, identifier: r53(value, setIdentifier=identifier),
        st.sampled_from(sorted(TYPES)),
        st.sampled_from(["", "", "blue"]),
    ),
    max_size=3,
    unique_by=lambda record: record.import_id,
)
MARKERS = st.lists(st.sampled_from([OURS, THEIRS, "by hand"]), max_size=2, unique=True)
VALUES = st.one_of(st.just([CNAME]), st.lists(st.sampled_from([A, AAAA, "198.51.100.8"]), min_size=1, unique=True))


def _outcome(zone: Zone, records: Sequence[SlotRecord], found: Live) -> Claimed | str:
    try:
        return check_ownership(records, zone, found)
    except Refused as refused:
        return f"{refused.refusal.rule}: {refused.refusal.reason}"


@given(VALUES, CLOUDFLARE_RECORDS, st.data())
def test_at_cloudflare_nothing_without_our_marker_is_ever_imported(
    values: list[str], there: list[LiveRecord], data: st.DataObject
) -> None:
    records = wanted(CLOUDFLARE, *values)
    owned = data.draw(st.lists(st.sampled_from(there), unique=True) if there else st.just([]))
    state = dict(zip((one.slot for one in records), (one.import_id for one in owned), strict=False))
    outcome = _outcome(CLOUDFLARE, records, live(CLOUDFLARE, *there, state=state))
    if isinstance(outcome, Claimed):
        by_id = {one.import_id: one for one in there}
        assert all(by_id[one].comment == OURS for one in outcome.imports.values())
        assert not set(outcome.imports.values()) & set(state.values())
        assert len(set(outcome.imports.values())) == len(outcome.imports)
        assert all(one.import_id in state.values() or one.comment == OURS for one in there)
    assert outcome == _outcome(CLOUDFLARE, records, live(CLOUDFLARE, *there[::-1], state=state))


@given(VALUES, ROUTE53_RECORDS, MARKERS, st.booleans())
def test_at_route_53_nothing_is_ever_imported_without_our_marker_at_its_name(
    values: list[str], there: list[LiveRecord], texts: list[str], in_state: bool
) -> None:
    records = wanted(ROUTE53, *values)
    every = [*there, *([mark(*texts)] if texts else [])]
    state = {SLOT: there[0].import_id} if in_state and there else {}
    outcome = _outcome(ROUTE53, records, live(ROUTE53, *every, state=state))
    if isinstance(outcome, Claimed):
        assert not outcome.imports or texts == [OURS]
        assert not any(one.endswith("_blue") for one in outcome.imports.values())
        assert not set(outcome.imports.values()) & set(state.values())
        assert all(one.import_id in state.values() or texts == [OURS] for one in there)
    assert outcome == _outcome(ROUTE53, records, live(ROUTE53, *every[::-1], state=state))


@pytest.mark.parametrize(
    ("zone", "records"),
    [
        pytest.param(CLOUDFLARE, [cf(A, comment=OURS)], id="cloudflare"),
        pytest.param(ROUTE53, [r53(A), mark(OURS)], id="route53"),
        pytest.param(ROUTE53, [mark(OURS)], id="route53-marker-alone"),
    ],
)
def test_a_marker_of_this_stack_proves_nothing_where_its_state_never_declared_the_name(
    zone: Zone, records: Sequence[LiveRecord]
) -> None:
    name = NAME[zone.domain]
    rule, reason = refusal(zone, wanted(zone, A), live(zone, *records, announced=frozenset()))
    assert rule == "owner-foreign"
    assert "whose state never declared the hostname" in reason
    assert "edge-dns audit orphans" in reason
    announced = frozenset({f"{zone.zone_id}/{name}"})
    assert check_ownership(wanted(zone, A), zone, live(zone, *records, announced=announced)).imports
    if any(one.type == "A" for one in records):
        found = live(zone, *records, announced=frozenset())
        assert check_ownership(wanted(zone, A), zone, found, [Adoption(hostname=name)]).imports


def test_a_marker_alone_that_nothing_can_adopt_is_only_to_be_removed() -> None:
    _, reason = refusal(ROUTE53, wanted(ROUTE53, A), live(ROUTE53, mark(OURS), announced=frozenset()))
    assert reason.endswith("; remove it, or take the hostname out")


def test_a_marked_record_beside_one_that_the_state_holds_is_taken_for_ours() -> None:
    found = live(
        CLOUDFLARE, cf(A), cf(AAAA, comment=OURS), state={"z1/www.example.com": f"z1/{A}"}, announced=frozenset()
    )
    assert check_ownership(wanted(CLOUDFLARE, A, AAAA), CLOUDFLARE, found).imports
