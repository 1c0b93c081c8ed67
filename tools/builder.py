"""Builds the pinned programs into a per-user cache, where every checkout with the same pins finds them.

Layout: `built/NAME-KEY` is one finished program, `SET/bin/NAME` are links to those of one set of pins. Both appear
by renaming, so whatever is there is complete, and a build that was cut off goes on where it was.
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tools.console import SetupError, duration, failure, run, run_long, say
from tools.pins import Binary, Script, set_key

DOWNLOADING = "go: downloading "
INSTALL_PULUMI = "install the Pulumi CLI 3.250 or newer (https://www.pulumi.com/docs/install/)"


def cache_directory(env: Mapping[str, str]) -> Path:
    """The per-user cache of toolchains, by the XDG base directory specification."""
    base = env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or Path.home()) / ".cache"
    return Path(base) / "edge-dns" / "toolchain"


def ensure(pins: tuple[Binary | Script, ...], env: Mapping[str, str]) -> Path:
    """Return the folder with all the programs, after building those that are missing. Raises SetupError."""
    cache = cache_directory(env)
    folder = cache / set_key(pins) / "bin"
    if folder.is_dir():
        return folder
    (cache / "built").mkdir(parents=True, exist_ok=True)
    with exclusive(cache / "lock", "another set-up is building the toolchain"):
        if not folder.is_dir():
            _build_missing(pins, cache, env)
            _link(pins, cache, folder)
    return folder


@contextmanager
def exclusive(lock: Path, who: str) -> Iterator[None]:
    """Hold a lock file; say who has it where one must wait. The kernel frees it when its holder dies."""
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{who}; waiting for it.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _built(pin: Binary | Script, cache: Path) -> Path:
    return cache / "built" / f"{pin.name}-{pin.key}"


def _build_missing(pins: tuple[Binary | Script, ...], cache: Path, env: Mapping[str, str]) -> None:
    missing = [pin for pin in pins if not _built(pin, cache).exists()]
    minutes = sum(pin.minutes for pin in missing if isinstance(pin, Binary))
    if minutes >= 1:
        say(
            f"building the toolchain, up to {minutes:.0f} minutes on 2 cores, once per user and version. "
            "It can be interrupted: the next run goes on from there."
        )
    for stale in (cache / "built").glob(".*.partial"):
        stale.unlink()
    for pin in missing:
        go = find_go(pin, env)
        target = _built(pin, cache)
        # With our process id: a compiler whose set-up was killed may still be writing its own.
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        if isinstance(pin, Binary):
            _compile(pin, go, partial, env)
        else:
            shutil.copyfile(_module_folder(pin, go, env) / pin.path, partial)
        partial.chmod(0o755)
        partial.rename(target)


def _link(pins: tuple[Binary | Script, ...], cache: Path, folder: Path) -> None:
    partial = folder.parent.with_name(f".{folder.parent.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / folder.name).mkdir(parents=True)
    for pin in pins:
        os.link(_built(pin, cache), partial / folder.name / pin.name)
    partial.rename(folder.parent)


def _go_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Build without C, so that no compiler and no headers are needed, and apart from any workspace around us."""
    return {**env, "CGO_ENABLED": "0", "GOWORK": "off"}


def find_go(pin: Binary | Script, env: Mapping[str, str]) -> str:
    """Return the path of a Go that is new enough for the pin. Raises SetupError."""
    needed = ".".join(map(str, pin.go_version))
    remedy = f"Install Go {needed} or newer (https://go.dev/dl/), or {INSTALL_PULUMI}, and run it again."
    go = shutil.which("go", path=env.get("PATH"))
    if go is None:
        raise SetupError(f"Go is not on PATH. It is needed once, to build {pin.name} {pin.version}.", remedy)
    answer = run([go, "version"], cwd=pin.source, env=_go_environment(env))
    version = re.search(r"\bgo(\d+(?:\.\d+)*)", answer.stdout)
    if answer.returncode or version is None:
        raise failure(f"asking {go} for its version", answer.stdout + answer.stderr, mirror="GOPROXY", otherwise=remedy)
    if tuple(int(part) for part in version[1].split(".")) < pin.go_version:
        raise SetupError(f"{go} is Go {version[1]}; {pin.name} {pin.version} needs {needed} or newer.", remedy)
    return go


def _compile(pin: Binary, go: str, output: Path, env: Mapping[str, str]) -> None:
    say(f"building {pin.name} {pin.version}, up to {duration(pin.minutes * 60)}.")
    # Without a look at version control, which refuses a checkout that belongs to another user.
    flags = ["-mod=readonly", "-buildvcs=false", "-v", "-ldflags", pin.linker_flags, "-o", str(output)]
    command = [go, "build", *flags, pin.package]
    code, lines = run_long(command, cwd=pin.source, env=_go_environment(env), progress=_build_progress)
    if code:
        raise _go_failure(pin, "\n".join(line for line in lines if not _is_package(line)))


def _build_progress(lines: list[str]) -> str:
    downloads = sum(line.startswith(DOWNLOADING) for line in lines)
    return f"{downloads} modules downloaded, {sum(map(_is_package, lines))} packages compiled"


def _is_package(line: str) -> bool:
    """`go build -v` prints the import path of each package it compiles, and nothing else on that line."""
    return " " not in line.strip() and not line.startswith("\t")


def _module_folder(pin: Script, go: str, env: Mapping[str, str]) -> Path:
    """Return the folder with the unpacked module, downloaded and checked against go.sum where it is not there yet."""
    answer = run([go, "mod", "download", "-json", pin.module], cwd=pin.source, env=_go_environment(env))
    if answer.returncode:
        raise _go_failure(pin, answer.stdout + answer.stderr)
    return Path(json.loads(answer.stdout)["Dir"])


def _go_failure(pin: Binary | Script, output: str) -> SetupError:
    return failure(
        f"building {pin.name} {pin.version}",
        output,
        mirror="GOPROXY",
        otherwise=f"This is a fault of the build. Run it again; if it stays, {INSTALL_PULUMI}.",
    )
