"""An archive beside a real table, at a real broker with an access list and a real database."""

from pathlib import Path

import pytest

from shoe_controller.archive.derived.rebuild import rebuild
from shoe_controller.postgres.connection import connect
from tests.archive.house import archive_house, presences

SHORT_SHOE = 366
"""Cards behind the cut card, so that some 50 of the 416 are dealt."""

pytestmark = pytest.mark.asyncio


async def test_a_shoe_is_stored_once_from_its_beginning_and_the_archive_says_how_it_is(
    tmp_path: Path, database: str
) -> None:
    async with archive_house(tmp_path, database) as here, presences(here) as seen:
        await here.chain.start_daemon()
        await here.chain.start_emulator(cut_card=SHORT_SHOE)
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


async def test_what_the_database_forgets_comes_again_and_a_second_archive_takes_over(
    tmp_path: Path, database: str
) -> None:
    async with archive_house(tmp_path, database, shoes=None) as here, presences(here) as seen:
        await here.chain.start_daemon()
        await here.chain.start_emulator()
        await here.archive.start()
        await here.stored(50)
        second = here.another("second")
        here.programs.append(second)
        await second.start()
        await here.chain.becomes(lambda: "standing_by" in second.output, what="the second archive to wait")
        assert seen.now.storing, "the one that stores is shown"

        # As after a fail-over to a replica that was behind: it has less than the archive believes.
        async with connect(database) as connection, connection.transaction():
            await connection.execute("UPDATE archive.journal SET have = 20")
            await connection.execute("DELETE FROM archive.event WHERE seq > 20")
            await rebuild(connection)
        await here.stored(60)
        assert "gap" in here.archive.output

        await here.archive.kill()
        await here.chain.becomes(lambda: "database_up" in second.output, what="the second archive to take over")
        await here.chain.kill_emulator()
        await here.is_complete()
        await seen.until(lambda: seen.now.storing and not seen.now.standby, what="the second archive to say so")
