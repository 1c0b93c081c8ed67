"""What a person is told by the engine's log, in lines as the messages of stops have them."""

from edge_dns.core.texts import WIDTH, hanging

_INDENT = 4
_SEVERITY = " " * len("warning: ")
"""The engine writes the severity before the first line, and shows each line behind four columns."""


def in_lines(text: str) -> str:
    """Return a message in lines that fit where the engine shows them."""
    return "\n".join(hanging(text, _SEVERITY, " " * _INDENT, width=WIDTH - _INDENT)).strip()
