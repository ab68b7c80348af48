"""What is kept of pruned shoes, as rows and as the body of a record. Used by `reading.py`, `verify.py`, `prune.py`."""

import msgspec

from shoe_controller.journal.database import Database, Row
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.journal.records import Tombstone

INSERT_TOMBSTONE = "INSERT INTO tombstone VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def read_tombstones(database: Database) -> list[Tombstone]:
    """In the order of the records that they stand for: one for each pruned shoe, so there are never many."""
    return [_from_row(database, row) for row in database.rows("SELECT * FROM tombstone ORDER BY first")]


def as_row(tombstone: Tombstone) -> Row:
    counts = msgspec.json.encode(tombstone.counts, order="sorted").decode()
    return tuple(counts if field == "counts" else getattr(tombstone, field) for field in tombstone.__struct_fields__)


def as_body(tombstone: Tombstone) -> bytes:
    """The same bytes for the same tombstone, always: they are compared with the chain."""
    return msgspec.json.encode(tombstone, order="sorted")


def _from_row(database: Database, row: Row) -> Tombstone:
    fields = dict(zip(Tombstone.__struct_fields__, row, strict=True))
    try:
        fields["counts"] = msgspec.json.decode(fields["counts"].encode(errors="surrogateescape"), type=dict[str, int])
    except msgspec.DecodeError as error:
        raise DamagedJournalError(
            database.path, f"the counts in the tombstone of record {row[0]} cannot be read."
        ) from error
    return Tombstone(**fields)
