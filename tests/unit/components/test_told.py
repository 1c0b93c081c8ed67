"""Messages of the program fit the lines in which the engine shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.told import in_lines

WORDS = st.lists(st.text("abcdefgh.-:/", min_size=1, max_size=30), min_size=1, max_size=40).map(" ".join)


@given(WORDS)
def test_a_message_fits_80_columns_behind_the_severity_and_keeps_its_words(text: str) -> None:
    shown = f"warning: {in_lines(text)}".split("\n")
    assert max(len(f"    {line}") for line in shown) <= 80
    assert " ".join(in_lines(text).split()) == text


@pytest.mark.parametrize("text", ["short", "a.example.com: refused: zone-none: no zone"])
def test_a_short_message_is_one_line(text: str) -> None:
    assert in_lines(text) == text


def test_a_message_cannot_act_on_the_terminal() -> None:
    assert in_lines("a\x1b[2Jb") == "a\\x1b[2Jb"
