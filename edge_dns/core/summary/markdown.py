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
from edge_dns.core.texts import printable
from edge_dns.core.values import RRset

MAX_CHARACTERS = 65_536
"""The longest comment that GitHub takes on a pull request; GitLab takes more."""

_MAX_MESSAGE = 4_000
_RESERVE = 200
_TITLES: dict[Action, str] = {
    "withdrawn": "Withdrawn: these names disappear",
    "released": "Released: the records stay, the stack forgets them",
    "changed": "Changed",
    "adopted": "Adopted: live records that the stack takes over",
    "added": "Added",
}
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
    parts, picture = ["\n".join(_head(preview))], drawing(preview.changes)
    room = limit - len(parts[0]) - len(picture) - _RESERVE
    left_out = 0
    for table in _tables(preview):
        text, missing = table.text(room)
        left_out += missing
        room -= len(text) + 1
        parts.append(text)
    if left_out:
        parts.append(f"**{_count(left_out, 'row')} left out** for want of room; the counts above are exact.\n")
    return "\n".join(part for part in [*parts, picture] if part).rstrip() + "\n"


def _head(preview: Preview) -> Iterator[str]:
    yield f"## edge-dns: {_cell(preview.stack) or 'preview'}"
    yield ""
    if not preview.succeeded:
        yield "**The run would stop: nothing would change.**"
    elif preview.has_changes:
        yield _totals(preview)
    else:
        yield "No changes."
    yield ""
    for text in _messages(preview):
        yield from ("<pre>", escape(text), "</pre>", "")


def _totals(preview: Preview) -> str:
    counts = [f"**{number} {action}**" for action, number in preview.by_action.items() if number]
    counts += [f"{preview.same} records stay as they are"] if preview.same else []
    for what, found in (("tunnel invite", preview.invites), ("other resource", preview.others)):
        counts += [f"{_count(len(found), what)} touched"] if found else []
    counts += [_count(len(preview.findings), "policy finding")] if preview.findings else []
    return ", ".join(counts)


def _messages(preview: Preview) -> list[str]:
    """Return errors, and warnings that no table tells, each cut where it is very long."""
    in_tables = tuple(f"{one.hostname}: {one.state}: {one.rule}:" for one in preview.told)
    told = [*preview.errors, *(text for text in preview.warnings if not text.startswith(in_tables))]
    lines = ["\n".join(map(printable, text.splitlines())) for text in told]
    return [text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]} …" for text in lines]


def _tables(preview: Preview) -> Iterator[_Table]:
    """Yield first what a reviewer must see first: findings and what goes, then what changes, then what is new."""
    ending = [one for one in preview.invites if one.op in _ENDING]
    yield from _table("Policy findings", ("level", "rule", "resource", "finding"), map(_finding, preview.findings))
    yield from _table("Tunnel invites that end", ("tunnel", "what happens"), map(_step, ending))
    for (action, zone), group in groupby(preview.changes, key=lambda one: (one.action, one.zone)):
        yield from _table(f"{_TITLES[action]}, in {_cell(zone)}", ("hostname", "record", "why"), map(_change, group))
    missing = [one for one in preview.told if one.state in {"refused", "held"}]
    yield from _table("Held and refused", ("hostname", "state", "why"), map(_told, missing))
    head = ("hostname", "breaks", "until", "why")
    yield from _table("Exceptions in use", head, map(_exception, preview.exceptions))
    touched = [one for one in preview.invites if one.op not in _ENDING]
    yield from _table("Tunnel invites", ("tunnel", "what happens"), map(_step, touched))
    yield from _table("Other resources", ("name", "type", "what happens"), map(_other, preview.others))


def _table(title: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[_Table]:
    if found := list(rows):
        yield _Table(title=f"### {title} ({len(found)})", head=head, rows=found)


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
    return one.level, _code(one.policy), _code(one.resource), _cell(one.message)


def _told(one: Told) -> tuple[str, ...]:
    return _code(one.hostname), one.state, _why(one.rule, one.reason)


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
    flat = escape(printable(" ".join(text.split())), quote=False)
    return "".join(f"&#{ord(char)};" if char in "|`*_[]~\\@#" else char for char in flat)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
