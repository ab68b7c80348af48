"""The writer of a journal: one thread that owns its connection, and group commit.

Everything that waits goes into one transaction; each submitter is answered after the commit, so an answer means: it is
on the disk. When the commit fails, each of them gets the error, and nothing of what they submitted is in the file; the
next commit is tried afresh, so the journal goes on by itself when there is room again. An entry that builds on another
is to be submitted only when that one was answered.

A caller that waits in a thread uses `submit`, which returns a future. In an event loop `store` is quicker: the answer
goes to a function, which `loop_callbacks.py` runs in the loop. A `BatchWriter` does the thread's work;
a simulation calls it without any thread.

The head of the chain is read inside each transaction and not kept in memory, because pruning writes too.
"""

import queue
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from shoe_controller.journal import opening
from shoe_controller.journal.chain import Fields, link_fields
from shoe_controller.journal.database import Database, check_bytes, files_of
from shoe_controller.journal.errors import DamagedJournalError, FileError, JournalMissingError, JournalUsageError
from shoe_controller.journal.inode_watch import InodeWatch
from shoe_controller.journal.opening import Identity, WriterLock
from shoe_controller.journal.records import Entry, Head, Receipt, Record, RecordKind
from shoe_controller.journal.schema import SCHEMA, Schema

MOST_AT_ONCE = 512
"""Most entries in one transaction; more than that are committed in parts."""

LARGEST = 2**63 - 1

INSERT_RECORD = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_RAW, _INPUT, _EVENT = RecordKind.RAW.value, RecordKind.INPUT.value, RecordKind.EVENT.value
_READ_POSITION = "SELECT head_number, head_hash, last_seq, published_seq FROM position"
_WRITE_POSITION = (
    "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?, published_seq = ?, "
    "link_state = coalesce(?, link_state)"
)


Answer = Callable[[Receipt | BaseException], object]
"""Called once, in the writer's thread, with the receipt or the error. It must be short: other callers wait."""


class Submission(NamedTuple):
    """An entry that waits to be stored."""

    entry: Entry
    answer: Answer
    still_wanted: Callable[[], bool] | None = None
    """Called when its turn has come; from then on the entry cannot be cancelled."""


class Confirmation(NamedTuple):
    """All events up to this number have reached the broker."""

    seq: int
    answer: Callable[[BaseException | None], object]
    still_wanted: Callable[[], bool] | None = None


Outcome = Receipt | BaseException | None
"""A receipt for an entry, nothing for a confirmation, or what went wrong."""


class _SignOfLife(NamedTuple):
    """A check that the writer is still working."""

    answer: Callable[[None], object]


class _Stop:
    """The last item of the queue."""


class Journal:
    """A journal that is open for writing; `open_journal` makes one."""

    def __init__(self, path: Path, *, software: str, lock: WriterLock, backup: Path | None) -> None:
        self.path = path
        self.backup = backup
        """The backup copy, if the file had to be migrated."""
        self._software = software
        self._lock = lock
        self._waiting: queue.SimpleQueue[Submission | Confirmation | _SignOfLife | _Stop] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        # A program that ends without closing is like one that was killed: nothing answered is lost by it.
        self._thread = threading.Thread(target=self._work, name=f"journal {path.name}", daemon=True)
        self._thread.start()

    def store(self, entry: Entry, answer: Answer) -> None:
        """Store an entry, and have `answer` called; returns at once."""
        _check(entry)
        self._put(Submission(entry, answer))

    def submit(self, entry: Entry) -> "Future[Receipt]":
        """Store an entry, for a caller that waits in a thread. It can be cancelled until its turn has come."""
        _check(entry)
        future: Future[Receipt] = Future()
        self._put(Submission(entry, partial(_settle, future), future.set_running_or_notify_cancel))
        return future

    def confirm(self, seq: int) -> "Future[None]":
        """All events up to this number have reached the broker. The number never decreases."""
        future: Future[None] = Future()
        self._put(Confirmation(seq, partial(_settle, future), future.set_running_or_notify_cancel))
        return future

    def sign_of_life(self, answer: Callable[[None], object]) -> None:
        """Have `answer` called by the writer at its turn, so not while the disk blocks it."""
        self._put(_SignOfLife(answer))

    def close(self) -> None:
        """Store what still waits, then let go of the file. May be called twice."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(_Stop())
        self._thread.join()
        self._lock.release()

    def _put(self, what: Submission | Confirmation | _SignOfLife) -> None:
        with self._closing:
            if self._closed:
                raise JournalUsageError("the journal is closed.")
            self._waiting.put(what)

    def _work(self) -> None:
        writer = BatchWriter(self.path, self._software)
        stop = False
        while not stop:
            batch: list[Submission | Confirmation] = []
            while not stop and (not batch or (len(batch) < MOST_AT_ONCE and not self._waiting.empty())):
                item = self._waiting.get()
                if isinstance(item, _Stop):
                    stop = True
                elif isinstance(item, _SignOfLife):
                    _tell(item.answer, None)
                elif item.still_wanted is None or item.still_wanted():
                    batch.append(item)
            if batch:
                for item, outcome in zip(batch, writer.write(batch), strict=True):
                    _tell(item.answer, outcome)
        writer.close()


def _tell(answer: Callable[[Any], object], outcome: Outcome) -> None:
    try:
        answer(outcome)
    except BaseException:  # noqa: BLE001 - a failing callback must not keep the others from their answers
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


def _settle(future: "Future[Any]", outcome: Outcome) -> None:
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


class BatchWriter:
    """Stores what is waiting as one transaction. Belongs to the thread that uses it.

    Its connection is opened with the first batch, and again after a failure that could not be undone.
    """

    def __init__(self, path: Path, software: str, kind_of_database: type[Database] = Database) -> None:
        self._path = path
        self._software = software
        self._kind_of_database = kind_of_database
        self._database: Database | None = None
        self._files: InodeWatch | None = None

    def write(self, batch: Sequence[Submission | Confirmation]) -> list[Outcome]:
        """Store all of it, and return each answer; after an error nothing of it is stored."""
        try:
            return _store_group(self._open(), batch, self._software)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the waiting callers must get it
            if self._database is not None and self._database.in_transaction:
                self.close()
            return [error] * len(batch)

    def _open(self) -> Database:
        if self._database is None or self._files is None:
            check_bytes(self._path)
            self._database = self._kind_of_database.for_writing(self._path)
            self._files = InodeWatch(files_of(self._path)[:2])
        elif not self._files.are_still_there():
            raise JournalMissingError(
                self._path,
                "the journal or its log was removed or replaced while in use; nothing was stored. Put it back.",
            )
        return self._database

    def close(self) -> None:
        if self._database is not None:
            with suppress(FileError):
                self._database.close()
            self._database = None


def _store_group(database: Database, batch: Sequence[Submission | Confirmation], software: str) -> list[Outcome]:
    """Store what is waiting as one transaction; returns each answer."""
    outcomes: list[Outcome] = []
    with database.transaction():
        place = database.row(_READ_POSITION)
        if place is None:
            raise DamagedJournalError(database.path, "the row that holds the journal's position is missing.")
        head, seq, published = Head(number=place[0], hash=place[1]), int(place[2]), int(place[3])
        records: list[Record] = []
        link_state: bytes | None = None
        for item in batch:
            if isinstance(item, Submission):
                chained = chain_entry(item.entry, head, seq, software)
                records += chained
                head = Head(number=chained[-1].number, hash=chained[-1].hash) if chained else head
                link_state = link_state if item.entry.link_state is None else item.entry.link_state
                first, seq = seq + 1, seq + len(item.entry.events)
                heads = tuple(Head(number=one.number, hash=one.hash) for one in chained if one.seq is not None)
                outcomes.append(Receipt(head=head, seqs=range(first, seq + 1), heads=heads))
            elif item.seq > seq:
                outcomes.append(
                    JournalUsageError(f"event {item.seq} cannot have been published: the last one is {seq}.")
                )
            else:
                published = max(published, item.seq)
                outcomes.append(None)
        database.insert(INSERT_RECORD, records)
        database.run(_WRITE_POSITION, (head.number, head.hash, seq, published, link_state))
    return outcomes


def chain_entry(entry: Entry, head: Head, last_seq: int, software: str) -> list[Record]:
    """The records of an entry that follows `head`."""
    at, shoe, round_ = entry.at, entry.shoe, entry.round
    wall_ms, mono_ns, synchronised = at.wall_ms, at.mono_ns, int(at.synchronised)
    parts: list[tuple[str, str, int, int | None, bytes]] = [
        (_RAW, str(raw.direction), raw.mono_ns, None, raw.data) for raw in entry.raw
    ]
    given = entry.input
    if given is not None:
        parts.append((_INPUT if given.start is None else given.start.value, given.name, mono_ns, None, given.body))
    parts += [(_EVENT, event.name, mono_ns, seq, event.body) for seq, event in enumerate(entry.events, last_seq + 1)]
    first, hash_before = head.number + 1, head.hash
    records: list[Record] = []
    for number, (kind, name, part_ns, seq, body) in enumerate(parts, first):
        fields: Fields = (number, first, kind, name, wall_ms, part_ns, synchronised, shoe, round_, seq, software, body)
        hash_before = link_fields(hash_before, fields)
        records.append(Record(*fields, hash_before))
    return records


def _check(entry: Entry) -> None:
    """Refuse what SQLite could not store before it spoils the transaction of other entries."""
    at, given = entry.at, entry.input
    if given is not None:
        _check_part(at.mono_ns, given.name, given.body)
    elif entry.events:
        raise JournalUsageError("an entry with events has no input that led to them.")
    for raw in entry.raw:
        _check_part(raw.mono_ns, raw.direction, raw.data)
    for event in entry.events:
        _check_part(at.mono_ns, event.name, event.body)
    _check_part(at.wall_ms, "", b"" if entry.link_state is None else entry.link_state)
    _check_part(at.mono_ns, "", b"")
    _check_part(entry.shoe, "", b"")
    _check_part(entry.round, "", b"")


def _check_part(number: int, name: str, body: object) -> None:
    if not -LARGEST <= number <= LARGEST:
        raise JournalUsageError(f"the number {number} is too large for a record.")
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise JournalUsageError(f"the name {name!r} is not text.") from error
    if not isinstance(body, bytes):
        raise JournalUsageError(f"a body must be bytes, not {type(body).__name__}.")


def open_journal(  # noqa: PLR0913 - what the journal must not find out by itself is passed in, by name
    path: Path, *, identity: Identity, software: str, now_ms: int, stamp: str, schema: Schema = SCHEMA
) -> Journal:
    """Open the journal of a table for writing; create it where there is none.

    `identity.journal_id` is used for a new file only. A file that cannot be trusted is an error and is left as it is:
    `opening.set_aside` gives it another name. `stamp` is the time for the name of a backup, should one be needed.
    """
    path = opening.real_path(path)
    lock = WriterLock(path)
    try:
        backup = None
        if path.exists():
            backup = opening.prepare(path, identity.table, stamp=stamp, schema=schema)
        else:
            opening.create(path, identity, created_ms=now_ms, schema=schema)
            lock.lock_file()
        return Journal(path, software=software, lock=lock, backup=backup)
    except BaseException:
        lock.release()
        raise
