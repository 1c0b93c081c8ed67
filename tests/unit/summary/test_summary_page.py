"""The summary as a reviewer sees it: the Markdown as HTML."""

import re
from itertools import pairwise
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.summary import MAX_CHARACTERS, markdown, read_preview, summary_json
from tests.unit.summary.large import REFUSED, large_change
from tests.unit.summary.page import Block, blocks
from tests.unit.summary.stream import Event, cname, finding, message, outputs, record, stream, told

BUGS = {case["id"]: case for case in yaml.safe_load((Path(__file__).parent / "data" / "bug_cases.yaml").read_text())}
# What people and controllers write into reasons, names and messages; and the lone surrogate that JSON can hold.
ANYTHING = st.text(st.characters(codec=None) | st.sampled_from("|`*_[]<>&#\\~-:\n\t "), max_size=400)


def test_a_large_change_is_a_page_of_headings_tables_and_one_drawing() -> None:
    """BC-J08: what disappears comes first, and totals stay exact within the limit."""
    case = BUGS["BC-J08"]
    plan, expect = case["input"]["plan"], case["expect"]
    text = markdown(read_preview(stream(*large_change(**plan))))
    assert len(text) <= expect["max_chars"]
    page = blocks(text)
    assert [one.tag for one in page[:2]] == ["h2", "p"]
    assert page[1].text == "3 withdrawn, 50 changed, 900 added, 12 refused"
    tables = _tables(page)
    assert [re.sub(r" \(\d+\)", "", heading) for heading in tables] == [
        "Withdrawn: these names disappear, in example.com",
        "Changed, in example.com",
        "Held and refused",
        "Added, in example.com",
    ]
    assert [row[0] for row in tables["Held and refused (12)"].rows[1:]] == sorted(REFUSED)
    left_out = sum(plan.values()) + len(REFUSED) - sum(len(table.rows) - 1 for table in tables.values())
    assert page[-3].text == f"{left_out} rows left out for want of room; the counts above are exact."
    assert 0 < left_out < plan["create"] / 2
    assert (page[-2].text, page[-1].language) == ("The first 20 of 953 hostnames", "mermaid")


def test_markdown_and_json_say_the_same_and_stay_the_same_between_two_runs() -> None:
    """BC-J10."""
    events = large_change(**BUGS["BC-J10"]["input"]["plan"])
    preview, again = read_preview(stream(*events)), read_preview(stream(*reversed(events)))
    assert (markdown(preview), summary_json(preview)) == (markdown(again), summary_json(again))
    changes = summary_json(preview)["changes"]
    assert isinstance(changes, list)
    rows = [row for table in _tables(blocks(markdown(preview))).values() for row in table.rows[1:]]
    told = {(row[0], row[1].split(" → ")[-1]) for row in rows}
    assert {(one["hostname"], (one["after"] or one["before"])[0]) for one in changes} < told
    assert {name for name, _ in told} == {one["hostname"] for one in changes} | set(REFUSED)


def test_a_row_says_hostname_record_and_reason_as_they_are() -> None:
    reason = "HTTPRoute a_b/*c* says `x` | y <script> & [link](https://example.org) #1 @all"
    hostnames = outputs({"app.example.com": told("withdrawn", "not-declared", reason)})
    page = blocks(markdown(read_preview(stream(record("delete", old=cname("app.example.com")), hostnames))))
    (table,) = _tables(page).values()
    assert table.rows == [
        ["hostname", "record", "why"],
        ["app.example.com", "CNAME edge-eu.example.net (ttl auto)", f"not-declared: {reason}"],
    ]


@given(st.lists(ANYTHING, max_size=40), ANYTHING, st.integers(0, 60), st.booleans())
def test_whatever_the_texts_are_the_page_has_its_form_and_its_size(
    texts: list[str], name: str, number: int, stops: bool
) -> None:
    events: list[Event] = [message("error" if stops else "warning", text * 20) for text in texts]
    events += [finding("apex-ns", name, text) for text in texts]
    events += [record("create", new=cname(f"{name}{n}", content=name * 3)) for n in range(number)]
    events += [outputs({f"{name}{text}": told("refused", "zone-none", text) for text in texts})]
    for limit in (10_000, MAX_CHARACTERS):
        text = markdown(read_preview(stream(*events, result="failed" if stops else "succeeded")), limit=limit)
        assert len(text) <= limit
        text.encode()
        for table in _tables(blocks(text)).values():
            assert len({len(row) for row in table.rows}) == 1


def _tables(page: list[Block]) -> dict[str, Block]:
    """Return the tables by the heading above; each has one, with the number of its rows unless some are left out."""
    found = {}
    for above, block in pairwise(page):
        if block.tag == "table":
            assert above.tag == "h3"
            found[above.text] = block
    assert sum(one.tag == "table" for one in page) == len(found)
    return found
