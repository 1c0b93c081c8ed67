"""Runs the program in `reader/` by `pulumi preview`: how commands read live zones and the state of a stack."""

import tempfile
from pathlib import Path
from typing import TypeVar

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.pulumi_stack import Stack, problem_of, run_pulumi
from edge_dns.observe.questions import Question, question_environment, read_answer

# Nothing is written to the state, and no copy of it is kept while the preview runs.
_READ_ONLY = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
_SECONDS = 900.0
"""More than the limits of all readings together: each of them tells what it waits for."""

T = TypeVar("T")


def ask(stack: Stack, question: Question, kind: type[T]) -> T:
    """Return the answer to a question about the stack; nothing is written anywhere. Raises ObservationFailed."""
    with tempfile.TemporaryDirectory(prefix="edge-dns-") as folder:
        answer = Path(folder) / "answer.json"
        done = run_pulumi(
            ["preview", "--stack", stack.name, "--config-file", str(stack.config_file)],
            stack.project / "reader",
            environment={**_READ_ONLY, **question_environment(question, answer)},
            seconds=_SECONDS,
        )
        # The program ends unsuccessful in any case: a preview that went on would plan the end of all resources.
        if not answer.exists():
            raise ObservationFailed(f"stack {stack.name} cannot be read: {problem_of(done)}")
        return read_answer(answer, kind)
