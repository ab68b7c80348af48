"""Connects to a host by name; the lookup runs in a daemon thread, which does not delay shutdown.

asyncio looks names up in threads of its own, and a program does not exit before they do: with a name server that does
not answer, a controller that was stopped would take half a minute to exit.
"""

import asyncio
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

Address = tuple[int, int, int, str, Any]
"""Family, kind, protocol, canonical name and address, as `socket.getaddrinfo` has them."""


async def line_to(host: str, port: int) -> socket.socket:
    """A connected socket to the first of the host's addresses that answers; the last error if none does."""
    loop = asyncio.get_running_loop()
    failed: OSError = socket.gaierror(socket.EAI_NONAME, "it has no address")
    for family, kind, protocol, _, address in await _addresses_of(host, port):
        line = socket.socket(family, kind, protocol)
        line.setblocking(False)  # noqa: FBT003 - the name of the call says it
        try:
            await loop.sock_connect(line, address)
        except OSError as error:
            line.close()
            failed = error
        except BaseException:
            line.close()
            raise
        else:
            return line
    raise failed


async def _addresses_of(host: str, port: int) -> Sequence[Address]:
    with suppress(OSError, ValueError):
        # An address has nothing that would have to be looked up, and needs no thread.
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Sequence[Address]] = loop.create_future()

    def settle(outcome: Sequence[Address] | BaseException) -> None:
        if found.done():
            return
        if isinstance(outcome, BaseException):
            found.set_exception(outcome)
        else:
            found.set_result(outcome)

    def look_up() -> None:
        outcome: Sequence[Address] | BaseException
        try:
            outcome = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:
            outcome = error
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=look_up, name=f"looks up {host}", daemon=True).start()
    return await found
