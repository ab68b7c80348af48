"""The one file that knows sqlite3: opens a database, runs statements, and turns its errors into ours.

A `Database` belongs to the thread that opened it. Writers get WAL and `synchronous=FULL`: when a transaction has
returned, it is on the disk. Readers get a connection that cannot write; they see what was committed when they ask.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Self

from shoe_controller.journal import lock_safe_open
from shoe_controller.journal.errors import (
    DamagedJournalError,
    DiskFailedError,
    DiskFullError,
    FileError,
    JournalBusyError,
    JournalMissingError,
    NotAJournalError,
    ReadOnlyError,
    StorageError,
    TruncatedJournalError,
)

Row = tuple[Any, ...]

WAIT_FOR_OTHERS = 10.0
"""Seconds; other writers (pruning) hold the file for milliseconds."""

STEPS_BETWEEN_LOOKS = 200_000
"""SQLite instructions between two calls of a progress function."""

ROWS_IN_A_STATEMENT = 16
"""SQLite keeps the statements for each number of rows up to this one ready for use."""

_THEIRS = (sqlite3.Error, UnicodeDecodeError)
"""What a statement can raise; a damaged file can have names that cannot be put in an error's message."""

_HEADER = b"SQLite format 3\0"
_HEADER_BYTES = 100
_WAL_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24


class Database:
    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._looked_after = False
        """Whether it was opened from a file, so that closing it must be registered."""
        connection.text_factory = _text

    @classmethod
    def for_writing(cls, path: Path) -> Self:
        """Open an existing database or create one; the caller decides beforehand which it should be."""
        return cls._opened(
            path, f"{path.absolute().as_uri()}?mode=rwc", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"
        )

    @classmethod
    def for_reading(cls, path: Path) -> Self:
        address = f"{path.absolute().as_uri()}?mode=ro"
        if not os.access(path.absolute().parent, os.W_OK) and not _wal_of(path).exists():
            # An archived journal on a medium that cannot be written: no other program changes it either.
            address += "&immutable=1"
        return cls._opened(path, address, "PRAGMA query_only = ON")

    @classmethod
    def _opened(cls, path: Path, address: str, *pragmas: str) -> Self:
        lock_safe_open.connecting(path)
        try:
            with _our_errors(path):
                connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=WAIT_FOR_OTHERS)
                database = cls(path, connection)
                try:
                    for pragma in pragmas:
                        connection.execute(pragma)
                except BaseException:
                    connection.close()
                    raise
        except BaseException:
            lock_safe_open.disconnected(path)
            raise
        database._looked_after = True
        return database

    def run(self, statement: str, values: Sequence[object] = ()) -> int:
        """Run one statement; returns the number of rows it changed."""
        try:
            return self._connection.execute(statement, values).rowcount
        except _THEIRS as error:
            raise _ours(self.path, error) from error

    def insert(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run the INSERT of one row for many. A statement of many rows is much quicker than many of one."""
        try:
            for first in range(0, len(rows), ROWS_IN_A_STATEMENT):
                some = rows[first : first + ROWS_IN_A_STATEMENT]
                self._connection.execute(_for_so_many(statement, len(some)), tuple(chain.from_iterable(some)))
        except _THEIRS as error:
            raise _ours(self.path, error) from error

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows at once: a reader that holds on to its place keeps the writer's log from being emptied."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except _THEIRS as error:
            raise _ours(self.path, error) from error

    def row(self, statement: str, values: Sequence[object] = ()) -> Row | None:
        try:
            found: Row | None = self._connection.execute(statement, values).fetchone()
        except _THEIRS as error:
            raise _ours(self.path, error) from error
        return found

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction: all of it or nothing; other writers wait."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            # After some errors SQLite has already rolled back by itself.
            if self._connection.in_transaction:
                with suppress(FileError):
                    self.run("ROLLBACK")
            raise

    @contextmanager
    def one_view(self) -> Iterator[None]:
        """All reads inside see the same snapshot. It must be left soon."""
        self.run("BEGIN")
        try:
            yield
        finally:
            self.run("COMMIT")

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    @contextmanager
    def looking_on(self, look: Callable[[], object]) -> Iterator[None]:
        """Call `look` periodically while a long statement runs."""

        def handler() -> int:
            look()
            return 0

        self._connection.set_progress_handler(handler, STEPS_BETWEEN_LOOKS)
        try:
            yield
        finally:
            self._connection.set_progress_handler(None, 0)

    def copy_to(self, path: Path) -> None:
        """Copy the whole database, as it is at this moment, to a new file."""
        with _our_errors(path), closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)

    def layout(self) -> set[Row]:
        """The tables, indexes and triggers, as they were declared."""
        return set(self.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema"))

    def close(self) -> None:
        with _our_errors(self.path):
            self._connection.close()
        if self._looked_after:
            self._looked_after = False
            lock_safe_open.disconnected(self.path)


@cache
def layout_of(statements: tuple[str, ...]) -> frozenset[Row]:
    """The layout that these statements make."""
    database = Database(Path(":memory:"), sqlite3.connect(":memory:", isolation_level=None))
    try:
        for statement in statements:
            database.run(statement)
        return frozenset(database.layout())
    finally:
        database.close()


def check_bytes(path: Path) -> None:
    """Check from the bytes of a file that it is a complete database, before SQLite is allowed to touch it.

    SQLite takes an empty file for a new database, and would fill up a cut file with zeros when it empties its log. A
    header that no journal has is damage, whatever SQLite would call it: what it means by it may be "read-only".
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StorageError(path, "this is not a file that could be a journal.")
        with lock_safe_open.look(path) as file:
            header = file.read(_HEADER_BYTES)
            size = file.seek(0, os.SEEK_END)
    except FileNotFoundError as error:
        raise JournalMissingError(path, "the file does not exist; correct its path.") from error
    except OSError as error:
        raise DiskFailedError(path, f"the file cannot be read: {error.strerror}.") from error
    if not header:
        raise TruncatedJournalError(path, "the file is empty; a journal never is.")
    if not header.startswith(_HEADER[: len(header)]):
        raise NotAJournalError(path, "this is not a journal, nor any other SQLite file.")
    if len(header) < _HEADER_BYTES:
        raise TruncatedJournalError(path, f"only {len(header)} bytes of the file are left.")
    page_size = _page_size(path, header)
    expected = int.from_bytes(header[28:32])
    there = size // page_size
    if there < expected:
        # The log can hold pages of which only some have reached the file; all others must be in it. A damaged header
        # can demand 2^32 of them, so they are counted and not looked for one by one.
        in_log = sum(1 for page in _pages_in_log(_wal_of(path), page_size) if there < page <= expected)
        missing = expected - there - in_log
        if missing:
            raise TruncatedJournalError(path, f"the file has been cut: {missing} of its {expected} pages are missing.")


def _page_size(path: Path, header: bytes) -> int:
    """The page size in a header that has what every journal's header has (see SQLite's file format)."""
    page_size = int.from_bytes(header[16:18])
    page_size = 65536 if page_size == 1 else page_size
    wrong = [
        name
        for name, good in (
            ("page size", page_size >= 512 and page_size.bit_count() == 1),
            ("write version", header[18] in {1, 2}),
            ("read version", header[19] in {1, 2}),
            ("reserved space", header[20] == 0),
            ("payload fractions", header[21:24] == b"\x40\x20\x20"),
            ("schema format", int.from_bytes(header[44:48]) in {1, 2, 3, 4}),
            ("text encoding", int.from_bytes(header[56:60]) == 1),
            ("reserved bytes", not any(header[72:92])),
        )
        if not good
    ]
    if wrong:
        raise DamagedJournalError(path, f"the header of the file is damaged: {', '.join(wrong)}.")
    return page_size


def bytes_behind_the_end(database: Database) -> int:
    """How much longer the file is than its pages; unknown, so 0, while a log holds pages of it."""
    log = _wal_of(database.path)
    if log.exists() and log.stat().st_size:
        return 0
    ((pages,), (page_size,)) = (database.row(f"PRAGMA {name}") or (0,) for name in ("page_count", "page_size"))
    return max(0, database.path.stat().st_size - int(pages) * int(page_size))


def files_of(path: Path) -> tuple[Path, Path, Path]:
    """A database and what SQLite keeps beside it."""
    return path, _wal_of(path), path.with_name(f"{path.name}-shm")


def _wal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _pages_in_log(log: Path, page_size: int) -> set[int]:
    pages: set[int] = set()
    with suppress(FileNotFoundError), log.open("rb") as file:
        salt = file.read(_WAL_HEADER_BYTES)[16:24]
        while len(frame := file.read(_FRAME_HEADER_BYTES + page_size)) == _FRAME_HEADER_BYTES + page_size:
            if frame[8:16] != salt:
                break  # left over from before the log was last emptied
            pages.add(int.from_bytes(frame[:4]))
    return pages


@cache
def _for_so_many(statement: str, rows: int) -> str:
    insert, values, row = statement.partition("VALUES ")
    return f"{insert}{values}{', '.join([row] * rows)}"


def _text(data: bytes) -> str:
    """Text in a file that was tampered with may not be UTF-8; it must still be read to be reported."""
    return data.decode(errors="surrogateescape")


@contextmanager
def _our_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _THEIRS as error:
        raise _ours(path, error) from error


_ERRORS: dict[int, tuple[type[FileError], str]] = {
    sqlite3.SQLITE_FULL: (DiskFullError, "the disk is full; nothing was stored. Make room, and it goes on."),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, "the journal may not be written to; nothing was stored."),
    sqlite3.SQLITE_PERM: (ReadOnlyError, "the journal may not be written to; nothing was stored."),
    sqlite3.SQLITE_IOERR: (DiskFailedError, "the disk failed; nothing was stored."),
    sqlite3.SQLITE_BUSY: (JournalBusyError, "another program held the journal for too long; nothing was stored."),
    sqlite3.SQLITE_LOCKED: (JournalBusyError, "another program held the journal for too long; nothing was stored."),
    sqlite3.SQLITE_CORRUPT: (DamagedJournalError, "the file is damaged."),
    sqlite3.SQLITE_CONSTRAINT: (DamagedJournalError, "the records in the file contradict each other."),
    sqlite3.SQLITE_NOTADB: (NotAJournalError, "this is not a journal, nor any other SQLite file."),
    sqlite3.SQLITE_CANTOPEN: (StorageError, "the file cannot be opened; check its folder and its permissions."),
}


def _ours(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> FileError:
    if isinstance(error, UnicodeDecodeError):
        return DamagedJournalError(path, "the file is damaged.")
    # Errors of the module itself, such as using a closed connection, carry no code.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    name = getattr(error, "sqlite_errorname", "no code")
    kind, sentence = _ERRORS.get(code, (FileError, "SQLite reported an error."))
    return kind(path, f"{sentence} ({error}, {name})")
