"""The entry point of the `edge-dns` command."""

import argparse
import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from importlib import import_module
from typing import Any

from edge_dns.cli.subcommand import STOPPED
from edge_dns.core.texts import paragraph

COMMANDS = ("plan", "explain", "observe", "summary", "verify", "audit", "dump", "baseline")
"""In the order of the help; each is a module of this package."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


class _Parser(argparse.ArgumentParser):
    """A parser whose options, and those of its subcommands, can be given once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - those of argparse
        super().__init__(*args, **kwargs)
        self.register("action", None, _Once)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above
        """Parse; what nobody knows is an error here already, with the usage of the subcommand."""
        options, unknown = super().parse_known_args(*args, **kwargs)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown


class _Once(argparse.Action):
    """Stores a value. A second one would win silently, and the plan would be that of other settings."""

    _is_given = False

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _option: object = None
    ) -> None:
        if self.option_strings and self._is_given:
            raise argparse.ArgumentError(self, "it is given twice, and there is only one")
        self._is_given = True
        setattr(namespace, self.dest, values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (those of the process by default); returns the exit status.

    What it prints on stdout is printed at the end, so that a failure to print is told from one of the command.
    """
    output = io.StringIO()
    try:
        with redirect_stdout(output):
            status = _run(arguments)
        return _print(output.getvalue(), status)
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    except SystemExit:
        # The help, and errors of usage, which leave nothing to print here.
        if failed := _print(output.getvalue(), 0):
            return failed
        raise


def _run(arguments: Sequence[str] | None) -> int:
    parser: argparse.ArgumentParser = _Parser(prog="edge-dns", description="DNS records for tunnels and gateways.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _wanted(sys.argv[1:] if arguments is None else arguments):
        import_module(f"edge_dns.cli.{command}").add_parser(commands)
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status


def _wanted(arguments: Sequence[str]) -> Sequence[str]:
    """Return the command that is called, or all where it is not told by the first argument: loading them takes time."""
    return [command for command in COMMANDS if command in arguments[:1]] or COMMANDS


def _print(text: str, status: int) -> int:
    """Print the output; returns the exit status, another one than this where nobody takes it."""
    if not text:
        return status
    try:
        print(text.removesuffix("\n"), flush=True)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough; Python would complain when it closes stdout itself.
        sys.stdout = None
        return 0
    except OSError as error:
        _tell(f"cannot write to stdout: {error.strerror}")
        sys.stdout = None
        return STOPPED
    except UnicodeEncodeError as error:
        shown = error.object[error.start].encode("unicode_escape").decode()
        _tell(f"cannot write to stdout: it takes {error.encoding} only, not {shown}; set PYTHONIOENCODING=utf-8")
        return STOPPED
    return status


def _tell(problem: str) -> None:
    with suppress(OSError):
        print(paragraph(f"error: {problem}"), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
