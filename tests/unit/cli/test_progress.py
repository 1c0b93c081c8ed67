"""Progress of commands: what a terminal, a CI log and a pipe get to see of the same lines."""

import io

import pytest

from edge_dns.cli.progress import Medium, Progress, fitted, medium_of
from edge_dns.observe.telling import Lasting, Passing

LINES = [
    "reading cluster prod",
    Passing("reading cluster prod: 500 httproutes so far"),
    Lasting("cluster prod: tlsroutes are not read, listing them is forbidden"),
    "reading zone example.com",
]
CLEAR = "\r\x1b[K"


def told(medium: Medium, *lines: str) -> str:
    stream = io.StringIO()
    progress = Progress(stream, medium)
    for line in lines:
        progress(line)
    progress.end()
    return stream.getvalue()


def test_a_terminal_shows_one_line_in_place_and_keeps_what_lasts() -> None:
    assert told("terminal", *LINES) == (
        f"{CLEAR}reading cluster prod"
        f"{CLEAR}reading cluster prod: 500 httproutes so far"
        f"{CLEAR}cluster prod: tlsroutes are not read, listing them is forbidden\n"
        f"{CLEAR}reading zone example.com"
        f"{CLEAR}"
    )


def test_a_ci_log_has_a_line_for_each_thing_that_is_read_and_no_control_character() -> None:
    assert told("log", *LINES) == (
        "reading cluster prod\n"
        "cluster prod: tlsroutes are not read, listing them is forbidden\n"
        "reading zone example.com\n"
    )


def test_a_pipe_gets_what_lasts_alone() -> None:
    assert told("pipe", *LINES) == "cluster prod: tlsroutes are not read, listing them is forbidden\n"
    assert told("pipe", LINES[0], LINES[1]) == ""


@pytest.mark.parametrize(
    ("line", "columns", "shown"),
    [
        pytest.param("reading zone a", 80, "reading zone a", id="short"),
        pytest.param("x" * 19, 20, "x" * 19, id="just fits"),
        pytest.param("x" * 20, 20, "x" * 16 + "...", id="would wrap"),
        pytest.param("zone \x1b[2J\n", 80, "zone \\x1b[2J\\n", id="what a terminal would act on"),
        pytest.param("reading", 2, "...", id="hardly any terminal"),
    ],
)
def test_a_line_never_wraps(line: str, columns: int, shown: str) -> None:
    assert fitted(line, columns) == shown


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "medium"),
    [
        pytest.param(_Terminal(), {"TERM": "xterm"}, "terminal", id="terminal"),
        pytest.param(_Terminal(), {"TERM": "xterm", "CI": "false"}, "terminal", id="no CI"),
        pytest.param(_Terminal(), {"TERM": "xterm", "CI": "true"}, "log", id="terminal of a CI job"),
        pytest.param(_Terminal(), {"TERM": "dumb"}, "pipe", id="terminal that rewrites nothing"),
        pytest.param(io.StringIO(), {"CI": "1"}, "log", id="CI"),
        pytest.param(io.StringIO(), {}, "pipe", id="pipe"),
    ],
)
def test_what_stderr_is(stream: io.StringIO, environment: dict[str, str], medium: Medium) -> None:
    assert medium_of(stream, environment) == medium


def test_a_stream_that_nobody_reads_fails_no_command() -> None:
    stream = io.StringIO()
    stream.close()
    Progress(stream, "terminal")("reading")
