"""The file of a journal beside its archive: what differs between them, and what the archive lacks and the file has."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from shoe_controller.archive.derived.rebuild import rebuild_journal
from shoe_controller.archive.steps import Hole, Step
from shoe_controller.archive.store import Store
from shoe_controller.archive.table import event_of
from shoe_controller.journal.reading import JournalReader
from shoe_controller.postgres.connection import Connection

AT_ONCE = 1000
"""Events that are read and compared, or stored, at once."""

MOST_NAMED = 50
"""Differences that are named; further ones are counted."""


class PublishedEvent(Protocol):
    """An event of the file, as the table published it."""

    @property
    def seq(self) -> int: ...

    @property
    def topic(self) -> str: ...

    @property
    def payload(self) -> bytes: ...


class JournalFile(NamedTuple):
    """A journal's file."""

    reader: JournalReader
    read: Callable[[int, int], Sequence[PublishedEvent]]
    """Of the events with numbers above the first value, in order, as many as the second says."""

    @property
    def site(self) -> str:
        return self.reader.identity.table.partition("/")[0]

    @property
    def table(self) -> str:
        return self.reader.identity.table.partition("/")[2]

    @property
    def journal(self) -> str:
        return self.reader.identity.journal_id

    @property
    def last(self) -> int:
        return self.reader.position().last_seq

    @property
    def pruned(self) -> int:
        """The last event that is not in the file any more."""
        tombstones = self.reader.tombstones()
        return tombstones[-1].last_seq if tombstones else 0


class _Named(msgspec.Struct):
    fact: str


class _Row(NamedTuple):
    topic: bytes
    payload: bytes


class Comparison:
    """What came of comparing; `differences` are sentences."""

    def __init__(self) -> None:
        self.events = 0
        """Events that are in both, and the same."""
        self.heads = 0
        """Announced heads that the file agrees with."""
        self.only_archived = 0
        """Events of the archive that were removed from the file, and could not be compared."""
        self.absent = 0
        """Events that the archive has as a hole, or had in a month that was dropped."""
        self.differences: list[str] = []
        self.more = 0
        """Differences beyond those that are named."""

    @property
    def is_same(self) -> bool:
        return not self.differences

    def differs(self, sentence: str) -> None:
        if len(self.differences) < MOST_NAMED:
            self.differences.append(sentence)
        else:
            self.more += 1


async def compare(connection: Connection, file: JournalFile) -> Comparison:
    """Compare events byte for byte, and announced heads, with the file."""
    found = Comparison()
    rows = await connection.fetch(
        "SELECT id, have FROM archive.journal WHERE site = $1 AND table_name = $2 AND journal = $3",
        file.site,
        file.table,
        file.journal,
    )
    if not rows and not file.last:
        return found
    if not rows:
        found.differs(f"the archive has nothing of the journal {file.journal} of {file.site}/{file.table}.")
        return found
    ((journal_id, have),) = rows
    last, pruned = file.last, file.pruned
    absent = await _absent(connection, journal_id)
    await _count_only_archived(connection, journal_id, pruned, found)
    for after in range(pruned, last, AT_ONCE):
        events = file.read(after, min(AT_ONCE, last - after))
        stored = await _stored(connection, journal_id, after, after + AT_ONCE, found)
        for event in events:
            _compare_event(event, stored.pop(event.seq, None), have, absent, found)
        for seq in sorted(stored):
            if seq <= last:
                found.differs(f"event {seq} is in the archive, and not in the file.")
    beyond = await connection.fetch(
        "SELECT count(*), min(seq), max(seq) FROM archive.event WHERE journal_id = $1 AND seq > $2", journal_id, last
    )
    if beyond[0][0]:
        found.differs(
            f"events {beyond[0][1]} to {beyond[0][2]} are in the archive, and the file ends at {last}: it is older."
        )
    await _compare_heads(connection, journal_id, file.reader, found)
    return found


def _compare_event(
    event: PublishedEvent, row: _Row | None, have: int, absent: Sequence[range], found: Comparison
) -> None:
    if row is None and event.seq > have:
        found.differs(f"event {event.seq} is not stored yet: the archive is at {have}.")
    elif row is None and any(event.seq in each for each in absent):
        found.absent += 1
    elif row is None:
        found.differs(f"event {event.seq} is missing in the archive.")
    elif row != (event.topic.encode(), event.payload):
        what = "bytes" if row.topic == event.topic.encode() else "topic"
        found.differs(f"event {event.seq} has other {what} in the archive than in the file.")
    else:
        found.events += 1


async def _stored(
    connection: Connection, journal_id: int, after: int, up_to: int, found: Comparison
) -> dict[int, _Row]:
    rows = await connection.fetch(
        "SELECT seq, topic, payload FROM archive.event WHERE journal_id = $1 AND seq > $2 AND seq <= $3",
        journal_id,
        after,
        up_to,
    )
    stored: dict[int, _Row] = {}
    for seq, topic, payload in rows:
        if seq in stored:
            found.differs(f"event {seq} is in the archive twice.")
        stored[seq] = _Row(topic, payload)
    return stored


async def _absent(connection: Connection, journal_id: int) -> list[range]:
    rows = await connection.fetch(
        "SELECT first, last FROM archive.hole WHERE journal_id = $1 "
        "UNION ALL SELECT first, last FROM archive.dropped_month WHERE journal_id = $1",
        journal_id,
    )
    return [range(first, last + 1) for first, last in rows]


async def _count_only_archived(connection: Connection, journal_id: int, pruned: int, found: Comparison) -> None:
    ((there, different),) = await connection.fetch(
        "SELECT count(*), count(DISTINCT seq) FROM archive.event WHERE journal_id = $1 AND seq <= $2",
        journal_id,
        pruned,
    )
    found.only_archived = there
    if there != different:
        found.differs(f"{there - different} of the events up to {pruned} are in the archive twice.")


async def _compare_heads(connection: Connection, journal_id: int, reader: JournalReader, found: Comparison) -> None:
    rows = await connection.fetch(
        "SELECT number, hash FROM archive.head WHERE journal_id = $1 ORDER BY number", journal_id
    )
    last, oldest = reader.position().head.number, reader.oldest()
    for number, digest in rows:
        there = reader.hash_at(number)
        if there == digest:
            found.heads += 1
        elif there is not None:
            found.differs(f"record {number} of the file has another hash than the table announced: it was changed.")
        elif number > last:
            found.differs(f"the table announced record {number}, and the file ends at record {last}: it is older.")
        elif number >= oldest:
            found.differs(f"the table announced record {number}, which is missing in the file.")


# --- loading ---------------------------------------------------------------------------------------------------------


class Loaded(NamedTuple):
    """What loading stored."""

    events: int
    filled: int
    """Of them, those that were within holes."""


async def load(connection: Connection, file: JournalFile) -> Loaded:
    """Store what the archive lacks of the file: what comes after its position, and what it has as holes."""
    store = Store(connection)
    journal_id, have = await store.journal(file.site, file.table, file.journal, is_current=False)
    pruned, last = file.pruned, file.last
    filled = 0
    holes = await connection.fetch(
        "SELECT first, last FROM archive.hole WHERE journal_id = $1 ORDER BY first", journal_id
    )
    for hole_first, hole_last in holes:
        filled += await _fill(store, journal_id, file, max(hole_first, pruned + 1), min(hole_last, last))
    if filled:
        await rebuild_journal(connection, journal_id)
    stored = 0
    if have < pruned:
        await store.store([Hole(journal_id, have + 1, pruned)])
        have = pruned
    for after in range(have, last, AT_ONCE):
        events = file.read(after, min(AT_ONCE, last - after))
        stored += (await store.store(list(_steps(events, journal_id, file)), {journal_id: last})).events
    return Loaded(stored + filled, filled)


async def _fill(store: Store, journal_id: int, file: JournalFile, first: int, last: int) -> int:
    """Fill a hole from its end, so that what is left of it is one hole at every moment."""
    filled = 0
    while last >= first:
        begin = max(first, last - AT_ONCE + 1)
        events = file.read(begin - 1, last - begin + 1)
        filled += await store.fill(journal_id, list(_steps(events, journal_id, file)))
        last = begin - 1
    return filled


def _steps(events: Sequence[PublishedEvent], journal_id: int, file: JournalFile) -> Iterator[Step]:
    at_ms = 0
    for event in events:
        step, head = event_of(
            journal_id=journal_id,
            site=file.site,
            table=file.table,
            journal=file.journal,
            seq=event.seq,
            fact=msgspec.json.decode(event.payload, type=_Named).fact,
            topic=event.topic,
            payload=event.payload,
            at_ms=at_ms,
        )
        at_ms = step.at_ms
        yield step
        if head is not None:
            yield head
