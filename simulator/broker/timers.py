"""Timers of the core: items to be checked again, and when."""

import heapq
from collections.abc import Hashable, Iterator
from itertools import count
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class TimerQueue(Generic[Item]):
    """Items with the earliest time at which each is due.

    The caller decides whether there is anything to do yet, and schedules the item again if not.
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, int]] = []
        self._items: dict[int, Item] = {}
        self._entries: dict[Item, tuple[float, int]] = {}
        self._number = count()

    def schedule(self, item: Item, when: float) -> None:
        """Schedule an item, unless it is already due earlier."""
        if item in self._entries:
            if self._entries[item][0] <= when:
                return
            self.remove(item)
        entry = (when, next(self._number))
        self._entries[item], self._items[entry[1]] = entry, item
        heapq.heappush(self._times, entry)

    def remove(self, item: Item) -> None:
        """Remove an item. Its time stays in the heap and is ignored when it comes."""
        entry = self._entries.pop(item, None)
        if entry is not None:
            del self._items[entry[1]]

    def next_time(self) -> float | None:
        while self._times and self._times[0][1] not in self._items:
            heapq.heappop(self._times)
        return self._times[0][0] if self._times else None

    def due(self, now: float) -> Iterator[Item]:
        """Remove and yield the items that are due, earliest first."""
        while (when := self.next_time()) is not None and when <= now:
            item = self._items[self._times[0][1]]
            self.remove(item)
            yield item
