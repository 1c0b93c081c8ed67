"""`python -m tests.bench --quick` on the real engine: it works and prints what it promises; nothing is timed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from local.stack import ROOT

SCENARIOS = ["edge-dns plan", "edge-dns plan", "start-up", "preview, new", "up, new", "preview, same"]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, object]]:
    """The lines of the table, and the document with all samples."""
    file: Path = tmp_path_factory.mktemp("bench") / "samples.json"
    command = [sys.executable, "-m", "tests.bench", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n\n")[0].splitlines(), json.loads(file.read_text(encoding="utf-8"))


def test_the_table_has_every_scenario_with_both_times(quick: tuple[list[str], dict[str, object]]) -> None:
    head, *lines = quick[0]
    assert head.split()[:7] == ["scenario", "names", "n", "s", "ours", "base", "ratio"]
    assert [line[:13].strip() for line in lines[::2]] == SCENARIOS
    assert [line[24:28].strip() for line in lines] == ["wall", "cpu"] * len(SCENARIOS)
    assert all(float(number) > 0 for line in lines for number in line[28:].split()[:4])


def test_a_preview_of_the_same_makes_no_call_per_hostname(quick: tuple[list[str], dict[str, object]]) -> None:
    comparisons = quick[1]["comparisons"]
    assert isinstance(comparisons, list)
    assert [one["scenario"] for one in comparisons] == SCENARIOS
    # The list of invites, three reads of the only one (program, refresh, diff), one page of each of the two zones.
    assert comparisons[-1]["calls"]["ours"] <= 1 + 3 + 2
