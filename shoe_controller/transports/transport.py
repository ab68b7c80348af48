"""The interfaces of a port and of an open line; the ports themselves are in the neighbouring files.

A `Port` is a place where a shoe may be plugged in: it is made from the configuration, checks it when constructed, and
can be opened again and again. Opening it returns a `Transport`, one open line, which is used once: when it ends, for
whatever reason, a new one is opened.

Bytes arrive through a callback rather than an iterator, because a task switch per chunk would cost more than reading
it does. Its owner may ask for a pause after a flood: a socket or a USB pipe then lets the other end wait. A serial line
has no way to ask a shoe to wait, and is too slow to need it.
"""

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Protocol

OUTPUT_LIMIT = 128 * 1024
"""Bytes buffered for a shoe. A shoe that leaves more than this unread is not listening."""

LINGER = 0.25
"""Seconds that closing waits for the last bytes to leave, so that a command to lock the gate still arrives."""

LOCAL_RETRY = 0.5
"""Seconds between attempts to open a device that is plugged into this machine."""


class TransportError(Exception):
    """A line could not be opened, or has ended. The message says what happened and what to do."""


OnBytes = Callable[[bytes], float | None]
"""Returns for how many seconds the line is to be left unread; 0 or nothing for none."""
OnLost = Callable[[TransportError], None]


class Transport(Protocol):
    """One open line to a shoe. Its owner closes it, also after it was lost."""

    def write(self, data: bytes) -> None:
        """Send all of `data`, without waiting.

        Bytes for a line that has ended are lost, as with a pulled cable: `on_lost` has been called, or is about to be.
        """

    async def close(self) -> None:
        """Give the last bytes a moment to leave, then release everything. Neither callback is called after this."""


class Port(Protocol):
    """A place where a shoe may be."""

    @property
    def name(self) -> str:
        """The port's name for messages to people."""

    def retry_delays(self) -> Iterator[float]:
        """Seconds to wait before each further attempt, without end, while the shoe is missing."""

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        """Open the line, or raise a `TransportError`. If cancelled, it leaves nothing open.

        Both callbacks are called by the event loop, never from inside `open`, `write` or `close`. `on_bytes` gets
        every byte once and in order. `on_lost` is called once, after the last bytes, if the line ends by itself.
        """


def every_half_second() -> Iterator[float]:
    """The retry delays of a device that is plugged into this machine."""
    return repeat(LOCAL_RETRY)
