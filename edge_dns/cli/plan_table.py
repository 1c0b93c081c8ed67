"""The plan for a person: one line per hostname, what stops the run, and a summary; 80 columns."""

from collections import Counter
from collections.abc import Iterator

from edge_dns.core.decision import Decision
from edge_dns.core.guard import ways_out
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import reason
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.texts import WIDTH, counted, hanging, paragraph, printable
from edge_dns.core.zone_changes import ZoneChanges

_STATE_WIDTH = 10
_INDENT = " " * (_STATE_WIDTH + 1)
_MAX_NAME_WIDTH = 40


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the lines of the table."""
    # Those of another stack may be thousands; the notes say how many.
    shown = [one for one in plan.decisions if one.state != "elsewhere"]
    width = min(max((len(one.shown) for one in shown), default=0), _MAX_NAME_WIDTH)
    for decision in shown:
        yield from _decision_lines(decision, width)
    for stop in plan.stops:
        yield ""
        yield f"STOP {stop.refusal.rule}"
        yield from _as_told(stop.refusal.reason)
    for way_out in ways_out(plan.stops):
        yield ""
        yield from _as_told(way_out)
    yield from _services(plan)
    yield from _summary(plan)
    for warning in plan.warnings:
        yield ""
        yield paragraph(f"warning: {warning}")
    for note in plan.notes:
        yield ""
        yield paragraph(f"note: {note}")


def _services(plan: Plan) -> Iterator[str]:
    """What is written to clusters."""
    if plan.routes or plan.marks:
        yield ""
    for route in plan.routes:
        yield paragraph(f"{route}: {route.exposure}, for {', '.join(route.hostnames)}")
    for mark in plan.marks:
        yield paragraph(f"Service {mark.namespace}/{mark.name} in cluster {mark.cluster}: kept from external-dns")


def _as_told(text: str) -> Iterator[str]:
    """The lines of the guard, which are wrapped already but for names that are longer than a line."""
    for line in text.splitlines():
        yield from hanging(line, rest="    ", break_words=True)


def _decision_lines(decision: Decision, width: int) -> Iterator[str]:
    values = [describe_rrset(rrset) for rrset in join_slots(decision.promised)]
    head = f"{decision.state:<{_STATE_WIDTH}} {printable(decision.shown):<{width}}"
    if values and len(head) + 2 + len(values[0]) <= WIDTH:
        yield f"{head}  {values.pop(0)}"
    else:
        yield from hanging(head.rstrip(), rest=_INDENT, break_words=True)
    # Under the first value where all fit there.
    column = " " * (len(head) + 2) if all(len(head) + 2 + len(value) <= WIDTH for value in values) else _INDENT
    for value in values:
        yield from hanging(value, column, column, break_words=True)
    text = reason(decision)
    if decision.refusal:
        text = f"{decision.refusal.rule}: {text}"
    if text:
        yield from hanging(text, _INDENT, _INDENT, break_words=True)


def _summary(plan: Plan) -> Iterator[str]:
    states = Counter(decision.state for decision in plan.decisions)
    zones = {decision.zone.domain for decision in plan.decisions if decision.zone and decision.promised}
    by_state = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "no hostname"
    yield ""
    yield f"{by_state}; records in {counted(len(zones), 'zone')}"
    for zone in plan.changes:
        if zone.withdrawals or zone.updates:
            yield paragraph(f"{zone.title}: of {zone.before} own records {_shares(zone)}")


def _shares(zone: ZoneChanges) -> str:
    withdrawn, changed = 100 * zone.withdrawals / zone.before, 100 * zone.updates / zone.before
    return f"{zone.withdrawals} withdrawn ({withdrawn:.2f} %), {zone.updates} changed ({changed:.2f} %)"
