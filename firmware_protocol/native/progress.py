"""Which event the controller expects next, which it has stored, and what is missing. No bytes are sent from here.

Theory. Events have numbers without holes. `expected` is the next one to deliver; `stored` is the last one that the
owner committed, and what the shoe gets as ACK. Between them are deliveries that are not stored yet. A number below
`expected` is a duplicate; one above it means that a frame was lost on the line, and one NAK asks the shoe to go back.

That holds while the shoe counts as we do. Its STATUS may show that it does not: it no longer holds what we expect, it
does not know the event that we stored last, or its numbers have gone back. Then events were lost: a gap is reported,
and we count on from the oldest event that it does hold. What it sends then may be something that we know, or something
new under a number that we know: `recent` tells by the content, and both are delivered, so that nothing is acknowledged
that was not stored.

A shoe may also be wiped without a sign of it in STATUS, where its boot id repeats and it holds the number of the event
that we stored last. So a session does not begin with the name of that event but with what the shoe holds: if it holds
events that are stored, `comparison` tells whether it does, before any of them is acknowledged.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple, get_args

import msgspec

from firmware_protocol.events import AnyShoeEvent, CardDrawn, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import Delivery, EventGap, ImpossibleAge, LinkReport, LinkUsageError
from firmware_protocol.native.ages import PLAIN_MS, Ages, is_impossible, misses
from firmware_protocol.native.comparison import Compared, Comparison
from firmware_protocol.native.counts import LinkCounts
from firmware_protocol.native.event_layouts import cards_leaving, decode_event
from firmware_protocol.native.messages import EVENT_FRAME, WINDOW, ShoeStatus
from firmware_protocol.native.recent import RecentEvents
from firmware_protocol.native.session import FRAME_TAG_BYTES

MIN_EVENT = EVENT_FRAME.size + FRAME_TAG_BYTES
_fields_of = EVENT_FRAME.unpack_from
_PAYLOAD = slice(EVENT_FRAME.size, -FRAME_TAG_BYTES)
_CardEvent = CardDrawn | DoubleFeed | Misread | ForeignCard
_CARD_EVENTS = get_args(_CardEvent)


class LastCommitted(msgspec.Struct, frozen=True, kw_only=True):
    """The last event in the journal, which the link needs after a restart of the controller."""

    boot_id: int
    sequence: int
    total: int | None = None
    """The last card total among the events up to it; `None` if no card event was among them."""


def remember(memory: bytes) -> LastCommitted:
    """Decode what `NativeController.memory` returned, for the next controller's constructor."""
    return msgspec.json.decode(memory, type=LastCommitted)


_WIPED = "the shoe has lost its count of power-ups, and perhaps its events with it: its numbers mean something else now"


class Beginning(NamedTuple):
    """How a session began."""

    named: bool
    """PROOF named the last event stored."""
    repeats: bool
    """The shoe begins its sessions as it did before, so its power-ups, and perhaps its events, do too."""


class _Unstored(NamedTuple):
    """A delivery that is not stored yet."""

    delivery: Delivery
    total: int | None
    """The card total after it."""


class Progress:
    def __init__(
        self,
        stored: LastCommitted | None,
        counts: LinkCounts,
        *,
        recent: Iterable[Delivery] = (),
        perhaps_another: bool = False,
    ) -> None:
        self._counts = counts
        self._perhaps_another = perhaps_another
        """Another shoe may have taken the place of the one whose event was stored last: it counts for itself."""
        self.stored = stored
        """In this count; after a restart of the count there is none at first."""
        self._expected = 0 if stored is None else stored.sequence + 1
        """0 until the first STATUS, when nothing is stored."""
        self._total = None if stored is None else stored.total
        self._unstored: deque[_Unstored] = deque()
        """In order; those of an earlier count first."""
        self._of_old_count = 0
        """How many of them are from before the last restart of the count: the owner still commits them."""
        self._counted_anew = False
        self._recent = RecentEvents(recent)
        self._comparison: Comparison | None = None
        """While the shoe holds events that are stored, and it is not certain yet that they are the same."""
        self._boot_id = 0
        """The present power-up."""
        self._before_power_up = 0
        """Events below this number happened before it: a STATUS of an earlier power-up has told of them."""
        self._session_from = 0
        """The event that was expected when the session began."""
        self.ages = Ages()
        self._nak_for = 0
        self._cannot_tell = False
        """It was reported in this session that what the shoe holds cannot be compared."""
        self.ack_due = False
        self.nak_due = False

    @property
    def missing(self) -> int:
        """The event to be sent next."""
        return self._expected if self._comparison is None else self._comparison.upcoming

    @property
    def last_stored(self) -> tuple[int, int]:
        """Boot id and sequence of the last event stored; zeros for none."""
        return (0, 0) if self.stored is None else (self.stored.boot_id, self.stored.sequence)

    @property
    def acknowledged(self) -> tuple[int, int]:
        """What ACK names: the same, once it is certain that the shoe means the same event by it."""
        return self.last_stored if self._comparison is None else self._comparison.acknowledged

    @property
    def can_compare(self) -> bool:
        """Whether it is known what the last event stored was, rather than its name alone."""
        return self.stored is not None and self._recent.last(self.stored.sequence) is not None

    def new_session(self, boot_id: int, proof_sent: float) -> None:
        self._comparison = None
        if boot_id != self._boot_id:
            self._before_power_up = self.ages.looks_from
        self._boot_id = boot_id
        self._session_from = self._expected
        self.ages.session_began(proof_sent)
        self._nak_for = 0
        self.ack_due = True
        self.nak_due = False

    def take_event(self, body: bytes, now: float, out: list[Delivery | LinkReport]) -> None:
        """Handle an authenticated EVENT frame of at least `MIN_EVENT` bytes."""
        _, _, boot_id, sequence, age_ms, kind = _fields_of(body)
        if self._comparison is not None and self._compares(
            self._comparison, boot_id, sequence, decode_event(kind, body[_PAYLOAD]), out
        ):
            return
        if sequence > self._expected:
            if self._nak_for != self._expected:
                self._nak_for = self._expected
                self.nak_due = True
            return
        event = decode_event(kind, body[_PAYLOAD])
        if sequence < self._expected and not self._is_another(boot_id, sequence, event, out):
            self._counts.duplicates += 1
            if self.stored is not None and sequence <= self.stored.sequence:
                self.ack_due = True
            return
        if len(self._unstored) >= WINDOW:
            self._counts.held_back += 1
            return
        self._compare_power_ups(boot_id, sequence, out)
        age = age_ms / 1000
        if age_ms > PLAIN_MS or sequence < self.ages.looks_from:
            age = self._believed_age(boot_id, sequence, age, now, out)
        again = self._recent.comes_again(boot_id, sequence, event)
        if again:
            self._counts.duplicates += 1
        elif isinstance(event, _CARD_EVENTS):
            self._count_cards(event, out)
        self._expected = sequence + 1
        self._recent.add(boot_id, sequence, event)
        delivery = Delivery(event=event, sequence=sequence, boot_id=boot_id, age=age, again=again)
        self._unstored.append(_Unstored(delivery, self._total))
        out.append(delivery)

    def _compares(
        self,
        comparison: Comparison,
        boot_id: int,
        sequence: int,
        event: AnyShoeEvent,
        out: list[Delivery | LinkReport],
    ) -> bool:
        """Compare an event with the stored one of its number. False if it is another one: then it is taken as new."""
        _, last_stored = self.last_stored
        match comparison.take(boot_id, sequence, event, last_stored):
            case Compared.EARLY if self._nak_for != comparison.upcoming:
                self._nak_for = comparison.upcoming
                self.nak_due = True
            case Compared.UNKNOWN if not self._cannot_tell:
                self._cannot_tell = True
                reason = (
                    f"the shoe holds events from {comparison.oldest} on, too long ago to be compared with what is "
                    "stored: none is acknowledged; empty the shoe's memory"
                )
                out.append(EventGap(expected=self._expected, received=comparison.oldest, reason=reason))
            case Compared.ANOTHER:
                self._comparison = None
                if comparison.perhaps_another:
                    self._total = None
                else:
                    reason = f"event {sequence} came as another one than was stored: the shoe's store was wiped"
                    out.append(EventGap(expected=self._expected, received=comparison.oldest, reason=reason))
                self._count_anew(comparison.oldest)
                return False
            case Compared.SAME:
                self._comparison = None
        self.ack_due |= self._comparison is None or sequence <= comparison.acknowledged[1]
        return True

    def _is_another(self, boot_id: int, sequence: int, event: AnyShoeEvent, out: list[Delivery | LinkReport]) -> bool:
        """Whether this is not the event that was delivered under its number: then count on from it."""
        if not self._recent.contradicts(boot_id, sequence, event):
            return False
        reason = f"event {sequence} came again as another one: the shoe has lost events, and counts anew"
        out.append(EventGap(expected=self._expected, received=sequence, reason=reason))
        self._count_anew(sequence)
        return True

    def _compare_power_ups(self, boot_id: int, sequence: int, out: list[Delivery | LinkReport]) -> None:
        """Where the shoe had another event of that number before its power-up, that one is lost: count on from this."""
        if boot_id == self._boot_id and sequence < self._before_power_up:
            reason = f"event {sequence} was another one before the shoe was switched on: its store was wiped"
            out.append(EventGap(expected=self._expected, received=sequence, reason=reason))
            self._count_anew(sequence)

    def _believed_age(
        self, boot_id: int, sequence: int, age: float, now: float, out: list[Delivery | LinkReport]
    ) -> float:
        limits = self.ages.limits(sequence, now)
        if not misses(age, limits):
            return age
        believed = min(max(age, limits.least), limits.most)
        if is_impossible(age, limits) and (age > believed or boot_id == self._boot_id):
            # Of an event from before its power-up, a shoe knows only that it is older than that.
            out.append(ImpossibleAge(sequence=sequence, reported=age, taken_as=believed))
        return believed

    def _count_cards(self, event: _CardEvent, out: list[Delivery | LinkReport]) -> None:
        counted = event.total
        if self._total is not None:
            reckoned = self._total + cards_leaving(event)
            if counted != reckoned:
                out.append(
                    EventGap(
                        expected=reckoned,
                        received=counted or 0,
                        reason="the shoe's card total jumped: cards have left it without an event",
                    )
                )
        self._total = counted

    def take_status(
        self,
        status: ShoeStatus,
        now: float,
        out: list[Delivery | LinkReport],
        begins: Beginning | None = None,
    ) -> None:
        """Handle a STATUS; the first of a session also says whether the shoe recognises the event that PROOF named."""
        if self._expected == 0:
            self._expected = status.oldest
        repeats = begins is not None and begins.repeats
        reason = _WIPED if repeats else self._why_counting_anew(status, first=begins is not None)
        perhaps_another, self._perhaps_another = self._perhaps_another, False
        if reason is not None:
            if perhaps_another:
                self._total = None  # it is another shoe, which counts its own cards
            else:
                out.append(EventGap(expected=self._expected, received=status.oldest, reason=reason))
            self._count_anew(status.oldest)
        elif (
            not self._must_compare(status, begins, perhaps_another=perhaps_another)
            and status.upcoming == self._expected
        ):
            if self._total not in (None, status.card_total):
                out.append(
                    EventGap(
                        expected=self._total or 0,
                        received=status.card_total,
                        reason="the shoe's card total differs from that of its events",
                    )
                )
            self._total = status.card_total
        self.ages.status_came(status, now)

    def _must_compare(self, status: ShoeStatus, begins: Beginning | None, *, perhaps_another: bool) -> bool:
        """Whether the shoe holds events that are stored and not known to be the same."""
        _, last_stored = self.last_stored
        if begins is not None and not begins.named and status.oldest <= last_stored:
            self._comparison = Comparison(status.oldest, self._recent, perhaps_another=perhaps_another)
            self._cannot_tell = False
        elif self._comparison is not None and status.oldest > last_stored:
            self._comparison = None
        elif self._comparison is not None:
            self._comparison.gone_up_to(status.oldest)
        return self._comparison is not None

    def _why_counting_anew(self, status: ShoeStatus, *, first: bool) -> str | None:
        if status.oldest > self._expected:
            return f"the shoe no longer holds events {self._expected} to {status.oldest - 1}"
        if status.upcoming < self._expected:
            return f"the shoe's numbers have gone back to {status.upcoming}: it has lost events or its whole store"
        if first and self.stored is not None and not status.recognised:
            return (
                f"the shoe does not recognise event {self.stored.sequence} of power-up {self.stored.boot_id:08X}, "
                "which was stored last: its store was wiped, or it is another shoe"
            )
        return None

    def _count_anew(self, oldest: int) -> None:
        self._comparison = None
        self._recent.count_anew()
        self.stored = None
        self._of_old_count = len(self._unstored)
        self._expected = self._session_from = oldest
        self._before_power_up = 0
        self._counted_anew = True
        self.ages.counted_anew()

    def after(self, delivery: Delivery) -> LastCommitted:
        """The last committed event once this delivery is stored."""
        for unstored in self._unstored:
            if unstored.delivery is delivery:
                return _last(unstored)
        raise LinkUsageError(f"event {delivery.sequence} is not delivered, or was committed since")

    def committed(self, delivery: Delivery, now: float) -> None:
        if not any(unstored.delivery is delivery for unstored in self._unstored):
            if not self._counted_anew and (self.stored is None or delivery.sequence > self.stored.sequence):
                raise LinkUsageError(f"event {delivery.sequence} was committed but is not delivered")
            return
        unstored = self._unstored.popleft()
        while unstored.delivery is not delivery:
            self._of_old_count -= 1
            unstored = self._unstored.popleft()
        self._of_old_count -= 1
        if self._of_old_count < 0:
            # What an earlier count delivered is stored too, but its numbers mean something else to the shoe now.
            self._of_old_count = 0
            self.stored = _last(unstored)
            self.ack_due = True
            if delivery.sequence >= self._session_from:
                self.ages.acknowledged(delivery.sequence, now)


def _last(stored: _Unstored) -> LastCommitted:
    delivery = stored.delivery
    if delivery.boot_id is None:
        raise LinkUsageError("a native event has the number of its power-up")
    return LastCommitted(boot_id=delivery.boot_id, sequence=delivery.sequence, total=stored.total)
