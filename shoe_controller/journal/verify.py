"""Whether a journal is whole: the chain of its records, and that replaying the inputs gives the same events again.

Streams through the file with memory that does not grow, beside a running writer. A caller that can replay passes a
function (`replay_check.py`); without one only the chain is checked, and the report says so. Events of another version
of the program cannot be expected to come out the same: their chain is checked and they are counted as not replayed.
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from shoe_controller.journal.chain import link
from shoe_controller.journal.checkpoint_check import CheckpointCheck, Proof
from shoe_controller.journal.database import bytes_behind_the_end
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.journal.exported import Export, exports_of
from shoe_controller.journal.opening import Identity, Position, identify
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import NUMBERED_EVENTS, Head, Record, RecordKind, Tombstone
from shoe_controller.journal.replay_check import Agree, Replay, ReplayCheck, same_bytes
from shoe_controller.journal.tombstones import Note, judge, name_of, read_note

MOST_PROBLEMS = 100
"""Faults listed in full; further ones are only counted."""

RECORDS_BETWEEN_LOOKS = 10_000

LONGEST_ENTRY = 10_000
"""Records; an entry that opens a shoe has some dozens."""

LARGEST = 2**63 - 1
"""The largest number that SQLite can hold, and a tombstone of a changed file can have."""

Progress = Callable[[int, int], object]
"""Called with the number of records done and the total."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    number: int | None
    """The number of the record concerned; `None` when the fault concerns the file as a whole."""
    kind: str | None
    what: str


class PrunedPart(msgspec.Struct, kw_only=True):
    """Records that were pruned and have a tombstone."""

    first: int
    last: int
    shoe: int
    export_name: str
    confirmed_by: int | None = None
    """The first record of the chain that confirms the tombstone; `None` if there is none."""
    export_checked: bool = False
    """Whether its export was there, and is what was pruned."""
    heads: list[str] = []
    """Heads of records within, which nothing here proves or refutes."""


class Report(msgspec.Struct, kw_only=True):
    identity: Identity
    head: Head
    records: int = 0
    """Records checked."""
    pruned: int = 0
    """Records that were pruned and have a tombstone, without those in exports that were checked."""
    from_exports: int = 0
    """Records checked that are in exports."""
    pruned_parts: list[PrunedPart] = []
    heads: int = 0
    """Heads that were given."""
    heads_confirmed: int = 0
    proved_by_heads: int = 0
    """The last record with a head that is confirmed: everything up to it is as it was when the head went out."""
    problems: list[Problem] = []
    more_problems: int = 0
    notes: list[str] = []
    replayed: int | None = None
    """Events that came out the same; `None` without a replay."""
    not_replayed: dict[str, int] = {}
    """Events of other versions of the program, or after a difference, by version."""
    checkpoints: int = 0
    """Signed checkpoints."""
    cut_off: list[tuple[int, int]] = []
    """First and last of the records, in exports or left by an interrupted pruning, that only a tombstone ties to what
    follows, because the export of what comes next was not given. No checkpoint or head covers them."""
    keys_anew: list[int] = []
    """Checkpoints with a key that neither the one before nor the caller vouches for."""
    proof: Proof | None = None
    """Up to where the caller's keys prove the journal."""

    @property
    def good(self) -> bool:
        return not self.problems

    @property
    def unproved(self) -> list[PrunedPart]:
        """Pruned parts with heads that only their exports could prove."""
        return [part for part in self.pruned_parts if part.heads]

    @property
    def pruned_since_proof(self) -> list[PrunedPart]:
        """Pruned parts that no record up to the last proved one tells of, and whose exports were not checked."""
        proved = max(self.proved_by_heads, 0 if self.proof is None else self.proof.number)
        return [
            part
            for part in self.pruned_parts
            if proved and not part.export_checked and (part.confirmed_by is None or part.confirmed_by > proved)
        ]

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
    exports: Iterable[Path] = (),
    keys: Collection[str] = (),
    progress: Progress,
) -> Report:
    """Check all of a journal. `heads` are ends of the chain that were kept elsewhere, from published results say.

    `exports` are files that pruning wrote, or folders with them: their records are checked in their places. `keys` are
    public keys that were kept elsewhere, in hexadecimal.

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
            report.tell_of(Record._make(beyond), f"comes after record {position.head.number}, where the journal ends.")
        try:
            _check_file(reader, report, progress, position.head.number)
            checkpoints = CheckpointCheck(identity.journal_id, keys, report.tell_of)
            records = _ChainCheck(
                reader, position, report, heads=heads, exports=exports, checkpoints=checkpoints, progress=progress
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
    more = bytes_behind_the_end(reader.database)
    if more:
        report.tell(None, None, f"{more} bytes behind the last page of the file were put there by another program.")


class _ChainCheck:
    """Follows the chain from its beginning to the head, over the tombstones."""

    def __init__(  # noqa: PLR0913 - of this file alone
        self,
        reader: JournalReader,
        position: Position,
        report: Report,
        *,
        heads: Iterable[Head],
        exports: Iterable[Path],
        checkpoints: CheckpointCheck,
        progress: Progress,
    ) -> None:
        self._reader = reader
        self._position = position
        self._report = report
        self._heads: dict[int, list[Head]] = {}
        for head in heads:
            self._heads.setdefault(head.number, []).append(head)
            report.heads += 1
        self._checkpoints = checkpoints
        self._progress = progress
        self._take_tombstones()
        self._tombstones_at_first = self._tombstones
        self._exports, others = exports_of(self._tombstones, exports)
        for path in others:
            report.tell(None, None, f"{path} is not an export of what was pruned from this journal.")
        self._expected = 1
        self._before: bytes | None = reader.identity.genesis
        """The hash that the next record follows; unknown after a gap."""
        self._last_seq: int | None = 0
        self._notes: list[tuple[int, Note]] = []
        """The tombstones recorded in the chain, each with the number of its record."""
        self._parts: dict[int, PrunedPart] = {}
        self._uncovered = 1
        """The first record that no checkpoint and no head has covered yet, of those that follow without a gap."""
        self._compare_heads(0, reader.identity.genesis, "the beginning of the journal")

    def records(self) -> Iterator[Record | None]:
        """The records for a replay; `None` where pruning has cut some away, so that a shoe may be incomplete."""
        end = self._position.head.number
        for record in self._reader.records(-(2**63), end):
            if self._was_left_by_pruning(record):
                self._check_left(record)
                continue
            yield from self._reach(record.number, str(record))
            if record.number < self._expected:
                if not self._is_exported(record.number):
                    self._report.tell_of(record, "is not part of the chain; it was added from outside.")
                continue
            self._check(record)
            if self._report.records % RECORDS_BETWEEN_LOOKS == 0:
                self._progress(record.number, end)
            if not self._tombstones or record.number > self._tombstones[-1].last:
                yield record
        yield from self._reach(end + 1, "the end of the journal")
        self._check_end()
        self._progress(end, end)

    def _was_left_by_pruning(self, record: Record) -> bool:
        """Checkpoints stay when the records around them are pruned, because each names the key of the next."""
        if record.number <= self._expected or record.kind != RecordKind.CHECKPOINT:
            return False
        tombstone = self._tombstone_over(record.number)
        # With its export, it is read in its place there.
        return tombstone is not None and tombstone.first not in self._exports

    def _check_left(self, record: Record) -> None:
        """A checkpoint without its neighbours: the tombstone over it knows those at its own ends."""
        self._report.records += 1
        tombstone = self._tombstone_over(record.number)
        if tombstone is None:
            return
        self._checkpoints.take(record, tombstone.previous_hash if record.number == tombstone.first else None)
        ends = {tombstone.first: tombstone.first_hash, tombstone.last: tombstone.last_hash}
        if ends.get(record.number, record.hash) != record.hash:
            self._report.tell_of(record, f"is not the one that {name_of(tombstone)} names.")

    def _reach(self, number: int, what: str) -> Iterator[Record | None]:
        """Skip a gap in the numbers, or read the exports of what was in it."""
        while self._expected < number or self._expected in self._exports:
            tombstone = self._tombstone_over(self._expected)
            if tombstone is not None and tombstone.first == self._expected and tombstone.first in self._exports:
                yield from self._follow(tombstone, self._exports.pop(tombstone.first))
                continue
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
            self._pass(tombstone)
            yield None

    def _pass(self, tombstone: Tombstone) -> None:
        """Go on behind a pruned part, of which nothing is there to be checked."""
        self._report.pruned += tombstone.last - self._expected + 1
        part = self._part(tombstone)
        if self._uncovered < self._expected:
            self._report.cut_off.append((self._uncovered, self._expected - 1))
        self._uncovered = tombstone.last + 1
        if tombstone.first == self._expected:
            self._check_link(tombstone)
            for head in self._heads.get(tombstone.first, ()):
                if head.hash != tombstone.first_hash:
                    self._tell_head(head, name_of(tombstone))
        part.heads = [
            str(head)
            for number in sorted(self._heads)
            if self._expected <= number < tombstone.last
            for head in self._heads[number]
        ]
        # The record that follows is chained to this hash, so it proves a head that was published there.
        self._compare_heads(tombstone.last, tombstone.last_hash, name_of(tombstone))
        self._continue_behind(tombstone)

    def _follow(self, tombstone: Tombstone, export: Export) -> Iterator[Record]:
        """Check the records of an export as those of the journal, and that it is the one that the tombstone names."""
        self._check_link(tombstone)
        left = {one.number: one for one in self._reader.records(tombstone.first - 1, tombstone.last)}
        found: Counter[str] = Counter()
        first = last = None
        whole = True
        try:
            for record in export.records():
                if record.number != self._expected:
                    self._report.tell_of(record, f"is in {export.path} in the place of record {self._expected}.")
                    break
                whole = self._check(record) and whole
                if left.get(record.number, record) != record:
                    self._report.tell_of(record, f"differs from the one in {export.path}.")
                self._report.from_exports += 1
                first, last = first or record, record
                found[record.kind] += 1
                yield record
        except ValueError as error:
            self._report.tell(tombstone.first, None, f"the export {export.path} is not whole: {error}.")
        told = (
            export.digest, self._expected, first and first.hash, last and last.hash, self._last_seq,
            last and last.shoe, dict(found), first and first.wall_ms, last and last.wall_ms,
        )  # fmt: skip
        wanted = (
            tombstone.export_digest, tombstone.last + 1, tombstone.first_hash, tombstone.last_hash, tombstone.last_seq,
            tombstone.shoe, tombstone.counts, tombstone.first_wall_ms, tombstone.last_wall_ms,
        )  # fmt: skip
        if told != wanted:
            self._report.tell(
                tombstone.first, None, f"the export {export.path} is not the one that {name_of(tombstone)} names."
            )
        self._part(tombstone).export_checked = whole and told == wanted
        self._continue_behind(tombstone)

    def _is_exported(self, number: int) -> bool:
        """Whether a record that pruning has left was compared with the one in the export."""
        tombstone = self._tombstone_over(number)
        return tombstone is not None and tombstone.first in self._parts and self._parts[tombstone.first].export_checked

    def _check_link(self, tombstone: Tombstone) -> None:
        if self._before is not None and tombstone.previous_hash != self._before:
            self._report.tell(
                tombstone.first, None, f"{name_of(tombstone)} does not follow from record {tombstone.first - 1}."
            )

    def _continue_behind(self, tombstone: Tombstone) -> None:
        self._expected, self._before = tombstone.last + 1, tombstone.last_hash
        self._last_seq = tombstone.last_seq

    def _part(self, tombstone: Tombstone) -> PrunedPart:
        part = PrunedPart(
            first=tombstone.first, last=tombstone.last, shoe=tombstone.shoe, export_name=tombstone.export_name
        )
        self._parts[tombstone.first] = part
        self._report.pruned_parts.append(part)
        return part

    def _check(self, record: Record) -> bool:
        """Check the next record; returns whether it follows from the one before."""
        report = self._report
        report.records += 1
        follows = self._before is None or link(self._before, record) == record.hash
        if not follows:
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
            proof = self._checkpoints.proof
            if proof is not None and proof.number == record.number - 1:
                self._uncovered = record.number
        self._compare_heads(record.number, record.hash, str(record))
        if record.number in self._cut_ends and self._cut_ends[record.number].last_hash != record.hash:
            report.tell_of(record, f"is not the one that {name_of(self._cut_ends[record.number])} names.")
        self._expected, self._before = record.number + 1, record.hash
        return follows

    def _compare_heads(self, number: int, hash_: bytes, what: str) -> None:
        for head in self._heads.get(number, ()):
            if head.hash == hash_:
                self._report.heads_confirmed += 1
                self._report.proved_by_heads = max(self._report.proved_by_heads, number)
                self._uncovered = max(self._uncovered, number + 1)
            else:
                self._tell_head(head, what)

    def _note(self, record: Record) -> None:
        try:
            self._notes.append((record.number, read_note(record)))
        except ValueError:
            self._report.tell_of(record, "cannot be read as a tombstone.")

    def _check_end(self) -> None:
        head, report = self._position.head, self._report
        if self._before is not None and self._before != head.hash:
            report.tell(head.number, None, f"record {head.number} is not the one recorded as the journal's end.")
        if self._last_seq is not None and self._last_seq != self._position.last_seq:
            report.tell(
                head.number, None, f"the last event is {self._last_seq}, not {self._position.last_seq} as noted."
            )
        for kept in (one for number, heads in self._heads.items() if number > head.number for one in heads):
            report.tell(
                head.number, None, f"the journal ends before record {kept.number}; the head {kept} is beyond it."
            )
        self._check_tombstones()

    def _check_tombstones(self) -> None:
        """Only tombstones that the chain confirms count, and only whole shoes are ever pruned."""
        if self._tombstones != self._tombstones_at_first:
            self._read_on()
        judgement = judge(self._tombstones, self._notes)
        for fault in judgement.faults:
            self._report.tell(fault.number, None, fault.what)
        for part in self._report.pruned_parts:
            part.confirmed_by = judgement.confirmed_by.get(part.first)
        for tombstone in judgement.by_range_alone:
            self._report.notes.append(
                f"an earlier version pruned the record that told of {name_of(tombstone)}; the chain confirms its "
                "range, but not the name and digest of its export. The next pruning confirms those that it finds."
            )
        if self._tombstones and not self._begins_a_shoe(min(self._tombstones[-1].last + 1, LARGEST)):
            self._report.tell(
                self._tombstones[-1].last + 1,
                None,
                f"{name_of(self._tombstones[-1])} does not end where a shoe ends; only whole shoes are pruned.",
            )

    def _read_on(self) -> None:
        """Pruning has gone on while we read: the records that tell of it lie behind the end that we began with."""
        before = self._before
        for record in self._reader.records(self._position.head.number, self._reader.position().head.number):
            if before is not None and link(before, record) != record.hash:
                self._report.tell_of(record, f"does not follow from record {record.number - 1}.")
                return
            before = record.hash
            if record.kind == RecordKind.PRUNED:
                self._note(record)

    def _begins_a_shoe(self, number: int) -> bool:
        row = self._reader.database.row(
            "SELECT 1 FROM record WHERE number BETWEEN ? AND ? AND entry = ? AND kind = 'opening'",
            (number, min(number + LONGEST_ENTRY, LARGEST), number),
        )
        return row is not None

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
