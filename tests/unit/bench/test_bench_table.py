import pytest

from tests.bench.comparison import Calls, Comparison, growing
from tests.bench.measure import Sample
from tests.bench.table import HEAD, LEGEND, table_line


def sample(wall: float, cpu: float = 1, megabytes: int = 1) -> Sample:
    return Sample(wall=wall, cpu=cpu, peak_bytes=megabytes * 1_000_000)


def compared(ours: list[Sample], reference: list[Sample], size: int = 1, calls: Calls | None = None) -> Comparison:
    return Comparison(scenario="mixed", phase="up, new", size=size, ours=ours, reference=reference, calls=calls)


def test_the_ratio_is_that_of_the_fastest_runs() -> None:
    assert compared([sample(9), sample(2)], [sample(4), sample(5)]).ratio("wall") == 0.5


def test_the_ratio_of_other_runs_can_be_asked_for() -> None:
    assert compared([sample(9)], [sample(4.5)]).ratio("wall", of=max) == 2


def test_the_noise_is_that_of_the_noisier_side() -> None:
    assert compared([sample(2), sample(3)], [sample(10), sample(11)]).noise("wall") == pytest.approx(0.5)


def test_a_larger_size_is_compared_with_the_smallest_per_unit() -> None:
    calls = [Calls(ours={"hub": number}, reference={}) for number in (1, 2, 3)]
    sizes = zip((10, 100, 200), calls, strict=True)
    first, second, third = growing([compared([sample(size)], [], size, of) for size, of in sizes])
    assert (first.ratio("wall"), second.ratio("wall"), third.ratio("wall")) == (None, 1, 1)
    assert third.calls == Calls(ours={"hub": 3}, reference={"hub": 1})


def test_each_comparison_has_a_line() -> None:
    one = compared(
        [sample(9.5, 6, 200), sample(8.5, 6.3, 210)],
        [sample(17, 12, 300), sample(18, 13, 310)],
        500,
        Calls(ours={"hub": 3, "route53": 1}, reference={"hub": 1}),
    )
    assert HEAD.split() == ["scenario", "size", "n", "ours", "base", "ratio", "cpu", "noise", "MB", "calls"]
    line = ["up,", "new", "500", "2", "8.50", "17.00", "0.50", "0.50", "12%", "210/310", "4/1"]
    assert table_line(one).split() == line


def test_a_single_run_claims_no_noise_and_a_lone_side_no_ratio() -> None:
    assert table_line(compared([sample(2)], [])).split()[2:] == ["1", "1", "2.00", "-", "-", "-", "-", "1"]


def test_the_table_fits_80_columns_at_thousands_of_calls_and_seconds() -> None:
    calls = Calls(ours={"route53": 30100}, reference={"route53": 30010})
    one = compared([sample(1234.56, megabytes=1000)] * 2, [sample(1234.56, megabytes=1000)] * 2, 10_000, calls)
    assert max(len(line) for line in [HEAD, table_line(one), *LEGEND.splitlines()]) <= 80


def test_the_json_holds_every_sample_and_both_ratios() -> None:
    document = compared([sample(2), sample(3)], [sample(4), sample(6)], 5).to_json()
    assert document["calls"] is None
    assert document["wall"] == {
        "ours": [2, 3],
        "reference": [4, 6],
        "ratioOfMinima": 0.5,
        "ratioOfMedians": 0.5,
        "noise": 0.5,
    }
