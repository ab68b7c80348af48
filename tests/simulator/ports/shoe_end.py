"""Plays the shoe in these tests: records every call, and insists on the order that a port promises."""

import asyncio
from collections.abc import Callable

PATIENCE = 10.0
"""Seconds after which a test gives up waiting for something that should happen at once."""


class ShoeEnd:
    def __init__(self) -> None:
        self.attached = False
        self.hosts = 0
        """How many have come so far."""
        self.data = bytearray()
        self._news = asyncio.Event()

    def host_attached(self) -> None:
        assert not self.attached
        self.attached = True
        self.hosts += 1
        self._news.set()

    def host_detached(self) -> None:
        assert self.attached
        self.attached = False
        self._news.set()

    def received(self, data: bytes) -> None:
        assert self.attached
        assert data
        self.data += data
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def until_host(self) -> None:
        await self.until(lambda: self.attached)

    async def until_no_host(self) -> None:
        await self.until(lambda: not self.attached)

    async def until_bytes(self, count: int) -> bytes:
        await self.until(lambda: len(self.data) >= count)
        return bytes(self.data)
