"""docs/parity.md names tests that there are, and so does every other page."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    there = {name for text in sources for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    assert named
    assert named - there == set()


def test_every_file_of_tests_that_a_page_names_is_there() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    named = {path for text in pages for path in re.findall(r"`(tests/[\w./]+)`", text)}
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
