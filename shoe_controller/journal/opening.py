"""Checks whether a journal file can be trusted, creates a new one, and sets a damaged one aside.

What is checked here costs the same for a journal of one shoe and of ten years. `reading.py` checks the chain of the
current shoe while it is read at start-up, and `verify.py` checks everything. Clock and identifiers are passed in.
"""

import fcntl
import os
from contextlib import closing
from io import FileIO
from pathlib import Path
from types import NoneType

import msgspec

from shoe_controller.journal import lock_safe_open
from shoe_controller.journal.chain import genesis, link
from shoe_controller.journal.database import Database, Row, check_bytes, files_of, layout_of
from shoe_controller.journal.errors import (
    BrokenChainError,
    DamagedJournalError,
    DiskFailedError,
    HardLinkedJournalError,
    JournalInUseError,
    NewerJournalError,
    NotAJournalError,
    OlderJournalError,
    OtherTableError,
    ReadOnlyError,
    StorageError,
    WrongSchemaError,
)
from shoe_controller.journal.records import Head, Record
from shoe_controller.journal.schema import APPLICATION_ID, SCHEMA, Schema

_FIELDS = (int, int, str, str, int, int, int, int, int)
_RECORD_TYPES = frozenset((*_FIELDS, seq, str, bytes, bytes) for seq in (int, NoneType))
_POSITION_TYPES = frozenset((int, bytes, int, int, link_state) for link_state in (bytes, NoneType))


_KEPT = ("damaged", "rolled-back", "schema")
"""What follows a journal's name in the names of earlier ones that are kept beside it, before a time."""

_PRIVATE = 0o600


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    table: str
    journal_id: str
    """Distinguishes the files of one table, for instance after a damaged one was set aside."""

    @property
    def genesis(self) -> bytes:
        return genesis(self.table, self.journal_id)


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where the journal stands."""

    head: Head
    last_seq: int
    published_seq: int
    link_state: bytes | None


def real_path(path: Path) -> Path:
    """The journal's own name, also where a symbolic link leads to it: its log and its locks lie beside that one."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise StorageError(path, "this name leads nowhere: its symbolic links form a loop.") from error


class WriterLock:
    """Lets one program at a time write to a journal; only pruning may write in between.

    A lock on the name lets one program at a time begin or set aside a journal of that name. A lock on the file itself
    holds under every name that the file has, and when the lock's own file is removed. Both are flock(2), which knows
    nothing of the locks that SQLite sets on the same file.
    """

    def __init__(self, path: Path) -> None:
        self._path = real_path(path)
        self._name = _locked_name(self._path)
        self._file: FileIO | None = None
        if self._path.exists():
            try:
                self.lock_file()
            except BaseException:
                self._name.close()
                raise

    def lock_file(self) -> None:
        """Lock the file, which has just been created if it was not there before."""
        if not self._path.is_file():
            raise StorageError(self._path, "this is not a file that could be a journal.")
        try:
            file = lock_safe_open.hold(self._path)
        except OSError as error:
            raise DiskFailedError(self._path, f"the file cannot be read: {error.strerror}.") from error
        try:
            refuse_hard_links(self._path)
            _lock(self._path, file)
        except BaseException:
            lock_safe_open.let_go(self._path, file)
            raise
        self._file = file

    def release(self) -> None:
        """May be called twice."""
        if self._file is not None:
            # It may have to stay open for a reader of this process; the lock must not.
            fcntl.flock(self._file, fcntl.LOCK_UN)
            lock_safe_open.let_go(self._path, self._file)
            self._file = None
        self._name.close()


def refuse_hard_links(path: Path) -> None:
    """SQLite's log belongs to a name: a writer under another name of the same file would destroy the journal."""
    names = path.stat().st_nlink
    if names > 1:
        raise HardLinkedJournalError(
            path,
            f"the file has {names} names (hard links), and a journal may have only one; find the others with "
            f"`find / -xdev -samefile {path}`, and remove them.",
        )


def _locked_name(path: Path) -> FileIO:
    name = path.with_name(f"{path.name}.lock")
    try:
        file = FileIO(name, "ab", opener=private)
    except OSError as error:
        raise ReadOnlyError(path, f"its lock {name} cannot be written: {error.strerror}.") from error
    try:
        _lock(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _lock(path: Path, file: FileIO) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalInUseError(
            path, "another program writes to this journal, or begins it; stop that one first."
        ) from error


def create(path: Path, identity: Identity, *, created_ms: int, schema: Schema = SCHEMA) -> None:
    """Create an empty journal. It gets its name only when it is complete, so a crash leaves no partial file."""
    _, log, _ = files_of(path)
    if path.exists():
        raise StorageError(path, "a journal already exists here; it is never overwritten.")
    if log.exists():
        raise DamagedJournalError(path, f"the journal is gone, but its log {log.name} is still there.")
    unfinished = _unfinished(path)
    _make_private(unfinished)
    with closing(Database.for_writing(unfinished)) as database, database.transaction():
        _set_pragma(database, "application_id", APPLICATION_ID)
        _set_pragma(database, "user_version", schema.version)
        for statement in schema.tables:
            database.run(statement)
        database.run(
            "INSERT INTO journal (id, table_name, journal_id, created_ms) VALUES (1, ?, ?, ?)",
            (identity.table, identity.journal_id, created_ms),
        )
        database.run(
            "INSERT INTO position (id, head_number, head_hash, last_seq, published_seq) VALUES (1, 0, ?, 0, 0)",
            (identity.genesis,),
        )
    sync(unfinished)
    unfinished.rename(path)
    sync(path.absolute().parent)
    end_replacing(path)


def identify(database: Database, schema: Schema = SCHEMA) -> tuple[Identity, Position]:
    """The journal's identity and recorded position; raises an error unless its version can be read."""
    path = database.path
    version = version_of(database)
    if version > schema.version:
        if all(_differences(database, tables) for tables in (schema.tables, *schema.readable.values())):
            raise NewerJournalError(
                path,
                f"written by a newer version of this program (schema {version}, known is {schema.version}); "
                "install that version. The file was left as it is.",
            )
        # A new version always has other tables: no program wrote this number.
        raise WrongSchemaError(path, f"its schema has the version {version}, but the tables of an earlier one.")
    if version < schema.version and version not in schema.readable:
        raise OlderJournalError(
            path,
            f"written by an older version of this program (schema {version}, now {schema.version}); "
            "it is brought up to date when the table's controller next starts.",
        )
    _check_layout(database, schema.readable.get(version, schema.tables))
    who = database.row("SELECT table_name, journal_id FROM journal WHERE id = 1")
    place = database.row(
        "SELECT head_number, head_hash, last_seq, published_seq, link_state FROM position WHERE id = 1"
    )
    if who is None or place is None:
        raise DamagedJournalError(path, "the rows that hold the journal's identity or its position are missing.")
    if tuple(map(type, who)) != (str, str) or tuple(map(type, place)) not in _POSITION_TYPES:
        raise DamagedJournalError(path, "the journal's identity or its position has a value of another type.")
    number, head_hash, last_seq, published_seq, link_state = place
    if not 0 <= published_seq <= last_seq:
        raise DamagedJournalError(path, f"event {published_seq} counts as published, but the last one is {last_seq}.")
    return Identity(table=who[0], journal_id=who[1]), Position(
        head=Head(number=number, hash=head_hash),
        last_seq=last_seq,
        published_seq=published_seq,
        link_state=link_state,
    )


def examine(database: Database, schema: Schema = SCHEMA) -> tuple[Identity, Position]:
    """As `identify`, and also checks that the journal ends with the record it names as its last."""
    with database.one_view():
        identity, position = identify(database, schema)
        _check_end(database, identity, position.head)
    return identity, position


def as_record(database: Database, row: Row) -> Record:
    """A row as a record. SQLite does not check on reading that columns hold what they were declared with."""
    if tuple(map(type, row)) not in _RECORD_TYPES:
        raise DamagedJournalError(database.path, f"record {row[0]!r} has a column with a value of another type.")
    return Record._make(row)


def version_of(database: Database) -> int:
    """The version of the schema; raises an error where the file is not a journal."""
    (application,) = database.row("PRAGMA application_id") or (0,)
    if application != APPLICATION_ID:
        raise NotAJournalError(database.path, "this is an SQLite file, but not a shoe-controller journal.")
    (version,) = database.row("PRAGMA user_version") or (0,)
    if version < 1:
        raise WrongSchemaError(database.path, f"its schema has the version {version}; the first one was 1.")
    return int(version)


def migrate(database: Database, schema: Schema, *, stamp: str) -> Path:
    """Bring an older journal up to date, in one transaction; the copy from before is kept beside it and returned."""
    version = version_of(database)
    backup = _back_up(database, f"schema-{version}-{stamp}")
    with database.transaction():
        for older in range(version, schema.version):
            if older not in schema.migrations:
                raise WrongSchemaError(database.path, f"there is no way from schema {older} to {older + 1}.")
            for statement in schema.migrations[older]:
                database.run(statement)
        _set_pragma(database, "user_version", schema.version)
        (schema_version,) = database.row("PRAGMA schema_version") or (0,)
        # Makes every connection read the definitions of the tables again.
        _set_pragma(database, "schema_version", schema_version + 1)
        _check_layout(database, schema.tables)
    return backup


def _back_up(database: Database, what: str) -> Path:
    """Copy the journal beside itself. The copy gets its name only when it is complete, as a new journal does."""
    unfinished, backup = _unfinished(database.path), _free_name(database.path, what)
    _make_private(unfinished)
    database.copy_to(unfinished)
    sync(unfinished)
    unfinished.rename(backup)
    sync(backup.absolute().parent)
    return backup


def prepare(path: Path, table: str, *, stamp: str, schema: Schema = SCHEMA) -> Path | None:
    """Check that an existing journal is ready for its writer; returns the backup if the journal had to be migrated.

    Nothing is written before the file is known to be ours: opening for writing alone changes a foreign database.
    """
    check_bytes(path)
    backup = None
    with closing(Database.for_reading(path)) as database:
        version = version_of(database)
    if version < schema.version:
        with closing(Database.for_writing(path)) as database:
            backup = migrate(database, schema, stamp=stamp)
    with closing(Database.for_reading(path)) as database:
        identity, _ = examine(database, schema)
        _check_beginning(database, identity)
    if identity.table != table:
        raise OtherTableError(path, f"this journal belongs to table {identity.table!r}, not to {table!r}.")
    return backup


def set_aside(path: Path, *, stamp: str) -> Path:
    """Rename a damaged journal and the files beside it; returns the new name. Nothing is ever overwritten."""
    path = real_path(path)
    lock = WriterLock(path)
    try:
        aside = _free_name(path, f"damaged-{stamp}")
        mark = _mark_of(path)
        mark.touch(_PRIVATE)
        sync(path.absolute().parent)
        for old, new in zip(files_of(path), files_of(aside), strict=True):
            if old.exists():
                old.rename(new)
        sync(path.absolute().parent)
    except OSError as error:
        raise ReadOnlyError(path, f"the damaged journal cannot be set aside: {error.strerror}.") from error
    finally:
        lock.release()
    return aside


def set_aside_names(path: Path) -> list[str]:
    """The names of the journals that were set aside and still lie beside this one, oldest first."""
    return _beside(path, f"{path.name}.damaged-")


def kept_names(path: Path) -> list[str]:
    """As `set_aside_names`, with those that were rolled back, and copies from before an upgrade."""
    return _beside(path, *(f"{path.name}.{what}-" for what in _KEPT))


def _beside(path: Path, *beginnings: str) -> list[str]:
    found = [file.name for file in path.absolute().parent.iterdir() if file.name.startswith(beginnings)]
    return sorted({name.removesuffix("-wal").removesuffix("-shm") for name in found})


def is_being_replaced(path: Path) -> bool:
    """Whether a damaged journal was set aside, and the one that replaces it is not begun: the power may have failed."""
    return _mark_of(path).exists()


def end_replacing(path: Path) -> None:
    """A journal is in its place."""
    mark = _mark_of(path)
    try:
        if mark.exists():
            mark.unlink()
            sync(path.absolute().parent)
    except OSError as error:
        raise ReadOnlyError(path, f"{mark.name} beside it cannot be removed: {error.strerror}.") from error


def _mark_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.replaced")


def previous_hash(database: Database, identity: Identity, number: int) -> bytes | None:
    """What the record of that number must follow; `None` when the record before it is missing, or has no hash."""
    if number == 1:
        return identity.genesis
    before = database.row("SELECT hash FROM record WHERE number = ?", (number - 1,)) or database.row(
        "SELECT last_hash FROM tombstone WHERE last = ?", (number - 1,)
    )
    return before[0] if before is not None and isinstance(before[0], bytes) else None


def last_checkpoint(database: Database) -> bytes | None:
    """The body of the newest checkpoint; how long this takes does not depend on the history."""
    row = database.row(
        "SELECT body FROM record WHERE number = "
        "(SELECT max(number) FROM record INDEXED BY record_checkpoints WHERE kind = 'checkpoint')"
    )
    return None if row is None else bytes(row[0])


def _check_end(database: Database, identity: Identity, head: Head) -> None:
    row = database.row("SELECT * FROM record ORDER BY number DESC LIMIT 1")
    if row is None:
        if head.number != 0 or head.hash != identity.genesis:
            raise BrokenChainError(database.path, f"all records are missing; there should be {head.number}.")
        return
    last = as_record(database, row)
    if last.number != head.number or last.hash != head.hash:
        raise BrokenChainError(
            database.path, f"the journal should end with record {head.number}, but it ends with {last}."
        )
    before = previous_hash(database, identity, last.number)
    if before is None or link(before, last) != last.hash:
        raise BrokenChainError(database.path, f"{last}, the last one, does not follow from the one before it.")


def _check_beginning(database: Database, identity: Identity) -> None:
    """The first record, or the first tombstone, must follow from the names of the table and the journal."""
    row = database.row("SELECT * FROM record WHERE number = 1")
    stone = database.row("SELECT previous_hash FROM tombstone WHERE first = 1")
    follows = row is None or link(identity.genesis, as_record(database, row)) == row[-1]
    if not follows or (stone is not None and stone[0] != identity.genesis):
        raise BrokenChainError(
            database.path, f"it does not begin as the journal {identity.journal_id!r} of table {identity.table!r}."
        )


def _check_layout(database: Database, tables: tuple[str, ...]) -> None:
    wrong = _differences(database, tables)
    if wrong:
        raise WrongSchemaError(
            database.path, f"the layout is not that of a journal: {', '.join(wrong)} missing, changed or unknown."
        )


def _unfinished(path: Path) -> Path:
    """The name of a file beside this one that is not complete yet; what an earlier attempt left there is removed."""
    unfinished = path.with_name(f"{path.name}.new")
    try:
        for file in (*files_of(unfinished), unfinished.with_name(f"{unfinished.name}-journal")):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise ReadOnlyError(path, f"nothing can be written beside it: {error.strerror}.") from error
    return unfinished


def _differences(database: Database, tables: tuple[str, ...]) -> list[str]:
    return sorted({name for _, name, _, _ in database.layout() ^ layout_of(tables)})


def _free_name(path: Path, what: str) -> Path:
    name = path.with_name(f"{path.name}.{what}")
    count = 1
    while any(file.exists() for file in files_of(name)):
        count += 1
        name = path.with_name(f"{path.name}.{what}-{count}")
    return name


def private(name: str, flags: int) -> int:
    """Opens a file that, where it is made, only its owner may read: the `opener` of `open`."""
    return os.open(name, flags, _PRIVATE)


def _make_private(path: Path) -> None:
    """Make an empty file that only its owner may read; SQLite takes it for a new database, and its log is like it."""
    try:
        os.close(private(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
    except OSError as error:
        raise ReadOnlyError(path, f"it cannot be made: {error.strerror}.") from error


def _set_pragma(database: Database, name: str, value: int) -> None:
    database.run(f"PRAGMA {name} = {value:d}")


def sync(path: Path) -> None:
    """Flush a file's contents, or the names in a folder, to the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(path, f"it could not be flushed to the disk: {error.strerror}.") from error
