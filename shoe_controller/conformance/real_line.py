"""A real port as the line of a bench: the transports of the controller, waited for one step at a time."""

import asyncio
import time

from shoe_controller.transports.transport import Port, Transport, TransportError
from simulator.conformance.line import LineLostError


class RealLine:
    """One port. It has an event loop of its own, which runs while somebody waits for bytes."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._transport: Transport | None = None
        self._came = bytearray()
        self._lost: TransportError | None = None
        self._something = asyncio.Event()
        self.late_by = 0.0
        """Seconds by which this machine has once been late: a shoe cannot be judged more finely than that."""

    def now(self) -> float:
        return time.monotonic()

    def send(self, data: bytes) -> None:
        if self._transport is None or self._lost is not None:
            raise LineLostError(str(self._lost or "the line is not open"))
        self._transport.write(data)

    def receive(self, until: float) -> bytes:
        if not self._came:
            self._loop.run_until_complete(self._wait(until - self.now()))
            self.late_by = max(self.late_by, self.now() - until)
        if self._lost is not None and not self._came:
            raise LineLostError(str(self._lost))
        data = bytes(self._came)
        self._came.clear()
        return data

    def reopen(self) -> None:
        self._shut()
        try:
            self._transport = self._loop.run_until_complete(self._port.open(self._on_bytes, self._on_lost))
        except TransportError as error:
            raise LineLostError(str(error)) from error

    def close(self) -> None:
        self._shut()
        self._loop.close()

    def _shut(self) -> None:
        if self._transport is not None:
            self._loop.run_until_complete(self._transport.close())
        self._transport = None
        self._lost = None
        self._came.clear()

    def _on_bytes(self, data: bytes) -> None:
        self._came += data
        self._something.set()

    def _on_lost(self, error: TransportError) -> None:
        self._lost = error
        self._something.set()

    async def _wait(self, seconds: float) -> None:
        if self._transport is None or self._lost is not None:
            await asyncio.sleep(max(seconds, 0))
            return
        self._something.clear()
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self._something.wait()
        except TimeoutError:
            pass
