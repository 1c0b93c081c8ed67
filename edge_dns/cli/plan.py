"""`edge-dns plan`: the plan without engine and credentials."""

import argparse
from collections.abc import Iterator

from edge_dns.cli.inputs import (
    Inputs,
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
from edge_dns.cli.plan_table import plan_lines
from edge_dns.cli.progress import progress
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers
from edge_dns.core.plan import Plan
from edge_dns.core.plan_json import plan_document, refused_document
from edge_dns.core.texts import first_of, paragraph
from edge_dns.core.turned_internal import is_internal
from edge_dns.observe.telling import Passing

_EXIT_STATUS = """\
exit status: 0 fine; 1 some hostname is refused, held or withdrawn under a rule
of level error, other than one that waits for an internal resolver, which it
does not ask; 2 nothing could be planned (bad settings, unreadable input, a
stop)"""

_SHOWN = 3


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `plan`."""
    parser = commands.add_parser(
        "plan",
        help="show which hostnames would be published, and why the others are not",
        description="Show which hostnames would be published, and why the others are not. Reads\nfiles only.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON (docs/plan-json.md)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the plan; returns the exit status."""
    try:
        with progress() as tell:
            inputs = read_inputs(options, tell)
            plan = plan_of(inputs, tell)
            tell(Passing(f"writing the plan of {len(plan.decisions):,} hostnames"))
            text = _text(plan, inputs, options)
    except PlanRefused as refused:
        return _report_refusal(refused, options)
    print(text)
    if plan.stops:
        return STOPPED
    return WRONG if plan.failures else FINE


def _text(plan: Plan, inputs: Inputs, options: argparse.Namespace) -> str:
    if options.json:
        return json_text(plan_document(plan, memory_given=is_memory_given(options)))
    unknown = () if is_memory_given(options) else (*unknown_without_memory(), *_unknown_internal_names(plan))
    return "\n".join((*plan_lines(plan), *unknown, *unknown_without_hub(options, inputs)))


def _unknown_internal_names(plan: Plan) -> Iterator[str]:
    """Say of internal names that a first run refuses what an update may do to them."""
    names = sorted({one.hostname for one in plan.decisions if is_internal(one)})
    if names:
        yield ""
        yield paragraph(
            f"note: without --memory it is not known whether internal names are published ({first_of(names, _SHOWN)}): "
            "an update withdraws those that are, or holds them until their internal resolver answers"
        )


def _report_refusal(refused: PlanRefused, options: argparse.Namespace) -> int:
    if options.json:
        print(json_text(refused_document(refused.errors, refused.memory, memory_given=is_memory_given(options))))
    else:
        print_errors(refused.errors)
    return STOPPED
