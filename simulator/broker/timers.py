"""Timers of the core: items to be checked again, and when."""

import heapq
from collections.abc import Hashable, Iterator
from itertools import count
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class Agenda(Generic[Thing]):
    """Items with the earliest time at which each is due.

    The caller decides whether there is anything to do yet, and schedules the item again if not.
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, int]] = []
        self._things: dict[int, Thing] = {}
        self._entries: dict[Thing, tuple[float, int]] = {}
        self._number = count()

    def enter(self, thing: Thing, when: float) -> None:
        """Schedule an item, unless it is already due earlier."""
        if thing in self._entries:
            if self._entries[thing][0] <= when:
                return
            self.strike(thing)
        entry = (when, next(self._number))
        self._entries[thing], self._things[entry[1]] = entry, thing
        heapq.heappush(self._times, entry)

    def strike(self, thing: Thing) -> None:
        """Remove an item. Its time stays in the heap and is ignored when it comes."""
        entry = self._entries.pop(thing, None)
        if entry is not None:
            del self._things[entry[1]]

    def next_time(self) -> float | None:
        while self._times and self._times[0][1] not in self._things:
            heapq.heappop(self._times)
        return self._times[0][0] if self._times else None

    def due(self, now: float) -> Iterator[Thing]:
        """Remove and yield the items that are due, earliest first."""
        while (when := self.next_time()) is not None and when <= now:
            thing = self._things[self._times[0][1]]
            self.strike(thing)
            yield thing
