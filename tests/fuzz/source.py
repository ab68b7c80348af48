"""Decisions read from the bytes of a fuzzer, from front to back; at their end every number is 0.

The same bytes always lead to the same decisions, and a change late in them leaves the early ones alone.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Source:
    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes that are not used yet."""
        return len(self._data) - self._at

    def number(self, most: int) -> int:
        """From 0 to `most`, which is below 2^16; one byte where that is enough."""
        at = self._at
        if at >= len(self._data):
            return 0
        if most < 256:
            self._at = at + 1
            return self._data[at] % (most + 1)
        self._at = min(len(self._data), at + 2)
        return int.from_bytes(self._data[at : at + 2]) % (most + 1)

    def flag(self) -> bool:
        return self.number(1) == 1

    def pick(self, options: Sequence[T]) -> T:
        return options[self.number(len(options) - 1)]

    def take(self, most: int) -> bytes:
        """As many of the next bytes as there are, up to `most`."""
        at = self._at
        self._at = min(len(self._data), at + most)
        return self._data[at : self._at]
