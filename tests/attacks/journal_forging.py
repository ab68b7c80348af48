"""What it takes to forge a journal: records put in place of others, hashes computed anew, tombstones made up."""

# ruff: noqa: S608 - the statements are made of the names and numbers in this file

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from shoe_controller.journal.chain import link
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, Record, Tombstone
from shoe_controller.journal.tombstones import as_body
from tests.journal.tampering import query, tampered


def records_of(path: Path) -> list[Record]:
    return [Record(*row) for row in query(path, "SELECT * FROM record ORDER BY number")]


def tombstones_of(path: Path) -> list[Tombstone]:
    with JournalReader(path) as reader:
        return reader.tombstones()


def replace_records(path: Path, records: Iterable[Record]) -> None:
    """Put these records in the place of all that are there."""
    marks = ", ".join("?" * len(Record._fields))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        guards = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("DELETE FROM record")
        database.executemany(f"INSERT INTO record VALUES ({marks})", records)
        for _, sql in guards:
            database.execute(sql)


def rechain(path: Path, records: list[Record]) -> None:
    """Number these records anew, compute every hash, and have the journal end with the last of them.

    Checkpoints in the pruned part stay as they are.
    """
    cut = tombstones_of(path)[-1]
    left = [one for one in records if one.number <= cut.last]
    records = records[len(left) :]
    number, before, seq = cut.last + 1, cut.last_hash, cut.last_seq
    moved = {old.number: new for new, old in enumerate(records, number)}
    chained = []
    for old in records:
        seq += old.seq is not None
        new = old._replace(number=number, entry=moved.get(old.entry, number), seq=None if old.seq is None else seq)
        new = new._replace(hash=link(before, new))
        chained.append(new)
        number, before = new.number + 1, new.hash
    replace_records(path, left + chained)
    end_with(path, Head(number=number - 1, hash=before), seq)


def end_with(path: Path, head: Head, last_seq: int) -> None:
    tampered(
        path,
        "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?",
        values=(head.number, head.hash, last_seq),
    )
    tampered(path, "UPDATE position SET published_seq = min(published_seq, last_seq)")


def forge_tombstone(path: Path, first: int, last: int) -> None:
    """Insert a tombstone over records, and delete them, but for checkpoints, as pruning does."""
    records = [one for one in records_of(path) if first <= one.number <= last]
    before = next((one.hash for one in records_of(path) if one.number == first - 1), tombstones_of(path)[-1].last_hash)
    seq = max(one.seq for one in records if one.seq is not None)
    ends = records[0].hash, records[-1].hash
    tampered(
        path,
        "INSERT INTO tombstone VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        f"DELETE FROM record WHERE number BETWEEN {first} AND {last} AND kind != 'checkpoint'",
        values=(first, last, before, *ends, seq, 5, '{"pruned":1}', 0, 0, "gone.jsonl", bytes(32)),
    )


def forge_note(path: Path) -> None:
    """Add a record at the end that tells of all tombstones, with hashes that fit."""
    last = records_of(path)[-1]
    number = last.number + 1
    body = as_body(tombstones_of(path))
    note = last._replace(number=number, entry=number, kind="pruned", name="shoe 5", seq=None, body=body)
    note = note._replace(hash=link(last.hash, note))
    tampered(path, f"INSERT INTO record VALUES ({', '.join('?' * len(note))})", values=tuple(note))
    tampered(path, "UPDATE position SET head_number = ?, head_hash = ?", values=(number, note.hash))
