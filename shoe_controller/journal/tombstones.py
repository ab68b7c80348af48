"""What is kept of pruned shoes, as rows and as the body of a record, and which of them the chain confirms.

A tombstone proves nothing by itself: whoever can write the file can add one, and delete what it covers. It counts
only if a record that lies later in the chain names it. Every `pruned` record names its own tombstone and, by a digest,
all those before it; so the newest one confirms them all, also those whose own records have been pruned since.

Used by `reading.py`, `verify.py`, `prune.py`.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from shoe_controller.journal.database import Database, Row
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.journal.records import Record, Tombstone

INSERT_TOMBSTONE = "INSERT INTO tombstone VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_TYPES = (int, int, bytes, bytes, bytes, int, int, str, int, int, str, bytes)
_DIGEST_PERSON = b"shoetmb1"
_NUMBERS = struct.Struct(">6q6Q")


class Note(Tombstone, frozen=True, kw_only=True):
    """The body of a `pruned` record."""

    tombstones: bytes | None = None
    """The digest of all tombstones up to this one; earlier versions of the program did not write it."""


class Fault(NamedTuple):
    number: int
    """The first record of the tombstone concerned."""
    what: str


class Judgement(NamedTuple):
    faults: list[Fault]
    confirmed_by: dict[int, int]
    """For each tombstone that counts, by its first record: the first record of the chain that confirms it."""
    by_range_alone: list[Tombstone]
    """They count, because a later one follows from them, but the chain no longer says what else they should hold."""


def read_tombstones(database: Database) -> list[Tombstone]:
    """In the order of the records that they stand for: one for each pruned shoe, so there are never many."""
    return [_from_row(database, row) for row in database.rows("SELECT * FROM tombstone ORDER BY first")]


def newest_tombstone(database: Database) -> Tombstone | None:
    row = database.row("SELECT * FROM tombstone ORDER BY first DESC LIMIT 1")
    return None if row is None else _from_row(database, row)


def as_row(tombstone: Tombstone) -> Row:
    return tuple(
        _counts(tombstone) if field == "counts" else getattr(tombstone, field) for field in tombstone.__struct_fields__
    )


def as_body(tombstones: Sequence[Tombstone]) -> bytes:
    """The body of the record that tells of the last of these; the others are all that were there before."""
    *_, digest = digests(tombstones)
    note = Note(**msgspec.structs.asdict(tombstones[-1]), tombstones=digest)
    return msgspec.json.encode(note, order="sorted")


def read_note(record: Record) -> Note:
    """The tombstone in a `pruned` record; a `ValueError` if it is none."""
    try:
        return msgspec.json.decode(record.body, type=Note)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def digests(tombstones: Iterable[Tombstone]) -> Iterator[bytes]:
    """For each, the digest of all up to it; `docs/journal.md` describes it."""
    digest = hashlib.blake2s(person=_DIGEST_PERSON)
    for one in tombstones:
        counts, name = (text.encode("utf-8", "surrogateescape") for text in (_counts(one), one.export_name))
        parts = (one.previous_hash, one.first_hash, one.last_hash, counts, name, one.export_digest)
        numbers = one.first, one.last, one.last_seq, one.shoe, one.first_wall_ms, one.last_wall_ms
        digest.update(_NUMBERS.pack(*numbers, *map(len, parts)) + b"".join(parts))
        yield digest.digest()


def judge(tombstones: Sequence[Tombstone], notes: Iterable[tuple[int, Note]]) -> Judgement:
    """Compare the tombstones, in order, with the `pruned` records of the chain: each record's number and its body."""
    faults = list(_out_of_order(tombstones))
    up_to = list(digests(tombstones))
    places = {one.first: place for place, one in enumerate(tombstones)}
    own: dict[int, int] = {}
    """The record that tells of a tombstone, by the tombstone's place."""
    whole: dict[int, int] = {}
    """The same for records with a digest, which tell of all tombstones before too."""
    for number, note in notes:
        place = places.get(note.first)
        if place is None:
            faults.append(
                Fault(note.first, f"the tombstone of record {note.first} is missing; record {number} tells of it.")
            )
            continue
        fault = _fault(number, note, tombstones[place], up_to[place])
        if fault:
            faults.append(Fault(note.first, f"{name_of(tombstones[place])} {fault}"))
            continue
        own[place] = number
        if note.tombstones is not None:
            whole[place] = number
    unconfirmed: list[Fault] = []
    confirmed_by: dict[int, int] = {}
    by_range_alone: list[Tombstone] = []
    earliest: int | None = None
    digest_found = False
    for place, tombstone in reversed(list(enumerate(tombstones))):
        if place in own:
            earliest = own[place] if earliest is None else min(earliest, own[place])
        digest_found = digest_found or place in whole
        if earliest is None:
            what = (
                f"{name_of(tombstone)} is confirmed by no later record, so it does not count: its records are missing."
            )
            unconfirmed.append(Fault(tombstone.first, what))
            continue
        confirmed_by[tombstone.first] = earliest
        if place not in own and not digest_found:
            by_range_alone.append(tombstone)
    return Judgement(faults + unconfirmed[::-1], confirmed_by, by_range_alone[::-1])


def name_of(tombstone: Tombstone) -> str:
    return f"the tombstone of shoe {tombstone.shoe} (records {tombstone.first} to {tombstone.last})"


def _fault(number: int, note: Note, tombstone: Tombstone, digest: bytes) -> str:
    if any(getattr(note, field) != getattr(tombstone, field) for field in Tombstone.__struct_fields__):
        return f"differs from its record in the chain, {number}."
    if number <= tombstone.last:
        return f"is told of by record {number}, which does not lie later."
    if note.tombstones not in {None, digest}:
        return f"or one before it differs from those that record {number} was written with."
    return ""


def _out_of_order(tombstones: Sequence[Tombstone]) -> Iterator[Fault]:
    """Pruning always takes the oldest shoe, so that tombstones follow each other from record 1 on."""
    expected = 1
    for tombstone in tombstones:
        if tombstone.first != expected or tombstone.last < tombstone.first:
            yield Fault(
                tombstone.first, f"{name_of(tombstone)} is out of order; the next one would begin with {expected}."
            )
        expected = tombstone.last + 1


def _counts(tombstone: Tombstone) -> str:
    return msgspec.json.encode(tombstone.counts, order="sorted").decode()


def _from_row(database: Database, row: Row) -> Tombstone:
    if tuple(map(type, row)) != _TYPES:
        raise DamagedJournalError(
            database.path, f"the tombstone of record {row[0]!r} has a column with a value of another type."
        )
    fields = dict(zip(Tombstone.__struct_fields__, row, strict=True))
    counts = fields["counts"]
    try:
        fields["counts"] = msgspec.json.decode(counts.encode(errors="surrogateescape"), type=dict[str, int])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DamagedJournalError(
            database.path, f"the counts in the tombstone of record {row[0]} cannot be read."
        ) from error
    tombstone = Tombstone(**fields)
    if _counts(tombstone) != counts:
        raise DamagedJournalError(
            database.path, f"the counts in the tombstone of record {row[0]} are not as this program writes them."
        )
    return tombstone
