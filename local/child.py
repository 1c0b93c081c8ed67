"""Servers that run as children of this process, on free loopback ports."""

import ctypes
import signal
import socket
import sys

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free for TCP and UDP now; somebody else may take it before it is used."""
    while True:
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind((LOOPBACK, 0))
            port: int = tcp.getsockname()[1]
            try:
                udp.bind((LOOPBACK, port))
            except OSError:
                continue
            return port


def die_with_parent() -> None:
    """Ask Linux to kill this child when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
