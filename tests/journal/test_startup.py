"""Start-up reads the current shoe and nothing else, however long the history is, and finds its damage."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from shoe_controller.journal.errors import BrokenChainError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import ReplayStep, Start
from tests.journal.samples import entry, events_of, shoes, write
from tests.journal.tampering import tampered


def current(path: Path) -> list[ReplayStep]:
    with JournalReader(path) as reader:
        return list(reader.current_shoe())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def test_a_new_journal_has_nothing_to_say(path: Path) -> None:
    write(path, [])
    assert current(path) == []


def test_before_the_first_shoe_everything_is_read(path: Path) -> None:
    write(path, [entry(number, shoe=0) for number in range(1, 4)])
    assert [step.input.input.body for step in current(path)] == [b"input 1", b"input 2", b"input 3"]


def test_only_the_current_shoe_is_read_with_its_events(path: Path) -> None:
    written = list(shoes(3))
    write(path, written)
    steps = current(path)
    assert [step.input.input for step in steps] == [one.input for one in written if one.shoe == 3]
    assert steps[0].input.input.start is Start.OPENING
    for step, one in zip(steps, written[-6:], strict=True):
        assert step.events == events_of(step.input.input)
        assert (step.input.at, step.input.shoe, step.input.round) == (one.at, one.shoe, one.round)


def test_a_later_snapshot_is_the_start(path: Path) -> None:
    write(path, [*shoes(2), entry(100, shoe=2, start=Start.SNAPSHOT), entry(101, shoe=2)])
    assert [step.input.input.body for step in current(path)] == [b"input 100", b"input 101"]
    write(path, [entry(102, shoe=3, start=Start.OPENING)])
    assert [step.input.input.body for step in current(path)] == [b"input 102"]


def test_a_shoe_longer_than_one_reading(path: Path) -> None:
    count = 700
    write(path, [entry(0, start=Start.OPENING), *(entry(number) for number in range(1, count))])
    assert [step.input.input.body for step in current(path)] == [b"input %d" % number for number in range(count)]


def test_no_scan_of_the_history(path: Path) -> None:
    write(path, shoes(2))
    with closing(sqlite3.connect(path)) as database:
        for query in (
            "SELECT max(number) FROM record WHERE kind IN ('opening', 'snapshot')",
            "SELECT * FROM record WHERE number > 5 AND number <= 9 ORDER BY number LIMIT 10",
            "SELECT * FROM record ORDER BY number DESC LIMIT 1",
            "SELECT m.* FROM record AS m WHERE m.seq > 5 ORDER BY m.seq LIMIT 3",
        ):
            plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {query}")]
            assert all("SEARCH" in line or "record_starts" in line or "DESC LIMIT 1" in query for line in plan), plan


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET body = x'00' WHERE number = 60",
        "UPDATE record SET mono_ns = mono_ns + 1 WHERE number = (SELECT max(number) FROM record)",
        "DELETE FROM record WHERE number = 60",
        "DELETE FROM record WHERE number = (SELECT max(number) FROM record)",
        "DELETE FROM record",
    ],
)
def test_a_broken_chain_in_the_current_shoe_is_found_at_start_up(path: Path, statement: str) -> None:
    write(path, shoes(3))
    tampered(path, statement)
    with pytest.raises(BrokenChainError):
        current(path)
