"""The plan for a person: one line per hostname, what stops the run, and a summary; 80 columns."""

import textwrap
from collections import Counter
from collections.abc import Iterator

from edge_dns.core.decide import Decision
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import reason
from edge_dns.core.rrsets import join_slots
from edge_dns.core.values import RRset

_WIDTH = 80
_STATE_WIDTH = 10
_MAX_NAME_WIDTH = 40


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the lines of the table."""
    width = min(max((len(one.hostname) for one in plan.decisions), default=0), _MAX_NAME_WIDTH)
    for decision in plan.decisions:
        yield from _decision_lines(decision, width)
    for stop in plan.stops:
        yield ""
        yield f"STOP {stop.refusal.rule}: {stop.refusal.reason}"
    yield from _summary(plan)


def _decision_lines(decision: Decision, width: int) -> Iterator[str]:
    head = f"{decision.state:<{_STATE_WIDTH}} {decision.hostname:<{width}}"
    rrsets = join_slots(decision.promised)
    values = [_describe(rrset) for rrset in rrsets]
    yield f"{head}  {values[0]}" if values else head.rstrip()
    for value in values[1:]:
        yield " " * (_STATE_WIDTH + width + 3) + value
    text = reason(decision)
    if decision.refusal:
        text = f"{decision.refusal.rule}: {text}"
    if text:
        indent = " " * (_STATE_WIDTH + 1)
        yield from textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _describe(rrset: RRset) -> str:
    if rrset.alias:
        return f"{rrset.type} alias {rrset.alias.name}"
    ttl = "auto" if rrset.ttl == 1 else str(rrset.ttl)
    proxied = ", proxied" if rrset.proxied else ""
    return f"{rrset.type} {' '.join(rrset.values)} (ttl {ttl}{proxied})"


def _summary(plan: Plan) -> Iterator[str]:
    states = Counter(decision.state for decision in plan.decisions)
    zones = {decision.zone.domain for decision in plan.decisions if decision.zone and decision.promised}
    counted = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "no hostname"
    yield ""
    yield f"{counted}; records in {len(zones)} zone{'' if len(zones) == 1 else 's'}"
