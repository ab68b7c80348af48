"""An open line that is a file descriptor: what a serial port and a socket have in common.

The event loop watches the descriptor; there is no thread and no polling. The first error of any kind ends the line and
closes the descriptor at once, so that a shoe that is plugged in again gets its old device name.
"""

import asyncio
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Callable

from shoe_controller.transports.transport import LINGER, OUTPUT_LIMIT, OnBytes, OnLost, TransportError

READ_SIZE = 64 * 1024
LAST_WORDS_LIMIT = 1024 * 1024
"""Bytes still read from a line that can no longer be written to."""
LINGER_STEP = 0.005


class DescriptorLine:
    """A `Transport` over a descriptor that is in non-blocking mode.

    It takes over the descriptor: `release` closes it without waiting, and is called exactly once, even if the
    constructor fails. `explain` turns an error into a message, including ECONNRESET for an empty read and ENOBUFS for
    a shoe that accepts no bytes.
    """

    def __init__(
        self,
        descriptor: int,
        on_bytes: OnBytes,
        on_lost: OnLost,
        *,
        release: Callable[[], None],
        explain: Callable[[OSError], TransportError],
    ) -> None:
        self._descriptor = descriptor
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self._release = release
        self._explain = explain
        self._unsent = bytearray()
        self._open = True
        self._closing = False
        self._announcement: asyncio.Handle | None = None
        self._loop = asyncio.get_running_loop()
        try:
            self._loop.add_reader(descriptor, self._readable)
        except BaseException:
            release()
            raise

    def write(self, data: bytes) -> None:
        if not self._open or not data:
            return
        if len(self._unsent) + len(data) > OUTPUT_LIMIT:
            self._lose(self._explain(_error(errno.ENOBUFS)), self._rest_of_input())
            return
        waiting = bool(self._unsent)
        self._unsent += data
        if not waiting:
            self._writable()
            if self._unsent:
                self._loop.add_writer(self._descriptor, self._writable)

    async def close(self) -> None:
        self._closing = True
        if self._announcement is not None:
            self._announcement.cancel()
        if self._open:
            self._loop.remove_reader(self._descriptor)
        # By polling, because the kernel does not report when the last byte has left.
        try:
            deadline = self._loop.time() + LINGER
            while self._open and self._on_its_way() and self._loop.time() < deadline:  # noqa: ASYNC110 - see above
                await asyncio.sleep(LINGER_STEP)
        finally:
            self._end()

    def _readable(self) -> None:
        try:
            data = os.read(self._descriptor, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(self._explain(error))
            return
        if data:
            pause = self._on_bytes(data)
            if pause and self._open:
                self._loop.remove_reader(self._descriptor)
                self._loop.call_later(pause, self._read_on)
        else:
            self._lose(self._explain(_error(errno.ECONNRESET)))

    def _read_on(self) -> None:
        if self._open and not self._closing:
            self._loop.add_reader(self._descriptor, self._readable)

    def _writable(self) -> None:
        try:
            sent = os.write(self._descriptor, self._unsent)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(self._explain(error), self._rest_of_input())
            return
        del self._unsent[:sent]
        if not self._unsent:
            self._loop.remove_writer(self._descriptor)

    def _rest_of_input(self) -> bytes:
        """Read what the shoe sent before the line broke: there may be a card in it."""
        words = bytearray()
        try:
            while len(words) < LAST_WORDS_LIMIT and (data := os.read(self._descriptor, READ_SIZE)):
                words += data
        except OSError:  # nothing more is there
            pass
        return bytes(words)

    def _lose(self, error: TransportError, rest: bytes = b"") -> None:
        self._end()
        if not self._closing:
            # Deferred, because a caller of `write` does not expect a callback from inside it.
            self._announcement = self._loop.call_soon(self._announce, error, rest)

    def _announce(self, error: TransportError, rest: bytes) -> None:
        if rest:
            self._on_bytes(rest)
        self._on_lost(error)

    def _end(self) -> None:
        if self._open:
            self._open = False
            self._unsent.clear()
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)
            self._release()

    def _on_its_way(self) -> bool:
        return bool(self._unsent) or bytes_in_kernel(self._descriptor) > 0


def _error(code: int) -> OSError:
    return OSError(code, os.strerror(code))


def bytes_in_kernel(descriptor: int) -> int:
    """Number of bytes written that have not left yet; the same ioctl works for terminals and sockets."""
    try:
        count: int = struct.unpack("i", fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)))[0]
    except OSError:
        return 0
    return count
