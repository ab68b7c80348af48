"""Reads a capture of the line: raw bytes of the shoe, or a recording of both directions; from a file or stdin.

At most one piece of it is in memory. Used by `decode.py`; it does not interpret the bytes.
"""

import gzip
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Literal, NamedTuple, cast

import msgspec

from shoe_controller.config.plain_files import NotPlainFileError

_PIECE = 65536
_GZIP = b"\x1f\x8b"
_LONGEST_LINE = 1 << 20

HOW_A_RECORDING_LOOKS = 'one {"t": seconds, "dir": "shoe" or "host", "hex": "05 31 …"} on each line'


class BadCaptureError(Exception):
    """The capture cannot be read; the message is for the user."""


class Piece(NamedTuple):
    """Some bytes of the line, and their time; 0 throughout a raw capture, which has no times."""

    at: float
    from_shoe: bool
    data: bytes


class Capture:
    """An open capture. A recording is recognised by its first byte, a brace."""

    def __init__(self, file: BufferedReader, name: str) -> None:
        self._file = file
        self._name = name
        try:
            self.is_recording = file.peek(1)[:1] == b"{"
        except (OSError, EOFError) as error:
            raise BadCaptureError(f"{name} cannot be read: {_why(error)}") from error

    def pieces(self) -> Iterator[Piece]:
        try:
            yield from self._recorded_pieces() if self.is_recording else self._raw_pieces()
        except (OSError, EOFError) as error:
            raise BadCaptureError(f"{self._name} cannot be read any further: {_why(error)}") from error

    def _raw_pieces(self) -> Iterator[Piece]:
        while data := self._file.read1(_PIECE):
            yield Piece(0.0, from_shoe=True, data=data)

    def _recorded_pieces(self) -> Iterator[Piece]:
        now: float | None = None
        number = 0
        while line := self._file.readline(_LONGEST_LINE):
            number += 1
            if line.isspace():
                continue
            try:
                chunk = msgspec.json.decode(line, type=_Chunk)
                data = bytes.fromhex(chunk.hex)
            except (msgspec.DecodeError, ValueError) as error:
                raise BadCaptureError(
                    f"line {number} of {self._name} is not part of a recording ({error}); "
                    f"expected {HOW_A_RECORDING_LOOKS}"
                ) from error
            # The links need a time that never goes back; a recorder's clock may have been set.
            now = chunk.t if now is None else max(now, chunk.t)
            yield Piece(now, from_shoe=chunk.dir == "shoe", data=data)


@contextmanager
def opened(name: str) -> Iterator[Capture]:
    if name == "-":
        if sys.stdin is None:
            raise BadCaptureError("there is no stdin to read from: name the file of the capture")
        yield Capture(cast("BufferedReader", sys.stdin.buffer), "stdin")
        return
    try:
        file = _open(Path(name))
    except OSError as error:
        raise BadCaptureError(f"{name} cannot be opened: {error.strerror}") from error
    with file:
        if file.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield Capture(BufferedReader(cast("RawIOBase", unpacked)), name)
        else:
            yield Capture(file, name)


def _open(file: Path) -> BufferedReader:
    """A regular file, or a pipe with or without a writer; a device would never end."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    opened = os.fdopen(descriptor, "rb")
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        opened.close()
        raise NotPlainFileError("it is neither a file nor a pipe")
    os.set_blocking(descriptor, True)
    return opened


def _why(error: OSError | EOFError) -> str:
    """The system's message; a damaged packed file has only its own."""
    return getattr(error, "strerror", None) or str(error)


class _Chunk(msgspec.Struct):
    t: float
    dir: Literal["shoe", "host"]
    hex: str
