"""What a real API server's HTTPRoutes cost to read and to plan, per route at two sizes of one run."""

from collections.abc import Iterable, Iterator

from tests.cluster.workload import Cost


def cost_lines(costs: Iterable[Cost]) -> Iterator[str]:
    """Yield one line per size: microseconds per route, as ratios to the smallest size, and the peak memory in MiB."""
    base: Cost | None = None
    yield "live cluster     routes   read µs  ratio   plan µs  ratio   MiB"
    for cost in costs:
        base = base or cost
        read, plan = (1e6 * seconds / cost.routes for seconds in (cost.read_seconds, cost.plan_seconds))
        base_read, base_plan = (1e6 * seconds / base.routes for seconds in (base.read_seconds, base.plan_seconds))
        yield (
            f"read and plan  {cost.routes:>8}  {read:>8.0f}  {read / base_read:>5.2f}"
            f"  {plan:>8.0f}  {plan / base_plan:>5.2f}  {cost.peak_mib:>4.0f}"
        )
