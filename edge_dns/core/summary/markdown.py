"""A preview as Markdown for a pull request: what disappears first, then what changes, then what is new.

At most as many characters as a comment may hold; rows are left out from the end, and every count stays exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from edge_dns.core.rrsets import describe_rrset
from edge_dns.core.summary.drawing import drawing
from edge_dns.core.summary.preview import Action, Change, Excepted, Finding, Preview, Step, Told
from edge_dns.core.texts import counted, printable
from edge_dns.core.values import RRset

MAX_CHARACTERS = 65_536
"""The longest comment that GitHub takes on a pull request; GitLab takes more."""

_MESSAGES_SHARE = 4
"""Messages get a quarter of the room at most: behind them stands what disappears."""
_DRAWING_SHARE = 8
_MAX_LINE = 1_000
_MAX_CELL = 1_000
_RESERVE = 200
_TITLES: dict[Action, str] = {
    "withdrawn": "Withdrawn: these names disappear",
    "released": "Released: the records stay, the stack forgets them",
    "changed": "Changed",
    "adopted": "Adopted: live records that the stack takes over",
    "added": "Added",
}
_COMING = frozenset({"adopted", "added"})
_ENDING = frozenset({"delete", "replace"})
_INVITES = {
    "delete": "deleted, and its token with it",
    "replace": "replaced: new token, tenant and ports",
    "create": "created",
    "update": "updated",
    "import": "adopted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table under a title; rows are left out where there is no room."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def text(self, room: int) -> tuple[str, int]:
        """Return the table within so many characters, and how many of its rows it leaves out."""
        lines = [self.title, "", _row(self.head), _row(["---"] * len(self.head))]
        left = room - sum(len(line) + 1 for line in lines)
        for number, row in enumerate(self.rows):
            line = _row(row)
            left -= len(line) + 1
            if left < 0:
                return ("\n".join([*lines, ""]) if number else ""), len(self.rows) - number
            lines.append(line)
        return "\n".join([*lines, ""]), 0


def markdown(preview: Preview, *, limit: int = MAX_CHARACTERS) -> str:
    """Return the preview as Markdown of at most `limit` characters (10,000 or more), sorted and stable."""
    parts = ["\n".join(_head(preview, limit // _MESSAGES_SHARE))]
    picture = drawing(preview.changes, limit // _DRAWING_SHARE)
    room = limit - len(parts[0]) - len(picture) - _RESERVE
    left_out = 0
    for table in _tables(preview):
        text, missing = table.text(room)
        left_out += missing
        room -= len(text) + 1
        parts.append(text)
    if left_out:
        parts.append(f"**{counted(left_out, 'row')} left out** for want of room; the counts above are exact.\n")
    return "\n".join(part for part in [*parts, picture] if part).rstrip() + "\n"


def _head(preview: Preview, room: int) -> Iterator[str]:
    yield title(preview.stack)
    yield ""
    if preview.is_stopped:
        yield "**The run would stop: nothing would change.**"
    elif not preview.succeeded:
        yield "**A mandatory policy is violated: nothing would change.**"
    else:
        yield _totals(preview)
    yield ""
    left_out = 0
    for text in _messages(preview):
        block = _block(text, room)
        room -= len(block)
        left_out += not block
        yield from (block, "") if block else ()
    if left_out:
        yield from (f"**{counted(left_out, 'message')} left out** for want of room; the log has them.", "")


def title(stack: str) -> str:
    """Return the first line, by which a comment about a stack is known again."""
    return f"## edge-dns: {_cell(stack) or 'preview'}"


def _block(text: str, room: int) -> str:
    """Return a message as it stands, without what has no room; empty where that is all of it."""
    lines: list[str] = []
    left = room - len("<pre>\n</pre> …")
    for line in map(printable, text.splitlines()):
        shown = escape(_cut(line, _MAX_LINE))
        left -= len(shown) + 1
        if left < 0:
            lines += ["…"] if lines else []
            break
        lines.append(shown)
    return "\n".join(["<pre>", *lines, "</pre>"]) if lines else ""


def _totals(preview: Preview) -> str:
    counts = [f"**{number} {action}**" for action, number in preview.by_action.items() if number]
    counts += [f"{preview.same} records stay as they are"] if preview.same and counts else []
    for what, found in (("tunnel invite", preview.invites), ("other resource", preview.others)):
        counts += [f"{counted(len(found), what)} touched"] if found else []
    counts += [counted(len(preview.findings), "policy finding")] if preview.findings else []
    for state in ("held", "refused"):
        number = sum(one.state == state for one in preview.told)
        counts += [f"**{number} {state}**"] if number else []
    return ", ".join(counts) if preview.has_changes else f"{', '.join(['No changes', *counts])}."


def _messages(preview: Preview) -> list[str]:
    """Return errors, and warnings that no table tells."""
    in_tables = tuple(f"{one.shown}: {one.state}: {one.rule}:" for one in preview.told)
    return [*preview.errors, *(text for text in preview.warnings if not text.startswith(in_tables))]


def _tables(preview: Preview) -> Iterator[_Table]:
    """Yield in the order of weight: what goes, what changes or does not come, and last what is new, often the most."""
    ending = [one for one in preview.invites if one.op in _ENDING]
    yield from _table("Policy findings", ("level", "rule", "resource", "finding"), map(_finding, preview.findings))
    yield from _table("Tunnel invites that end", ("tunnel", "what happens"), map(_step, ending))
    yield from _change_tables(one for one in preview.changes if one.action not in _COMING)
    missing = [one for one in preview.told if one.state in {"refused", "held"}]
    yield from _table("Held and refused", ("hostname", "state", "why"), map(_told, missing))
    head = ("hostname", "breaks", "until", "why")
    yield from _table("Exceptions in use", head, map(_exception, preview.exceptions))
    yield from _change_tables(one for one in preview.changes if one.action in _COMING)
    touched = [one for one in preview.invites if one.op not in _ENDING]
    yield from _table("Tunnel invites", ("tunnel", "what happens"), map(_step, touched))
    yield from _table("Other resources", ("name", "type", "what happens"), map(_other, preview.others))


def _change_tables(changes: Iterable[Change]) -> Iterator[_Table]:
    for (action, zone), group in groupby(changes, key=lambda one: (one.action, one.zone)):
        yield from _table(f"{_TITLES[action]}, in {_cell(zone)}", ("hostname", "record", "why"), map(_change, group))


def _table(head_line: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[_Table]:
    if found := list(rows):
        yield _Table(title=f"### {head_line} ({len(found)})", head=head, rows=found)


def _change(one: Change) -> tuple[str, ...]:
    return _code(one.hostname), _records(one), _why(one.rule, one.reason)


def _records(one: Change) -> str:
    before, after = _rrsets(one.before), _rrsets(one.after)
    if one.action == "changed" and before != after:
        return f"{before} → {after}"
    return after or before


def _rrsets(rrsets: Iterable[RRset]) -> str:
    return "<br>".join(_code(describe_rrset(one)) for one in rrsets)


def _why(rule: str, reason: str) -> str:
    return f"{_code(rule)}: {_cell(reason)}" if rule else ""


def _finding(one: Finding) -> tuple[str, ...]:
    return one.level, _code(one.policy), _code(one.resource), _lines(one.message)


def _told(one: Told) -> tuple[str, ...]:
    return _code(one.shown), one.state, _why(one.rule, one.reason)


def _exception(one: Excepted) -> tuple[str, ...]:
    return _code(one.hostname), _code(one.rule), _cell(one.expires), _cell(one.reason)


def _step(one: Step) -> tuple[str, ...]:
    return _code(one.name), _INVITES.get(one.op, one.op)


def _other(one: Step) -> tuple[str, ...]:
    return _code(one.name), _code(one.type), one.op


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Return a text as code in a table cell: a backtick or a bar in it would end either."""
    return f"<code>{_cell(text)}</code>" if text else ""


def _cell(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    flat = escape(_cut(printable(" ".join(text.split())), _MAX_CELL), quote=False)
    return "".join(f"&#{ord(char)};" if char in "|`*_[]~\\@#" else char for char in flat)


def _lines(text: str) -> str:
    """Return a text that keeps its lines in a table cell."""
    return "<br>".join(_cell(line) for line in _cut(text, _MAX_CELL).splitlines())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]} …"
