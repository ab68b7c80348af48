"""An open line to a device that can only be read by blocking: threads on one side, the event loop on the other.

One thread owns the device for the whole life of the line: it opens it, reads it and releases it. A read is never
abandoned, because a packet that arrives for an abandoned read is lost; so stopping sets a flag and waits until the
current read has returned. A second thread writes, since a write must not wait for a read.

Independent of USB: the device is a `BlockingDevice`, which `usb_device.py` implements.
"""

import asyncio
import errno
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from shoe_controller.transports.transport import LINGER, OUTPUT_LIMIT, OnBytes, OnLost, TransportError
from shoe_controller.transports.troubles import explain

INPUT_LIMIT = 64 * 1024
"""Bytes buffered for a busy event loop before the reader lets the device wait instead."""
WRITE_SIZE = 4 * 1024
STEP = 0.25
"""Seconds between checks whether the event loop is still alive, for a thread that waits for it."""


class BlockingDevice(Protocol):
    """An open device. Each call returns within about a quarter of a second, or raises a `TransportError`."""

    def read(self) -> bytes:
        """Return what has arrived; empty if nothing came in time."""

    def write(self, data: bytes) -> int:
        """Return how many bytes the device has accepted; 0 if none in time."""

    def release(self) -> None:
        """Release the device, also when it is gone already. Raises nothing."""


class ThreadLine:
    """A `Transport` over a `BlockingDevice`, once `start` has returned; when `start` raises, nothing is left behind.

    State shared by the threads and the loop is guarded by `_shared`; the rest belongs to the loop alone.
    """

    def __init__(
        self, name: str, open_device: Callable[[], BlockingDevice], on_bytes: OnBytes, on_lost: OnLost
    ) -> None:
        self._name = name
        self._open_device = open_device
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._released = asyncio.Event()
        self._closed = False
        self._pausing = False
        self._owner = threading.Thread(target=self._own_device, name=f"{name} reader", daemon=True)

        self._shared = threading.Condition()
        self._in_use = False
        self._stopping = False
        self._linger_until = 0.0
        self._failure: TransportError | None = None
        self._unread = bytearray()
        self._unsent = bytearray()

    async def start(self) -> None:
        self._owner.start()
        try:
            await self._opened
        except BaseException:
            await self.close()
            raise
        with self._shared:  # only now, so that no bytes can arrive before our caller has the line
            self._in_use = True
            self._shared.notify_all()

    def write(self, data: bytes) -> None:
        with self._shared:
            if self._stopping:
                return
            if len(self._unsent) + len(data) <= OUTPUT_LIMIT:
                self._unsent += data
                self._shared.notify_all()
                return
        self._fail(explain(self._name, errno.ENOBUFS, "", {}))

    async def close(self) -> None:
        self._closed = True
        self._stop(self._loop.time() + LINGER)
        cancelled: asyncio.CancelledError | None = None
        while not self._released.is_set():
            try:
                await self._released.wait()
            except asyncio.CancelledError as error:
                cancelled = error  # a read is never abandoned: first the thread ends, then this task
        self._owner.join()
        if cancelled is not None:
            raise cancelled

    # On the loop, called by the threads through `_call_on_loop`.

    def _opening_done(self, error: Exception | None) -> None:
        if self._opened.done():
            return
        if error is None:
            self._opened.set_result(None)
        else:
            self._opened.set_exception(error)

    def _deliver(self) -> None:
        if self._pausing:
            return
        with self._shared:
            data = bytes(self._unread)
            self._unread.clear()
            if len(data) >= INPUT_LIMIT:
                self._shared.notify_all()
        pause = self._on_bytes(data) if data and not self._closed else None
        if pause:
            self._pausing = True
            self._loop.call_later(pause, self._deliver_on)

    def _deliver_on(self) -> None:
        self._pausing = False
        self._deliver()

    def _gone(self) -> None:
        self._released.set()
        if self._failure is not None and not self._closed:
            self._on_lost(self._failure)

    # On the threads.

    def _own_device(self) -> None:
        try:
            device = self._open_device()
        except Exception as error:  # noqa: BLE001 - raised again by `start`
            self._call_on_loop(self._opening_done, error)
        else:
            self._call_on_loop(self._opening_done, None)
            try:
                self._work(self._serve, device)
            finally:
                device.release()
        finally:
            self._call_on_loop(self._gone)

    def _serve(self, device: BlockingDevice) -> None:
        with self._shared:
            self._wait_until(lambda: self._in_use)
        writer = threading.Thread(
            target=self._work, args=(self._write, device), name=f"{self._name} writer", daemon=True
        )
        writer.start()
        self._work(self._read, device)
        self._stop()
        writer.join()

    def _work(self, task: Callable[[BlockingDevice], None], device: BlockingDevice) -> None:
        try:
            task(device)
        except TransportError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - a thread that died silently would look like a silent shoe
            self._fail(TransportError(f"{self._name}: {error!r}. This is a fault of the controller; please report it."))

    def _read(self, device: BlockingDevice) -> None:
        while not self._over():
            data = device.read()
            if not data:
                continue
            with self._shared:
                delivery_is_due = bool(self._unread)
                self._unread += data
            if not delivery_is_due:
                self._call_on_loop(self._deliver)
            with self._shared:
                self._wait_until(lambda: len(self._unread) < INPUT_LIMIT)

    def _write(self, device: BlockingDevice) -> None:
        while True:
            with self._shared:
                self._shared.wait_for(lambda: self._unsent or self._stopping)
                data = bytes(self._unsent[:WRITE_SIZE])
                if not data or (self._stopping and self._loop.time() > self._linger_until):
                    return
            taken = device.write(data)
            with self._shared:
                del self._unsent[:taken]

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until the loop has done something; `_shared` is held."""
        while not condition() and not self._over():
            self._shared.wait(STEP)

    def _over(self) -> bool:
        return self._stopping or self._loop.is_closed()

    def _fail(self, error: TransportError) -> None:
        """Store the first error and stop at once."""
        with self._shared:
            if not self._stopping:
                self._failure = error
        self._stop()

    def _stop(self, linger_until: float = 0.0) -> None:
        """Make both threads end; until `linger_until` the writer may send what is queued."""
        with self._shared:
            self._stopping = True
            self._linger_until = max(self._linger_until, linger_until)
            self._shared.notify_all()

    def _call_on_loop(self, callback: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback, *arguments)
