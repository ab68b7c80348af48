"""An export holds everything that was asked for, and loses nothing of it."""

import base64
import csv
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.journal.chain import link
from shoe_controller.journal.export import COLUMNS, Form, Selection, header, line, selected
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Event, Input, Record
from tests.journal.samples import entry, moment, opened, shoes, write

AWKWARD = [b"", b"plain", 'quote " comma , 中'.encode(), b"line\nbreak", b"\x00\xff", "\u2028".encode(), b"=1+1", b"\r"]


def of_json(text: bytes) -> list[dict[str, Any]]:
    return [msgspec.json.decode(one) for one in text.splitlines()]


def of_csv(text: bytes) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def as_record(fields: dict[str, Any]) -> Record:
    """The record that a line was made from."""
    body = fields["text"].encode() if fields.get("text") else base64.b64decode(fields.get("base64") or "")
    numbers = {name: int(fields[name]) for name in ("number", "entry", "wall_ms", "mono_ns", "shoe", "round")}
    return Record(
        **numbers,
        kind=fields["kind"],
        name=fields["name"],
        synchronised=int(str(fields["synchronised"]) == "True"),
        seq=int(fields["seq"]) if fields.get("seq") else None,
        software=fields["software"],
        body=body,
        hash=bytes.fromhex(fields["hash"]),
    )


def exported(reader: JournalReader, form: Form, selection: Selection) -> bytes:
    lines = [line(record, form) for record in selected(reader, selection, lambda _done, _all: None)]
    return header(form) + b"".join(lines)


@pytest.mark.parametrize("form", Form)
def test_nothing_is_lost(path: Path, form: Form) -> None:
    events = tuple(Event(name="awkward", body=body) for body in AWKWARD)
    given = Input(name='a "name", with 中', body=b"{}")
    write(path, [msgspec.structs.replace(entry(300), input=given, events=events)])
    with JournalReader(path) as reader:
        records = list(reader.records(0, reader.position().head.number))
        text = exported(reader, form, Selection())
    lines = of_json(text) if form is Form.JSON_LINES else of_csv(text)
    assert [as_record(one) for one in lines] == records
    for before, record in pairwise(records):
        # Pruning has left checkpoints without their neighbours.
        assert link(before.hash, record) == record.hash or record.number != before.number + 1


def test_both_forms_have_the_same_columns(path: Path) -> None:
    with JournalReader(path) as reader:
        text = exported(reader, Form.CSV, Selection())
        names = {name for one in of_json(exported(reader, Form.JSON_LINES, Selection())) for name in one}
    assert tuple(of_csv(text)[0]) == COLUMNS
    assert names == set(COLUMNS)


SELECTIONS: list[Selection] = [
    Selection(),
    Selection(shoe=3),
    Selection(shoe=4, round=17),
    Selection(round=3),
    Selection(shoe=99),
    Selection(since_ms=moment(15).wall_ms),
    Selection(until_ms=moment(15).wall_ms),
    Selection(since_ms=moment(14).wall_ms, until_ms=moment(16).wall_ms, shoe=3),
    Selection(since_ms=moment(16).wall_ms, until_ms=moment(14).wall_ms),
    Selection(first=100, last=120),
]


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_what_is_selected(path: Path, selection: Selection) -> None:
    with JournalReader(path) as reader:
        records = list(reader.records(0, reader.position().head.number))
        got = list(selected(reader, selection, lambda _done, _all: None))
    wanted = [
        record
        for record in records
        if (selection.shoe is None or record.shoe == selection.shoe)
        and (selection.round is None or record.round == selection.round)
        and (selection.since_ms is None or record.wall_ms >= selection.since_ms)
        and (selection.until_ms is None or record.wall_ms < selection.until_ms)
        and record.number >= selection.first
        and (selection.last is None or record.number <= selection.last)
    ]
    assert got == wanted
    assert bool(got) == (selection not in {SELECTIONS[4], SELECTIONS[8]})


def test_more_than_one_reading_with_progress_beside_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write(path, shoes(300))
    seen: list[tuple[int, int]] = []
    with JournalReader(path) as reader, opened(path) as journal:
        end = reader.position().head.number
        count = 0
        for record in selected(reader, Selection(), lambda done, everything: seen.append((done, everything))):
            count += 1
            if record.number % 1000 == 0:
                journal.submit(entry(record.number, shoe=300)).result(timeout=10)
    assert count == end
    assert len(seen) > 1
    assert seen[-1] == (end, end)
