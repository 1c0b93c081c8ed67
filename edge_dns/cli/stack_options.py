"""What the commands share that read live zones and the state of a stack."""

import argparse
import sys
from pathlib import Path

from edge_dns.cli.plan_table import paragraph
from edge_dns.observe.pulumi_stack import Stack, find_stack
from edge_dns.observe.telling import Passing, Tell


def add_stack_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the stack, as `pulumi` has them."""
    parser.add_argument("-s", "--stack", metavar="NAME", help="the stack; omitted: the selected one")
    parser.add_argument("--config-file", metavar="FILE", help="its stack file; omitted: the one in stacks/")


def chosen_stack(options: argparse.Namespace, tell: Tell) -> Stack:
    """Return the stack that the options choose; `tell` gets progress lines. Raises ObservationFailed."""
    if not options.stack:
        tell(Passing("asking pulumi which stack is selected"))
    return find_stack(options.stack, options.config_file, folder=Path.cwd())


def print_failure(failed: Exception) -> None:
    """Print why a command stopped, one error per line of the message."""
    for line in str(failed).splitlines():
        print(paragraph(f"error: {line}"), file=sys.stderr)
