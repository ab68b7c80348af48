"""The journal is the outbox: events in order after a cursor that moves on confirmation, and again from any number."""

from pathlib import Path

import pytest

from shoe_controller.journal.errors import JournalUsageError
from shoe_controller.journal.reading import JournalReader
from tests.journal.samples import entry, opened, verified, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    name = tmp_path / "table.journal"
    write(name, [entry(number, events=number % 4) for number in range(1, 40)])
    return name


def test_events_are_numbered_without_a_gap_in_the_order_of_their_entries(path: Path) -> None:
    with JournalReader(path) as reader:
        events = reader.events(0)
    wanted = [event for number in range(1, 40) for event in entry(number, events=number % 4).events]
    assert [(event.name, event.body) for event in events] == [(event.name, event.body) for event in wanted]
    assert [event.seq for event in events] == list(range(1, len(wanted) + 1))
    assert {event.layout for event in events} == {2}


@pytest.mark.parametrize("after", [0, 1, 17, 59, 60, 61, 1000])
def test_they_can_be_read_again_from_any_number(path: Path, after: int) -> None:
    with JournalReader(path) as reader:
        everything = reader.events(0)
        assert reader.events(after) == everything[after:]
        assert reader.events(after, limit=3) == everything[after : after + 3]


def test_the_cursor_moves_on_confirmation_and_never_back(path: Path) -> None:
    with opened(path) as journal, JournalReader(path) as reader:
        assert reader.position().published_seq == 0
        for seq, wanted in ((5, 5), (3, 5), (9, 9)):
            journal.confirm(seq).result(timeout=10)
            assert reader.position().published_seq == wanted
        with pytest.raises(JournalUsageError, match="event 61 cannot have been published"):
            journal.confirm(61).result(timeout=10)
        assert reader.position().published_seq == 9
    with JournalReader(path) as reader:
        assert reader.position().published_seq == 9
    assert verified(path).good


def test_a_wrong_confirmation_harms_no_entry_that_waits_with_it(path: Path) -> None:
    with opened(path) as journal:
        wrong, good = journal.confirm(10_000), journal.submit(entry(50))
        assert good.result(timeout=10).seqs == range(61, 62)
        assert isinstance(wrong.exception(timeout=10), JournalUsageError)


def test_an_event_carries_the_head_after_its_own_record(path: Path) -> None:
    with JournalReader(path) as reader:
        records = {record.number: record for record in reader.records(0, reader.position().head.number)}
        for event in reader.events(0):
            own = records[event.head.number]
            assert (own.hash, own.seq, own.body) == (event.head.hash, event.seq, event.body)


def test_the_receipt_carries_the_same_heads(path: Path) -> None:
    with opened(path) as journal, JournalReader(path) as reader:
        receipt = journal.submit(entry(50, events=3)).result(timeout=10)
        assert [(event.seq, event.head) for event in reader.events(60)] == list(
            zip(receipt.seqs, receipt.heads, strict=True)
        )
