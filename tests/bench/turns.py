"""Runs of two sides in turn, and of ours alone."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.bench.comparison import CallCounts, Calls
from tests.bench.measure import Sample
from tests.bench.scale import Bench

Run = Callable[[], Sample]


def take_turns(ours: Run, reference: Run, *, rounds: int, what: str, bench: Bench) -> tuple[list[Sample], list[Sample]]:
    """Return the samples of both sides of as many rounds."""
    turns = [take_turn(ours, reference, number=number, of=rounds, what=what, bench=bench) for number in range(rounds)]
    return [turn[0] for turn in turns], [turn[1] for turn in turns]


def take_turn(ours: Run, reference: Run, *, number: int, of: int, what: str, bench: Bench) -> tuple[Sample, Sample]:
    """Return the samples of both sides of one round; who begins changes with its number. Tells what is running."""
    bench.tell(f"{what}, run {number + 1} of {of}")
    if bench.at_once:
        with ThreadPoolExecutor(2) as pool:
            both = pool.submit(ours), pool.submit(reference)
            return both[0].result(), both[1].result()
    if number % 2 == 0:
        return ours(), reference()
    second = reference()
    return ours(), second


def run_alone(
    ours: Run, calls: Callable[[], CallCounts], *, rounds: int, what: str, bench: Bench
) -> tuple[list[Sample], Calls]:
    """Return the samples of as many rounds of ours, and the calls of one of them, which `calls` counts."""
    before = calls()
    samples = []
    for number in range(rounds):
        bench.tell(f"{what}: run {number + 1} of {rounds}")
        samples.append(ours())
    return samples, Calls(ours={key: (now - before[key]) // rounds for key, now in calls().items()}, reference={})
