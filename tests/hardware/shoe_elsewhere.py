"""Runs a port of the emulated shoe in a thread and an event loop of its own, as if it were another machine."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from simulator.ports.port import PortListener
from simulator.ports.usbip import UsbIpPort


class ShoeElsewhere:
    """Called in the loop of the checks, works in the shoe's. It is the port's listener, and passes all on."""

    def __init__(self, port: UsbIpPort, listener: PortListener, theirs: asyncio.AbstractEventLoop) -> None:
        self.port = port
        self._listener = listener
        self._ours = asyncio.get_running_loop()
        self._theirs = theirs

    async def open(self) -> None:
        await self._there(self.port.open(self))

    def write(self, data: bytes) -> None:
        self._theirs.call_soon_threadsafe(self.port.write, data)

    async def unplug(self) -> None:
        await self._there(self.port.unplug())

    async def replug(self) -> None:
        await self._there(self.port.replug())

    async def close(self) -> None:
        await self._there(self.port.close())

    async def _there(self, work: Coroutine[None, None, None]) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._theirs))

    # In the shoe's loop.

    def host_attached(self) -> None:
        self._here(self._listener.host_attached)

    def host_detached(self) -> None:
        self._here(self._listener.host_detached)

    def received(self, data: bytes) -> None:
        self._here(lambda: self._listener.received(data))

    def _here(self, callback: Callable[[], None]) -> None:
        self._ours.call_soon_threadsafe(callback)


@asynccontextmanager
async def elsewhere(port: UsbIpPort, listener: PortListener) -> AsyncIterator[ShoeElsewhere]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="shoe")
    thread.start()
    shoe = ShoeElsewhere(port, listener, loop)
    try:
        await shoe.open()
        try:
            yield shoe
        finally:
            await shoe.close()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
