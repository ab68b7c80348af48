"""Connections of browsers: how many each address may have, and for how long one may be open without a request.

Stands between the network and the web server, which sees only connections that were admitted here. TLS begins after
that too, so that half a handshake counts as well.
"""

import asyncio
import ssl
from collections import Counter
from collections.abc import Callable
from typing import cast

REQUEST_WITHIN = 20.0
"""Seconds for the head of a request, from the connection or from the end of the request before."""

MOST_CONNECTIONS, MOST_OF_AN_ADDRESS = 500, 120
"""Open at once. A browser needs six at most; a service may have 1,024 files open."""


class AddressLimit:
    """Counts what is in use, by address and in all."""

    def __init__(self, most: int, most_of_an_address: int) -> None:
        self._most = most
        self._most_of_an_address = most_of_an_address
        self._used: Counter[str] = Counter()
        self._in_all = 0

    def take(self, address: str) -> bool:
        """Take one, if there is one left for this address."""
        if self._in_all >= self._most or self._used[address] >= self._most_of_an_address:
            return False
        self._used[address] += 1
        self._in_all += 1
        return True

    def give_back(self, address: str) -> None:
        self._in_all -= 1
        self._used[address] -= 1
        if not self._used[address]:
            del self._used[address]


class Connection(asyncio.Protocol):
    """One connection. Everything it receives goes to the web server's own protocol, if the connection is admitted."""

    def __init__(
        self,
        served: asyncio.Protocol,
        limit: AddressLimit,
        tls: ssl.SSLContext | None,
        ended: Callable[[asyncio.Protocol], None],
    ) -> None:
        self._served = served
        self._limit = limit
        self._tls = tls
        self._ended = ended
        self._address: str | None = None
        """Set once the connection counts."""
        self._is_served = False
        self._early = b""
        """What came with the last bytes of the handshake."""
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._handshake: asyncio.Task[None] | None = None

    # --- what the web server reports ---------------------------------------------------------------------------------

    def request_begins(self) -> None:
        """The head of a request is complete."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def request_ends(self) -> None:
        self.request_begins()
        if self._transport is not None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(REQUEST_WITHIN, self._transport.abort)

    # --- what asyncio reports ----------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        address = _address_of(transport)
        if not self._limit.take(address):
            self._transport.abort()
            return
        self._address = address
        self.request_ends()
        if self._tls is None:
            self._serve()
        else:
            # Nothing is read before the handshake reads it.
            self._transport.pause_reading()
            self._handshake = asyncio.create_task(self._begin_tls(self._tls), name="TLS handshake")

    async def _begin_tls(self, tls: ssl.SSLContext) -> None:
        loop = asyncio.get_running_loop()
        plain = cast("asyncio.Transport", self._transport)
        try:
            secured = await loop.start_tls(
                plain, self, tls, server_side=True, ssl_handshake_timeout=REQUEST_WITHIN, ssl_shutdown_timeout=1.0
            )
        except (OSError, asyncio.CancelledError):
            plain.abort()
            self._release()
            return
        if secured is None:  # it was closed meanwhile
            self._release()
            return
        self._transport = secured
        self._serve()

    def _serve(self) -> None:
        self._is_served = True
        self._served.connection_made(cast("asyncio.Transport", self._transport))
        if self._early:
            self._served.data_received(self._early)
            self._early = b""

    def data_received(self, data: bytes) -> None:
        if self._is_served:
            self._served.data_received(data)
        else:
            self._early += data

    def eof_received(self) -> bool | None:
        return self._served.eof_received() if self._is_served else None

    def pause_writing(self) -> None:
        if self._is_served:
            self._served.pause_writing()

    def resume_writing(self) -> None:
        if self._is_served:
            self._served.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_served:
            self._served.connection_lost(exc)
        self._release()

    def _release(self) -> None:
        """Called twice where a handshake fails."""
        self.request_begins()
        if self._transport is None:
            return
        self._transport = None
        if self._address is not None:
            self._limit.give_back(self._address)
        self._ended(self._served)


def _address_of(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""
