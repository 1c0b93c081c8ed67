"""Texts for a person at a terminal."""

import textwrap
from collections.abc import Sequence

WIDTH = 80
"""Columns of a line."""


def printable(text: str) -> str:
    """Escape what a terminal would act on: a malformed hostname may hold anything."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 name`, `2 names`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_of(names: Sequence[str], shown: int) -> str:
    """Return the first names in a line, and how many more there are."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"{', '.join(names[:shown])}{more}"


def hanging(
    text: str, indent: str = "", rest: str | None = None, *, width: int = WIDTH, break_words: bool = False
) -> list[str]:
    """Return the lines of a text within the width: the first starts with `indent`, all others with `rest`.

    Without `rest` they are two columns deeper. `break_words` also breaks words that are longer than a line.
    """
    text = printable(text).rstrip()
    if text and len(indent) + len(text) <= width:
        return [f"{indent}{text}"]
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  " if rest is None else rest,
        break_on_hyphens=False,
        break_long_words=break_words,
    )


def paragraph(text: str) -> str:
    """Return a text in lines of 80 columns; words are not broken, so that a path can be copied."""
    return "\n".join(hanging(text))
