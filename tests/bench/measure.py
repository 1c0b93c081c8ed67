"""Time, processor time and memory of commands."""

import json
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("run_measured.py")
_TAIL = 2000


class CommandFailed(Exception):  # noqa: N818 - the measurement is worth nothing
    """A measured command failed; holds the end of what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One run: seconds on the clock, seconds of user and system time, bytes of the largest process.

    Both of the latter are over the command and all processes under it that were waited for.
    """

    wall: float
    cpu: float
    peak_bytes: int


def measure(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    output: Path,
    statuses: Collection[int] = (0,),
) -> Sample:
    """Run a command, its output going to a file. Raises CommandFailed when its exit status is none of `statuses`."""
    result = output.with_name(f"{output.name}.usage")
    with output.open("wb") as sink:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(_LAUNCHER), str(result), *command],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode not in statuses:
        text = output.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
        raise CommandFailed(f"{' '.join(command)} ended with status {done.returncode}:\n{text}")
    return Sample(**json.loads(result.read_text(encoding="ascii")))
