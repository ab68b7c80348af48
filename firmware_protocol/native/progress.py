"""Which event the controller expects next, which it has stored, and what is missing. No bytes are sent from here.

Theory. Events have numbers without holes. `expected` is the next one to deliver; `stored` is the last one that the
owner committed, and what the shoe gets as ACK. Between them are deliveries that are not stored yet. A number below
`expected` is a duplicate; one above it means that a frame was lost on the line, and one NAK asks the shoe to go back.

That holds while the shoe counts as we do. Its STATUS may show that it does not: it no longer holds what we expect, it
does not know the event that we stored last, or its numbers have gone back. Then events were lost: a gap is reported,
and we count on from the oldest event that it does hold.
"""

from typing import get_args

import msgspec

from firmware_protocol.events import CardDrawn, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import Delivery, EventGap, LinkReport, LinkUsageError
from firmware_protocol.native.counts import LinkCounts
from firmware_protocol.native.event_layouts import cards_leaving, decode_event
from firmware_protocol.native.messages import EVENT_FRAME, WINDOW, ShoeStatus
from firmware_protocol.native.session import FRAME_TAG_BYTES

MIN_EVENT = EVENT_FRAME.size + FRAME_TAG_BYTES
_fields_of = EVENT_FRAME.unpack_from
_PAYLOAD = slice(EVENT_FRAME.size, -FRAME_TAG_BYTES)
_CardEvent = CardDrawn | DoubleFeed | Misread | ForeignCard
_CARD_EVENTS = get_args(_CardEvent)
_NOBODY = 0
"""A boot id is never 0."""


class LastCommitted(msgspec.Struct, frozen=True, kw_only=True):
    """The last event in the journal, which the link needs after a restart of the controller."""

    boot_id: int
    sequence: int
    total: int | None = None
    """The last card total among the events up to it; `None` if no card event was among them."""


def remember(memory: bytes) -> LastCommitted:
    """Decode what `NativeController.memory` returned, for the next controller's constructor."""
    return msgspec.json.decode(memory, type=LastCommitted)


class Progress:
    def __init__(self, stored: LastCommitted | None, counts: LinkCounts, *, perhaps_another: bool = False) -> None:
        self._counts = counts
        self._perhaps_another = perhaps_another
        """Another shoe may have taken the place of the one whose event was stored last: it counts for itself."""
        self.stored = stored
        self._outlived: LastCommitted | None = None
        """The last event stored in the old count, while none is in the new one."""
        self._expected = 0 if stored is None else stored.sequence + 1
        """0 until the first STATUS, when nothing is stored."""
        self._total = None if stored is None else stored.total
        self._delivered: dict[int, tuple[int, int | None]] = {}
        """Not stored yet: boot id and card total by sequence, in order."""
        self._of_old_count: dict[int, tuple[int, int | None]] = {}
        """The same for deliveries before the last restart of the count, which the owner may still commit."""
        self._counted_anew = False
        self._known_boot_id = _NOBODY
        self._known_up_to = 0
        """The last event delivered in the old count: what the shoe still holds up to it must not come twice."""
        self._nak_for = 0
        self.ack_due = False
        self.nak_due = False

    @property
    def expected(self) -> int:
        return self._expected

    def new_session(self) -> None:
        self._nak_for = 0
        self.ack_due = True
        self.nak_due = False

    def take_event(self, body: bytes, out: list[Delivery | LinkReport]) -> None:
        """Handle an authenticated EVENT frame of at least `MIN_EVENT` bytes."""
        _, _, boot_id, sequence, age, kind = _fields_of(body)
        if sequence != self._expected:
            self._out_of_turn(sequence)
        elif boot_id == self._known_boot_id and sequence <= self._known_up_to:
            self._known_already(boot_id, sequence)
        elif len(self._delivered) >= WINDOW:
            self._counts.held_back += 1
        else:
            event = decode_event(kind, body[_PAYLOAD])
            if isinstance(event, _CARD_EVENTS):
                self._count_cards(event, out)
            self._expected = sequence + 1
            self._delivered[sequence] = (boot_id, self._total)
            out.append(Delivery(event=event, sequence=sequence, boot_id=boot_id, age=age / 1000))

    def _out_of_turn(self, sequence: int) -> None:
        if sequence > self._expected:
            if self._nak_for != self._expected:
                self._nak_for = self._expected
                self.nak_due = True
            return
        self._counts.duplicates += 1
        if self.stored is not None and sequence <= self.stored.sequence:
            self.ack_due = True

    def _known_already(self, boot_id: int, sequence: int) -> None:
        self._counts.duplicates += 1
        self._expected = sequence + 1
        outlived = self._outlived
        if outlived is not None and boot_id == outlived.boot_id and sequence <= outlived.sequence:
            self.stored = LastCommitted(boot_id=boot_id, sequence=sequence, total=self._total)
            self.ack_due = True

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

    def take_status(self, status: ShoeStatus, *, first: bool, out: list[Delivery | LinkReport]) -> None:
        """Handle a STATUS; the `first` of a session also says whether the shoe recognises the last event we stored."""
        if self._expected == 0:
            self._expected = status.oldest
        reason = self._why_counting_anew(status, first=first)
        perhaps_another, self._perhaps_another = self._perhaps_another, False
        if reason is not None:
            if perhaps_another:
                self._total = None  # it is another shoe, which counts its own cards
            else:
                out.append(EventGap(expected=self._expected, received=status.oldest, reason=reason))
            self._count_anew(status.oldest)
        elif status.upcoming == self._expected:
            if self._total not in (None, status.card_total):
                out.append(
                    EventGap(
                        expected=self._total or 0,
                        received=status.card_total,
                        reason="the shoe's card total differs from that of its events",
                    )
                )
            self._total = status.card_total

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
        if self._delivered:
            self._known_up_to, (self._known_boot_id, _) = next(reversed(self._delivered.items()))
        elif self.stored is not None:
            self._known_up_to, self._known_boot_id = self.stored.sequence, self.stored.boot_id
        self._outlived = self._outlived or self.stored
        self.stored = None
        self._of_old_count, self._delivered = self._delivered, {}
        self._expected = oldest
        self._counted_anew = True

    def after(self, delivery: Delivery) -> LastCommitted:
        """The last committed event once this delivery is stored."""
        for delivered in (self._delivered, self._of_old_count):
            found = delivered.get(delivery.sequence)
            if found is not None and found[0] == delivery.boot_id:
                return LastCommitted(boot_id=found[0], sequence=delivery.sequence, total=found[1])
        raise LinkUsageError(f"event {delivery.sequence} is not delivered, or was committed since")

    def committed(self, delivery: Delivery) -> None:
        sequence, boot_id = delivery.sequence, delivery.boot_id
        found = self._delivered.get(sequence)
        if found is not None and found[0] == boot_id:
            if sequence == self._expected - 1:
                self._delivered.clear()
            else:
                self._delivered = {later: kept for later, kept in self._delivered.items() if later > sequence}
            self.stored = LastCommitted(boot_id=found[0], sequence=sequence, total=found[1])
            self._outlived = None
            self.ack_due = True
        elif not self._counted_anew and (self.stored is None or sequence > self.stored.sequence):
            raise LinkUsageError(f"event {sequence} was committed but is not delivered")
