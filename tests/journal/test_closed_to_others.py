"""Journals, their copies and exports are for their owner alone, whatever the umask of whoever starts the program."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.store import open_journal
from tests.commands.running import run
from tests.journal.old_journals import copied
from tests.journal.samples import SOFTWARE, STAMP, opened, shoes, write
from tests.journal.test_prune import EACH, pruned

PRIVATE = 0o600


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.usefixtures("open_umask")
def test_a_journal_its_log_and_its_exports_are_closed_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "table.journal"
    write(journal, shoes(3, EACH))
    (tmp_path / "exports").mkdir()
    with opened(journal) as writer:
        writer.confirm(2 * EACH).result(timeout=10)
        assert {"table.journal", "table.journal-wal", "table.journal.lock"} <= modes(tmp_path).keys()
        assert set(modes(tmp_path).values()) == {PRIVATE}
    assert pruned(journal, older_than=1000).shoes == 2
    assert run(capsys, "journal", "export", str(journal), "--output", str(tmp_path / "x.jsonl")).exit_code == 0
    assert len([name for name in modes(tmp_path) if name.endswith(".jsonl")]) == 3
    assert set(modes(tmp_path).values()) == {PRIVATE}


@pytest.mark.usefixtures("open_umask")
def test_the_copy_from_before_an_upgrade_is_closed_to_others(tmp_path: Path) -> None:
    journal = copied("pruned_shoe", tmp_path, "t.journal")
    with JournalReader(journal) as reader:
        identity = reader.identity
    upgraded = open_journal(journal, identity=identity, software=SOFTWARE, now_ms=0, stamp=STAMP)
    upgraded.close()
    assert upgraded.backup is not None
    assert stat.S_IMODE(upgraded.backup.stat().st_mode) == PRIVATE
