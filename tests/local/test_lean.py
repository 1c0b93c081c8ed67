"""run_lean: what a run does without, tried in a process of its own."""

import os
import subprocess
import sys

import pytest

PROBE = """
import gc, pulumi
from components.lean import run_lean
before = pulumi.log.debug
run_lean()
print(gc.isenabled(), pulumi.log.debug is before)
"""


@pytest.mark.parametrize(
    ("environment", "told"),
    [({}, "False False"), ({"EDGE_DNS_SDK_DEBUG": "1"}, "False True")],
    ids=["as a rule", "the debug log is asked for"],
)
def test_a_run_does_without_collector_and_debug_log(environment: dict[str, str], told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == told
