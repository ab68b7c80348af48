"""The doctor on an archive's file: its database too."""

import asyncio
from pathlib import Path

from shoe_controller.archive.migrate import prepare
from shoe_controller.doctor.checks import OF_ARCHIVE
from shoe_controller.doctor.findings import Finding, Verdict
from shoe_controller.postgres.connection import connect
from tests.commands.running import run_program
from tests.daemon.house_file import SITE
from tests.doctor.test_pages import findings_in
from tests.table_files import Data


def looked(folder: Path, database: str) -> Finding:
    data: Data = {"mqtt": {"host": "127.0.0.1", "port": 1}, "archive": {"site": SITE, "database": database}}
    found = asyncio.run(findings_in(folder, data))
    assert list(found) == [check.name for check in OF_ARCHIVE]
    return found["database"]


def test_what_the_database_lacks_is_said_and_nothing_is_changed(tmp_path: Path, database: str) -> None:
    async def prepared() -> None:
        async with connect(database) as connection:
            await prepare(connection)

    for _ in range(2):
        found = looked(tmp_path, database)
        assert (found.verdict, "is not there yet" in found.what or "no member" in found.what) == (Verdict.PROBLEM, True)
    asyncio.run(prepared())
    assert looked(tmp_path, database).verdict is Verdict.GOOD


def test_a_database_that_is_not_there_ends_the_archive_with_a_message(tmp_path: Path, database: str) -> None:
    nowhere = database.replace("?host=", "_nowhere?host=")
    found = looked(tmp_path, nowhere)
    assert (found.verdict, "does not exist" in found.what) == (Verdict.PROBLEM, True)
    answer = run_program("archive", str(tmp_path / "table.toml"))
    assert answer.exit_code == 1
    assert "does not exist" in answer.err.splitlines()[-1]
