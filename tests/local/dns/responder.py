"""A name server of the tests' own, for answers that BIND does not give on demand."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dns.message

from edge_dns.observe.dns_answers import Server
from local.child import LOOPBACK

Change = Callable[[dns.message.Message], None]


@contextmanager
def responder(*changes: Change | None) -> Iterator[Server]:
    """Answer the queries in their order with NOERROR, authority and no records, each changed; None: no answer at all.

    After the last one there is no answer any more.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as listening:
        listening.bind((LOOPBACK, 0))
        threading.Thread(target=_serve, args=(listening, changes), daemon=True).start()
        yield Server(host="scripted.test", addresses=(LOOPBACK,), port=listening.getsockname()[1])


def _serve(listening: socket.socket, changes: tuple[Change | None, ...]) -> None:
    for change in changes:
        try:
            data, sender = listening.recvfrom(65535)
        except OSError:
            return
        if change is not None:
            response = dns.message.make_response(dns.message.from_wire(data))
            response.flags |= dns.flags.AA
            change(response)
            listening.sendto(response.to_wire(), sender)
