"""The four reasons. Each experiment takes a client, has a bounded time, and finds whether the reason holds with it."""

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from tests.aiomqtt_reasons.clients import PASSWORD, USER, Connection
from tests.simulator.broker.compatibility.brokers import MosquittoUnderTest, Setting

LONGEST = 10.0
"""Seconds for the whole of an experiment."""
STILL = 1.0
"""Seconds after which something counts as still going on; aiomqtt 2.5.1 waits for a publish for 10."""

CONNACK = bytes.fromhex("20 03 00 00 00")
LARGEST_PACKET = 1234
CONNACK_WITH_LIMIT = bytes.fromhex("20 08 00 00 05 27") + LARGEST_PACKET.to_bytes(4, "big")
"""Accepted, with the property Maximum Packet Size (0x27)."""


class Finding(NamedTuple):
    holds: bool
    evidence: str


class Connect(Protocol):
    def __call__(self, port: int, *, tls: bool = False) -> AbstractAsyncContextManager[Connection]: ...


class Scripted:
    """A TCP server for one connection, which does what the experiment says and nothing else."""

    def __init__(self) -> None:
        self.port = 0
        self._arrived: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()

    async def accept(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.shield(self._arrived)

    async def accept_mqtt(self, connack: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.accept()
        assert await reader.read(4096), "no CONNECT"
        writer.write(connack)
        return reader, writer

    def arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._arrived.done():
            writer.transport.abort()
        else:
            self._arrived.set_result((reader, writer))

    def hang_up(self) -> None:
        if self._arrived.done():
            self._arrived.result()[1].transport.abort()
        else:
            self._arrived.cancel()


@asynccontextmanager
async def scripted_server() -> AsyncIterator[Scripted]:
    scripted = Scripted()
    server = await asyncio.start_server(scripted.arrived, "127.0.0.1", 0)
    scripted.port = server.sockets[0].getsockname()[1]
    try:
        yield scripted
    finally:
        server.close()
        scripted.hang_up()
        await server.wait_closed()


# --- 1 ---------------------------------------------------------------------------------------------------------------


async def connecting_cannot_be_cancelled(connect: Connect) -> Finding:
    """The server accepts and never answers the TLS handshake; the connecting task is cancelled in the middle of it."""
    before = set(threading.enumerate())

    async def come_and_go(port: int) -> None:
        async with connect(port, tls=True):
            pass

    async with scripted_server() as server:
        connecting = asyncio.create_task(come_and_go(server.port))
        accepting = asyncio.create_task(server.accept())
        await asyncio.wait([connecting, accepting], return_when=asyncio.FIRST_COMPLETED)
        assert not connecting.done(), connecting
        reader, _ = await accepting
        assert await reader.read(4096), "no ClientHello"
        connecting.cancel()
        await asyncio.wait([connecting])
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(STILL):
                await reader.read()
        open_still = not reader.at_eof()
        threads = [thread.name for thread in set(threading.enumerate()) - before]
    # The server has hung up, so that a thread that was left behind ends before the next experiment.
    await asyncio.get_running_loop().shutdown_default_executor()
    if open_still:
        return Finding(
            holds=True,
            evidence=f"{STILL:g} s after connecting was cancelled the connection is still open, "
            f"and {', '.join(threads) or 'no thread'} is still at work on it",
        )
    return Finding(holds=False, evidence="cancelling closes the connection")


# --- 2 ---------------------------------------------------------------------------------------------------------------


async def a_refused_publish_looks_confirmed(connect: Connect) -> Finding:
    """Mosquitto's access list forbids the topic, so it answers the publish with PUBACK, reason code 0x87."""
    access = f"user {USER}\ntopic readwrite allowed\n"
    with tempfile.TemporaryDirectory(prefix="aiomqtt-reasons-") as folder:
        broker = MosquittoUnderTest(Setting(users={USER: PASSWORD}, access_file=access), Path(folder))
        await broker.start()
        try:
            async with connect(broker.port) as connection:
                confirmed = await connection.publish("allowed", b"x")
                try:
                    refused = await connection.publish("forbidden", b"x")
                except Exception as error:  # noqa: BLE001 - whatever a release makes of it, it was noticed
                    return Finding(holds=False, evidence=f"the refused publish raised {error!r}")
        finally:
            await broker.end()
    if refused == confirmed:
        return Finding(holds=True, evidence=f"a publish refused with 0x87 returned {refused!r}, like a confirmed one")
    return Finding(holds=False, evidence=f"the refused publish returned {refused!r}, a confirmed one {confirmed!r}")


# --- 3 ---------------------------------------------------------------------------------------------------------------


async def a_publish_hangs_when_the_connection_is_lost(connect: Connect) -> Finding:
    """The server hangs up instead of confirming, and the library has noticed that before the clock starts."""
    async with scripted_server() as server:
        accepting = asyncio.create_task(server.accept_mqtt(CONNACK))
        async with connect(server.port) as connection:
            reader, writer = await accepting
            publishing = asyncio.create_task(connection.publish("card", b"x"))
            assert await reader.read(4096), "no PUBLISH"
            writer.transport.abort()
            await connection.lost()
            await asyncio.wait([publishing], timeout=STILL)
            waits = not publishing.done()
            publishing.cancel()
            (result,) = await asyncio.gather(publishing, return_exceptions=True)
    if waits:
        return Finding(holds=True, evidence=f"the publish is still waiting {STILL:g} s after the loss was noticed")
    return Finding(holds=False, evidence=f"the publish ended with {result!r}")


# --- 4 ---------------------------------------------------------------------------------------------------------------


async def connack_properties_are_hidden(connect: Connect) -> Finding:
    """CONNACK limits packets to 1234 bytes: a larger one is sent, and the caller has no way to see the limit."""
    async with scripted_server() as server:
        accepting = asyncio.create_task(server.accept_mqtt(CONNACK_WITH_LIMIT))
        async with connect(server.port) as connection:
            reader, writer = await accepting
            shown = sorted(path for path, value in public_values(connection.public) if value == LARGEST_PACKET)
            publishing = asyncio.create_task(connection.publish("card", bytes(2 * LARGEST_PACKET)))
            reading = asyncio.create_task(reader.readexactly(2 * LARGEST_PACKET))
            await asyncio.wait([publishing, reading], return_when=asyncio.FIRST_COMPLETED)
            sent = reading.done()
            for task in (publishing, reading):
                task.cancel()
            refusal, _ = await asyncio.gather(publishing, reading, return_exceptions=True)
            writer.transport.abort()
            await connection.lost()
    if sent and not shown:
        return Finding(
            holds=True,
            evidence=f"CONNACK limits packets to {LARGEST_PACKET} bytes: a larger one was sent, and no public "
            "attribute of the client has the limit",
        )
    seen = f"the limit is at {', '.join(shown)}" if shown else f"the library keeps to it: {refusal!r}"
    return Finding(holds=False, evidence=seen)


def public_values(thing: object, path: str = "client", depth: int = 4) -> Iterator[tuple[str, object]]:
    """Everything within reach of an object by public attributes, keys and positions, with the way there."""
    yield path, thing
    if depth == 0 or callable(thing) or isinstance(thing, (str, bytes, int, float, type(None))):
        return
    if isinstance(thing, dict):
        parts = [(f"[{key!r}]", value) for key, value in thing.items()]
    elif isinstance(thing, (list, tuple)):
        parts = [(f"[{number}]", value) for number, value in enumerate(thing)]
    else:
        parts = [(f".{name}", _value(thing, name)) for name in dir(thing) if not name.startswith("_")]
    for name, value in parts:
        yield from public_values(value, f"{path}{name}", depth - 1)


def _value(thing: object, name: str) -> object:
    try:
        return getattr(thing, name)
    except Exception as error:  # noqa: BLE001 - a property may refuse for whatever reason
        return error


REASONS: dict[str, Callable[[Connect], Awaitable[Finding]]] = {
    "connecting runs in a thread that cannot be cancelled": connecting_cannot_be_cancelled,
    "a publish that the broker refuses looks confirmed": a_refused_publish_looks_confirmed,
    "a publish under way hangs when the connection is lost": a_publish_hangs_when_the_connection_is_lost,
    "the properties of the CONNACK are hidden": connack_properties_are_hidden,
}


async def try_out(experiment: Callable[[Connect], Awaitable[Finding]], connect: Connect) -> Finding:
    async with asyncio.timeout(LONGEST):
        return await experiment(connect)
