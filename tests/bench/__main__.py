"""`python -m tests.bench`: what the program costs per hostname, as ratios in one run."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.cluster_cost import cost_lines
from tests.bench.engine_cost import compare_start_up, compare_with_bare
from tests.bench.measure import CommandFailed, Comparison
from tests.bench.plan_cost import compare_plans
from tests.bench.table import HEAD, LEGEND, table_lines
from tests.cluster.workload import read_and_plan_costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The sizes in hostnames; `rounds` are the runs of each side.

    An update needs a new stack: `stacks` says how many at most for each size.
    """

    plan_sizes: tuple[int, ...]
    stacks: Mapping[int, int]
    rounds: int


FULL = Scale(plan_sizes=(1000, 10_000), stacks={100: 3, 500: 2, 1000: 1}, rounds=3)
QUICK = Scale(plan_sizes=(20, 40), stacks={4: 1}, rounds=1)


def main() -> int:
    """Measure, and print the table; progress goes to stderr."""
    parser = argparse.ArgumentParser(prog="tests.bench", description="What the program costs, as ratios in one run.")
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, one run: shows that it works, not what it costs"
    )
    parser.add_argument("--rounds", type=int, help=f"runs of each side ({FULL.rounds})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples to a file too")
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    try:
        with tempfile.TemporaryDirectory(prefix="edge-dns-bench-") as folder:
            comparisons = _print_table(_compare(scale, options.rounds or scale.rounds, Path(folder)))
        if not options.quick:
            _tell("live cluster")
            print("\n" + "\n".join(cost_lines(read_and_plan_costs())))
    except CommandFailed as failed:
        print(failed, file=sys.stderr)
        return 1
    if options.json:
        document = {"version": 1, "comparisons": [one.to_json() for one in comparisons]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _compare(scale: Scale, rounds: int, folder: Path) -> Iterator[Comparison]:
    _tell("edge-dns plan")
    yield from compare_plans(scale.plan_sizes, rounds=rounds, folder=folder / "plan")
    yield compare_start_up(rounds=rounds, folder=folder / "start-up", tell=_tell)
    for size, stacks in scale.stacks.items():
        new = min(stacks, rounds)
        yield from compare_with_bare(size, stacks=new, rounds=rounds, folder=folder / "engine", tell=_tell)


def _print_table(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Print each comparison as soon as it is there; returns all."""
    done = []
    print(HEAD, flush=True)
    for one in comparisons:
        print("\n".join(table_lines(one)), flush=True)
        done.append(one)
    print(f"\n{LEGEND}")
    return done


def _tell(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
