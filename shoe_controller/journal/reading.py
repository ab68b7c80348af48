"""Reads a journal, beside a running writer: start-up, outbox, records in order, and facts from the end backwards.

Every method asks SQLite for a bounded number of rows and lets go again, so that a slow reader never keeps the writer's
log from being emptied. Records never change, so reading in parts sees the same as reading at once; only pruning takes
old ones away.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from shoe_controller.journal.chain import link
from shoe_controller.journal.database import Database, check_bytes
from shoe_controller.journal.errors import BrokenChainError, MessagesPrunedError
from shoe_controller.journal.opening import Identity, Position, examine, identify, previous_hash
from shoe_controller.journal.records import (
    INPUTS,
    Fact,
    Head,
    Record,
    RecordKind,
    ReplayStep,
    StoredInput,
    StoredMessage,
    Tombstone,
    stored_input,
)
from shoe_controller.journal.schema import SCHEMA, Schema
from shoe_controller.journal.tombstones import read_tombstones

AT_ONCE = 1000
"""Records in one reading."""

_MESSAGES = """
    SELECT message.*, before.hash
    FROM record AS message LEFT JOIN record AS before ON before.number = message.number - 1
    WHERE message.seq > ? ORDER BY message.seq LIMIT ?
"""


class JournalReader:
    def __init__(self, path: Path, schema: Schema = SCHEMA) -> None:
        check_bytes(path)
        self.database = Database.for_reading(path)
        try:
            self.identity: Identity = identify(self.database, schema)[0]
        except BaseException:
            self.database.close()
            raise
        self._schema = schema

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def position(self) -> Position:
        """Where the journal stands now; an error if its end is not sound."""
        return examine(self.database, self._schema)[1]

    def current_shoe(self) -> Iterator[ReplayStep]:
        """What the table must be told at start-up: all inputs since its shoe was opened, or since a later snapshot.

        The first step is that opening or snapshot; before the first shoe ever it is the first input of all. How much
        is read depends on the shoe alone, not on the history. The chain is checked on the way.
        """
        row = self.database.row("SELECT max(number) FROM record WHERE kind IN ('opening', 'snapshot')")
        return self.steps(1 if row is None or row[0] is None else int(row[0]))

    def steps(self, first: int) -> Iterator[ReplayStep]:
        """All inputs from the record of that number on, each with its facts; the chain is checked on the way."""
        given: StoredInput | None = None
        facts: list[Fact] = []
        for record in self._checked_from(first):
            if record.kind in INPUTS:
                if given is not None:
                    yield ReplayStep(input=given, facts=tuple(facts))
                given, facts = stored_input(record), []
            elif record.kind == RecordKind.FACT:
                facts.append(Fact(name=record.name, body=record.body))
        if given is not None:
            yield ReplayStep(input=given, facts=tuple(facts))

    def records(self, after: int, up_to: int) -> Iterator[Record]:
        """The records with numbers above `after`, up to `up_to`, in order."""
        while after < up_to:
            rows = self.database.rows(
                "SELECT * FROM record WHERE number > ? AND number <= ? ORDER BY number LIMIT ?", (after, up_to, AT_ONCE)
            )
            yield from map(Record._make, rows)
            after = rows[-1][0] if len(rows) == AT_ONCE else up_to

    def oldest(self) -> int:
        """The number of the first record that was not pruned."""
        cut = self.database.row("SELECT last FROM tombstone ORDER BY first DESC LIMIT 1")
        return 1 if cut is None else int(cut[0]) + 1

    def facts_backwards(self, name: str) -> Iterator[Record]:
        """The facts of that name, the newest first: whoever stops early has read no more than a part before."""
        oldest, last = self.oldest(), self.position().head.number
        while last >= oldest:
            first = max(oldest, last - AT_ONCE + 1)
            rows = self.database.rows(
                "SELECT * FROM record WHERE number BETWEEN ? AND ? AND kind = 'fact' AND name = ? ORDER BY number DESC",
                (first, last, name),
            )
            yield from map(Record._make, rows)
            last = first - 1

    def messages(self, after: int, limit: int = AT_ONCE) -> list[StoredMessage]:
        """Messages with numbers above `after`, in order, at most so many."""
        with self.database.one_view():
            cut = self.database.row("SELECT last_seq FROM tombstone ORDER BY first DESC LIMIT 1")
            if cut is not None and after < cut[0]:
                raise MessagesPrunedError(after + 1, cut[0] + 1)
            rows = self.database.rows(_MESSAGES, (after, limit))
            return [self._message(Record._make(row[:-1]), row[-1]) for row in rows]

    def tombstones(self) -> list[Tombstone]:
        return read_tombstones(self.database)

    def _message(self, record: Record, before: bytes | None) -> StoredMessage:
        before = before or previous_hash(self.database, self.identity, record.number)
        if before is None or record.seq is None:
            raise BrokenChainError(self.database.path, f"the record before {record} is missing.")
        return StoredMessage(
            seq=record.seq,
            topic=record.name,
            payload=record.body,
            at=record.at,
            shoe=record.shoe,
            round=record.round,
            head=Head(number=record.number - 1, hash=before),
        )

    def _checked_from(self, start: int) -> Iterator[Record]:
        path = self.database.path
        end = self.position().head.number
        expected, before = start, previous_hash(self.database, self.identity, start)
        for record in self.records(start - 1, end):
            if record.number != expected:
                raise BrokenChainError(path, f"record {expected} is missing; {record} comes in its place.")
            if before is None or link(before, record) != record.hash:
                raise BrokenChainError(path, f"{record} does not follow from the record before it.")
            expected, before = record.number + 1, record.hash
            yield record
        if expected != end + 1:
            raise BrokenChainError(path, f"the records from {expected} to {end} are missing.")
