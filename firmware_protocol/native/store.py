"""What a shoe must keep over a loss of power: unacknowledged events and its two counters.

In a real shoe this is non-volatile memory. Here it is one value: save it (msgspec encodes it as JSON) and pass
it to the `NativeShoe` of the next power-up. Sequence numbers run on for the life of the store, so a number never
comes twice; the boot id beside each identifies the power-up of its event, so a wiped store is noticed.
"""

import msgspec

from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    Misread,
)
from firmware_protocol.link import LinkUsageError
from firmware_protocol.native.event_layouts import cards_leaving, encode_event


class EventStoreFullError(Exception):
    """The event was not stored. Its cards are still counted in the total, so that their loss shows."""


class StoredEvent(msgspec.Struct, frozen=True, kw_only=True):
    sequence: int
    boot_id: int
    happened: float
    """Seconds on the shoe's clock of that power-up."""
    event: AnyShoeEvent


class ShoeStore(msgspec.Struct, kw_only=True):
    capacity: int = 1024
    """Number of events. The last place is reserved for the fault that reports a full store."""
    events: list[StoredEvent] = msgspec.field(default_factory=list)
    """Not acknowledged, oldest first, numbered without a hole."""
    next_sequence: int = 1
    card_total: int = 0
    """Cards that have left the shoe in its lifetime."""
    acknowledged_boot_id: int = 0
    acknowledged_sequence: int = 0
    """The last event acknowledged by the controller."""
    full: bool = False
    """The fault was reported and is not cleared yet."""

    def __post_init__(self) -> None:
        if self.capacity < 8:
            raise LinkUsageError(f"a store of {self.capacity} events is too small: it needs at least 8")

    @property
    def oldest(self) -> int:
        """Number of the oldest event held; the next event's number when none is."""
        return self.next_sequence - len(self.events)

    def add(self, event: AnyShoeEvent, boot_id: int, now: float) -> int:
        """Store an event, with its place in the lifetime total; return its sequence number."""
        stamped = self._with_total(event)
        encode_event(stamped)  # an event that cannot be sent must not get a number
        self.card_total += cards_leaving(event)
        if len(self.events) >= self.capacity - 1 and not self.full:
            self.full = True
            self._append(Fault(code=FaultCode.EVENT_STORE_FULL, stopped=True), boot_id, now)
        if self.full:
            raise EventStoreFullError(
                f"the shoe holds {len(self.events)} unacknowledged events: stop dealing until a controller stores them"
            )
        return self._append(stamped, boot_id, now)

    def recognises(self, boot_id: int, sequence: int) -> bool:
        """Whether a controller whose last stored event is this one can go on from it; 0, 0 if it stored none."""
        if (boot_id, sequence) in ((0, 0), (self.acknowledged_boot_id, self.acknowledged_sequence)):
            return True
        place = sequence - self.oldest
        return 0 <= place < len(self.events) and self.events[place].boot_id == boot_id

    def acknowledge(self, boot_id: int, sequence: int) -> bool:
        """Delete all events up to this one, which the controller has stored. False if none of them was still held."""
        if sequence < self.oldest or not self.recognises(boot_id, sequence):
            return False
        del self.events[: sequence - self.oldest + 1]
        self.acknowledged_boot_id = boot_id
        self.acknowledged_sequence = sequence
        return True

    def clear_fault_if_room(self, boot_id: int, now: float) -> None:
        """Clear the full-store fault once the store is half empty."""
        if self.full and len(self.events) <= self.capacity // 2:
            self.full = False
            self._append(FaultCleared(code=FaultCode.EVENT_STORE_FULL), boot_id, now)

    def _append(self, event: AnyShoeEvent, boot_id: int, now: float) -> int:
        sequence = self.next_sequence
        self.events.append(StoredEvent(sequence=sequence, boot_id=boot_id, happened=now, event=event))
        self.next_sequence = sequence + 1
        return sequence

    def _with_total(self, event: AnyShoeEvent) -> AnyShoeEvent:
        if not isinstance(event, CardDrawn | DoubleFeed | Misread | ForeignCard):
            return event
        total = self.card_total + cards_leaving(event)
        if event.total not in (None, total):
            raise LinkUsageError(f"the shoe counts its cards itself: {event} says {event.total}, the store {total}")
        return msgspec.structs.replace(event, total=total)
