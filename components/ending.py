"""How a run ends that has refused something: unsuccessful, after everything else is done."""

import atexit
import os

import pulumi

from components.told import in_lines
from edge_dns.core.outputs import WILL_FAIL

EXIT_AFTER_MESSAGE = 32
"""The exit code after which Pulumi's language host for Python adds no message of its own: all has been said."""


def refuse(line: str, *, fails: bool) -> None:
    """Log a refusal; one that `fails` makes the run unsuccessful, which an error in the log alone would not.

    The process fails only after the SDK has finished, so that everything else has converged, and only in an update: in
    a preview it would keep `up` from updating at all. So a preview says in a warning what the update will end with.
    """
    if not fails:
        pulumi.log.warn(in_lines(line))
    elif pulumi.runtime.is_dry_run():
        pulumi.log.warn(in_lines(f"{line} {WILL_FAIL}"))
    else:
        pulumi.log.error(in_lines(line))
        # sys.exit is without effect in an exit handler.
        atexit.register(os._exit, EXIT_AFTER_MESSAGE)
