"""Bytes of the line on their way into the journal: those since the last event, which are stored with the next one.

Nearly always that is one frame. Between two events there may also be noise, for hours and as fast as the line is; of
that the beginning and the end are kept, and how much was left out between them.
"""

from collections import deque

import msgspec

from shoe_controller.journal.records import Direction, Raw

HEAD_BYTES = 2048
TAIL_BYTES = 4096
"""Room for the longest message of either wire many times over."""
MOST_PIECES = 32
"""Of the head, and of the tail: each is a record. Further ones lose their own times, and no byte."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The body of the record that stands for what was left out."""

    bytes: int


class RawBytes:
    def __init__(self) -> None:
        self._head: list[Raw] = []
        self._head_room = HEAD_BYTES
        self._tail: deque[Raw] = deque()
        self._tail_size = 0
        self._left_out = 0
        self._left_out_ns = 0

    def add(self, data: bytes, mono_ns: int) -> None:
        if not self._tail and self._head_room and len(self._head) < MOST_PIECES:
            begun, data = data[: self._head_room], data[self._head_room :]
            self._head.append(_piece(begun, mono_ns))
            self._head_room -= len(begun)
        if data:
            self._tail.append(_piece(data, mono_ns))
            self._tail_size += len(data)
            self._shorten_tail()

    def _shorten_tail(self) -> None:
        if len(self._tail) > MOST_PIECES:
            first, second = self._tail.popleft(), self._tail.popleft()
            self._tail.appendleft(_piece(first.data + second.data, first.mono_ns))
        while self._tail_size > TAIL_BYTES:
            oldest = self._tail.popleft()
            rest = oldest.data[self._tail_size - TAIL_BYTES :]
            if rest:
                self._tail.appendleft(_piece(rest, oldest.mono_ns))
            gone = len(oldest.data) - len(rest)
            self._tail_size -= gone
            self._left_out += gone
            self._left_out_ns = oldest.mono_ns

    def take(self) -> tuple[Raw, ...]:
        """All that is kept, in order; then nothing is."""
        left_out: tuple[Raw, ...] = ()
        if self._left_out:
            body = msgspec.json.encode(LeftOut(bytes=self._left_out))
            left_out = (Raw(direction=Direction.LEFT_OUT, data=body, mono_ns=self._left_out_ns),)
        taken = (*self._head, *left_out, *self._tail)
        self.clear()
        return taken

    def clear(self) -> None:
        self._head.clear()
        self._head_room = HEAD_BYTES
        self._tail.clear()
        self._tail_size = self._left_out = 0


def _piece(data: bytes, mono_ns: int) -> Raw:
    return Raw(direction=Direction.FROM_SHOE, data=data, mono_ns=mono_ns)
