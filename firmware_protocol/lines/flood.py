"""Tells noise from cards that cannot be read: lines that come faster than cards can leave a shoe are one flood.

A damaged line is a card that has left, for all that is known. A line that carries noise brings thousands of them, and
none of those may crowd out the cards of the table. Pure.
"""

import math

LONGEST = 60.0
"""Seconds after which a flood that goes on is reported, and another begins."""


class Flood:
    """Lets through as many lines as cards could be, and counts the others. While a flood lasts it lets none through."""

    def __init__(self, *, most: int, per_second: float, quiet_after: float) -> None:
        self._most = most
        self._per_second = per_second
        self._quiet_after = quiet_after
        self._left = float(most)
        self._at = -math.inf
        """When `_left` was true."""
        self._began = 0.0
        self._counted = 0

    def swallows(self, now: float) -> bool:
        """Whether one more line is part of the flood rather than a card of its own."""
        if not self._counted:
            self._left = min(self._most, self._left + (now - self._at) * self._per_second)
            if self._left >= 1:
                self._left -= 1
                self._at = now
                return False
            self._began = now
        self._counted += 1
        self._at = now
        return True

    @property
    def ends_at(self) -> float:
        """When to call `end`, at the latest; infinity while there is no flood."""
        return min(self._at + self._quiet_after, self._began + LONGEST) if self._counted else math.inf

    def end(self) -> int:
        """How many lines the flood had."""
        counted, self._counted = self._counted, 0
        return counted
