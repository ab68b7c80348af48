"""Who is signed in at a page. Pure: the clock and the random tokens are handed in.

The cookie holds a secret of which only a hash is kept here. Beside it each session has a token that the page sends with
everything it asks for: another site can make a browser send the cookie, but cannot read the token. What
else a page must know of a person is kept with the session as `who`. PINs and passwords never come here.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

LONGEST = 12 * 3600.0
"""Seconds after which a person must sign in again, even if active."""

MOST_SESSIONS = 20
"""Sessions of one process; a further sign-in ends the one that was idle longest."""


T = TypeVar("T")


@dataclass(slots=True)
class Session(Generic[T]):
    who: T
    token: str
    began: float
    active: float
    """When a person last did something."""
    ended: bool = False


class Begun(NamedTuple, Generic[T]):
    secret: str
    """For the cookie."""
    session: Session[T]


class Sessions(Generic[T]):
    def __init__(self, *, idle: float, clock: Callable[[], float], new_token: Callable[[], str]) -> None:
        self.idle = idle
        self._clock = clock
        self.new_token = new_token
        self._by_hash: dict[bytes, Session[T]] = {}

    def begin(self, who: T) -> Begun[T]:
        now = self._clock()
        self._forget_ended()
        while len(self._by_hash) >= MOST_SESSIONS:
            longest_idle = min(self._by_hash, key=lambda key: self._by_hash[key].active)
            self._by_hash.pop(longest_idle).ended = True
        secret = self.new_token()
        session = self._by_hash[_hash(secret)] = Session(who, self.new_token(), now, now)
        return Begun(secret, session)

    def find(self, secret: str | None) -> Session[T] | None:
        """Whose cookie this is, if they are still signed in. Calling this does not count as activity."""
        session = None if secret is None else self._by_hash.get(_hash(secret))
        return session if session is not None and self.lives(session) else None

    def lives(self, session: Session[T]) -> bool:
        now = self._clock()
        if now - session.active >= self.idle or now - session.began >= LONGEST:
            session.ended = True
        return not session.ended

    def touch(self, session: Session[T]) -> None:
        session.active = self._clock()

    def end(self, session: Session[T]) -> None:
        session.ended = True
        self._forget_ended()

    def _forget_ended(self) -> None:
        self._by_hash = {key: session for key, session in self._by_hash.items() if self.lives(session)}


def has_token(session: Session[T], token: str | None) -> bool:
    return token is not None and hmac.compare_digest(session.token.encode(), token.encode(errors="replace"))


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()
