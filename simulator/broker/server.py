"""The emulated broker on a TCP port of this machine: sockets and a timer around `BrokerCore`, nothing more."""

import asyncio
import errno
import ipaddress
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from simulator.broker.access import EVERYTHING_ALLOWED, AccessList
from simulator.broker.connection import Ending
from simulator.broker.core import BrokerCore
from simulator.broker.limits import BrokerLimits
from simulator.broker.misbehaviour import Misbehaviour

LOOPBACK = "127.0.0.1"
LINGER_SECONDS = 1.0
"""Seconds a client has to close after DISCONNECT; until then it can still read the reason."""

_log = logging.getLogger(__name__)


class BrokerAddressError(ValueError):
    """The broker cannot listen at the given address."""


class EmulatedBroker:
    """A broker for demonstrations and tests, never for production: `async with EmulatedBroker() as broker: ...`."""

    def __init__(
        self,
        *,
        port: int = 0,
        host: str = LOOPBACK,
        users: Mapping[str, str] | None = None,
        access: AccessList = EVERYTHING_ALLOWED,
        limits: BrokerLimits | None = None,
    ) -> None:
        """Prepare a broker on this port; 0 chooses a free one, which `port` then returns."""
        self.host = _loopback(host)
        self.port = _checked_port(port)
        self.core = BrokerCore(users=users, access=access, limits=limits)
        self._server: asyncio.Server | None = None
        self._lines: dict[int, ClientLine] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def misbehaviour(self) -> Misbehaviour:
        """The rules by which this broker misbehaves."""
        return self.core.misbehaviour

    async def start(self) -> None:
        """Listen; on the same port as before if it has been stopped."""
        if self._server is not None:
            return
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: ClientLine(self), self.host, self.port)
        except OSError as error:
            raise self._explained(error) from error
        self.port = self._server.sockets[0].getsockname()[1]
        self.flush()

    async def stop(self, *, keep_sessions: bool = True, keep_retained: bool = True, orderly: bool = True) -> None:
        """Close the port and every connection. What is kept is there again after `start`.

        An orderly shutdown publishes the clients' wills first; `orderly=False` is a crash.
        """
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        self.core.restart(self.now, keep_sessions=keep_sessions, keep_retained=keep_retained, orderly=orderly)
        lines = list(self._lines.values())
        self.flush()
        for line in lines:
            line.abort()
        await asyncio.gather(*(line.closed.wait() for line in lines))
        await server.wait_closed()
        if self._timer is not None:
            self._timer.cancel()

    async def restart(self, *, keep_sessions: bool = True, keep_retained: bool = True, orderly: bool = True) -> None:
        """Stop and start on the same port."""
        await self.stop(keep_sessions=keep_sessions, keep_retained=keep_retained, orderly=orderly)
        await self.start()

    def stall(self) -> None:
        """Hang: connections stay open, and nothing more is read or written."""
        self.core.stall()
        for line in self._lines.values():
            line.adjust_reading()

    def resume(self) -> None:
        """Resume after a stall."""
        self.core.resume(self.now)
        for line in self._lines.values():
            line.adjust_reading()
        self.flush()

    def release_acknowledgements(self) -> None:
        """Send every withheld acknowledgement whose client is still connected."""
        self.core.release_acknowledgements()
        self.flush()

    @property
    def is_listening(self) -> bool:
        return self._server is not None

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def flush(self) -> None:
        """Write the core's output and set the timer for its next deadline."""
        while outgoing := self.core.to_send(self.now):
            for each in outgoing:
                if (line := self._lines.get(each.connection)) is not None:
                    line.send(each.data, each.ending)
        for note in self.core.take_notes():
            _log.info("%s", note)
        self._set_timer()

    def line_opened(self, line: "ClientLine") -> int:
        number = self.core.connected(self.now)
        self._lines[number] = line
        return number

    def line_closed(self, number: int) -> None:
        del self._lines[number]
        self.core.lost(number, self.now)
        self.flush()

    def _set_timer(self) -> None:
        deadline = self.core.next_deadline()
        if self._timer is not None:
            if self._timer.when() == deadline and not self._timer.cancelled():
                return
            self._timer.cancel()
            self._timer = None
        if deadline is not None and self._server is not None:
            self._timer = asyncio.get_running_loop().call_at(deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.core.tick(self.now)
        self.flush()

    def _explained(self, error: OSError) -> BrokerAddressError:
        if error.errno == errno.EADDRINUSE:
            return BrokerAddressError(
                f"port {self.port} of {self.host} is in use by another program. Stop it, or choose another port."
            )
        if error.errno == errno.EACCES:
            return BrokerAddressError(f"this user may not listen on port {self.port}: choose one above 1023.")
        return BrokerAddressError(f"cannot listen on port {self.port} of {self.host}: {error.strerror}")


class ClientLine(asyncio.Protocol):
    """One client's socket."""

    def __init__(self, broker: EmulatedBroker) -> None:
        self._broker = broker
        self._number: int | None = None
        self._transport: asyncio.Transport | None = None
        self._congested = False
        self._saying_goodbye: asyncio.TimerHandle | None = None
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_server gives, for the type checker
        self._transport = transport
        if not self._broker.is_listening:  # accepted just as the port was closed
            transport.abort()
            return
        self._number = self._broker.line_opened(self)
        self.adjust_reading()
        self._broker.flush()

    def data_received(self, data: bytes) -> None:
        if self._saying_goodbye is None and self._number is not None:
            self._broker.core.receive(self._number, data, self._broker.now)
            self._broker.flush()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the cause makes no difference
        if self._saying_goodbye is not None:
            self._saying_goodbye.cancel()
        self.closed.set()
        if self._number is not None:
            self._broker.line_closed(self._number)

    def pause_writing(self) -> None:
        self._set_congested(is_congested=True)

    def resume_writing(self) -> None:
        self._set_congested(is_congested=False)
        self._broker.flush()

    def send(self, data: bytes, ending: Ending | None) -> None:
        if self._transport is None or self._saying_goodbye is not None:
            return
        if data:
            self._transport.write(data)
        if ending is Ending.AT_ONCE:
            self._transport.abort()
        elif ending is Ending.POLITELY:
            self._half_close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def adjust_reading(self) -> None:
        """Read only while the broker runs and the client reads its answers, so that neither fills the memory."""
        if self._transport is None or self._transport.is_closing():
            return
        if self._broker.core.stalled or self._congested:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _set_congested(self, *, is_congested: bool) -> None:
        self._congested = is_congested
        if self._number is not None:
            self._broker.core.congested(self._number, self._broker.now, is_congested=is_congested)
        self.adjust_reading()

    def _half_close(self) -> None:
        """Close our half only: a full close with unread bytes would reset the connection and lose our last packet."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        loop = asyncio.get_running_loop()
        self._saying_goodbye = loop.call_later(LINGER_SECONDS, self.abort)


def _loopback(host: str) -> str:
    if host == "localhost":
        return LOOPBACK
    try:
        if ipaddress.ip_address(host).is_loopback:
            return host
    except ValueError:
        pass
    raise BrokerAddressError(
        f"{host!r} is not this machine's loopback address. The emulated broker is for demonstrations and tests and "
        f"listens on {LOOPBACK} or ::1 only; for anything else run Mosquitto."
    )


def _checked_port(port: int) -> int:
    if not 0 <= port <= 65535:
        raise BrokerAddressError(f"{port} is not a port: give a number from 1 to 65535, or 0 for any free one.")
    return port
