"""Several readings side by side in threads, bounded in time, with their progress told from the caller's thread."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.telling import Passing, Tell

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    key: str
    value: T | None
    error: BaseException | None


def side_by_side(
    readings: Mapping[str, Callable[[Tell], T]], *, tell: Tell, deadline: float, late: Callable[[str], str]
) -> dict[str, T]:
    """Return the value of each reading by its key; `deadline` is a time of `time.monotonic`.

    Each runs in a thread of its own and gets a `tell` whose lines the caller's thread passes on; when one is done, the
    last line of another that still runs is told again. All are waited for, so that one run shows everything that is
    wrong: raises ObservationFailed with the different messages, for a reading that is not done at the deadline with
    `late` of its key. What hangs then ends with the process.
    """
    news: queue.SimpleQueue[_Line | _Done[T]] = queue.SimpleQueue()
    for key, read in readings.items():
        threading.Thread(target=_run, args=(key, read, news), daemon=True).start()
    done: dict[str, _Done[T]] = {}
    last: dict[str, str] = {}
    while len(done) < len(readings):
        try:
            event = news.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        if isinstance(event, _Line):
            last[event.key] = event.text
            tell(event.text)
            continue
        done[event.key] = event
        if running := next((line for key, line in last.items() if key not in done), None):
            tell(Passing(running))
    return _values({key: done.get(key) for key in readings}, late)


def _run(key: str, read: Callable[[Tell], T], news: "queue.SimpleQueue[_Line | _Done[T]]") -> None:
    try:
        news.put(_Done(key, read(lambda text: news.put(_Line(key, text))), None))
    except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
        news.put(_Done(key, None, error))


def _values(done: Mapping[str, _Done[T] | None], late: Callable[[str], str]) -> dict[str, T]:
    values: dict[str, T] = {}
    failures: list[ObservationFailed] = []
    for key, one in done.items():
        if one is None:
            failures.append(ObservationFailed(late(key)))
        elif isinstance(one.error, ObservationFailed):
            failures.append(one.error)
        elif one.error is not None:
            raise one.error
        else:
            values[key] = one.value  # type: ignore[assignment]  # without an error there is a value
    if failures:
        raise ObservationFailed("\n".join(dict.fromkeys(map(str, failures))))
    return values
