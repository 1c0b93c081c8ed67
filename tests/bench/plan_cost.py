"""The cost of `edge-dns plan`, against octoDNS that plans the same record sets, and how it grows."""

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from local.stack import ROOT
from tests.bench.comparison import Comparison
from tests.bench.measure import Sample, measure
from tests.bench.octodns import OctoDns, Target
from tests.bench.scale import Bench
from tests.bench.turns import take_turns
from tests.bench.workload import write_stack
from tools.toolchain import VENV

EMPTY, EQUAL, GROWTH = "octoDNS, empty", "octoDNS, equal", "size before"

_HUB = {"url": "http://127.0.0.1", "apiKey": "not-used"}
_TARGETS: dict[Target, str] = {"empty": EMPTY, "equal": EQUAL}


def compare_plans(bench: Bench) -> Iterator[Comparison]:
    """Yield for each size the comparisons with both targets, and that of each size with the one before."""
    before: list[Sample] = []
    for size in bench.scale.sizes["plan"]:
        folder = bench.folder / str(size)
        settings = write_stack(size, hub=_HUB, folder=folder)
        memory = folder / "memory.json"
        measure_plan(settings, output=memory)
        reference = OctoDns.write(folder / "octodns", json.loads(memory.read_text(encoding="utf-8"))["records"])
        for target, phase in _TARGETS.items():
            ours, octodns = take_turns(
                partial(
                    _measure_table,
                    settings,
                    output=folder / "plan",
                    memory=memory if target == "equal" else None,
                ),
                partial(reference.measure, target),
                rounds=bench.scale.rounds_of(size),
                what=f"plan {size:,}: {phase}",
                bench=bench,
            )
            contents = {"record sets": reference.record_sets}
            yield Comparison(scenario="plan", phase=phase, size=size, ours=ours, reference=octodns, contents=contents)
            if target == "empty":
                new = ours
        if before:
            yield Comparison(scenario="plan", phase=GROWTH, size=size, ours=new, reference=before)
        before = new


def _measure_table(settings: Path, *, output: Path, memory: Path | None) -> Sample:
    """Plan a stack as a person does; like octoDNS it prints what it would do as a text."""
    return measure(_command(settings, memory), cwd=ROOT, environment=os.environ, output=output)


def measure_plan(settings: Path, *, output: Path) -> Sample:
    """Plan a stack that is described by files only; the plan JSON goes to `output`."""
    return measure([*_command(settings, None), "--json"], cwd=ROOT, environment=os.environ, output=output)


def _command(settings: Path, memory: Path | None) -> list[str]:
    remembered = ["--memory", str(memory)] if memory else []
    return [str(VENV / "bin" / "edge-dns"), "plan", "--settings", str(settings), *remembered]
