"""What a shoe holds at the beginning of a session of events that are stored: whether they are those events.

Until then nothing is acknowledged: the shoe may have lost its memory and may have begun to count again, with the boot
id that it had before. Its events then bear the names of others, and an acknowledgement would delete them unstored.
Events that are equal in power-up, number and content, the card total included, are the same ones.
"""

from enum import Enum

from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.native.messages import WINDOW
from firmware_protocol.native.recent import RecentEvents


class Compared(Enum):
    """What an event of the session shows."""

    NOTHING = "nothing"
    EARLY = "early"
    """One before it was lost on the line."""
    UNKNOWN = "unknown"
    """The shoe waits for an acknowledgement that it cannot get: what it holds is too long ago to be compared."""
    ANOTHER = "another"
    """Another event has this number: what the shoe holds from `oldest` on is new."""
    SAME = "same"
    """It is the last event stored: all up to it may be acknowledged."""


class Comparison:
    def __init__(self, oldest: int, recent: RecentEvents, *, perhaps_another: bool) -> None:
        self._recent = recent
        self.perhaps_another = perhaps_another
        """Another shoe may have taken the place of the one whose event was stored last."""
        self.oldest = oldest
        """The first event that is not acknowledged in this session."""
        self.upcoming = oldest
        """The next event to compare."""
        self._same: tuple[int, int] = (0, 0)
        """Boot id and sequence of the last event that was found to be the same."""
        self.acknowledged: tuple[int, int] = (0, 0)
        """Boot id and sequence for ACK."""
        self._at_once = WINDOW
        """Events that the shoe sends without an acknowledgement: one after it went back, twice as many with each."""

    def gone_up_to(self, oldest: int) -> None:
        """The shoe no longer holds events before this one."""
        self.oldest = max(self.oldest, oldest)
        self.upcoming = max(self.upcoming, oldest)

    def take(self, boot_id: int, sequence: int, event: AnyShoeEvent, last_stored: int) -> Compared:
        if sequence > self.upcoming:
            return Compared.EARLY
        if sequence < self.upcoming:
            # The shoe does not go on. It may hold an event no more between two others, so it gets what is certain.
            self._at_once = 1
            return self._let_go()
        known = self._recent.last(sequence)
        if known is not None and known != (boot_id, event):
            return Compared.ANOTHER
        self.upcoming += 1
        if known is not None:
            self._same = (boot_id, sequence)
            if sequence == last_stored:
                return Compared.SAME
        return self._let_go() if self.upcoming - self.oldest >= self._at_once else Compared.NOTHING

    def _let_go(self) -> Compared:
        """Acknowledge what is the same, with all before it, as the shoe sends no more without."""
        _, sequence = self._same
        if sequence < self.oldest:
            return Compared.NOTHING if self.acknowledged[1] == self.upcoming - 1 else Compared.UNKNOWN
        self.acknowledged = self._same
        self.oldest = sequence + 1
        self._at_once = min(2 * self._at_once, WINDOW)
        return Compared.NOTHING
