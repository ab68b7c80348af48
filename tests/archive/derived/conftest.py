"""One server for these tests, and one database that holds the evenings of some simulated tables."""

import asyncio
import os

import pytest

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.postgres.connection import connect
from tests.archive.derived.database import begin, store_events
from tests.archive.derived.streams import events_of_seeds
from tests.postgres.cluster import Cluster

SEEDS = range(300) if os.environ.get("LONG_TESTS") else (2, 5, 19, 21, 30, 31, 36)
"""In those few is every fact, and a table whose journal was replaced."""


@pytest.fixture(scope="session")
def events() -> list[ArchivedEvent]:
    return events_of_seeds(SEEDS)


@pytest.fixture(scope="session")
def cluster(shared_cluster: Cluster) -> Cluster:
    return shared_cluster


@pytest.fixture(scope="session")
def filled(cluster: Cluster, events: list[ArchivedEvent]) -> str:
    """The address of a database in which everything was stored at once."""
    address = begin(cluster, "filled")

    async def fill() -> None:
        async with connect(address) as connection:
            await store_events(connection, events)
            await connection.execute("ANALYZE")

    asyncio.run(fill())
    return address
