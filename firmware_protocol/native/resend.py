"""Resend timer for unacknowledged events: the wait follows the measured round trip, and doubles while nothing comes.

The usual estimate of TCP (RFC 6298): the smoothed round trip plus four times its deviation. A round trip is measured
on one event at a time and never on one that was sent twice, because its acknowledgement could be for either.
"""


class ResendWait:
    def __init__(self, first: float, shortest: float, longest: float) -> None:
        self.seconds = first
        """Seconds to wait for an acknowledgement before sending again."""
        self._shortest = shortest
        self._longest = longest
        self._smoothed: float | None = None
        self._deviation = 0.0
        self._timed: tuple[int, float] | None = None
        """The event whose round trip is being measured, and when it was sent."""

    def sent_first_time(self, sequence: int, now: float) -> None:
        if self._timed is None:
            self._timed = (sequence, now)

    def going_back(self) -> None:
        """Events are sent a second time, so the current measurement is void."""
        self._timed = None

    def timed_out(self) -> None:
        self._timed = None
        self.seconds = min(self.seconds * 2, self._longest)

    def acknowledged(self, sequence: int, now: float) -> None:
        """Events up to this one were newly acknowledged: the line works, so the wait follows the estimate again."""
        if self._timed is not None and sequence >= self._timed[0]:
            self._measured(now - self._timed[1])
            self._timed = None
        if self._smoothed is not None:
            self.seconds = min(max(self._smoothed + 4 * self._deviation, self._shortest), self._longest)

    def _measured(self, round_trip: float) -> None:
        if self._smoothed is None:
            self._smoothed = round_trip
            self._deviation = round_trip / 2
        else:
            self._deviation += (abs(self._smoothed - round_trip) - self._deviation) / 4
            self._smoothed += (round_trip - self._smoothed) / 8
