import threading
import time

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Passing, Tell, silent


def later() -> float:
    return time.monotonic() + 60


def late(key: str) -> str:
    return f"{key} is late"


def fail(message: str) -> int:
    raise ObservationFailed(message)


def test_all_values_are_returned_by_key_in_the_order_given() -> None:
    found = side_by_side({"b": lambda _: 1, "a": lambda _: 2}, tell=silent, deadline=later(), late=late)
    assert list(found.items()) == [("b", 1), ("a", 2)]


def test_readings_run_at_the_same_time() -> None:
    both = threading.Barrier(2)
    side_by_side({"a": lambda _: both.wait(30), "b": lambda _: both.wait(30)}, tell=silent, deadline=later(), late=late)


def test_lines_are_told_in_the_callers_thread() -> None:
    told: list[tuple[str, threading.Thread]] = []

    def read(tell: Tell) -> int:
        tell("half")
        return 1

    side_by_side(
        {"a": read},
        tell=lambda line: told.append((line, threading.current_thread())),
        deadline=later(),
        late=late,
    )
    assert told == [("half", threading.current_thread())]


def test_what_still_runs_is_told_again_when_another_is_done() -> None:
    first_is_told, second_is_done = threading.Event(), threading.Event()

    def first(tell_line: Tell) -> None:
        tell_line("reading a")
        first_is_told.set()
        second_is_done.wait()

    def second(tell_line: Tell) -> None:
        first_is_told.wait()
        tell_line("reading b")

    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        if told.count("reading a") == 2:
            second_is_done.set()

    side_by_side({"a": first, "b": second}, tell=tell, deadline=later(), late=late)
    assert told == ["reading a", "reading b", "reading a"]
    assert [isinstance(one, Passing) for one in told] == [False, False, True]


def test_one_run_shows_everything_that_is_wrong_each_once() -> None:
    with pytest.raises(ObservationFailed) as caught:
        side_by_side(
            {"a": lambda _: fail("one"), "b": lambda _: 1, "c": lambda _: fail("two"), "d": lambda _: fail("one")},
            tell=silent,
            deadline=later(),
            late=late,
        )
    assert str(caught.value) == "one\ntwo"


def test_what_hangs_is_named_and_not_waited_for() -> None:
    never = threading.Event()
    with pytest.raises(ObservationFailed, match="a is late"):
        side_by_side({"a": lambda _: never.wait()}, tell=silent, deadline=time.monotonic(), late=late)
    never.set()


def test_a_fault_of_ours_stays_what_it_is() -> None:
    def broken(_: Tell) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        side_by_side({"a": broken}, tell=silent, deadline=later(), late=late)
