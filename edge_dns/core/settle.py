"""What became of the predicted decisions, once the hub has answered."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from edge_dns.core.decision import Decision, without_record
from edge_dns.core.hub_view import HELD_ELSEWHERE
from edge_dns.core.rules import Refusal
from edge_dns.core.values import Source

_ENDED = frozenset({"invite-gone", "invite-revoked"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HubAnswer:
    """What the hub says of one invite after this run: the hostnames on it, and the refused ones with the reason."""

    confirmed: Collection[str]
    refused: Mapping[str, str]


def settle(decisions: Iterable[Decision], answers: Mapping[Source, HubAnswer]) -> tuple[Decision, ...]:
    """Return the decisions as they came out; a tunnel without an answer keeps its predictions."""
    return tuple(
        _settle(decision, answers[decision.source]) if decision.source in answers else decision
        for decision in decisions
    )


def _settle(decision: Decision, answer: HubAnswer) -> Decision:
    return _settle_conditional(decision, answer) if decision.conditional else _settle_sure(decision, answer)


def _settle_sure(decision: Decision, answer: HubAnswer) -> Decision:
    """A record that did not wait for the hub stays for this run, also where a replaced invite did not get its name."""
    if decision.state != "published" or decision.hostname not in answer.refused:
        return decision
    refusal = Refusal(rule="host-taken", reason=answer.refused[decision.hostname])
    return replace(decision, state="held", refusal=refusal)


def _settle_conditional(decision: Decision, answer: HubAnswer) -> Decision:
    if decision.hostname not in answer.confirmed:
        if decision.refusal and decision.refusal.rule in _ENDED and decision.hostname not in answer.refused:
            return decision
        refusal = Refusal(rule="host-taken", reason=answer.refused.get(decision.hostname, HELD_ELSEWHERE))
        return without_record(decision, refusal)
    return decision if decision.state == "held" else replace(decision, state="published", refusal=None)
