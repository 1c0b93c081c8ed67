"""A published stack, ready for faults."""

import pytest

from tests.engine.conftest import World
from tests.engine.faults.stage import Stage


@pytest.fixture
def stage(world: World, request: pytest.FixtureRequest) -> Stage:
    """Two tunnel names and two Gateway names, published; the AWS client gives up at its second try."""
    world.stack.environment |= {"AWS_RETRY_MODE": "standard", "AWS_MAX_ATTEMPTS": "2"}
    opened = Stage(world, request.node)
    opened.want("base")
    world.up("--skip-preview")
    return opened
