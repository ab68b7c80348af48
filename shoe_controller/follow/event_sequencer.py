"""The numbered events of one journal: puts them in order, and knows what is missing and when to request it. Pure.

`now` is in seconds, by a clock that only goes forward.
"""

from collections.abc import Iterator
from typing import NamedTuple

from shoe_controller.messages.refusals import Pruned
from shoe_controller.messages.requests import Answer

MOST_WAITING = 2000
"""Events kept while earlier ones are missing; those beyond it are requested again."""

PATIENCE = 0.2
"""Seconds that a missing event may still be on its way before it is requested."""

ASK_AGAIN, ASK_AGAIN_LAST = 3.0, 48.0
"""Seconds after which a request without an answer is sent again; each time twice as many, up to the second number."""


class Event(NamedTuple):
    """An event as it came, of which only the numbers and the name were read so far."""

    seq: int
    fact: str
    """The name of the event."""
    topic: str
    """Below the table's own topic: "event/card"."""
    payload: bytes


class EventSequencer:
    """The events of one table. Its owner sets the beginning, decides when to request, and sends the requests."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self.have: int | None = None
        """No event up to this one is missing, except those before the beginning; `None` before there is one."""
        self._waiting: dict[int, Event] = {}
        self._missing_since: tuple[int, float] | None = None
        self._asked_at: float | None = None
        self._asked_after = 0
        self._ask_again = ASK_AGAIN

    def begin(self, after: int) -> None:
        """Events after this one are wanted; what was requested before does not matter any more."""
        self.have = after
        self.ask_anew()

    def ask_anew(self) -> None:
        """No answer is awaited any more."""
        self._asked_at = None
        self._ask_again = ASK_AGAIN

    # --- what comes --------------------------------------------------------------------------------------------------

    def keep(self, event: Event) -> None:
        """A repeat changes nothing."""
        is_next = self.have is not None and event.seq == self.have + 1
        is_new = self.have is None or event.seq > self.have
        if is_next or (is_new and len(self._waiting) < self._most_waiting):
            self._waiting.setdefault(event.seq, event)

    def ready(self) -> Iterator[Event]:
        """What has come without a gap; each is taken before it is given, so that one that cannot be read is passed."""
        if self.have is None:
            return
        for seq in [seq for seq in self._waiting if seq <= self.have]:
            del self._waiting[seq]
        while (event := self._waiting.pop(self.have + 1, None)) is not None:
            self.have += 1
            yield event

    # --- what is missing ---------------------------------------------------------------------------------------------

    def is_behind(self, newest: int) -> bool:
        return self.have is not None and (newest > self.have or bool(self._waiting))

    def wanted(self, now: float, *, missing: bool) -> int | None:
        """The number after which events should be requested now; `missing` is whether there is a reason to."""
        if self.have is None or not missing:
            self._missing_since = None
            return None
        if self._missing_since is None or self._missing_since[0] != self.have:
            self._missing_since = (self.have, now)
        is_early = now - self._missing_since[1] < PATIENCE
        waits = self._asked_at is not None and now - self._asked_at < self._ask_again
        return None if is_early or waits else self.have

    def awaits(self, now: float) -> bool:
        """Whether an answer to the last request may still come."""
        return self._asked_at is not None and now - self._asked_at < ASK_AGAIN

    def asked(self, now: float) -> None:
        """The request was sent."""
        if self._asked_at is not None:
            self._ask_again = min(self._ask_again * 2, ASK_AGAIN_LAST)
        self._asked_at = now
        self._asked_after = self.have or 0

    def answered(self, answer: Answer) -> int | None:
        """The answer that comes after the events; where some of them are gone for good, the new beginning.

        What was sent and did not arrive is requested again, after a while: nothing is ever passed over that the journal
        still has.
        """
        if self.have is None:
            return None
        if isinstance(answer.refusal, Pruned) and answer.refusal.oldest > self.have + 1:
            self.begin(answer.refusal.oldest - 1)
            return self.have
        if self.have > self._asked_after:
            self.ask_anew()
            if answer.replay is not None and answer.replay.newest > answer.replay.last:
                self._missing_since = (self.have, float("-inf"))  # there is more: the next request is due at once
        return None
