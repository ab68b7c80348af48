"""The network as paho sees it: asyncio's connection in the shape of a socket, on which one packet lies at a time."""

import asyncio
from collections.abc import Callable


class PacketLine(asyncio.Protocol):
    """What paho reads from and writes to; what arrives goes to `on_bytes`."""

    def __init__(self, on_bytes: Callable[[bytes], None], on_end: Callable[[Exception | None], None]) -> None:
        self.packet = b""
        """What paho may read now."""
        self.ended = asyncio.Event()
        self.transport: asyncio.Transport | None = None
        self.fault: str | None = None
        """What the broker did wrong, in more detail than paho reports."""
        self._on_bytes, self._on_end = on_bytes, on_end

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Small packets do not wait for each other: asyncio sets TCP_NODELAY on every connection.
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection gives, for the types
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._on_bytes(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()
        self._on_end(exc)

    def recv(self, buffer_size: int) -> bytes:
        if not self.packet:
            raise BlockingIOError
        taken, self.packet = self.packet[:buffer_size], self.packet[buffer_size:]
        return taken

    def send(self, buffer: bytes | bytearray) -> int:
        if self.transport is None or self.transport.is_closing():
            self.fault = "the broker hung up"
            raise ConnectionError
        self.transport.write(buffer)
        return len(buffer)

    def close(self) -> None:
        """Do nothing: the session decides when and how to close."""

    def fileno(self) -> int:
        return -1

    def setblocking(self, flag: bool) -> None:  # noqa: FBT001 - the shape of a socket
        """Do nothing: a line never blocks."""
