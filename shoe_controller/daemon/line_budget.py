"""How much of what a line brings is looked at: noise, or a stranger's frames, must not take the processor from cards.

Frames that lead to nothing are paid from an allowance that fills up again with time. It is their number that costs, not
their length. A serial line is below it, even with nothing but the shortest frames. A socket or a USB pipe that goes
beyond it is left unread for a moment, and then its other end has to wait.
"""

PER_SECOND = 10_000
"""Frames, whole or damaged."""
MOST_SAVED = 20_000
"""Frames that may come at once, after a quiet time."""
LONGEST_PAUSE = 0.25
"""Seconds, so that a shoe behind the noise is not taken for silent."""


class LineBudget:
    def __init__(self) -> None:
        self._left = float(MOST_SAVED)
        self._at = 0.0

    def pause_after(self, frames: int, now: float) -> float:
        """How many seconds to leave the line unread after so many frames that led to nothing."""
        self._left = min(MOST_SAVED, self._left + (now - self._at) * PER_SECOND) - frames
        self._at = now
        return min(max(0.0, -self._left / PER_SECOND), LONGEST_PAUSE)
