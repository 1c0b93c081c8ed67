"""An HTTP proxy that tunnels (CONNECT) and remembers where to."""

import socket
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Self


class ConnectProxy:
    """A proxy at `url` while the context is open; `targets` are the `host:port` it has opened tunnels to."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        targets = self.targets

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                target = self.rfile.readline().split()[1].decode()
                while self.rfile.readline().strip():
                    pass
                targets.append(target)
                host, _, port = target.rpartition(":")
                with socket.create_connection((host, int(port))) as server:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                    threading.Thread(target=_copy, args=(server, self.connection), daemon=True).start()
                    _copy(self.connection, server)

        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
