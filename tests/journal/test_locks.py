"""One writer at a time, whatever name it knows the journal by; a journal with two names of its own has none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_controller.journal.errors import HardLinkedJournalError, JournalInUseError, StorageError
from shoe_controller.journal.opening import set_aside
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from tests.journal.samples import SOFTWARE, STAMP, entry, moment, opened, shoes, verified, write

ANOTHER_WRITER = """
import sys
from pathlib import Path
from tests.journal.samples import entry, write
write(Path(sys.argv[1]), [entry(900, shoe=3)])
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    name = tmp_path / "data" / "table.journal"
    name.parent.mkdir()
    write(name, shoes(3))
    return name


def symbolic_link(path: Path) -> Path:
    alias = path.parent.parent / "alias.journal"
    alias.symlink_to(path)
    return alias


def linked_folder(path: Path) -> Path:
    alias = path.parent.parent / "alias"
    alias.symlink_to(path.parent)
    return alias / path.name


def two_links(path: Path) -> Path:
    alias = path.parent.parent / "second.journal"
    alias.symlink_to(symbolic_link(path))
    return alias


def removed_lock(path: Path) -> Path:
    path.with_name(f"{path.name}.lock").unlink()
    return path


def another_name(path: Path) -> Path:
    """Moved away while it is in use, with its log, by somebody who means well."""
    alias = path.with_name("moved.journal")
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").rename(f"{alias}{ending}")
    return alias


@pytest.mark.parametrize("alias_of", [symbolic_link, linked_folder, two_links, removed_lock, another_name])
def test_a_second_writer_is_refused_under_every_name(path: Path, alias_of: Callable[[Path], Path]) -> None:
    with opened(path) as journal:
        journal.submit(entry(500, shoe=3)).result(timeout=10)
        alias = alias_of(path)
        with pytest.raises(JournalInUseError), opened(alias):
            pass
        with pytest.raises(JournalInUseError):
            set_aside(alias, stamp=STAMP)
        assert alias.exists()
    assert verified(alias).good
    write(alias, [entry(501, shoe=3)])
    assert verified(alias).good


@pytest.mark.parametrize("alias_of", [symbolic_link, linked_folder, two_links])
def test_a_journal_behind_a_link_is_written_like_any_other(path: Path, alias_of: Callable[[Path], Path]) -> None:
    alias = alias_of(path)
    with opened(alias) as journal, JournalReader(alias) as reader:
        for number in range(500, 505):
            journal.submit(entry(number, shoe=3)).result(timeout=10)
        assert reader.position().last_seq == 3 * 6 + 5
    assert verified(path).good
    aside = set_aside(alias, stamp=STAMP)
    assert aside.parent == path.parent
    write(alias, shoes(1))
    assert verified(path).good


def test_a_file_with_two_names_is_refused_and_left_as_it_is(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.journal"
    os.link(path, other)
    before = path.read_bytes()
    for name in (path, other):
        with pytest.raises(HardLinkedJournalError, match=r"has 2 names \(hard links\)"), opened(name):
            pass
        with pytest.raises(HardLinkedJournalError):
            set_aside(name, stamp=STAMP)
        with pytest.raises(HardLinkedJournalError):
            prune(
                name,
                older_than_ms=moment(1000).wall_ms,
                folder=tmp_path,
                now=moment(1000),
                software=SOFTWARE,
                progress=lambda _done, _all: None,
                rest=lambda: None,
            )
    assert path.read_bytes() == before
    other.unlink()
    write(path, [entry(500, shoe=3)])
    assert verified(path).good


def test_a_second_name_made_later_lets_nobody_in(path: Path, tmp_path: Path) -> None:
    with opened(path) as journal:
        os.link(path, tmp_path / "other.journal")
        with pytest.raises(HardLinkedJournalError), opened(tmp_path / "other.journal"):
            pass
        journal.submit(entry(500, shoe=3)).result(timeout=10)
    assert verified(path).good


def test_links_that_lead_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(StorageError), opened(tmp_path / "one"):
        pass
    with pytest.raises(StorageError), JournalReader(tmp_path / "one"):
        pass


def test_a_fifo_is_no_journal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.journal")
    with pytest.raises(StorageError, match="not a file"), opened(tmp_path / "table.journal"):
        pass
    with pytest.raises(StorageError, match="not a file"), JournalReader(tmp_path / "table.journal"):
        pass


def test_the_lock_goes_with_the_writer_and_not_with_the_last_reader(path: Path) -> None:
    with JournalReader(path) as reader:
        with opened(path) as journal:
            journal.submit(entry(500, shoe=3)).result(timeout=10)
        subprocess.run([sys.executable, "-c", ANOTHER_WRITER, str(path)], check=True, timeout=60)
        assert reader.position().last_seq == 3 * 6 + 2
    assert verified(path).good


def test_a_copy_is_another_journal_file(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / "copy.journal"))
    with opened(path), opened(copy):
        pass
