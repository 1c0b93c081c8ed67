"""What a program that ends after a minute can do without: the garbage collector, and two habits of Pulumi's SDK."""

import atexit
import gc
import os

import pulumi
from pulumi.runtime import resource as sdk
from pulumi.runtime.proto import source_pb2

SHOW_DEBUG = "EDGE_DNS_SDK_DEBUG"
"""Environment variable that keeps the debug log, for runs with `--debug`: a program cannot see that flag."""


def run_lean() -> None:
    """Do without them for the rest of the process.

    The collector would walk all objects again and again, and there are hardly any cycles to find. Python collects once
    more at its end, collector or not, but leaves out what is frozen. The debug log is four calls to the engine for each
    resource, whether anybody reads them or not. Of each resource the SDK also tells the engine the stack trace of its
    declaration. They are all alike here, as one loop declares all records, and would be a third of the state, which the
    engine writes as a whole at each step of an update.
    """
    gc.disable()
    atexit.register(gc.freeze)
    if not os.environ.get(SHOW_DEBUG):
        pulumi.log.debug = _nothing
    sdk._get_stack_trace = source_pb2.StackTrace


def _nothing(
    msg: str,
    resource: pulumi.Resource | None = None,
    stream_id: int | None = None,
    ephemeral: bool | None = None,
) -> None:
    del msg, resource, stream_id, ephemeral
