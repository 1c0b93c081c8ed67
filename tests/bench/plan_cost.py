"""The cost of `edge-dns plan`: how the time per hostname grows with the number of hostnames."""

import os
from collections.abc import Sequence
from pathlib import Path

from local.stack import ROOT
from tests.bench.measure import Comparison, Sample, measure
from tests.bench.workload import write_stack
from tools.toolchain import VENV

_UNIT = 1000
_HUB = {"url": "http://127.0.0.1", "apiKey": "not-used"}


def compare_plans(sizes: Sequence[int], *, rounds: int, folder: Path) -> list[Comparison]:
    """Plan stacks of these sizes in turn; compare the time per 1,000 hostnames of each with that of the smallest."""
    stacks = {size: write_stack(size, hub=_HUB, folder=folder / str(size)) for size in sizes}
    samples: dict[int, list[Sample]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for size, settings in stacks.items():
            samples[size].append(measure_plan(settings, output=folder / "plan.json"))
    smallest = min(sizes)
    return [
        Comparison(
            scenario="edge-dns plan",
            hostnames=size,
            ours=samples[size],
            reference=samples[smallest],
            ours_units=size / _UNIT,
            reference_units=smallest / _UNIT,
        )
        for size in sizes
    ]


def measure_plan(settings: Path, *, output: Path) -> Sample:
    """Plan a stack that is described by files only; the plan JSON goes to `output`."""
    command = [str(VENV / "bin" / "edge-dns"), "plan", "--settings", str(settings), "--json"]
    return measure(command, cwd=ROOT, environment=os.environ, output=output)
