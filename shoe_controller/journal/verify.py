"""Whether a journal is whole: the chain of its records, and that replaying the inputs gives the same events again.

Streams through the file with memory that does not grow, beside a running writer. A caller that can replay passes a
function (`replay_check.py`); without one only the chain is checked, and the report says so. Events of another version
of the program cannot be expected to come out the same: their chain is checked and they are counted as not replayed.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from shoe_controller.journal.chain import link
from shoe_controller.journal.checkpoint_check import CheckpointCheck, Proof
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.journal.opening import Identity, Position, identify
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import NUMBERED_EVENTS, Head, Record, RecordKind, Tombstone
from shoe_controller.journal.replay_check import Agree, Replay, ReplayCheck, same_bytes
from shoe_controller.journal.tombstones import as_body

MOST_PROBLEMS = 100
"""Faults listed in full; further ones are only counted."""

RECORDS_BETWEEN_LOOKS = 10_000

Progress = Callable[[int, int], object]
"""Called with the number of records done and the total."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    number: int | None
    """The number of the record concerned; `None` when the fault concerns the file as a whole."""
    kind: str | None
    what: str


class Report(msgspec.Struct, kw_only=True):
    identity: Identity
    head: Head
    records: int = 0
    """Records checked."""
    pruned: int = 0
    """Records that were pruned and have a tombstone."""
    problems: list[Problem] = []
    more_problems: int = 0
    notes: list[str] = []
    replayed: int | None = None
    """Events that came out the same; `None` without a replay."""
    not_replayed: dict[str, int] = {}
    """Events of other versions of the program, or after a difference, by version."""
    checkpoints: int = 0
    """Signed checkpoints."""
    keys_anew: list[int] = []
    """Checkpoints with a key that neither the one before nor the caller vouches for."""
    proof: Proof | None = None
    """Up to where the caller's keys prove the journal."""

    @property
    def good(self) -> bool:
        return not self.problems

    def tell(self, number: int | None, kind: str | None, what: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(number=number, kind=kind, what=what))
        else:
            self.more_problems += 1

    def tell_of(self, record: Record, what: str) -> None:
        self.tell(record.number, record.kind, f"{record}: {what}")


def verify(  # noqa: PLR0913 - what must not be found out inside is passed in, by name
    path: Path,
    *,
    replay: Replay | None = None,
    agree: Agree = same_bytes,
    software: str,
    heads: Iterable[Head] = (),
    keys: Collection[str] = (),
    progress: Progress,
) -> Report:
    """Check all of a journal. `heads` are ends of the chain that were kept elsewhere, from published results say.

    `keys` are public keys that were kept elsewhere, in hexadecimal.

    `agree` compares events of layout 1 with what their inputs lead to now; those of layout 2 must be the same bytes.

    A file that cannot be read as a journal at all is an error, as everywhere; what is wrong inside is in the report.
    """
    with JournalReader(path) as reader:
        with reader.database.one_view():
            identity, position = identify(reader.database)
            beyond = reader.database.row(
                "SELECT * FROM record WHERE number > ? ORDER BY number LIMIT 1", (position.head.number,)
            )
        report = Report(identity=identity, head=position.head)
        if beyond is not None:
            report.tell_of(Record(*beyond), f"comes after record {position.head.number}, where the journal ends.")
        try:
            _check_file(reader, report, progress, position.head.number)
            checkpoints = CheckpointCheck(identity.journal_id, keys, report.tell_of)
            records = _ChainCheck(
                reader, position, report, heads=heads, checkpoints=checkpoints, progress=progress
            ).records()
            if replay is None:
                deque(records, maxlen=0)
            else:
                check = ReplayCheck(records, replay, agree, software, report.tell_of)
                check.run()
                report.replayed = check.same
                report.not_replayed = dict(check.not_replayed)
            report.checkpoints, report.keys_anew = checkpoints.count, checkpoints.keys_anew
            report.proof = checkpoints.proof
        except DamagedJournalError as error:
            report.tell(None, None, error.reason)
        return report


def _check_file(reader: JournalReader, report: Report, progress: Progress, total: int) -> None:
    """SQLite's own check of its pages and indexes."""
    with reader.database.looking_on(lambda: progress(0, total)):
        for (finding,) in reader.database.rows("PRAGMA integrity_check(20)"):
            if finding != "ok":
                report.tell(None, None, f"the file is damaged: {finding}")


class _ChainCheck:
    """Follows the chain from its beginning to the head, over the tombstones."""

    def __init__(  # noqa: PLR0913 - of this file alone
        self,
        reader: JournalReader,
        position: Position,
        report: Report,
        *,
        heads: Iterable[Head],
        checkpoints: CheckpointCheck,
        progress: Progress,
    ) -> None:
        self._reader = reader
        self._position = position
        self._report = report
        self._heads = {head.number: head for head in heads}
        self._checkpoints = checkpoints
        self._progress = progress
        self._take_tombstones()
        self._tombstones_at_first = self._tombstones
        self._expected = 1
        self._before: bytes | None = reader.identity.genesis
        """The hash that the next record follows; unknown after a gap."""
        self._last_seq: int | None = 0
        self._noted: dict[int, bytes] = {}
        """The tombstones recorded in the chain, by their first record."""

    def records(self) -> Iterator[Record | None]:
        """The records for a replay; `None` where pruning has cut some away, so that a shoe may be incomplete."""
        end = self._position.head.number
        for record in self._reader.records(-(2**63), end):
            if record.number < self._expected:
                self._report.tell_of(record, "is not part of the chain; it was added from outside.")
                continue
            if self._was_left_by_pruning(record):
                self._report.records += 1
                self._checkpoints.take(record, None)
                continue
            if self._reach(record.number, str(record)):
                yield None
            self._check(record)
            if self._report.records % RECORDS_BETWEEN_LOOKS == 0:
                self._progress(record.number, end)
            if not self._tombstones or record.number > self._tombstones[-1].last:
                yield record
        self._reach(end + 1, "the end of the journal")
        self._check_end()
        self._progress(end, end)

    def _was_left_by_pruning(self, record: Record) -> bool:
        """Checkpoints stay when the records around them are pruned, because each names the key of the next."""
        gap = record.number > self._expected and record.kind == RecordKind.CHECKPOINT
        return gap and self._tombstone_over(record.number) is not None

    def _reach(self, number: int, what: str) -> bool:
        """Skip a gap in the numbers; returns whether a tombstone was passed."""
        passed = False
        while self._expected < number:
            tombstone = self._tombstone_over(self._expected)
            if tombstone is None or tombstone.last >= number:
                if number - self._expected == 1:
                    missing = f"record {self._expected} is missing"
                else:
                    missing = f"the records from {self._expected} to {number - 1} are missing"
                self._report.tell(self._expected, None, f"{missing}, before {what}.")
                self._expected, self._before, self._last_seq = number, None, None
                break
            if tombstone.first < self._expected:
                self._report.notes.append(
                    f"pruning of shoe {tombstone.shoe} was interrupted; its records from {tombstone.first} to "
                    f"{self._expected - 1} are still here, and go with the next pruning."
                )
            elif self._before is not None and tombstone.previous_hash != self._before:
                self._report.tell(
                    tombstone.first, None, f"{_name(tombstone)} does not follow from record {tombstone.first - 1}."
                )
            self._report.pruned += tombstone.last - self._expected + 1
            for head in self._heads.values():
                if self._expected <= head.number < tombstone.last:
                    self._report.notes.append(f"record {head.number} was pruned; the head {head} was not compared.")
            if tombstone.last in self._heads and self._heads[tombstone.last].hash != tombstone.last_hash:
                self._tell_head(self._heads[tombstone.last], _name(tombstone))
            self._expected, self._before = tombstone.last + 1, tombstone.last_hash
            self._last_seq = tombstone.last_seq
            passed = True
        return passed

    def _check(self, record: Record) -> None:
        report = self._report
        report.records += 1
        if self._before is not None and link(self._before, record) != record.hash:
            report.tell_of(
                record, f"does not follow from record {record.number - 1}: one of the two was changed or replaced."
            )
        if record.kind in NUMBERED_EVENTS:
            if self._last_seq is not None and record.seq != self._last_seq + 1:
                report.tell_of(record, f"is event {record.seq}, after event {self._last_seq}.")
            self._last_seq = record.seq
        elif record.seq is not None:
            report.tell_of(record, f"has the number of an event, {record.seq}.")
        if record.kind == RecordKind.PRUNED:
            self._note(record)
        if record.kind == RecordKind.CHECKPOINT:
            self._checkpoints.take(record, self._before)
        if record.number in self._heads and self._heads[record.number].hash != record.hash:
            self._tell_head(self._heads[record.number], str(record))
        if record.number in self._cut_ends and self._cut_ends[record.number].last_hash != record.hash:
            report.tell_of(record, f"is not the one that {_name(self._cut_ends[record.number])} names.")
        self._expected, self._before = record.number + 1, record.hash

    def _note(self, record: Record) -> None:
        try:
            tombstone = msgspec.json.decode(record.body, type=Tombstone)
        except msgspec.DecodeError:
            self._report.tell_of(record, "cannot be read as a tombstone.")
        else:
            self._noted[tombstone.first] = record.body

    def _check_end(self) -> None:
        head, report = self._position.head, self._report
        if self._before is not None and self._before != head.hash:
            report.tell(head.number, None, f"record {head.number} is not the one recorded as the journal's end.")
        if self._last_seq is not None and self._last_seq != self._position.last_seq:
            report.tell(
                head.number, None, f"the last event is {self._last_seq}, not {self._position.last_seq} as noted."
            )
        for number, kept in self._heads.items():
            if number > head.number:
                report.tell(
                    head.number, None, f"the journal ends before record {number}; the head {kept} is beyond it."
                )
        self._check_tombstones()

    def _check_tombstones(self) -> None:
        unconfirmed = 0
        noted = dict(self._noted)
        for tombstone in self._tombstones_at_first:
            body = noted.pop(tombstone.first, None)
            unconfirmed += body is None
            if body is not None and body != as_body(tombstone):
                self._report.tell(tombstone.first, None, f"{_name(tombstone)} differs from its record in the chain.")
        for first in noted:
            self._report.tell(first, None, f"the tombstone of record {first} is missing; the chain records it.")
        gone = sum(tombstone.counts.get(RecordKind.PRUNED, 0) for tombstone in self._tombstones)
        if unconfirmed > gone:
            self._report.tell(
                None, None, f"{unconfirmed - gone} tombstones were added; the chain does not record them."
            )

    def _tell_head(self, head: Head, what: str) -> None:
        self._report.tell(head.number, None, f"{what} is not the one that was known as {head}.")

    def _tombstone_over(self, number: int) -> Tombstone | None:
        for again in (False, True):
            if again:
                # Pruning may have gone on while we read.
                self._take_tombstones()
            place = bisect_right(self._tombstones, number, key=lambda tombstone: tombstone.first)
            if place and self._tombstones[place - 1].last >= number:
                return self._tombstones[place - 1]
        return None

    def _take_tombstones(self) -> None:
        self._tombstones = self._reader.tombstones()
        self._cut_ends = {tombstone.last: tombstone for tombstone in self._tombstones}


def _name(tombstone: Tombstone) -> str:
    return f"the tombstone of shoe {tombstone.shoe} (records {tombstone.first} to {tombstone.last})"
