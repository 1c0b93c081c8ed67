"""What all tests share: the rows of docs/faults.md come from them."""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests import fault_table

# How long an example takes is a matter of the machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """After a test that shows faults and has passed, its rows stand in the document."""
    heard = len(fault_table.said)
    result = yield
    if item.get_closest_marker("fault"):
        write = os.environ.get(fault_table.SWITCH) == "write"
        fault_table.check(item, fault_table.said[heard:], write=write)
    return result
