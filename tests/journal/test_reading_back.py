"""Events from the end of a journal backwards, and steps from any entry on: what `journal recall` reads."""

from pathlib import Path

import pytest

from shoe_controller.journal.errors import BrokenChainError
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import AT_ONCE, JournalReader
from tests.journal.samples import SOFTWARE, events_of, moment, opened, shoes, write
from tests.journal.tampering import tampered


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Long enough to be read in several parts."""
    name = tmp_path / "table.journal"
    write(name, shoes(40, 12, events=2))
    return name


def test_events_come_newest_first_and_none_is_left_out(path: Path) -> None:
    with JournalReader(path) as reader:
        end = reader.position().head.number
        assert end > 2 * AT_ONCE
        wanted = [record for record in reader.records(0, end) if (record.kind, record.name) == ("event", "event_1")]
        assert list(reader.events_backwards("event_1")) == wanted[::-1]
        assert list(reader.events_backwards("no_such_event")) == []
        assert reader.oldest() == 1


def test_whoever_stops_early_has_not_read_the_history(path: Path) -> None:
    """The old part could be anything."""
    with JournalReader(path) as reader:
        last = next(reader.events_backwards("event_0"))
        steps = list(reader.steps(last.entry))
    tampered(path, "DELETE FROM record WHERE number < ?", values=(last.entry - AT_ONCE,))
    with JournalReader(path) as reader:
        assert next(reader.events_backwards("event_0")) == last
        assert list(reader.steps(last.entry)) == steps
        assert steps[-1].events == events_of(steps[-1].input.input)


def test_steps_check_the_chain(path: Path) -> None:
    with JournalReader(path) as reader:
        first = next(reader.events_backwards("event_0")).entry
    tampered(path, "UPDATE record SET body = x'00' WHERE number = ?", values=(first,))
    with JournalReader(path) as reader, pytest.raises(BrokenChainError, match=f"record {first} "):
        list(reader.steps(first))


def test_nothing_is_read_beyond_what_was_pruned(path: Path, tmp_path: Path) -> None:
    with opened(path) as journal:
        journal.confirm(960).result(timeout=10)
    prune(
        path,
        older_than_ms=moment(12 * 30 + 1).wall_ms,
        folder=tmp_path,
        now=moment(1000),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=lambda: None,
    )
    with JournalReader(path) as reader:
        first = next(reader.records(0, reader.position().head.number))
        assert reader.oldest() == first.number > 1
        assert {record.shoe for record in reader.events_backwards("event_0")} == set(range(31, 41))
        assert len(list(reader.steps(reader.oldest()))) == 120
    # A run that was interrupted has left some of the oldest records behind.
    tampered(
        path,
        "INSERT INTO record SELECT 1, 1, kind, name, 0, 0, 0, 1, 1, NULL, '', body, hash FROM record "
        "WHERE name = 'event_0' AND number > ? LIMIT 1",
        values=(first.number,),
    )
    with JournalReader(path) as reader:
        assert {record.shoe for record in reader.events_backwards("event_0")} == set(range(31, 41))


def test_an_empty_journal(tmp_path: Path) -> None:
    write(tmp_path / "new", [])
    with JournalReader(tmp_path / "new") as reader:
        assert list(reader.events_backwards("event_0")) == []
        assert list(reader.steps(reader.oldest())) == []
