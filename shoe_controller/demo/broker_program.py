"""The broker of a demonstration: Mosquitto where there is one, else the emulated one, on a free loopback port."""

import asyncio
import getpass
import os
import shutil
import socket
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from shoe_controller.demo.programs import DemoError, Program, python

HOST = "127.0.0.1"
ATTEMPTS = 3
PATIENCE = 10.0
"""Seconds until the broker must answer."""
LOOK_AGAIN = 0.05

_WHERE_DEBIAN_KEEPS_IT = ("/usr/sbin", "/usr/local/sbin")
"""An ordinary user's PATH does not look there."""


class RunningBroker(NamedTuple):
    program: Program
    name: str
    port: int


def find_mosquitto() -> str | None:
    places = [os.environ.get("PATH", os.defpath), *_WHERE_DEBIAN_KEEPS_IT]
    return shutil.which("mosquitto", path=os.pathsep.join(places))


async def start_broker(choice: str, folder: Path, stack: AsyncExitStack) -> RunningBroker:
    """Start it; the stack ends it, also if the start is broken off."""
    mosquitto = None if choice == "emulated" else find_mosquitto()
    if choice == "mosquitto" and mosquitto is None:
        raise DemoError("there is no Mosquitto on this machine: install it, or leave --broker out for the emulated one")
    last_words = ""
    for _ in range(ATTEMPTS):
        # Between our looking and the broker's opening somebody else may take the port; then another one is tried.
        port = _free_port()
        broker = _mosquitto(mosquitto, port, folder) if mosquitto else _emulated(port, folder)
        stack.push_async_callback(broker.program.stop)
        await broker.program.start()
        if await _answers(broker):
            return broker
        last_words = broker.program.last_words
        await broker.program.stop()
    raise DemoError(f"the broker did not start. Its last words:\n{last_words}")


def _mosquitto(executable: str, port: int, folder: Path) -> RunningBroker:
    file = folder / "mosquitto.conf"
    # The user matters to root alone: Mosquitto would become another user.
    file.write_text(
        f"listener {port} {HOST}\nuser {getpass.getuser()}\nallow_anonymous true\npersistence false\n"
        "set_tcp_nodelay true\nlog_dest stderr\n",
        encoding="utf-8",
    )
    program = Program("the broker", executable, "-c", str(file), log=folder / "broker.log")
    return RunningBroker(program, "Mosquitto", port)


def _emulated(port: int, folder: Path) -> RunningBroker:
    arguments = (*python("simulator.broker"), "--host", HOST, "--port", str(port))
    return RunningBroker(Program("the broker", *arguments, log=folder / "broker.log"), "emulated broker", port)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


async def _answers(broker: RunningBroker) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while broker.program.is_running:
                try:
                    _, writer = await asyncio.open_connection(HOST, broker.port)
                except OSError:
                    await asyncio.sleep(LOOK_AGAIN)
                    continue
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
                return broker.program.is_running
    return False
