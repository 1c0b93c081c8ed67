"""Names without a record of ours because somebody wants just that: they need nobody, so one line tells all of them.

A run that changes something about such a name, such as the one that withdraws it, tells it by itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from edge_dns.core.decision import Context, Decision
from edge_dns.core.texts import first_of

_SHOWN = 3


def is_left_alone(decision: Decision, context: Context) -> bool:
    """Say whether a name is kept from DNS, or from this stack, on purpose, and nothing changes about it.

    Not where somebody wants an internal name public all the same: one of both has to let go.
    """
    if decision.refusal is None or decision.published_before or decision.records or decision.blast_radius:
        return False
    if decision.state == "released":
        return True
    if decision.state != "refused":
        return False
    rule = decision.refusal.rule
    if rule == "exposure-internal":
        return not _is_wanted(decision, context)
    return rule == "dns-disabled" or (rule == "wildcard-opt-in" and decision.refusal.on_purpose)


def _is_wanted(decision: Decision, context: Context) -> bool:
    """Say whether a tunnel or a public service names the hostname."""
    tunnel = decision.source.kind in ("TowonelTunnel", "CloudflareTunnel")
    return tunnel or (decision.hostname, decision.visibility) in context.declared


def left_alone_line(decisions: Iterable[Decision]) -> str | None:
    """Return what a person is told of all names that are left alone, None where there are none."""
    by_rule: dict[str, list[str]] = defaultdict(list)
    for one in decisions:
        if one.refusal:
            by_rule[one.refusal.rule].append(one.shown)
    if not by_rule:
        return None
    return f"left alone on purpose (stack output hostnames): {'; '.join(_of_rules(by_rule.items()))}"


def _of_rules(found: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    return (f"{rule}: {first_of(sorted(names), _SHOWN)}" for rule, names in sorted(found))
