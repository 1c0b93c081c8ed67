"""The installed command, as a person or a script runs it."""

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from edge_dns.cli.main import main

COMMAND = str(Path(sys.executable).parent / "edge-dns")
SETTINGS = """
config:
  edge-dns:edgeTargets: {EU: edge-eu.example.net}
  edge-dns:zones: [{domain: example.com, provider: cloudflare, zoneId: z1}]
  edge-dns:tunnels:
  - {name: web, namespace: shop, hostnames: [a.example.com, b.example.net], dns: {mode: Zone}}
"""


def test_the_command_plans_without_pulumi_or_a_network(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(SETTINGS)
    program = (
        "import sys; from edge_dns.cli.main import main; status = main(sys.argv[1:]); "
        "assert not {'pulumi', 'urllib3', 'boto3'} & set(sys.modules); sys.exit(status)"
    )
    arguments = ["plan", "--settings", str(file), "--json"]
    ran = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    same = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert (same.returncode, same.stdout) == (ran.returncode, ran.stdout)
    assert [one["hostname"] for one in json.loads(ran.stdout)["hostnames"]] == ["a.example.com", "b.example.net"]


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    hostnames = ", ".join(f"n{number}.example.com" for number in range(3000))
    file = tmp_path / "settings.yaml"
    file.write_text(SETTINGS.replace("a.example.com", hostnames))
    with subprocess.Popen(
        [COMMAND, "plan", "--settings", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0


ASCII_ONLY = {**os.environ, "PYTHONIOENCODING": "ascii"}
NO_SPACE = "error: cannot write to stdout: No space left on device\n"
NO_PREVIEW = "error: stdin: the preview is cut off: it holds neither its summary nor an error\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["plan", "--settings", "FILE"], NO_SPACE),
        (["plan", "--settings", "FILE", "--json"], NO_SPACE),
        (["explain", "a.example.com", "--settings", "FILE"], NO_SPACE),
        (["summary", "--help"], NO_SPACE),
        (["summary"], NO_PREVIEW),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_printed_is_told_in_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(SETTINGS)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [COMMAND, *(str(file) if one == "FILE" else one for one in arguments)],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (2, told)


def test_a_failure_has_its_exit_status_where_nothing_at_all_can_be_printed(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(SETTINGS)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run([COMMAND, "plan", "--settings", str(file)], stdout=full, stderr=full, check=False)
    assert ran.returncode == 2


def test_an_output_that_takes_ascii_only_is_told_and_nothing_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(SETTINGS.replace("a.example.com", '"caf\\xe9 .example.com"'))
    ran = subprocess.run(
        [COMMAND, "plan", "--settings", str(file)], env=ASCII_ONLY, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert " ".join(ran.stderr.split()) == (
        "error: cannot write to stdout: it takes ascii only, not \\xe9; set PYTHONIOENCODING=utf-8"
    )


def test_ctrl_c_ends_a_command_in_one_line(tmp_path: Path) -> None:
    events = tmp_path / "events"
    os.mkfifo(events)
    # What a shell starts in the background ignores Ctrl-C, and its children inherit that.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from edge_dns.cli.main import main; sys.exit(main())"
    )
    arguments = [sys.executable, "-c", program, "summary", str(events)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        writer = events.open("w")  # returns once the command has opened it
        process.send_signal(signal.SIGINT)
        writer.close()
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")


def test_ctrl_c_while_the_command_is_imported_ends_it_in_one_line() -> None:
    program = """
import sys
from edge_dns.cli.entry import main

class Interrupted:
    def find_spec(self, name, *_):
        if name == "edge_dns.cli.plan":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
sys.exit(main())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "error: interrupted\n")
    (script,) = entry_points(group="console_scripts", name="edge-dns")
    assert script.value == "edge_dns.cli.entry:main"


@pytest.mark.parametrize(
    "command",
    ["", "plan", "explain", "observe", "summary", "verify", "audit orphans", "audit exposure", "dump", "baseline"],
)
def test_every_help_fits_in_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []
