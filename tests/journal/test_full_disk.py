"""A disk that is full, fails or may not be written: an error, nothing half written, and it goes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.journal.errors import DiskFullError, ReadOnlyError, StorageError
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.store import Journal, open_journal
from tests.journal.old_journals import TABLE, copied
from tests.journal.samples import bodies_of_inputs, entry, opened, verified


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; only root may have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a small file system")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607 - wherever this system has it


def fill(journal: Journal) -> tuple[int, StorageError]:
    """Submit until it is refused; the number of the entry that was, and why."""
    for number in range(1, 2000):
        error = journal.submit(entry(number)).exception(timeout=30)
        if error is not None:
            assert isinstance(error, StorageError)
            return number, error
    raise AssertionError("the disk never got full")


def test_a_full_disk_stops_and_room_lets_it_go_on(tiny_disk: Path) -> None:
    path = tiny_disk / "table.journal"
    with opened(path) as journal:
        ballast = tiny_disk / "ballast"
        ballast.write_bytes(bytes(300_000))
        refused, error = fill(journal)
        assert isinstance(error, DiskFullError)
        assert error.system_text == "database or disk is full", "what is published has no words of ours, and no path"
        assert "Make room" in str(error)
        for _ in range(3):
            assert isinstance(journal.submit(entry(refused)).exception(timeout=30), StorageError)
        with JournalReader(path) as reader:
            assert reader.position().last_seq == refused - 1
        ballast.unlink()
        for number in range(refused, refused + 20):
            assert journal.submit(entry(number)).result(timeout=30).seqs == range(number, number + 1)
    assert bodies_of_inputs(path) == [b"input %d" % number for number in range(1, refused + 20)]
    assert verified(path).good


def test_no_journal_is_begun_on_a_full_disk(tiny_disk: Path) -> None:
    path = tiny_disk / "table.journal"
    ballast = tiny_disk / "ballast"
    with pytest.raises(OSError, match="No space"):
        ballast.write_bytes(bytes(2_000_000))
    with pytest.raises(StorageError), opened(path):
        pass
    assert not path.exists()
    ballast.unlink()
    with opened(path) as journal:
        journal.submit(entry(1)).result(timeout=30)
    assert verified(path).good


LIMITED = """
import resource, sys
from pathlib import Path
from shoe_controller.journal.errors import DiskFailedError
from tests.journal.old_journals import TABLE, copied
from tests.journal.samples import entry, opened
from tests.journal.test_full_disk import fill

with opened(Path(sys.argv[1])) as journal:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    refused, error = fill(journal)
    assert isinstance(error, DiskFailedError), error
    assert isinstance(journal.submit(entry(refused)).exception(timeout=30), DiskFailedError)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    for number in range(refused, refused + 20):
        journal.submit(entry(number)).result(timeout=30)
print(refused + 20)
"""


def test_a_write_that_fails_is_told_and_the_next_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert bodies_of_inputs(path) == [b"input %d" % number for number in range(1, int(done.stdout))]
    assert verified(path).good


def test_a_journal_on_a_medium_that_cannot_be_written_is_read_and_never_written(tiny_disk: Path) -> None:
    path = tiny_disk / "table.journal"
    with opened(path) as journal:
        journal.submit(entry(1)).result(timeout=30)
    subprocess.run(["mount", "-o", "remount,ro", tiny_disk], check=True)  # noqa: S607 - wherever this system has it
    assert verified(path).good
    with pytest.raises(ReadOnlyError, match="cannot be written"), opened(path):
        pass
    assert [file.name for file in tiny_disk.iterdir() if not file.name.endswith(".lock")] == ["table.journal"]


def test_an_older_journal_without_room_for_its_copy_stays_as_it_is_however_often_it_is_opened(tiny_disk: Path) -> None:
    """A service manager starts the controller again and again; no start leaves another file behind."""
    path = copied("pruned_shoe", tiny_disk)
    before = path.read_bytes()
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(bytes(550_000))
    identity = Identity(table=TABLE, journal_id="")
    for stamp in ("first", "second", "third"):
        with pytest.raises(DiskFullError):
            open_journal(path, identity=identity, software="1.0.0", now_ms=0, stamp=stamp)
    assert path.read_bytes() == before
    assert list(tiny_disk.glob("table.journal.schema-*")) == []
    ballast.unlink()
    journal = open_journal(path, identity=identity, software="1.0.0", now_ms=0, stamp="fourth")
    journal.close()
    assert journal.backup is not None
    assert [file.name for file in tiny_disk.glob("table.journal.*") if file.suffix != ".lock"] == [journal.backup.name]
    with JournalReader(path) as reader, JournalReader(journal.backup) as copy:
        assert copy.position() == reader.position()
