"""The other end of sd_notify, as a service manager has it."""

import asyncio
import socket
import time
from pathlib import Path


class ServiceManager:
    """A datagram socket, read all the time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self.heard: list[tuple[float, str]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(str(self.path))
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def _read(self) -> None:
        text = self._socket.recv(4096).decode()
        self.heard += [(time.monotonic(), line) for line in text.splitlines()]

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def times(self, line: str) -> list[float]:
        return [at for at, heard in self.heard if heard == line]

    @property
    def last_state(self) -> str:
        """What it takes the service for: ready, reloading or stopping."""
        states = [heard for _, heard in self.heard if heard in ("READY=1", "RELOADING=1", "STOPPING=1")]
        return states[-1] if states else ""

    @property
    def statuses(self) -> list[str]:
        return [heard.removeprefix("STATUS=") for _, heard in self.heard if heard.startswith("STATUS=")]
