"""The set-up: the virtual environment and the pinned toolchain.

Runs with the machine's own python3 and the standard library alone, since nothing is installed before it.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the one place that an older Python reaches
    sys.exit(
        "setup: this project needs Python 3.11 or newer; this is Python %d.%d\n"  # noqa: UP031
        "  (%s).\n"
        "  What to do: install a newer one and name it: make PYTHON=python3.11 setup"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )
