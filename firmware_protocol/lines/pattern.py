"""What stands in a line beside the id: prefix, suffix, checksum, and the lines that are not about a card.

    prefix id suffix checksum

No regular expressions: each line is compared once, in time that grows with its length alone.
"""

from collections.abc import Callable
from functools import reduce
from operator import xor
from typing import Literal, NamedTuple

import msgspec

Checksum = Literal["none", "xor8", "sum8", "hex_xor8", "crc16"]

MAX_ID = 64
"""Characters of an id."""

LINE_END = "\r\n"


class LinePattern(msgspec.Struct, frozen=True, kw_only=True):
    """How a reader writes its lines. Everything is compared as it is written, also in case."""

    prefix: str = ""
    suffix: str = ""
    """Between the id and its checksum."""
    checksum: Checksum = "none"
    """Hexadecimal digits at the end of the line, of the id alone."""
    unread: str = ""
    """The whole line that means: a card passed and could not be read. Empty where the reader has none."""
    ignore: tuple[str, ...] = ()
    """Beginnings of lines that are not about cards, such as what a reader prints when it starts."""

    def read(self, text: str) -> "ReadLine":
        if self.unread and text == self.unread:
            return Unread()
        if any(text.startswith(beginning) for beginning in self.ignore):
            return Ignored()
        return self._read_id(text)

    def _read_id(self, text: str) -> "Id | NotAnId":
        digits = _DIGITS[self.checksum]
        body, given = (text[:-digits], text[-digits:]) if digits else (text, "")
        around = len(self.prefix) + len(self.suffix)
        found = body[len(self.prefix) : len(body) - len(self.suffix)].strip(" \t") if len(body) > around else ""
        if not (text.startswith(self.prefix) and body.endswith(self.suffix) and 1 <= len(found) <= MAX_ID):
            return NotAnId(f"the line does not have the form {self._form()}, with an id of 1 to {MAX_ID} characters")
        right = self._check(found)
        if right is None:
            return NotAnId("the id is not hexadecimal, so that it can have no such checksum")
        if given.upper() != right:
            return NotAnId(f"the checksum is wrong: received {given}, expected {right}")
        return Id(found)

    def write(self, reader_id: str) -> bytes:
        """The line of an id, with its end."""
        return f"{self.prefix}{reader_id}{self.suffix}{self._check(reader_id) or ''}{LINE_END}".encode()

    def _check(self, reader_id: str) -> str | None:
        """The checksum that belongs to an id; `None` if it can have none."""
        digits = _DIGITS[self.checksum]
        if not digits:
            return ""
        value = _CHECKSUMS[self.checksum](reader_id)
        return None if value is None else f"{value:0{digits}X}"

    def _form(self) -> str:
        checksum = "" if self.checksum == "none" else " checksum"
        parts = [repr(self.prefix) if self.prefix else "", "id", repr(self.suffix) if self.suffix else ""]
        return " ".join(part for part in parts if part) + checksum


class Id(NamedTuple):
    text: str


class Unread(NamedTuple):
    """A card passed, and could not be read."""


class Ignored(NamedTuple):
    """A line that is not about a card."""


class NotAnId(NamedTuple):
    reason: str


ReadLine = Id | Unread | Ignored | NotAnId


def _xor8(reader_id: str) -> int:
    return reduce(xor, reader_id.encode(), 0)


def _sum8(reader_id: str) -> int:
    return sum(reader_id.encode()) & 0xFF


def _hex_xor8(reader_id: str) -> int | None:
    """Of the bytes that the hexadecimal digits of the id stand for."""
    try:
        return reduce(xor, bytes.fromhex(reader_id), 0)
    except ValueError:
        return None


def _crc16(reader_id: str) -> int:
    """CRC-16/CCITT-FALSE: polynomial 1021, begun with FFFF."""
    crc = 0xFFFF
    for byte in reader_id.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


_DIGITS: dict[Checksum, int] = {"none": 0, "xor8": 2, "sum8": 2, "hex_xor8": 2, "crc16": 4}
_CHECKSUMS: dict[Checksum, Callable[[str], int | None]] = {
    "none": lambda _: 0,
    "xor8": _xor8,
    "sum8": _sum8,
    "hex_xor8": _hex_xor8,
    "crc16": _crc16,
}
