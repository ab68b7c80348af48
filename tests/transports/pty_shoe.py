"""A shoe on a real pseudo-terminal, found through a symbolic link as udev would make it."""

import asyncio
import os
import tty
from pathlib import Path


class PtyShoe:
    """The shoe's end of the cable. Each time it is plugged in it is another terminal behind the same link."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master: int | None = None
        self._slave: int | None = None

    @property
    def path(self) -> str:
        return str(self.link)

    @property
    def master(self) -> int:
        assert self._master is not None, "the shoe is not plugged in"
        return self._master

    @property
    def terminal(self) -> str:
        assert self._slave is not None, "the shoe is not plugged in"
        return os.ttyname(self._slave)

    @property
    def slave(self) -> int:
        assert self._slave is not None, "the shoe is not plugged in"
        return self._slave

    def plug_in(self) -> None:
        self._master, self._slave = os.openpty()  # the slave stays open: a master alone sees nothing but errors
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        new = self.link.with_suffix(".new")
        new.symlink_to(self.terminal)
        new.replace(self.link)

    def unplug(self) -> None:
        """Hang up; what is under way is thrown away, as with a real cable. No harm in doing it twice."""
        if self._master is not None and self._slave is not None:
            self.link.unlink()
            os.close(self._slave)
            os.close(self._master)
            self._master = self._slave = None

    async def send(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self.master, data) :]
            except BlockingIOError:
                await self._ready(writing=True)

    async def receive(self, size: int, step: int = 65536) -> bytes:
        """Read until `size` bytes have come, at most `step` at a time."""
        received = bytearray()
        while len(received) < size:
            try:
                received += os.read(self.master, min(step, size - len(received)))
            except BlockingIOError:
                await self._ready(writing=False)
        return bytes(received)

    async def _ready(self, *, writing: bool) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        watch, unwatch = (loop.add_writer, loop.remove_writer) if writing else (loop.add_reader, loop.remove_reader)
        watch(self.master, ready.set)
        try:
            async with asyncio.timeout(10):
                await ready.wait()
        finally:
            unwatch(self.master)
