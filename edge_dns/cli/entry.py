"""What the installed command starts with: a Ctrl-C while the rest is imported ends it in one line too."""

import atexit
import gc
import sys


def main() -> int:
    """Run the command with the arguments of the process; returns the exit status."""
    # As in the program: a command is short and leaves hardly any cycles.
    gc.disable()
    atexit.register(gc.freeze)
    try:
        from edge_dns.cli import main as command  # noqa: PLC0415 - what takes time, and may be interrupted
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130
    return command.main()
