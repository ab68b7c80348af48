"""What open pages are told, and when: a bell that wakes them, and what each was told already. No network here."""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import msgspec

_encode = msgspec.json.Encoder().encode


class ChangeSignal:
    """Rung when something has changed; everybody who waits looks."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = asyncio.Event()

    async def rings(self) -> None:
        await self._rung.wait()


class Feed(Protocol):
    def news(self) -> bytes | None:
        """What to tell the page now; `None` if it knows everything."""


def _always() -> bool:
    return True


class Stream(NamedTuple):
    """What one open page listens to."""

    feed: Feed
    pause: float = 0.0
    """Seconds between two messages at least: what changes meanwhile goes into one."""
    may_listen: Callable[[], bool] = _always
    """Asked before each message; once it says no, the page is told that it is over, and nothing more."""


class SentSections:
    """What a page was told part by part, so that it gets first everything and then whatever has changed.

    A page that is slow is told less often, and never anything that is out of date.
    """

    def __init__(self) -> None:
        self._parts: dict[str, bytes] = {}

    def message(self, parts: Mapping[str, object]) -> bytes | None:
        """Those parts that are new to the page, as one JSON object; `None` if it knows them all."""
        made = {name: _encode(part) for name, part in parts.items()}
        changed = {name: msgspec.Raw(part) for name, part in made.items() if self._parts.get(name) != part}
        self._parts.update(made)
        return _encode(changed) if changed else None

    def forget(self, name: str) -> None:
        """The page is about to be told that there is no such part any more."""
        self._parts.pop(name, None)
