"""Processes that a test has started, and waiting without a guess at how long it takes."""

import os
import time
from collections.abc import Callable
from pathlib import Path

# How long a machine under load may take for what takes a moment; nothing waits that long unless it fails.
PATIENCE_SECONDS = 120


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition; fails with `never: <what>`."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.02)


def descendants(pid: int) -> dict[int, str]:
    """The live processes below pid, with their command lines."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent = _stat(int(folder.name))
                command = (folder / "cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if state != "Z":
                parents[int(folder.name)], commands[int(folder.name)] = parent, command
    found: dict[int, str] = {}
    while new := {child for child, parent in parents.items() if parent in {pid, *found}} - set(found):
        found |= {child: commands[child] for child in new}
    return found


def engine() -> int:
    """The `pulumi` that this test has started."""
    [found] = [pid for pid, command in descendants(os.getpid()).items() if command.startswith("pulumi ")]
    return found


def alive(pid: int, command: str) -> bool:
    """Whether the process still runs, and is not another one of the same number."""
    try:
        if _stat(pid)[0] == "Z":
            return False
        now = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return now == command


def _stat(pid: int) -> tuple[str, int]:
    """State and parent."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return fields[0], int(fields[1])
