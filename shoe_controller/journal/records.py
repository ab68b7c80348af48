"""What goes into a journal and what comes out of it. Pure data; neighbours: `chain.py` ties records together.

The engine submits an `Entry`; in the journal it becomes one record for each of its parts, in this order: raw bytes,
the input, its events. So the chain up to an event covers the input that led to it.

Layout 1 stored every event twice, as a `fact` and as a `message`. Such records are read and verified, never written.
"""

from enum import Enum, StrEnum
from typing import NamedTuple, Protocol

import msgspec

from shoe_controller.clock.moment import Moment


class RecordKind(StrEnum):
    """The kind of a record."""

    RAW = "raw"
    OPENING = "opening"
    """The input that opens a shoe; it holds all that a replay of the shoe needs."""
    SNAPSHOT = "snapshot"
    """An input that holds the whole state of the table, so that a replay can begin in the middle of a shoe."""
    INPUT = "input"
    EVENT = "event"
    """An event that the input led to, as it is published: numbered by `seq`."""
    PRUNED = "pruned"
    """The journal's own note that an old shoe was removed; its body is the tombstone."""
    CHECKPOINT = "checkpoint"
    """The journal's own signature under all records before it."""
    FACT = "fact"
    """Layout 1: an event by its name, without a number."""
    MESSAGE = "message"
    """Layout 1: the same bytes again, by topic and with the number."""


INPUTS = frozenset({RecordKind.OPENING, RecordKind.SNAPSHOT, RecordKind.INPUT})
STARTS = frozenset({RecordKind.OPENING, RecordKind.SNAPSHOT})
NAMED_EVENTS = frozenset({RecordKind.EVENT, RecordKind.FACT})
"""What an input led to, once for each event in either layout."""
NUMBERED_EVENTS = frozenset({RecordKind.EVENT, RecordKind.MESSAGE})
"""What is published, once for each event in either layout."""


class Direction(StrEnum):
    FROM_SHOE = "from_shoe"
    TO_SHOE = "to_shoe"
    LEFT_OUT = "left_out"
    """No bytes of the line: how many of them, from the shoe, are not in the journal at this place."""


class Start(Enum):
    """An input at which a replay can begin."""

    OPENING = RecordKind.OPENING
    SNAPSHOT = RecordKind.SNAPSHOT


class Raw(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes on the line, with their own time on the monotonic clock; or how many were left out, as JSON."""

    direction: Direction
    data: bytes
    mono_ns: int


class Input(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: bytes
    start: Start | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: bytes


class Signer(Protocol):
    """Signs a checkpoint, see `checkpoints.py`."""

    def body(self, head: "Head", wall_ms: int, last: bytes | None) -> bytes:
        """The body of the checkpoint after `head`; `last` is that of the newest one."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An input and its events, or a checkpoint alone, stored together or not at all."""

    at: Moment
    shoe: int
    round: int
    raw: tuple[Raw, ...] = ()
    input: Input | None = None
    events: tuple[Event, ...] = ()
    """What the input led to, each encoded once: these bytes are stored and published."""
    link_state: bytes | None = None
    """The link's state, to be restored at the next start; `None` leaves the stored one unchanged."""
    checkpoint: Signer | None = None
    """Signs everything up to here."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The end of the chain: a copy kept elsewhere shows later whether anything up to that record was changed."""

    number: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.number}:{self.hash.hex()}"


def head_from(text: str) -> Head:
    """The head that this is the text of; `ValueError` if it is not one."""
    number, _, digest = text.partition(":")
    head = Head(number=int(number), hash=bytes.fromhex(digest))
    if str(head) != text or not 0 <= head.number < 2**63:
        raise ValueError(f"{text!r} is not the head of a journal")
    return head


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The entry is on the disk."""

    head: Head
    """After the entry's last record."""
    seqs: range
    """The numbers of its events."""
    heads: tuple[Head, ...]
    """The chain after each of its events' own records, so that an event is published without reading it back."""
    checkpoint: bytes | None = None
    """The body of its checkpoint."""


class Record(NamedTuple):
    """One row of the journal, as it is stored."""

    number: int
    entry: int
    """The number of the first record of the same entry."""
    kind: str
    name: str
    """The direction of raw bytes, the name of an input or an event; in layout 1 also the topic of a message."""
    wall_ms: int
    mono_ns: int
    synchronised: int
    shoe: int
    round: int
    seq: int | None
    """Events are numbered, from 1 and without a gap; in layout 1 their messages were."""
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
    """An input, and the events that it led to when it came."""

    input: StoredInput
    events: tuple[Event, ...]
    layout: int
    """The layout of the stored events: 1 as `fact`, 2 as `event`; 2 where there are none."""


class StoredEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A numbered event, for the publisher."""

    seq: int
    name: str
    """In layout 1 this is the topic on which it was published."""
    body: bytes
    head: Head
    """The chain after the event's own record; in layout 1, as published then, just before it."""
    layout: int
    """The layout in which it was stored: 1 as `message`, 2 as `event`."""


class Tombstone(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a shoe that was pruned, so that the chain can be followed across the cut."""

    first: int
    last: int
    previous_hash: bytes
    """Of the record before the first."""
    first_hash: bytes
    last_hash: bytes
    last_seq: int
    """The last event's number up to here."""
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
