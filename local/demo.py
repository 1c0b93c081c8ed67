"""`make demo`: the main job on this machine, with no account and no network.

Exit status: 0 everything went as promised; 1 it did not, or something is missing; 130 interrupted.
"""

import argparse
import fcntl
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from local.demo_failed import DemoFailed
from tools.toolchain import ROOT, NotSetUpError

FOLDER = ROOT / ".local" / "demo"
_LOCK = "demo.lock"


def main(arguments: Sequence[str]) -> int:
    """Run the demo; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make demo ARGS=…", description="The main job on this machine.")
    parser.add_argument("--keep", action="store_true", help="keep the services up until Ctrl-C, with commands to try")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, metavar="DIR", help="where state and logs go; emptied at the start"
    )
    options = parser.parse_args(arguments)
    for ending in (signal.SIGTERM, signal.SIGINT):
        # A shell lets what it starts in the background ignore SIGINT, which Python would keep up.
        signal.signal(ending, signal.default_int_handler)
    try:
        with _own_folder(options.folder.resolve()) as folder:
            print("The main job on this machine: no account, no network, about a minute.", flush=True)
            from local.walkthrough import Walkthrough  # noqa: PLC0415 - the emulators take a second to load

            Walkthrough(folder).run(keep=options.keep)
    except (DemoFailed, NotSetUpError, OSError) as error:
        print(f"\ndemo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ndemo: interrupted; nothing of it runs any more.", file=sys.stderr)
        return 130
    return 0


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """Empty the folder of an earlier demo, and keep others out of it."""
    lock = folder / _LOCK
    if folder.exists() and any(folder.iterdir()) and not lock.exists():
        raise DemoFailed(f"{folder} holds something else than an earlier demo; name another --folder")
    folder.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoFailed(f"another demo uses {folder}; end it with Ctrl-C first") from None
        for entry in folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry != lock:
                entry.unlink()
        yield folder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
