"""Starts programs that listen on this machine: each on a free port, and known to answer before we go on."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import NamedTuple

from shoe_controller.demo.programs import START, DemoError, Program

HOST = "127.0.0.1"
ATTEMPTS = 3
LOOK_AGAIN = 0.05


class Listening(NamedTuple):
    program: Program
    port: int


async def start_listening(program_on: Callable[[int], Program], stack: AsyncExitStack) -> Listening:
    """Start what `program_on` makes for a port; the stack ends it, also if the start is broken off."""
    name, last_words = "", ""
    for _ in range(ATTEMPTS):
        # Another program may take the port before this one opens it; then another port is tried.
        port = _free_port()
        program = program_on(port)
        stack.push_async_callback(program.stop)
        await program.start()
        if await _answers(program, port):
            return Listening(program, port)
        name, last_words = program.name, program.last_words
        await program.stop()
    raise DemoError(f"{name} did not start. Its last output:\n{last_words}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


async def _answers(program: Program, port: int) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(START):
            while program.is_running:
                try:
                    _, writer = await asyncio.open_connection(HOST, port)
                except OSError:
                    await asyncio.sleep(LOOK_AGAIN)
                    continue
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
                return program.is_running
    return False
