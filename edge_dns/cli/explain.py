"""`edge-dns explain`: one hostname through all steps of the plan."""

import argparse
from collections.abc import Iterable, Iterator

from edge_dns.cli.inputs import (
    PlanError,
    PlanRefused,
    add_input_options,
    is_memory_given,
    plan_of,
    print_errors,
    read_inputs,
    unknown_without_hub,
    unknown_without_memory,
)
from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers
from edge_dns.core.explain import Explanation, OtherHostname, explain
from edge_dns.core.explain_walk import Walk
from edge_dns.core.json_values import Json
from edge_dns.core.plan_json import error_entries, reason
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.texts import hanging

EXIT_STATUS = """\
exit status: 0 it is published; 1 it is not; 2 nothing could be planned (bad
settings, unreadable input, a stop)"""

VERSION = 1
_STEP, _OUTCOME = 12, 8
_INDENT = " " * (_STEP + _OUTCOME + 2)


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `explain`."""
    parser = commands.add_parser(
        "explain",
        help="walk one hostname through all steps, to the one that decides",
        description="Walk one hostname through all steps, to the one that decides. Reads files only,\nas plan does.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("hostname", metavar="HOSTNAME", help="the hostname, as people write it")
    add_input_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON (docs/explain.md)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanation; returns the exit status."""
    try:
        with progress() as tell:
            inputs = read_inputs(options, tell)
            plan = plan_of(inputs, tell)
            explanation = explain(
                options.hostname,
                settings=inputs.settings,
                observed=inputs.observed,
                memory=inputs.memory,
                plan=plan,
            )
    except PlanRefused as refused:
        if options.json:
            nothing = Explanation(
                hostname=options.hostname, walks=(), problem=None, out_of_sight=(), near=(), covered_by=()
            )
            print(json_text(_document(nothing, refused.errors, memory_given=is_memory_given(options))))
        else:
            print_errors(refused.errors)
        return STOPPED
    if options.json:
        errors = [(stop.refusal.rule, "edge-dns:safety", stop.refusal.reason) for stop in plan.stops]
        print(json_text(_document(explanation, errors, memory_given=is_memory_given(options))))
    else:
        unknown = () if is_memory_given(options) else unknown_without_memory()
        print("\n".join((*_lines(explanation), *unknown, *unknown_without_hub(options, inputs))))
    if plan.stops:
        return STOPPED
    return FINE if explanation.is_published else WRONG


# --- for a person, in 80 columns --------------------------------------------------------------------------------------


def _lines(explanation: Explanation) -> Iterator[str]:
    for number, walk in enumerate(explanation.walks):
        yield from [""] if number else []
        yield from _walk_lines(walk)
    if not explanation.walks:
        yield from _wrapped(f"no source names {explanation.hostname}")
        if explanation.problem:
            yield from _wrapped(explanation.problem)
        for line in explanation.out_of_sight:
            yield from _wrapped(line)
        if explanation.near:
            yield from _wrapped(f"did you mean: {_seen(explanation.near)}")
    if explanation.covered_by and not explanation.is_published:
        yield from _wrapped(f"wildcards that stand for it: {_seen(explanation.covered_by)}")


def _walk_lines(walk: Walk) -> Iterator[str]:
    decision = walk.decision
    yield from _wrapped(f"{decision.hostname} in {decision.visibility} zones")
    yield ""
    for step in walk.steps:
        head = f"{step.name:<{_STEP}} {step.outcome:<{_OUTCOME}} "
        for detail in step.details or ("",):
            wrapped = hanging(detail, head or _INDENT, f"{_INDENT}  ", break_words=True)
            yield from (line.rstrip() for line in wrapped or [head])
            head = ""
    yield ""
    yield from _wrapped(f"{decision.state}: {decision.refusal.rule}" if decision.refusal else decision.state)
    for rrset in join_slots(decision.promised):
        yield from _wrapped(f"  {describe_rrset(rrset)}")
    for note in decision.notes:
        yield from _wrapped(f"note: {note}")
    yield from _wrapped(f"what to do: {walk.todo}")


def _wrapped(text: str) -> list[str]:
    return hanging(text, break_words=True)


def _seen(found: Iterable[OtherHostname]) -> str:
    return ", ".join(f"{one.hostname} ({one.state})" for one in found)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _document(explanation: Explanation, errors: Iterable[PlanError], *, memory_given: bool) -> Json:
    return {
        "version": VERSION,
        "hostname": explanation.hostname,
        "walks": [_walk_entry(walk) for walk in explanation.walks],
        "problem": explanation.problem,
        "outOfSight": list(explanation.out_of_sight),
        "near": [_seen_entry(one) for one in explanation.near],
        "coveredBy": [_seen_entry(one) for one in explanation.covered_by],
        "errors": error_entries(errors),
        "memoryGiven": memory_given,
    }


def _walk_entry(walk: Walk) -> Json:
    decision = walk.decision
    return {
        "visibility": decision.visibility,
        "state": decision.state,
        "rule": decision.refusal.rule if decision.refusal else None,
        "reason": reason(decision),
        "todo": walk.todo,
        "steps": [{"step": one.name, "outcome": one.outcome, "details": list(one.details)} for one in walk.steps],
    }


def _seen_entry(one: OtherHostname) -> Json:
    return {"hostname": one.hostname, "state": one.state}
