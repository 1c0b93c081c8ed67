import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import python_env
from tools.console import SetupError
from tools.toolchain import ROOT

LOCKS = ("requirements.lock", "tools/bootstrap.lock", "pyproject.toml")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    for name in LOCKS:
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def offline() -> dict[str, str]:
    """An environment in which pip asks a port where nobody listens."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}


def mark_as_installed(checkout: Path) -> None:
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (checkout / ".venv" / "locked").write_text(python_env._key(checkout), encoding="utf-8")


def test_an_environment_that_is_as_locked_is_left_alone(
    checkout: Path, offline: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    mark_as_installed(checkout)
    python_env.ensure(checkout, offline)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", LOCKS)
def test_a_changed_lock_is_installed_anew(checkout: Path, offline: dict[str, str], name: str) -> None:
    mark_as_installed(checkout)
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    with pytest.raises(SetupError, match="installing pip and uv"):
        python_env.ensure(checkout, offline)


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Path, offline: dict[str, str]) -> None:
    mark_as_installed(checkout)
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to(checkout / "removed-python")
    with pytest.raises(SetupError, match="installing pip and uv"):
        python_env.ensure(checkout, offline)
    assert python.exists()


def test_without_a_package_index_the_message_says_so_and_the_next_run_tries_again(
    checkout: Path, offline: dict[str, str]
) -> None:
    for _ in range(2):
        with pytest.raises(SetupError) as raised:
            python_env.ensure(checkout, offline)
        message = " ".join(str(raised.value).split())
        assert "installing pip and uv: a download failed or was refused" in message
        assert "PIP_INDEX_URL" in message


def test_a_python_without_venv_is_told_apart(
    checkout: Path, offline: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(SetupError) as raised:
        python_env.ensure(checkout, offline)
    assert "apt-get install python3-venv" in str(raised.value)


def test_an_older_python_is_refused_before_anything_else_is_read() -> None:
    program = "import sys; sys.version_info = (3, 10, 4, 'final', 0); import tools"
    answer = subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 1
    assert "needs Python 3.11 or newer; this is Python 3.10" in answer.stderr
    assert "Traceback" not in answer.stderr
