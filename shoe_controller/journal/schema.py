"""The tables in a journal file, their version, and the way from an older version to this one.

A version that was ever released is never edited: a change is a new version with a migration from the one before, and
a file of the old version stays among the test data. `docs/journal.md` describes the layout for readers without this
program. Used by `opening.py`.
"""

import msgspec

APPLICATION_ID = 0x53484A31
"""SQLite's `application_id`: "SHJ1"."""

_KINDS_1 = "kind IN ('raw', 'opening', 'snapshot', 'input', 'fact', 'message', 'pruned')"
_KINDS = "kind IN ('raw', 'opening', 'snapshot', 'input', 'event', 'pruned', 'checkpoint', 'fact', 'message')"

_CHECKPOINT_INDEX = "CREATE INDEX record_checkpoints ON record (number) WHERE kind = 'checkpoint'"

TABLES = (
    """
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        table_name TEXT NOT NULL,
        journal_id TEXT NOT NULL,
        created_ms INTEGER NOT NULL
    ) STRICT
    """,
    f"""
    CREATE TABLE record (
        number INTEGER PRIMARY KEY,
        entry INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK ({_KINDS}),
        name TEXT NOT NULL,
        wall_ms INTEGER NOT NULL,
        mono_ns INTEGER NOT NULL,
        synchronised INTEGER NOT NULL,
        shoe INTEGER NOT NULL,
        round INTEGER NOT NULL,
        seq INTEGER,
        software TEXT NOT NULL,
        body BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE position (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        head_number INTEGER NOT NULL,
        head_hash BLOB NOT NULL,
        last_seq INTEGER NOT NULL,
        published_seq INTEGER NOT NULL,
        link_state BLOB
    ) STRICT
    """,
    """
    CREATE TABLE tombstone (
        first INTEGER PRIMARY KEY,
        last INTEGER NOT NULL,
        previous_hash BLOB NOT NULL,
        first_hash BLOB NOT NULL,
        last_hash BLOB NOT NULL,
        last_seq INTEGER NOT NULL,
        shoe INTEGER NOT NULL,
        counts TEXT NOT NULL,
        first_wall_ms INTEGER NOT NULL,
        last_wall_ms INTEGER NOT NULL,
        export_name TEXT NOT NULL,
        export_digest BLOB NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX record_by_seq ON record (seq) WHERE seq IS NOT NULL",
    "CREATE INDEX record_starts ON record (number) WHERE kind IN ('opening', 'snapshot')",
    _CHECKPOINT_INDEX,
    """
    CREATE TRIGGER record_never_changes BEFORE UPDATE ON record
    BEGIN SELECT raise(ABORT, 'a record of the journal never changes'); END
    """,
    """
    CREATE TRIGGER record_stays_until_pruned BEFORE DELETE ON record
    WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE old.number BETWEEN first AND last)
    BEGIN SELECT raise(ABORT, 'a record stays until its shoe has a tombstone'); END
    """,
)

_TABLES_1 = tuple(statement.replace(_KINDS, _KINDS_1) for statement in TABLES if statement != _CHECKPOINT_INDEX)


_FROM_1_TO_2 = (
    # A CHECK differs, which ALTER TABLE cannot change. Writing its new text is what SQLite's
    # documentation advises for that; copying every record instead would take minutes for a year of records.
    "PRAGMA writable_schema = ON",
    (
        "UPDATE sqlite_schema SET sql = replace(sql, '''fact'', ''message'', ''pruned''', "
        "'''event'', ''pruned'', ''checkpoint'', ''fact'', ''message''') WHERE name = 'record'"
    ),
    "PRAGMA writable_schema = RESET",
    _CHECKPOINT_INDEX,
)


class Schema(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    tables: tuple[str, ...]
    migrations: dict[int, tuple[str, ...]] = {}
    """From each older version to the next one, as statements."""
    readable: dict[int, tuple[str, ...]] = {}
    """The tables of older versions that are read as they are: an archived journal is never changed to be verified."""


SCHEMA = Schema(version=2, tables=TABLES, migrations={1: _FROM_1_TO_2}, readable={1: _TABLES_1})
"""Version 1 stored every event twice, as `fact` and `message`, and had no checkpoints."""
