"""The broker of a demonstration: Mosquitto where there is one, else the emulated one, on a free loopback port."""

import getpass
import os
import shutil
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from shoe_controller.demo.local_ports import HOST, start_listening
from shoe_controller.demo.programs import DemoError, Program, python

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
    if mosquitto is not None:
        program, port = await start_listening(lambda port: _mosquitto(mosquitto, port, folder), stack)
        return RunningBroker(program, "Mosquitto", port)
    program, port = await start_listening(lambda port: _emulated(port, folder), stack)
    return RunningBroker(program, "emulated broker", port)


def _mosquitto(executable: str, port: int, folder: Path) -> Program:
    file = folder / "mosquitto.conf"
    # The user matters to root alone: Mosquitto would become another user.
    file.write_text(
        f"listener {port} {HOST}\nuser {getpass.getuser()}\nallow_anonymous true\npersistence false\n"
        "set_tcp_nodelay true\nlog_dest stderr\n",
        encoding="utf-8",
    )
    return Program("the broker", executable, "-c", str(file), log=folder / "broker.log")


def _emulated(port: int, folder: Path) -> Program:
    arguments = (*python("simulator.broker"), "--host", HOST, "--port", str(port))
    return Program("the broker", *arguments, log=folder / "broker.log")
