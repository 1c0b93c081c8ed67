"""What a person at a terminal, and a CI log, get to see while a cluster is read."""

import os
import subprocess
from pathlib import Path

import pytest

from local.loopback import Fault
from tests.local.kubernetes.fake_server import FakeServer
from tests.local.kubernetes.test_observe_command import settings
from tests.local.watched import COMMAND, Watched

HOURS = 36_000.0
"""So long an answer waits for the test, which cuts it short."""


@pytest.fixture
def arguments(server: FakeServer, tmp_path: Path) -> list[str]:
    routes = [{"metadata": {"namespace": "team", "name": f"r{number}", "uid": f"r{number}"}} for number in range(1200)]
    server.objects["httproutes"] = routes
    file = settings(tmp_path, server.cluster(tmp_path))
    return ["observe", "--settings", file, "-o", str(tmp_path / "prod.json")]


def test_a_terminal_shows_what_is_read_and_how_far_before_the_answer_comes(
    server: FakeServer, arguments: list[str]
) -> None:
    server.http.inject(Fault(path="/httproutes$", delay_seconds=HOURS, skip=2))
    server.http.inject(Fault(path="/gateways$", delay_seconds=HOURS))
    with Watched(*COMMAND, *arguments, environment=os.environ) as watched:
        watched.wait_for("reading cluster prod")
        watched.wait_for("reading cluster prod: 1,000 httproutes so far")
        server.http.clear_faults()
        status, out, shown = watched.end()
        assert watched.left == ""
    assert (status, out) == (0, f"{arguments[-1]}: 1200 objects of cluster prod\n")
    assert shown[0] == "reading cluster prod"
    assert shown.index("reading cluster prod: 500 httproutes so far") < shown.index(
        "reading cluster prod: 1,000 httproutes so far"
    )
    assert shown[-1].startswith("cluster prod: 1,200 httproutes")
    assert max(map(len, shown)) < 80


def test_an_error_stands_on_a_line_of_its_own(server: FakeServer, arguments: list[str]) -> None:
    server.http.inject(Fault(path="/gateways$", status=500))
    with Watched(*COMMAND, *arguments, environment=os.environ) as watched:
        status, out, _ = watched.end()
        assert (status, out) == (2, "")
        assert watched.left.startswith("error: cluster prod: the API server")


@pytest.mark.parametrize(
    ("ci", "expected"),
    [
        pytest.param("true", ["reading cluster prod"], id="CI log"),
        pytest.param("", [], id="pipe"),
    ],
)
def test_a_log_has_a_line_for_each_thing_read_and_a_pipe_what_lasts(
    server: FakeServer, arguments: list[str], ci: str, expected: list[str]
) -> None:
    server.http.inject(Fault(path="/grpcroutes$", status=403))
    done = subprocess.run(
        [*COMMAND, *arguments], env={**os.environ, "CI": ci}, capture_output=True, text=True, check=True
    )
    lasting = "cluster prod: grpcroutes are not read, listing them is forbidden"
    assert done.stderr.splitlines() == [*expected, lasting]
    assert "\r" not in done.stderr + done.stdout
