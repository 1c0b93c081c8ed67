"""What all tests share: the rows of docs/faults.md come from them."""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests import fault_table

# How long an example takes is a matter of the machine, and a change fails by what it changes: examples are the same in
# each run. `make explore` looks for others.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("same")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """After a test that shows faults and has passed, its rows stand in the document."""
    heard = len(fault_table.said)
    result = yield
    if item.get_closest_marker("fault"):
        write = os.environ.get(fault_table.SWITCH) == "write"
        fault_table.check(item, fault_table.said[heard:], write=write)
    return result
