"""`make demo` as a person runs it: the command in a process of its own, on the real engine."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.processes import until
from tools.toolchain import ROOT

# Nobody answers there: what goes through a proxy fails.
PROXY = {"HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"}


@contextmanager
def demo(folder: Path, *arguments: str, env: Mapping[str, str] = {}) -> Iterator[subprocess.Popen[str]]:
    """Start the demo; its standard error comes with its output."""
    command = [sys.executable, "-m", "local.demo", "--folder", str(folder), *arguments]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """Return what the demo prints up to the line with this text."""
    assert process.stdout is not None
    read = ""
    for line in process.stdout:
        read += line
        if text in line:
            return read
    raise AssertionError(f"no {text!r} in:\n{read}")


def section(output: str, number: int) -> str:
    """Return one numbered part of the output."""
    return re.split(r"^\d\. ", output, flags=re.MULTILINE)[number]


def previews(folder: Path) -> bool:
    """Whether a `pulumi` of the demo runs."""
    return any("--event-log" in command and "pulumi" in command for command in still_running(folder))


def still_running(folder: Path) -> list[str]:
    """Return the command lines of all processes that know the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            known = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if os.fsencode(folder) in known:
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def stack_files() -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (ROOT / "stacks").iterdir()}


def test_the_demo_shows_that_exactly_the_records_of_two_names_go_and_starts_afresh_each_time(tmp_path: Path) -> None:
    folder, before = tmp_path / "demo", stack_files()
    with demo(folder, env=PROXY) as process:
        output, _ = process.communicate()
    assert process.returncode == 0, output
    published = section(output, 3).splitlines()
    assert "Asked by DNS, with the zones in BIND: both are NXDOMAIN." in section(output, 4)
    assert "  app        CNAME  auto   no     team/web      edge-eu.example.net" in published
    assert "  wiki       A      300    -      infra/lan     10.0.0.10" in published
    assert [line for line in section(output, 4).splitlines() if line.startswith("  ") and line[2] != " "] == [
        "  NAME  TYPE   TTL    PROXY  MARKER       VALUE",
        "  app   CNAME  auto   no     team/web     edge-eu.example.net",
        "  cart  A      alias  -      infra/front  lb-7.elb.eu-west-1.amazonaws.com",
        "  cart  AAAA   alias  -      infra/front  lb-7.elb.eu-west-1.amazonaws.com",
    ]
    assert "Checked: exactly the records of these two went" in output
    assert max(map(len, output.replace(str(folder), "").splitlines())) <= 80
    assert still_running(folder) == []

    with demo(folder, "--keep") as process:
        again = read_until(process, "pulumi stack output")
        assert [section(again, number) for number in (2, 3, 4, 5)] == [section(output, n) for n in (2, 3, 4, 5)]
        assert max(map(len, again.replace(str(folder), ".local/demo").splitlines())) <= 80
        assert "ARGS=--keep" in output
        assert "ARGS=--keep" not in again
        assert "The account at Cloudflare is 0a1b2c3d4e5f60718293a4b5c6d7e8f9" in again
        run_as_pasted(again.partition("in another terminal:\n")[2])
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        read_until(process, "wiki")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert still_running(folder) == []
    assert stack_files() == before
    written = "".join(file.read_text(errors="replace") for file in folder.rglob("*") if file.is_file())
    assert "local-hub-key" not in output + again + written
    assert "local-cloudflare-token" not in output + again + written


def run_as_pasted(commands: str) -> None:
    """Run the commands that the demo shows in a shell of its own; all must succeed."""
    unasked = commands.replace("pulumi up ", "pulumi up --yes ")
    done = subprocess.run(["sh", "-e"], input=unasked, cwd="/", check=False, capture_output=True, text=True)
    assert done.returncode == 0, commands + done.stdout + done.stderr


def test_an_interrupted_demo_ends_cleanly(tmp_path: Path) -> None:
    with demo(tmp_path / "demo") as process:
        read_until(process, "2. pulumi preview")
        until(lambda: previews(tmp_path), "the demo previews")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 130, output
    assert output.splitlines()[-1] == "demo: interrupted; nothing of it runs any more."
    assert "Traceback" not in output
    assert still_running(tmp_path) == []


def test_a_failed_step_is_told_with_the_place_of_the_log(tmp_path: Path) -> None:
    with demo(tmp_path / "demo", env={"PULUMI_OPTION_EXPECT_NO_CHANGES": "true"}) as process:
        output, _ = process.communicate()
    assert process.returncode == 1, output
    assert "demo: pulumi preview failed." in output
    assert "no changes were expected" in output
    assert f"All that it said: {tmp_path / 'demo' / 'log'}" in output
    assert "no changes were expected" in (tmp_path / "demo" / "log").read_text(encoding="utf-8")
    assert "Traceback" not in output


def test_a_folder_with_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    with demo(tmp_path) as process:
        output, _ = process.communicate()
    assert process.returncode == 1
    assert "holds something else than an earlier demo" in output
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"
