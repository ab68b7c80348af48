"""Every test of this folder runs inside a leak check: descriptors, tasks and threads, and links in its own folder."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.simulator.ports.shoe_end import ShoeEnd
from tests.transports.leaks import leak_check


@pytest_asyncio.fixture(autouse=True)
async def nothing_leaks() -> AsyncIterator[None]:
    async with leak_check():
        yield


@pytest_asyncio.fixture
async def shoe() -> ShoeEnd:
    return ShoeEnd()


@pytest_asyncio.fixture
async def link(tmp_path: Path, nothing_leaks: None) -> AsyncIterator[Path]:  # noqa: ARG001 - looked at inside the leak check
    """Where a pty is to be found; afterwards nothing may be left there."""
    link = tmp_path / "shoe"
    yield link
    assert not link.is_symlink()
