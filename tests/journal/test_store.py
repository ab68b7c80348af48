"""What is submitted is stored whole, in order, and answered when it is on the disk."""

import asyncio
import queue
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.journal import store
from shoe_controller.journal.database import ROWS_IN_A_STATEMENT, Database
from shoe_controller.journal.errors import JournalInUseError, JournalMissingError, JournalUsageError, OtherTableError
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Event, Input, Receipt, Record, RecordKind
from shoe_controller.journal.store import Journal
from shoe_controller.journal.verify import verify
from tests.journal.samples import IDENTITY, SOFTWARE, entry, moment, opened, verified


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def all_records(path: Path) -> list[Record]:
    with JournalReader(path) as reader:
        return list(reader.records(0, reader.position().head.number))


def test_an_entry_comes_back_as_it_went_in(path: Path) -> None:
    given = entry(7, events=2)
    with opened(path) as journal:
        receipt = journal.submit(given).result(timeout=10)
    records = all_records(path)
    assert given.input is not None
    parts = [
        *((RecordKind.RAW, raw.direction, raw.data, raw.mono_ns) for raw in given.raw),
        (RecordKind.INPUT, given.input.name, given.input.body, given.at.mono_ns),
        *((RecordKind.EVENT, event.name, event.body, given.at.mono_ns) for event in given.events),
    ]
    assert [(one.kind, one.name, one.body, one.mono_ns) for one in records] == parts
    assert [one.number for one in records] == list(range(1, len(parts) + 1))
    for record in records:
        assert (record.entry, record.shoe, record.round) == (1, given.shoe, given.round)
        assert (record.wall_ms, record.synchronised) == (given.at.wall_ms, given.at.synchronised)
        assert record.software == SOFTWARE
    events = [record for record in records if record.kind == RecordKind.EVENT]
    assert [record.seq for record in events] == list(receipt.seqs) == [1, 2]
    assert [(head.number, head.hash) for head in receipt.heads] == [(one.number, one.hash) for one in events]
    assert receipt.head == receipt.heads[-1]
    with JournalReader(path) as reader:
        position = reader.position()
    assert position.head == receipt.head
    assert position.link_state == given.link_state


def test_a_link_state_stays_until_there_is_a_new_one(path: Path) -> None:
    with opened(path) as journal:
        journal.submit(entry(1)).result(timeout=10)
        journal.submit(msgspec.structs.replace(entry(2), link_state=None)).result(timeout=10)
        with JournalReader(path) as reader:
            assert reader.position().link_state == b"link 1"
        # Also when nothing else is stored.
        journal.submit(Entry(at=moment(3), shoe=0, round=0, link_state=b"alone")).result(timeout=10)
        with JournalReader(path) as reader:
            assert reader.position().link_state == b"alone"


def test_what_was_answered_can_be_read_by_another_connection_at_once(path: Path) -> None:
    with opened(path) as journal, JournalReader(path) as reader:
        for number in range(1, 30):
            receipt = journal.submit(entry(number)).result(timeout=10)
            assert reader.position().head == receipt.head


def test_the_writer_syncs_every_commit(path: Path) -> None:
    with opened(path):
        pass
    database = Database.for_writing(path)
    assert database.row("PRAGMA journal_mode") == ("wal",)
    assert database.row("PRAGMA synchronous") == (2,)
    database.close()


def test_a_journal_goes_on_where_it_stood(path: Path) -> None:
    for number in range(1, 4):
        with opened(path) as journal:
            assert journal.submit(entry(number)).result(timeout=10).seqs == range(number, number + 1)
    assert verified(path).good
    assert [one.body for one in all_records(path) if one.kind == RecordKind.INPUT] == [
        b"input 1",
        b"input 2",
        b"input 3",
    ]


def held_up(journal: Journal, path: Path, entries: list[Entry]) -> list[Any]:
    """Submit entries while another program holds the file, so that they wait together."""
    other = Database.for_writing(path)
    with other.transaction():
        answers = [journal.submit(one) for one in entries]
    other.close()
    return answers


def test_everything_that_waits_is_one_transaction(path: Path) -> None:
    with opened(path) as journal, JournalReader(path) as reader:
        heads_seen = set()
        answers = held_up(journal, path, [entry(number) for number in range(1, 200)])
        while not all(answer.done() for answer in answers):
            heads_seen.add(reader.position().head.number)
        heads_seen.add(reader.position().head.number)
        receipts = [answer.result() for answer in answers]
    # At most: nothing yet, the first one alone, all of them.
    assert len(heads_seen) <= 3
    assert [receipt.seqs[0] for receipt in receipts] == list(range(1, 200))
    assert all(one.head.number < other.head.number for one, other in pairwise(receipts))
    assert verified(path).good


def test_many_threads_submit_at_once(path: Path) -> None:
    start = threading.Barrier(8)
    with opened(path) as journal, ThreadPoolExecutor(8) as pool:

        def submit(thread: int) -> list[int]:
            start.wait(timeout=10)
            return [journal.submit(entry(100 * thread + one)).result(timeout=10).seqs[0] for one in range(20)]

        seqs = list(pool.map(submit, range(8)))
    for of_one_thread in seqs:
        assert of_one_thread == sorted(of_one_thread)
    assert sorted(seq for of_one_thread in seqs for seq in of_one_thread) == list(range(1, 161))
    assert verified(path).good


def test_an_answer_can_be_awaited(path: Path) -> None:
    async def submit_ten(journal: Journal) -> list[int]:
        receipts = await asyncio.gather(*(asyncio.wrap_future(journal.submit(entry(one))) for one in range(10)))
        return [receipt.seqs[0] for receipt in receipts]

    with opened(path) as journal:
        assert asyncio.run(submit_ten(journal)) == list(range(1, 11))


def test_the_answer_comes_after_the_commit_and_in_order(path: Path) -> None:
    outcomes: queue.SimpleQueue[Receipt | BaseException] = queue.SimpleQueue()
    with opened(path) as journal, JournalReader(path) as reader:
        for number in range(1, 30):
            # Asked in the writer's thread, at the moment of the answer, by a connection of its own.
            journal.store(entry(number), lambda outcome: outcomes.put(on_disk(path, outcome)))
            outcome = outcomes.get(timeout=10)
            assert isinstance(outcome, Receipt)
            assert outcome.seqs == range(number, number + 1)
            assert reader.position().head == outcome.head
    assert verified(path).good


def on_disk(path: Path, outcome: Receipt | BaseException) -> Receipt | BaseException:
    """The same outcome, if the journal ends there."""
    with JournalReader(path) as reader:
        head = reader.position().head
    return outcome if isinstance(outcome, Receipt) and outcome.head == head else LookupError(outcome)


def test_each_of_a_crowd_is_answered_once(path: Path) -> None:
    outcomes: list[Receipt | BaseException] = []
    with opened(path) as journal:
        for number in range(1, 2 * store.MOST_AT_ONCE):
            journal.store(entry(number), outcomes.append)
    receipts = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
    assert [receipt.seqs[0] for receipt in receipts] == list(range(1, 2 * store.MOST_AT_ONCE))
    assert len(outcomes) == len(receipts)
    assert verified(path).good


def test_who_cannot_take_his_answer_keeps_nobody_from_theirs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[type[BaseException] | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: told.append(arguments.exc_type))

    def fail(_: object) -> None:
        raise LookupError

    with opened(path) as journal:
        held = Database.for_writing(path)
        with held.transaction():
            journal.store(entry(1), fail)
            following = journal.submit(entry(2))
        held.close()
        assert following.result(timeout=10).seqs == range(2, 3)
        assert journal.submit(entry(3)).result(timeout=10).seqs == range(3, 4)
    assert told == [LookupError]
    assert len([one for one in all_records(path) if one.kind == RecordKind.INPUT]) == 3


@pytest.mark.parametrize("parts", range(2 * ROWS_IN_A_STATEMENT + 3))
def test_an_entry_of_any_number_of_records_is_stored_whole(path: Path, parts: int) -> None:
    events = tuple(Event(name=f"event {part}", body=b"%d" % part) for part in range(parts))
    given = Entry(at=moment(1), shoe=1, round=1, input=Input(name="input", body=b""), events=events)
    with opened(path) as journal:
        journal.submit(given).result(timeout=10)
    assert [(one.name, one.body) for one in all_records(path)[1:]] == [(one.name, one.body) for one in events]
    assert verify(path, software=SOFTWARE, progress=lambda _done, _all: None).good


def test_an_entry_given_up_while_it_waits_is_not_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One at a time, so that the others are certain to wait while the first is held up.
    monkeypatch.setattr(store, "MOST_AT_ONCE", 1)
    with opened(path) as journal:
        other = Database.for_writing(path)
        with other.transaction():
            _, given_up, kept = [journal.submit(entry(number)) for number in (1, 2, 3)]
            assert given_up.cancel()
        other.close()
        kept.result(timeout=10)
    assert [one.body for one in all_records(path) if one.kind == RecordKind.INPUT] == [b"input 1", b"input 3"]


@pytest.mark.parametrize(
    "change",
    [
        {"shoe": 2**63},
        {"round": -(2**63)},
        {"input": None},
        {"input": Input(name="\udc80", body=b"")},
        {"events": (Event(name="event", body="text"),)},  # type: ignore[arg-type]  # that is the point
        {"events": (Event(name="\ud800", body=b""),)},
    ],
    ids=str,
)
def test_an_entry_that_makes_no_sense_is_refused_and_harms_nobody(path: Path, change: dict[str, Any]) -> None:
    with opened(path) as journal:
        good = journal.submit(entry(1))
        with pytest.raises(JournalUsageError):
            journal.submit(msgspec.structs.replace(entry(2), **change))
        good.result(timeout=10)
        journal.submit(entry(3)).result(timeout=10)
    assert verified(path).good


def test_closing_stores_what_still_waits(path: Path) -> None:
    with opened(path) as journal:
        answers = [journal.submit(entry(number)) for number in range(50)]
    assert all(answer.done() for answer in answers)
    assert len([one for one in all_records(path) if one.kind == RecordKind.INPUT]) == 50
    journal.close()
    with pytest.raises(JournalUsageError, match="closed"):
        journal.submit(entry(51))


def test_two_programs_cannot_write(path: Path) -> None:
    with opened(path), pytest.raises(JournalInUseError, match="another program writes"), opened(path):
        pass
    with opened(path):
        pass


def test_the_journal_of_another_table_is_refused(path: Path) -> None:
    with opened(path):
        pass
    with (
        pytest.raises(OtherTableError, match="'pit 3 table 7', not to 'elsewhere'"),
        opened(path, identity=Identity(table="elsewhere", journal_id="x")),
    ):
        pass
    with opened(path, identity=Identity(table=IDENTITY.table, journal_id="only for a new file")):
        pass


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
@pytest.mark.parametrize("ending", ["", "-wal"])
def test_nothing_is_written_to_a_file_that_was_removed(path: Path, ending: str, *, replaced: bool) -> None:
    file, elsewhere = path.with_name(f"{path.name}{ending}"), path.with_name("elsewhere")
    with opened(path) as journal:
        journal.submit(entry(1)).result(timeout=10)
        file.rename(elsewhere)
        if replaced:
            shutil.copy(elsewhere, file)
        for _ in range(2):
            error = journal.submit(entry(2)).exception(timeout=10)
            assert isinstance(error, JournalMissingError)
            assert "removed or replaced while in use" in str(error)
        elsewhere.rename(file)
        journal.submit(entry(2)).result(timeout=10)
    assert [one.body for one in all_records(path) if one.kind == RecordKind.INPUT] == [b"input 1", b"input 2"]
    assert verified(path).good
