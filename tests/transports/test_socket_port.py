"""A shoe behind a serial server, on real loopback sockets."""

import asyncio
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice

import pytest

from shoe_controller.transports import socket_port
from shoe_controller.transports.socket_port import SocketPort
from shoe_controller.transports.transport import OUTPUT_LIMIT, TransportError
from tests.transports.ears import Ears
from tests.transports.leaks import Belongings
from tests.transports.noise import BURST, noise


class SerialServer:
    """One listening socket, used by a test in the loop's own thread; loopback connects without anybody's help."""

    def __init__(self, backlog: int = 5) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.address = f"socket://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections: list[socket.socket] = []

    def accept(self) -> socket.socket:
        connection, _ = self.listener.accept()
        self.connections.append(connection)
        return connection

    def close(self) -> None:
        for each in [self.listener, *self.connections]:
            each.close()


@pytest.fixture
def server(nothing_leaks: None) -> Iterator[SerialServer]:  # noqa: ARG001 - opened inside the leak check
    server = SerialServer()
    yield server
    server.close()


def reset(connection: socket.socket) -> None:
    """Hang up the hard way, as a server that lost its power and came back would."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def receive(connection: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        data = connection.recv(size - len(received))
        assert data, "hung up too early"
        received += data
    return bytes(received)


@pytest.mark.asyncio
async def test_large_bursts_both_ways_at_once_lose_nothing(server: SerialServer) -> None:
    ears = Ears()
    line = await SocketPort(server.address).open(ears.on_bytes, ears.on_lost)
    connection = server.accept()
    down, up = noise(BURST, seed=2), noise(BURST, seed=3)
    arrived = []
    threads = [
        threading.Thread(target=connection.sendall, args=(up,)),
        threading.Thread(target=lambda: arrived.append(receive(connection, BURST))),
    ]
    for thread in threads:
        thread.start()
    line.write(down)
    assert await ears.hear_bytes(BURST) == up
    for thread in threads:
        thread.join()
    assert arrived == [down]
    await line.close()
    assert ears.lost == []


@pytest.mark.asyncio
async def test_the_line_says_things_at_once_and_notices_a_dead_server(server: SerialServer) -> None:
    before = Belongings.now().files
    line = await SocketPort(server.address).open(print, print)
    ((descriptor, _),) = Belongings.now().files - before
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 10_000
    await line.close()


@pytest.mark.parametrize("hang_up", [socket.socket.close, reset])
@pytest.mark.asyncio
async def test_the_other_end_hangs_up(server: SerialServer, hang_up: Callable[[socket.socket], None]) -> None:
    ears = Ears()
    line = await SocketPort(server.address).open(ears.on_bytes, ears.on_lost)
    connection = server.accept()
    connection.sendall(b"last words")
    await ears.hear_bytes(10)
    hang_up(connection)
    assert "closed the connection or fell silent" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_what_was_said_before_the_line_broke_is_not_lost_to_a_write(server: SerialServer) -> None:
    ears = Ears()
    line = await SocketPort(server.address).open(ears.on_bytes, ears.on_lost)
    connection = server.accept()
    said = noise(10_000)
    connection.sendall(said)
    reset(connection)
    line.write(b"meets the reset before the loop has read a byte")
    await ears.hear_the_end()
    assert ears.data == said
    await line.close()


@pytest.mark.asyncio
async def test_a_server_that_never_reads_ends_the_line(server: SerialServer) -> None:
    ears = Ears()
    line = await SocketPort(server.address).open(ears.on_bytes, ears.on_lost)
    server.accept()
    written = 0
    while not ears.lost:
        line.write(bytes(OUTPUT_LIMIT // 2))
        written += OUTPUT_LIMIT // 2
        assert written < 64 * 1024 * 1024, "the output buffer has no bound"
        await asyncio.sleep(0)
    assert "accepts no bytes" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_closing_lets_the_last_bytes_leave(server: SerialServer) -> None:
    server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that bytes wait in our own kernel
    line = await SocketPort(server.address).open(print, print)
    connection = server.accept()
    connection.sendall(b"unread, which would make a careless close throw our own bytes away")
    said = noise(40_000)
    line.write(said)
    arrived = []
    reader = threading.Thread(target=lambda: arrived.append(receive(connection, len(said))))
    closing = asyncio.create_task(line.close())
    await asyncio.sleep(0)
    reader.start()
    await closing
    reader.join()
    assert arrived == [said]


@pytest.mark.asyncio
async def test_nobody_listens(server: SerialServer) -> None:
    server.close()
    with pytest.raises(TransportError, match="no answer from there"):
        await SocketPort(server.address).open(print, print)


@pytest.mark.asyncio
async def test_a_host_name_is_looked_up(server: SerialServer) -> None:
    line = await SocketPort(server.address.replace("127.0.0.1", "localhost")).open(print, print)
    server.accept()
    await line.close()


@pytest.mark.asyncio
async def test_an_unknown_host_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody_knows_it(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody_knows_it)  # a real name server may take its time to say so
    with pytest.raises(TransportError, match="host name is not known"):
        await SocketPort("socket://no-such-host.invalid:7000").open(print, print)


@pytest.fixture
def deaf_server(nothing_leaks: None) -> Iterator[SerialServer]:  # noqa: ARG001 - opened inside the leak check
    """A server whose queue is full: a connection to it neither succeeds nor fails."""
    server = SerialServer(backlog=0)
    waiting = []
    for _ in range(4):
        connection = socket.socket()
        connection.setblocking(False)  # noqa: FBT003 - the standard library takes it no other way
        with suppress(BlockingIOError):
            connection.connect(server.listener.getsockname())
        waiting.append(connection)
    yield server
    for connection in waiting:
        connection.close()
    server.close()


@pytest.mark.asyncio
async def test_a_server_that_does_not_answer_in_time(
    deaf_server: SerialServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_port, "CONNECT_SECONDS", 0.2)
    with pytest.raises(TransportError, match="no answer from there"):
        await SocketPort(deaf_server.address).open(print, print)


@pytest.mark.asyncio
async def test_cancelling_while_connecting(deaf_server: SerialServer) -> None:
    opening = asyncio.create_task(SocketPort(deaf_server.address).open(print, print))
    for _ in range(3):
        await asyncio.sleep(0)
    assert not opening.done()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening


def test_attempts_become_rarer_but_never_stop() -> None:
    delays = SocketPort("socket://shoe-server:7000").retry_delays()
    assert list(islice(delays, 8)) == [0.5, 1, 2, 4, 8, 10, 10, 10]


@pytest.mark.parametrize("address", ["socket://[::1]:7000", "socket://shoe_1.pit-3.lan:1", "socket://10.0.0.7:65535/"])
def test_addresses(address: str) -> None:
    assert SocketPort(address).name == address


@pytest.mark.parametrize(
    "address",
    [
        "socket://",
        "socket://host",
        "socket://host:",
        "socket://:7000",
        "socket://host:0",
        "socket://host:65536",
        "socket://host:-1",
        "socket://host:7000:7001",
        "socket://host:\uff17\uff10\uff10\uff10",  # digits, but not ours
        "socket://ho st:7000",
        "socket://a..b:7000",
        "socket://" + "x" * 64 + ":7000",
        "socket://host:7000?logging=debug",
        "socket://::1:7000",
        "socket://[::1:7000",
        "SOCKET://host:7000",
    ],
)
def test_nonsense_addresses(address: str) -> None:
    with pytest.raises(TransportError, match="is not the address of a shoe: write socket://host:port"):
        SocketPort(address)
