"""A WSGI application that is served on a loopback port, by threads of this process."""

import socket
import threading
from typing import TYPE_CHECKING, NoReturn

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from local.child import LOOPBACK

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment


class _QuietHandler(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - werkzeug's signature
        """Print nothing: the log of a server is data."""


class Serving:
    """Serves `app` between `start` and `stop`, on a free port unless one is given, each time on the same."""

    def __init__(self, app: "WSGIApplication", port: int = 0) -> None:
        self._app = app
        self._port = port
        self._server: BaseWSGIServer | None = None
        self._thread = threading.Thread()

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:<port>`; stays the same while stopped."""
        if not self._port:
            raise RuntimeError("the server has not been started")
        return f"http://{LOOPBACK}:{self._port}"

    def start(self) -> None:
        """Bind the port, and serve it from a daemon thread."""
        self._server = make_server(LOOPBACK, self._port, self._app, threaded=True, request_handler=_QuietHandler)
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the port, if it is open."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            self._thread.join()
            server.server_close()


def drop_connection(environ: "WSGIEnvironment") -> NoReturn:
    """End the connection of a request without an answer."""
    connection: socket.socket = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError("dropped on purpose")  # werkzeug takes it for a client that went away
