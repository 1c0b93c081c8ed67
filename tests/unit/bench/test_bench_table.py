import pytest

from tests.bench.measure import Calls, Comparison, Sample
from tests.bench.table import HEAD, LEGEND, table_lines


def sample(wall: float, cpu: float = 1, megabytes: int = 1) -> Sample:
    return Sample(wall=wall, cpu=cpu, peak_bytes=megabytes * 1_000_000)


def test_the_ratio_is_that_of_the_fastest_runs() -> None:
    one = Comparison(scenario="up", hostnames=1, ours=[sample(9), sample(2)], reference=[sample(4), sample(5)])
    assert one.ratio("wall") == 0.5


def test_the_ratio_of_the_middle_runs_can_be_asked_for() -> None:
    one = Comparison(scenario="up", hostnames=1, ours=[sample(9)], reference=[sample(4.5)])
    assert one.ratio("wall", of=max) == 2


def test_the_noise_is_that_of_the_noisier_side() -> None:
    one = Comparison(scenario="up", hostnames=1, ours=[sample(2), sample(3)], reference=[sample(10), sample(11)])
    assert one.noise("wall") == pytest.approx(0.5)


def test_work_of_different_size_is_compared_per_unit() -> None:
    one = Comparison(
        scenario="plan",
        hostnames=10_000,
        ours=[sample(20)],
        reference=[sample(2)],
        ours_units=10,
        reference_units=1,
    )
    assert one.seconds("wall") == ([2], [2])
    assert one.ratio("wall") == 1


def test_each_comparison_has_a_line_of_wall_and_one_of_cpu_time() -> None:
    one = Comparison(
        scenario="preview, new",
        hostnames=500,
        ours=[sample(9.5, 6, 200), sample(8.5, 6.3, 210)],
        reference=[sample(17, 12, 300), sample(18, 13, 310)],
        calls=Calls(ours=4, reference=1),
    )
    wall, cpu = (line.split() for line in table_lines(one))
    assert HEAD.split() == ["scenario", "names", "n", "s", "ours", "base", "ratio", "median", "noise", "MB", "calls"]
    assert wall == ["preview,", "new", "500", "2", "wall", "8.50", "17.00", "0.50", "0.51", "12%", "210", "4/1"]
    assert cpu == ["cpu", "6.00", "12.00", "0.50", "0.49", "8%"]


def test_a_single_run_claims_no_noise() -> None:
    one = Comparison(scenario="start-up", hostnames=0, ours=[sample(2)], reference=[sample(1)])
    wall, cpu = (line.split() for line in table_lines(one))
    assert wall[-2] == "-"
    assert cpu[-1] == "-"


def test_the_table_fits_80_columns_at_thousands_of_calls_and_seconds() -> None:
    one = Comparison(
        scenario="preview, same",
        hostnames=10_000,
        ours=[sample(1234.56, megabytes=1000)] * 2,
        reference=[sample(1234.56)] * 2,
        calls=Calls(ours=3010, reference=3001),
    )
    assert max(len(line) for line in [HEAD, *table_lines(one), *LEGEND.splitlines()]) <= 80


def test_the_json_holds_every_sample_and_both_ratios() -> None:
    one = Comparison(scenario="up", hostnames=5, ours=[sample(2), sample(3)], reference=[sample(4), sample(6)])
    document = one.to_json()
    assert document["runs"] == 2
    assert document["calls"] is None
    assert document["wall"] == {
        "ours": [2, 3],
        "reference": [4, 6],
        "ratioOfMinima": 0.5,
        "ratioOfMedians": 0.5,
        "noise": 0.5,
    }
