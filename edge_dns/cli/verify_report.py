"""What `edge-dns verify` prints: nothing about a name that agrees, but that it was asked for; 80 columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from edge_dns.core.texts import counted, hanging
from edge_dns.core.verification import Verdict, describe_expectation

if TYPE_CHECKING:
    from edge_dns.observe.verification import Finding

VERSION = 1

_PLURAL = {"agrees": "as they should be"}

_STATE_WIDTH = 9
_INDENT = " " * (_STATE_WIDTH + 1)
_HANGING = _INDENT + "  "


def lines(findings: Sequence["Finding"], skipped: Sequence[str]) -> Iterator[str]:
    """Yield what a person reads: each name that does not agree with what each server says, and a summary."""
    for finding in findings:
        if finding.state != "agrees":
            yield from _finding_lines(finding)
    for text in skipped:
        yield from hanging(f"{'skipped':<{_STATE_WIDTH}} {text}", rest=_HANGING)
    yield _summary(findings)


def waiting_line(differing: Sequence["Finding"], total: int) -> str:
    """Return a line of progress."""
    first = differing[0]
    others = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
    return (
        f"waiting for {len(differing)} of {counted(total, 'name')}: {first.expected.hostname} is {first.state}{others}"
    )


def document(findings: Sequence["Finding"], skipped: Sequence[str]) -> dict[str, object]:
    """Return all findings as JSON values (docs/verify.md)."""
    return {
        "version": VERSION,
        "names": [
            {
                "hostname": finding.expected.hostname,
                "zone": finding.expected.zone.domain,
                "state": finding.state,
                "expected": describe_expectation(finding.expected),
                "servers": [
                    {"server": server or None, "state": verdict.state, "answer": verdict.text}
                    for server, verdict in sorted(finding.verdicts.items())
                ],
            }
            for finding in findings
        ],
        "skipped": list(skipped),
    }


def _finding_lines(finding: "Finding") -> Iterator[str]:
    expected = finding.expected
    wanted = f"must be {describe_expectation(expected)}" if expected.is_published else "is withdrawn"
    yield from hanging(f"{finding.state:<{_STATE_WIDTH}} {expected.hostname} {wanted}", rest=_HANGING)
    for server, verdict in sorted(finding.verdicts.items()):
        if verdict.state != "agrees":
            yield from hanging(_said(server, verdict), _INDENT)


def _said(server: str, verdict: Verdict) -> str:
    # The reason of what is not known names the server itself.
    if verdict.state == "unknown":
        return verdict.text
    return f"{server} answers {verdict.text or 'no such record'}"


def _summary(findings: Sequence["Finding"]) -> str:
    if not findings:
        return "nothing to verify: the stack has no name in a zone that can be asked"
    counts = Counter(finding.state for finding in findings)
    zones = {finding.expected.zone.domain for finding in findings}
    by_state = ", ".join(f"{number} {_PLURAL.get(state, state)}" for state, number in sorted(counts.items()))
    return f"{counted(len(findings), 'name')} in {counted(len(zones), 'zone')}: {by_state}"
