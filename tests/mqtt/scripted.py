"""A broker that sends exactly what a test scripts, whatever it receives."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

WELCOME = bytes.fromhex("20 03 00 00 00")
SUBSCRIBED = bytes.fromhex("90 04 00 01 00 01")
"""The answer to the first subscription, if it is to one filter."""


@asynccontextmanager
async def saying(
    *answers: bytes, hang_up: bool = False, hear: Callable[[bytes], object] = lambda _: None
) -> AsyncIterator[int]:
    """Listen on the port that is given; each time something is received, send the next of `answers`."""
    lines: list[asyncio.StreamWriter] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append(writer)
        try:
            for answer in answers:
                hear(await reader.read(65536))
                writer.write(answer)
            while not hang_up and (heard := await reader.read(65536)):
                hear(heard)
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    try:
        yield port
    finally:
        server.close()
        for each in lines:
            each.transport.abort()
        await server.wait_closed()
