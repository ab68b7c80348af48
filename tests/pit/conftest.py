"""One Chromium for all tests of the pit's page that a process runs; each test has a context of its own in it."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.console.browser import chromium


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chrome() -> AsyncIterator[Browser]:
    async with chromium() as made:
        yield made
