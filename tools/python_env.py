"""The virtual environment: exactly the locked packages, and this project itself, editable."""

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

from tools.builder import exclusive
from tools.console import SetupError, failure, run, say

# pip installs the pinned pip and uv with hashes; uv, which is much quicker, installs the rest.
BOOTSTRAP_LOCK = "tools/bootstrap.lock"
LOCK = "requirements.lock"
MIRROR = "PIP_INDEX_URL and UV_DEFAULT_INDEX"


def ensure(root: Path, env: Mapping[str, str]) -> None:
    """Make root/.venv what the lock files say; does nothing where it is so already. Raises SetupError."""
    venv = root / ".venv"
    stamp, key = venv / "locked", _key(root)
    if _is_current(venv, stamp, key):
        return
    (root / ".local").mkdir(exist_ok=True)
    with exclusive(root / ".local" / "setup.lock", "another set-up is installing Python packages"):
        if not _is_current(venv, stamp, key):
            say("installing the locked Python packages into .venv, about a minute.")
            _install(root, venv, env)
            stamp.write_text(key, encoding="utf-8")


def _key(root: Path) -> str:
    """A hash over the locks, the project's metadata, the Python version and the place, which the scripts name."""
    digest = hashlib.sha256(repr((str(root), sys.version_info[:2])).encode())
    for name in (LOCK, BOOTSTRAP_LOCK, "pyproject.toml"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def _is_current(venv: Path, stamp: Path, key: str) -> bool:
    return stamp.exists() and (venv / "bin" / "python").exists() and stamp.read_text(encoding="utf-8") == key


def _install(root: Path, venv: Path, env: Mapping[str, str]) -> None:
    if not _is_usable(root, venv, env):
        _create(root, venv, env)
    python, uv = str(venv / "bin" / "python"), str(venv / "bin" / "uv")
    # uv brings its own certificates; those of the system know a company's proxy too, and pip uses them anyway.
    uv_env = {"UV_SYSTEM_CERTS": "true", **env, "VIRTUAL_ENV": str(venv)}
    if "PIP_INDEX_URL" in env:
        uv_env.setdefault("UV_DEFAULT_INDEX", env["PIP_INDEX_URL"])

    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    _step("installing pip and uv", [*pip, "-r", BOOTSTRAP_LOCK], root, env)
    _step("installing the Python packages", [uv, "pip", "sync", "--require-hashes", LOCK, BOOTSTRAP_LOCK], root, uv_env)
    editable = [uv, "pip", "install", "--no-deps", "--no-build-isolation", "--editable", "."]
    _step("installing the project into .venv", editable, root, uv_env)


def _is_usable(root: Path, venv: Path, env: Mapping[str, str]) -> bool:
    """Tell whether the environment's Python runs, is of our version, and has pip."""
    python = venv / "bin" / "python"
    if not python.exists():
        return False
    answer = run([python, "-c", "import pip, sys; print(*sys.version_info[:2])"], cwd=root, env=env)
    return answer.stdout.split() == [str(part) for part in sys.version_info[:2]]


def _create(root: Path, venv: Path, env: Mapping[str, str]) -> None:
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise SetupError(
            f"{sys.executable} cannot make virtual environments: its modules venv and ensurepip are missing.",
            "Install them (Debian and Ubuntu: apt-get install python3-venv) and run it again.",
        )
    answer = run([sys.executable, "-m", "venv", "--clear", venv], cwd=root, env=env)
    if answer.returncode:
        raise failure(
            "making the virtual environment .venv",
            answer.stdout + answer.stderr,
            mirror=MIRROR,
            otherwise="Install Python's venv module (Debian and Ubuntu: apt-get install python3-venv).",
        )


def _step(doing: str, command: list[str], root: Path, env: Mapping[str, str]) -> None:
    answer = run(command, cwd=root, env=env)
    if answer.returncode:
        raise failure(
            doing,
            answer.stdout + answer.stderr,
            mirror=MIRROR,
            otherwise="Remove .venv and run it again (`make setup`).",
        )
