"""Old shoes go only when they are exported, and the chain can be followed across the cut."""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from shoe_controller.journal import prune as pruning
from shoe_controller.journal.errors import BrokenChainError, EventsPrunedError, JournalInUseError, StorageError
from shoe_controller.journal.prune import Pruned, prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Record, RecordKind
from tests.journal.samples import SOFTWARE, entry, moment, opened, shoes, verified, write
from tests.journal.tampering import query, tampered
from tests.journal.test_export import as_record, of_json

SHOES = 5
EACH = 6


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    """Five shoes of six entries; all events of the first four were published."""
    name = tmp_path / "table.journal"
    write(name, shoes(SHOES, EACH))
    with opened(name) as journal:
        journal.confirm(4 * EACH).result(timeout=10)
    (tmp_path / "exports").mkdir()
    return name


def pruned(path: Path, *, older_than: int, rest: Callable[[], object] = lambda: None) -> Pruned:
    """Prune what is older than the entry of that number."""
    return prune(
        path,
        older_than_ms=moment(older_than).wall_ms,
        folder=path.parent / "exports",
        now=moment(1000),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=rest,
    )


def records_of(path: Path) -> list[Record]:
    with JournalReader(path) as reader:
        return list(reader.records(0, reader.position().head.number))


@pytest.mark.parametrize(
    ("older_than", "count", "reason"),
    [
        (1, 0, "not old enough"),
        (EACH, 0, "not old enough"),
        (EACH + 1, 1, "not old enough"),
        (3 * EACH + 1, 3, "not old enough"),
        (1000, 4, "only the current shoe is left"),
    ],
)
def test_whole_shoes_that_are_old_enough_go(journal_path: Path, older_than: int, count: int, reason: str) -> None:
    before = records_of(journal_path)
    result = pruned(journal_path, older_than=older_than)
    gone = [record for record in before if record.shoe <= count]
    assert (result.shoes, result.records) == (count, len(gone))
    assert reason in result.kept_because
    left = records_of(journal_path)
    assert left[: len(before) - len(gone)] == before[len(gone) :]
    assert [record.kind for record in left[len(before) - len(gone) :]] == [RecordKind.PRUNED] * count
    report = verified(journal_path)
    assert report.good
    assert report.pruned == len(gone)
    exports = b"".join((journal_path.parent / "exports" / name).read_bytes() for name in result.exports)
    assert [as_record(one) for one in of_json(exports)] == gone


def test_a_tombstone_says_what_is_gone(journal_path: Path) -> None:
    before = [record for record in records_of(journal_path) if record.shoe == 2]
    pruned(journal_path, older_than=1000)
    with JournalReader(journal_path) as reader:
        tombstone = next(one for one in reader.tombstones() if one.shoe == 2)
    export = (journal_path.parent / "exports" / tombstone.export_name).read_bytes()
    assert (tombstone.first, tombstone.last) == (before[0].number, before[-1].number)
    assert (tombstone.first_hash, tombstone.last_hash) == (before[0].hash, before[-1].hash)
    assert tombstone.last_seq == 2 * EACH
    assert sum(tombstone.counts.values()) == len(before)
    assert tombstone.counts["opening"] == 1
    assert (tombstone.first_wall_ms, tombstone.last_wall_ms) == (before[0].wall_ms, before[-1].wall_ms)
    assert tombstone.export_digest == hashlib.blake2s(export).digest()


def test_life_goes_on_after_pruning(journal_path: Path) -> None:
    with JournalReader(journal_path) as reader:
        steps = list(reader.current_shoe())
        events = reader.events(4 * EACH)
    for older_than in (EACH + 1, 2 * EACH + 1, 1000, 1000):
        pruned(journal_path, older_than=older_than)
        assert verified(journal_path).good
    with JournalReader(journal_path) as reader:
        assert list(reader.current_shoe()) == steps
        assert reader.events(4 * EACH) == events
        with pytest.raises(EventsPrunedError, match="event 1 was pruned; the oldest one still in the journal is 25"):
            reader.events(0)
        with pytest.raises(EventsPrunedError):
            reader.events(4 * EACH - 1)
    more = [
        msgspec.structs.replace(one, shoe=one.shoe + SHOES, at=moment(2000 + number))
        for number, one in enumerate(shoes(3))
    ]
    write(journal_path, more)
    with opened(journal_path) as journal:
        journal.confirm(SHOES * EACH + 3 * 6).result(timeout=10)
    # Now the records that tell of the first pruning are pruned themselves.
    assert pruned(journal_path, older_than=3000).shoes == 3
    report = verified(journal_path)
    assert report.good
    assert [record.shoe for record in records_of(journal_path) if record.kind == RecordKind.OPENING] == [SHOES + 3]


def test_events_that_were_not_published_stay(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    (tmp_path / "exports").mkdir()
    write(path, shoes(4))
    with opened(path) as journal:
        journal.confirm(11).result(timeout=10)
    result = pruned(path, older_than=1000)
    assert result.shoes == 1
    assert "event 12 and others" in result.kept_because


def test_a_shoe_without_events_can_go(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    (tmp_path / "exports").mkdir()
    write(path, shoes(3, events=0))
    assert pruned(path, older_than=1000).shoes == 2
    assert verified(path).good
    with JournalReader(path) as reader:
        assert reader.events(0) == []


def test_records_from_before_the_first_shoe_go_with_it(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    (tmp_path / "exports").mkdir()
    write(path, [entry(0, shoe=0, events=0), *shoes(2)])
    with opened(path) as journal:
        journal.confirm(12).result(timeout=10)
    assert pruned(path, older_than=1000).shoes == 2
    assert verified(path).good


class PulledPlugError(Exception):
    """Somebody stopped the pruning."""


@pytest.mark.parametrize("stop_at", range(1, 12))
def test_an_interrupted_pruning_can_be_verified_and_is_finished_by_the_next(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    monkeypatch.setattr(pruning, "RECORDS_AT_ONCE", 10)
    steps = 0

    def rest() -> None:
        nonlocal steps
        steps += 1
        if steps == stop_at:
            raise PulledPlugError

    with pytest.raises(PulledPlugError):
        pruned(journal_path, older_than=1000, rest=rest)
    assert verified(journal_path).good
    with opened(journal_path) as journal:
        journal.submit(entry(900, shoe=SHOES)).result(timeout=10)
    pruned(journal_path, older_than=500)
    report = verified(journal_path)
    assert report.good
    assert report.notes == []
    assert {record.shoe for record in records_of(journal_path)} == {SHOES}


def test_a_damaged_shoe_is_not_pruned(journal_path: Path) -> None:
    tampered(journal_path, "UPDATE record SET body = x'00' WHERE number = 50")
    before = query(journal_path, "SELECT count(*) FROM record WHERE shoe > 1")
    with pytest.raises(BrokenChainError, match="record 50"):
        pruned(journal_path, older_than=1000)
    assert query(journal_path, "SELECT count(*) FROM record WHERE shoe > 1 AND kind <> 'pruned'") <= before
    assert query(journal_path, "SELECT count(*) FROM record WHERE number = 50") == [(1,)]


def test_nothing_goes_without_its_export(journal_path: Path) -> None:
    (journal_path.parent / "exports").rmdir()
    before = records_of(journal_path)
    with pytest.raises(StorageError, match=r"its export to .* failed"):
        pruned(journal_path, older_than=1000)
    assert records_of(journal_path) == before


def test_an_export_is_never_overwritten(journal_path: Path) -> None:
    before = records_of(journal_path)
    last = max(record.number for record in before if record.shoe == 1)
    name = journal_path.parent / "exports" / f"table.journal.shoe-1.records-1-{last}.jsonl"
    name.write_text("something else")
    with pytest.raises(StorageError, match="holds something else"):
        pruned(journal_path, older_than=1000)
    assert name.read_text() == "something else"
    assert records_of(journal_path) == before


def test_two_cannot_prune_at_once(journal_path: Path) -> None:
    def rest() -> None:
        with pytest.raises(JournalInUseError):
            pruned(journal_path, older_than=1000)

    assert pruned(journal_path, older_than=EACH + 1, rest=rest).shoes == 1


def test_beside_a_running_writer_and_a_verifier(journal_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "RECORDS_AT_ONCE", 7)
    go_on = threading.Event()
    failures: list[object] = []

    def rest() -> None:
        failures.extend(verified(journal_path).problems)

    with opened(journal_path) as journal:

        def play() -> None:
            number = 2000
            # As fast as no dealer plays; without any pause the pruning would hardly find its turn.
            while not go_on.wait(0.005):
                number += 1
                error = journal.submit(entry(number, shoe=SHOES)).exception(timeout=30)
                if error is not None:
                    failures.append(error)

        table = threading.Thread(target=play)
        table.start()
        try:
            result = pruned(journal_path, older_than=1000, rest=rest)
        finally:
            go_on.set()
            table.join()
    assert result.shoes == SHOES - 1
    assert failures == []
    assert verified(journal_path).good
