"""The folder of the demo belongs to the demo that runs in it."""

from pathlib import Path

import pytest

from local.demo_failed import DemoFailed
from local.demo_folder import own_folder, remove_state


def test_the_state_of_a_demo_that_runs_is_removed_neither_by_another_one_nor_by_clean(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "demo"
    with own_folder(folder):
        (folder / "backend").mkdir()
        with pytest.raises(DemoFailed, match="another demo uses"), own_folder(folder):
            pass
        with pytest.raises(DemoFailed, match="another demo uses"):
            remove_state(folder)
        assert (folder / "backend").exists()
    remove_state(folder)
    remove_state(folder)
    assert list(tmp_path.iterdir()) == []


def test_clean_removes_what_is_there_without_a_demo(tmp_path: Path) -> None:
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local" / "setup.lock").touch()
    remove_state(tmp_path / ".local" / "demo")
    assert list(tmp_path.iterdir()) == []
