from collections.abc import Iterator

import pytest

from tests.local.kubernetes.fake_server import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """An empty cluster."""
    fake = FakeServer()
    with fake.http:
        yield fake
