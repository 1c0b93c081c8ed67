from collections.abc import Iterator

import pytest

from local.hub_emulator import HubEmulator
from tests.local.hub_emulator.api import Api


@pytest.fixture
def hub() -> Iterator[HubEmulator]:
    with HubEmulator() as emulator:
        yield emulator
        emulator.check_invariants()


@pytest.fixture
def api(hub: HubEmulator) -> Api:
    return Api(hub, hub.operator_key)
