"""A hub emulator, a client that does not sleep, and a log that can be read."""

from collections.abc import Iterator

import pytest

from edge_dns.hub import HubClient
from local.hub_emulator import HubEmulator
from tests.local.towonel.recorded_log import Lines


@pytest.fixture
def hub() -> Iterator[HubEmulator]:
    with HubEmulator() as emulator:
        yield emulator
        emulator.check_invariants()


@pytest.fixture
def client(hub: HubEmulator) -> HubClient:
    return HubClient(hub.url, hub.operator_key, sleep=lambda _: None)


@pytest.fixture
def log() -> Lines:
    return Lines()
