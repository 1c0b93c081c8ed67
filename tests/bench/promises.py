"""The promises about time and memory, and whether the comparisons keep them. They never fail the bench."""

from collections.abc import Iterator, Mapping, Sequence

from tests.bench.comparison import Comparison, Key, seconds
from tests.bench.plan_cost import EMPTY, EQUAL, GROWTH
from tests.bench.stack_cost import NEW, OF_PREVIEW, SAME
from tests.bench.start_up_cost import EMPTY_PLAN, NOTHING
from tests.bench.verdicts import Verdict, at_most
from tests.bench.workload import WORKLOADS

Found = Mapping[Key, Comparison]

_OF_OCTODNS = 1 / 3
_GROWTH = 5.5
_OF_BARE = {1000: 0.8, 3000: 0.5}
_OF_PREVIEW = 1.2
_PER_HOSTNAME = 1.3
_START_UP_SECONDS = 0.6


def time_verdicts(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Return a verdict on each promise."""
    found = {one.key: one for one in comparisons}
    return [*_plan(found), *_stacks(found), *_start_up(found)]


def _plan(found: Found) -> Iterator[Verdict]:
    for phase in (EMPTY, EQUAL):
        yield at_most(f"plan 10,000 / {phase} target", _OF_OCTODNS, _ratio(found, ("plan", phase, 10_000)))
    growth = ("plan", GROWTH, 50_000)
    yield at_most("plan 50,000 / 10,000: time", _GROWTH, _ratio(found, growth))
    yield at_most("plan 50,000 / 10,000: memory", _GROWTH, found[growth].memory_ratio() if growth in found else None)


def _stacks(found: Found) -> Iterator[Verdict]:
    for name in (workload.name for workload in WORKLOADS):
        for size, limit in _OF_BARE.items():
            for phase in (SAME, NEW):
                promise = f"{name}: {phase}, {size:,} / bare"
                yield at_most(promise, limit, _ratio(found, (name, phase, size)))
        for size in _OF_BARE:
            change = _ratio(found, (name, OF_PREVIEW, size))
            yield at_most(f"{name}: one change, {size:,} / preview", _OF_PREVIEW, change)
        large, small = (found.get((name, SAME, size)) for size in (3000, 500))
        growth = large.against(small).ratio("wall") if large and small else None
        yield at_most(f"{name}: preview, same, 3,000 / 500 per name", _PER_HOSTNAME, growth)


def _start_up(found: Found) -> Iterator[Verdict]:
    for phase in (NOTHING, EMPTY_PLAN):
        one = found.get(("start-up", phase, 0))
        above = min(seconds(one.ours, "wall")) - min(seconds(one.reference, "wall")) if one else None
        yield at_most(f"start-up, {phase}: above the SDK alone", _START_UP_SECONDS, above, " s")


def _ratio(found: Found, key: Key) -> float | None:
    return found[key].ratio("wall") if key in found else None
