"""What the engine never answers for is taken for failed, so that a run comes to its end.

With `--continue-on-error` the engine (3.274 and before) forgets to answer for a resource whose deletion before its
replacement has failed: the program, and so the whole run, would wait for ever. What it should answer is given here.
"""

import os
import re
import time
from collections.abc import Callable
from typing import Protocol

import grpc
import pulumi
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_monitor

from components.told import in_lines
from edge_dns.core.settings import SettingsError, SettingsInvalid

PATIENCE = "EDGE_DNS_PATIENCE_SECONDS"
"""Environment variable: for how long no resource at all is answered for before those that wait are taken for failed."""

_PATIENCE_SECONDS = 600
"""No call of a provider takes longer as a rule; one that does is finished by the engine all the same."""

_PATIENCE_AFTERWARDS_SECONDS = 60
"""For those that still wait once one has been taken for failed: the engine had long enough by then."""

_LONGEST_SECONDS = 24 * 3600

_STACK = "pulumi:pulumi:Stack"

Request = resource_pb2.RegisterResourceRequest
Response = resource_pb2.RegisterResourceResponse


class Call(Protocol):
    """One call to the engine."""

    def result(self, timeout: float) -> Response:
        """Return the answer; raises grpc.FutureTimeoutError when there is none after so many seconds."""

    def cancel(self) -> bool:
        """Wait for it no more."""


class Answered:
    """Registers resources, from several threads at once. `begin` starts a call, `tell` takes an error."""

    def __init__(
        self,
        begin: Callable[[Request], Call],
        tell: Callable[[str], None],
        *,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._begin, self._tell = begin, tell
        self._patience, self._clock = patience, clock
        self._last = clock()

    def __call__(self, request: Request) -> Response:
        """Return the engine's answer, or that the resource failed once nothing has been answered for too long."""
        self._last, call = self._clock(), self._begin(request)
        while (left := self._last + self._patience - self._clock()) > 0:
            try:
                answer = call.result(timeout=left)
            except grpc.FutureTimeoutError:
                continue
            self._last = self._clock()
            return answer
        call.cancel()
        self._patience = min(self._patience, _PATIENCE_AFTERWARDS_SECONDS)
        message = (
            f"{request.name}: the engine does not answer, as when it could not delete a resource that it replaces (see "
            "its error); it is taken for failed: run again"
        )
        self._tell(in_lines(message))
        return Response(urn=_urn(request), result=resource_pb2.Result.FAIL)


def end_in_any_case() -> None:
    """Take for failed what the engine does not answer for, in the rest of this process; previews delete nothing.

    Raises SettingsInvalid when the variable holds no number of seconds.
    """
    patience = _patience(os.environ.get(PATIENCE) or str(_PATIENCE_SECONDS))
    monitor = get_monitor()
    if monitor is not None and not pulumi.runtime.is_dry_run():
        monitor.RegisterResource = Answered(monitor.RegisterResource.future, pulumi.log.error, patience=patience)


def _patience(text: str) -> float:
    if re.fullmatch(r"[0-9]{1,5}", text) and 0 < int(text) <= _LONGEST_SECONDS:
        return float(text)
    raise SettingsInvalid([SettingsError(path=PATIENCE, message=f"expected whole seconds, 1 to {_LONGEST_SECONDS}")])


def _urn(request: Request) -> str:
    """Return the URN of a resource: it holds the types of its parents, but of the stack."""
    above = request.parent.split("::")[2] if request.parent else _STACK
    kind = request.type if above == _STACK else f"{above}${request.type}"
    return f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{kind}::{request.name}"
