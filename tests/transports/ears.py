"""What a test receives from a line, and how it waits for it."""

import asyncio
from collections.abc import Callable

from shoe_controller.transports.reconnect import LineReport
from shoe_controller.transports.transport import TransportError

PATIENCE = 10.0
"""Seconds after which a test gives up waiting for something that should happen at once."""


class Ears:
    """Collects what a line says, in order."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.lost: list[TransportError] = []
        self.reports: list[LineReport] = []
        self._news = asyncio.Event()

    def on_bytes(self, data: bytes) -> None:
        assert data
        assert not self.lost, "bytes after the end of the line"
        self.data += data
        self._news.set()

    def on_lost(self, error: TransportError) -> None:
        self.lost.append(error)
        self._news.set()

    def on_report(self, report: LineReport) -> None:
        self.reports.append(report)
        self._news.set()

    async def hear(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def hear_bytes(self, count: int) -> bytes:
        await self.hear(lambda: len(self.data) >= count)
        return bytes(self.data)

    async def hear_the_end(self) -> str:
        """Wait for the end of the line, and give the loop the chance to announce it twice."""
        await self.hear(lambda: bool(self.lost))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        (error,) = self.lost
        return str(error)

    async def hear_reports(self, count: int) -> list[LineReport]:
        await self.hear(lambda: len(self.reports) >= count)
        return self.reports
