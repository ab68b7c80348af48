"""A way to the broker that a test can cut, as a network that fails does it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Self


class CuttableLine:
    """Carries every connection to `port` on to the broker, unless it is cut."""

    def __init__(self, broker_port: int) -> None:
        self.port = 0
        self.is_cut = False
        self._broker_port = broker_port
        self._writers: set[asyncio.StreamWriter] = set()
        self._carrying: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def to(cls, broker_port: int) -> AsyncIterator[Self]:
        line = cls(broker_port)
        server = await asyncio.start_server(line._serve, "127.0.0.1", 0)
        line.port = server.sockets[0].getsockname()[1]
        try:
            yield line
        finally:
            server.close()
            line.cut()
            await asyncio.gather(*line._carrying, return_exceptions=True)

    def cut(self) -> None:
        """Nothing passes any more: both ends see their connections fail."""
        self.is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        self.is_cut = False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        there, here = await asyncio.open_connection("127.0.0.1", self._broker_port)
        self._writers |= {writer, here}
        for each in (self._carry(reader, here), self._carry(there, writer)):
            task = asyncio.create_task(each)
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()
        self._writers.discard(writer)
