"""A line to a host by its name: every address is tried, what failed is reported, and nothing is left behind.

The name server is the test's own (`socket.getaddrinfo`); the addresses are ports of this machine. That no socket stays
open, nor any task, is checked around each test by `conftest.py`.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from shoe_controller.mqtt.host_lookup import line_to

pytestmark = pytest.mark.asyncio

HOST, PORT = "broker.casino.example", 1883


NOBODY = ("255.255.255.255", PORT)
"""Everybody's address, to which no connection can be made."""


REAL = socket.getaddrinfo


def name_server(monkeypatch: pytest.MonkeyPatch, look_up: Callable[[str, int], object]) -> None:
    """Let names be looked up by this, from a thread of its own; addresses are nobody's to look up."""

    def getaddrinfo(host: str, port: int, *, type: socket.SocketKind, flags: int = 0) -> object:  # noqa: A002 - its name
        if flags & socket.AI_NUMERICHOST:
            return REAL(host, port, type=type, flags=flags)
        assert threading.current_thread().name == f"looks up {host}"
        return look_up(host, port)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def here(port: int) -> tuple[str, int]:
    return "127.0.0.1", port


def answers_with(monkeypatch: pytest.MonkeyPatch, *addresses: tuple[str, int]) -> None:
    """Let the name have these addresses."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address) for address in addresses]

    def look_up(host: str, port: int) -> object:
        assert (host, port) == (HOST, PORT)
        return found

    name_server(monkeypatch, look_up)


@contextmanager
def listening(backlog: int = 5) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as server:
        yield server.getsockname()[1]


@contextmanager
def refusing() -> Iterator[int]:
    """A port that is taken, so that nobody else listens there, and refuses every connection."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


async def test_the_first_address_that_answers_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing() as dead, listening() as first, listening() as second:
        answers_with(monkeypatch, NOBODY, here(dead), here(first), here(second))
        with await line_to(HOST, PORT) as line:
            assert line.getpeername() == ("127.0.0.1", first)
            assert not line.getblocking()


async def test_where_none_answers_the_last_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing() as dead:
        answers_with(monkeypatch, NOBODY, here(dead))
        with pytest.raises(ConnectionRefusedError):
            await line_to(HOST, PORT)
        answers_with(monkeypatch, here(dead), NOBODY)
        with pytest.raises(OSError, match=r"unreachable|denied") as caught:
            await line_to(HOST, PORT)
        assert not isinstance(caught.value, ConnectionRefusedError)


async def test_an_address_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(host: str, _port: int) -> object:
        raise AssertionError(f"{host} was looked up")

    name_server(monkeypatch, look_up)
    with listening() as port, await line_to("127.0.0.1", port) as line:
        assert line.getpeername() == ("127.0.0.1", port)


async def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    answers_with(monkeypatch)
    with pytest.raises(socket.gaierror, match="no address"):
        await line_to(HOST, PORT)


@pytest.mark.parametrize(
    "error", [socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), UnicodeError("label too long")]
)
async def test_what_the_name_server_says_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(_host: str, _port: int) -> None:
        raise error

    name_server(monkeypatch, fail)
    with pytest.raises(type(error), match=str(error.args[-1])):
        await line_to(HOST, PORT)


async def test_who_gives_up_in_the_middle_of_connecting_leaves_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(backlog=0) as busy, socket.create_connection(("127.0.0.1", busy)):
        # Its one place for those who wait is taken, so the next connection hangs.
        answers_with(monkeypatch, here(busy))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await line_to(HOST, PORT)


async def test_who_gives_up_does_not_wait_for_the_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, silent = threading.Event(), threading.Event()

    def look_up(_host: str, _port: int) -> list[object]:
        asked.set()
        silent.wait()
        return []

    name_server(monkeypatch, look_up)

    async def stopped_at_once() -> None:
        line = asyncio.create_task(line_to(HOST, PORT))
        await asyncio.to_thread(asked.wait)
        line.cancel()

    # A loop of its own, which must end, with all that belongs to it, while the look-up goes on.
    program = threading.Thread(target=lambda: asyncio.run(stopped_at_once()))
    program.start()
    try:
        await asyncio.to_thread(program.join, 5)
        assert not program.is_alive()
    finally:
        silent.set()
        program.join()
