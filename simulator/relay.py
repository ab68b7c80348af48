"""A real line between a real shoe and a controller, with a recorder in the middle: `shoe-emulator record --line`.

The real shoe is at a serial device or behind a serial server; the controller opens one of our ports instead. Every byte
is passed on as it comes and recorded. Nothing is interpreted here.
"""

import asyncio
import os
import re
import socket
import termios
import tty

from simulator.ports.descriptor_line import DescriptorLine
from simulator.ports.port import Port
from simulator.recording import Recorder

USUAL_BAUD = 4800
_BAUD_RATES = {int(name[1:]): value for name, value in vars(termios).items() if re.fullmatch(r"B[1-9][0-9]+", name)}


class RealLineError(OSError):
    """A real line that cannot be opened or was lost; the message says what to do."""


class Relay:
    def __init__(self, port: Port, line: str, recorder: Recorder) -> None:
        self._port = port
        self._line_name = line
        self._recorder = recorder
        self._line: DescriptorLine | None = None
        self._lost = asyncio.Event()

    async def run(self) -> None:
        """Pass everything on until the real line is lost, which is an error, or this is cancelled."""
        descriptor = await _opened(self._line_name)
        self._line = DescriptorLine(descriptor, self._from_shoe, self._lost.set)
        try:
            await self._port.open(self)
            try:
                await self._lost.wait()
            finally:
                await self._port.close()
        finally:
            self._line.stop()
            os.close(descriptor)
        raise RealLineError(f"{self._line_name}: the line to the shoe is gone; plug it in and record again")

    def _from_shoe(self, data: bytes) -> None:
        self._recorder.record("shoe", data)
        self._port.write(data)

    def host_attached(self) -> None:
        pass

    def host_detached(self) -> None:
        pass

    def received(self, data: bytes) -> None:
        self._recorder.record("host", data)
        if self._line is not None:
            self._line.write(data)


async def _opened(name: str) -> int:
    """Return a descriptor of the real line: `/dev/ttyUSB0`, `/dev/ttyUSB0@9600` or `tcp:HOST:PORT`."""
    if name.startswith("tcp:"):
        return await _connected(name)
    path, _, baud_text = name.partition("@")
    baud = _BAUD_RATES.get(int(baud_text)) if baud_text.isdigit() else None
    if baud_text and baud is None:
        rates = ", ".join(str(rate) for rate in sorted(_BAUD_RATES) if 1200 <= rate <= 115200)
        raise RealLineError(f"{name}: {baud_text!r} is not a baud rate of this machine; write one such as {rates}")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise RealLineError(f"{name} cannot be opened: {error.strerror}") from error
    try:
        tty.setraw(descriptor)
        modes = termios.tcgetattr(descriptor)
        modes[4] = modes[5] = baud if baud is not None else _BAUD_RATES[USUAL_BAUD]
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    except termios.error as error:
        os.close(descriptor)
        raise RealLineError(f"{name} is not a serial line ({error.args[-1]})") from error
    return descriptor


async def _connected(name: str) -> int:
    host, _, port = name.removeprefix("tcp:").rpartition(":")
    if not host or not port.isdigit():
        raise RealLineError(f"{name} is not an address: write tcp:HOST:PORT")
    connection = socket.socket()
    connection.settimeout(0)
    try:
        await asyncio.get_running_loop().sock_connect(connection, (host.strip("[]"), int(port)))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        connection.close()
        raise RealLineError(f"{name} cannot be reached: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection.detach()
