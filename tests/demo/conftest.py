"""A folder in which demonstrations run, and none outlives its test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.demo.watched_demo import Folder


@pytest_asyncio.fixture
async def folder(tmp_path: Path) -> AsyncIterator[Folder]:
    made = Folder(tmp_path)
    yield made
    for demo in made.demos:
        await demo.kill()
