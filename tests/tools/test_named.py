from pathlib import Path

import pytest

from tests.tools.conftest import Script
from tools import builder, node_packages, setup
from tools.named import find_named


def test_a_named_on_path_comes_before_that_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    named = script(tmp_path / "named", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_named() == str(named)


def test_the_set_up_for_tests_says_what_is_missing_before_it_builds_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "find_named", lambda: None)
    monkeypatch.setattr(setup, "set_up", lambda env: None)
    monkeypatch.setattr(builder, "ensure", lambda *_: pytest.fail("built"))
    monkeypatch.setattr(node_packages, "ensure", lambda *_: pytest.fail("installed"))
    assert setup.main(["--tests"]) == 1
    assert "apt-get install bind9" in capsys.readouterr().err
