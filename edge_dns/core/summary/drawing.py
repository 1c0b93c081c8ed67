"""A small Mermaid drawing of what the changed hostnames point at."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from edge_dns.core.summary.preview import Change
from edge_dns.core.texts import printable

MOST_HOSTNAMES = 20

_ARROWS = {"withdrawn": "-. withdrawn .->", "released": "-. released .->"}


def drawing(changes: Sequence[Change], room: int) -> str:
    """Return a fenced Mermaid flowchart, hostname → target, of the first changes; empty without any.

    As many as have room in so many characters, which also keeps it below the 500 edges that Mermaid draws.
    """
    targets: dict[str, str] = {}
    lines: list[str] = []
    shown = 0
    for number, change in enumerate(islice(changes, MOST_HOSTNAMES)):
        arrows = list(_arrows(f"h{number}", change, targets))
        room -= sum(len(line) + 1 for line in arrows)
        if room < 0:
            break
        lines += arrows
        shown += 1
    if not lines:
        return ""
    title = f"The first {shown} of {len(changes)} hostnames" if shown < len(changes) else "Who points where"
    return "\n".join([f"### {title}", "", "```mermaid", "flowchart LR", *lines, "```"])


def _arrows(node: str, change: Change, targets: dict[str, str]) -> Iterator[str]:
    """Yield an arrow to each value; `targets` are the nodes of values by now."""
    arrow = _ARROWS.get(change.action, f"-- {change.action} -->")
    for value in _values(change):
        target = targets.setdefault(value, f"t{len(targets)}")
        yield f'  {node}["{_label(change.hostname)}"] {arrow} {target}["{_label(value)}"]'


def _values(change: Change) -> Iterable[str]:
    rrsets = change.after or change.before
    return dict.fromkeys(value for one in rrsets for value in ((one.alias.name,) if one.alias else one.values))


def _label(text: str) -> str:
    """Return a text for a quoted label: everything that Mermaid could act on as an entity code of its own form."""
    return "".join(char if char.isalnum() or char in ".-: " else f"#{ord(char)};" for char in printable(text))
