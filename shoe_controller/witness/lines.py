"""The lines of a witness's file, each bound to the one before it. Pure.

    9c1e…64 digits… {"kind":"head","line":17,"time":1790000000000,"table":"t1",…}

The hash is SHA-256 over the hash of the line before, as 32 bytes, and the JSON text as it stands; before the first line
the hash is 32 zeros. So nothing in the file can be changed, removed or inserted without changing its last line, which
the witness publishes.
"""

import re
from hashlib import sha256
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.witness import AnyWitnessAlarm

GENESIS = bytes(32)
"""What the first line follows."""

HeadText = Annotated[str, Meta(pattern="^[0-9]{1,18}:[0-9a-f]{64}$")]
"""The number of a record, a colon and its hash."""

_SHAPE = re.compile(rb"([0-9a-f]{64}) (\{.*\})")


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """The common base. The file gives a line its number and its time."""

    line: int = 0
    time: int = 0
    """Milliseconds since 1970, by the clock of the witness."""


class Started(Line, frozen=True, kw_only=True, tag="started"):
    """The witness was started."""

    version: str
    torn: int = 0
    """Bytes before this line that a power cut left of an unfinished one; they count for nothing."""
    acknowledged: int = 0
    """Alarms up to this line were looked into by a person."""


class ControllerSeen(Line, frozen=True, kw_only=True, tag="controller"):
    """A start of a table's controller that was not seen before, or a journal."""

    table: str
    journal: str
    start: str
    session: int


class HeadSeen(Line, frozen=True, kw_only=True, tag="head"):
    """An end of a table's journal."""

    table: str
    journal: str
    session: int
    head: HeadText


class CheckpointSeen(Line, frozen=True, kw_only=True, tag="checkpoint"):
    """A checkpoint of a table's journal, as it was published."""

    table: str
    checkpoint: Checkpoint
    disputed: bool = False
    """Whether it is the evidence for the alarm on the next line, and counts for nothing else."""


class AlarmRaised(Line, frozen=True, kw_only=True, tag="alarm"):
    table: str
    alarm: AnyWitnessAlarm


AnyLine = Started | ControllerSeen | HeadSeen | CheckpointSeen | AlarmRaised

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AnyLine).decode


class Written(NamedTuple):
    """A line as it stands in the file."""

    line: AnyLine
    hash: bytes
    text: bytes
    """With its hash and its line break."""

    @property
    def end(self) -> str:
        """The line's number, a colon and its hash, as it is published."""
        return f"{self.line.line}:{self.hash.hex()}"


def write_line(line: AnyLine, before: bytes) -> Written:
    body = _encode(line)
    digest = sha256(before + body).digest()
    return Written(line, digest, digest.hex().encode() + b" " + body + b"\n")


def read_line(text: bytes, before: bytes) -> Written | None:
    """The line, if it is whole and follows the one before."""
    shape = _SHAPE.fullmatch(text.removesuffix(b"\n"))
    if shape is None or not text.endswith(b"\n"):
        return None
    digest = sha256(before + shape[2]).digest()
    if digest.hex().encode() != shape[1]:
        return None
    try:
        return Written(_decode(shape[2]), digest, text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def has_shape(text: bytes) -> bool:
    """Whether it was a whole line once: no power cut leaves that of a line that was not written to its end."""
    return text.endswith(b"\n") and _SHAPE.fullmatch(text[:-1]) is not None
