"""`edge-dns summary`: a preview as Markdown and JSON for the people who review it."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers, print_failure
from edge_dns.core.summary import EventsInvalid, Preview, markdown, read_preview, summary_json
from edge_dns.observe.telling import Passing, Tell

CHANGES = 3
"""Exit status: all is fine, and something changes."""

_EVENTS_BETWEEN = 100
EXIT_STATUS = """\
exit status: 0 no changes; 3 changes; 1 a mandatory policy is violated, or a
hostname is refused, held or withdrawn under a rule of level error; 2 the run
would stop, or the input is no preview"""


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `summary`."""
    parser = commands.add_parser(
        "summary",
        help="turn a preview into Markdown and JSON for a pull request",
        description="Turn a preview into Markdown and JSON for a pull request. The input is what\n"
        "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi preview --json prints.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("events", metavar="FILE", nargs="?", default="-", help="the preview; - (default) reads stdin")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown (docs/summary.md)")
    parser.add_argument("--json-file", metavar="FILE", help="write the JSON there as well")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the summary; returns the exit status."""
    try:
        with progress() as tell, _opened(options.events) as lines:
            preview = read_preview(_counted(lines, tell))
        document = json_text(summary_json(preview))
        if options.json_file:
            Path(options.json_file).write_text(f"{document}\n", encoding="utf-8")
    except OSError as error:
        return _failed(f"{error.filename or _shown(options.events)}: {error.strerror}")
    except UnicodeDecodeError:
        return _failed(f"{_shown(options.events)}: not text in UTF-8")
    except EventsInvalid as invalid:
        return _failed(f"{_shown(options.events)}: {invalid}")
    sys.stdout.write(f"{document}\n" if options.json else markdown(preview))
    return _status(preview)


def _counted(lines: Iterable[str], tell: Tell) -> Iterator[str]:
    """Yield the events, which come from a preview that still runs where stdin is read."""
    tell(Passing("reading the preview"))
    for number, line in enumerate(lines, 1):
        if number % _EVENTS_BETWEEN == 0:
            tell(Passing(f"reading the preview: {number:,} events"))
        yield line


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    if path == "-":
        yield sys.stdin
        return
    with Path(path).open(encoding="utf-8") as file:
        yield file


def _shown(path: str) -> str:
    return "stdin" if path == "-" else path


def _failed(message: str) -> int:
    print_failure(message)
    return STOPPED


def _status(preview: Preview) -> int:
    if preview.is_stopped:
        return STOPPED
    if preview.is_refused:
        return WRONG
    return CHANGES if preview.has_changes else FINE
