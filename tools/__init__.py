"""The set-up: the virtual environment and the pinned toolchain.

Runs with the machine's own python3 and the standard library alone, since nothing is installed before it.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the one place that an older Python reaches
    sys.exit(
        "setup: this project needs Python 3.11 or newer; this is Python %d.%d (%s).\n"  # noqa: UP031
        "  What to do: install a newer Python, and name it: make PYTHON=python3.11 …"
        % (*sys.version_info[:2], sys.executable)
    )
