import json

from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.summary import MAX_CHARACTERS, markdown, read_preview, summary_json
from tests.unit.summary.stream import ROUTE53, cname, finding, message, outputs, record, step, stream, told


def test_without_changes_it_says_only_that() -> None:
    assert markdown(read_preview(stream())) == "## edge-dns: prod\n\nNo changes.\n"


def test_names_that_stay_refused_are_counted_also_where_nothing_changes() -> None:
    hostnames = outputs({"x.example.com": told("refused", "zone-none", "no zone", zone=None)})
    assert "\nNo changes, **1 refused**.\n" in markdown(read_preview(stream(hostnames)))


def test_a_stop_shows_its_message_as_it_is() -> None:
    text = markdown(read_preview(stream(message("error", "mass-delete: zone <x>:\n  a.example.com"), result="failed")))
    assert "**The run would stop: nothing would change.**" in text
    assert "<pre>\nmass-delete: zone &lt;x&gt;:\n  a.example.com\n</pre>" in text


def test_the_sections_come_in_the_order_of_their_weight() -> None:
    text = markdown(
        read_preview(
            stream(
                record("create", new=cname("a.example.com")),
                record("update", old=cname("b.example.com"), new=cname("b.example.com", ttl=60)),
                record("delete", old=cname("z.example.com")),
                step("replace", "towonel:index:Invite", "team/old", old={}, new={}),
                finding("apex-ns", "z/a", "never"),
                outputs({"x.example.com": told("refused", "zone-none", "no zone", zone=None)}),
            )
        )
    )
    heads = [line for line in text.splitlines() if line.startswith("### ")]
    assert heads == [
        "### Policy findings (1)",
        "### Tunnel invites that end (1)",
        "### Withdrawn: these names disappear, in example.com (1)",
        "### Changed, in example.com (1)",
        "### Held and refused (1)",
        "### Added, in example.com (1)",
        "### Who points where",
    ]
    assert (
        "**1 withdrawn**, **1 changed**, **1 added**, 1 tunnel invite touched, 1 policy finding, **1 refused**" in text
    )
    assert "<code>CNAME edge-eu.example.net (ttl auto)</code> → <code>CNAME edge-eu.example.net (ttl 60)</code>" in text


def test_a_refused_hostname_is_told_once() -> None:
    line = "x.example.com: refused: zone-none: no zone"
    hostnames = outputs({"x.example.com": told("refused", "zone-none", "no zone", zone=None)})
    drift = "y.example.com: drift: it is gone"
    text = markdown(read_preview(stream(message("warning", line), message("warning", drift), hostnames)))
    assert text.count("no zone") == 1
    assert f"<pre>\n{drift}\n</pre>" in text


def test_messages_leave_room_for_what_disappears() -> None:
    events = [message("warning", f"drift {n}: {'x' * 3000}\nand more") for n in range(200)]
    text = markdown(read_preview(stream(*events, record("delete", old=cname("a.example.com")))))
    assert len(text) <= MAX_CHARACTERS
    assert "drift 0: xxx" in text
    assert "messages left out** for want of room" in text
    assert "<code>a.example.com</code>" in text


def test_a_hostname_with_very_many_values_takes_no_room_from_the_tables() -> None:
    many = {"zoneId": "Z1", "name": "many.example.org", "type": "A", "ttl": 300}
    many["records"] = [f"203.0.{n}.{m}" for n in range(8) for m in range(250)]
    events = [step("create", ROUTE53, "Z1/many.example.org", new=many), record("delete", old=cname("a.example.com"))]
    text = markdown(read_preview(stream(*events)))
    assert len(text) < MAX_CHARACTERS / 2
    assert "### The first 1 of 2 hostnames" in text
    assert "<code>many.example.org</code>" in text


def test_a_large_change_keeps_within_a_comment_with_exact_counts_and_deletions_first() -> None:
    long = "x" * 60
    events = [record("delete", old=cname(f"d{n}.{long}.example.com")) for n in range(3)]
    events += [
        record("update", old=cname(f"u{n}.{long}.example.com"), new=cname(f"u{n}.{long}.example.com", ttl=60))
        for n in range(50)
    ]
    events += [record("create", new=cname(f"a{n}.{long}.example.com")) for n in range(900)]
    text = markdown(read_preview(stream(*events)))
    assert len(text) <= MAX_CHARACTERS
    assert "**3 withdrawn**, **50 changed**, **900 added**" in text
    assert all(f"<code>d{n}." in text for n in range(3))
    assert all(f"<code>u{n}." in text for n in range(50))
    shown = text.count("<code>a")
    assert 0 < shown < 900
    assert f"**{900 - shown} rows left out**" in text


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_from_outside_breaks_a_table(reason: str, name: str) -> None:
    hostnames = outputs({"x.example.com": told("refused", "zone-none", reason)})
    text = markdown(read_preview(stream(finding("apex-ns", name, reason), hostnames)))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [line.count("|") for line in rows] == [5, 5, 5, 4, 4, 4]
    assert "<script" not in text.lower()


def test_the_same_preview_gives_the_same_text_whatever_the_order_of_its_events() -> None:
    events = [record("create", new=cname(f"{name}.example.com")) for name in "bca"]
    one, other = read_preview(stream(*events)), read_preview(stream(*reversed(events)))
    assert markdown(one) == markdown(other)
    assert json.dumps(summary_json(one)) == json.dumps(summary_json(other))


def test_the_json_holds_everything() -> None:
    events = [record("create", new=cname(f"a{n}.example.com")) for n in range(2000)]
    document = summary_json(read_preview(stream(*events)))
    assert document["counts"] == {"withdrawn": 0, "released": 0, "changed": 0, "adopted": 0, "added": 2000, "same": 0}
    assert len(document["changes"]) == 2000  # type: ignore[arg-type]


def test_exceptions_in_use_are_listed_where_nothing_changes_too() -> None:
    entry = {"rule": "private-address-public-zone", "reason": "ticket | 4711", "expires": "2027-03-31"}
    preview = read_preview(stream(outputs({}, exceptions={"vpn.example.com": [entry]})))
    assert "### Exceptions in use (1)" in markdown(preview)
    assert (
        "| <code>vpn.example.com</code> | <code>private-address-public-zone</code> | 2027-03-31 | ticket &#124; 4711 |"
        in markdown(preview)
    )
    assert summary_json(preview)["exceptions"] == [{"hostname": "vpn.example.com", **entry}]
    assert "Exceptions" not in markdown(read_preview(stream(outputs({}))))


def test_a_finding_keeps_the_lines_of_its_message() -> None:
    text = markdown(read_preview(stream(finding("apex-ns", "z/a", "a rule\napex-ns: record a\nRemove it."))))
    assert "| a rule<br>apex-ns: record a<br>Remove it. |" in text


def test_a_violated_policy_is_no_stop_and_its_finding_is_told_first() -> None:
    failed = message("error", "preview failed")
    hard = finding("apex-ns", "z/a", "never")
    preview = read_preview(stream(hard, failed, record("create", new=cname("a.example.com")), result="failed"))
    assert (preview.is_stopped, preview.is_refused, preview.succeeded) == (False, True, False)
    lines = markdown(preview).splitlines()
    assert lines[2:5] == [
        "**A mandatory policy is violated: nothing would change.**",
        "",
        "### Policy findings (1)",
    ]


def test_a_run_that_stops_has_its_message_also_where_a_policy_is_violated() -> None:
    stop, hard = message("error", "mass-delete: too many"), finding("apex-ns", "z/a", "never")
    preview = read_preview(stream(hard, stop, message("error", "preview failed"), result="failed"))
    assert preview.is_stopped
    assert "<pre>\nmass-delete: too many\n</pre>" in markdown(preview)
    only_failed = read_preview(stream(message("error", "preview failed"), result="failed"))
    assert (only_failed.is_stopped, only_failed.errors) == (True, ("preview failed",))


def test_a_value_that_the_update_makes_is_said_to_be_known_after_it() -> None:
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    at_route53 = {"zoneId": "Z1", "name": "b.example.org", "type": "CNAME", "ttl": 300, "records": [unknown]}
    new = [record("create", new=cname("a.example.com", unknown)), step("create", ROUTE53, "Z1/b", new=at_route53)]
    preview = read_preview(stream(*new))
    text = markdown(preview)
    assert "<code>CNAME (known after the update) (ttl auto)</code>" in text
    assert "<code>CNAME (known after the update) (ttl 300)</code>" in text
    assert '["#40;known after the update#41;"]' in text
    assert unknown not in text + json.dumps(summary_json(preview))
