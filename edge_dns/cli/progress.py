"""Progress of a command on stderr: one line that is rewritten on a terminal, one for each thing read in a CI log."""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Literal, TextIO

from edge_dns.core.texts import WIDTH, paragraph, printable
from edge_dns.observe.telling import Lasting, Passing, in_ci

Medium = Literal["terminal", "log", "pipe"]
"""What stderr is: somebody watches it; the log of a CI job; or anything else, where nobody waits for a word."""

_CLEAR = "\r\x1b[K"


class Progress:
    """Takes lines of progress (a `Tell`), from any thread.

    On a terminal each takes the place of the one before. In a log the `Passing` ones are left out, in a pipe all but
    the `Lasting` ones, which stay everywhere.
    """

    def __init__(self, stream: TextIO, medium: Medium, *, columns: Callable[[], int] = lambda: WIDTH) -> None:
        self._stream, self._medium, self._columns = stream, medium, columns
        self._lock = threading.Lock()
        self._is_shown = False

    def __call__(self, line: str) -> None:
        """Tell a line."""
        with self._lock:
            if isinstance(line, Lasting):
                self._write(f"{self._erased()}{paragraph(line)}\n")
            elif self._medium == "terminal":
                self._write(_CLEAR + fitted(line, self._columns()))
                self._is_shown = True
            elif self._medium == "log" and not isinstance(line, Passing):
                self._write(f"{printable(line)}\n")

    def end(self) -> None:
        """Take away what stands on the terminal."""
        with self._lock:
            self._write(self._erased())

    def _erased(self) -> str:
        erased, self._is_shown = _CLEAR if self._is_shown else "", False
        return erased

    def _write(self, text: str) -> None:
        # Nobody to tell is no reason to fail.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def progress() -> Iterator[Progress]:
    """Give the progress of one command on stderr; at the end nothing of it is left on a terminal."""
    tell = Progress(sys.stderr, medium_of(sys.stderr, os.environ), columns=_columns)
    try:
        yield tell
    finally:
        tell.end()


def medium_of(stream: TextIO, environment: Mapping[str, str]) -> Medium:
    """Return what a stream is. CI may give its jobs a terminal, which nobody watches."""
    if in_ci(environment):
        return "log"
    return "terminal" if stream.isatty() and environment.get("TERM") != "dumb" else "pipe"


def fitted(line: str, columns: int) -> str:
    """Return a line that a terminal of so many columns does not wrap: the rest of a wrapped one would stay."""
    text = printable(line)
    return text if len(text) < columns else f"{text[: max(0, columns - 4)]}..."


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH
