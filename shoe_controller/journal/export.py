"""Records as JSON lines or CSV, for people and programs that have no SQLite: by shoe, by round, by time.

One line for each record, with everything that is in it, hash included, so that the chain can be checked from an export
too. A body that is text is given as text, any other as base64. Used by `prune.py` and the command.
"""

import base64
import csv
import io
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from shoe_controller.journal.opening import as_record
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Record

NUMBERS_AT_ONCE = 5000
"""Record numbers covered by one read; SQLite filters out the records that are not wanted."""

Progress = Callable[[int, int], object]
"""Called with the number of records done and the total."""

COLUMNS = (
    "number",
    "entry",
    "kind",
    "name",
    "wall_ms",
    "mono_ns",
    "synchronised",
    "shoe",
    "round",
    "seq",
    "software",
    "text",
    "base64",
    "hash",
)


class Form(StrEnum):
    JSON_LINES = "jsonl"
    CSV = "csv"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which records to export; by default all of them."""

    shoe: int | None = None
    round: int | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    """Not included."""
    first: int = -(2**63)
    last: int | None = None


def selected(reader: JournalReader, selection: Selection, progress: Progress) -> Iterator[Record]:
    """The records that are wanted, in order; beside a writer, those that are there now."""
    end = reader.position().head.number if selection.last is None else selection.last
    first = _first_from(reader, selection.first)
    while first is not None and first <= end:
        up_to = min(first + NUMBERS_AT_ONCE - 1, end)
        rows = reader.database.rows(
            "SELECT * FROM record WHERE number >= ? AND number <= ? AND shoe = ifnull(?, shoe) "
            "AND round = ifnull(?, round) AND wall_ms >= ifnull(?, wall_ms) AND wall_ms < ifnull(?, wall_ms + 1) "
            "ORDER BY number",
            (first, up_to, selection.shoe, selection.round, selection.since_ms, selection.until_ms),
        )
        yield from (as_record(reader.database, row) for row in rows)
        progress(up_to, end)
        first = _first_from(reader, up_to + 1) if up_to < end else None


def _first_from(reader: JournalReader, number: int) -> int | None:
    """The first record from that number on: in a damaged file the numbers can have gaps of any size."""
    row = reader.database.row("SELECT min(number) FROM record WHERE number >= ?", (number,))
    return None if row is None else row[0]


def header(form: Form) -> bytes:
    return _csv_line(COLUMNS) if form is Form.CSV else b""


def line(record: Record, form: Form) -> bytes:
    fields = _fields(record)
    if form is Form.CSV:
        return _csv_line(fields.get(column) for column in COLUMNS)
    return msgspec.json.encode(fields) + b"\n"


_Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Line(msgspec.Struct, kw_only=True):
    number: _Number
    entry: _Number
    kind: str
    name: str
    wall_ms: _Number
    mono_ns: _Number
    synchronised: bool
    shoe: _Number
    round: _Number
    seq: _Number | None = None
    software: str
    text: str | None = None
    base64: bytes | None = None
    hash: str


def record_of(line: bytes) -> Record:
    """The record on a line of JSON, as `line` wrote it; a `ValueError` if there is none."""
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    body = read.base64 if read.text is None else read.text.encode()
    if body is None or (read.text is not None and read.base64 is not None):
        raise ValueError("it has no body, or two")
    return Record(
        number=read.number,
        entry=read.entry,
        kind=read.kind,
        name=read.name,
        wall_ms=read.wall_ms,
        mono_ns=read.mono_ns,
        synchronised=int(read.synchronised),
        shoe=read.shoe,
        round=read.round,
        seq=read.seq,
        software=read.software,
        body=body,
        hash=bytes.fromhex(read.hash),
    )


def _fields(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "number": record.number,
        "entry": record.entry,
        "kind": _printable(record.kind),
        "name": _printable(record.name),
        "wall_ms": record.wall_ms,
        "mono_ns": record.mono_ns,
        "synchronised": bool(record.synchronised),
        "shoe": record.shoe,
        "round": record.round,
        "software": _printable(record.software),
        "hash": record.hash.hex(),
    }
    if record.seq is not None:
        fields["seq"] = record.seq
    text = _as_text(record.body)
    if text is None:
        fields["base64"] = base64.b64encode(record.body).decode()
    else:
        fields["text"] = text
    return fields


def _as_text(body: bytes) -> str | None:
    """The body as text, if it survives every text tool unchanged."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _printable(name: str) -> str:
    """A file that was tampered with can hold names that are not text."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _csv_line(fields: Any) -> bytes:  # noqa: ANN401 - whatever csv can write
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue().encode()
