"""`make clean`: the state of the local stack goes, unless a demo uses it. Exit status: 0 it is gone; 1 it is not."""

import sys

from local.demo_failed import DemoFailed
from local.demo_folder import FOLDER, remove_state


def main() -> int:
    """Remove the state; returns the exit status."""
    try:
        remove_state(FOLDER)
    except (DemoFailed, OSError) as error:
        print(f"clean: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
