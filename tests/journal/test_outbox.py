"""The journal is the outbox: messages in order after a cursor that moves on confirmation, and again from any number."""

from pathlib import Path

import pytest

from shoe_controller.journal.errors import JournalUsageError
from shoe_controller.journal.reading import JournalReader
from tests.journal.samples import entry, opened, verified, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    name = tmp_path / "table.journal"
    write(name, [entry(number, messages=number % 4) for number in range(1, 40)])
    return name


def test_messages_are_numbered_without_a_gap_in_the_order_of_their_entries(path: Path) -> None:
    with JournalReader(path) as reader:
        messages = reader.messages(0)
    wanted = [b'{"entry":%d,"part":%d}' % (number, part) for number in range(1, 40) for part in range(number % 4)]
    assert [message.payload for message in messages] == wanted
    assert [message.seq for message in messages] == list(range(1, len(wanted) + 1))


@pytest.mark.parametrize("after", [0, 1, 17, 59, 60, 61, 1000])
def test_they_can_be_read_again_from_any_number(path: Path, after: int) -> None:
    with JournalReader(path) as reader:
        everything = reader.messages(0)
        assert reader.messages(after) == everything[after:]
        assert reader.messages(after, limit=3) == everything[after : after + 3]


def test_the_cursor_moves_on_confirmation_and_never_back(path: Path) -> None:
    with opened(path) as journal, JournalReader(path) as reader:
        assert reader.position().published_seq == 0
        for seq, wanted in ((5, 5), (3, 5), (9, 9)):
            journal.confirm(seq).result(timeout=10)
            assert reader.position().published_seq == wanted
        with pytest.raises(JournalUsageError, match="message 61 cannot have been sent"):
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


def test_a_message_carries_the_head_before_its_own_record(path: Path) -> None:
    with JournalReader(path) as reader:
        records = {record.number: record for record in reader.records(0, reader.position().head.number)}
        for message in reader.messages(0):
            before = records[message.head.number]
            assert before.hash == message.head.hash
            own = records[message.head.number + 1]
            assert (own.seq, own.body) == (message.seq, message.payload)
            # The input and the facts that the message speaks of are covered.
            same_entry = [one for one in records.values() if one.entry == own.entry]
            assert all(one.number <= message.head.number for one in same_entry if one.kind in {"input", "fact"})
