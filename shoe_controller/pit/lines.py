"""The lines of the pit's file of alarms, each bound to the one before it. Pure.

    9c1e…64 digits… {"kind":"alarm","line":17,"time":1790000000000,"table":"t1","journal":"4f2a","alarm":{…}}

A line's hash is SHA-256 over the hash of the line before, as 32 bytes, and the JSON text as it stands; before the first
line the hash is 32 zeros.
"""

import re
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from shoe_controller.messages.pit import AnyPitAlarm
from shoe_controller.process.lines_file import GENESIS, Line, Started, Written

_SHAPE = re.compile(rb"([0-9a-f]{64}) (\{.*\})")


class AlarmRaised(Line, frozen=True, kw_only=True, tag="alarm"):
    table: str
    journal: str
    alarm: AnyPitAlarm


AnyLine = Started | AlarmRaised

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AnyLine).decode


class LineChain:
    """Writes or reads the lines of one file in order."""

    def __init__(self) -> None:
        self.number = 0
        """That of the last line."""
        self._hash = GENESIS

    def write(self, line: AnyLine, time_ms: int) -> Written[AnyLine]:
        """The next line."""
        numbered = replace(line, line=self.number + 1, time=time_ms)
        body = _encode(numbered)
        self._hash, self.number = sha256(self._hash + body).digest(), self.number + 1
        return Written(numbered, self._hash, self._hash.hex().encode() + b" " + body + b"\n")

    def read(self, text: bytes) -> Written[AnyLine] | None:
        """The line, if it is whole and follows the one before; otherwise nothing has changed."""
        shape = _SHAPE.fullmatch(text.removesuffix(b"\n"))
        if shape is None:
            return None
        digest = sha256(self._hash + shape[2]).digest()
        if digest.hex().encode() != shape[1]:
            return None
        try:
            line = _decode(shape[2])
        except (msgspec.DecodeError, RecursionError):
            return None
        if line.line != self.number + 1:
            return None
        self._hash, self.number = digest, line.line
        return Written(line, digest, text)

    def has_shape(self, text: bytes) -> bool:
        """Whether it was a whole line once: no power cut leaves that of a line that was not written to its end."""
        return text.endswith(b"\n") and _SHAPE.fullmatch(text[:-1]) is not None
