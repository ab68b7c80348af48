"""Reads a journal, beside a running writer: start-up, outbox, records in order, and events from the end backwards.

Every method asks SQLite for a bounded number of rows and lets go again, so that a slow reader never keeps the writer's
log from being emptied. Records never change, so reading in parts sees the same as reading at once; only pruning takes
old ones away. Both layouts are read, also within one file: see `records.py`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from shoe_controller.journal.chain import link
from shoe_controller.journal.checkpoints import Checkpoint, read_checkpoint
from shoe_controller.journal.database import Database, check_bytes
from shoe_controller.journal.errors import BrokenChainError, EventsPrunedError
from shoe_controller.journal.opening import (
    Identity,
    Position,
    as_record,
    examine,
    identify,
    last_checkpoint,
    previous_hash,
    real_path,
    version_of,
)
from shoe_controller.journal.records import (
    INPUTS,
    NAMED_EVENTS,
    Event,
    Head,
    Record,
    RecordKind,
    ReplayStep,
    StoredEvent,
    StoredInput,
    Tombstone,
    stored_input,
)
from shoe_controller.journal.schema import SCHEMA, Schema
from shoe_controller.journal.tombstones import newest_tombstone, read_tombstones

AT_ONCE = 1000
"""Records per read."""

LOOK_BACK = 100
"""Records read at once on the way back to the last input."""

LAYOUT = 2
"""That of events stored once. Those of layout 1 are recognised by the kind of their records."""


class Span(NamedTuple):
    """Numbers of records, both included."""

    first: int
    last: int


class JournalReader:
    def __init__(self, path: Path, schema: Schema = SCHEMA) -> None:
        path = real_path(path)
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
        """The journal's current position; raises an error if its end is damaged."""
        return examine(self.database, self._schema)[1]

    def hash_at(self, number: int) -> bytes | None:
        """The hash of the record of that number; `None` where it is not in the journal, or not any more."""
        return previous_hash(self.database, self.identity, number + 1)

    def current_shoe(self) -> Iterator[ReplayStep]:
        """What the table replays at start-up: all inputs since its shoe was opened, or since a later snapshot.

        The first step is that opening or snapshot; before the first shoe ever it is the first input of all. How much
        is read depends on the shoe alone, not on the history. The chain is checked on the way.
        """
        row = self.database.row("SELECT max(number) FROM record WHERE kind IN ('opening', 'snapshot')")
        return self.steps(1 if row is None or row[0] is None else int(row[0]))

    def steps(self, first: int) -> Iterator[ReplayStep]:
        """All inputs from the record of that number on, each with its events; the chain is checked on the way."""
        given: StoredInput | None = None
        events: list[Event] = []
        layout = LAYOUT
        for record in self._checked_from(first):
            if record.kind in INPUTS:
                if given is not None:
                    yield ReplayStep(input=given, events=tuple(events), layout=layout)
                given, events, layout = stored_input(record), [], LAYOUT
            elif record.kind in NAMED_EVENTS:
                events.append(Event(name=record.name, body=record.body))
                layout = _layout_of(record.kind)
        if given is not None:
            yield ReplayStep(input=given, events=tuple(events), layout=layout)

    def records(self, after: int, up_to: int) -> Iterator[Record]:
        """The records with numbers above `after`, up to `up_to`, in order."""
        while after < up_to:
            rows = self.database.rows(
                "SELECT * FROM record WHERE number > ? AND number <= ? ORDER BY number LIMIT ?", (after, up_to, AT_ONCE)
            )
            yield from (as_record(self.database, row) for row in rows)
            after = rows[-1][0] if len(rows) == AT_ONCE else up_to

    def last_input(self) -> Record | None:
        """The newest input, opening or snapshot of all; it is almost always among the last few records."""
        last = self.position().head.number + 1
        while rows := self.database.rows(
            "SELECT * FROM record WHERE number < ? ORDER BY number DESC LIMIT ?", (last, LOOK_BACK)
        ):
            for row in rows:
                record = as_record(self.database, row)
                if record.kind in INPUTS:
                    return record
            last = rows[-1][0]
        return None

    def inputs_backwards(self, names: Sequence[str], look_back: int) -> Iterator[Record]:
        """The inputs of these names among the last `look_back` records, the newest first, read in parts."""
        last = self.position().head.number
        oldest = max(self.oldest(), last - look_back + 1)
        while last >= oldest:
            first = max(oldest, last - AT_ONCE + 1)
            rows = self.database.rows(
                f"SELECT * FROM record WHERE number BETWEEN ? AND ? AND name IN ({', '.join('?' * len(names))}) "  # noqa: S608 - no value is in it
                "ORDER BY number DESC",
                (first, last, *names),
            )
            yield from (record for record in (as_record(self.database, row) for row in rows) if record.kind in INPUTS)
            last = first - 1

    def oldest(self) -> int:
        """The number of the first record that was not pruned."""
        cut = newest_tombstone(self.database)
        return 1 if cut is None else cut.last + 1

    def events_backwards(self, name: str) -> Iterator[Record]:
        """The events of that name, the newest first, read in parts: a caller that stops early has read no history."""
        oldest, last = self.oldest(), self._last_up_to(self.position().head.number)
        while last is not None and last >= oldest:
            first = max(oldest, last - AT_ONCE + 1)
            rows = self.database.rows(
                "SELECT * FROM record WHERE number BETWEEN ? AND ? AND kind IN ('event', 'fact') AND name = ? "
                "ORDER BY number DESC",
                (first, last, name),
            )
            yield from (as_record(self.database, row) for row in rows)
            last = self._last_up_to(first - 1)

    def shoe_records(self, shoe: int) -> Span | None:
        """The records of a shoe, from the one that opened it; `None` where none here are about it.

        A journal that replaces a rolled-back one has a shoe from the state on that it begins with.
        """
        starts = self.database.rows(
            "SELECT number, shoe, kind FROM record WHERE kind IN ('opening', 'snapshot') ORDER BY number"
        )
        openings = [(number, of_shoe) for number, of_shoe, kind in starts if kind == "opening"]
        begins = [*openings, *((number, of_shoe) for number, of_shoe, _ in starts)]
        first = next((number for number, of_shoe in begins if of_shoe == shoe), None)
        if first is None:
            return None
        following = next((number for number, _ in openings if number > first), None)
        return Span(first, self.position().head.number if following is None else following - 1)

    def events_between(self, first: int, last: int, names: Sequence[str]) -> Iterator[Record]:
        """The events of these names among the records with these numbers, in order."""
        kinds = f"kind IN ('event', 'fact') AND name IN ({', '.join('?' * len(names))})"
        for begin in range(first, last + 1, AT_ONCE):
            rows = self.database.rows(
                f"SELECT * FROM record WHERE number BETWEEN ? AND ? AND {kinds} ORDER BY number",  # noqa: S608 - no value is in it
                (begin, min(begin + AT_ONCE - 1, last), *names),
            )
            yield from (as_record(self.database, row) for row in rows)

    def _last_up_to(self, number: int) -> int | None:
        """The last record up to that number: in a damaged file the numbers can have gaps of any size."""
        row = self.database.row("SELECT max(number) FROM record WHERE number <= ?", (number,))
        return None if row is None else row[0]

    def events(self, after: int, limit: int = AT_ONCE) -> list[StoredEvent]:
        """Events with numbers above `after`, in order, at most `limit` of them."""
        with self.database.one_view():
            cut = newest_tombstone(self.database)
            if cut is not None and after < cut.last_seq:
                raise EventsPrunedError(after + 1, cut.last_seq + 1)
            rows = self.database.rows("SELECT * FROM record WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit))
            return [self._event(as_record(self.database, row), seq) for seq, row in enumerate(rows, after + 1)]

    def last_checkpoint(self) -> Checkpoint | None:
        """The newest checkpoint; a body that cannot be read is damage. None in a journal of layout 1."""
        if version_of(self.database) < LAYOUT:
            return None
        body = last_checkpoint(self.database)
        return None if body is None else self._checkpoint(body)

    def _checkpoint(self, body: bytes) -> Checkpoint:
        try:
            return read_checkpoint(body)
        except ValueError as error:
            raise BrokenChainError(self.database.path, f"a checkpoint in it cannot be read: {error}.") from error

    def checkpoints(self) -> list[Record]:
        """All checkpoints, in order: some dozens for each day. Pruning leaves them."""
        rows = self.database.rows("SELECT * FROM record WHERE kind = 'checkpoint' ORDER BY number")
        return [Record._make(row) for row in rows]

    def checkpoints_after(self, index: int, limit: int) -> list[Checkpoint]:
        """The checkpoints that follow the one with this index, at most `limit`; -1 is before the first."""
        if version_of(self.database) < LAYOUT:
            return []
        one = (
            "SELECT body FROM record WHERE number IN (SELECT number FROM record INDEXED BY record_checkpoints "
            "WHERE kind = 'checkpoint' ORDER BY number LIMIT ? OFFSET ?) ORDER BY number"
        )
        first = self.database.row(one, (1, 0))
        if first is None:
            return []
        # They count up by one from the first, which is 0 or 1.
        skipped = max(index + 1 - self._checkpoint(bytes(first[0])).index, 0)
        return [self._checkpoint(bytes(body)) for (body,) in self.database.rows(one, (limit, skipped))]

    def ends_in_layout_1(self) -> bool:
        """Whether the newest event that is still here was stored by a program that wrote layout 1."""
        row = self.database.row("SELECT kind FROM record WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1")
        return row is not None and row[0] == RecordKind.MESSAGE

    def tombstones(self) -> list[Tombstone]:
        return read_tombstones(self.database)

    def _event(self, record: Record, seq: int) -> StoredEvent:
        if record.seq != seq:
            raise BrokenChainError(self.database.path, f"event {seq} is missing; {record} comes in its place.")
        layout = _layout_of(record.kind)
        number, hash_ = record.number, record.hash
        if layout == 1:
            number -= 1
            before = previous_hash(self.database, self.identity, record.number)
            if before is None:
                raise BrokenChainError(self.database.path, f"the record before {record} is missing.")
            hash_ = before
        return StoredEvent(
            seq=seq,
            name=record.name,
            body=record.body,
            head=Head(number=number, hash=hash_),
            layout=layout,
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


def _layout_of(kind: str) -> int:
    return LAYOUT if kind == RecordKind.EVENT else 1
