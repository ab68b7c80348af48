"""A non-blocking descriptor in the event loop: what the pty, TCP and USB/IP ports have in common.

The creator of a `DescriptorLine` owns the descriptor and closes it; the line only watches it.
"""

import asyncio
import os
from collections.abc import Callable

from simulator.ports.port import LINE_BUFFER

READ_SIZE = 64 * 1024


class DescriptorLine:
    """Passes on every byte received, and sends what is written as soon as the other end accepts it.

    `hung_up` is called once, when the other end is gone; the line has stopped by then.
    """

    def __init__(
        self,
        descriptor: int,
        received: Callable[[bytes], None],
        hung_up: Callable[[], None],
        *,
        limit: int = LINE_BUFFER,
    ) -> None:
        self._descriptor = descriptor
        self._received = received
        self._hung_up = hung_up
        self._limit = limit
        self._unsent = bytearray()
        self._running = True
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self._readable)

    @property
    def unsent(self) -> int:
        return len(self._unsent)

    def write(self, data: bytes) -> int:
        """Send what fits. Returns how many bytes, the newest ones, did not."""
        if not self._running:
            return 0
        waiting = bool(self._unsent)
        if not waiting:
            data = data[self._send(data) :]
        fits = data[: max(0, self._limit - len(self._unsent))]
        self._unsent += fits
        if self._unsent and not waiting:
            self._loop.add_writer(self._descriptor, self._writable)
        return len(data) - len(fits)

    def stop(self) -> None:
        """Stop watching the descriptor; unsent bytes are dropped. May be called twice."""
        if self._running:
            self._running = False
            self._unsent.clear()
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)

    def _readable(self) -> None:
        try:
            data = os.read(self._descriptor, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # whatever the error, the other end is gone
            data = b""
        if data:
            self._received(data)
        else:
            self.stop()
            self._hung_up()

    def _writable(self) -> None:
        del self._unsent[: self._send(self._unsent)]
        if not self._unsent:
            self._loop.remove_writer(self._descriptor)

    def _send(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:  # the other end is gone; the next read fails too, and ends the line
            return len(data)
