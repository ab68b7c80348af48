"""A tombstone counts only if the chain confirms it, and proves nothing of what it stands for without its export."""

# ruff: noqa: S608 - the statements are made of the names in this file

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from shoe_controller.daemon.table_journal import SOFTWARE, replay
from shoe_controller.journal import prune as pruning
from shoe_controller.journal.errors import BrokenChainError
from shoe_controller.journal.export import Form, line, record_of
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, Record, RecordKind, Tombstone
from shoe_controller.journal.tombstones import Note, judge, read_note
from shoe_controller.journal.verify import Report, verify
from tests.attacks.journal_forging import forge_note, forge_tombstone, tombstones_of
from tests.attacks.table_journal import LATER, TableJournal, prune_old, table_journal
from tests.commands.running import Answer, run
from tests.journal.samples import moment, opened, shoes, write
from tests.journal.tampering import query, tampered
from tests.journal.test_verify import TOMBSTONE_CHANGES


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> TableJournal:
    return table_journal(tmp_path_factory.mktemp("evenings"))


@pytest.fixture
def made(evenings: TableJournal, tmp_path: Path) -> TableJournal:
    path = Path(shutil.copy(evenings.path, tmp_path / "table.journal"))
    exports = Path(shutil.copytree(evenings.exports, tmp_path / "exports"))
    return TableJournal(path, exports, evenings.heads, evenings.older)


def checked(path: Path, heads: tuple[Head, ...] = (), *exports: Path) -> Report:
    return verify(
        path, replay=replay, software=SOFTWARE, heads=heads, exports=exports, progress=lambda _done, _all: None
    )


def tombstone_of_shoe(path: Path, shoe: int) -> Tombstone:
    return next(one for one in tombstones_of(path) if one.shoe == shoe)


def pruned_heads(made: TableJournal) -> list[Head]:
    cut = tombstones_of(made.path)[-1].last
    return [head for head in made.heads if head.number < cut]


def round_of(path: Path) -> tuple[int, int]:
    """The records of a whole round in the middle of the shoe that is over."""
    cut = tombstones_of(path)[-1].last
    query_of_round = f"SELECT min(number), max(number) FROM record WHERE round = 2 AND shoe = 5 AND number > {cut}"
    first, last = query(path, query_of_round)[0]
    return int(first), int(last)


def shoe_of(path: Path) -> tuple[int, int]:
    """The records of the oldest shoe, which is over."""
    first = tombstones_of(path)[-1].last + 1
    ((after,),) = query(path, f"SELECT min(entry) FROM record WHERE kind = 'opening' AND entry > {first}")
    return first, int(after) - 1


# --- forged ones -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [round_of, shoe_of])
def test_a_tombstone_that_vouches_for_itself_does_not_count(
    made: TableJournal, part: Callable[[Path], tuple[int, int]]
) -> None:
    first, last = part(made.path)
    forge_tombstone(made.path, first, last)
    report = checked(made.path, made.heads)
    assert not report.good
    assert any("is confirmed by no later record" in one.what and one.number == first for one in report.problems)


def test_pruning_removes_nothing_for_a_forged_tombstone(made: TableJournal) -> None:
    first, last = shoe_of(made.path)
    forge_tombstone(made.path, first, last)
    before = query(made.path, "SELECT * FROM record")
    with pytest.raises(BrokenChainError, match="does not confirm its tombstones"):
        prune_old(made.path, made.exports)
    assert query(made.path, "SELECT * FROM record") == before


def test_a_forged_record_for_it_leaves_its_heads_unproved(made: TableJournal) -> None:
    """At the end of a chain without a key anybody can add a record; what went with it is then in no export."""
    first, last = shoe_of(made.path)
    forge_tombstone(made.path, first, last)
    forge_note(made.path)
    report = checked(made.path, made.heads, made.exports)
    assert report.good
    (part,) = report.unproved
    assert (part.first, part.last) == (first, last)
    assert part.heads == [str(head) for head in made.heads if first <= head.number < last]
    assert report.heads_confirmed == len(made.heads) - len(part.heads)
    assert part.confirmed_by == query(made.path, "SELECT max(number) FROM record")[0][0]


def test_a_forged_record_for_a_part_of_a_shoe_is_found(made: TableJournal) -> None:
    first, _ = shoe_of(made.path)
    _, last = round_of(made.path)
    forge_tombstone(made.path, first, last)
    forge_note(made.path)
    report = checked(made.path)
    assert [one.number for one in report.problems] == [last + 1]
    assert "does not end where a shoe ends" in report.problems[0].what


def test_a_record_that_lies_before_its_tombstone_confirms_nothing(made: TableJournal) -> None:
    tombstones = tombstones_of(made.path)
    with JournalReader(made.path) as reader:
        notes = [
            (record.number, read_note(record))
            for record in reader.records(0, reader.position().head.number)
            if record.kind == RecordKind.PRUNED
        ]
    assert judge(tombstones, notes).faults == []
    early = [(tombstones[-1].last, note) for _, note in notes]
    assert "does not lie later" in judge(tombstones, early).faults[0].what


@pytest.mark.parametrize("column", TOMBSTONE_CHANGES)
@pytest.mark.parametrize("shoe", [1, 3])
def test_a_changed_tombstone_is_found_also_when_its_own_record_is_pruned(
    made: TableJournal, column: str, shoe: int
) -> None:
    change = "replace(counts, '\"opening\":1', '\"opening\":2')" if column == "counts" else TOMBSTONE_CHANGES[column]
    tampered(made.path, f"UPDATE tombstone SET {column} = {change} WHERE shoe = {shoe}")
    assert not verify(made.path, software=SOFTWARE, progress=lambda _done, _all: None).good


# --- heads and exports -----------------------------------------------------------------------------------------------


def test_heads_of_pruned_records_are_unproved_without_the_exports(made: TableJournal) -> None:
    report = checked(made.path, made.heads)
    assert report.good
    assert sum(len(part.heads) for part in report.unproved) == len(pruned_heads(made)) > 0
    assert report.heads_confirmed == len(made.heads) - len(pruned_heads(made))
    assert {part.shoe for part in report.unproved} == {1, 2, 3, 4}


def test_exports_prove_them_and_are_replayed(made: TableJournal) -> None:
    before = checked(made.path)
    report = checked(made.path, made.heads, made.exports)
    assert (report.good, report.unproved, report.pruned) == (True, [], 0)
    assert report.heads_confirmed == len(made.heads)
    assert report.from_exports == before.pruned
    assert all(part.export_checked for part in report.pruned_parts)
    assert report.replayed is not None
    assert before.replayed is not None
    assert report.replayed > before.replayed
    assert report.not_replayed == {}


def test_one_export_proves_its_own_part(made: TableJournal) -> None:
    second = tombstone_of_shoe(made.path, 2)
    report = checked(made.path, made.heads, made.exports / second.export_name)
    assert report.good
    assert {part.shoe for part in report.unproved} == {1, 3, 4}
    wrong = Head(number=pruned_heads(made)[2].number, hash=bytes(32))
    assert second.first <= wrong.number <= second.last
    assert not checked(made.path, (wrong,), made.exports / second.export_name).good
    assert checked(made.path, (wrong,)).good


def test_two_heads_of_one_record_are_both_compared(made: TableJournal) -> None:
    head = made.heads[-1]
    wrong = Head(number=head.number, hash=bytes(32))
    for heads in ((head, wrong), (wrong, head)):
        assert not checked(made.path, heads).good


def changed_word(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"player", b"banker", 1))


def one_line_less(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def one_line_more(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[-1]]))


def other_spaces(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"entry":', b'"entry": ', 1))


def nonsense(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"number":4}\n', *lines[4:]]))


def of_another_shoe(path: Path) -> None:
    other = next(one for one in sorted(path.parent.iterdir()) if "shoe-3" in one.name)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize(
    "change", [changed_word, one_line_less, one_line_more, other_spaces, nonsense, of_another_shoe]
)
def test_an_export_is_checked_against_its_tombstone(made: TableJournal, change: Callable[[Path], None]) -> None:
    first = tombstone_of_shoe(made.path, 1)
    change(made.exports / first.export_name)
    report = checked(made.path, (), made.exports)
    assert not report.good
    assert first.first in {one.number for one in report.problems} or any("is in" in p.what for p in report.problems)
    assert [part.shoe for part in report.pruned_parts if not part.export_checked] == [1]


def test_a_file_that_is_no_export_of_this_journal(made: TableJournal, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("dear diary\n")
    assert any("is not an export" in one.what for one in checked(made.path, (), other).problems)


def test_the_command_has_an_exit_code_for_what_is_not_proved(
    made: TableJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    def say(*more: str) -> Answer:
        heads = [part for head in made.heads for part in ("--head", str(head))]
        return run(capsys, "journal", "verify", str(made.path), *heads, *more)

    answer = say()
    assert answer.exit_code == 3
    assert "is whole" in answer.out
    assert f"{len(made.heads) - len(pruned_heads(made))} of {len(made.heads)} heads" in answer.out
    assert answer.out.count("NOT PROVED") == 4
    told = say("--json").json
    assert [part["shoe"] for part in told["unproved"]] == [1, 2, 3, 4]
    assert told["heads"] == {
        "given": len(made.heads),
        "confirmed": len(made.heads) - len(pruned_heads(made)),
        "proved_up_to": made.heads[-1].number,
    }
    proved = say("--export", str(made.exports))
    assert proved.exit_code == 0
    assert "NOT PROVED" not in proved.out
    missing = say("--export", str(made.exports / "nothing"))
    assert missing.exit_code == 2
    assert "the export does not exist" in missing.err


# --- as pruning writes them ------------------------------------------------------------------------------------------


class PulledPlugError(Exception):
    """The program is gone at this point."""


def test_every_tombstone_stays_confirmed_wherever_pruning_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times in a row, so that records which tell of pruning are pruned, and stopped before every transaction."""
    monkeypatch.setattr(pruning, "RECORDS_AT_ONCE", 5)
    path = tmp_path / "table.journal"
    stops = 0
    for evening in range(3):
        entries = [
            msgspec.structs.replace(one, shoe=one.shoe + 3 * evening, at=moment(100 * evening + number))
            for number, one in enumerate(shoes(3, 3))
        ]
        write(path, entries)
        with JournalReader(path) as reader:
            last_seq = reader.position().last_seq
        with opened(path) as journal:
            journal.confirm(last_seq).result(timeout=10)
        while True:
            try:
                _prune_until(path, tmp_path, transactions=2)
                break
            except PulledPlugError:
                stops += 1
                _all_confirmed(path)
        _all_confirmed(path)
    assert stops > 15
    assert len(tombstones_of(path)) == 8


def _prune_until(path: Path, folder: Path, transactions: int) -> None:
    """Prune, and stop at the pause after so many transactions."""
    done = 0

    def rest() -> None:
        nonlocal done
        done += 1
        if done == transactions:
            raise PulledPlugError

    prune(
        path,
        older_than_ms=LATER,
        folder=folder,
        now=moment(5000),
        software="0.1.0",
        progress=lambda _done, _all: None,
        rest=rest,
    )


def _all_confirmed(path: Path) -> None:
    report = verify(path, software="0.1.0", progress=lambda _done, _all: None)
    assert report.good, report.problems
    assert not [note for note in report.notes if "earlier version" in note]
    assert all(part.confirmed_by is not None for part in report.pruned_parts)


def test_what_an_earlier_version_pruned_is_confirmed_by_what_follows_from_it(made: TableJournal) -> None:
    """It wrote no digest: when the record that told of a shoe is pruned, only the next tombstone confirms the range."""
    tombstones = tombstones_of(made.path)
    without = [Note(**msgspec.structs.asdict(one)) for one in tombstones]
    last = tombstones[-1].last
    judgement = judge(tombstones, [(last + 2, without[-2]), (last + 3, without[-1])])
    assert judgement.faults == []
    assert judgement.by_range_alone == tombstones[:-2]
    confirmed_by = {one.first: last + 2 for one in tombstones[:-1]} | {tombstones[-1].first: last + 3}
    assert judgement.confirmed_by == confirmed_by
    # The last one has nothing that follows from it.
    assert [fault.number for fault in judge(tombstones, [(last + 2, without[-2])]).faults] == [tombstones[-1].first]


def test_records_are_the_same_when_read_from_an_export(made: TableJournal) -> None:
    with JournalReader(made.path) as reader:
        records: list[Record] = list(reader.records(0, reader.position().head.number))
    assert [record_of(line(record, Form.JSON_LINES)) for record in records] == records
