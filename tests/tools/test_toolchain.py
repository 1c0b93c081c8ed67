from importlib import metadata
from pathlib import Path

import pytest

from tests.tools.conftest import Script
from tools import toolchain


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(toolchain, "RECORD", tmp_path / "record")
    return tmp_path / "record"


def test_the_toolchain_comes_before_the_virtual_environment_and_both_before_the_rest(
    tmp_path: Path, record: Path, script: Script
) -> None:
    script(tmp_path / "bin" / "pulumi", "")
    record.write_text(str(tmp_path / "bin"), encoding="utf-8")
    base = {"PATH": "/usr/bin", "OTHER": "kept"}
    assert toolchain.environment(base) == {
        "PATH": f"{tmp_path / 'bin'}:{toolchain.VENV / 'bin'}:/usr/bin",
        "OTHER": "kept",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    assert base == {"PATH": "/usr/bin", "OTHER": "kept"}


def test_a_home_of_its_own_keeps_the_users_plugins_and_logins_apart(
    tmp_path: Path, record: Path, script: Script
) -> None:
    script(tmp_path / "bin" / "pulumi", "")
    record.write_text(str(tmp_path / "bin"), encoding="utf-8")
    assert toolchain.environment({}, home=tmp_path / "home")["PULUMI_HOME"] == str(tmp_path / "home")


@pytest.mark.parametrize("recorded", [None, "/nowhere/at/all"], ids=["never set up", "cache removed since"])
def test_without_a_toolchain_the_message_says_what_to_run(record: Path, recorded: str | None) -> None:
    if recorded is not None:
        record.write_text(recorded, encoding="utf-8")
    with pytest.raises(toolchain.NotSetUpError, match="make setup"):
        toolchain.environment({})


def test_a_plugin_is_installed_under_the_version_of_its_python_package(tmp_path: Path, script: Script) -> None:
    executable = script(tmp_path / "plugins" / "pulumi-resource-aws", "")
    toolchain.install_plugins(tmp_path / "home", [executable])
    toolchain.install_plugins(tmp_path / "home", [executable])
    folder = tmp_path / "home" / "plugins" / f"resource-aws-v{metadata.version('pulumi-aws')}"
    assert (folder / "pulumi-resource-aws").resolve() == executable
