"""A file that cannot be trusted is named, left as it is, and set aside; never overwritten, never taken for empty."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from shoe_controller.journal.errors import (
    BrokenChainError,
    DamagedJournalError,
    FileError,
    JournalInUseError,
    JournalMissingError,
    NewerJournalError,
    NotAJournalError,
    TruncatedJournalError,
    WrongSchemaError,
)
from shoe_controller.journal.opening import set_aside
from shoe_controller.journal.reading import JournalReader
from tests.journal.samples import NOON, STAMP, entry, opened, shoes, verified, write
from tests.journal.tampering import tampered


@pytest.fixture
def path(tmp_path: Path) -> Path:
    name = tmp_path / "table.journal"
    write(name, shoes(40))
    return name


def cut_to(size: int) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def overwritten(data: bytes, offset: int = 0) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(data)

    return change


def with_sql(*statements: str) -> Callable[[Path], object]:
    return lambda path: tampered(path, *statements)


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE guests (name TEXT)")


DAMAGES: list[tuple[str, Callable[[Path], object], type[FileError], str]] = [
    ("empty", cut_to(0), TruncatedJournalError, "the file is empty"),
    ("ten bytes", cut_to(10), TruncatedJournalError, "only 10 bytes"),
    ("fifty bytes", cut_to(50), TruncatedJournalError, "only 50 bytes"),
    ("half a page", cut_to(2048), TruncatedJournalError, "has been cut"),
    ("some pages", cut_to(40_960), TruncatedJournalError, "has been cut: .* pages are missing"),
    ("a text", lambda path: path.write_text("dear diary\n" * 1000), NotAJournalError, "not a journal"),
    ("header overwritten", overwritten(bytes(16)), NotAJournalError, "not a journal"),
    ("header kept, rest noise", overwritten(b"\xa5" * 4000, 100), DamagedJournalError, "damaged|follow"),
    ("a page of zeros", overwritten(bytes(4096), 4096), DamagedJournalError, "damaged|follow"),
    ("another program's database", another_database, NotAJournalError, "not a shoe-controller journal"),
    (
        "newer schema",
        with_sql("PRAGMA user_version = 99", "CREATE TABLE later (x)"),
        NewerJournalError,
        "newer version",
    ),
    ("no such version", with_sql("PRAGMA user_version = 99"), WrongSchemaError, "has the version 99"),
    ("no schema version", with_sql("PRAGMA user_version = 0"), WrongSchemaError, "version 0"),
    ("a table missing", with_sql("DROP TABLE tombstone"), WrongSchemaError, "tombstone"),
    ("a column more", with_sql("ALTER TABLE record ADD COLUMN note TEXT"), WrongSchemaError, "record"),
    ("a table more", with_sql("CREATE TABLE mine (x)"), WrongSchemaError, "mine"),
    ("an index missing", with_sql("DROP INDEX record_by_seq"), WrongSchemaError, "record_by_seq"),
    ("nobody's", with_sql("DELETE FROM journal"), DamagedJournalError, "missing"),
    ("nowhere", with_sql("DELETE FROM position"), DamagedJournalError, "missing"),
    ("sent too much", with_sql("UPDATE position SET published_seq = 9999"), DamagedJournalError, "9999"),
    ("no records", with_sql("DELETE FROM record"), BrokenChainError, "all records are missing"),
    (
        "another name",
        with_sql("UPDATE journal SET journal_id = 'x'", "DELETE FROM record"),
        BrokenChainError,
        "missing",
    ),
    (
        "last changed",
        with_sql("UPDATE record SET body = x'00' WHERE number = (SELECT max(number) FROM record)"),
        BrokenChainError,
        "the last one, does not follow",
    ),
    ("last gone", with_sql("DELETE FROM record WHERE number > 600"), BrokenChainError, "end with record"),
]


@pytest.mark.parametrize(("damage", "error", "sentence"), [one[1:] for one in DAMAGES], ids=[one[0] for one in DAMAGES])
def test_damage_is_named_and_the_file_left_as_it_is(
    path: Path, damage: Callable[[Path], object], error: type[FileError], sentence: str
) -> None:
    damage(path)
    before = path.read_bytes()
    with pytest.raises(error, match=sentence) as raised, opened(path):
        pass
    assert str(path) in str(raised.value)
    assert path.read_bytes() == before
    with pytest.raises(error, match=sentence), JournalReader(path) as reader:
        reader.position()
    assert path.read_bytes() == before


def test_a_good_journal_is_not_damaged(path: Path) -> None:
    with opened(path), JournalReader(path) as reader:
        assert reader.position().head.number > 0


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(path: Path) -> None:
    cut_to(40_960)(path)
    broken = path.read_bytes()
    aside = set_aside(path, stamp=STAMP)
    assert aside.name == f"table.journal.damaged-{STAMP}"
    assert aside.read_bytes() == broken
    write(path, shoes(1))
    assert verified(path).good
    assert aside.read_bytes() == broken
    # Twice in the same second: the first one is not overwritten.
    again = set_aside(path, stamp=STAMP)
    assert again.name == f"table.journal.damaged-{STAMP}-2"
    assert aside.read_bytes() == broken


def test_what_lies_beside_it_is_set_aside_too(path: Path) -> None:
    log = path.with_name("table.journal-wal")
    log.write_bytes(b"a log")
    aside = set_aside(path, stamp=STAMP)
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"a log"
    assert not log.exists()


def test_a_journal_in_use_is_not_set_aside(path: Path) -> None:
    with opened(path), pytest.raises(JournalInUseError):
        set_aside(path, stamp=STAMP)
    assert path.exists()


def test_a_log_without_its_journal_is_no_new_journal(path: Path) -> None:
    path.unlink()
    path.with_name("table.journal-wal").write_bytes(b"a log")
    with pytest.raises(DamagedJournalError, match="the journal is gone"), opened(path):
        pass
    assert not path.exists()


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(JournalMissingError), JournalReader(tmp_path / "nothing"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_rest_of_an_interrupted_beginning_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    path.with_name("table.journal.new").write_bytes(b"half of a")
    path.with_name("table.journal.new-wal").write_bytes(b"half of a")
    write(path, shoes(1))
    assert verified(path).good


def test_a_file_cut_while_its_log_is_full_is_found(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.journal"
    with opened(path) as journal:
        journal.submit(entry(1)).result(timeout=10)
        # As after a power cut: the log was not emptied.
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
    with JournalReader(copy) as reader:
        reader.position()
    cut_to(40_960)(copy)
    with pytest.raises(TruncatedJournalError, match="has been cut"), JournalReader(copy):
        pass
    with pytest.raises(TruncatedJournalError, match="has been cut"), opened(copy):
        pass


def test_a_file_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"), opened(tmp_path / "no" / "table.journal"):
        pass


def test_times_are_those_passed_in(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT created_ms FROM journal").fetchone() == (NOON,)
