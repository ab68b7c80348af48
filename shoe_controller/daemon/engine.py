"""Joins the link, the table and the journal: one input after another, each stored before anything follows from it.

    bytes ─▶ link ─▶ inbox ─▶ table.handle ─▶ journal ─▶ table.take_over, acknowledge, control, publish

Nothing is acknowledged, answered, sent or published before the commit. When a commit fails, the same entry is retried
until it succeeds: the table stands still meanwhile, the desired gate is shut, and input from the shoe waits in the
order in which it came. The controller owns no port and no broker; `daemon.py` connects it to those.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from firmware_protocol.events import CameAgain
from firmware_protocol.link import (
    ControllerLink,
    Delivery,
    DesiredShoe,
    EventGap,
    GateFailed,
    GateObeyed,
    ImpossibleAge,
    Lamp,
    LinkDown,
    LinkReport,
    LinkUp,
    Refused,
    StrangeBytes,
)
from shoe_controller.clock.moment import Moment
from shoe_controller.clock.system_clock import Clock
from shoe_controller.daemon.line_budget import LineBudget
from shoe_controller.daemon.past_rounds import ReadPast
from shoe_controller.daemon.raw_bytes import RawBytes
from shoe_controller.daemon.table_journal import entry_for
from shoe_controller.journal.errors import DamagedJournalError, FileError
from shoe_controller.journal.records import Direction, Entry, Event, Raw, Receipt
from shoe_controller.messages.acts import BLINK_SECONDS, BlinkShoe
from shoe_controller.messages.facts import AnyFact
from shoe_controller.messages.refusals import AnyRefusal, JournalFull
from shoe_controller.table.inputs import (
    AgeImpossible,
    AnyInput,
    BadShoeSection,
    ClockStepped,
    EventsMissed,
    GateAnswered,
    GateUnanswered,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LineStrange,
    LinkBack,
    LinkLost,
    NewShoeLine,
    PersonActs,
    SeatBets,
    ShoeReport,
    Snapshot,
    TimerRanOut,
)
from shoe_controller.table.state import RulesSource
from shoe_controller.table.table import Handled, Table

RETRY_STORING = 0.5
"""Seconds between two attempts to store what could not be stored."""

CLOCK_STEP_MS = 1000
"""Seconds; a wall clock that moves by more than this against the monotonic one was set."""

MOST_WAITING = 10_000
"""Inputs that may wait while nothing can be stored; a native shoe stops sending long before."""

SECOND = 1_000_000_000


class JournalWriter(Protocol):
    def submit(self, entry: Entry) -> Awaitable[Receipt]:
        """Done when the entry is on the disk; a `FileError` when it is not, and no part of it."""


class LinkMemory(msgspec.Struct, frozen=True, kw_only=True):
    """The link's state for the next start, and when it was stored."""

    wire: str
    memory: bytes
    boot: str
    mono_ns: int


class Stored(NamedTuple):
    """What was stored together, for those who publish and log it."""

    given: AnyInput
    facts: tuple[AnyFact, ...]
    events: tuple[Event, ...]
    """The facts as they were encoded and stored."""
    receipt: Receipt


class OtherShoe(NamedTuple):
    """A shoe that takes the place of the present one, when the act that says so is stored."""

    named: NewShoeLine
    link: ControllerLink
    memory: bytes | None
    """What to store as the link's state; `None` leaves it as it is."""
    take_up: Callable[[], None]


class Observer(Protocol):
    """Receives what happened, after it is stored."""

    def stored(self, stored: Stored) -> None: ...

    def line_reported(self, report: LinkReport) -> None: ...

    def storing_failed(self, error: FileError) -> None: ...

    def storing_again(self) -> None: ...


class _Work(NamedTuple):
    given: AnyInput
    at: Moment
    raw: tuple[Raw, ...] = ()
    delivery: Delivery | None = None
    memory: bytes | None = None
    """The link's state to store with it; read at once, because another shoe may reset the link's counters."""
    answer: "asyncio.Future[AnyRefusal | None] | None" = None
    link: ControllerLink | None = None
    """The link that it came from, if it came from one."""


class Engine:
    def __init__(  # noqa: PLR0913 - the parts of a controller, each given by name
        self,
        *,
        table: Table,
        link: ControllerLink,
        wire: str,
        journal: JournalWriter,
        clock: Clock,
        rules: Callable[[], RulesSource],
        read_past: ReadPast,
        read_shoe: Callable[[], OtherShoe | BadShoeSection],
        write: Callable[[bytes], None],
        observer: Observer,
    ) -> None:
        self.table = table
        self.link = link
        self.storing_trouble: str | None = None
        """Why nothing can be stored at present; `None` when storing works."""
        self._wire = wire
        self._journal = journal
        self._clock = clock
        self._boot = clock.boot()
        self._rules = rules
        self._read_past = read_past
        self._read_shoe = read_shoe
        self._write = write
        self._observer = observer
        self._inbox: deque[_Work] = deque()
        self._stirred = asyncio.Event()
        self._idle = asyncio.Event()
        self._received = RawBytes()
        self._budget = LineBudget()
        self._frames = 0
        """How many the present link has seen."""
        self._sent: list[Raw] = []
        """Bytes that go into the journal with the next entry."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        """When it goes off, in `_seconds`."""
        self._timer_asked: AnyInput | None = None
        self._line_open = False
        moment = clock.now()
        self._clock_offset = moment.wall_ms - moment.mono_ns // 1_000_000
        self._clock_told = self._clock_offset
        """The offset of which the shoe was told."""

    # --- what comes in -----------------------------------------------------------------------------------------------

    def line_opened(self) -> None:
        self._line_open = True
        self._tell_time(self._clock.now())
        self.link.connected(self._seconds())
        self._send(keep=False)
        self._arm()

    def line_closed(self) -> None:
        if self._line_open:
            self._line_open = False
            self._received.clear()
            self._take(self.link.disconnected(self._seconds()))

    def received(self, data: bytes) -> float:
        """Take what the line brought; returns for how many seconds it is to be left unread then."""
        now = self._clock.now()
        self._received.add(data, now.mono_ns)
        found = self.link.receive(data, now.mono_ns / SECOND)
        self._take(found, now)
        if not self.link.unfinished:
            # A complete frame that is not an event, such as a keep-alive, is not stored.
            self._received.clear()
        quality, before = self.link.quality, self._frames
        self._frames = quality.frames + quality.damaged
        events = sum(isinstance(item, Delivery) for item in found)
        return self._budget.pause_after(max(0, self._frames - before - events), now.mono_ns / SECOND)

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None:
        """A person's request; answered when what it led to is stored."""
        if self.storing_trouble is not None:
            return JournalFull()
        answer: asyncio.Future[AnyRefusal | None] = asyncio.get_running_loop().create_future()
        self._put(_Work(given, self._clock.now(), answer=answer))
        return await answer

    def happened(self, given: AnyInput) -> None:
        """Any other input of the table."""
        self._put(_Work(given, self._clock.now()))

    def _take(self, found: Sequence[Delivery | LinkReport], at: Moment | None = None) -> None:
        at = self._clock.now() if at is None else at
        for item in found:
            raw: tuple[Raw, ...] = ()
            if isinstance(item, Delivery):
                raw = self._received.take()
                report = ShoeReport(
                    event=CameAgain(what=item.event) if item.again else item.event,
                    sequence=item.sequence,
                    boot_id=item.boot_id,
                    age_ms=round(item.age * 1000),
                )
                self._put(_Work(report, at, raw, item, self._memory(item, at), link=self.link))
            else:
                self._observer.line_reported(item)
                given = _as_input(item)
                if given is not None:
                    self._put(_Work(given, at, link=self.link))
        self._send(keep=False)
        self._arm()

    def _put(self, work: _Work) -> None:
        # Not every line has timers: what comes first after the clock was set must find that on the record.
        self._look_at_clock(work.at)
        if len(self._inbox) >= MOST_WAITING:
            raise RuntimeError(f"{MOST_WAITING} inputs wait to be stored; the controller cannot go on safely")
        self._inbox.append(work)
        self._idle.clear()
        self._stirred.set()

    # --- one after another -------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work until cancelled. Everything that was submitted gets its answer."""
        self._arm()
        while True:
            while self._inbox:
                await self._handle(self._inbox.popleft())
            self._idle.set()
            self._stirred.clear()
            if not self._inbox:
                await self._stirred.wait()

    async def all_done(self) -> None:
        """Wait until everything that came in has been stored."""
        await self._idle.wait()

    async def _handle(self, work: _Work) -> None:
        if self._exchanges(work) and any(waiting.delivery is not None for waiting in self._inbox):
            # What the shoe has sent is stored before another takes its place: if it is the same one, it counts on.
            self._inbox.append(work)
            return
        given, other = self._complete(work)
        handled = self.table.handle(given, work.at)
        if other is not None and handled.changed:
            work = work._replace(memory=other.memory)
        if handled.changed:
            stored = await self._store(given, handled, work)
            if stored is None:
                return
            self.table.take_over(handled)
            if work.delivery is not None:
                self.link.committed(work.delivery, self._seconds())
            if other is not None:
                self._exchange(other)
            self._observer.stored(stored)
            if isinstance(given, PersonActs) and isinstance(given.act, BlinkShoe) and handled.refusal is None:
                self.link.identify(BLINK_SECONDS, self._seconds())
            self._wish()
        if isinstance(given, TimerRanOut):
            self._timer_asked = None
        if work.answer is not None and not work.answer.done():
            work.answer.set_result(handled.refusal)
        self._arm()

    def _complete(self, work: _Work) -> tuple[AnyInput, OtherShoe | None]:
        """The input with what the table cannot know: rules, earlier rounds, another shoe. And that shoe, if any."""
        given = work.given
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, work.at):
            return self.table.new_shoe(self._rules(), given), None
        if isinstance(given, PersonActs) and (meant := self.table.past_round(given)) is not None:
            return msgspec.structs.replace(given, past=self._read_past(meant, self.table.state)), None
        if isinstance(given, PersonActs) and self.table.exchanges_shoe(given):
            other = self._read_shoe()
            if isinstance(other, BadShoeSection):
                return msgspec.structs.replace(given, line=other), None
            return msgspec.structs.replace(given, line=other.named), other
        if isinstance(given, Snapshot):
            # Other inputs may have been queued before it: a change of the clock, a request.
            return Snapshot(state=self.table.state), None
        return given, None

    def _exchanges(self, work: _Work) -> bool:
        return isinstance(work.given, PersonActs) and self.table.exchanges_shoe(work.given)

    def _exchange(self, other: OtherShoe) -> None:
        """The old line is closed with what it had begun; the new one opens by itself.

        What came while the exchange was being stored is not acknowledged: the same shoe sends it again. Another one
        does not, so a person has to look.
        """
        self._line_open = False
        self._received.clear()
        unheard = any(work.delivery is not None for work in self._inbox)
        self._inbox = deque(work for work in self._inbox if work.link is None)
        if unheard:
            missed = EventsMissed(reason="the shoe reported something while it was being exchanged")
            self._inbox.appendleft(_Work(missed, self._clock.now()))
        self._wire = other.named.wire
        self.link = other.link
        other.take_up()

    async def _store(self, given: AnyInput, handled: Handled, work: _Work) -> Stored | None:
        """Store it, however long that takes. Only a person's request is not retried: it is refused."""
        sent, self._sent = tuple(self._sent), []
        entry = entry_for(given, handled, work.at, raw=(*sent, *work.raw), link_state=work.memory)
        while True:
            try:
                receipt = await self._journal.submit(entry)
            except DamagedJournalError:
                raise  # a retry would not help; `daemon.py` sets the file aside
            except FileError as error:
                self._storing_failed(error)
                if work.answer is not None:
                    _refuse(work)
                    self._sent[:0] = sent
                    # Something must be retried until there is room, and this is the event to report then.
                    self._tell_of_trouble(error.system_text)
                    return None
                await asyncio.sleep(RETRY_STORING)
            else:
                if self.storing_trouble is not None:
                    self._storing_again(given)
                return Stored(given, handled.facts, entry.events, receipt)

    def _memory(self, delivery: Delivery, at: Moment) -> bytes:
        memory = self.link.memory(delivery)
        return msgspec.json.encode(LinkMemory(wire=self._wire, memory=memory, boot=self._boot, mono_ns=at.mono_ns))

    def _storing_failed(self, error: FileError) -> None:
        if self.storing_trouble is None:
            self.storing_trouble = error.system_text
            self._observer.storing_failed(error)
            # A client that waits for an answer gets one now; the shoe's events wait.
            for work in self._inbox:
                _refuse(work)
            self._inbox = deque(work for work in self._inbox if work.answer is None)
            self._wish()

    def _storing_again(self, stored: AnyInput) -> None:
        detail = self.storing_trouble or ""
        self.storing_trouble = None
        self._observer.storing_again()
        if not (isinstance(stored, JournalFailed) and stored.trouble is JournalTrouble.FULL):
            self._tell_of_trouble(detail)

    def _tell_of_trouble(self, detail: str) -> None:
        """Put it first in the queue, before whatever else has arrived."""
        self._inbox.appendleft(_Work(JournalFailed(trouble=JournalTrouble.FULL, detail=detail), self._clock.now()))

    # --- what goes out -----------------------------------------------------------------------------------------------

    @property
    def desired_shoe(self) -> DesiredShoe:
        """The shoe state that the table desires; while nothing can be stored, the gate is shut."""
        desired = self.table.desired_shoe
        if self.storing_trouble is None:
            return desired
        return DesiredShoe(gate_locked=True, lamps=desired.lamps | {Lamp.ALERT})

    def _wish(self) -> None:
        now = self._seconds()
        self.link.want(self.desired_shoe, now)
        self.link.put_right(self.table.put_right if self.storing_trouble is None else frozenset(), now)
        self._send(keep=True)

    def _send(self, *, keep: bool) -> None:
        data = self.link.to_send()
        if data:
            self._write(data)
            if keep:
                self._sent.append(Raw(direction=Direction.TO_SHOE, data=data, mono_ns=self._clock.now().mono_ns))

    # --- time --------------------------------------------------------------------------------------------------------

    def _seconds(self) -> float:
        return self._clock.now().mono_ns / SECOND

    def _arm(self) -> None:
        """Schedule the next deadline of the link or the table."""
        deadlines = [] if (link_deadline := self.link.next_deadline()) is None else [link_deadline]
        table_deadline = self.table.next_deadline()
        if table_deadline is not None and self._timer_asked is None and self.storing_trouble is None:
            deadlines.append(table_deadline / SECOND)
        deadline = min(deadlines, default=None)
        if self._timer is not None:
            if deadline == self._timer_at:
                return
            self._timer.cancel()
            self._timer = None
        if deadline is not None:
            self._timer_at = deadline
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, deadline - self._seconds()), self._wake)

    def _wake(self) -> None:
        self._timer = None
        now = self._clock.now()
        self._look_at_clock(now)
        timer = self.table.next_timer
        if timer is not None and timer[1] <= now.mono_ns and self._timer_asked is None:
            self._timer_asked = TimerRanOut(timer=timer[0])
            self._put(_Work(self._timer_asked, now))
        self._take(self.link.tick(now.mono_ns / SECOND), now)

    def _tell_time(self, now: Moment) -> None:
        self._clock_told = now.wall_ms - now.mono_ns // 1_000_000
        self.link.set_clock(max(0, now.wall_ms) / 1000, now.mono_ns / SECOND)

    def _look_at_clock(self, now: Moment) -> None:
        offset = now.wall_ms - now.mono_ns // 1_000_000
        step = offset - self._clock_offset
        self._clock_offset = offset
        if abs(offset - self._clock_told) > CLOCK_STEP_MS:
            self._tell_time(now)
            self._send(keep=False)
        if abs(step) > CLOCK_STEP_MS:
            self._put(_Work(ClockStepped(by_ms=step), now))


def _refuse(work: _Work) -> None:
    """Refuse a request because it cannot be stored."""
    if work.answer is not None and not work.answer.done():
        work.answer.set_result(JournalFull())


def _as_input(report: LinkReport) -> AnyInput | None:  # noqa: PLR0911 - one case for each report
    match report:
        case LinkUp():
            return LinkBack(
                keeps_events=report.shoe is not None,
                authenticated=report.authenticated,
                boot_id=None if report.shoe is None else report.shoe.boot_id,
                shoe_name="" if report.shoe is None else f"{report.shoe.model} {report.shoe.serial_number}",
                nonce=report.nonce.hex(),
                can_blink=report.can_blink,
            )
        case LinkDown():
            return LinkLost(how=report.cause, reason=report.reason)
        case EventGap():
            return EventsMissed(reason=report.reason, joined=report.joined)
        case GateFailed():
            return GateUnanswered(reason=report.reason)
        case GateObeyed():
            return GateAnswered()
        case Refused():
            return LineRefused(reason=report.reason, why=report.cause)
        case StrangeBytes():
            return LineStrange(looks_like=report.looks_like)
        case ImpossibleAge():
            return AgeImpossible(
                sequence=report.sequence,
                reported_ms=round(report.reported * 1000),
                taken_ms=round(report.taken_as * 1000),
            )
    # A link recovers by itself from an error of the line; what it could not recover is reported as a gap.
    return None
