"""`make demo`: the main job on this machine, with no account and no network.

Exit status: 0 everything went as promised; 1 it did not, or something is missing; 130 interrupted.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from local.demo_failed import DemoFailed
from local.demo_folder import FOLDER, own_folder
from tools.toolchain import NotSetUpError


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
        with own_folder(options.folder.resolve()) as folder:
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
