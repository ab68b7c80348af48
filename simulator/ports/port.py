"""The interface of a port: the device's end of a line that a controller opens at the other end.

The ports themselves are the neighbouring files: `pty.py`, `tcp.py`, `usb.py` (inside this process) and `usbip.py` (a
Linux kernel). None of them makes the shoe wait. Bytes for a host that reads too slowly are kept up to `LINE_BUFFER`;
the rest is lost and counted, as an overrun on a real line loses the newest bytes and keeps the older ones.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Protocol

LINE_BUFFER = 256 * 1024
"""Bytes buffered for a host that reads too slowly."""

LINGER = 0.25
"""Seconds that an unplug waits for the last bytes to reach a host that is reading."""

LINGER_STEP = 0.002


class PortError(OSError):
    """A port that cannot be opened; the message says why and what to do."""


class PortListener(Protocol):
    """The shoe behind a port. All calls come in the event loop's thread."""

    def host_attached(self) -> None:
        """A controller has opened the line."""

    def host_detached(self) -> None:
        """The controller is gone, or the device was unplugged. Called once for each `host_attached`."""

    def received(self, data: bytes) -> None:
        """Bytes from the controller, always between `host_attached` and `host_detached`."""


class Host(Enum):
    """Attaching and detaching of the host, for ports that report it in order with its bytes."""

    ATTACHED = auto()
    DETACHED = auto()


HostEvent = Host | bytes
"""What a port reports to its listener."""


def notify(listener: PortListener, event: HostEvent) -> None:
    if isinstance(event, bytes):
        listener.received(event)
    elif event is Host.ATTACHED:
        listener.host_attached()
    else:
        listener.host_detached()


class Port(Protocol):
    """A device's end. `open` plugs it in; it stays until `close`, through any number of unplugs and replugs.

    A cable that is out can be pulled again, and one that is in plugged in again: nothing happens. Both `unplug` and
    `close` have done their work even when they are cancelled while waiting for the last bytes to leave.
    """

    @property
    def address(self) -> str:
        """What a person enters to reach it, in the controller's configuration or, for USB/IP, in a terminal."""

    async def open(self, listener: PortListener) -> None: ...

    def write(self, data: bytes) -> None:
        """Send to the host; without a host the bytes are lost, as on a real line."""

    async def unplug(self) -> None: ...

    async def replug(self) -> None:
        """Plug in again. With a `PortError` it stays unplugged, and may be tried again."""

    async def close(self) -> None:
        """Close, leaving nothing behind: no symlink, no socket, no task, no thread."""


@asynccontextmanager
async def plugged_in(port: Port, listener: PortListener) -> AsyncIterator[None]:
    """Keep the port open while the block runs, and close it however the block ends."""
    await port.open(listener)
    try:
        yield
    finally:
        await port.close()


async def linger_until(done: Callable[[], bool]) -> None:
    """Give the last bytes a moment to arrive; by polling, because no kernel reports when the host has read them."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LINGER
    while not done() and loop.time() < deadline:  # noqa: ASYNC110 - see above
        await asyncio.sleep(LINGER_STEP)
