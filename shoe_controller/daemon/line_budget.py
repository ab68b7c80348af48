"""How much of what a line brings is looked at: noise, or a stranger's frames, must not take the processor from cards.

Bytes that lead to nothing are paid from an allowance that fills up again with time. A serial line is far below it. A
socket or a USB pipe that goes beyond it is left unread for a moment, and then its other end has to wait.
"""

PER_SECOND = 256 * 1024
MOST_SAVED = 512 * 1024
"""Bytes that may come at once, after a quiet time."""
PER_EVENT = 1024
"""Bytes for which each event pays."""
LONGEST_PAUSE = 0.25
"""Seconds, so that a shoe behind the noise is not taken for silent."""


class LineBudget:
    def __init__(self) -> None:
        self._left = float(MOST_SAVED)
        self._at = 0.0

    def pause_after(self, received: int, events: int, now: float) -> float:
        """How many seconds to leave the line unread after these bytes."""
        self._left = min(MOST_SAVED, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        self._left -= max(0, received - events * PER_EVENT)
        if self._left >= 0:
            return 0.0
        return min(-self._left / PER_SECOND, LONGEST_PAUSE)
