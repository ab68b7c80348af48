"""An archive beside a real table, at a real broker with an access list and a real database."""

from pathlib import Path

import pytest

from tests.archive.house import archive_house, presences

pytestmark = pytest.mark.asyncio


async def test_a_shoe_is_stored_once_from_its_beginning_and_the_archive_says_how_it_is(
    tmp_path: Path, database: str
) -> None:
    async with archive_house(tmp_path, database) as here, presences(here) as seen:
        await here.chain.start_daemon()
        await here.chain.start_emulator()
        await here.chain.becomes(lambda: here.chain.times_logged("round_result") > 3, what="rounds before the archive")
        await here.archive.start()
        await seen.until(lambda: seen.now.storing, what="the archive to store")
        await here.chain.shoe_is_dealt()
        await here.is_complete()
        await seen.until(lambda: seen.now.storing and seen.now.behind == 0, what="the archive to be up to date")
        (journal,) = await here.journals()
        assert journal.state == "current"
        heads = await here.rows("SELECT count(*), count(seq) FROM archive.head")
        assert heads[0][1] > 3
        assert await here.rows("SELECT count(*) FROM archive.event WHERE content IS NULL") == [(0,)]
        assert await here.archive.terminate() == 0
        await seen.until(lambda: not seen.now.online, what="the archive to be gone")
