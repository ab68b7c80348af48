"""Reads an event stream as a browser does."""

import asyncio

import aiohttp

PATIENCE = 10.0


async def next_message(response: aiohttp.ClientResponse) -> tuple[str, str]:
    """Kind and data of the next message of a stream; "end" after the last."""
    kind, data = "message", ""
    async with asyncio.timeout(PATIENCE):
        while True:
            line = (await response.content.readline()).decode()
            if not line:
                return "end", ""
            if line == "\n" and data:
                return kind, data
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                data = value
