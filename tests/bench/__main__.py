"""`python -m tests.bench`: what the program costs, as ratios in one run, and which promises that keeps."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.bench.call_promises import call_verdicts
from tests.bench.comparison import Comparison
from tests.bench.measure import CommandFailed
from tests.bench.promises import time_verdicts
from tests.bench.scale import DEFAULT, LONG, QUICK, Bench, Scale
from tests.bench.scenarios import SCENARIOS
from tests.bench.table import HEAD, LEGEND, table_line
from tests.bench.verdicts import Verdict, verdict_line


def main() -> int:
    """Measure; print the table and the verdicts. The status is 1 where a run failed or made more calls than promised.

    Progress goes to stderr. No time fails the bench.
    """
    options = _parser().parse_args()
    scale = _scale(options)
    try:
        with tempfile.TemporaryDirectory(prefix="edge-dns-bench-") as folder:
            comparisons = _compare(options.only, scale, Path(folder), at_once=options.quick)
    except CommandFailed as failed:
        print(failed, file=sys.stderr)
        return 1
    print(f"\n{LEGEND}\n")
    of_calls = call_verdicts(comparisons)
    verdicts = [*time_verdicts(comparisons), *of_calls]
    print("\n".join(map(verdict_line, verdicts)))
    if options.json:
        options.json.write_text(json.dumps(_document(comparisons, verdicts), indent=2) + "\n", encoding="utf-8")
    return 1 if any(one.holds is False for one in of_calls) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.bench", description="What the program costs, as ratios in one run.")
    parser.add_argument(
        "--only", type=_names, default=tuple(SCENARIOS), metavar="NAME,…", help=f"scenarios: {', '.join(SCENARIOS)}"
    )
    parser.add_argument("--sizes", type=_sizes, metavar="N,…", help="sizes of every scenario, instead of its own")
    parser.add_argument("--rounds", type=int, help=f"runs of each side ({DEFAULT.rounds}; above 1,000 one less)")
    parser.add_argument("--long", action="store_true", help="all sizes of all workloads, and creations up to 1,000")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, both sides at once: shows that it works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples, calls and verdicts to a file too")
    return parser


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := set(names) - set(SCENARIOS):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: there are {', '.join(SCENARIOS)}")
    return names


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(size) for size in text.split(",")))


def _scale(options: argparse.Namespace) -> Scale:
    scale = QUICK if options.quick else LONG if options.long else DEFAULT
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    return replace(scale, sizes=dict.fromkeys(scale.sizes, options.sizes)) if options.sizes else scale


def _compare(names: Sequence[str], scale: Scale, folder: Path, *, at_once: bool) -> list[Comparison]:
    """Run the scenarios; each line is printed as soon as it is there."""
    done = []
    print(HEAD, flush=True)
    for name in names:
        scenario = SCENARIOS[name]
        print(f"{name}: {scenario.heading}", flush=True)
        for one in scenario.compare(Bench(scale=scale, folder=folder / name, tell=_tell, at_once=at_once)):
            print(table_line(one), flush=True)
            done.append(one)
    return done


def _document(comparisons: Sequence[Comparison], verdicts: Sequence[Verdict]) -> dict[str, object]:
    return {
        "version": 2,
        "comparisons": [one.to_json() for one in comparisons],
        "verdicts": [one.to_json() for one in verdicts],
    }


def _tell(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
