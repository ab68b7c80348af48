"""A changed, missing, added or swapped record of any kind is found and named, as is a meddled tombstone."""

# ruff: noqa: S608 - the statements are made of the names in this file

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.journal.chain import link
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, Record, RecordKind
from shoe_controller.journal.verify import verify
from tests.journal.samples import SOFTWARE, entry, named, opened, shoes, verified, write
from tests.journal.tampering import query, tampered

COLUMNS: dict[str, Any] = {
    "number": "number + 100000",
    "entry": "entry - 1",
    "kind": "CASE kind WHEN 'event' THEN 'raw' ELSE 'event' END",
    "name": "name || ' '",
    "wall_ms": "wall_ms + 1",
    "mono_ns": "mono_ns - 1",
    "synchronised": "1 - synchronised",
    "shoe": "shoe + 1",
    "round": "round - 1",
    "seq": "ifnull(seq, 0) + 100000",
    "software": "'0.1.00'",
    "body": "CAST(body || x'00' AS BLOB)",
    "hash": "zeroblob(32)",
}


WRITTEN = [kind for kind in RecordKind if kind not in {RecordKind.FACT, RecordKind.MESSAGE}]
"""The other kinds are of layout 1; `test_old_journals.py` has those."""


def victim(path: Path, kind: RecordKind) -> int:
    """The number of a record of that kind."""
    numbers = [number for (number,) in query(path, f"SELECT number FROM record WHERE kind = '{kind}' ORDER BY number")]
    return int(numbers[len(numbers) // 2])


def test_a_whole_journal_is_good(path: Path) -> None:
    report = verified(path)
    assert report.good
    assert report.pruned > 0
    assert report.records == query(path, "SELECT count(*) FROM record")[0][0]
    assert report.replayed == query(path, "SELECT count(*) FROM record WHERE kind = 'event'")[0][0]
    assert report.not_replayed == {}
    assert {kind for (kind,) in query(path, "SELECT DISTINCT kind FROM record")} == set(WRITTEN)


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_is_found_and_named(path: Path, kind: RecordKind, column: str) -> None:
    number = victim(path, kind)
    tampered(path, f"UPDATE record SET {column} = {COLUMNS[column]} WHERE number = {number}")
    report = verified(path)
    assert number in named(report)
    if column != "number":
        about = next(problem for problem in report.problems if problem.number == number)
        assert f"record {number} (" in about.what
        assert about.kind == (
            kind if column != "kind" else query(path, f"SELECT kind FROM record WHERE number={number}")[0][0]
        )


def test_every_column_is_among_the_changes() -> None:
    assert set(COLUMNS) == set(Record._fields)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_missing_record_is_found_and_named(path: Path, kind: RecordKind) -> None:
    number = victim(path, kind)
    tampered(path, f"DELETE FROM record WHERE number = {number}")
    report = verified(path)
    assert number in named(report)
    assert any(f"record {number} is missing" in problem.what for problem in report.problems)


@pytest.mark.parametrize("kind", WRITTEN)
def test_swapped_records_are_found_and_named(path: Path, kind: RecordKind) -> None:
    one = victim(path, kind)
    other = one + 3
    tampered(
        path,
        f"UPDATE record SET number = -1 WHERE number = {one}",
        f"UPDATE record SET number = {one} WHERE number = {other}",
        f"UPDATE record SET number = {other} WHERE number = -1",
    )
    assert {one, other} <= named(verified(path))


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("place", ["at the beginning", "inside", "at the end", "in place of a pruned one"])
def test_an_added_record_is_found_and_named(path: Path, kind: RecordKind, place: str) -> None:
    original = victim(path, kind)
    last = query(path, "SELECT max(number) FROM record")[0][0]
    number = {"at the beginning": 0, "inside": original + 1, "at the end": last + 1, "in place of a pruned one": 5}[
        place
    ]
    columns = ", ".join(field for field in Record._fields if field not in {"number", "seq"})
    tampered(
        path,
        f"UPDATE record SET number = -number WHERE number > {original} AND {number} = {original + 1}",
        f"UPDATE record SET number = 1 - number WHERE number < 0 AND {number} = {original + 1}",
        f"INSERT INTO record (number, {columns}) SELECT {number}, {columns} FROM record WHERE number = {original}",
    )
    report = verified(path)
    assert not report.good
    assert any(f"record {number} (" in problem.what for problem in report.problems)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_record_with_a_hash_made_to_fit_is_found_at_the_next_one(path: Path, kind: RecordKind) -> None:
    number = victim(path, kind)
    (row,) = query(path, f"SELECT * FROM record WHERE number = {number}")
    ((before,),) = query(path, f"SELECT hash FROM record WHERE number = {number - 1}")
    forged = Record(*row)._replace(body=b"forged")
    tampered(
        path, f"UPDATE record SET body = ?, hash = ? WHERE number = {number}", values=(b"forged", link(before, forged))
    )
    report = verified(path)
    assert number + 1 in named(report)
    assert any(f"does not follow from record {number}:" in problem.what for problem in report.problems)


def test_a_whole_new_chain_shows_in_a_head_that_was_kept(path: Path) -> None:
    with JournalReader(path) as reader:
        kept = [event.head for event in reader.events(20)]
        before = reader.position().head
    number = victim(path, RecordKind.EVENT)
    ((previous,),) = query(path, f"SELECT hash FROM record WHERE number = {number - 1}")
    rows = [Record(*row) for row in query(path, f"SELECT * FROM record WHERE number >= {number}")]
    rows[0] = rows[0]._replace(body=b"forged")
    for row in rows:
        previous = link(previous, row)
        tampered(path, f"UPDATE record SET body = ?, hash = ? WHERE number = {row.number}", values=(row.body, previous))
    tampered(path, "UPDATE position SET head_hash = ?", values=(previous,))
    assert verify(path, software=SOFTWARE, progress=lambda _done, _all: None).good
    for head in [one for one in kept if one.number >= number] + [before]:
        report = verify(path, software=SOFTWARE, heads=[head], progress=lambda _done, _all: None)
        assert [problem.number for problem in report.problems] == [head.number]
        assert str(head) in report.problems[0].what


def test_a_head_beyond_the_end_means_that_the_end_is_missing(path: Path) -> None:
    with JournalReader(path) as reader:
        end = reader.position().head
    beyond = Head(number=end.number + 5, hash=bytes(32))
    report = verify(path, software=SOFTWARE, heads=[end, beyond], progress=lambda _done, _all: None)
    assert [problem.what for problem in report.problems] == [
        f"the journal ends before record {beyond.number}; the head {beyond} is beyond it."
    ]


@pytest.mark.parametrize("count", [1, 2, 50])
def test_a_missing_end_is_found(path: Path, count: int) -> None:
    last = query(path, "SELECT max(number) FROM record")[0][0]
    tampered(path, f"DELETE FROM record WHERE number > {last - count}")
    assert last - count + 1 in named(verified(path))


def test_all_records_gone_is_found(path: Path) -> None:
    tampered(path, "DELETE FROM record")
    assert not verified(path).good


TOMBSTONE_CHANGES = {
    "first": "first - 1",
    "last": "last + 1",
    "previous_hash": "zeroblob(32)",
    "first_hash": "zeroblob(32)",
    "last_hash": "zeroblob(32)",
    "last_seq": "last_seq + 1",
    "shoe": "shoe + 1",
    "counts": "replace(counts, '12', '13')",
    "first_wall_ms": "first_wall_ms + 1",
    "last_wall_ms": "last_wall_ms + 1",
    "export_name": "export_name || 'x'",
    "export_digest": "zeroblob(32)",
}


@pytest.mark.parametrize("column", TOMBSTONE_CHANGES)
def test_a_changed_tombstone_is_found(path: Path, column: str) -> None:
    tampered(path, f"UPDATE tombstone SET {column} = {TOMBSTONE_CHANGES[column]} WHERE shoe = 2")
    report = verified(path)
    assert not report.good
    assert any("tombstone" in problem.what or "missing" in problem.what for problem in report.problems)


def test_a_missing_tombstone_is_found(path: Path) -> None:
    tampered(path, "DELETE FROM tombstone WHERE shoe = 2")
    assert any("tombstone of record" in problem.what for problem in verified(path).problems)


def test_an_added_tombstone_is_found(path: Path) -> None:
    (cut,) = query(path, "SELECT max(last) FROM tombstone")[0]
    ((after,),) = query(path, f"SELECT hash FROM record WHERE number = {cut + 3}")
    ((before,),) = query(path, "SELECT last_hash FROM tombstone ORDER BY first DESC LIMIT 1")
    tampered(
        path,
        f"INSERT INTO tombstone SELECT {cut + 1}, {cut + 3}, ?, first_hash, ?, last_seq, shoe, '{{}}', 0, 0, '', x'' "
        "FROM tombstone WHERE shoe = 2",
        values=(before, after),
    )
    tampered(path, f"DELETE FROM record WHERE number BETWEEN {cut + 1} AND {cut + 3}")
    assert any("is confirmed by no later record" in problem.what for problem in verified(path).problems)


@pytest.mark.parametrize("column", ["head_number", "head_hash", "last_seq"])
def test_a_changed_position_is_found(path: Path, column: str) -> None:
    change = "zeroblob(32)" if column == "head_hash" else f"{column} - 1"
    tampered(path, f"UPDATE position SET {column} = {change}")
    assert not verified(path).good


def test_another_name_for_the_table_is_found(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.journal"
    write(fresh, shoes(1))
    tampered(fresh, "UPDATE journal SET table_name = 'pit 3 table 8'")
    assert named(verified(fresh)) == {1}


def test_names_that_are_no_text_are_reported(path: Path) -> None:
    number = victim(path, RecordKind.EVENT)
    tampered(path, f"UPDATE record SET name = CAST(x'ff80' AS TEXT) WHERE number = {number}")
    assert number in named(verified(path))


def test_damage_below_sqlite_is_reported_or_is_harmless(path: Path) -> None:
    """Every page in turn is overwritten with noise. What is still whole may be good; nothing else may."""
    data = path.read_bytes()
    found = 0
    pages = range(0, len(data), 4096)
    for offset in pages:
        path.write_bytes(data[:offset] + b"\xa5" * 4096 + data[offset + 4096 :])
        try:
            found += not verified(path).good
        except FileError:
            found += 1
    assert found == len(pages)


def test_memory_does_not_grow_with_the_journal(tmp_path: Path) -> None:
    peaks = []
    # The first one is for what is made once and kept; eight times the records must not need twice the memory.
    for count in (1, 100, 800):
        path = tmp_path / f"{count}.journal"
        write(path, shoes(count))
        tracemalloc.start()
        assert verified(path).good
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 2 * peaks[1]


def test_progress_goes_up_to_the_end(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    verify(path, software=SOFTWARE, progress=lambda done, everything: seen.append((done, everything)))
    with JournalReader(path) as reader:
        end = reader.position().head.number
    assert seen[-1] == (end, end)
    assert seen == sorted(seen)


def test_a_running_writer_is_no_hindrance(path: Path) -> None:
    with opened(path) as journal:
        for number in range(200, 230):
            answer = journal.submit(entry(number, shoe=4))
            assert verified(path).good
            answer.result(timeout=10)
