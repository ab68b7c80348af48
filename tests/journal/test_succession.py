"""A journal that was rolled back gets a successor; a crash at any of its steps leads to the same end."""

from contextlib import suppress
from pathlib import Path

import pytest

from shoe_controller.journal import opening, succession
from shoe_controller.journal.database import files_of
from shoe_controller.journal.errors import JournalInUseError, ReadOnlyError, StorageError
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.records import Start
from tests.journal.samples import NOON, SOFTWARE, STAMP, bodies_of_inputs, entry, opened, verified, write

SUCCESSOR = Identity(table="pit 3 table 7", journal_id="d4e5f6")
FIRST = entry(100, start=Start.SNAPSHOT)
ENTRIES = 5


class CrashError(BaseException):
    """The program ends here."""


class Crash:
    """Ends the program before the step of that number: every renaming and every sync is one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
        self.left = step
        rename, sync = Path.rename, opening.sync

        def renaming(path: Path, new: Path) -> Path:
            self._count()
            return rename(path, new)

        def syncing(path: Path) -> None:
            self._count()
            sync(path)

        monkeypatch.setattr(Path, "rename", renaming)
        monkeypatch.setattr(opening, "sync", syncing)
        monkeypatch.setattr(succession, "sync", syncing)

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise CrashError


def rolled_back_journal(folder: Path) -> Path:
    """A journal with a log beside it, as a killed program leaves it."""
    journal = folder / "t.journal"
    with opened(journal) as writer:
        for number in range(1, ENTRIES + 1):
            writer.submit(entry(number)).result(timeout=20)
        kept = [file.read_bytes() for file in files_of(journal)[:2]]
    for file, content in zip(files_of(journal), kept, strict=False):
        file.write_bytes(content)
    return journal


def succeed(journal: Path) -> None:
    succession.succeed(journal, SUCCESSOR, FIRST, created_ms=NOON, software=SOFTWARE, stamp=STAMP)


def assert_replaced(journal: Path) -> None:
    old = journal.with_name(succession.name_of_old(journal, STAMP))
    assert bodies_of_inputs(old) == [b"input %d" % number for number in range(1, ENTRIES + 1)]
    report = verified(journal)
    assert report.good
    assert report.identity == SUCCESSOR
    assert bodies_of_inputs(journal) == [b"input 100"]
    left = {file.name for file in journal.parent.iterdir() if "-shm" not in file.name and "lock" not in file.name}
    assert left <= {journal.name, f"{journal.name}-wal", old.name, f"{old.name}-wal"}


def test_the_old_journal_is_kept_with_its_log(tmp_path: Path) -> None:
    journal = rolled_back_journal(tmp_path)
    before = [file.read_bytes() for file in files_of(journal)[:2]]
    succeed(journal)
    kept = files_of(journal.with_name(succession.name_of_old(journal, STAMP)))[:2]
    assert [file.read_bytes() for file in kept] == before
    assert_replaced(journal)


def test_a_crash_before_any_step_leads_to_the_same_end(tmp_path: Path) -> None:
    step, crashed = 0, True
    while crashed:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        journal = rolled_back_journal(folder)
        with pytest.MonkeyPatch.context() as monkeypatch:
            crash = Crash(monkeypatch, step)
            with suppress(CrashError):
                succeed(journal)
            crashed = crash.left <= 0
        succession.finish(journal)
        if bodies_of_inputs(journal) != [b"input 100"]:
            # It had not begun: the next start finds the same against the old journal, and begins again.
            assert bodies_of_inputs(journal) == [b"input %d" % number for number in range(1, ENTRIES + 1)]
            assert not crash.left
            succeed(journal)
        assert_replaced(journal)
    assert step > 8, "fewer steps than there are"


def test_of_two_that_begin_a_journal_at_once_one_begins_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one comes when the first has its draft, and again when the journal is there."""
    journal = tmp_path / "t.journal"
    second = Identity(table=SUCCESSOR.table, journal_id="second")

    def begin(identity: Identity) -> None:
        succession.begin(journal, identity, FIRST, created_ms=NOON, software=SOFTWARE)

    sync = opening.sync

    def syncing(path: Path) -> None:
        with pytest.raises(JournalInUseError, match="or begins it"):
            begin(second)
        sync(path)

    monkeypatch.setattr(succession, "sync", syncing)
    begin(SUCCESSOR)
    with pytest.raises(StorageError, match="a journal already exists here"):
        begin(second)
    assert verified(journal).identity == SUCCESSOR
    assert [file.name for file in tmp_path.iterdir() if "successor" in file.name or "draft" in file.name] == []


def test_a_journal_whose_beginning_failed_never_displaces_one_that_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk of the journal was away, or the power failed; then the true journal is there again."""
    step, crashed = 0, True
    while crashed:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        journal = folder / "t.journal"
        with monkeypatch.context() as during:
            crash = Crash(during, step)
            with suppress(CrashError):
                succession.begin(journal, SUCCESSOR, FIRST, created_ms=NOON, software=SOFTWARE)
            crashed = crash.left <= 0
        if not journal.exists():
            write(journal, [entry(1)])
            succession.finish(journal)
            assert bodies_of_inputs(journal) == [b"input 1"]
    assert step > 3, "fewer steps than there are"


def test_a_journal_is_begun_and_succeeded_where_its_link_leads(tmp_path: Path) -> None:
    disk, link = tmp_path / "disk", tmp_path / "t.journal"
    link.symlink_to(disk / "t1.journal")
    with pytest.raises(ReadOnlyError):
        succession.begin(link, SUCCESSOR, FIRST, created_ms=NOON, software=SOFTWARE)
    succession.finish(link)
    assert list(tmp_path.iterdir()) == [link]
    disk.mkdir()
    succession.begin(link, SUCCESSOR, FIRST, created_ms=NOON, software=SOFTWARE)
    assert bodies_of_inputs(disk / "t1.journal") == [b"input 100"]
    succeed(link)
    assert link.is_symlink()
    assert bodies_of_inputs(link) == [b"input 100"]
    assert (disk / succession.name_of_old(disk / "t1.journal", STAMP)).is_file()


def test_nothing_is_done_where_no_journal_was_succeeded(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    write(journal, [entry(1)])
    succession.finish(journal)
    succession.finish(tmp_path / "another.journal")
    assert bodies_of_inputs(journal) == [b"input 1"]


def test_a_journal_that_is_kept_is_never_overwritten(tmp_path: Path) -> None:
    journal = rolled_back_journal(tmp_path)
    journal.with_name(succession.name_of_old(journal, STAMP)).write_text("kept")
    assert succession.free_stamp(journal, STAMP) == f"{STAMP}-2"
    with pytest.raises(StorageError, match="kept already"):
        succeed(journal)
    assert bodies_of_inputs(journal) == [b"input %d" % number for number in range(1, ENTRIES + 1)]
