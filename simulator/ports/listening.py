"""Sockets that wait for a host: what the TCP and USB/IP ports have in common. Standard library only.

The address is numeric, never a name: nothing is looked up, and it is plain which network the shoe is open to.
"""

import asyncio
import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress

from simulator.ports.port import PortError

LOOPBACK = "127.0.0.1"
BACKLOG = 16

_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    # A host that vanished silently is noticed after 5 + 3 * 2 seconds, and the next one can connect.
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
)


class Listening:
    """A listening socket, open or not. `accepted` is called with each connection, non-blocking and tuned."""

    def __init__(self, host: str, port: int, accepted: Callable[[socket.socket], None]) -> None:
        try:
            address = ipaddress.ip_address(host)
        except ValueError as error:
            raise PortError(
                f"{host!r} is not an address to listen at: write {LOOPBACK} for this machine only, "
                "or 0.0.0.0 for every network it is on."
            ) from error
        if not 0 <= port <= 0xFFFF:
            raise PortError(f"{port} is not a port: write a number from 1 to 65535, or 0 for any free one.")
        self._family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        self.host = host
        self.port = port
        """As requested; 0 becomes the real one at the first `start`, and stays so."""
        self._accepted = accepted
        self._socket: socket.socket | None = None

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}" if self._family == socket.AF_INET else f"[{self.host}]:{self.port}"

    def start(self) -> None:
        if self._socket is not None:
            return
        listener = socket.socket(self._family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setblocking(False)  # noqa: FBT003 - positional only in the standard library
            listener.bind((self.host, self.port))
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            raise PortError(self._explain(error)) from error
        self.port = listener.getsockname()[1]
        self._socket = listener
        asyncio.get_running_loop().add_reader(listener, self._accept)

    def stop(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _accept(self) -> None:
        if self._socket is None:
            return
        try:
            connection, _ = self._socket.accept()
        except OSError:  # the client has gone again
            return
        try:
            connection.setblocking(False)  # noqa: FBT003 - as above
            for level, option, value in _OPTIONS:
                connection.setsockopt(level, option, value)
        except OSError:
            connection.close()
            return
        self._accepted(connection)

    def _explain(self, error: OSError) -> str:
        if error.errno == errno.EADDRINUSE:
            return (
                f"{self.name} is in use by another program (`ss -ltnp 'sport = :{self.port}'` shows which). "
                "Stop it, or choose another port."
            )
        if error.errno == errno.EADDRNOTAVAIL:
            return f"{self.name}: {self.host} is not an address of this machine. `ip address` lists those it has."
        if error.errno in {errno.EACCES, errno.EPERM}:
            return f"{self.name}: this user may not listen at port {self.port}. Choose one from 1024 up."
        return f"{self.name}: cannot listen there: {os.strerror(error.errno or 0)}. Choose another address."


def refuse(connection: socket.socket) -> None:
    """Reset a connection, so that the other end notices at once."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.close()
