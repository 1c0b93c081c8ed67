"""The entry point of the `edge-dns` command."""

import argparse
import sys
from collections.abc import Sequence

from edge_dns.cli import audit, dump, explain, observe, plan, summary, verify

EXIT_STATUS = """\
exit status: 0 fine; 1 some hostname is refused, held or withdrawn under a rule of
level error; 2 nothing could be planned (bad settings, unreadable input, a stop)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (those of the process by default); returns the exit status."""
    parser = argparse.ArgumentParser(prog="edge-dns", description="DNS records for tunnels and gateways.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    plan.add_parser(commands, epilog=EXIT_STATUS)
    explain.add_parser(commands)
    observe.add_parser(commands)
    summary.add_parser(commands)
    verify.add_parser(commands)
    audit.add_parser(commands)
    dump.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough; Python would complain when it closes stdout itself.
        sys.stdout = None
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main())
