"""One serial port, two who want it: the second is refused, with the name of the first."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shoe_controller.transports.serial_port import SerialPort
from shoe_controller.transports.transport import TransportError
from tests.transports.ears import Ears
from tests.transports.pty_shoe import PtyShoe

HOLD_THE_PORT = """
import asyncio, sys
from shoe_controller.transports.serial_port import SerialPort

async def hold():
    await SerialPort(sys.argv[1]).open(print, print)
    print("open", flush=True)
    await asyncio.sleep(3600)

asyncio.run(hold())
"""
TRY_THE_PORT = """
import asyncio, sys
from shoe_controller.transports.serial_port import SerialPort
from shoe_controller.transports.transport import TransportError

async def attempt():
    try:
        await SerialPort(sys.argv[1]).open(print, print)
    except TransportError as error:
        print(error)

asyncio.run(attempt())
"""


@contextmanager
def another_controller(path: str) -> Iterator["subprocess.Popen[str]"]:
    """A real second process that has the port open; killed in the end."""
    with subprocess.Popen([sys.executable, "-c", HOLD_THE_PORT, path], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


@pytest.mark.asyncio
async def test_a_port_that_another_process_holds(shoe: PtyShoe) -> None:
    with (
        another_controller(shoe.path) as other,
        pytest.raises(TransportError, match=rf"is in use by process {other.pid} \(python.*\). Stop it"),
    ):
        await SerialPort(shoe.path).open(print, print)
    # The other one was killed, not closed: its lock went with it.
    line = await SerialPort(shoe.path).open(print, print)
    await line.close()


@pytest.mark.asyncio
async def test_another_process_cannot_take_our_port(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await SerialPort(shoe.path).open(ears.on_bytes, ears.on_lost)
    attempt = subprocess.run(  # noqa: ASYNC221 - the loop has nothing to do meanwhile
        [sys.executable, "-c", TRY_THE_PORT, shoe.path], capture_output=True, text=True, check=True, timeout=30
    )
    assert f"is in use by process {os.getpid()}" in attempt.stdout
    await shoe.send(b"still ours")
    assert await ears.hear_bytes(10) == b"still ours"
    await line.close()


@pytest.mark.asyncio
async def test_opening_a_port_twice_is_told_as_our_own_fault(shoe: PtyShoe) -> None:
    line = await SerialPort(shoe.path).open(print, print)
    with pytest.raises(TransportError, match="this controller itself"):
        await SerialPort(shoe.path).open(print, print)
    await line.close()
