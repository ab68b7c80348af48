"""The last events that were delivered, by which one that comes again is recognised: by its content, not by its number.

A shoe whose memory was wiped counts from 1 again, and a shoe without a random source may then repeat the number of its
power-up too. What it sends is new, and bears the name of something old.
"""

from collections import deque
from collections.abc import Iterable

from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.link import Delivery

MOST_RECENT = 1024
"""Events: the places of a sensible store, so that a shoe that counts from 1 again and holds the number of the last
event stored holds nothing that could not be compared."""


class RecentEvents:
    def __init__(self, stored: Iterable[Delivery] = ()) -> None:
        """`stored`: what the journal had last, in order, what came again included.

        Where a number does not follow the one before, the shoe was counted anew: so a controller that is started
        while events come again still knows the rest of them.
        """
        self._events: deque[tuple[int | None, int, AnyShoeEvent]] = deque(maxlen=MOST_RECENT)
        self._old: dict[tuple[int | None, int], AnyShoeEvent] = {}
        """By power-up and number: the events before the present count that have not come again in it."""
        before = None
        for delivery in stored:
            if before is not None and delivery.sequence != before + 1:
                self.count_anew()
            self.comes_again(delivery.boot_id, delivery.sequence, delivery.event)
            self.add(delivery.boot_id, delivery.sequence, delivery.event)
            before = delivery.sequence

    def add(self, boot_id: int | None, sequence: int, event: AnyShoeEvent) -> None:
        self._events.append((boot_id, sequence, event))

    def count_anew(self) -> None:
        """From here on, what was delivered until now may come again."""
        self._old = {(boot_id, sequence): event for boot_id, sequence, event in self._events}

    def comes_again(self, boot_id: int | None, sequence: int, event: AnyShoeEvent) -> bool:
        """Whether this event was delivered in an earlier count, and not yet in this one. True once."""
        return bool(self._old) and self._old.pop((boot_id, sequence), None) == event

    def last(self, sequence: int) -> tuple[int | None, AnyShoeEvent] | None:
        """Power-up and content of the last event of this number; `None` if there was none, or too long ago."""
        for boot_id, known_sequence, event in reversed(self._events):
            if known_sequence == sequence:
                return boot_id, event
        return None

    def contradicts(self, boot_id: int, sequence: int, event: AnyShoeEvent) -> bool:
        """Whether the last event of this number was another one."""
        return self.last(sequence) not in (None, (boot_id, event))
