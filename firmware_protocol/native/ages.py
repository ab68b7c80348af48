"""How old an event can be: what its number and the STATUS frames around it prove, whatever age the shoe says.

An event that is below the *next* of a STATUS existed when that STATUS was received. One that is not below it happened
after that STATUS was sent. When that was nobody knows, as bytes may wait on the way for as long as they like; but it
was after we sent what the STATUS answers: the PROOF of its session, the DESIRE that it follows, the ACK after which an
event is gone. So both limits hold however late the line is, and no event looks younger than it may be.
"""

from collections import deque
from typing import NamedTuple

from firmware_protocol.native.messages import ShoeStatus

OLDEST = 30 * 24 * 3600.0
"""Seconds: of what happened before we ever heard of the shoe nothing is known, but that nobody waits for longer."""
MARGIN = 2.0
"""Seconds by which an age may miss its limits without a word."""
ON_THE_WAY = 3.0
"""Seconds that a frame may wait on the line, which its age does not count: a session ends after so long a silence."""
DRIFT = 0.02
"""The share of an age by which a cheap clock may be wrong."""
MOST_SEEN = 64
PLAIN_MS = 2000
"""An age up to this needs no look at its upper limit, in milliseconds."""


class _Seen(NamedTuple):
    upcoming: int
    first_received: float
    sent_after: float


class Limits(NamedTuple):
    """Ages in seconds."""

    least: float
    most: float


class Ages:
    def __init__(self) -> None:
        self._seen: deque[_Seen] = deque(maxlen=MOST_SEEN)
        """One for each *next* of this count, which grows."""
        self._proven = 0.0
        """All frames of this session that are received from now on were sent after this time."""
        self._awaited: tuple[int, float] | None = None
        """An event that was acknowledged, and when: once it is gone from the shoe, that is proven."""
        self._desire: tuple[int, float] | None = None
        """The same for a DESIRE that is to be followed."""
        self.looks_from = 0
        """Events below this are not plain: a STATUS has told of them."""

    def session_began(self, proof_sent: float) -> None:
        self._proven = proof_sent
        self._awaited = self._desire = None

    def acknowledged(self, sequence: int, now: float) -> None:
        """An event that came in this session is acknowledged now."""
        if self._awaited is None:
            self._awaited = (sequence, now)

    def desired(self, revision: int, now: float) -> None:
        """A DESIRE is sent in this session."""
        if self._desire is None or self._desire[0] != revision:
            self._desire = (revision, now)

    def counted_anew(self) -> None:
        self._seen.clear()
        self._awaited = None
        self.looks_from = 0

    def status_came(self, status: ShoeStatus, now: float) -> None:
        if self._awaited is not None and status.oldest > self._awaited[0]:
            self._proven = max(self._proven, self._awaited[1])
            self._awaited = None
        if self._desire is not None and status.revision == self._desire[0]:
            self._proven = max(self._proven, self._desire[1])
        received = now
        if self._seen and self._seen[-1].upcoming == status.upcoming:
            received = self._seen.pop().first_received
        self._seen.append(_Seen(status.upcoming, received, self._proven))
        self.looks_from = status.upcoming

    def limits(self, sequence: int, now: float) -> Limits:
        least, most = 0.0, OLDEST
        for seen in self._seen:
            if seen.upcoming <= sequence:
                most = now - seen.sent_after
            else:
                return Limits(now - seen.first_received, most)
        return Limits(least, most)


def misses(age: float, limits: Limits) -> bool:
    """Whether an age is outside its limits by more than clocks are wrong."""
    return _is_too_old(age, limits) or age < limits.least * (1 - DRIFT) - MARGIN


def is_impossible(age: float, limits: Limits) -> bool:
    """Whether a shoe has reported an age that no delay on the line explains."""
    return _is_too_old(age, limits) or age < limits.least * (1 - DRIFT) - MARGIN - ON_THE_WAY


def _is_too_old(age: float, limits: Limits) -> bool:
    return age > limits.most * (1 + DRIFT) + MARGIN
