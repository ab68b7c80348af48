"""What a port is and what an open line is; the ports themselves are in the neighbouring files.

A `Port` is a place where a shoe may be plugged in: it is made from the configuration, refuses nonsense when it is
made, and can be opened again and again. Opening it gives a `Transport`, one open line, which is used once: when it
ends, for whatever reason, a new one is opened.

Bytes arrive through a callback rather than an iterator, because a task switch per chunk would cost more than reading
it does. A line never holds bytes back: a serial line has no way to ask a shoe to wait.
"""

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Protocol

OUTPUT_LIMIT = 128 * 1024
"""Bytes that may wait for a shoe to take them. A shoe that leaves more than this lying does not listen."""

LINGER = 0.25
"""Seconds that closing a line gives the last bytes to leave, so that a gate ordered shut is shut."""

LOCAL_RETRY = 0.5
"""Seconds between two looks for a device that is plugged into this machine."""


class TransportError(Exception):
    """A line could not be opened, or has ended. The sentence says what happened and what to do about it."""


OnBytes = Callable[[bytes], None]
OnLost = Callable[[TransportError], None]


class Transport(Protocol):
    """One open line to a shoe. Its owner closes it, also after it was lost."""

    def write(self, data: bytes) -> None:
        """Send all of `data`, without waiting.

        Bytes for a line that has ended go nowhere, like bytes into a pulled cable: `on_lost` has said so, or is
        about to.
        """

    async def close(self) -> None:
        """Give the last bytes a moment to leave, then let go of everything. Neither callback is called any more."""


class Port(Protocol):
    """A place where a shoe may be."""

    @property
    def name(self) -> str:
        """The port as a person knows it, for messages."""

    def retry_delays(self) -> Iterator[float]:
        """Seconds to wait before each next attempt, without end, when the shoe is not there."""

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        """Open the line, or raise a `TransportError`. Cancelled, it leaves nothing open.

        Both callbacks are called by the event loop, never from inside `open`, `write` or `close`. `on_bytes` gets
        every byte once and in order. `on_lost` is called once, after the last bytes, if the line ends by itself.
        """


def every_half_second() -> Iterator[float]:
    """The retry delays of a device that is plugged into this machine."""
    return repeat(LOCAL_RETRY)
