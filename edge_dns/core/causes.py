"""Why the hostnames of a stop are withdrawn or changed, grouped so that one mistake shows as one line."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from edge_dns.core.decision import Decision
from edge_dns.core.remedies import REMEDIES
from edge_dns.core.zone_changes import ZoneChanges
from edge_dns.core.zones import zone_key, zone_title

_REASONS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The rule that withdraws a hostname, with its reason; without a rule what its records become."""

    rule: str | None
    reason: str


class Causes:
    """The causes of one run's changes, by hostname."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._decisions: dict[str, list[Decision]] = defaultdict(list)
        for decision in decisions:
            self._decisions[decision.hostname].append(decision)

    def of(self, hostname: str, changes: ZoneChanges | None = None) -> Cause | None:
        """Return why the hostname changes, in that zone where one is given; None when nothing more can be said."""
        decision = _of_zone(self._decisions.get(hostname, ()), changes)
        if decision and decision.refusal and not decision.promised:
            return Cause(rule=decision.refusal.rule, reason=decision.refusal.reason)
        if decision is None or changes is None:
            return None
        if decision.zone and zone_key(decision.zone) != changes.key:
            return Cause(rule=None, reason=f"moves to {zone_title(zone_key(decision.zone), decision.zone.domain)}")
        became = changes.became.get(hostname)
        return Cause(rule=None, reason=became) if became else None


def _of_zone(decisions: Sequence[Decision], changes: ZoneChanges | None) -> Decision | None:
    """A hostname may have one decision for public and one for private zones."""
    key = changes.key if changes else None
    there = [one for one in decisions if one.zone and zone_key(one.zone) == key]
    nowhere = [one for one in decisions if one.zone is None]
    return next(iter((*there, *nowhere, *decisions)), None)


def cause_lines(causes: Iterable[Cause]) -> Iterator[tuple[str, str]]:
    """Yield (line, what to do) for each group of causes, the most frequent rule first.

    Reasons beyond a few of one rule are counted together. What to do is empty where it was said already or unknown.
    """
    by_rule: dict[str | None, Counter[str]] = defaultdict(Counter)
    for cause in causes:
        by_rule[cause.rule][cause.reason] += 1
    for rule, reasons in sorted(by_rule.items(), key=lambda item: (-item[1].total(), item[0] or "")):
        yield from _rule_lines(rule, reasons)


def _rule_lines(rule: str | None, reasons: Counter[str]) -> Iterator[tuple[str, str]]:
    prefix = f"{rule}: " if rule else ""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    shown = len(ordered) if len(ordered) <= _REASONS_SHOWN + 1 else _REASONS_SHOWN
    lines = [f"{number} x {prefix}{reason}" for reason, number in ordered[:shown]]
    if rest := ordered[shown:]:
        lines.append(f"{sum(number for _, number in rest)} x {prefix}{len(rest)} other reasons")
    yield from ((line, "") for line in lines[:-1])
    yield lines[-1], REMEDIES[rule] if rule else ""
