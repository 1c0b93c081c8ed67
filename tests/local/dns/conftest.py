from collections.abc import Iterator

import pytest

from edge_dns.observe.dns_answers import Server
from local.bind import BindServer
from local.child import LOOPBACK


@pytest.fixture(scope="session")
def bind() -> Iterator[BindServer]:
    """A name server with a zone and a child zone of it; what is in them each test pushes itself."""
    with BindServer(["example.com", "lan.example.com"]) as server:
        yield server


@pytest.fixture
def server(bind: BindServer) -> Server:
    """The same, as one asks it."""
    return Server(host=LOOPBACK, addresses=(LOOPBACK,), port=bind.port)
