"""The controller's end of a line on which a reader sends one id per card.

It only listens. The reader keeps nothing, sends nothing twice and waits for nothing, so there is nothing to
acknowledge: `committed` only advances the state that decides what is a repeat. Whatever a line says that is not an id,
a card may have left the shoe: nothing is passed over without a report.

Neighbours: `splitting.py` finds the lines, `pattern.py` the id in a line, `cards_file.py` the card of an id,
`flood.py` tells noise from cards that cannot be read, `shoe.py` is the other end.
"""

import math
from collections import deque

import msgspec

from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardReadAgain,
    CutCard,
    FaultCode,
    ForeignCard,
    LineLook,
    LinkDownCause,
    Misread,
)
from firmware_protocol.lines.cards_file import CardIds, KnownCard
from firmware_protocol.lines.flood import Flood
from firmware_protocol.lines.pattern import Id, Ignored, LinePattern, NotAnId, Unread
from firmware_protocol.lines.splitting import MAX_LINE, DamagedLine, Line, LineReader
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    EventGap,
    LineError,
    LineQuality,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
)
from firmware_protocol.pace import CARD_TAKES, JOINING, CardPace, held_up_reason
from firmware_protocol.recognition import LineRecognition

QUIET_AFTER = 1.0
"""Seconds of silence after which the rest of a line is not waited for any more."""

REPEAT_WITHIN = 2.0
"""Seconds after a reading in which the same id is taken for the same reading, unless the site sets another time."""


UNREAD_AT_ONCE = 4
"""Lines without the id of a known card that may come at once and count as a card each."""
AGAIN_AT_ONCE = 64
"""Repeats of faces that may come at once: after an outage, those of a dozen rounds."""
CARDS_PER_SECOND = 1.0
"""As many more of either kind may come as time passes."""


class RecentReading(msgspec.Struct, frozen=True, array_like=True):
    what: str
    ago: float
    """Seconds before the delivery it is stored with."""


class LinesState(msgspec.Struct, frozen=True, kw_only=True):
    """All state that must survive a restart of the controller. Its JSON is stored together with its events."""

    delivered: int = 0
    """Number of the newest delivery. The wire has no numbers: this one is the controller's own."""
    recent: tuple[RecentReading, ...] = ()
    """What was read just before, so that it is known again."""


NOTHING_RECEIVED = LinesState()


def remember(memory: bytes) -> LinesState:
    """Decode what `LinesController.memory` returned, for the next controller's constructor."""
    return msgspec.json.decode(memory, type=LinesState)


class _Reading(msgspec.Struct):
    at: float
    noted: bool = False
    """A repeat of it is on the record."""


class _Pending(msgspec.Struct):
    """A delivery that is not stored yet, and the link's state once it is."""

    delivery: Delivery
    state: LinesState


class LinesController:
    """See `ControllerLink`. `state` is the last committed state, `state_age` its age in seconds."""

    def __init__(  # noqa: PLR0913 -- most have a default, and all are given by name
        self,
        *,
        cards: CardIds,
        pattern: LinePattern,
        repeat_within: float = REPEAT_WITHIN,
        card_takes: float = CARD_TAKES,
        state: LinesState = NOTHING_RECEIVED,
        state_age: float = 0.0,
    ) -> None:
        self.repeats = 0
        """Number of readings that repeated one before."""
        self._cards = cards
        self._pattern = pattern
        self._repeat_within = repeat_within
        self._reader = LineReader()
        self._recognition = LineRecognition(LineLook.LINES)
        self._means_something = False
        """Whether a line among those that came last was one of this reader."""
        self._committed = state
        self._delivered = state.delivered
        self._state_age: float | None = state_age
        """Held until the first connection gives the current time."""
        self._readings: dict[str, _Reading] = {}
        self._pending: deque[_Pending] = deque()
        self._connected_at: float | None = None
        self._up_reported = False
        self._joining = True
        """No line has ended since the port was opened: what comes first may be the rest of one."""
        self._given_up: bytes | None = None
        """What came of a line whose rest was not waited for, and may still come; `None` once another line has ended."""
        self._unread = Flood(most=UNREAD_AT_ONCE, per_second=CARDS_PER_SECOND, quiet_after=QUIET_AFTER)
        """Lines without the id of a known card."""
        self._again = Flood(most=AGAIN_AT_ONCE, per_second=CARDS_PER_SECOND, quiet_after=QUIET_AFTER)
        """Repeats of a face."""
        self._pace = CardPace(card_takes)
        self._last_byte_at = 0.0
        self._whole = 0
        self._damaged_lines = 0

    @property
    def state(self) -> LinesState:
        """The last committed state, for the next controller's constructor."""
        return self._committed

    def connected(self, now: float) -> None:
        if self._connected_at is not None:
            raise LinkUsageError("the line is open already: call disconnected first")
        if self._state_age is not None:
            stored_at = now - self._state_age
            self._readings = {each.what: _Reading(stored_at - each.ago) for each in self._committed.recent}
            self._state_age = None
        self._connected_at = now
        self._recognition.opened()
        self._up_reported = False
        self._joining = True
        self._given_up = None

    def disconnected(self, now: float) -> list[LinkReport]:  # noqa: ARG002 - the interface brings the time
        if self._connected_at is None:
            return []
        damaged = self._reader.give_up("the port closed")
        reports: list[LinkReport] = [] if damaged is None else [_line_error(damaged)]
        reports += self._floods_end()
        if self._up_reported:
            reports.append(LinkDown(cause=LinkDownCause.DISCONNECTED, reason="the port of the reader closed"))
        self._connected_at = None
        return reports

    def receive(self, data: bytes, now: float) -> list[Delivery | LinkReport]:
        if self._connected_at is None:
            raise LinkUsageError("bytes came from a line that is not open: call connected first")
        up: list[Delivery | LinkReport] = [*self._report_up()]
        out: list[Delivery | LinkReport] = []
        if self._reader.waiting and now >= self._last_byte_at + QUIET_AFTER:
            # The timer is late: what comes now is another line.
            out += self._give_up(now)
        if self._floods_end_at() <= now:
            out += self._floods_end()
        self._last_byte_at = now
        self._means_something = False
        for item in self._reader.read(data):
            out += self._line(item, now) if isinstance(item, Line) else self._damaged(item, now)
            self._joining = False
            self._given_up = None
        if self._means_something:
            self._recognition.understood()
        else:
            out += self._recognition.not_understood(data, now)
        cards = sum(isinstance(item, Delivery) and isinstance(item.event, CardDrawn) for item in out)
        if self._pace.held_up(cards, now):
            # Before all that came with them: none of it is of the present.
            up.append(self._gap(held_up_reason(cards), joined=now - self._connected_at <= JOINING))
        return up + out

    def memory(self, delivery: Delivery) -> bytes:
        pending = next((pending for pending in self._pending if pending.delivery == delivery), None)
        if pending is None:
            raise LinkUsageError(f"delivery {delivery.sequence} was never made, or was committed since")
        return msgspec.json.encode(pending.state)

    @property
    def unfinished(self) -> bool:
        return self._reader.unfinished

    def committed(self, delivery: Delivery, now: float) -> None:  # noqa: ARG002 - the interface brings the time
        if delivery.sequence <= self._committed.delivered:
            return
        newest = next((pending for pending in self._pending if pending.delivery == delivery), None)
        if newest is None:
            raise LinkUsageError(f"delivery {delivery.sequence} was never made")
        while self._pending and self._pending[0].delivery.sequence <= delivery.sequence:
            self._pending.popleft()
        self._committed = newest.state

    def want(self, desired: DesiredShoe, now: float) -> None:
        """Nothing can be sent to a reader."""

    def put_right(self, faults: frozenset[FaultCode], now: float) -> None:
        """Nothing can be sent to a reader."""

    def set_clock(self, unix_time: float, now: float) -> None:
        """Nothing can be sent to a reader."""

    def identify(self, seconds: int, now: float) -> bool:  # noqa: ARG002 - nothing can be sent to a reader
        return False

    @property
    def quality(self) -> LineQuality:
        return LineQuality(self._whole, self._damaged_lines, 0)

    def next_deadline(self) -> float | None:
        if self._connected_at is None:
            return None
        if not self._up_reported:
            return self._connected_at
        quiet_at = self._last_byte_at + QUIET_AFTER if self._reader.waiting else math.inf
        deadline = min(quiet_at, self._floods_end_at())
        return None if deadline == math.inf else deadline

    def tick(self, now: float) -> "list[Delivery | LinkReport]":
        if self._connected_at is None:
            return []
        out: list[Delivery | LinkReport] = [*self._report_up()]
        if self._reader.waiting and now >= self._last_byte_at + QUIET_AFTER:
            out += self._give_up(now)
        if self._floods_end_at() <= now:
            out += self._floods_end()
        return out

    def to_send(self) -> bytes:
        return b""

    def _report_up(self) -> list[LinkReport]:
        """The link is up while the port is open: between two cards a reader sends nothing by which it would show."""
        if self._up_reported:
            return []
        self._up_reported = True
        return [LinkUp(authenticated=False)]

    def _give_up(self, now: float) -> list[Delivery | LinkReport]:
        damaged = self._reader.give_up("the reader fell silent")
        out = [] if damaged is None else self._damaged(damaged, now)
        begun = b"" if damaged is None else (self._given_up or b"") + damaged.begun
        self._given_up = begun if len(begun) <= MAX_LINE else b""
        self._joining = False
        return out

    def _floods_end_at(self) -> float:
        return min(self._unread.ends_at, self._again.ends_at)

    def _floods_end(self) -> list[LinkReport]:
        """Report floods, each as one gap: nobody knows how many cards are in it, if any."""
        unread, again = self._unread.end(), self._again.end()
        reasons = (
            [f"{unread} more lines came at once without the id of a known card: noise, or cards"] if unread else []
        )
        reasons += (
            [f"{again} more repeats of faces came at once: readings of the same cards, or cards"] if again else []
        )
        return [self._gap(reason) for reason in reasons]

    def _gap(self, reason: str, *, joined: bool = False) -> EventGap:
        number = self._delivered + 1
        return EventGap(expected=number, received=number, reason=reason, joined=joined)

    def _line(self, line: Line, now: float) -> list[Delivery | LinkReport]:
        self._whole += 1
        match self._pattern.read(line.text):
            case Ignored():
                self._means_something = True
                return []
            case Unread():
                self._means_something = True
                return self._deliver_unread(Misread(), now)
            case NotAnId(reason=reason):
                return self._damaged(DamagedLine(line.offset, line.length, f"{reason} [{line.text}]"), now, line.text)
            case Id(text=reader_id):
                known = self._cards.get(reader_id)
                if known is not None:
                    self._means_something = True
                    return self._read(reader_id, known, now)
                if self._joining or self._given_up is not None:
                    reason = f"the id {reader_id!r} is in no cards file, and may be the rest of one"
                    return self._damaged(DamagedLine(line.offset, line.length, reason), now, line.text)
                return self._deliver_unread(ForeignCard(card_id=reader_id), now)

    def _damaged(self, damaged: DamagedLine, now: float, text: str = "") -> list[Delivery | LinkReport]:
        """A card left the shoe of which nothing else is known; `text` is that of the line, where it has one.

        The wire repeats nothing, so that whatever is wrong with a line cannot be made good. Only the first line may
        have begun before it was heard, and only one line may be the rest of another, whose card is counted already.
        """
        self._damaged_lines += 1
        error = _line_error(damaged)
        if self._joining:
            return [error, self._gap(f"the first line since the port was opened cannot be read: {damaged.reason}")]
        if self._given_up is None:
            return [error, *self._deliver_unread(Misread(), now)]
        whole = self._pattern.read((self._given_up + text.encode()).decode(errors="replace").strip(" \t"))
        if isinstance(whole, Id) and self._cards.get(whole.text) is not None:
            self._means_something = True
            reason = f"this is the rest of the line that was given up before: together they are the id {whole.text!r}"
            return [LineError(offset=damaged.offset, length=damaged.length, reason=reason)]
        return [
            error,
            self._gap(f"a line was broken off, and what followed may be its rest or a card: {damaged.reason}"),
        ]

    def _read(self, reader_id: str, known: KnownCard, now: float) -> list[Delivery | LinkReport]:
        # Of faces, the same one may come from two cards; of the cut card too, there is but one.
        what = reader_id if known.card is None or known.card_id is not None else known.card.value
        self._readings = {
            other: reading for other, reading in self._readings.items() if now - reading.at <= self._repeat_within
        }
        before = self._readings.get(what)
        if before is None:
            self._readings[what] = _Reading(now)
            drawn = CardDrawn(card=known.card, card_id=known.card_id, deck_set=known.deck_set)
            return [*self._floods_end(), self._deliver(CutCard() if known.card is None else drawn, now)]
        self.repeats += 1
        after_ms = round((now - before.at) * 1000)
        before.at = now
        if known.card is None or (known.card_id is not None and before.noted):
            # A card that lies under the reader is read again and again: the record has it once.
            return []
        before.noted = True
        if known.card_id is None and self._again.swallows(now):
            return []
        return [self._deliver(CardReadAgain(card=known.card, card_id=known.card_id, after_ms=after_ms), now)]

    def _deliver_unread(self, event: Misread | ForeignCard, now: float) -> list[Delivery | LinkReport]:
        return [] if self._unread.swallows(now) else [self._deliver(event, now)]

    def _deliver(self, event: AnyShoeEvent, now: float) -> Delivery:
        self._delivered += 1
        delivery = Delivery(event=event, sequence=self._delivered)
        recent = tuple(RecentReading(what, round(now - reading.at, 3)) for what, reading in self._readings.items())
        self._pending.append(_Pending(delivery, LinesState(delivered=self._delivered, recent=recent)))
        return delivery


def _line_error(damaged: DamagedLine) -> LineError:
    return LineError(offset=damaged.offset, length=damaged.length, reason=damaged.reason)
