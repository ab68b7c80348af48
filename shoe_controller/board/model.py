"""What a board knows of one table: its retained messages, and how fast it deals. Pure.

`now` is in seconds, by a clock that only goes forward.
"""

from shoe_controller.follow.retained import RetainedTable

PACE_ROUNDS = 20
"""Rounds of the shoe from which the rounds per hour are calculated."""

PACE_LASTS = 600.0
"""Seconds without a result after which no pace is shown."""

HOUR = 3_600_000
"""In milliseconds, as the times of results are."""


class BoardTable:
    """One table. It also notes when its last result came, for the controller's clock may be wrong."""

    def __init__(self) -> None:
        self.followed = RetainedTable()
        self._last_result: tuple[str, int] | None = None
        self._last_result_received = float("-inf")

    def receive(self, below: str, payload: bytes, now: float, *, retained: bool) -> None:
        """A message on a topic of the table; `msgspec.DecodeError` if it cannot be read."""
        self.followed.receive_retained(below, payload, retained=retained)
        rounds = self.followed.rounds
        last = None if rounds is None or not rounds.rounds else (rounds.journal, rounds.rounds[-1].seq)
        if last != self._last_result:
            self._last_result, self._last_result_received = last, now

    def pace(self, now: float) -> int | None:
        """Rounds per hour, by the controller's own clock; `None` where too few were dealt, or none for a while."""
        rounds = self.followed.rounds
        latest = () if rounds is None else rounds.rounds[-PACE_ROUNDS:]
        times = [dealt.time for dealt in latest if dealt.time is not None]
        if len(times) < 2 or now - self._last_result_received > PACE_LASTS:
            return None
        took = times[-1] - times[0]
        return round((len(times) - 1) * HOUR / took) if took > 0 else None
