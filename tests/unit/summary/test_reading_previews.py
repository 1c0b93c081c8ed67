import json
from collections.abc import Sequence

import pytest

from edge_dns.core.endpoint_entries import ZONES, object_records
from edge_dns.core.outputs import WILL_FAIL
from edge_dns.core.summary import EventsInvalid, markdown, read_preview
from edge_dns.core.summary.preview import Action
from tests.unit.summary.stream import (
    ROUTE53,
    address,
    cname,
    finding,
    lines,
    message,
    outputs,
    record,
    step,
    stream,
    told,
)

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
OLD, NEW = cname("app.example.com"), cname("app.example.com", "edge-ca.example.net")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([record("create", new=NEW)], ["added"], id="create"),
        pytest.param([record("delete", old=OLD)], ["withdrawn"], id="delete"),
        pytest.param([record("delete", old=OLD, retainOnDelete=True)], ["released"], id="retained-delete"),
        pytest.param([record("update", old=OLD, new=NEW)], ["changed"], id="update"),
        pytest.param([record("same", old=OLD, new=OLD)], [], id="same"),
        pytest.param([record("refresh", old=OLD)], [], id="refresh"),
        pytest.param([record("import", new=OLD)], ["adopted"], id="import"),
        pytest.param(
            [
                record("delete-replaced", old=OLD),
                record("replace", old=OLD, new=address("app.example.com", "203.0.113.7")),
                record("create-replacement", old=OLD, new=address("app.example.com", "203.0.113.7")),
            ],
            ["changed"],
            id="a-replacement-is-one-change",
        ),
        pytest.param(
            [
                record(
                    "same", old=address("app.example.com", "203.0.113.7"), new=address("app.example.com", "203.0.113.7")
                ),
                step(
                    "delete",
                    "cloudflare:index/dnsRecord:DnsRecord",
                    "zone/app.example.com#1",
                    old=address("app.example.com", "203.0.113.8"),
                ),
            ],
            ["changed"],
            id="one-value-of-two-goes",
        ),
        pytest.param([record("create", new={**NEW, "type": "TXT"})], [], id="ownership-markers-are-no-hostnames"),
    ],
)
def test_steps_on_records_become_what_happens_to_a_hostname(
    events: Sequence[dict[str, object]], expected: list[Action]
) -> None:
    preview = read_preview(stream(*events))
    assert [one.action for one in preview.changes] == expected
    assert all((one.zone, one.hostname) == ("example.com", "app.example.com") for one in preview.changes)


def test_values_of_one_rrset_are_one_change_with_both_sides() -> None:
    one, two = address("a.example.com", "203.0.113.7"), address("a.example.com", "203.0.113.8")
    kind = "cloudflare:index/dnsRecord:DnsRecord"
    (change,) = read_preview(
        stream(step("same", kind, "z/a", old=one, new=one), step("create", kind, "z/a#1", new=two))
    ).changes
    assert [rrset.values for rrset in change.before] == [("203.0.113.7",)]
    assert [rrset.values for rrset in change.after] == [("203.0.113.7", "203.0.113.8")]


def test_a_change_carries_the_reason_of_the_stack_outputs_also_where_its_zone_left() -> None:
    hostnames = {
        "app.example.com": told("withdrawn", "not-declared", "nobody declares it"),
        "old.example.org": told("withdrawn", "zone-none", "no zone", zone=None),
    }
    gone = {"zoneId": "Z1", "name": "old.example.org", "type": "A", "records": ["203.0.113.7"], "ttl": 300}
    preview = read_preview(
        stream(record("delete", old=OLD), step("delete", ROUTE53, "Z1/old.example.org", old=gone), outputs(hostnames))
    )
    assert [(one.zone, one.rule, one.source) for one in preview.changes] == [
        ("Z1", "zone-none", "TowonelTunnel team/app"),
        ("example.com", "not-declared", "TowonelTunnel team/app"),
    ]


def test_what_disappears_comes_first_then_changes_then_additions() -> None:
    preview = read_preview(
        stream(
            record("create", new=cname("a.example.com")),
            record("update", old=cname("b.example.com"), new=cname("b.example.com", ttl=60)),
            record("delete", old=cname("z.example.com")),
        )
    )
    assert [one.hostname for one in preview.changes] == ["z.example.com", "b.example.com", "a.example.com"]
    assert preview.by_action == {"withdrawn": 1, "released": 0, "changed": 1, "adopted": 0, "added": 1}


def test_invites_and_other_resources_are_told_apart_and_components_are_not_told() -> None:
    component = step("create", "edge:dns:TowonelTunnel", "team/app", new={})
    component["resourcePreEvent"]["metadata"]["new"]["custom"] = False
    preview = read_preview(
        stream(
            component,
            step("delete", "towonel:index:Invite", "team/old", old={}),
            step("create", "kubernetes:apps/v1:Deployment", "agent", new={}),
            step("create", "pulumi:providers:towonel", "hub", new={}),
        )
    )
    assert [(one.op, one.name) for one in preview.invites] == [("delete", "team/old")]
    assert [(one.op, one.name) for one in preview.others] == [("create", "agent")]


def test_findings_are_told_once_mandatory_ones_first() -> None:
    mild = finding("target-dangling", "z/b", "it does not resolve", level="advisory")
    hard = finding("private-address-public-zone", "z/a", "10.0.0.1 is private")
    preview = read_preview(stream(mild, hard, hard))
    assert [one.policy for one in preview.findings] == ["private-address-public-zone", "target-dangling"]
    assert preview.is_refused
    assert not read_preview(stream(mild)).is_refused


def test_messages_that_do_not_last_are_no_errors() -> None:
    preview = read_preview(
        stream(message("error", "passing", ephemeral=True), message("info#err", "told"), message("error", "x"))
    )
    assert preview.errors == ("x",)
    assert preview.is_refused


def test_a_hostname_for_which_the_update_will_fail_makes_the_preview_a_refused_one() -> None:
    line = "x.example.com: refused: zone-none: no zone"
    assert not read_preview(stream(message("warning", line))).is_refused
    assert read_preview(stream(message("warning", f"{line} {WILL_FAIL}"))).is_refused


def test_hostnames_of_private_zones_are_told_without_their_suffix() -> None:
    preview = read_preview(stream(outputs({"x.example.com (private)": told("held", "no-address", "no address")})))
    assert [one.hostname for one in preview.told] == ["x.example.com"]


def test_a_message_of_a_private_hostname_stands_once_and_names_its_view() -> None:
    private = outputs({"x.example.com (private)": told("held", "no-address", "no address")})
    line = "x.example.com (private): held: no-address: no address"
    page = markdown(read_preview(stream(private, message("warning", line))))
    assert page.count("no address") == 1
    assert "<code>x.example.com (private)</code>" in page


def test_a_run_that_stops_has_not_succeeded_and_says_why() -> None:
    preview = read_preview(stream(message("error", "mass-delete: too many"), result="failed"))
    assert not preview.succeeded
    assert preview.errors == ("mass-delete: too many",)
    assert not read_preview(stream(message("error", "no such stack"), end=False)).succeeded


def test_zone_ids_stand_for_domains_where_the_config_does_not_tell_them() -> None:
    (change,) = read_preview([line for line in stream(record("delete", old=OLD)) if "preludeEvent" not in line]).changes
    assert change.zone == OLD["zoneId"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(["{}"], "line 1 is no event", id="no-event"),
        pytest.param(["Previewing update (prod):"], "line 1 is no event", id="the-human-form"),
        pytest.param(['{"config": {}, "steps": []}'], "line 1 is no event", id="the-plain-json-form"),
        pytest.param(lines([{"preludeEvent": {}}]), "cut off", id="cut-off"),
        pytest.param([], "cut off", id="empty"),
        pytest.param(["[1]"], "line 1 is no event", id="a-list"),
        pytest.param(["[" * 100_000], "line 1 is no event", id="nested-too-deep"),
    ],
)
def test_what_is_no_streaming_preview_is_refused_with_the_way_to_make_one(text: list[str], problem: str) -> None:
    with pytest.raises(EventsInvalid, match=problem):
        read_preview(text)


def test_events_of_unexpected_form_do_not_break_the_reading() -> None:
    odd = {"resourcePreEvent": {"metadata": {"op": "create", "type": 3, "urn": None, "new": []}}}
    preview = read_preview(
        [*stream(odd, {"policyEvent": []}, {"diagnosticEvent": None}), "", json.dumps({"sequence": 9})]
    )
    assert preview.succeeded
    assert not preview.has_changes


@pytest.mark.parametrize("number", [float("inf"), float("nan")], ids=str)
def test_a_ttl_that_is_no_number_of_seconds_is_none(number: float) -> None:
    entry = {"dnsName": "a.example.com", "recordType": "A", "targets": ["203.0.113.7"], "recordTTL": number}
    annotations = {ZONES: json.dumps({"example.com": "z1"})}
    records = object_records({"metadata": {"annotations": annotations}, "spec": {"endpoints": [entry]}})
    assert [one.ttl for one in records.values()] == [None]
    (change,) = read_preview(stream(record("delete", old={**OLD, "ttl": number}))).changes
    assert [one.ttl for one in change.before] == [None]


def test_an_entry_whose_type_is_no_text_is_none_of_ours() -> None:
    entry = {"dnsName": "a.example.com", "recordType": ["A"], "targets": ["203.0.113.7"]}
    annotations = {ZONES: json.dumps({"example.com": "z1"})}
    assert object_records({"metadata": {"annotations": annotations}, "spec": {"endpoints": [entry]}}) == {}


def test_a_config_that_is_nested_too_deep_names_no_domains() -> None:
    prelude = {"preludeEvent": {"config": {"edge-dns:zones": "[" * 100_000}}}
    (change,) = read_preview([*lines([prelude]), *stream(record("delete", old=OLD))]).changes
    assert change.hostname == OLD["name"]


def test_the_target_of_a_tunnel_that_the_update_makes_is_told_as_not_known_yet() -> None:
    (change,) = read_preview(stream(record("create", new=cname("app.example.com", UNKNOWN)), outputs({}))).changes
    assert [one.values for one in change.after] == [("(known after the update)",)]
