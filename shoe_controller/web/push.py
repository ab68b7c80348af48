"""What is sent to open pages, and when: a bell that wakes them, and what each was sent already. No network here."""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import msgspec

_encode = msgspec.json.Encoder().encode


class ChangeSignal:
    """Rung when something has changed; every waiting stream wakes."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = asyncio.Event()

    async def rings(self) -> None:
        await self._rung.wait()


class Feed(Protocol):
    def news(self) -> bytes | None:
        """What to send to the page now; `None` if it has everything."""


def _always() -> bool:
    return True


class Stream(NamedTuple):
    """What one open page listens to."""

    feed: Feed
    pause: float = 0.0
    """Seconds between two messages at least: what changes meanwhile goes into one."""
    may_listen: Callable[[], bool] = _always
    """Called before each message; once it returns false, the page is sent the end of its session and nothing more."""


class SentSections:
    """What a page was sent, part by part, so that it first gets everything and then whatever has changed.

    A slow page gets fewer messages, and never anything that is out of date.
    """

    def __init__(self) -> None:
        self._parts: dict[str, bytes] = {}

    def message(self, parts: Mapping[str, object]) -> bytes | None:
        """Those parts that are new to the page, as one JSON object; `None` if it has them all."""
        made = {name: _encode(part) for name, part in parts.items()}
        changed = {name: msgspec.Raw(part) for name, part in made.items() if self._parts.get(name) != part}
        self._parts.update(made)
        return _encode(changed) if changed else None

    def forget(self, name: str) -> None:
        """The page is about to be sent that this part no longer exists."""
        self._parts.pop(name, None)
