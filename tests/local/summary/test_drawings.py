"""The drawings of summaries, read by Mermaid's own parser."""

import json
import subprocess

import pytest

from edge_dns.core.summary import markdown, read_preview
from tests.unit.summary.large import large_change
from tests.unit.summary.page import blocks
from tests.unit.summary.stream import Event, address, cname, record, step, stream
from tools.toolchain import mermaid_reader

KIND = "cloudflare:index/dnsRecord:DnsRecord"


def _drawing(*events: Event) -> str:
    return blocks(markdown(read_preview(stream(*events))))[-1].text


def _parsed(*drawings: str) -> list[dict[str, object]]:
    """Return what Mermaid reads: `nodes` by id and `edges`, or `error`."""
    done = subprocess.run(
        ["node", str(mermaid_reader())],
        input="".join(f"{json.dumps(one)}\n" for one in drawings),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _edges(parsed: dict[str, object]) -> list[tuple[str, str, str]]:
    nodes, edges = parsed["nodes"], parsed["edges"]
    assert isinstance(nodes, dict)
    assert isinstance(edges, list)
    return [(nodes[start], label, nodes[end]) for start, end, label in edges]


def test_the_parser_refuses_what_is_no_drawing() -> None:
    (parsed,) = _parsed('flowchart LR\n h0["a] --> t0')
    assert "Parse error" in str(parsed["error"])


def test_every_changed_hostname_points_at_its_target_in_the_drawing() -> None:
    moved = record("update", old=cname("www.example.com"), new=cname("www.example.com", "edge-ca.example.net"))
    two = [step("create", KIND, f"z/{n}", new=address("*.example.com", f"203.0.113.{n}")) for n in (7, 8)]
    gone = record("delete", old=cname("old.example.com"))
    (parsed,) = _parsed(_drawing(moved, *two, gone))
    assert _edges(parsed) == [
        ("old.example.com", "withdrawn", "edge-eu.example.net"),
        ("www.example.com", "changed", "edge-ca.example.net"),
        ("*.example.com", "added", "203.0.113.7"),
        ("*.example.com", "added", "203.0.113.8"),
    ]


def test_the_drawing_of_a_large_change_shows_its_first_hostnames() -> None:
    (parsed,) = _parsed(_drawing(*large_change()))
    assert len(_edges(parsed)) == 20


ODD = [
    'a"] --> b["c',
    "end",
    "#quot;",
    "a;b",
    "%% x",
    "`x`",
    "<b>x</b>",
    "\u2028x",
    "graph",
    "[(x)]",
    "a\\",
    "{{x}}",
    "é-ß",
]


def test_no_text_from_outside_is_acted_on(subtests: pytest.Subtests) -> None:
    drawings = [_drawing(record("create", new=cname(f"{text}.example.com", content=text))) for text in ODD]
    for text, parsed in zip(ODD, _parsed(*drawings), strict=True):
        with subtests.test(text):
            shown = text.replace("\u2028", "\\u2028")
            assert _edges(parsed) == [(f"{shown}.example.com", "added", shown)]
