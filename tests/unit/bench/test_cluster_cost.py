"""The bench's lines on live clusters."""

from tests.bench.cluster_cost import cost_lines
from tests.cluster.workload import Cost


def test_costs_are_told_per_route_and_as_ratios_to_the_smallest_size() -> None:
    small = Cost(routes=1000, read_seconds=0.1, plan_seconds=0.05, peak_mib=70)
    large = Cost(routes=5000, read_seconds=1.0, plan_seconds=0.25, peak_mib=99)
    _, first, second = cost_lines([small, large])
    assert first.split()[3:] == ["1000", "100", "1.00", "50", "1.00", "70"]
    assert second.split()[3:] == ["5000", "200", "2.00", "50", "1.00", "99"]
