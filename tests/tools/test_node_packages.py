import json
from pathlib import Path

import pytest

from tests.tools.conftest import Script
from tools import node_packages
from tools.console import SetupError

# An `npm` that notes its calls in the folder it works in, and fails with what it is told to say.
FAKE_NPM = """
import os, sys
if {stderr!r}:
    sys.exit({stderr!r})
os.mkdir("node_modules")
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + chr(10))
"""


class Machine:
    """An empty cache, faked `node` and `npm`, and a folder with a lock."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.folder, self.script = folder, script
        self.env = {"PATH": str(folder / "bin"), "HOME": str(folder / "home")}
        self.source = folder / "source"
        self.source.mkdir()
        self.lock("{}")

    def lock(self, text: str) -> None:
        (self.source / "package-lock.json").write_text(text, encoding="utf-8")

    def node(self, version: str) -> None:
        self.script(self.folder / "bin" / "node", f"print({version!r})")

    def npm(self, stderr: str = "") -> None:
        self.script(self.folder / "bin" / "npm", FAKE_NPM.format(stderr=stderr, log=str(self.folder / "calls")))

    def ensure(self) -> Path:
        return node_packages.ensure(self.env, self.source)

    def error(self) -> str:
        with pytest.raises(SetupError) as raised:
            self.ensure()
        return " ".join(str(raised.value).split())

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def machine(tmp_path: Path, script: Script) -> Machine:
    machine = Machine(tmp_path, script)
    machine.node("v20.1.0")
    machine.npm()
    return machine


def test_the_packages_of_a_lock_are_installed_once_and_without_scripts_of_theirs(machine: Machine) -> None:
    first = machine.ensure()
    assert machine.ensure() == first
    assert {file.name for file in first.iterdir()} == {"package-lock.json", "node_modules"}
    (call,) = machine.calls()
    assert call.startswith("ci --ignore-scripts")


def test_another_lock_has_packages_of_its_own(machine: Machine) -> None:
    first = machine.ensure()
    machine.lock('{"name": "other"}')
    assert machine.ensure() != first
    assert first.is_dir()


@pytest.mark.parametrize("program", ["node", "npm"])
def test_a_missing_program_is_named_with_what_to_install(machine: Machine, program: str) -> None:
    (machine.folder / "bin" / program).unlink()
    assert f"there is no {program} on PATH" in machine.error()
    assert "Install Node.js 20 or newer" in machine.error()


def test_a_node_that_is_too_old_is_named_with_its_version(machine: Machine) -> None:
    machine.node("v18.19.0")
    assert "is v18.19.0" in machine.error()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("npm error code ENOTFOUND", "Check the network.", id="no network"),
        pytest.param("npm error code EINTEGRITY", "not the file that is pinned", id="another file"),
        pytest.param("npm error code ENOSPC", "the disk is full", id="disk full"),
        pytest.param("npm error odd", "npm cache verify", id="anything else"),
    ],
)
def test_a_failed_installation_says_why_and_leaves_nothing_that_looks_complete(
    machine: Machine, said: str, expected: str
) -> None:
    machine.npm(stderr=said)
    assert expected in machine.error()
    machine.npm()
    assert (machine.ensure() / "node_modules").is_dir()


def test_the_lock_names_no_registry_so_that_a_mirror_serves_too() -> None:
    lock = json.loads((node_packages.SOURCE / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert [name for name, entry in lock["packages"].items() if name and "integrity" not in entry] == []
