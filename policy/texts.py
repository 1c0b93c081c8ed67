"""The text of a violation, as wide as the engine leaves room for."""

from textwrap import fill

# Of 80 columns the engine takes ten to indent the text.
WIDTH = 70


def wrapped(text: str) -> str:
    """Return the text with lines of at most 70 columns, words in one piece."""
    return "\n".join(fill(line, WIDTH, break_long_words=False, break_on_hyphens=False) for line in text.splitlines())
