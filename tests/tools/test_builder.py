import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.tools.conftest import Script
from tools import builder
from tools.console import SetupError
from tools.pins import Binary
from tools.pins import Script as CopiedScript

# A `go` that knows a version, builds by writing the output file, and notes each call.
FAKE_GO = """
import json, os, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if arguments == ["version"]:
    print("go version {version} linux/amd64")
elif arguments[0] == "build":
    sys.stderr.write({stderr!r})
    if {stderr!r} and ({fails_on!r} in arguments or not {fails_on!r}):
        sys.exit(1)
    with open(arguments[arguments.index("-o") + 1], "w") as out:
        out.write("built " + arguments[-1])
elif arguments[:2] == ["mod", "download"]:
    print(json.dumps({{"Dir": {modules!r}}}))
"""


class World:
    """A machine with an empty cache, a faked `go` and a set of two programs and one script to build."""

    def __init__(self, tmp_path: Path, script: Script) -> None:
        self.root = tmp_path
        self.script = script
        self.env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
        source = tmp_path / "source"
        source.mkdir()
        (source / "go.mod").write_text("module m\n\ngo 1.26.6\n\nrequire example.com/mod v1.2.3\n", encoding="utf-8")
        (tmp_path / "modules").mkdir()
        (tmp_path / "modules" / "helper").write_text("#!/bin/sh\n", encoding="utf-8")
        folder, module = str(source), "example.com/mod"
        self.pins: tuple[Binary | CopiedScript, ...] = (
            Binary(name="first", package="./first", minutes=1, folder=folder, module=module),
            CopiedScript(name="helper", path="helper", folder=folder, module=module),
            Binary(name="second", package="./second", minutes=2, folder=folder, module=module),
        )

    def go(self, *, version: str = "go1.26.6", stderr: str = "", fails_on: str = "") -> None:
        body = FAKE_GO.format(
            log=str(self.root / "calls"),
            version=version,
            stderr=stderr,
            fails_on=fails_on,
            modules=str(self.root / "modules"),
        )
        self.script(self.root / "bin" / "go", body)

    def ensure(self) -> Path:
        return builder.ensure(self.pins, self.env)

    def error(self) -> str:
        with pytest.raises(SetupError) as raised:
            self.ensure()
        text = str(raised.value)
        assert all(len(line) <= 80 for line in text.splitlines() if " " in line.strip("| "))
        return " ".join(text.split())

    def built(self) -> list[str]:
        calls = (self.root / "calls").read_text(encoding="utf-8").splitlines()
        return [call[-1] for call in map(json.loads, calls) if call[0] == "build"]


@pytest.fixture
def world(tmp_path: Path, script: Script) -> World:
    return World(tmp_path, script)


def test_all_programs_stand_in_one_folder_ready_to_run(world: World) -> None:
    world.go()
    folder = world.ensure()
    assert sorted(file.name for file in folder.iterdir()) == ["first", "helper", "second"]
    assert all(file.stat().st_mode & 0o777 == 0o755 for file in folder.iterdir())
    assert (folder / "second").read_text(encoding="utf-8") == "built ./second"


def test_a_second_run_builds_nothing_and_says_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.go()
    folder = world.ensure()
    capsys.readouterr()
    (world.root / "bin" / "go").unlink()
    assert world.ensure() == folder
    assert capsys.readouterr().out == ""


def test_a_build_that_was_cut_off_goes_on_with_what_is_missing(world: World) -> None:
    world.go(stderr="# m/second\nsecond.go:1:1: no\n", fails_on="./second")
    world.error()
    world.go()
    world.ensure()
    assert world.built() == ["./first", "./second", "./second"]


def test_what_a_killed_build_has_left_is_never_used_and_goes(world: World) -> None:
    world.go()
    built = builder.cache_directory(world.env) / "built"
    built.mkdir(parents=True)
    (built / f".first-{world.pins[0].key}.1.partial").write_text("half", encoding="utf-8")
    assert (world.ensure() / "first").read_text(encoding="utf-8") == "built ./first"
    assert len(list(built.iterdir())) == 3


def test_a_new_program_in_the_set_leaves_the_others_as_they_are(world: World) -> None:
    world.go()
    world.pins = world.pins[:2]
    world.ensure()
    first, helper = world.pins
    world.pins = (first, helper, Binary(name="third", folder=first.folder, module=first.module, package=".", minutes=1))
    assert sorted(file.name for file in world.ensure().iterdir()) == ["first", "helper", "third"]
    assert world.built() == ["./first", "."]


def test_two_set_ups_at_once_build_each_program_once(world: World) -> None:
    world.go()
    with ThreadPoolExecutor(4) as pool:
        folders = {future.result() for future in [pool.submit(world.ensure) for _ in range(4)]}
    assert len(folders) == 1
    assert world.built() == ["./first", "./second"]


def test_the_estimate_covers_what_is_still_to_be_built(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.go()
    world.ensure()
    out = " ".join(capsys.readouterr().out.split())
    assert "building the toolchain, up to 3 minutes on 2 cores" in out
    assert "building second v1.2.3, up to 2 min." in out


def test_the_cache_follows_the_xdg_setting(world: World) -> None:
    world.go()
    world.env["XDG_CACHE_HOME"] = str(world.root / "elsewhere")
    assert world.ensure().is_relative_to(world.root / "elsewhere" / "edge-dns" / "toolchain")


def test_without_go_the_message_names_it_and_two_ways_out(world: World) -> None:
    error = world.error()
    assert "Go is not on PATH" in error
    assert "Install Go 1.26.6 or newer" in error
    assert "install the Pulumi CLI 3.250 or newer" in error


@pytest.mark.parametrize("version", ["go1.26.5", "go1.25", "go1.9.7"])
def test_a_go_that_is_too_old_is_named_with_both_versions(world: World, version: str) -> None:
    world.go(version=version)
    error = world.error()
    assert f"is Go {version.removeprefix('go')};" in error
    assert "needs 1.26.6 or newer" in error


@pytest.mark.parametrize("version", ["go1.26.6", "go1.27", "go1.26.10", "go2.0"])
def test_the_pinned_go_and_newer_ones_are_fine(world: World, version: str) -> None:
    world.go(version=version)
    world.ensure()


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        pytest.param(
            "go: m@v1: Get http://p/m: dial tcp: lookup p: no such host\n",
            ["a download failed or was refused", "no such host", "HTTPS_PROXY", "GOPROXY"],
            id="no network",
        ),
        pytest.param(
            "go: m@v1: reading http://p/m: 403 Forbidden\n",
            ["a download failed or was refused", "403 Forbidden", "GOPROXY"],
            id="refused by a proxy",
        ),
        pytest.param(
            "write /tmp/x: no space left on device\n",
            ["the disk is full", "XDG_CACHE_HOME", "GOCACHE"],
            id="disk full",
        ),
        pytest.param(
            "verifying m@v1: checksum mismatch\nSECURITY ERROR\n",
            ["is not the file that is pinned here", "Do not use the file"],
            id="another file than the pinned one",
        ),
        pytest.param(
            "go: go.mod requires go >= 1.28 (running go 1.26.6; GOTOOLCHAIN=local)\n",
            ["this Go is too old", "GOTOOLCHAIN=local"],
            id="a module needs a newer Go",
        ),
        pytest.param(
            "m/ok\n# m/first\nfirst.go:3:5: undefined: x\n",
            ["building first v1.2.3 failed", "first.go:3:5: undefined: x", "install the Pulumi CLI"],
            id="compiler error",
        ),
    ],
)
def test_a_failed_build_names_the_cause_and_the_way_out(world: World, stderr: str, expected: list[str]) -> None:
    world.go(stderr=stderr)
    error = world.error()
    assert [text for text in expected if text not in error] == []
