"""`archive FILE load JOURNAL` and `archive FILE verify JOURNAL`, on a journal of which the first shoes were pruned."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.archive.derived.tables import TABLES
from shoe_controller.archive.intake import take_lock
from shoe_controller.postgres.connection import connect
from tests.attacks.table_journal import SITE, TableJournal, table_journal
from tests.commands.running import Answer, run
from tests.daemon.house_file import write_secret
from tests.witness.house import as_toml_file


class Archived:
    def __init__(self, folder: Path, journal: TableJournal, database: str, capsys: pytest.CaptureFixture[str]) -> None:
        config = {"mqtt": {"host": "127.0.0.1"}, "archive": {"site": SITE, "database": database}}
        self.file = write_secret(folder / "archive.toml", as_toml_file(config))
        self.journal = journal
        self.database = database
        self._capsys = capsys

    def run(self, action: str, journal: Path | None = None) -> Answer:
        return run(self._capsys, "archive", str(self.file), action, str(journal or self.journal.path), "--json")

    def rebuild(self) -> Answer:
        return run(self._capsys, "archive", str(self.file), "rebuild", "--json")

    def derived(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that was made of the events."""
        of_each = "SELECT each::text FROM archive.{} AS each ORDER BY 1"
        return {name: self.sql(of_each.format(name)) for name in TABLES}

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        async def fetched() -> list[tuple[Any, ...]]:
            async with connect(self.database) as connection:
                return [tuple(row) for row in await connection.fetch(statement, *values)]

        return asyncio.run(fetched())


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> TableJournal:
    """Nobody writes to it."""
    return table_journal(tmp_path_factory.mktemp("journal"))


@pytest.fixture
def archived(tmp_path: Path, journal: TableJournal, database: str, capsys: pytest.CaptureFixture[str]) -> Archived:
    return Archived(tmp_path, journal, database, capsys)


def test_a_journal_is_loaded_once_with_a_hole_for_what_was_pruned(archived: Archived) -> None:
    assert archived.run("verify").exit_code == 2, "there is no schema yet"
    older = archived.run("load", archived.journal.older).json["events"]
    loaded = archived.run("load").json["events"]
    assert min(older, loaded) > 20
    assert archived.run("load").json["events"] == 0
    verified = archived.run("verify")
    assert (verified.exit_code, verified.json["same"]) == (0, True)
    assert verified.json["events"] + verified.json["only_archived"] == older + loaded
    assert 2 < verified.json["heads"] < len(archived.sql("SELECT FROM archive.head")), "of pruned records, none"
    ((first, last),) = archived.sql("SELECT first, last FROM archive.hole")
    assert (first, last) == (1, archived.sql("SELECT min(seq) - 1 FROM archive.event")[0][0])
    assert archived.sql("SELECT site, table_name, state FROM archive.journal") == [(SITE, "t1", "set_aside")]


def test_an_older_copy_lacks_what_the_archive_has(archived: Archived) -> None:
    archived.run("load")
    verified = archived.run("verify", archived.journal.older)
    assert verified.exit_code == 1
    said = " ".join(verified.json["differences"])
    assert "are in the archive, and the file ends at" in said
    assert "the table announced record" in said


def test_whatever_was_changed_is_named(archived: Archived) -> None:
    archived.run("load")
    first = archived.sql("SELECT min(seq) FROM archive.event")[0][0]
    changes = {
        "is missing in the archive": ("DELETE FROM archive.event WHERE seq = $1", first + 1),
        "has other bytes": ("UPDATE archive.event SET payload = payload || ' ' WHERE seq = $1", first + 2),
        "has other topic": ("UPDATE archive.event SET topic = 'event/x' WHERE seq = $1", first + 3),
        "is in the archive twice": (
            (
                "INSERT INTO archive.event SELECT journal_id, seq, at + interval '1 s', fact, shoe, round, topic, "
                "payload, content, content_refused FROM archive.event WHERE seq = $1"
            ),
            first + 4,
        ),
    }
    for statement, seq in changes.values():
        archived.sql(statement, seq)
    newest = archived.sql("SELECT max(number) FROM archive.head")[0][0]
    archived.sql("UPDATE archive.head SET hash = decode(repeat('ab', 32), 'hex') WHERE number = $1", newest)
    found = archived.run("verify")
    assert found.exit_code == 1
    said = [f"event {seq} {what}" for what, (_, seq) in changes.items()]
    said.append(f"record {newest} of the file has another hash than the table announced")
    for what in said:
        assert sum(what in difference for difference in found.json["differences"]) == 1, what
    assert len(found.json["differences"]) == len(said)


def test_a_hole_is_filled_from_the_file_as_far_as_that_goes(archived: Archived) -> None:
    archived.run("load")
    first = archived.sql("SELECT min(seq) FROM archive.event")[0][0]
    events = archived.run("verify").json["events"]
    whole = archived.derived()
    archived.sql("DELETE FROM archive.event WHERE seq < $1", first + 30)
    archived.sql("UPDATE archive.hole SET last = $1", first + 29)
    assert archived.rebuild().json == {"events": events - 30}
    assert archived.derived() != whole
    assert archived.run("verify").json["absent"] == 30
    filled = archived.run("load").json
    assert (filled["events"], filled["filled"]) == (30, 30)
    assert archived.sql("SELECT first, last FROM archive.hole") == [(1, first - 1)]
    assert archived.run("verify").json["events"] == events
    assert archived.derived() == whole


def test_what_is_made_of_events_can_be_made_anew_while_no_archive_stores(archived: Archived) -> None:
    archived.run("load")
    made = archived.derived()
    assert made["round"]
    assert made["card"]
    archived.sql("DELETE FROM archive.round")
    archived.sql("UPDATE archive.card SET face = 'KS'")

    async def refused_beside_another() -> Answer:
        async with connect(archived.database) as connection:
            assert await take_lock(connection)
            return await asyncio.to_thread(archived.rebuild)

    assert asyncio.run(refused_beside_another()).exit_code == 1
    assert archived.derived() != made
    archived.sql("UPDATE archive.journal SET have = have - 20")
    archived.sql("DELETE FROM archive.event WHERE seq > (SELECT have FROM archive.journal)")
    refused = archived.run("load")
    assert refused.exit_code == 1
    assert "archive FILE rebuild" in refused.err
    assert archived.rebuild().exit_code == 0
    assert archived.run("load").json["events"] == 20
    assert archived.rebuild().exit_code == 0
    assert archived.derived() == made


def test_a_database_that_is_not_there_and_a_file_that_is_no_journal(archived: Archived) -> None:
    text = archived.file.read_text(encoding="utf-8").replace("?host=", "_nowhere?host=")
    assert archived.run("load", archived.file).exit_code == 2
    write_secret(archived.file, text)
    for action in ("load", "verify"):
        answer = archived.run(action)
        assert answer.exit_code == 1
        assert "does not exist" in answer.err
