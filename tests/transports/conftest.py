"""Every test of this folder runs inside a leak check; the shoes that tests plug in are here too."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.transports.leaks import leak_check
from tests.transports.pty_shoe import PtyShoe
from tests.transports.usb_lines import WatchedBus


@pytest_asyncio.fixture(autouse=True)
async def nothing_leaks() -> AsyncIterator[None]:
    async with leak_check():
        yield


@pytest.fixture
def shoe(tmp_path: Path, nothing_leaks: None) -> Iterator[PtyShoe]:  # noqa: ARG001 - plugged in inside the leak check
    """A shoe on a pseudo-terminal, plugged in."""
    shoe = PtyShoe(tmp_path / "shoe")
    shoe.plug_in()
    yield shoe
    shoe.unplug()


@pytest.fixture
def bus() -> Iterator[WatchedBus]:
    """A USB bus with nothing on it; afterwards nobody may hold anything of it, or have held on to what is gone."""
    bus = WatchedBus()
    yield bus
    assert bus.open_handles == set()
    assert bus.wrongs == []
