"""Somebody who changes a journal and computes its chain anew, as anybody with the program can."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import groupby
from pathlib import Path

from shoe_controller.journal.chain import link
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, Record, RecordKind
from shoe_controller.journal.store import INSERT_RECORD
from tests.journal.tampering import tampered
from tests.table.desk import IDENTITY

Change = Callable[[list[Record]], list[Record]]


def records_of(path: Path) -> list[Record]:
    with JournalReader(path) as reader:
        return list(reader.records(0, reader.position().head.number))


def heads_of(path: Path) -> list[Head]:
    """What someone has who kept all heads, and the end of the chain."""
    with JournalReader(path) as reader:
        return [*(event.head for event in reader.events(0)), reader.position().head]


def forged(path: Path, copy: Path, change: Change) -> list[Record]:
    """A copy with other records, numbers without a gap and a chain that fits; what it holds now."""
    shutil.copy(path, copy)
    records: list[Record] = []
    seq = 0
    before = IDENTITY.genesis
    for _, entry in groupby(change(records_of(path)), key=lambda record: record.entry):
        first = len(records) + 1
        for record in entry:
            seq += record.kind == RecordKind.EVENT
            renumbered = record._replace(
                number=len(records) + 1, entry=first, seq=seq if record.kind == RecordKind.EVENT else None
            )
            before = link(before, renumbered)
            records.append(renumbered._replace(hash=before))
    tampered(copy, "DELETE FROM record")
    with closing(sqlite3.connect(copy)) as database, database:
        database.executemany(INSERT_RECORD, records)
        database.execute(
            "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?", (len(records), before, seq)
        )
    return records


def replaced(number: int, record: Record) -> Change:
    return lambda records: [record if one.number == number else one for one in records]


def removed(number: int) -> Change:
    return lambda records: [one for one in records if one.number != number]


def doubled(number: int) -> Change:
    return lambda records: [copy for one in records for copy in [one] * (1 + (one.number == number))]


def swapped(one: int, other: int) -> Change:
    def change(records: list[Record]) -> list[Record]:
        changed = list(records)
        # Each takes the other's place, entry and all.
        changed[one - 1] = records[other - 1]._replace(entry=records[one - 1].entry)
        changed[other - 1] = records[one - 1]._replace(entry=records[other - 1].entry)
        return changed

    return change
