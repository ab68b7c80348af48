"""How each record is tied to the one before it. Pure.

The hash of a record is blake2s over the hash before it, the record's numbers, the lengths of its texts and the texts.
Every field has its fixed place or its length in front, so two different records never give the same bytes. The first
record follows the genesis, which names the table and the file: a journal cannot be passed off as another table's.

The chain has no key. Anyone who can write to the file can compute a new chain; this shows in the heads that
went out with the messages before.
"""

import hashlib
import struct

from shoe_controller.journal.records import Record

_RECORD_PERSON = b"shoerec1"
_GENESIS_PERSON = b"shoegen1"

_EMPTY = hashlib.blake2s(person=_RECORD_PERSON)
"""Where every record's hash begins; a copy takes less time than a new one."""

_NUMBERS = struct.Struct(">8q4Q")
_LENGTHS = struct.Struct(">2Q")

Fields = tuple[int, int, str, str, int, int, int, int, int, int | None, str, bytes]
"""What a record has before its hash, in the order of `Record`."""

NO_SEQ = 0
"""Stands for the number of a record that has none; numbers begin with 1."""


def genesis(table: str, journal_id: str) -> bytes:
    """What the first record of a journal follows."""
    names = table.encode(), journal_id.encode()
    digest = hashlib.blake2s(_LENGTHS.pack(*map(len, names)), person=_GENESIS_PERSON)
    digest.update(b"".join(names))
    return digest.digest()


def link(previous: bytes, record: Record) -> bytes:
    """The hash of this record when it follows the one with the hash `previous`; its own hash is ignored."""
    return link_fields(previous, record[:-1])


def link_fields(previous: bytes, fields: Fields) -> bytes:
    """As `link`, for what is not yet a record."""
    number, entry, kind, name, wall_ms, mono_ns, synchronised, shoe, round_, seq, software, body = fields
    # A file that was tampered with can hold texts that are not UTF-8; they are hashed as the bytes they are.
    kind_text = kind.encode("utf-8", "surrogateescape")
    name_text = name.encode("utf-8", "surrogateescape")
    software_text = software.encode("utf-8", "surrogateescape")
    packed = _NUMBERS.pack(
        number,
        entry,
        wall_ms,
        mono_ns,
        synchronised,
        shoe,
        round_,
        NO_SEQ if seq is None else seq,
        len(kind_text),
        len(name_text),
        len(software_text),
        len(body),
    )
    digest = _EMPTY.copy()
    digest.update(b"".join((previous, packed, kind_text, name_text, software_text, body)))
    return digest.digest()
