"""The table of docs/faults.md: rows come from the tests that show them, and the file holds what those tests say.

A test gives a row by the mark `@shows(…)`, or by `record` while it runs. After a test that passed, its rows must stand
in the file exactly so; with EDGE_DNS_FAULTS=write (`make faults`) they are put there instead.
"""

import fcntl
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "faults.md"
SWITCH = "EDGE_DNS_FAULTS"
ANY = "…"
"""Stands in `sees` for what differs from run to run: ports, ids."""

MODES, UP, DESTROY = "Failure modes", "`up`", "`destroy`"
_SECTIONS = (MODES, UP, DESTROY)
_STEPS = ("read", "create", "update", "delete")
_HEADINGS = (
    "",
    "fault",
    "the user sees",
    "lost",
    "wrongly published",
    "orphans left",
    "runs until converged",
    "shown by",
)
_RULE = "---"
_START = "<!-- Below this line `make faults` writes. -->\n"

said: list[str] = []
"""What each command of this process has printed, in order."""

_RECORDED: pytest.StashKey[list["Row"]] = pytest.StashKey()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fault. `at` is F1 to F24, or a step of a run: `up create`.

    `sees` is the first line that tells of it, empty where nothing does. `runs` are those after the one that met the
    fault, or after the cause of a failure mode; 0 where that one got over it, or nothing had to be done.
    """

    at: str
    fault: str
    sees: str = ""
    lost: str = "nothing"
    wrong: str = "nothing"
    orphans: str = "none"
    runs: str = "1"
    test: str = ""

    @property
    def section(self) -> str:
        """Where it stands in the document."""
        return {"up": UP, "destroy": DESTROY}.get(self.at.partition(" ")[0], MODES)

    @property
    def sort_key(self) -> tuple[int, int, str]:
        """By section, then by number or step, then by text."""
        step = self.at.rpartition(" ")[2]
        place = int(step[1:]) if self.section == MODES else _STEPS.index(step)
        return _SECTIONS.index(self.section), place, self.fault


def shows(at: str, fault: str, *, sees: str = "", runs: str = "1") -> pytest.MarkDecorator:
    """Say that a test shows a fault in which nothing is lost or wrongly published and no orphan stays."""
    return pytest.mark.fault(Row(at=at, fault=fault, sees=sees, runs=runs))


def record(item: pytest.Item, row: Row) -> None:
    """Add a row of a test that is marked `fault`, while it runs."""
    item.stash.setdefault(_RECORDED, []).append(row)


def check(item: pytest.Item, heard: Sequence[str], *, write: bool) -> None:
    """Compare the rows of a test that has passed with the document, or write them into it.

    `heard` is what was printed meanwhile: what a mark says that the user sees must be in it.
    """
    marked = [row for mark in item.iter_markers("fault") for row in mark.args]
    rows = [*marked, *item.stash.get(_RECORDED, [])]
    for row in rows:
        assert not row.sees or any(_told(row.sees, text) for text in heard), f"{row.at}: nobody was told {row.sees!r}"
    test = item.nodeid
    produced = {replace(row, test=test) for row in rows}
    if write:
        _write(test, produced)
        return
    documented = {row for row in read(DOCUMENT.read_text(encoding="utf-8")) if row.test == test}
    assert produced == documented, "docs/faults.md does not say what this test shows: run `make faults`"


def _told(sees: str, text: str) -> bool:
    wanted = ".*".join(re.escape(part.strip()) for part in sees.split(ANY))
    return re.search(wanted, " ".join(text.split())) is not None


def read(text: str) -> list[Row]:
    """Return the rows of the document."""
    lines = [line for line in text.partition(_START)[2].splitlines() if line.startswith("| ")]
    cells = [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    names = [one.name for one in fields(Row)]
    rows = [dict(zip(names, row, strict=True)) for row in cells if row[1] not in {_HEADINGS[1], _RULE}]
    return [Row(**{**row, "sees": row["sees"].strip("`"), "test": row["test"].strip("`")}) for row in rows]


def render(rows: Iterable[Row]) -> str:
    """Return the tables, one for each section."""
    ordered = sorted(rows, key=lambda row: row.sort_key)
    return "\n".join(_table(section, [row for row in ordered if row.section == section]) for section in _SECTIONS)


def _table(section: str, rows: Sequence[Row]) -> str:
    lines = [f"\n## {section}\n", _line(_HEADINGS), _line([_RULE] * len(_HEADINGS))]
    return "\n".join([*lines, *(_line(_cells(row)) for row in rows), ""])


def _cells(row: Row) -> list[str]:
    sees = f"`{row.sees}`" if row.sees else ""
    return [row.at, row.fault, sees, row.lost, row.wrong, row.orphans, row.runs, f"`{row.test}`"]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _write(test: str, produced: Iterable[Row]) -> None:
    """Replace the rows of one test in the document; several processes may do so at once."""
    with DOCUMENT.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        rows = [*(row for row in read(text) if row.test != test), *produced]
        file.seek(0)
        file.write(text.partition(_START)[0] + _START + render(rows))
        file.truncate()
