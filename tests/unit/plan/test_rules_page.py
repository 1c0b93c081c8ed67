"""docs/rules.md against the rules of the program."""

import re
from pathlib import Path

import pytest

from edge_dns.core.remedies import REMEDIES
from edge_dns.core.rules import HELD, RULES, Level, level

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
SECTIONS = {"Stops": Level.STOP, "Errors": Level.ERROR, "Waits": Level.WAIT, "Warnings": Level.WARNING}
# Held because the receipt of an earlier admission still counts (tests of the runs).
ON_A_RECEIPT = {"status-stale", "route-not-accepted", "no-address"}
OF_PORTS = {"port-refused"}
RELEASED = {"release-listed"}


def _rows(section: str) -> dict[str, list[str]]:
    """The cells behind the id, by id."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_lists_the_rules_of_its_level_with_their_meaning(section: str) -> None:
    rows = _rows(section)
    assert list(rows) == [rule for rule in RULES if level(rule) is SECTIONS[section]]
    assert {rule: cells[-2] for rule, cells in rows.items()} == {rule: RULES[rule].meaning for rule in rows}
    assert {rule: cells[-1] for rule, cells in rows.items()} == {rule: REMEDIES[rule] for rule in rows}


def test_there_is_something_to_do_about_every_rule() -> None:
    assert list(REMEDIES) == list(RULES)
    assert all(re.search(r"\w", remedy) for remedy in REMEDIES.values())


@pytest.mark.parametrize("rule", ["wildcard-opt-in", "internal-authority-missing", "type-transition"])
def test_the_page_names_each_error_that_is_a_wait_at_times(rule: str) -> None:
    assert f"`{rule}`" in PAGE.split("\n## Errors\n")[1].split("\n| ")[0]


@pytest.mark.parametrize("page", ["README.md", "docs/plan-json.md", "docs/turning-internal.md", "edge_dns/cli/plan.py"])
def test_what_tells_the_exit_status_of_a_plan_says_what_is_no_error_there(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert "waits for an internal resolver, which it does not ask" in text


@pytest.mark.parametrize("section", ["Errors", "Waits"])
def test_the_page_says_what_is_held_and_what_is_withdrawn(section: str) -> None:
    def expected(rule: str) -> str:
        if rule in RELEASED:
            return "released"
        if rule in OF_PORTS:
            return "not published"
        return "held on a receipt" if rule in ON_A_RECEIPT else "held" if rule in HELD else "withdrawn"

    rows = _rows(section)
    assert {rule: cells[0] for rule, cells in rows.items()} == {rule: expected(rule) for rule in rows}
