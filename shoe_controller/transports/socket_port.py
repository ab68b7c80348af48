"""A shoe behind a serial server, reached at socket://host:port. Standard library only.

pyserial has a handler for such addresses too; it blocks while connecting and has no keep-alive, so a server that
lost its power would never be noticed.
"""

import asyncio
import errno
import os
import re
import socket
from collections.abc import Iterator
from typing import Any

from shoe_controller.transports.descriptor_line import DescriptorLine
from shoe_controller.transports.transport import OnBytes, OnLost, Transport, TransportError
from shoe_controller.transports.troubles import explain

SOCKET_PREFIX = "socket://"
CONNECT_SECONDS = 5.0
FIRST_RETRY, LONGEST_RETRY = 0.5, 10.0

_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    # A silent server is noticed after 5 + 3 * 2 seconds, or 10 seconds after bytes it did not confirm.
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000),
)
_LABEL = r"[\w-]{1,63}"
_ADDRESS = re.compile(
    rf"{SOCKET_PREFIX}(?:\[(?P<v6>[\w:.%-]+)\]|(?P<host>{_LABEL}(?:\.{_LABEL})*)):(?P<port>[0-9]{{1,5}})/?", re.ASCII
)
_NO_ANSWER = "no answer from there. Check that the serial server is on, and its host and port."
_HUNG_UP = "the other end closed the connection or fell silent. Check the serial server and the network."
_SENTENCES = {
    errno.ECONNREFUSED: _NO_ANSWER,
    errno.EHOSTUNREACH: _NO_ANSWER,
    errno.ENETUNREACH: _NO_ANSWER,
    errno.EHOSTDOWN: _NO_ANSWER,
    errno.ENETDOWN: _NO_ANSWER,
    errno.EPIPE: _HUNG_UP,
    errno.ECONNRESET: _HUNG_UP,
    errno.ECONNABORTED: _HUNG_UP,
    errno.ETIMEDOUT: _HUNG_UP,
}


class SocketPort:
    """A TCP address; `socket://[::1]:7000` for an IPv6 host."""

    def __init__(self, address: str) -> None:
        match = _ADDRESS.fullmatch(address)
        if match is None or not 0 < int(match["port"]) < 65536:
            raise TransportError(
                f"{address!r} is not the address of a shoe: write socket://host:port, with a port from 1 to 65535."
            )
        self._host = match["v6"] or match["host"]
        self._port = int(match["port"])
        self._address = address

    @property
    def name(self) -> str:
        return self._address

    def retry_delays(self) -> Iterator[float]:
        delay = FIRST_RETRY
        while True:
            yield delay
            delay = min(delay * 2, LONGEST_RETRY)

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                connection = await self._connect()
            return DescriptorLine(
                connection.fileno(),
                on_bytes,
                on_lost,
                release=connection.close,
                explain=self._explain,
            )
        except TimeoutError as error:
            raise self._explain(OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))) from error
        except socket.gaierror as error:
            raise TransportError(
                f"{self._address}: the host name is not known ({error.strerror}). "
                "Correct it in the configuration, or check the network."
            ) from error
        except OSError as error:
            raise self._explain(error) from error

    async def _connect(self) -> socket.socket:
        """Connect to the first address of the host that answers."""
        loop = asyncio.get_running_loop()
        failure = OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))
        for family, where in await self._look_up():
            connection = socket.socket(family, socket.SOCK_STREAM)
            try:
                connection.setblocking(False)  # noqa: FBT003 - positional only in the standard library
                for level, option, value in _OPTIONS:
                    connection.setsockopt(level, option, value)
                await loop.sock_connect(connection, where)
            except OSError as error:
                connection.close()
                failure = error
            except BaseException:
                connection.close()
                raise
            else:
                return connection
        raise failure

    async def _look_up(self) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
        try:  # a numeric address needs no name server, and no thread that waits for one
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        return [(family, where) for family, _, _, _, where in found]

    def _explain(self, error: OSError) -> TransportError:
        return explain(self._address, error.errno, error.strerror or str(error), _SENTENCES)
