"""The built (or chosen) toolchain runs programs, policy packs and provider plugins in Python, quietly and tidily."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import PATIENCE_SECONDS, alive, descendants, until
from tools.builder import cache_directory
from tools.toolchain import VENV, bin_directory, environment

DATA = Path(__file__).parent / "data"


@pytest.fixture
def built_here() -> None:
    """For what the official language host does in its own way."""
    if not bin_directory().is_relative_to(cache_directory(os.environ)):
        pytest.skip("the pulumi on PATH is in use, with its own language host")


class Project:
    """A stack of the sample program on a file backend, with its plugin and its policy pack."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = environment(os.environ, home=folder / "home") | {
            "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
            "PULUMI_CONFIG_PASSPHRASE": "sample",
        }
        (folder / "state").mkdir()
        self.write("Pulumi.yaml", name="sample", plugins={"providers": [{"name": "sample", "path": "./plugin"}]})
        self.write("plugin/PulumiPlugin.yaml")
        self.write("policy/PulumiPolicy.yaml")
        for source, target in (("program", "."), ("plugin", "plugin"), ("policy", "policy")):
            shutil.copyfile(DATA / f"{source}.py", folder / target / "__main__.py")
        self.run("stack", "init", "dev")

    def write(self, path: str, *, virtualenv: Path = VENV, **content: object) -> None:
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        # Relative, as a project in a checkout has it.
        options = {"virtualenv": os.path.relpath(virtualenv, file.parent)}
        file.write_text(json.dumps({"runtime": {"name": "python", "options": options}, **content}), encoding="utf-8")

    def start(self, *arguments: str, mode: str = "") -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["pulumi", "--non-interactive", "--color=never", *arguments],
            cwd=self.folder,
            env=self.env | ({"SAMPLE_MODE": mode} if mode else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, mode: str = "", expect: int = 0) -> str:
        process = self.start(*arguments, mode=mode)
        output, _ = process.communicate()
        assert (process.returncode == 0) == (expect == 0), output
        return output


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def waiting(project: Project) -> Iterator[subprocess.Popen[str]]:
    """An update whose program, plugin and policy pack are all running and in no hurry."""
    engine = project.start("up", "--stack=dev", "--yes", "--skip-preview", "--policy-pack=policy", mode="wait")
    try:
        until((project.folder / "waiting").exists, "the program waits")
        yield engine
    finally:
        engine.kill()
        engine.communicate()


def assert_quiet(output: str) -> None:
    assert [word for word in ("warning", "error", "traceback", "interrupt") if word in output.lower()] == [], output


def test_a_program_with_a_local_plugin_and_a_policy_pack_previews_and_ups_quietly(project: Project) -> None:
    preview = project.run("preview", "--stack=dev", "--policy-pack=policy")
    up = project.run("up", "--stack=dev", "--yes", "--policy-pack=policy")
    again = project.run("preview", "--stack=dev", "--policy-pack=policy", "--expect-no-changes")
    for output in (preview, up, again):
        assert_quiet(output)
    assert "+ 2 to create" in preview
    assert json.loads(project.run("stack", "output", "--stack=dev", "--json")) == {"ended": "well"}
    project.run("destroy", "--stack=dev", "--yes")


def test_configuration_reaches_the_program_with_its_secrets_marked(project: Project) -> None:
    source = "import pulumi\nconfig = pulumi.Config()\npulumi.export('plain', config.require('plain'))\n"
    source += "pulumi.export('hidden', config.require('hidden'))\n"
    (project.folder / "__main__.py").write_text(source, encoding="utf-8")
    project.run("config", "set", "--stack=dev", "plain", 'a <b> "c"')
    project.run("config", "set", "--stack=dev", "--secret", "hidden", "sesame")
    output = project.run("up", "--stack=dev", "--yes")
    assert "sesame" not in output
    assert json.loads(project.run("stack", "output", "--stack=dev", "--json"))["plain"] == 'a <b> "c"'


def test_a_policy_pack_can_refuse(project: Project) -> None:
    program = project.folder / "__main__.py"
    program.write_text(program.read_text(encoding="utf-8").replace("hello", "goodbye"), encoding="utf-8")
    output = project.run("preview", "--stack=dev", "--policy-pack=policy", expect=1)
    assert "not yet" in output
    assert "Traceback" not in output


def test_a_failing_program_says_so_once(project: Project) -> None:
    output = project.run("preview", "--stack=dev", mode="raise", expect=1)
    assert output.count("the-program-says-no") == 1
    assert "exit code" not in output
    assert "KeyboardInterrupt" not in output


def test_the_exit_code_of_a_program_is_reported(project: Project) -> None:
    output = project.run("preview", "--stack=dev", mode="exit", expect=1)
    assert "Program exited with non-zero exit code: 3" in output
    assert "a-last-word" in output


@pytest.mark.usefixtures("built_here")
@pytest.mark.parametrize("file", ["Pulumi.yaml", "plugin/PulumiPlugin.yaml", "policy/PulumiPolicy.yaml"])
def test_a_missing_virtual_environment_is_named_with_the_way_out(project: Project, file: str) -> None:
    written = project.folder / file
    content = json.loads(written.read_text(encoding="utf-8"))
    content["runtime"]["options"]["virtualenv"] = "no-such-venv"
    written.write_text(json.dumps(content), encoding="utf-8")
    output = project.run("preview", "--stack=dev", "--policy-pack=policy", expect=1)
    assert f"{written.parent / 'no-such-venv'} has no bin/python: run `make setup`" in output
    # A program that runs when its plugin fails to start has its registrations cut off, which the SDK tells at length.
    assert "Traceback" not in output or file == "plugin/PulumiPlugin.yaml"


@pytest.mark.usefixtures("built_here")
def test_nothing_outlives_a_killed_engine(waiting: subprocess.Popen[str]) -> None:
    children = descendants(waiting.pid)
    assert sum("-exec" in command or " -u " in command for command in children.values()) >= 3, children
    waiting.send_signal(signal.SIGKILL)
    waiting.wait()
    until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")


@pytest.mark.usefixtures("built_here")
def test_an_interrupted_update_ends_without_a_traceback(waiting: subprocess.Popen[str]) -> None:
    children = descendants(waiting.pid)
    waiting.send_signal(signal.SIGINT)
    output, _ = waiting.communicate(timeout=PATIENCE_SECONDS)
    assert waiting.returncode != 0
    assert "Traceback" not in output
    until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")


@pytest.mark.usefixtures("built_here")
def test_nothing_outlives_a_killed_language_host(waiting: subprocess.Popen[str]) -> None:
    children = descendants(waiting.pid)
    hosts = [pid for pid, command in children.items() if "pulumi-language-python " in command]
    assert hosts
    for host in hosts:
        os.kill(host, signal.SIGKILL)
    until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")
