"""What a board knows of one table: what is followed of it, and what the board makes of its events. Pure.

`now` is in seconds, by a clock that only goes forward.
"""

from collections import deque
from typing import NamedTuple

import msgspec

from shoe_controller.follow.event_sequencer import Event
from shoe_controller.follow.table import FollowedTable
from shoe_controller.messages.facts import ResultUndone, RoundResult, RoundVoided
from shoe_controller.messages.topics import Topics

HISTORY = 100
"""Events from before that a board requests when it is switched on: a few rounds."""

PACE_ROUNDS = 20
"""Results from which the rounds per hour are calculated."""

PACE_LASTS = 600.0
"""Seconds without a result after which no pace is shown."""

HOUR = 3_600_000
"""In milliseconds, as the times of events are."""


class Ended(NamedTuple):
    """When a round got its result."""

    seq: int
    time: int


_read_result = msgspec.json.Decoder(RoundResult).decode
_read_undone = msgspec.json.Decoder(ResultUndone).decode
_read_voided = msgspec.json.Decoder(RoundVoided).decode


class BoardTable:
    """One table. An `EventFold` for what `state` does not hold: side wagers that won, void rounds, the pace."""

    def __init__(self, topics: Topics, *, client: str, instance: str) -> None:
        self.followed = FollowedTable(topics, self, client=client, instance=instance, latest=HISTORY)
        self.result: RoundResult | None = None
        """The last result that was not taken back, with what every wager came to."""
        self.void: RoundVoided | None = None
        """The last round that was voided."""
        self._ended: deque[Ended] = deque(maxlen=PACE_ROUNDS)
        self._last_end_received = float("-inf")

    def pace(self, now: float) -> int | None:
        """Rounds per hour, by the controller's own clock; `None` where too few were dealt, or none for a while."""
        if len(self._ended) < 2 or now - self._last_end_received > PACE_LASTS:
            return None
        took = self._ended[-1].time - self._ended[0].time
        return round((len(self._ended) - 1) * HOUR / took) if took > 0 else None

    def begin(self, _journal: str, _after: int) -> None:
        self.result = self.void = None
        self._ended.clear()

    def apply(self, event: Event, now: float) -> None:
        match event.fact:
            case "round_result":
                self.result = _read_result(event.payload)
                self._ended.append(Ended(self.result.seq, self.result.time))
                self._last_end_received = now
            case "result_undone":
                undone = _read_undone(event.payload).replaces
                if self.result is not None and self.result.seq == undone:
                    self.result = None
                self._ended = deque((end for end in self._ended if end.seq != undone), maxlen=PACE_ROUNDS)
            case "round_voided":
                self.void = _read_voided(event.payload)
