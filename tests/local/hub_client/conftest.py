"""A hub emulator with a client whose waits are recorded instead of slept."""

from collections.abc import Iterator

import pytest

from edge_dns.hub import HubClient
from local.hub_emulator import HubEmulator


@pytest.fixture
def hub() -> Iterator[HubEmulator]:
    with HubEmulator() as emulator:
        yield emulator
        emulator.check_invariants()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(hub: HubEmulator, waits: list[float]) -> HubClient:
    return HubClient(hub.url, hub.operator_key, sleep=waits.append, jitter=lambda: 1.0)
