from pathlib import Path

import pytest

from tests.tools.conftest import Script
from tools.builder import cache_directory
from tools.setup import pulumi_on_path


def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}


@pytest.mark.parametrize("version", ["v3.250.0", "v3.274.1", "3.300.12", "v4.0.0", "v3.251.0-alpha.1"])
def test_a_pulumi_that_is_new_enough_and_has_its_language_host_is_used(
    tmp_path: Path, script: Script, version: str
) -> None:
    script(tmp_path / "bin" / "pulumi", f"print({version!r})")
    script(tmp_path / "bin" / "pulumi-language-python", "")
    assert pulumi_on_path(environment(tmp_path)) == tmp_path / "bin"


def test_a_linked_pulumi_has_its_language_host_beside_the_file_itself(tmp_path: Path, script: Script) -> None:
    script(tmp_path / "opt" / "pulumi", "print('v3.274.1')")
    script(tmp_path / "opt" / "pulumi-language-python", "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pulumi").symlink_to(tmp_path / "opt" / "pulumi")
    assert pulumi_on_path(environment(tmp_path)) == tmp_path / "bin"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param("print('v3.249.9')", "it is 3.249.9, older than 3.250", id="too old"),
        pytest.param("print('v2.300.0')", "it is 2.300.0, older than 3.250", id="old major version"),
        pytest.param("", "does not tell its version", id="no version"),
        pytest.param("print('v3.274.1'); exit(1)", "does not tell its version", id="fails"),
        pytest.param("print('devel')", "does not tell its version", id="built without a version"),
    ],
)
def test_an_unfit_pulumi_is_named_with_the_reason(
    tmp_path: Path, script: Script, capsys: pytest.CaptureFixture[str], body: str, reason: str
) -> None:
    script(tmp_path / "bin" / "pulumi", body)
    script(tmp_path / "bin" / "pulumi-language-python", "")
    assert pulumi_on_path(environment(tmp_path)) is None
    said = " ".join(capsys.readouterr().out.split())
    assert reason in said
    assert str(tmp_path / "bin" / "pulumi") in said


def test_a_pulumi_without_a_language_host_beside_it_is_not_used(
    tmp_path: Path, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path / "bin" / "pulumi", "print('v3.274.1')")
    assert pulumi_on_path(environment(tmp_path)) is None
    assert "there is no pulumi-language-python beside it" in " ".join(capsys.readouterr().out.split())


def test_a_pulumi_that_cannot_run_here_is_not_used(tmp_path: Path, script: Script) -> None:
    binary = script(tmp_path / "bin" / "pulumi", "")
    binary.write_bytes(b"\x7fELF of another machine")
    script(tmp_path / "bin" / "pulumi-language-python", "")
    assert pulumi_on_path(environment(tmp_path)) is None


def test_no_pulumi_on_path_is_nothing_to_talk_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pulumi_on_path(environment(tmp_path)) is None
    assert capsys.readouterr().out == ""


def test_an_older_toolchain_of_ours_on_path_is_not_taken_for_the_users_own(tmp_path: Path, script: Script) -> None:
    env = environment(tmp_path)
    old = cache_directory(env) / "older-set" / "bin"
    script(old / "pulumi", "print('v3.274.1')")
    script(old / "pulumi-language-python", "")
    assert pulumi_on_path({**env, "PATH": str(old)}) is None
