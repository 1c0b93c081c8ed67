from pathlib import Path

import pytest

from tests.bench.measure import Sample
from tests.bench.scale import DEFAULT, LONG, QUICK, Bench, Scale
from tests.bench.scenarios import SCENARIOS
from tests.bench.turns import take_turns


def test_who_begins_changes_with_each_round() -> None:
    order: list[str] = []
    told: list[str] = []

    def runs(side: str, wall: float) -> Sample:
        order.append(side)
        return Sample(wall=wall, cpu=1, peak_bytes=1)

    ours, base = take_turns(
        lambda: runs("ours", 1),
        lambda: runs("base", 2),
        rounds=3,
        what="mixed 1,000: preview, same",
        bench=Bench(scale=QUICK, folder=Path(), tell=told.append),
    )
    assert order == ["ours", "base", "base", "ours", "ours", "base"]
    assert ({one.wall for one in ours}, {one.wall for one in base}) == ({1}, {2})
    assert told[1] == "mixed 1,000: preview, same, run 2 of 3"


@pytest.mark.parametrize("scale", [DEFAULT, LONG, QUICK], ids=["default", "long", "quick"])
def test_every_scenario_has_sizes_in_every_scale(scale: Scale) -> None:
    assert scale.sizes.keys() == SCENARIOS.keys()


def test_a_stack_is_created_less_often_the_larger_it_is_and_not_at_all_above_the_limit() -> None:
    assert [DEFAULT.creations_of(size) for size in (4, 100, 500, 1000)] == [3, 3, 1, 0]
    assert LONG.creations_of(1000) == 1
    assert [DEFAULT.rounds_of(size) for size in (1000, 3000)] == [3, 2]
