"""Records line traffic with its timing, and replays it.

One JSON object on each line: `{"t": seconds, "dir": "shoe" or "host", "hex": "…"}`; `dir` is the sender and `t` counts
from the start of the recording. `shoe-controller decode` reads the same. `RecordingPort` records what an
emulated shoe sends and receives; `Player` sends the shoe's side of a recording to a port. `relay.py` records a real
line.
"""

import asyncio
import gzip
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Literal

import msgspec

from simulator.ports.port import Port, PortListener

_LONGEST_LINE = 1 << 20


class BadRecordingError(ValueError):
    """A file that is not a recording; the message names file, line and reason."""


class Chunk(msgspec.Struct, frozen=True):
    """Some bytes on the line."""

    t: float
    dir: Literal["shoe", "host"]
    hex: str

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.hex)


class Recorder:
    """Writes each chunk at once as it comes. `clock` returns seconds."""

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._began: float | None = None
        self.chunks = 0

    def record(self, sender: Literal["shoe", "host"], data: bytes) -> None:
        now = self._clock()
        if self._began is None:
            self._began = now
        chunk = Chunk(round(now - self._began, 6), sender, data.hex())
        self._write(msgspec.json.encode(chunk) + b"\n")
        self.chunks += 1


class RecordingPort:
    """A port that records everything that passes through it."""

    def __init__(self, port: Port, recorder: Recorder) -> None:
        self._port = port
        self._recorder = recorder
        self._listener: PortListener | None = None

    @property
    def address(self) -> str:
        return self._port.address

    async def open(self, listener: PortListener) -> None:
        self._listener = listener
        await self._port.open(self)

    def write(self, data: bytes) -> None:
        self._recorder.record("shoe", data)
        self._port.write(data)

    async def unplug(self) -> None:
        await self._port.unplug()

    async def replug(self) -> None:
        await self._port.replug()

    async def close(self) -> None:
        await self._port.close()

    def host_attached(self) -> None:
        if self._listener is not None:
            self._listener.host_attached()

    def host_detached(self) -> None:
        if self._listener is not None:
            self._listener.host_detached()

    def received(self, data: bytes) -> None:
        self._recorder.record("host", data)
        if self._listener is not None:
            self._listener.received(data)


def read_recording(path: Path) -> Iterator[Chunk]:
    """Yield the chunks of a recording of any size. A file whose name ends in .gz is unpacked."""
    if path.exists() and not path.is_file():  # a pipe would be waited for, and a device read for ever
        raise BadRecordingError(f"{path} cannot be read: it is not a regular file")
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield from _read_chunks(file, path.name)
    except (OSError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadRecordingError(f"{path} cannot be read: {reason}") from error


def _read_chunks(file: gzip.GzipFile | BufferedReader, name: str) -> Iterator[Chunk]:
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if line.isspace():
            continue
        try:
            chunk = msgspec.json.decode(line, type=Chunk)
            bytes.fromhex(chunk.hex)
        except (msgspec.DecodeError, ValueError) as error:
            raise BadRecordingError(
                f'{name}, line {number} is not part of a recording ({error}); expected {{"t": seconds, "dir": '
                '"shoe" or "host", "hex": "05 31 …"}'
            ) from error
        yield chunk


class Player:
    """Plays the shoe's side of a recording to the host that attaches to the port, with its timing or faster.

    What the host sends is ignored. On the native wire no controller accepts a recording: each session has its own
    keys. It is for listeners, and for the Angel Eye wire.
    """

    def __init__(self, port: Port, chunks: Iterable[Chunk], speed: float) -> None:
        self._port = port
        self._chunks = chunks
        self._speed = speed
        self._attached = asyncio.Event()
        self.played = 0

    async def play(self) -> None:
        """Wait for a host, then play to the end; bytes for a host that has gone again are lost, as on a real line."""
        await self._port.open(self)
        try:
            await self._attached.wait()
            loop = asyncio.get_running_loop()
            began = loop.time()
            first: float | None = None
            for chunk in self._chunks:
                first = chunk.t if first is None else first
                pause = began + (chunk.t - first) / self._speed - loop.time()
                if pause > 0:
                    await asyncio.sleep(pause)
                if chunk.dir == "shoe":
                    self._port.write(chunk.data)
                    self.played += 1
        finally:
            await self._port.close()

    def host_attached(self) -> None:
        self._attached.set()

    def host_detached(self) -> None:
        pass

    def received(self, data: bytes) -> None:
        pass
