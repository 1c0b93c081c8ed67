"""Runs of two sides in turn."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.bench.measure import Sample
from tests.bench.scale import Bench

Run = Callable[[], Sample]


def take_turns(ours: Run, reference: Run, *, rounds: int, what: str, bench: Bench) -> tuple[list[Sample], list[Sample]]:
    """Return the samples of as many rounds; who begins changes with each. `what` is told with the number of the run."""
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for number in range(rounds):
        bench.tell(f"{what}, run {number + 1} of {rounds}")
        first, second = (0, 1) if number % 2 == 0 else (1, 0)
        runs = (ours, reference)
        with ThreadPoolExecutor(2) as pool:
            started = pool.submit(runs[first])
            if not bench.at_once:
                started.result()
            samples[second].append(pool.submit(runs[second]).result())
            samples[first].append(started.result())
    return samples
