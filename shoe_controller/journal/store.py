"""The writer of a journal: one thread that owns its connection, and group commit.

`submit` returns at once with a future (`asyncio.wrap_future` makes it awaitable). Everything that waits goes into one
transaction; each submitter is answered after the commit, so an answer means: it is on the disk. When the commit fails,
each of them gets the error, and nothing of what they submitted is in the file; the next commit is tried afresh, so the
journal goes on by itself when there is room again. An entry that builds on another is to be submitted only when that
one was answered.

The head of the chain is read inside each transaction and not kept in memory, because pruning writes too.
"""

import queue
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from shoe_controller.journal import opening
from shoe_controller.journal.chain import link
from shoe_controller.journal.database import Database, check_bytes, files_of, which_files
from shoe_controller.journal.errors import DamagedJournalError, FileError, JournalMissingError, JournalUsageError
from shoe_controller.journal.opening import Identity, WriterLock
from shoe_controller.journal.records import Entry, Head, Kind, Receipt, Record
from shoe_controller.journal.schema import SCHEMA, Schema

MOST_AT_ONCE = 512
"""Entries in one transaction; a crowd larger than that is answered in parts."""

LARGEST = 2**63 - 1

INSERT_RECORD = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_READ_POSITION = "SELECT head_number, head_hash, last_seq, published_seq FROM position"
_WRITE_POSITION = (
    "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?, published_seq = ?, "
    "link_state = coalesce(?, link_state)"
)


class _Submission(NamedTuple):
    entry: Entry
    answer: "Future[Receipt]"


class _Confirmation(NamedTuple):
    seq: int
    answer: "Future[None]"


class _Stop:
    """Nothing comes after this."""


class Journal:
    """A journal that is open for writing; `open_journal` makes one."""

    def __init__(self, path: Path, *, software: str, lock: WriterLock, backup: Path | None) -> None:
        self.path = path
        self.backup = backup
        """The copy from before, if the file had to be brought up to date."""
        self._software = software
        self._lock = lock
        self._waiting: queue.SimpleQueue[_Submission | _Confirmation | _Stop] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        # A program that ends without closing is like one that was killed: nothing answered is lost by it.
        self._thread = threading.Thread(target=self._work, name=f"journal {path.name}", daemon=True)
        self._thread.start()

    def submit(self, entry: Entry) -> "Future[Receipt]":
        _check(entry)
        answer: Future[Receipt] = Future()
        self._put(_Submission(entry, answer))
        return answer

    def confirm(self, seq: int) -> "Future[None]":
        """All messages up to this number have reached the broker. Never goes back: to send again is to read again."""
        answer: Future[None] = Future()
        self._put(_Confirmation(seq, answer))
        return answer

    def close(self) -> None:
        """Store what still waits, then let go of the file. May be called twice."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(_Stop())
        self._thread.join()
        self._lock.release()

    def _put(self, what: _Submission | _Confirmation) -> None:
        with self._closing:
            if self._closed:
                raise JournalUsageError("the journal is closed.")
            self._waiting.put(what)

    def _work(self) -> None:
        connection = _Connection(self.path)
        stop = False
        while not stop:
            batch: list[_Submission | _Confirmation] = []
            while not stop and (not batch or (len(batch) < MOST_AT_ONCE and not self._waiting.empty())):
                item = self._waiting.get()
                if isinstance(item, _Stop):
                    stop = True
                elif item.answer.set_running_or_notify_cancel():
                    batch.append(item)
            if batch:
                self._store(connection, batch)
        connection.close()

    def _store(self, connection: "_Connection", batch: list[_Submission | _Confirmation]) -> None:
        try:
            group = _Group(connection.open(), self._software)
            group.store(batch)
        except BaseException as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            connection.doubt()
            for item in batch:
                item.answer.set_exception(error)
        else:
            group.answer(batch)


class _Connection:
    """The writer's connection; opened again after a failure that could not be undone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: Database | None = None
        self._names = [str(file) for file in files_of(path)[:2]]
        self._files: list[int] = []

    def open(self) -> Database:
        if self._database is None:
            check_bytes(self._path)
            self._database = Database.for_writing(self._path)
            self._files = which_files(self._names)
        elif which_files(self._names) != self._files:
            raise JournalMissingError(
                self._path,
                "the journal or its log was removed or replaced while in use; nothing was stored. Put it back.",
            )
        return self._database

    def doubt(self) -> None:
        if self._database is not None and self._database.in_transaction:
            self.close()

    def close(self) -> None:
        if self._database is not None:
            with suppress(FileError):
                self._database.close()
            self._database = None


class _Group:
    """What waits at one moment, as one transaction."""

    def __init__(self, database: Database, software: str) -> None:
        self._database = database
        self._software = software
        self._answers: list[Receipt | JournalUsageError | None] = []

    def store(self, batch: list[_Submission | _Confirmation]) -> None:
        database = self._database
        with database.transaction():
            place = database.row(_READ_POSITION)
            if place is None:
                raise DamagedJournalError(database.path, "the row that says where the journal stands is gone.")
            head, seq, published = Head(number=place[0], hash=place[1]), int(place[2]), int(place[3])
            records: list[Record] = []
            link_state: bytes | None = None
            for item in batch:
                if isinstance(item, _Submission):
                    chained = chain_entry(item.entry, head, seq, self._software)
                    records += chained
                    head = Head(number=chained[-1].number, hash=chained[-1].hash) if chained else head
                    link_state = link_state if item.entry.link_state is None else item.entry.link_state
                    first, seq = seq + 1, seq + len(item.entry.messages)
                    self._answers.append(Receipt(head=head, seqs=range(first, seq + 1)))
                elif item.seq > seq:
                    self._answers.append(
                        JournalUsageError(f"message {item.seq} cannot have been sent: the last one is {seq}.")
                    )
                else:
                    published = max(published, item.seq)
                    self._answers.append(None)
            database.run_many(INSERT_RECORD, records)
            database.run(_WRITE_POSITION, (head.number, head.hash, seq, published, link_state))

    def answer(self, batch: list[_Submission | _Confirmation]) -> None:
        for item, answer in zip(batch, self._answers, strict=True):
            if isinstance(answer, JournalUsageError):
                item.answer.set_exception(answer)
            else:
                item.answer.set_result(answer)  # type: ignore[arg-type]  # a receipt for an entry, else nothing


def chain_entry(entry: Entry, head: Head, last_seq: int, software: str) -> list[Record]:
    """The records of an entry that follows `head`."""
    first = head.number + 1
    hash_before = head.hash
    records: list[Record] = []
    at = entry.at
    parts: list[tuple[Kind, str, int, bytes]] = [
        (Kind.RAW, raw.direction.value, raw.mono_ns, raw.data) for raw in entry.raw
    ]
    if entry.input is not None:
        kind = Kind.INPUT if entry.input.start is None else entry.input.start.value
        parts.append((kind, entry.input.name, at.mono_ns, entry.input.body))
    parts += [(Kind.FACT, fact.name, at.mono_ns, fact.body) for fact in entry.facts]
    parts += [(Kind.MESSAGE, message.topic, at.mono_ns, message.payload) for message in entry.messages]
    synchronised = int(at.synchronised)
    for number, (kind, name, mono_ns, body) in enumerate(parts, first):
        seq = None
        if kind is Kind.MESSAGE:
            last_seq += 1
            seq = last_seq
        fields = (number, first, str(kind), name, at.wall_ms, mono_ns, synchronised, entry.shoe, entry.round)
        unlinked = Record(*fields, seq, software, body, b"")
        hash_before = link(hash_before, unlinked)
        records.append(Record(*fields, seq, software, body, hash_before))
    return records


def _check(entry: Entry) -> None:
    """Find what SQLite could not store before it spoils the transaction of others."""
    numbers = [entry.at.wall_ms, entry.at.mono_ns, entry.shoe, entry.round, *(raw.mono_ns for raw in entry.raw)]
    names = [*(fact.name for fact in entry.facts), *(message.topic for message in entry.messages)]
    bodies: list[object] = [*(raw.data for raw in entry.raw), *(fact.body for fact in entry.facts)]
    bodies += [message.payload for message in entry.messages]
    if entry.input is not None:
        names.append(entry.input.name)
        bodies.append(entry.input.body)
    elif entry.facts:
        raise JournalUsageError("an entry with facts has no input that led to them.")
    if entry.link_state is not None:
        bodies.append(entry.link_state)
    for number in numbers:
        if not -LARGEST <= number <= LARGEST:
            raise JournalUsageError(f"the number {number} is too large for a record.")
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise JournalUsageError(f"the name {name!r} is no text.") from error
    for body in bodies:
        if not isinstance(body, bytes):
            raise JournalUsageError(f"a body must be bytes, not {type(body).__name__}.")


def open_journal(  # noqa: PLR0913 - what the journal must not find out by itself is passed in, by name
    path: Path, *, identity: Identity, software: str, now_ms: int, stamp: str, schema: Schema = SCHEMA
) -> Journal:
    """Open the journal of a table for writing; where there is none, begin one.

    `identity.journal_id` is used for a new file only. A file that cannot be trusted is an error and is left as it is:
    `opening.set_aside` gives it another name. `stamp` is the time for the name of a backup, should one be needed.
    """
    lock = WriterLock(path)
    try:
        backup = None
        if path.exists():
            backup = opening.prepare(path, identity.table, stamp=stamp, schema=schema)
        else:
            opening.create(path, identity, created_ms=now_ms, schema=schema)
        return Journal(path, software=software, lock=lock, backup=backup)
    except BaseException:
        lock.release()
        raise
