"""What commands ask the program in `reader/`, which sees live zones and the state through the stack's providers."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import TypeAdapter

from edge_dns.core.baseline import ZoneBaseline
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.import_file import StackResources
from edge_dns.core.live import LiveRecord
from edge_dns.core.orphans import Evidence
from edge_dns.core.sweep import Sweep
from edge_dns.core.values import Provider, Visibility
from edge_dns.observe.telling import Lasting, Passing

_QUESTION = "EDGE_DNS_QUESTION"
_ANSWER = "EDGE_DNS_ANSWER"
_PROGRESS = "EDGE_DNS_PROGRESS"
_KINDS: Mapping[str, type[str]] = {kind.__name__: kind for kind in (str, Passing, Lasting)}

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`zone`: which live records does a zone hold, named by its domain or id; answered by a ZoneAnswer.

    `sweep`: what do the zones hold of this stack that its state does not; answered by a SweepAnswer. `baseline`: which
    live records have these names, without any those that the next run would withdraw; answered by a BaselineAnswer.
    """

    what: Literal["zone", "sweep", "baseline"]
    zone: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneAnswer:
    """A zone of the settings with all its live records, sorted by name, type and values."""

    domain: str
    provider: Provider
    zone_id: str
    visibility: Visibility
    records: tuple[LiveRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAnswer:
    """The sweep, what an import into the stack refers to, and the evidence on targets that are Cloudflare tunnels."""

    sweep: Sweep
    resources: StackResources
    tunnels: Mapping[str, Evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineAnswer:
    """The zones with records of the names; `missing` are the names that none of them holds."""

    zones: tuple[ZoneBaseline, ...]
    missing: tuple[str, ...]


def question_environment(question: Question, answer: Path, progress: Path) -> Mapping[str, str]:
    """Return the environment variables that put a question; answer and progress are to go to these files."""
    return {_QUESTION: json.dumps(asdict(question)), _ANSWER: str(answer), _PROGRESS: str(progress)}


def asked_question() -> Question | None:
    """Return the question in the environment, None where nothing is asked."""
    text = os.environ.get(_QUESTION)
    return None if text is None else TypeAdapter(Question).validate_json(text)


def tell_asker(line: str, pipe: Path | None = None) -> None:
    """Pass a line of progress on through a named pipe, that of the environment; it is lost where nobody listens."""
    # Without the flag it would wait for a command that was killed.
    with suppress(OSError):
        opened = os.open(pipe or os.environ.get(_PROGRESS, os.devnull), os.O_WRONLY | os.O_NONBLOCK)
        with os.fdopen(opened, "wb", buffering=0) as file:
            file.write(f"{type(line).__name__} {' '.join(line.split())}\n".encode())


def told_line(text: str) -> str:
    """Return a line of progress as it was before it was passed on."""
    kind, _, line = text.rstrip("\n").partition(" ")
    return _KINDS[kind](line)


def give_answer(answer: ZoneAnswer | SweepAnswer | BaselineAnswer) -> None:
    """Write the answer to the file that the environment names; it holds no secret."""
    _write({"answer": TypeAdapter(type(answer)).dump_python(answer, mode="json")})


def give_problem(message: str) -> None:
    """Write why there is no answer, for the person at the terminal."""
    _write({"problem": message})


def read_answer(file: Path, kind: type[T]) -> T:
    """Return the answer in the file. Raises ObservationFailed with the message of a problem."""
    told = json.loads(file.read_text(encoding="utf-8"))
    if "problem" in told:
        raise ObservationFailed(told["problem"])
    return TypeAdapter(kind).validate_python(told["answer"])


def _write(told: Mapping[str, object]) -> None:
    Path(os.environ[_ANSWER]).write_text(json.dumps(told), encoding="utf-8")
