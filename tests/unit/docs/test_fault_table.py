"""docs/faults.md: what must be in it, and that its rows are read as they are written."""

import ast
from pathlib import Path

import pytest

from tests.fault_table import DOCUMENT, Row, read, render

ROOT = DOCUMENT.parents[1]
ROWS = read(DOCUMENT.read_text(encoding="utf-8"))
START = "<!-- Below this line `make faults` writes. -->\n"


def _functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("mode", [f"F{number}" for number in range(1, 25)])
def test_every_failure_mode_has_a_row(mode: str) -> None:
    assert any(row.at == mode for row in ROWS)


def test_every_row_names_a_test_that_is_there() -> None:
    missing = {
        row.test
        for row in ROWS
        for file, _, name in [row.test.partition("[")[0].partition("::")]
        if not (ROOT / file).is_file() or name not in _functions(ROOT / file)
    }
    assert missing == set(), "take their rows out of docs/faults.md"


def test_no_fault_loses_a_record_publishes_one_wrongly_or_leaves_an_orphan() -> None:
    assert {(row.lost, row.wrong, row.orphans) for row in ROWS} == {("nothing", "nothing", "none")}


@pytest.mark.parametrize("step", ["up create", "up update", "up delete"])
def test_every_step_has_each_fault_at_each_service(step: str) -> None:
    faults = {row.fault for row in ROWS if row.at == step}
    for service in ("Cloudflare", "Route 53", "the hub"):
        for fault in ("nothing is done", "its answer is lost", "within the time limit", "429"):
            assert any(one.startswith(f"{service}: ") and fault in one for one in faults), (service, fault)
        assert any("kill -9 of the engine" in one and service in one for one in faults)
    for plugin in ("Cloudflare", "AWS", "towonel"):
        assert any(f"kill -9 of the {plugin} plugin" in one for one in faults)


def test_rows_are_read_as_they_are_written() -> None:
    rows = [
        Row(at="F2", fault="a | in it", sees="told: a|b …", test="tests/x.py::test_one[a|b]"),
        Row(at="F10", fault="no text", runs="0", test="tests/x.py::test_two"),
        Row(at="destroy delete", fault="last", lost="www", wrong="x", orphans="y", test="tests/x.py::test_three"),
    ]
    assert read(START + render(reversed(rows))) == rows
