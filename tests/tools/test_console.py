import os
import sys
from pathlib import Path

import pytest

from tools.console import SetupError, duration, run_long, say


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (60, "1 min"), (190, "3 min 10 s"), (3600, "60 min")],
)
def test_a_span_of_time_is_written_as_a_person_says_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_no_line_is_wider_than_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    text = "some words that go on " * 20
    say(text)
    said = capsys.readouterr().out + str(SetupError(text, text, f"{text}\n{text}"))
    assert max(len(line) for line in said.splitlines()) <= 80


def test_a_long_program_hands_back_its_exit_code_and_every_line(tmp_path: Path) -> None:
    program = "import sys; print('one'); print('two', file=sys.stderr); sys.exit(3)"
    command = [sys.executable, "-u", "-c", program]
    code, lines = run_long(command, cwd=tmp_path, env=os.environ, progress=lambda lines: "")
    assert (code, sorted(lines)) == (3, ["one", "two"])
