"""What was seen of one table's journals, and what cannot be as it should. Pure.

A journal is only ever added to, by one controller, and signs itself. So its head never moves back, no record and no
checkpoint is ever another than it was, each checkpoint is signed with the key that the one before names, and no start
of a controller comes back after another. Whatever contradicts this is an alarm.

Messages of a broker are not always in order: the late will of a lost connection, and what a broker has kept from before
its own restart, are older than what was seen. Only a status of a newer session, or one that the controller has
published just now, shows where the journal ends; of all others only the hashes are compared.
"""

from collections import deque
from collections.abc import Iterator
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from shoe_controller.journal import checkpoints as signed
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.witness import (
    AnyWitnessAlarm,
    CheckpointForked,
    CheckpointMissing,
    CheckpointNotGenuine,
    CheckpointOverdue,
    CheckpointsRolledBack,
    JournalRolledBack,
    KeyNotVouchedFor,
    RaisedAlarm,
    RecordForked,
    TwoControllers,
    WitnessFileCut,
)
from shoe_controller.process.lines_file import Started
from shoe_controller.witness.lines import (
    AlarmRaised,
    AnyLine,
    CheckpointSeen,
    ControllerSeen,
    HeadSeen,
    digest_of,
)

K = TypeVar("K")
V = TypeVar("V")

NONE = -1
"""The index before the first checkpoint."""

MOST_HEADS, MOST_CHECKPOINTS, MOST_STARTS = 2000, 10_000, 1000
"""Remembered of each journal, of each journal, and of each table; older ones are in the file alone."""

MOST_WAITING = 200
"""Heads of one journal that wait to be written; further ones displace the newest, so that they cannot fill the disk."""

MOST_JOURNALS = 100
"""Of one table. Further ones are not remembered, so that made-up ones cannot displace those that were seen."""

MOST_STARTS_AN_HOUR = 20
"""Starts of a table's controller that are written within an hour."""

HOUR = 3_600_000
"""In milliseconds."""

SAME_ALARM_AGAIN = HOUR
"""Milliseconds after which the same alarm is raised again, if its cause is still there."""

LIKE_ALARM_AGAIN = 60_000
"""Milliseconds between two alarms of one kind about one table, so that its messages cannot fill the disk."""


class SeenStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What a witness reads of a status."""

    online: bool
    session: int
    start: str = ""
    journal: str = ""
    head: Annotated[str, Meta(pattern="^([0-9]{1,18}:[0-9a-f]{64})?$")] = ""


class JournalSeen:
    """What was seen of one journal."""

    def __init__(self) -> None:
        self.heads: dict[int, str] = {}
        """Hashes of records, by number, of the newest that were seen."""
        self.newest = 0
        """The largest number of a head that was seen."""
        self.checkpoint: Checkpoint | None = None
        """The newest one that is kept."""
        self.signatures: dict[int, str] = {}
        """Of the newest checkpoints, by index."""
        self._waiting: list[tuple[int, str]] = []
        """Numbers and hashes of heads that are not written yet."""
        self._session = 0
        """Of the newest of them."""

    @property
    def index(self) -> int:
        return NONE if self.checkpoint is None else self.checkpoint.index

    def keep_hash(self, number: int, digest: str) -> None:
        self.heads[number] = digest
        _trim(self.heads, MOST_HEADS)

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.signatures[checkpoint.index] = checkpoint.signature
        _trim(self.signatures, MOST_CHECKPOINTS)
        self.keep_hash(checkpoint.number, checkpoint.hash)

    def take_head(self, number: int, digest: str) -> None:
        """Follow the journal on from here; where it was set back, what was seen beyond it does not count any more."""
        if number <= self.newest:
            self.heads = {known: seen for known, seen in self.heads.items() if known < number}
        self.newest = number
        self.keep_hash(number, digest)

    def let_wait(self, number: int, digest: str, session: int) -> None:
        """Keep a head to be written."""
        if len(self._waiting) == MOST_WAITING:
            self._waiting.pop()
        self._waiting.append((number, digest))
        self._session = session

    def take_waiting(self, table: str, journal: str) -> Iterator[HeadSeen]:
        """All heads that wait, as one line."""
        if self._waiting:
            *earlier, (number, digest) = self._waiting
            self._waiting = []
            yield HeadSeen(
                table=table,
                journal=journal,
                session=self._session,
                head=f"{number}:{digest}",
                earlier=tuple(each for each, _ in earlier),
                digest=digest_of(each for _, each in earlier),
            )


class Judgement:
    """One table. Every method returns the lines to be written, alarms included; `now` is in wall-clock milliseconds."""

    def __init__(self, table: str, heads_every: int) -> None:
        """`heads_every` are the seconds between two lines with heads in the file."""
        self.table = table
        self.journal = ""
        """The current one, by the last status that counted."""
        self.session = 0
        self.head = ""
        self.alarms: list[RaisedAlarm] = []
        """Those that nobody has acknowledged."""
        self._journals: dict[str, JournalSeen] = {}
        self._heads_every = heads_every * 1000
        self._head_written = 0
        self._starts: dict[str, None] = {}
        self._start = ""
        self._starts_written: deque[int] = deque(maxlen=MOST_STARTS_AN_HOUR)
        self._raised: dict[str, tuple[AnyWitnessAlarm, int]] = {}
        """The last alarm of each kind, and when."""

    def of(self, journal: str) -> JournalSeen:
        seen = self._journals.get(journal)
        if seen is None:
            seen = JournalSeen()
            if len(self._journals) < MOST_JOURNALS:
                self._journals[journal] = seen
        return seen

    @property
    def current(self) -> JournalSeen:
        return self.of(self.journal)

    # --- what the file has -------------------------------------------------------------------------------------------

    def remember(self, line: AnyLine) -> None:
        """A line that was written, now or before this start."""
        match line:
            case Started():
                self.alarms = [alarm for alarm in self.alarms if alarm.line > line.acknowledged]
            case ControllerSeen():
                self.journal, self.session = line.journal, max(self.session, line.session)
                self._take_start(line.start)
                self.of(line.journal)
            case HeadSeen():
                self.of(line.journal).take_head(*_read_head(line.head))
                self.session = max(self.session, line.session)
                self._head_written = line.time
                if line.journal == self.journal:
                    self.head = line.head
            case CheckpointSeen() if not line.disputed:
                self.of(line.checkpoint.journal).keep_checkpoint(line.checkpoint)
            case AlarmRaised():
                self.alarms.append(RaisedAlarm(line=line.line, time=line.time, alarm=line.alarm))
                self._raised[line.alarm.code] = line.alarm, line.time
            case _:
                pass

    # --- what comes --------------------------------------------------------------------------------------------------

    def status(self, status: SeenStatus, *, retained: bool, now: int) -> Iterator[AnyLine]:
        """Judge a status; `retained` says whether the broker had kept it when we subscribed."""
        just_published = status.online and not retained
        counts = status.session > self.session or just_published
        if not status.journal:
            return
        known = status.journal in self._journals
        if counts:
            yield from self._controller(status, known=known, just_published=just_published, now=now)
        if status.head:
            yield from self._head(status, counts=counts, now=now)

    def _controller(self, status: SeenStatus, *, known: bool, just_published: bool, now: int) -> Iterator[AnyLine]:
        came_back = status.start in self._starts and status.start != self._start
        if came_back and just_published:
            yield from self.alarm(TwoControllers(start=status.start, other=self._start), now)
        full = len(self._starts_written) == MOST_STARTS_AN_HOUR and abs(now - self._starts_written[0]) < HOUR
        if (status.start not in self._starts or not known) and not full:
            self._starts_written.append(now)
            yield ControllerSeen(table=self.table, journal=status.journal, start=status.start, session=status.session)
        self.journal, self.session = status.journal, max(self.session, status.session)
        self.of(status.journal)
        self._take_start(status.start)

    def _take_start(self, start: str) -> None:
        if start:
            self._start = start
            self._starts[start] = None
            _trim(self._starts, MOST_STARTS)

    def _head(self, status: SeenStatus, *, counts: bool, now: int) -> Iterator[AnyLine]:
        seen, (number, digest) = self.of(status.journal), _read_head(status.head)
        contradictions: list[AnyWitnessAlarm] = []
        if counts and number < seen.newest:
            contradictions.append(JournalRolledBack(journal=status.journal, number=number, known=seen.newest))
        if seen.heads.get(number, digest) != digest:
            contradictions.append(RecordForked(journal=status.journal, number=number))
        if not contradictions and number <= seen.newest:
            return
        if not contradictions:
            seen.let_wait(number, digest, status.session)
        else:
            yield from self.heads_now()
            alarms = [alarm for each in contradictions for alarm in self.alarm(each, now)]
            if alarms:
                yield HeadSeen(table=self.table, journal=status.journal, session=status.session, head=status.head)
                yield from alarms
        seen.take_head(number, digest)
        self.head = status.head
        yield from self.tick(now)

    def tick(self, now: int) -> Iterator[AnyLine]:
        """The heads that wait, if it is time to write them."""
        if abs(now - self._head_written) >= self._heads_every:
            for line in self.heads_now():
                yield line
                self._head_written = now

    def heads_now(self) -> Iterator[AnyLine]:
        """The heads that wait, also before the witness ends."""
        for journal, seen in list(self._journals.items()):
            yield from seen.take_waiting(self.table, journal)

    def checkpoint(self, checkpoint: Checkpoint, now: int) -> Iterator[AnyLine]:
        """The next checkpoint of its journal, or one that comes again."""
        journal, index = checkpoint.journal, checkpoint.index
        seen = self.of(journal)
        if index in seen.signatures:
            if seen.signatures[index] != checkpoint.signature:
                yield from self._disputed(checkpoint, CheckpointForked(journal=journal, index=index), now)
            return
        if not signed.is_genuine(msgspec.convert(checkpoint, signed.Checkpoint, from_attributes=True)):
            yield from self._disputed(checkpoint, CheckpointNotGenuine(journal=journal, index=index), now)
            return
        if seen.checkpoint is not None and index <= seen.checkpoint.index:
            return
        wrong = list(self._contradictions(checkpoint, seen))
        seen.keep_checkpoint(checkpoint)
        yield CheckpointSeen(table=self.table, checkpoint=checkpoint)
        for alarm in wrong:
            yield from self.alarm(alarm, now)

    def _contradictions(self, checkpoint: Checkpoint, seen: JournalSeen) -> Iterator[AnyWitnessAlarm]:
        journal, index = checkpoint.journal, checkpoint.index
        if not self._is_vouched_for(checkpoint, seen):
            yield KeyNotVouchedFor(journal=journal, index=index)
        if seen.heads.get(checkpoint.number, checkpoint.hash) != checkpoint.hash:
            yield RecordForked(journal=journal, number=checkpoint.number)
        if seen.checkpoint is not None and checkpoint.number <= seen.checkpoint.number:
            yield JournalRolledBack(journal=journal, number=checkpoint.number, known=seen.checkpoint.number)

    def _is_vouched_for(self, checkpoint: Checkpoint, seen: JournalSeen) -> bool:
        """Whether a key that was seen before names this one; what was never seen cannot contradict it."""
        before = seen.checkpoint
        if before is not None:
            return before.index + 1 != checkpoint.index or before.next_key == checkpoint.key
        if checkpoint.succeeds is not None:
            before = self.of(checkpoint.succeeds.journal).checkpoint
            if before is not None:
                expected = before.index + 1, before.next_key
                return (checkpoint.succeeds.index, checkpoint.key) == expected
        # The first key of all is trusted when it is seen first; a new journal's needs the old one's signature.
        return all(
            other.checkpoint is None for journal, other in self._journals.items() if journal != checkpoint.journal
        )

    def _disputed(self, checkpoint: Checkpoint, alarm: AnyWitnessAlarm, now: int) -> Iterator[AnyLine]:
        for line in self.alarm(alarm, now):
            yield CheckpointSeen(table=self.table, checkpoint=checkpoint, disputed=True)
            yield line

    # --- what does not come ------------------------------------------------------------------------------------------

    def newest_checkpoint(self, journal: str, newest: int, now: int) -> Iterator[AnyLine]:
        """The table says which checkpoint its newest is."""
        seen = self.of(journal)
        if newest < seen.index:
            yield from self.alarm(CheckpointsRolledBack(journal=journal, index=newest, known=seen.index), now)

    def missing(self, index: int, now: int) -> Iterator[AnyLine]:
        yield from self.alarm(CheckpointMissing(journal=self.journal, index=index), now)

    def overdue(self, now: int) -> Iterator[AnyLine]:
        yield from self.alarm(CheckpointOverdue(journal=self.journal, index=self.current.index), now)

    def file_cut(self, line: int, now: int) -> Iterator[AnyLine]:
        yield from self.alarm(WitnessFileCut(line=line), now)

    def alarm(self, alarm: AnyWitnessAlarm, now: int) -> Iterator[AnyLine]:
        last, when = self._raised.get(alarm.code, (None, 0))
        pause = SAME_ALARM_AGAIN if last == alarm else LIKE_ALARM_AGAIN
        if last is None or abs(now - when) >= pause:
            self._raised[alarm.code] = alarm, now
            yield AlarmRaised(table=self.table, alarm=alarm)


def _read_head(text: str) -> tuple[int, str]:
    number, _, digest = text.partition(":")
    return int(number), digest


def _trim(known: dict[K, V], most: int) -> None:
    """Forget the oldest."""
    while len(known) > most:
        del known[next(iter(known))]
