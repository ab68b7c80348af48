"""The lines of a witness's file, each bound to the one before it. Pure.

    9c1e…64 digits… {"kind":"controller","line":17,"time":1790000000000,"table":"t1",…}
    Ab3dEf9h ["h",17,250,0,"8812:…43 characters…","12 11","…43 characters…"]

A line's hash is SHA-256 over the hash of the line before, as 32 bytes, and the JSON text as it stands; before the first
line the hash is 32 zeros. So nothing in the file can be changed, removed or inserted without changing the hash of its
last line, which the witness publishes.

Heads and checkpoints are nearly all that is written, and are dense: arrays that refer to the lines before them, with
the first eight characters of their hash in base64. Whoever can write the file can compute hashes of any length; what
binds it is the hash that was published.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.witness import AnyWitnessAlarm
from shoe_controller.process.lines_file import GENESIS, Line, Started, Written

HeadText = Annotated[str, Meta(pattern="^[0-9]{1,18}:[0-9a-f]{64}$")]
"""The number of a record, a colon and its hash."""

_SHAPE = re.compile(rb"([0-9a-f]{64}) (\{.*\})|([A-Za-z0-9_-]{8}) (\[.*\])")


class ControllerSeen(Line, frozen=True, kw_only=True, tag="controller"):
    """A start of a table's controller that was not seen before, or a journal."""

    table: str
    journal: str
    start: str
    session: int


class HeadSeen(Line, frozen=True, kw_only=True, tag="head"):
    """An end of a table's journal, and those that were seen since the line before about the same journal."""

    table: str
    journal: str
    session: int
    head: HeadText
    earlier: tuple[int, ...] = ()
    """The numbers of the earlier ones, in order."""
    digest: str = ""
    """`digest_of` their hashes; empty if there are none."""


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


class _DenseHead(msgspec.Struct, frozen=True, array_like=True, tag="h", forbid_unknown_fields=True):
    controller: int
    """The number of the line that names table and journal."""
    later: int
    """Milliseconds since the line before."""
    session: int
    """As a difference to the one of that controller."""
    head: str
    """The number, a colon, and the hash in base64."""
    back: str
    """The numbers of the earlier ones from the newest to the oldest, each as the difference to the one after it."""
    digest: str


class _DenseCheckpoint(msgspec.Struct, frozen=True, array_like=True, tag="c", forbid_unknown_fields=True):
    """Its key is the one that the checkpoint before it names."""

    controller: int
    later: int
    index: int
    number: int
    hash: str
    time: int
    """As a difference to the time of this line."""
    next_key: str
    signature: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AnyLine).decode
_decode_dense = msgspec.json.Decoder(_DenseHead | _DenseCheckpoint).decode


class LineChain:
    """Writes or reads the lines of one file in order, and knows what they refer to."""

    def __init__(self) -> None:
        self.number = 0
        """That of the last line."""
        self._hash = GENESIS
        self._time = 0
        self._controllers: dict[int, ControllerSeen] = {}
        """The first line of each table and journal, by its number."""
        self._named: dict[tuple[str, str], int] = {}
        self._next_keys: dict[str, str] = {}
        """That the last checkpoint of each journal names."""

    def write(self, line: AnyLine, time_ms: int) -> Written[AnyLine]:
        """The next line."""
        numbered = replace(line, line=self.number + 1, time=time_ms)
        dense = self._dense(numbered)
        body = _encode(numbered if dense is None else dense)
        digest = sha256(self._hash + body).digest()
        check = digest.hex() if dense is None else _base64(digest)[:8]
        self._take(numbered, digest)
        return Written(numbered, digest, check.encode() + b" " + body + b"\n")

    def read(self, text: bytes) -> Written[AnyLine] | None:
        """The line, if it is whole and follows the one before; otherwise nothing has changed."""
        shape = _SHAPE.fullmatch(text.removesuffix(b"\n"))
        if shape is None or not text.endswith(b"\n"):
            return None
        body = shape[2] or shape[4]
        digest = sha256(self._hash + body).digest()
        check = digest.hex() if shape[1] else _base64(digest)[:8]
        if check.encode() != (shape[1] or shape[3]):
            return None
        try:
            line = _decode(body) if shape[1] else self._whole(_decode_dense(body))
        except (msgspec.DecodeError, ValueError, KeyError, RecursionError):
            return None
        if line.line != self.number + 1:
            return None
        self._take(line, digest)
        return Written(line, digest, text)

    def has_shape(self, text: bytes) -> bool:
        """Whether it was a whole line once: no power cut leaves that of a line that was not written to its end."""
        return text.endswith(b"\n") and _SHAPE.fullmatch(text[:-1]) is not None

    def _take(self, line: AnyLine, digest: bytes) -> None:
        self._hash, self.number, self._time = digest, line.line, line.time
        if isinstance(line, ControllerSeen) and (line.table, line.journal) not in self._named:
            self._named[line.table, line.journal] = line.line
            self._controllers[line.line] = line
        elif isinstance(line, CheckpointSeen) and not line.disputed:
            self._next_keys[line.checkpoint.journal] = line.checkpoint.next_key

    # --- dense lines -------------------------------------------------------------------------------------------------

    def _dense(self, line: AnyLine) -> _DenseHead | _DenseCheckpoint | None:
        """The dense form, where the lines before have what it refers to."""
        later = line.time - self._time
        if isinstance(line, HeadSeen):
            controller = self._named.get((line.table, line.journal))
            if controller is None:
                return None
            session = line.session - self._controllers[controller].session
            number, _, digest = line.head.partition(":")
            numbers = (*line.earlier, int(number))
            back = [after - before for before, after in pairwise(numbers)]
            return _DenseHead(
                controller,
                later,
                session,
                f"{number}:{_base64_of_hex(digest)}",
                " ".join(map(str, reversed(back))),
                _base64_of_hex(line.digest),
            )
        if isinstance(line, CheckpointSeen) and not line.disputed:
            made = line.checkpoint
            controller = self._named.get((line.table, made.journal))
            if controller is None or made.succeeds is not None or self._next_keys.get(made.journal) != made.key:
                return None
            return _DenseCheckpoint(
                controller,
                later,
                made.index,
                made.number,
                _base64_of_hex(made.hash),
                made.time - line.time,
                _base64_of_hex(made.next_key),
                _base64_of_hex(made.signature),
            )
        return None

    def _whole(self, dense: _DenseHead | _DenseCheckpoint) -> AnyLine:
        """`KeyError` or `ValueError` if it refers to what is not there, or is no line at all."""
        names = self._controllers[dense.controller]
        number, time = self.number + 1, self._time + dense.later
        if isinstance(dense, _DenseHead):
            newest, _, digest = dense.head.partition(":")
            numbers = [int(newest)]
            for back in dense.back.split():
                numbers.append(numbers[-1] - int(back))
            whole: AnyLine = HeadSeen(
                line=number,
                time=time,
                table=names.table,
                journal=names.journal,
                session=names.session + dense.session,
                head=f"{newest}:{_hex_of_base64(digest)}",
                earlier=tuple(reversed(numbers[1:])),
                digest=_hex_of_base64(dense.digest),
            )
        else:
            made = Checkpoint(
                journal=names.journal,
                index=dense.index,
                number=dense.number,
                hash=_hex_of_base64(dense.hash),
                time=time + dense.time,
                key=self._next_keys[names.journal],
                next_key=_hex_of_base64(dense.next_key),
                signature=_hex_of_base64(dense.signature),
            )
            whole = CheckpointSeen(line=number, time=time, table=names.table, checkpoint=made)
        checked: AnyLine = msgspec.convert(msgspec.to_builtins(whole), AnyLine)  # types alone do not look at texts
        return checked


def digest_of(hashes: Iterable[str]) -> str:
    """SHA-256 over hashes in hexadecimal, taken as bytes one after another; empty if there are none."""
    joined = bytes.fromhex("".join(hashes))
    return sha256(joined).hexdigest() if joined else ""


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _base64_of_hex(text: str) -> str:
    return _base64(bytes.fromhex(text))


def _hex_of_base64(text: str) -> str:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4)).hex()
