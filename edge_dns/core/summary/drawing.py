"""A small Mermaid drawing of what the changed hostnames point at."""

from collections.abc import Iterable, Sequence
from itertools import islice

from edge_dns.core.summary.preview import Change
from edge_dns.core.texts import printable

MOST_HOSTNAMES = 20

_ARROWS = {"withdrawn": "-. withdrawn .->", "released": "-. released .->"}


def drawing(changes: Sequence[Change]) -> str:
    """Return a fenced Mermaid flowchart, hostname → target, of the first changes; empty without any."""
    if not changes:
        return ""
    targets: dict[str, str] = {}
    lines = []
    for number, change in enumerate(islice(changes, MOST_HOSTNAMES)):
        arrow = _ARROWS.get(change.action, f"-- {change.action} -->")
        for value in _values(change):
            target = targets.setdefault(value, f"t{len(targets)}")
            lines.append(f'  h{number}["{_label(change.hostname)}"] {arrow} {target}["{_label(value)}"]')
    more = len(changes) - MOST_HOSTNAMES
    title = f"The first {MOST_HOSTNAMES} of {len(changes)} hostnames" if more > 0 else "Who points where"
    return "\n".join([f"### {title}", "", "```mermaid", "flowchart LR", *lines, "```"])


def _values(change: Change) -> Iterable[str]:
    rrsets = change.after or change.before
    return dict.fromkeys(value for one in rrsets for value in ((one.alias.name,) if one.alias else one.values))


def _label(text: str) -> str:
    """Return a text for a quoted label: everything that Mermaid could act on as an entity code of its own form."""
    return "".join(char if char.isalnum() or char in ".-: " else f"#{ord(char)};" for char in printable(text))
