"""A connection on a real server: rows, transactions, and errors in words."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from shoe_controller.postgres.connection import DatabaseError, DatabaseLostError, connect
from tests.postgres.cluster import Cluster, running_cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as cluster:
        yield cluster


@pytest.mark.asyncio
async def test_rows_are_copied_together_or_not_at_all(cluster: Cluster) -> None:
    async with connect(cluster.address()) as connection:
        await connection.execute("CREATE TABLE card (number int PRIMARY KEY, face text)")
        async with connection.transaction():
            await connection.copy("card", ("number", "face"), [(1, "9H"), (2, "KS")])
        with pytest.raises(DatabaseError, match="duplicate key"):  # noqa: PT012 - the second copy undoes the first
            async with connection.transaction():
                await connection.copy("card", ("number", "face"), [(3, "2C")])
                await connection.copy("card", ("number", "face"), [(1, "9H")])
        assert [tuple(row) for row in await connection.fetch("SELECT * FROM card")] == [(1, "9H"), (2, "KS")]


@pytest.mark.asyncio
async def test_a_statement_that_can_never_work_is_no_lost_database(cluster: Cluster) -> None:
    async with connect(cluster.address()) as connection:
        with pytest.raises(DatabaseError, match="does not exist") as raised:
            await connection.fetch("SELECT * FROM nothing")
        assert not isinstance(raised.value, DatabaseLostError)


@pytest.mark.asyncio
async def test_a_server_that_goes_away_is_a_lost_database() -> None:
    with running_cluster() as cluster:
        async with connect(cluster.address()) as connection:
            await asyncio.to_thread(cluster.stop, signal.SIGQUIT)
            with pytest.raises(DatabaseLostError):
                await connection.fetch("SELECT 1")
        with pytest.raises(DatabaseLostError):
            async with connect(cluster.address()):
                pass
