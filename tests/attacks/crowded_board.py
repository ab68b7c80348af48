"""Half requests, unread streams and bytes that are not HTTP: the board answers others, and its log stays small."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from tests.attacks.attack import Attack
from tests.board.room import free_port
from tests.daemon.house_file import SITE
from tests.daemon.programs import PATIENCE, Program
from tests.table_files import write

ATTACKER, VISITOR = "127.0.0.1", "127.0.0.2"
"""Two addresses of this machine."""

LARGEST_LOG = 16 * 1024
HALF = b"GET /pit HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:"
STREAM = b"GET /news/pit HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
NOT_HTTP = b"GET / HTTP/1.1\r\nContent-Length: -1\r\nX: \x1b]0;\x07\r\n\r\n"

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _line(port: int, address: str) -> Line:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def _first_line(port: int, address: str, request: bytes) -> bytes:
    reader, writer = await _line(port, address)
    try:
        writer.write(request)
        async with asyncio.timeout(PATIENCE):
            return await reader.readline()
    finally:
        writer.close()


async def _kept_open(stack: AsyncExitStack, port: int, request: bytes) -> None:
    with suppress(ConnectionError):
        _, writer = await _line(port, ATTACKER)
        stack.callback(writer.close)
        writer.write(request)


async def _not_http(_stack: AsyncExitStack, port: int) -> None:
    with suppress(ConnectionError):
        reader, writer = await _line(port, ATTACKER)
        writer.write(NOT_HTTP)
        answer = await reader.read()
        writer.close()
        assert b"Server" not in answer, answer
        assert b"Python" not in answer, answer


async def _attacked(folder: Path, tries: int, attack: Callable[[AsyncExitStack, int], Awaitable[None]]) -> str:
    port = free_port()
    data = {"mqtt": {"host": "127.0.0.1", "port": free_port()}, "board": {"site": SITE, "port": port}}
    board = Program("shoe-controller", "board", str(write(folder, data)), log=folder / "board.log")
    await board.start()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(board.kill)
        async with asyncio.timeout(60):
            while '"ready"' not in board.output:  # noqa: ASYNC110 - a line in a log
                await asyncio.sleep(0.02)
        for _ in range(tries):
            await attack(stack, port)
        for request in (b"GET /pit HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", STREAM):
            answer = await _first_line(port, VISITOR, request)
            assert answer.startswith(b"HTTP/1.1 200"), answer
        size = len(board.output)
        assert size < LARGEST_LOG, f"{size} bytes of log: {board.output[:2000]}"
    return f"another address still gets its page and its stream; {size} bytes of log"


def _half_requests(folder: Path, tries: int) -> str:
    return asyncio.run(_attacked(folder, tries, lambda stack, port: _kept_open(stack, port, HALF)))


def _unread_streams(folder: Path, tries: int) -> str:
    return asyncio.run(_attacked(folder, tries, lambda stack, port: _kept_open(stack, port, STREAM)))


def _malformed(folder: Path, tries: int) -> str:
    return asyncio.run(_attacked(folder, tries, _not_http))


ATTACKS = (
    Attack("half requests to the board", _half_requests, tries=1100, sample=0),
    Attack("unread streams of the board", _unread_streams, tries=300, sample=300),
    Attack("bytes that are not HTTP", _malformed, tries=10_000, sample=0),
)
