"""The emulated shoe behind a serial server: raw bytes on a TCP connection, `socket://host:port` to the controller."""

import fcntl
import socket
import struct
import termios

from simulator.ports.descriptor_line import DescriptorLine
from simulator.ports.listening import LOOPBACK, Listening, refuse
from simulator.ports.port import PortListener, linger_until


class TcpPort:
    """One host at a time: a second one is accepted and reset at once.

    Unplugging closes the connection and the listening socket, so that a host is refused as by a serial server without
    power. What the shoe has written until then still arrives at a host that reads.
    """

    def __init__(self, host: str = LOOPBACK, port: int = 0) -> None:
        self._listening = Listening(host, port, self._accepted)
        self._listener: PortListener | None = None
        self._connection: socket.socket | None = None
        self._line: DescriptorLine | None = None
        self._unplugging = False
        self.lost_bytes = 0

    @property
    def address(self) -> str:
        """If any free port was requested, the number is known once it is open."""
        return f"socket://{self._listening.name}"

    async def open(self, listener: PortListener) -> None:
        self._listener = listener
        await self.replug()

    def write(self, data: bytes) -> None:
        if self._line is not None and not self._unplugging:
            self.lost_bytes += self._line.write(data)

    async def unplug(self) -> None:
        self._listening.stop()
        self._unplugging = True
        try:
            await linger_until(self._all_arrived)
        finally:
            self._unplugging = False
            self._hang_up()

    async def replug(self) -> None:
        self._listening.start()

    async def close(self) -> None:
        await self.unplug()

    def _accepted(self, connection: socket.socket) -> None:
        if self._connection is not None or self._listener is None:
            refuse(connection)
            return
        self._connection = connection
        self._line = DescriptorLine(connection.fileno(), self._listener.received, self._hang_up)
        self._listener.host_attached()

    def _hang_up(self) -> None:
        if self._connection is None or self._line is None:
            return
        self._line.stop()
        self._connection.close()
        self._line = self._connection = None
        if self._listener is not None:
            self._listener.host_detached()

    def _all_arrived(self) -> bool:
        return (
            self._connection is None or self._line is None or not (self._line.unsent or _unconfirmed(self._connection))
        )


def _unconfirmed(connection: socket.socket) -> int:
    """Bytes that the other end's kernel does not have yet."""
    count: int = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]
    return count
