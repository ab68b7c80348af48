"""What goes into a journal and what comes out of it. Pure data; neighbours: `chain.py` ties records together.

The shell submits an `Entry`; in the journal it becomes one record for each of its parts, in this order: raw bytes,
the input, its facts, the messages. So the chain up to a message covers the input and the facts that it speaks of.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

import msgspec

from shoe_controller.clock.moment import Moment


class RecordKind(StrEnum):
    """What a record is."""

    RAW = "raw"
    OPENING = "opening"
    """The input that opens a shoe; it holds all that a replay of the shoe needs."""
    SNAPSHOT = "snapshot"
    """An input that holds the whole state of the table, so that a replay can begin in the middle of a shoe."""
    INPUT = "input"
    FACT = "fact"
    MESSAGE = "message"
    PRUNED = "pruned"
    """The journal's own note that an old shoe was removed; its body is the tombstone."""


INPUTS = frozenset({RecordKind.OPENING, RecordKind.SNAPSHOT, RecordKind.INPUT})
STARTS = frozenset({RecordKind.OPENING, RecordKind.SNAPSHOT})


class Direction(StrEnum):
    FROM_SHOE = "from_shoe"
    TO_SHOE = "to_shoe"


class Start(Enum):
    """An input at which a replay can begin."""

    OPENING = RecordKind.OPENING
    SNAPSHOT = RecordKind.SNAPSHOT


class Raw(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes on the line, with the moment of their own on the clock that never goes back."""

    direction: Direction
    data: bytes
    mono_ns: int


class Input(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: bytes
    start: Start | None = None


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: bytes


class Message(msgspec.Struct, frozen=True, kw_only=True):
    topic: str
    payload: bytes


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored together or not at all."""

    at: Moment
    shoe: int
    round: int
    raw: tuple[Raw, ...] = ()
    input: Input | None = None
    facts: tuple[Fact, ...] = ()
    messages: tuple[Message, ...] = ()
    link_state: bytes | None = None
    """What the link is to be told at the next start; `None` leaves it as it was."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The end of the chain: whoever knows it can tell later whether anything up to that record was changed."""

    number: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.number}:{self.hash.hex()}"


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The entry is on the disk."""

    head: Head
    """After the entry's last record."""
    seqs: range
    """The numbers that its messages got."""


class Record(NamedTuple):
    """One row of the journal, as it is stored."""

    number: int
    entry: int
    """The number of the first record of the same entry."""
    kind: str
    name: str
    """What the shell calls it: the direction of raw bytes, the name of an input or a fact, the topic of a message."""
    wall_ms: int
    mono_ns: int
    synchronised: int
    shoe: int
    round: int
    seq: int | None
    """Messages alone are numbered, from 1 and without a gap."""
    software: str
    """The version of the program that wrote it."""
    body: bytes
    hash: bytes

    @property
    def at(self) -> Moment:
        return Moment(wall_ms=self.wall_ms, mono_ns=self.mono_ns, synchronised=bool(self.synchronised))

    def __str__(self) -> str:
        return f'record {self.number} ({self.kind} "{self.name}")'


class StoredInput(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    input: Input
    at: Moment
    shoe: int
    round: int


class ReplayStep(msgspec.Struct, frozen=True, kw_only=True):
    """An input, and the facts that it led to when it came."""

    input: StoredInput
    facts: tuple[Fact, ...]


class StoredMessage(msgspec.Struct, frozen=True, kw_only=True):
    seq: int
    topic: str
    payload: bytes
    at: Moment
    shoe: int
    round: int
    head: Head
    """The chain just before the message's own record: a message cannot hold a hash that is computed over itself.

    It covers everything that was stored before the message, its own input and facts among it. It comes from the file
    and not from memory, so a message that is sent again says the same.
    """


class Tombstone(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a shoe that was pruned, so that the chain can be followed across the cut."""

    first: int
    last: int
    previous_hash: bytes
    """Of the record before the first."""
    first_hash: bytes
    last_hash: bytes
    last_seq: int
    """The last message's number up to here."""
    shoe: int
    counts: dict[str, int]
    first_wall_ms: int
    last_wall_ms: int
    export_name: str
    export_digest: bytes
    """Where its records went, and the blake2s digest of that file."""


def stored_input(record: Record) -> StoredInput:
    start = Start(record.kind) if record.kind in STARTS else None
    given = Input(name=record.name, body=record.body, start=start)
    return StoredInput(number=record.number, input=given, at=record.at, shoe=record.shoe, round=record.round)
