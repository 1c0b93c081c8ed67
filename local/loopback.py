"""A threaded HTTP server on a free loopback port, with a request log and faults on demand, for any WSGI application."""

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from werkzeug.wrappers import Request, Response

from local.delays import Delays
from local.serving import Serving, drop_connection

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request as it was answered; `status` is 0 where the connection was dropped, `query` is undecoded."""

    method: str
    path: str
    query: str
    status: int

    @property
    def is_write(self) -> bool:
        """Whether the method may change something (anything but GET, HEAD and OPTIONS)."""
        return self.method not in _READING_METHODS


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with the next `times` requests of this method ("*": any) whose path the expression finds.

    `status` answers with that status and `body` in place of the real answer; `drop` closes the connection unanswered;
    neither means that only the delay counts. With `after_commit` the application does its work first, before the delay.
    The first `skip` such requests get their answer.
    """

    method: str = "*"
    path: str = ""
    status: int | None = None
    body: str = '{"success":false,"errors":[{"code":10000,"message":"injected fault"}],"messages":[],"result":null}'
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    delay_seconds: float = 0.0
    drop: bool = False
    after_commit: bool = False
    skip: int = 0
    times: int = 1

    def matches(self, method: str, path: str) -> bool:
        """Whether a request of this method and path runs into the fault."""
        return self.method in {"*", method} and re.search(self.path, path) is not None


class LoopbackServer:
    """Serves `app` at `origin` between `start` and `stop`; may be used as a context manager."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._requests: list[LoggedRequest] = []
        self._delays = Delays()
        self._serving = Serving(self._serve)

    def __enter__(self) -> Self:
        """Start serving."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop serving."""
        self.stop()

    def start(self) -> None:
        """Serve on a free port of 127.0.0.1, after `stop` on the same one again."""
        self._serving.start()

    def stop(self) -> None:
        """Close the port until the next `start`; the application's state stays, and delayed answers are cut short."""
        self._delays.cut_short()
        self._serving.stop()

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:<port>`; stays the same while stopped."""
        return self._serving.origin

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests so far, in the order of their answers."""
        with self._lock:
            return list(self._requests)

    @property
    def writes(self) -> list[LoggedRequest]:
        """The requests that may have changed something."""
        return [request for request in self.requests if request.is_write]

    def inject(self, fault: Fault) -> None:
        """Queue a fault; of several that match a request the oldest counts."""
        with self._lock:
            self._faults.append(fault)

    def clear_faults(self) -> None:
        """Forget the faults that have not happened yet, and cut short the delays of those that have."""
        with self._lock:
            self._faults.clear()
        self._delays.cut_short()

    @property
    def waiting(self) -> int:
        """How many requests a fault delays right now."""
        return self._delays.waiting

    def _serve(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        request = Request(environ)
        fault = self._take_fault(request.method, request.path)
        if fault is not None and not fault.after_commit:
            self._delays.wait(fault.delay_seconds)
        response = self._respond(request, fault)
        if fault is not None and fault.after_commit:
            self._delays.wait(fault.delay_seconds)
        self._log(request, response)
        if response is None:
            drop_connection(environ)
        return response(environ, start_response)

    def _respond(self, request: Request, fault: Fault | None) -> Response | None:
        replaced = fault is not None and (fault.drop or fault.status is not None)
        if fault is None or fault.after_commit or not replaced:
            response = Response.from_app(self._app, request.environ, buffered=True)
        if fault is None or not replaced:
            return response
        if fault.drop:
            return None
        return Response(fault.body, fault.status, list(fault.headers), content_type=fault.content_type)

    def _take_fault(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for index, fault in enumerate(self._faults):
                if not fault.matches(method, path):
                    continue
                if fault.skip > 0:
                    self._faults[index] = replace(fault, skip=fault.skip - 1)
                    continue
                self._faults[index : index + 1] = [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
                return fault
        return None

    def _log(self, request: Request, response: Response | None) -> None:
        entry = LoggedRequest(
            method=request.method,
            path=request.path,
            query=request.query_string.decode("latin-1"),
            status=0 if response is None else response.status_code,
        )
        with self._lock:
            self._requests.append(entry)
