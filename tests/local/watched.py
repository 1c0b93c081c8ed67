"""A command at a terminal, and what a person there sees."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

COMMAND = (sys.executable, "-m", "edge_dns.cli.main")
_ROWS, _COLUMNS = 50, 80
_TERM = "screen"
"""Any other kind `pulumi` asks for its background first, and waits for seconds."""


class Watched:
    """A command whose stderr is a terminal and whose stdout is a file; with `columns` all is one terminal, its own."""

    def __init__(
        self,
        *command: str,
        environment: Mapping[str, str],
        folder: Path | None = None,
        stdin: int = subprocess.DEVNULL,
        columns: int | None = None,
    ) -> None:
        self._terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, columns or _COLUMNS, 0, 0))
        self._seen = ""
        # A pipe would be full, with nobody to empty it.
        self._out = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed with it
        self.process = subprocess.Popen(
            # As the terminal's own session, so that the command finds it under /dev/tty.
            ("setsid", "--ctty", *command) if columns else command,
            cwd=folder,
            stdin=inside if columns else stdin,
            stdout=inside if columns else self._out,
            stderr=inside,
            text=True,
            env={**environment, "TERM": _TERM, "CI": ""},
        )
        os.close(inside)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        os.close(self._terminal)
        self._out.close()
        # Closes its pipes and waits for it.
        self.process.__exit__(None, None, None)

    def wait_for(self, text: str) -> None:
        """Wait until the terminal has shown this text."""
        while text not in self._seen:
            assert self._read(), f"the command ended without {text!r}: {self._seen!r}"

    def end(self) -> tuple[int, str, Sequence[str]]:
        """Wait for its end; returns exit status, stdout, and the lines that the terminal has shown in turn."""
        while self._read():
            pass
        status = self.process.wait()
        self._out.seek(0)
        return status, self._out.read(), [one for one in re.split(r"\r\x1b\[K|\r?\n", self._seen) if one]

    @property
    def left(self) -> str:
        """What stands on the terminal."""
        lines = self._seen.replace("\r\n", "\n").split("\n")
        return "\n".join(line.rpartition("\r\x1b[K")[2] for line in lines)

    def _read(self) -> bool:
        try:
            found = os.read(self._terminal, 65536)
        except OSError:
            # How Linux tells that the other side is closed.
            return False
        self._seen += found.decode(errors="replace")
        return bool(found)
