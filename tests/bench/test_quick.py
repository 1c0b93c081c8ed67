"""`python -m tests.bench --quick` on the real engine: it works and prints what it promises; nothing is timed."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from local.stack import ROOT
from tests.bench.plan_cost import EMPTY, EQUAL, GROWTH
from tests.bench.scenarios import SCENARIOS
from tests.bench.stack_cost import CHANGE, CREATE, GONE, NEW, OF_PREVIEW, SAME
from tests.bench.start_up_cost import EMPTY_PLAN, HELP, NOTHING
from tests.bench.table import HEAD
from tests.bench.workload import WORKLOADS

LIFE = [NEW, CREATE, SAME, CHANGE, OF_PREVIEW, GONE]
PHASES = {
    "plan": [EMPTY, EQUAL, EMPTY, EQUAL, GROWTH],
    "observe": ["per route", "per route"],
    "start-up": [NOTHING, EMPTY_PLAN, HELP],
    "audit": ["per record", "per record"],
    **{workload.name: LIFE for workload in WORKLOADS},
}


class Quick(NamedTuple):
    """The lines of the table, those of the verdicts, and the document with all samples."""

    table: list[str]
    verdicts: list[str]
    document: Mapping[str, Any]

    def comparison(self, scenario: str, phase: str) -> Mapping[str, Any]:
        """The last comparison of this name."""
        found = [one for one in self.document["comparisons"] if (one["scenario"], one["phase"]) == (scenario, phase)]
        assert isinstance(found[-1], dict)
        return found[-1]


def test_the_bench_runs_every_scenario_and_gives_a_verdict_on_every_promise(tmp_path: Path) -> None:
    # One test, since the bench runs once for all of it. It fails unless both sides hold the same resources.
    quick = run_quick(tmp_path / "samples.json")
    assert_every_scenario_has_both_sides(quick)
    assert_both_plan_and_declare_the_same(quick)
    assert_calls_are_counted_at_every_service(quick)
    assert_every_promise_has_a_verdict(quick)


def run_quick(file: Path) -> Quick:
    command = [sys.executable, "-m", "tests.bench", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    table, _, verdicts = done.stdout.strip().split("\n\n")
    return Quick(table.splitlines(), verdicts.splitlines(), json.loads(file.read_text(encoding="utf-8")))


def assert_every_scenario_has_both_sides(quick: Quick) -> None:
    assert quick.table[0] == HEAD
    found: dict[str, list[str]] = {}
    for line in quick.table[1:]:
        if (name := line.partition(":")[0]) in SCENARIOS:
            found[name] = []
        else:
            found[list(found)[-1]].append(line[:14].rstrip())
    assert found == PHASES
    assert max(map(len, [*quick.table, *quick.verdicts])) <= 80
    # Only the smallest sizes of what is compared with them have no other side.
    alone = [one["phase"] for one in quick.document["comparisons"] if not one["wall"]["reference"]]
    assert alone == ["per route", "per record"]
    assert all(min(one["wall"]["ours"]) > 0 for one in quick.document["comparisons"])


def assert_both_plan_and_declare_the_same(quick: Quick) -> None:
    assert quick.comparison("plan", EMPTY)["contents"] == {"record sets": 40}
    contents = {workload.name: quick.comparison(workload.name, GONE)["contents"] for workload in WORKLOADS}
    assert contents == {
        "mixed": {"invite": 1, "cloudflare": 2, "route53": 4},
        "cloudflare": {"invite": 1, "cloudflare": 4},
        "route53": {"invite": 1, "route53": 8},
        "dnsendpoint": {"invite": 1, "dnsendpoint": 2},
    }


def assert_calls_are_counted_at_every_service(quick: Quick) -> None:
    same = {workload.name: quick.comparison(workload.name, SAME)["calls"]["ours"] for workload in WORKLOADS}
    # The list of invites, three reads of the only one; a zone and its records; a page of a zone; a page of objects.
    assert same == {
        "mixed": {"hub": 4, "cloudflare": 2, "route53": 1},
        "cloudflare": {"hub": 4, "cloudflare": 2, "route53": 0},
        "route53": {"hub": 4, "cloudflare": 0, "route53": 1},
        "dnsendpoint": {"hub": 4, "cloudflare": 0, "route53": 0, "cluster": 1},
    }
    assert quick.comparison("observe", "per route")["calls"]["ours"]["httproutes"] == 1


def assert_every_promise_has_a_verdict(quick: Quick) -> None:
    verdicts = {one["promise"]: one["verdict"] for one in quick.document["verdicts"]}
    assert len(verdicts) == len(quick.verdicts)
    for (promise, verdict), line in zip(verdicts.items(), quick.verdicts, strict=True):
        assert line.startswith(promise)
        assert line.endswith(verdict)
    calls = {promise: verdict for promise, verdict in verdicts.items() if " above " in promise and "SDK" not in promise}
    assert len(calls) == 6 * len(WORKLOADS) + 2
    assert set(calls.values()) == {"holds"}
    assert {verdict for promise, verdict in verdicts.items() if "000" in promise} == {"not measured"}
