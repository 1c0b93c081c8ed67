"""All decisions of one run: of claimed names, of rejected ones, and of those that nobody declares any more."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from edge_dns.core.claims import Claim, Rejection, by_hostname
from edge_dns.core.conversion import check_together
from edge_dns.core.decide import (
    decide_claims,
    decide_rejections,
    hold_rebound,
    notes_of,
    revert,
    wait_for_authority,
    with_drift,
    with_spelling,
)
from edge_dns.core.decision import Context, Decision, Published
from edge_dns.core.elsewhere import decide_elsewhere
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.foreign_markers import with_foreign
from edge_dns.core.rehomed import with_rehomed
from edge_dns.core.release import decide_release, forgotten
from edge_dns.core.rules import Level, Refusal
from edge_dns.core.values import SlotRecord, Visibility
from edge_dns.core.zones import zone_key

Key = tuple[str, Visibility]
"""What is decided once: a hostname in the zones of one visibility."""


def decide_all(claims: Iterable[Claim], rejections: Iterable[Rejection], context: Context) -> tuple[Decision, ...]:
    """Return one decision per hostname and visibility, sorted; raises ObservationFailed where a check lacks input."""
    decided = {
        key: _released(group[0], context) or decide_elsewhere(group, context) or decide_claims(group, context)
        for key, group in by_hostname(claims).items()
    }
    decided = _without_clashes(decided, context)
    for key, group in by_hostname(rejections).items():
        if key in decided:
            decided[key] = _with_notes(decided[key], group)
        else:
            settled = _released(group[0], context) or decide_elsewhere(group, context)
            rejected = settled or decide_rejections(group, context)
            decided[key] = hold_rebound(wait_for_authority(rejected, context), context)
    for published in (one for group in context.published.values() for one in group):
        key = (published.hostname, published.visibility)
        if key not in decided:
            gone = _released(published, context) or _not_declared(published, context)
            decided[key] = wait_for_authority(gone, context)
    _raise_unreadable(decided.values())
    kept = (forgotten(decision, context) for decision in decided.values())
    untouched = (one for decision in kept for one in with_foreign(decision, context))
    found = (with_rehomed(with_spelling(with_drift(decision, context), context), context) for decision in untouched)
    return tuple(sorted(found, key=lambda one: (one.hostname, one.visibility)))


def _released(one: Claim | Rejection | Published, context: Context) -> Decision | None:
    return decide_release(one.hostname, one.visibility, one.source, context)


def _raise_unreadable(decisions: Iterable[Decision]) -> None:
    """A check of one name that lacks an observation stops the whole run."""
    for decision in decisions:
        if decision.refusal and decision.refusal.level is Level.STOP:
            raise ObservationFailed(f"{decision.hostname}: {decision.refusal.reason}", rule=decision.refusal.rule)


def _with_notes(decision: Decision, rejections: Sequence[Rejection]) -> Decision:
    """Add what other sources say of a name that one source claims."""
    return replace(decision, notes=(*decision.notes, *notes_of(rejections)))


def _without_clashes(decided: dict[Key, Decision], context: Context) -> dict[Key, Decision]:
    """Refuse names whose records clash, such as CNAMEs in a circle; what is held instead may clash again."""
    while True:
        clashes = check_together(record.rrset for one in decided.values() for record in _one_per_type(one))
        found = {
            key: clash
            for key, decision in decided.items()
            if (clash := _clash(decision, clashes)) and decision.refusal != clash
        }
        settled = {key: _settle_clash(decided[key], clash, context) for key, clash in found.items()}
        if all(decided[key] == decision for key, decision in settled.items()):
            return decided
        decided = {**decided, **settled}


def _settle_clash(decision: Decision, clash: Refusal, context: Context) -> Decision:
    exception = context.allowed(decision.hostname).get(clash.rule)
    if exception is None:
        return revert(decision, clash, context)
    return replace(decision, excepted=tuple(sorted({*decision.excepted, exception}, key=lambda one: one.rule)))


def _clash(decision: Decision, clashes: Mapping[tuple[str, str], Refusal]) -> Refusal | None:
    zone = decision.zone if decision.promised else None
    return clashes.get((zone_key(zone), decision.hostname)) if zone else None


def _one_per_type(decision: Decision) -> tuple[SlotRecord, ...]:
    """Return one record per type: several values of one RRset in slots of their own are no duplicates."""
    return tuple({record.rrset.type: record for record in decision.promised}.values())


def _not_declared(published: Published, context: Context) -> Decision:
    gone = Refusal(rule="not-declared", reason=f"{published.source} no longer declares it")
    return Decision(
        hostname=published.hostname,
        visibility=published.visibility,
        source=published.source,
        state="withdrawn",
        refusal=context.why_internal(published.hostname, published.visibility) or gone,
        zone=published.zone,
        published_before=True,
    )
