"""Checkpoints: records of the chain that are signed, each with a key of its own that is then removed. Pure.

Checkpoint i is signed with key i and names the public half of key i + 1, so that one public key, kept elsewhere, proves
all of them in order. Whoever takes over the machine finds only the next key: what was signed before cannot be signed
again. The first key of a new journal is signed with the key that an earlier journal of the table had left, as
checkpoint 0.

`key_folder.py` keeps the keys, `store.py` puts checkpoints into the chain, `checkpoint_check.py` verifies them, and
`docs/journal.md` describes the signed bytes.
"""

import struct
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from shoe_controller.journal import ed25519
from shoe_controller.journal.records import Head

NAME = "checkpoint"
"""Of the record."""

RECORDS_BETWEEN = 1000
"""Most records that are stored before the next checkpoint is made; a shoe of eight decks has some thousands."""

SECONDS_BETWEEN = 3600.0
"""Most time before the next one, also where nothing happens: so a tail that was cut off shows by the hour."""

_PREFIX = b"shoechk1"
_NUMBERS = struct.Struct(">4q2Q")


_Digits64 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Digits128 = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{128})?\Z")]


class SucceededKey(msgspec.Struct, frozen=True, kw_only=True):
    """The key of an earlier journal of the table."""

    journal: str
    index: int


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The body of the record; bytes are hexadecimal. `messages/checkpoints.py` explains the fields."""

    journal: str
    index: int
    number: int
    hash: _Digits64
    time: int
    key: _Digits64
    next_key: _Digits64
    succeeds: SucceededKey | None = None
    signature: _Digits128 = ""
    """Empty until it is signed."""

    def __str__(self) -> str:
        return f"checkpoint {self.index}"


def signed_bytes(checkpoint: Checkpoint) -> bytes:
    """What is signed: every field in its fixed place or with its length in front. Bad fields are a `ValueError`."""
    succeeds = checkpoint.succeeds
    texts = checkpoint.journal.encode(), b"" if succeeds is None else succeeds.journal.encode()
    try:
        numbers = _NUMBERS.pack(
            checkpoint.index,
            checkpoint.number,
            checkpoint.time,
            0 if succeeds is None else succeeds.index,
            *map(len, texts),
        )
    except struct.error as error:
        raise ValueError(str(error)) from error
    return b"".join((_PREFIX, numbers, bytes.fromhex(checkpoint.hash), bytes.fromhex(checkpoint.next_key), *texts))


def is_genuine(checkpoint: Checkpoint) -> bool:
    """Whether it is signed with the key that it names."""
    try:
        key, signature = bytes.fromhex(checkpoint.key), bytes.fromhex(checkpoint.signature)
        return ed25519.is_signed(key, signed_bytes(checkpoint), signature)
    except ValueError:
        return False


def as_body(checkpoint: Checkpoint) -> bytes:
    return msgspec.json.encode(checkpoint)


def read_checkpoint(body: bytes) -> Checkpoint:
    """Raises `ValueError` for a body that is none, or that says the same in other bytes than `as_body` writes."""
    try:
        checkpoint = msgspec.json.decode(body, type=Checkpoint)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if as_body(checkpoint) != body:
        raise ValueError("it is not written as a checkpoint is")
    return checkpoint


class AlreadyStoredError(Exception):
    """This checkpoint is in the journal: a commit that reported an error had reached the disk all the same."""

    def __init__(self, body: bytes) -> None:
        super().__init__("the checkpoint is stored already")
        self.body = body


class OutOfOrderError(Exception):
    """The journal's last checkpoint is not the one before this one."""


@dataclass(frozen=True, slots=True)
class Signing:
    """A checkpoint that lacks only its place in the chain, which the writer knows inside its transaction."""

    journal: str
    index: int
    key: str
    next_key: str
    seed: bytes = field(repr=False)
    succeeds: SucceededKey | None = None

    def body(self, head: Head, wall_ms: int, last: bytes | None) -> bytes:
        """The signed body of the record after `head`, where `last` is the newest checkpoint. A key signs once."""
        before = None if last is None else read_checkpoint(last)
        if last is not None and before is not None and (before.index, before.key) == (self.index, self.key):
            raise AlreadyStoredError(last)
        if self.index not in ((0, 1) if before is None else (before.index + 1,)):
            raise OutOfOrderError(f"{before or 'no checkpoint'} comes before checkpoint {self.index}")
        unsigned = Checkpoint(
            journal=self.journal,
            index=self.index,
            number=head.number,
            hash=head.hash.hex(),
            time=wall_ms,
            key=self.key,
            next_key=self.next_key,
            succeeds=self.succeeds,
        )
        signature = ed25519.sign(self.seed, signed_bytes(unsigned))
        return as_body(msgspec.structs.replace(unsigned, signature=signature.hex()))
