"""Runs the program in `reader/` by `pulumi preview`: how commands read live zones and the state of a stack."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.pulumi_stack import Stack, problem_of, run_pulumi
from edge_dns.observe.questions import Question, question_environment, read_answer, told_line
from edge_dns.observe.telling import Tell

# Nothing is written to the state, and no copy of it is kept while the preview runs.
_READ_ONLY = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
_SECONDS = 900.0
"""More than the limits of all readings together: each of them tells what it waits for."""

T = TypeVar("T")


def ask(stack: Stack, question: Question, kind: type[T], tell: Tell) -> T:
    """Return the answer to a question about the stack; nothing is written anywhere. Raises ObservationFailed.

    `tell` gets progress lines, from another thread too.
    """
    tell(f"reading stack {stack.name} by a preview")
    with tempfile.TemporaryDirectory(prefix="edge-dns-") as folder:
        answer, pipe = Path(folder) / "answer.json", Path(folder) / "progress"
        with passed_on(pipe, tell):
            done = run_pulumi(
                ["preview", "--stack", stack.name, "--config-file", str(stack.config_file)],
                stack.project / "reader",
                environment={**_READ_ONLY, **question_environment(question, answer, pipe)},
                seconds=_SECONDS,
            )
        # The program ends unsuccessful in any case: a preview that went on would plan the end of all resources.
        if not answer.exists():
            raise ObservationFailed(f"stack {stack.name} cannot be read: {problem_of(done)}")
        return read_answer(answer, kind)


@contextmanager
def passed_on(pipe: Path, tell: Tell) -> Iterator[None]:
    """Make a named pipe and pass the lines on that the program writes into it."""
    os.mkfifo(pipe)
    # Open for both, it neither waits for the program nor ends with it; an empty line of our own is the end.
    with os.fdopen(os.open(pipe, os.O_RDWR), "r+b", buffering=0) as file:
        listener = threading.Thread(target=_pass_on, args=(file.fileno(), tell), daemon=True)
        listener.start()
        try:
            yield
        finally:
            file.write(b"\n")
            listener.join()


def _pass_on(pipe: int, tell: Tell) -> None:
    with open(pipe, encoding="utf-8", errors="replace", closefd=False) as lines:
        for line in iter(lines.readline, "\n"):
            tell(told_line(line))
