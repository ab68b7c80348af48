"""The TCP port: one host at a time, and a place that is its own."""

import asyncio
import re
import socket
import struct
import sys

import pytest

from simulator.ports.listening import Listening
from simulator.ports.port import LINE_BUFFER, PortError, plugged_in
from simulator.ports.tcp import TcpPort
from tests.simulator.ports.shoe_end import ShoeEnd
from tests.transports.noise import noise


def place(port: TcpPort) -> tuple[str, int]:
    match = re.fullmatch(r"socket://\[?([0-9.:]+?)\]?:([0-9]+)", port.address)
    assert match
    return match[1], int(match[2])


def connect(port: TcpPort) -> socket.socket:
    return socket.create_connection(place(port), timeout=10)


@pytest.mark.asyncio
async def test_the_address_has_the_port_that_was_found_and_keeps_it(shoe: ShoeEnd) -> None:
    port = TcpPort()
    async with plugged_in(port, shoe):
        address = port.address
        assert re.fullmatch(r"socket://127\.0\.0\.1:[1-9][0-9]+", address)
        await port.unplug()
        with pytest.raises(ConnectionRefusedError):
            connect(port)
        await port.replug()
        assert port.address == address
        connect(port).close()
        await shoe.until(lambda: shoe.hosts == 1)


@pytest.mark.asyncio
async def test_it_is_open_to_this_machine_only_unless_told_otherwise(shoe: ShoeEnd) -> None:
    port = TcpPort()
    async with plugged_in(port, shoe):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", place(port)[1]), timeout=10)
    everywhere = TcpPort("0.0.0.0")  # noqa: S104 - what is tested
    async with plugged_in(everywhere, shoe):
        socket.create_connection(("127.0.0.2", place(everywhere)[1]), timeout=10).close()
        await shoe.until(lambda: shoe.hosts == 1)


@pytest.mark.asyncio
async def test_ip_version_6(shoe: ShoeEnd) -> None:
    port = TcpPort("::1")
    async with plugged_in(port, shoe):
        assert port.address.startswith("socket://[::1]:")
        with connect(port) as host:
            host.sendall(b"six")
            assert await shoe.until_bytes(3) == b"six"


@pytest.mark.asyncio
async def test_a_second_host_is_turned_away_at_once(shoe: ShoeEnd) -> None:
    port = TcpPort()
    async with plugged_in(port, shoe):
        with connect(port) as first:
            await shoe.until_host()
            for _ in range(3):
                with connect(port) as second, pytest.raises(ConnectionResetError):
                    await asyncio.to_thread(second.recv, 1)
            first.sendall(b"undisturbed")
            assert await shoe.until_bytes(11) == b"undisturbed"
            port.write(b"yes")
            assert await asyncio.to_thread(first.recv, 3) == b"yes"
        await shoe.until_no_host()
        with connect(port):
            await shoe.until(lambda: shoe.hosts == 2)


@pytest.mark.asyncio
async def test_small_messages_are_not_held_back_and_silence_is_looked_into() -> None:
    """With Nagle's algorithm the second of two small messages would wait 40 ms for a confirmation."""
    accepted: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()
    listening = Listening("127.0.0.1", 0, accepted.set_result)
    listening.start()
    with socket.create_connection((listening.host, listening.port)), await accepted as connection:
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert not connection.getblocking()
    listening.stop()


@pytest.mark.asyncio
async def test_a_host_that_vanishes_with_a_reset(shoe: ShoeEnd) -> None:
    port = TcpPort()
    async with plugged_in(port, shoe):
        for number in range(1, 4):
            host = connect(port)
            await shoe.until(lambda number=number: shoe.hosts == number)  # type: ignore[misc]
            port.write(noise(LINE_BUFFER, number))
            host.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            host.close()
            await shoe.until_no_host()


@pytest.mark.asyncio
async def test_a_host_that_never_reads_loses_the_newest_bytes_and_delays_nobody(shoe: ShoeEnd) -> None:
    port = TcpPort()
    chunk = noise(LINE_BUFFER)
    async with plugged_in(port, shoe):
        with connect(port) as host:
            await shoe.until_host()
            sent = bytearray()
            while not port.lost_bytes:  # the kernels at both ends take some megabytes first
                port.write(chunk)
                sent += chunk
                assert len(sent) < 100 * LINE_BUFFER
            kept = len(sent) - port.lost_bytes
            received = await asyncio.to_thread(_receive, host, kept)
            assert received == sent[:kept]


@pytest.mark.asyncio
async def test_unplugging_lets_a_slow_host_have_what_is_still_waiting(shoe: ShoeEnd) -> None:
    port = TcpPort()
    chunk = noise(LINE_BUFFER)
    async with plugged_in(port, shoe):
        with connect(port) as host:
            await shoe.until_host()
            sent = bytearray()
            while not port.lost_bytes:
                port.write(chunk)
                sent += chunk
            kept = len(sent) - port.lost_bytes
            reading = asyncio.create_task(asyncio.to_thread(_receive, host, kept + 1))
            await port.unplug()
            assert await reading == sent[:kept]


def _receive(host: socket.socket, size: int) -> bytes:
    """So many bytes, or all there are until the connection ends."""
    data = bytearray()
    while len(data) < size and (more := host.recv(size)):
        data += more
    return bytes(data)


@pytest.mark.asyncio
async def test_a_port_that_is_taken(shoe: ShoeEnd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        port = TcpPort(port=number)
        with pytest.raises(
            PortError, match=rf"127\.0\.0\.1:{number} is in use by another program .*choose another port"
        ):
            await port.open(shoe)
        await port.close()
    async with plugged_in(port, shoe):
        await port.unplug()
        with socket.create_server(place(port)), pytest.raises(PortError, match="is in use by another program"):
            await port.replug()
        await port.replug()
        connect(port).close()
        await shoe.until(lambda: shoe.hosts == 1)


@pytest.mark.asyncio
async def test_an_address_of_another_machine(shoe: ShoeEnd) -> None:
    port = TcpPort("192.0.2.1")
    with pytest.raises(PortError, match=r"192\.0\.2\.1 is not an address of this machine"):
        await port.open(shoe)


@pytest.mark.parametrize("host", ["", "localhost", "shoe.example", "127.0.0.1:80", "300.0.0.1", "socket://127.0.0.1"])
def test_what_is_not_an_address(host: str) -> None:
    with pytest.raises(PortError, match=r"is not an address to listen at: write 127\.0\.0\.1 for this machine only"):
        TcpPort(host)


@pytest.mark.parametrize("port", [-1, 65536, sys.maxsize])
def test_what_is_not_a_port(port: int) -> None:
    with pytest.raises(PortError, match=f"{port} is not a port: write a number from 1 to 65535"):
        TcpPort(port=port)
