"""One direction of a bad line: bytes are lost, flipped, doubled, late, one by one, glued together, or all cut off.

`send` takes what is sent; `due` returns what arrives, piece by piece, each to be written separately. Nothing overtakes.
Pure: no clock, no randomness; `fault_plan.py` decides when what happens.
"""

from collections import deque
from collections.abc import Iterator
from enum import Enum

import msgspec

BYTE_TIME = 0.001
"""Seconds between two bytes that come one by one: long enough that a reader gets each separately."""


class Trouble(Enum):
    LOST = "bytes_lost"
    CORRUPTED = "bytes_corrupted"
    DOUBLED = "bytes_doubled"
    DELAYED = "bytes_delayed"
    SINGLE = "single_bytes"
    GLUED = "glued"
    SILENCE = "silence"


class _Stretch(msgspec.Struct):
    """A fault in a range of bytes, counted from the first byte ever sent."""

    trouble: Trouble
    begin: int | None
    """`None`: in the middle of what is sent next, so that it hits a message and not the gap between two."""
    length: int
    seconds: float = 0.0
    doubled: bytes = b""
    """For bytes that come twice: those that have come once."""
    struck: bool = False


class BadLine:
    def __init__(self) -> None:
        self.sent = 0
        """Total number of bytes sent."""
        self.struck: list[Trouble] = []
        """Faults that have hit their first byte; cleared by the reader."""
        self._stretches: list[_Stretch] = []
        self._silent_until = 0.0
        self._glued_until = 0.0
        self._on_the_way: deque[tuple[float, bytes]] = deque()

    def trouble_bytes(self, trouble: Trouble, *, length: int, begin: int | None = None, seconds: float = 0.0) -> None:
        """Disturb the next `length` bytes, or those from byte `begin` on; `seconds` is how late they come."""
        self._stretches.append(_Stretch(trouble, begin, length, seconds))

    def trouble_time(self, trouble: Trouble, until: float) -> None:
        """Until then, hold everything back and glue it together, or let nothing through."""
        if trouble is Trouble.GLUED:
            self._glued_until = max(self._glued_until, until)
        else:
            self._silent_until = max(self._silent_until, until)

    def send(self, data: bytes, now: float) -> None:
        begin = self.sent
        self.sent += len(data)
        if now < self._silent_until:
            return
        if not self._stretches:
            self._put(data, now)
            return
        for stretch in self._stretches:
            if stretch.begin is None and len(data) > 3:
                whole = stretch.trouble in (Trouble.DELAYED, Trouble.SINGLE)
                stretch.begin = begin if whole else begin + len(data) // 2
        for offset, byte in enumerate(data, start=begin):
            self._send_byte(offset, bytes((byte,)), now)
        self._stretches = [
            stretch
            for stretch in self._stretches
            if stretch.begin is None or stretch.begin + stretch.length > self.sent
        ]

    def _send_byte(self, offset: int, byte: bytes, now: float) -> None:
        at = now
        single = False
        for stretch in self._hitting(offset):
            match stretch.trouble:
                case Trouble.LOST:
                    byte = b""
                case Trouble.CORRUPTED:
                    # A different bit each time, so that the byte always changes.
                    byte = bytes(value ^ 1 << offset % 8 for value in byte)
                case Trouble.DOUBLED:
                    stretch.doubled += byte
                    if len(stretch.doubled) == stretch.length:
                        byte += stretch.doubled
                case Trouble.DELAYED:
                    at += stretch.seconds
                case _:
                    single = True
        if byte:
            self._put(byte, at, single=single)

    def _hitting(self, offset: int) -> Iterator[_Stretch]:
        for stretch in self._stretches:
            if stretch.begin is not None and stretch.begin <= offset < stretch.begin + stretch.length:
                if not stretch.struck:
                    stretch.struck = True
                    self.struck.append(stretch.trouble)
                yield stretch

    def _put(self, data: bytes, at: float, *, single: bool = False) -> None:
        at = max(at, self._glued_until)
        if self._on_the_way:
            latest, before = self._on_the_way[-1]
            at = max(at, latest + BYTE_TIME if single else latest)
            if at == latest:
                self._on_the_way[-1] = (latest, before + data)
                return
        self._on_the_way.append((at, data))

    def intrude(self, data: bytes, now: float) -> None:
        """Insert bytes from an intruder. They are not counted as sent."""
        if now >= self._silent_until:
            self._put(data, now)

    def next_deadline(self) -> float | None:
        return self._on_the_way[0][0] if self._on_the_way else None

    def due(self, now: float) -> list[bytes]:
        """The pieces that arrive by now."""
        pieces = []
        while self._on_the_way and self._on_the_way[0][0] <= now:
            pieces.append(self._on_the_way.popleft()[1])
        return pieces

    def clear(self) -> None:
        """Drop what is in transit: the cable was pulled, or the power failed."""
        self._on_the_way.clear()
