"""Texts from outside, made safe for a terminal."""


def printable(text: str) -> str:
    """Escape what a terminal would act on: a malformed hostname may hold anything."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
