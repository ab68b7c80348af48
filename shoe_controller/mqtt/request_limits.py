"""How many requests are served: limits for each client and for all together, and who goes beyond them. Pure.

What is over a limit is dropped before it is read, which takes a few microseconds, and is left to time out: an answer
would cost more than the request, and a broker keeps one queue for us, in which honest requests wait behind the others.
"""

from collections.abc import Callable
from dataclasses import dataclass

from shoe_controller.messages.topics import Topics

BURST, RATE = 300, 20.0
"""Requests that a client may send at once in one role, and a second in the long run.

A terminal that bets for fifty seats sends some hundred in the last seconds of a round.
"""
BURST_IN_ALL, RATE_IN_ALL = 1000, 200.0
"""The same for all clients of a connection together."""

MOST_CLIENTS = 500
"""Clients whose requests are counted; the one that came first is forgotten first."""

FLOOD, FLOOD_WITHIN = 100, 10.0
"""Requests of one client dropped within so many seconds that are reported as a flood."""
REPORT_EVERY = 60.0
"""Seconds between two reports of one client."""


@dataclass(slots=True)
class _Allowance:
    """A bucket that fills by `rate` tokens a second, up to `burst`; each request takes one."""

    burst: int
    rate: float
    left: float
    at: float

    def has_one(self, now: float) -> bool:
        self.left = min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        return self.left >= 1

    def next_at(self) -> float:
        """When it has one again."""
        return self.at + max(0.0, 1 - self.left) / self.rate


@dataclass(slots=True)
class _Client:
    allowance: _Allowance
    dropped: int = 0
    dropped_since: float = 0.0
    report_after: float = float("-inf")


class RequestLimits:
    """The limits of one connection."""

    def __init__(self, topics: Topics, now: Callable[[], float], flooding: Callable[[str], None]) -> None:
        """`now` is in seconds; `flooding` is called with a user who sends far too much, at most once a minute."""
        self._topics = topics
        self._now = now
        self._flooding = flooding
        self._all = _Allowance(BURST_IN_ALL, RATE_IN_ALL, BURST_IN_ALL, now())
        self._clients: dict[tuple[str, str], _Client] = {}
        self._refused: dict[str, tuple[_Client, str, float]] = {}
        """By topic: the client and user who have no request left, and until when. Most of a flood ends here."""

    def admits(self, topic: str) -> bool:
        """Whether a message that came under this topic is to be read; what is no request always is."""
        now = self._now()
        known = self._refused.get(topic)
        if known is not None and now < known[2]:
            self._dropped(known[0], known[1], now)
            return False
        sender = self._topics.read_request(topic)
        if sender is None:
            return not self._topics.is_request(topic)
        client = self._client((sender.role, sender.user), now)
        if client.allowance.has_one(now) and self._all.has_one(now):
            client.allowance.left -= 1
            self._all.left -= 1
            return True
        if len(self._refused) >= MOST_CLIENTS:
            self._refused.clear()
        self._refused[topic] = client, sender.user, max(client.allowance.next_at(), self._all.next_at())
        self._dropped(client, sender.user, now)
        return False

    def _client(self, key: tuple[str, str], now: float) -> _Client:
        client = self._clients.get(key)
        if client is None:
            client = self._clients[key] = _Client(_Allowance(BURST, RATE, BURST, now))
            if len(self._clients) > MOST_CLIENTS:
                del self._clients[next(iter(self._clients))]
        return client

    def _dropped(self, client: _Client, user: str, now: float) -> None:
        if now - client.dropped_since > FLOOD_WITHIN:
            client.dropped, client.dropped_since = 0, now
        client.dropped += 1
        if client.dropped >= FLOOD and now >= client.report_after:
            client.report_after = now + REPORT_EVERY
            self._flooding(user)
