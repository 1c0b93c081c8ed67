"""`edge-dns verify`: does DNS answer what the stack has published, and no more what it has withdrawn?"""

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.settings_file import settings_values
from edge_dns.cli.stack_options import add_stack_options, chosen_stack
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers, print_failure
from edge_dns.cli.verify_report import document, lines, waiting_line
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import SettingsInvalid, load_settings
from edge_dns.core.verification import Expectation, expectations, withdrawn_of
from edge_dns.core.zones import ZoneIndex
from edge_dns.observe.own_state import Outputs, memory_of
from edge_dns.observe.pulumi_stack import Stack, outputs_of
from edge_dns.observe.telling import Lasting, Tell

if TYPE_CHECKING:
    from edge_dns.observe.verification import Finding

EXIT_STATUS = """\
exit status: 0 every name is answered as it should be; 1 some name is not;
2 something could not be asked (no stack, a server that does not answer)"""

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 15.0
_STACK_TYPE = "::pulumi:pulumi:Stack::"


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `verify`."""
    parser = commands.add_parser(
        "verify",
        help="ask the authoritative name servers for all published and withdrawn names",
        description="Ask the authoritative name servers of each zone for every name that the stack\n"
        "has published, and for those that its last update has withdrawn. Run it in the\nproject's folder.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_stack_options(parser)
    parser.add_argument(
        "--wait", type=_seconds, default=0.0, metavar="SECONDS", help="ask again for so long until all names agree"
    )
    parser.add_argument("--json", action="store_true", help="print JSON (docs/verify.md)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask, and print what differs; returns the exit status."""
    try:
        with progress() as tell:
            expected, skipped = _expected(chosen_stack(options, tell), tell)
            findings = _findings(expected, wait_seconds=options.wait, tell=tell)
    except (ObservationFailed, SettingsInvalid) as error:
        print_failure(error)
        return STOPPED
    print(json_text(document(findings, skipped)) if options.json else "\n".join(lines(findings, skipped)))
    return _status(findings)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) < float("inf"):
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds such as 120")


def _expected(stack: Stack, tell: Tell) -> tuple[list[Expectation], list[str]]:
    """Return what must be answered, from the settings' zones and the state, and what is skipped."""
    zones = ZoneIndex.of(load_settings(settings_values(stack.config_file, named="stack file")).zones)
    tell(f"reading the last state of stack {stack.name}")
    outputs = outputs_of(stack)
    withdrawn = withdrawn_of(_stack_outputs(outputs).get("hostnames"))
    return expectations(zones, memory_of(outputs).slots.values(), withdrawn)


def _stack_outputs(outputs: Outputs) -> Mapping[str, object]:
    return next((values for urn, values in outputs.items() if _STACK_TYPE in urn), {})


def _findings(expected: Sequence[Expectation], *, wait_seconds: float, tell: Tell) -> list["Finding"]:
    """Ask, and ask again about what does not agree, with growing pauses, until all does or the time is over."""
    from edge_dns.observe.verification import find_servers, verify  # noqa: PLC0415 - dnspython, for this command only

    end = time.monotonic() + wait_seconds
    servers = find_servers((one.zone for one in expected), tell)
    findings = verify(expected, servers, expected, tell)
    pause = _FIRST_PAUSE_SECONDS
    while (differing := [one for one in findings if one.state != "agrees"]) and time.monotonic() < end:
        tell(Lasting(waiting_line(differing, len(findings))))
        time.sleep(max(0.0, min(pause, end - time.monotonic())))
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        again = iter(verify([one.expected for one in differing], servers, expected, tell))
        findings = [one if one.state == "agrees" else next(again) for one in findings]
    return findings


def _status(findings: Iterable["Finding"]) -> int:
    states = {finding.state for finding in findings} - {"agrees"}
    if not states:
        return FINE
    return STOPPED if states == {"unknown"} else WRONG
