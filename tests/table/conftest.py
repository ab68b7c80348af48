"""Whatever a test did on a bench is replayed when the test is over: the same inputs must give the same facts again."""

from collections.abc import Iterator

import pytest

from tests.table.sitting import RECENT


@pytest.fixture(autouse=True)
def _replayed_afterwards() -> Iterator[None]:
    RECENT.clear()
    yield
    for sitting in RECENT:
        sitting.check_replay()
