"""Removes whole shoes that are older than the retention time, each only when its export is safely on the disk.

Works beside a running writer, in short transactions. First a shoe is exported, checking its chain on the way; then one
transaction writes its tombstone, and a record of the chain that confirms it and all earlier ones; then the records go,
a few hundred at a time, the last ones first, so that what is left at any moment can still be checked. A run that was
interrupted is finished by the next, if the chain confirms its tombstone. The current shoe stays, and so does a shoe
with events that have not been published. Checkpoints stay too: each names the key of the next one. The file does not
shrink: what becomes free in it is used for new records.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.clock.moment import Moment
from shoe_controller.journal.chain import link
from shoe_controller.journal.database import Database
from shoe_controller.journal.errors import BrokenChainError, DamagedJournalError, StorageError
from shoe_controller.journal.export import Form, Progress, Selection, line, selected
from shoe_controller.journal.opening import (
    WriterLock,
    as_record,
    previous_hash,
    private,
    real_path,
    refuse_hard_links,
    sync,
)
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Record, RecordKind, Tombstone
from shoe_controller.journal.store import INSERT_RECORD
from shoe_controller.journal.tombstones import (
    INSERT_TOMBSTONE,
    as_body,
    as_row,
    judge,
    read_note,
    read_tombstones,
)

RECORDS_AT_ONCE = 500
"""Removed in one transaction; the table's own commits come in between."""


class Pruned(msgspec.Struct, kw_only=True):
    shoes: int = 0
    records: int = 0
    exports: list[str] = []
    kept_because: str = ""
    """Why pruning stopped."""


class _Shoe(NamedTuple):
    first: int
    last: int


def prune(  # noqa: PLR0913 - what must not be found out inside is passed in, by name
    path: Path,
    *,
    older_than_ms: int,
    folder: Path,
    now: Moment,
    software: str,
    progress: Progress,
    rest: Callable[[], object],
) -> Pruned:
    """Prune shoes whose every record is older than that, the oldest first; `rest` is called between transactions."""
    pruned = Pruned()
    path = real_path(path)
    with JournalReader(path) as reader:
        refuse_hard_links(path)
        lock = WriterLock(path.with_name(f"{path.name}.prune"))
        try:
            with closing(Database.for_writing(path)) as database:
                pruning = _Pruning(reader, database, folder, rest)
                pruning.finish_interrupted()
                shoes = pruning.closed_shoes()
                for shoe in shoes:
                    reason = pruning.reason_to_keep(shoe, older_than_ms)
                    if reason:
                        pruned.kept_because = reason
                        return pruned
                    tombstone = pruning.export(shoe)
                    pruning.bury(tombstone, now, software)
                    pruned.shoes += 1
                    pruned.records += shoe.last - shoe.first + 1
                    pruned.exports.append(tombstone.export_name)
                    progress(shoe.last, shoes[-1].last)
        finally:
            lock.release()
    pruned.kept_because = "only the current shoe is left."
    return pruned


class _Pruning:
    def __init__(self, reader: JournalReader, database: Database, folder: Path, rest: Callable[[], object]) -> None:
        self._reader = reader
        self._database = database
        self._folder = folder
        self._rest = rest

    def closed_shoes(self) -> list[_Shoe]:
        """From the end of what was pruned to the entry that opened the current shoe."""
        tombstones = self._reader.tombstones()
        begin = tombstones[-1].last + 1 if tombstones else 1
        openings = self._reader.database.rows(
            "SELECT entry FROM record WHERE kind IN ('opening', 'snapshot') AND kind = 'opening' ORDER BY number"
        )
        if not all(isinstance(entry, int) for (entry,) in openings):
            raise DamagedJournalError(
                self._reader.database.path, "a record that opens a shoe has no number of its entry."
            )
        borders = [begin, *(entry for (entry,) in openings if entry > begin)]
        return [_Shoe(first, following - 1) for first, following in pairwise(borders)]

    def reason_to_keep(self, shoe: _Shoe, older_than_ms: int) -> str:
        database = self._reader.database
        row = database.row("SELECT max(wall_ms), max(seq) FROM record WHERE number BETWEEN ? AND ?", shoe)
        published_seq = self._reader.position().published_seq
        newest, last_seq = row or (None, None)
        if newest is None:
            raise BrokenChainError(database.path, f"the records from {shoe.first} to {shoe.last} are missing.")
        if not isinstance(newest, int) or not isinstance(last_seq, int | None):
            raise DamagedJournalError(
                database.path, f"the records from {shoe.first} to {shoe.last} have times or numbers that are none."
            )
        if newest >= older_than_ms:
            return f"the shoe of records {shoe.first} to {shoe.last} is not old enough."
        if last_seq is not None and last_seq > published_seq:
            return f"event {published_seq + 1} and others in records {shoe.first} to {shoe.last} are not published yet."
        return ""

    def export(self, shoe: _Shoe) -> Tombstone:
        """Write the shoe's records to a file of their own, and read it again to be sure."""
        path = self._database.path
        before = previous_hash(self._reader.database, self._reader.identity, shoe.first)
        if before is None:
            raise BrokenChainError(path, f"record {shoe.first - 1} is missing.")
        follow = _Follow(path, shoe.first, before)
        digest = hashlib.blake2s()
        unfinished = self._folder / f"{path.name}.export.part"
        try:
            with open(unfinished, "wb", opener=private) as file:
                for record in selected(self._reader, Selection(first=shoe.first, last=shoe.last), _nobody_looks):
                    follow.take(record)
                    text = line(record, Form.JSON_LINES)
                    digest.update(text)
                    file.write(text)
                file.flush()
                os.fsync(file.fileno())
            name = follow.export_name(shoe)
            _keep(unfinished, self._folder / name, digest.digest())
        except OSError as error:
            raise StorageError(path, f"not pruned, its export to {self._folder} failed: {error.strerror}.") from error
        return follow.tombstone(shoe, self._last_seq(shoe), name, digest.digest())

    def bury(self, tombstone: Tombstone, now: Moment, software: str) -> None:
        database = self._database
        with database.transaction():
            row = database.row("SELECT record.* FROM record JOIN position ON number = head_number AND hash = head_hash")
            if row is None:
                raise BrokenChainError(database.path, "the journal does not end with the expected record.")
            last = as_record(database, row)
            note = Record(
                number=last.number + 1,
                entry=last.number + 1,
                kind=RecordKind.PRUNED.value,
                name=f"shoe {tombstone.shoe}",
                wall_ms=now.wall_ms,
                mono_ns=now.mono_ns,
                synchronised=int(now.synchronised),
                shoe=last.shoe,
                round=last.round,
                seq=None,
                software=software,
                body=as_body([*read_tombstones(database), tombstone]),
                hash=b"",
            )
            note = note._replace(hash=link(last.hash, note))
            database.run(INSERT_RECORD, note)
            database.run(INSERT_TOMBSTONE, as_row(tombstone))
            database.run("UPDATE position SET head_number = ?, head_hash = ?", (note.number, note.hash))
        self._remove_up_to(tombstone.last)

    def finish_interrupted(self) -> None:
        """Remove what the last tombstone stands for; nothing if somebody else has put it there."""
        tombstones = self._reader.tombstones()
        if not tombstones:
            return
        database = self._reader.database
        row = database.row("SELECT * FROM record WHERE kind = 'pruned' ORDER BY number DESC LIMIT 1")
        if row is None or not self._confirms(as_record(database, row), tombstones):
            raise BrokenChainError(
                database.path, "the chain does not confirm its tombstones; nothing was pruned. Run `journal verify`."
            )
        self._remove_up_to(tombstones[-1].last)

    def _confirms(self, record: Record, tombstones: list[Tombstone]) -> bool:
        """Whether the newest record that tells of pruning was written with these tombstones."""
        before = previous_hash(self._reader.database, self._reader.identity, record.number)
        if before is None or link(before, record) != record.hash:
            return False
        try:
            note = read_note(record)
        except ValueError:
            return False
        return note.first == tombstones[-1].first and not judge(tombstones, [(record.number, note)]).faults

    def _remove_up_to(self, last: int) -> None:
        while True:
            self._rest()
            with self._database.transaction():
                gone = self._database.run(
                    "DELETE FROM record WHERE number IN "
                    "(SELECT number FROM record WHERE number <= ? AND kind != 'checkpoint' "
                    "ORDER BY number DESC LIMIT ?)",
                    (last, RECORDS_AT_ONCE),
                )
            if gone < RECORDS_AT_ONCE:
                return

    def _last_seq(self, shoe: _Shoe) -> int:
        """The last event's number up to the end of this shoe, also when the shoe itself has none."""
        following = self._reader.database.row(
            "SELECT min(seq) FROM record WHERE seq IS NOT NULL AND number > ?", (shoe.last,)
        )
        if following is not None and isinstance(following[0], int):
            return following[0] - 1
        return self._reader.position().last_seq


class _Follow:
    """Follows the chain through one shoe and counts what is in it."""

    def __init__(self, path: Path, first: int, before: bytes) -> None:
        self._path = path
        self._next = first
        self._before = self._previous_hash = before
        self._first: Record | None = None
        self._last: Record | None = None
        self._counts: Counter[str] = Counter()

    def take(self, record: Record) -> None:
        if record.number != self._next or link(self._before, record) != record.hash:
            raise BrokenChainError(self._path, f"not pruned: {record} does not follow from record {self._next - 1}.")
        self._first = self._first or record
        self._last = record
        self._counts[record.kind] += 1
        self._next, self._before = record.number + 1, record.hash

    def ends(self, shoe: _Shoe) -> tuple[Record, Record]:
        if self._first is None or self._last is None or self._last.number != shoe.last:
            raise BrokenChainError(self._path, f"not pruned: the records from {self._next} to {shoe.last} are missing.")
        return self._first, self._last

    def export_name(self, shoe: _Shoe) -> str:
        _, last = self.ends(shoe)
        return f"{self._path.name}.shoe-{last.shoe}.records-{shoe.first}-{shoe.last}.jsonl"

    def tombstone(self, shoe: _Shoe, last_seq: int, export_name: str, export_digest: bytes) -> Tombstone:
        first, last = self.ends(shoe)
        return Tombstone(
            first=shoe.first,
            last=shoe.last,
            previous_hash=self._previous_hash,
            first_hash=first.hash,
            last_hash=last.hash,
            last_seq=last_seq,
            shoe=last.shoe,
            counts=dict(sorted(self._counts.items())),
            first_wall_ms=first.wall_ms,
            last_wall_ms=last.wall_ms,
            export_name=export_name,
            export_digest=export_digest,
        )


def _keep(unfinished: Path, name: Path, digest: bytes) -> None:
    """Give an export its name if it reads back as written; a different file of that name is never replaced."""
    if _digest_of(unfinished) != digest:
        raise StorageError(unfinished, "the export does not read back as written; nothing was pruned.")
    if name.exists():
        if _digest_of(name) != digest:
            raise StorageError(name, "an export of that name holds something else; move it away first.")
        unfinished.unlink()
    else:
        unfinished.rename(name)
    sync(name.absolute().parent)


def _digest_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2s).digest()


def _nobody_looks(_done: int, _all: int) -> None: ...
