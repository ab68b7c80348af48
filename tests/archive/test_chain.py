"""An archive beside a real table, at a real broker with an access list and a real database."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.postgres.connection import connect
from tests.archive.house import ArchiveHouse, archive_house, presences
from tests.commands.running import run_program

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
        await here.stored(60)
        assert "gap" in here.archive.output

        await here.archive.kill()
        await here.chain.becomes(lambda: "database_up" in second.output, what="the second archive to take over")
        await here.chain.kill_emulator()
        await here.is_complete()
        await seen.until(lambda: seen.now.storing and not seen.now.standby, what="the second archive to say so")


async def test_a_file_is_compared_with_the_archive_and_loaded(tmp_path: Path, database: str) -> None:
    async with archive_house(tmp_path, database, shoes=None) as here:
        await here.chain.start_daemon()
        await here.chain.start_emulator()
        await here.chain.becomes(lambda: here.chain.times_logged("round_result") > 3, what="some rounds")
        await here.chain.kill_emulator()
        older = tmp_path / "older.journal"
        await here.chain.stop_daemon()
        shutil.copy(here.chain.journal, older)

        loaded = await program(here, "load", older)
        assert loaded["events"] > 50
        assert (await program(here, "load", older))["events"] == 0
        assert (await program(here, "verify", older))["events"] == loaded["events"]

        changes = {
            "event 7 is missing in the archive": "DELETE FROM archive.event WHERE seq = 7",
            "event 8 has other bytes": "UPDATE archive.event SET payload = payload || ' ' WHERE seq = 8",
            "event 9 has other topic": "UPDATE archive.event SET topic = 'event/x' WHERE seq = 9",
            "event 10 is in the archive twice": "INSERT INTO archive.event SELECT journal_id, seq, "
            "at + interval '1 s', fact, shoe, round, topic, payload, content, content_refused "
            "FROM archive.event WHERE seq = 10",
            "has another hash than the table announced": "UPDATE archive.head "
            "SET hash = decode(repeat('ab', 32), 'hex') WHERE number = (SELECT max(number) FROM archive.head)",
        }
        async with connect(database) as connection:
            for change in changes.values():
                await connection.execute(change)
        found = await program(here, "verify", older, exit_code=1)
        assert len(found["differences"]) == len(changes), found
        for what in changes:
            assert sum(what in difference for difference in found["differences"]) == 1, what

        # What is known to be missing is filled from the file, in parts.
        async with connect(database) as connection:
            await connection.execute("DELETE FROM archive.event WHERE seq BETWEEN 7 AND 40")
            await connection.execute("INSERT INTO archive.hole SELECT id, 7, 40, 'pruned' FROM archive.journal")
        assert (await program(here, "verify", older, exit_code=1))["absent"] == 34
        filled = await program(here, "load", older)
        assert (filled["filled"], await here.rows("SELECT * FROM archive.hole")) == (34, [])
        found = await program(here, "verify", older, exit_code=1)
        assert len(found["differences"]) == 1, "the head"


async def program(here: ArchiveHouse, action: str, journal: Path, exit_code: int = 0) -> Any:  # noqa: ANN401 - JSON
    answer = await asyncio.to_thread(run_program, "archive", str(here.file), action, str(journal), "--json")
    assert answer.exit_code == exit_code, answer.err
    return json.loads(answer.out)
