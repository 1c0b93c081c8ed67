"""What subcommands have in common: the type of the parsers that each adds its own to, exit statuses, errors."""

import argparse
import sys
from typing import TypeAlias

from edge_dns.core.texts import paragraph

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

FINE, WRONG, STOPPED = 0, 1, 2
"""Exit statuses: nothing to mend; something to mend, which the output tells; the command could not be done."""


def print_failure(why: object) -> None:
    """Print why a command stopped, one error per line of the message."""
    for line in str(why).splitlines():
        print(paragraph(f"error: {line}"), file=sys.stderr)
