"""A command that reads files says which before it has read them: here they are pipes that wait for the test."""

import os
import subprocess
from pathlib import Path

import yaml

from edge_dns.observe.questions import tell_asker, told_line
from edge_dns.observe.reader import passed_on
from edge_dns.observe.telling import Lasting, Passing
from tests.local.watched import COMMAND, Watched

SETTINGS = {
    "zones": [{"domain": "example.com", "provider": "cloudflare", "zoneId": "z1"}],
    "clusters": [{"name": "prod", "files": ["objects.yaml"]}],
}
OBJECTS = {"apiVersion": "v1", "kind": "List", "items": []}


def test_a_plan_tells_each_file_that_it_reads_and_leaves_nothing_on_the_terminal(tmp_path: Path) -> None:
    settings, objects = tmp_path / "settings.yaml", tmp_path / "objects.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS))
    os.mkfifo(objects)
    with Watched(*COMMAND, "plan", "--settings", str(settings), "--json", environment=os.environ) as watched:
        watched.wait_for("reading cluster prod: objects.yaml")
        objects.write_text(yaml.safe_dump(OBJECTS))
        status, out, shown = watched.end()
        assert watched.left == ""
    assert (status, out[0]) == (0, "{")
    assert shown[0].startswith("reading /")
    assert shown[1:] == [
        "reading cluster prod: objects.yaml",
        "planning 0 routes and 0 tunnels",
        "writing the plan of 0 hostnames",
    ]


def test_a_summary_of_a_preview_that_still_runs_tells_that_it_reads_it() -> None:
    with Watched(*COMMAND, "summary", environment=os.environ, stdin=subprocess.PIPE) as watched:
        watched.wait_for("reading the preview")
        assert watched.process.stdin
        watched.process.stdin.close()
        watched.process.stdin = None
        status, _, _ = watched.end()
        assert watched.left.startswith("error: stdin: ")
    assert status == 2


def test_lines_of_the_reading_program_pass_through_its_pipe_with_their_kind(tmp_path: Path) -> None:
    told: list[str] = []
    lines = ["reading zone example.com", Passing("zone example.com: 12 records"), Lasting("listing is forbidden")]
    with passed_on(tmp_path / "progress", told.append):
        for line in lines:
            tell_asker(line, tmp_path / "progress")
    assert told == lines
    assert list(map(type, told)) == list(map(type, lines))
    assert told_line("str reading\n") == "reading"


def test_the_reading_program_waits_for_no_command_that_is_gone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "progress")
    tell_asker("nobody listens", tmp_path / "progress")
    tell_asker("there is no pipe", tmp_path / "nowhere")
