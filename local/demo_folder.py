"""The folder of the demo: emptied at its start, and its own as long as it runs."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.demo_failed import DemoFailed
from tools.toolchain import ROOT

FOLDER = ROOT / ".local" / "demo"
_LOCK = "demo.lock"


@contextmanager
def own_folder(folder: Path) -> Iterator[Path]:
    """Empty the folder of an earlier demo, and keep others out of it. Raises DemoFailed."""
    lock = folder / _LOCK
    if folder.exists() and any(folder.iterdir()) and not lock.exists():
        raise DemoFailed(f"{folder} holds something else than an earlier demo; name another --folder")
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        for entry in folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry != lock:
                entry.unlink()
        yield folder


def remove_state(folder: Path) -> None:
    """Remove what is around the folder of the demo, itself included. Raises DemoFailed while a demo uses it."""
    if folder.exists():
        with _locked(folder):
            shutil.rmtree(folder.parent)
    elif folder.parent.exists():
        shutil.rmtree(folder.parent)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / _LOCK).open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoFailed(f"another demo uses {folder}; end it with Ctrl-C first") from None
        yield
