"""Old files are brought up to date all at once or not at all, with a copy from before beside them.

The versions ahead are made up. Files that an older program wrote are in `test_old_journals.py`.
"""

from pathlib import Path

import pytest

from shoe_controller.journal.errors import FileError, OlderJournalError, WrongSchemaError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.schema import SCHEMA, Schema
from shoe_controller.journal.store import Journal, open_journal
from tests.journal.samples import IDENTITY, NOON, SOFTWARE, STAMP, entry, opened, shoes, verified, write
from tests.journal.tampering import query

NOTES = "CREATE TABLE note (number INTEGER PRIMARY KEY, sentence TEXT NOT NULL) STRICT"
LATER = Schema(
    version=4,
    tables=(*SCHEMA.tables, NOTES, "CREATE INDEX note_by_sentence ON note (sentence)"),
    migrations={
        2: (NOTES, "INSERT INTO note SELECT number, name FROM record WHERE kind = 'opening'"),
        3: ("CREATE INDEX note_by_sentence ON note (sentence)",),
    },
)
"""Two versions ahead, for this test alone."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    name = tmp_path / "table.journal"
    write(name, shoes(3))
    return name


def opened_later(path: Path, schema: Schema = LATER) -> Journal:
    return open_journal(path, identity=IDENTITY, software=SOFTWARE, now_ms=NOON, stamp=STAMP, schema=schema)


def test_a_file_two_versions_old_is_brought_up_to_date(path: Path) -> None:
    before = query(path, "SELECT * FROM record")
    journal = opened_later(path)
    journal.submit(entry(100, shoe=3)).result(timeout=10)
    journal.close()
    assert query(path, "SELECT * FROM record")[: len(before)] == before
    assert query(path, "SELECT count(*) FROM note") == [(3,)]
    assert query(path, "PRAGMA user_version") == [(4,)]
    with JournalReader(path, LATER) as reader:
        assert len(list(reader.current_shoe())) == 7
    assert journal.backup is not None
    assert journal.backup.name == f"table.journal.schema-2-{STAMP}"
    assert query(journal.backup, "SELECT * FROM record") == before
    assert verified(journal.backup).good


def test_a_second_start_has_nothing_to_do(path: Path) -> None:
    opened_later(path).close()
    journal = opened_later(path)
    journal.close()
    assert journal.backup is None


@pytest.mark.parametrize(
    "second_step",
    [
        ("CREATE INDEX note_by_sentence ON note (no_such_column)",),
        (),  # leaves a layout that is not the one wanted
        ("CREATE INDEX note_by_sentence ON note (sentence)", "UPDATE record SET shoe = 1"),  # the guards hold
    ],
)
def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path, second_step: tuple[str, ...]) -> None:
    before = query(path, "SELECT * FROM record"), query(path, "SELECT * FROM sqlite_schema")
    broken = Schema(version=4, tables=LATER.tables, migrations={2: LATER.migrations[2], 3: second_step})
    with pytest.raises(FileError):
        opened_later(path, broken)
    assert (query(path, "SELECT * FROM record"), query(path, "SELECT * FROM sqlite_schema")) == before
    assert verified(path).good
    with opened(path) as journal:
        journal.submit(entry(100, shoe=3)).result(timeout=10)
    # A later program that does it right is not hindered by what the first left behind.
    journal = opened_later(path)
    journal.close()
    assert journal.backup is not None
    assert journal.backup.name == f"table.journal.schema-2-{STAMP}-2"


def test_no_way_is_an_error(path: Path) -> None:
    with pytest.raises(WrongSchemaError, match="no way from schema 2 to 3"):
        opened_later(path, Schema(version=3, tables=SCHEMA.tables))


def test_a_reader_changes_nothing_and_says_what_to_do(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(OlderJournalError, match="when the table's controller next starts"):
        JournalReader(path, LATER)
    assert path.read_bytes() == before
