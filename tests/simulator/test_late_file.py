"""What a command writes to a file that was named replaces an older one, and never a journal."""

from pathlib import Path

import pytest

from simulator.late_file import LateFile, UnwritableError
from tests.journal.old_journals import copied


def test_a_journal_is_never_replaced(tmp_path: Path) -> None:
    journal = copied("killed_in_a_round", tmp_path, "t.journal")
    before = journal.read_bytes()
    with pytest.raises(UnwritableError, match="is a journal, or another database, and was left alone"):
        LateFile(str(journal))
    assert journal.read_bytes() == before


def test_an_older_file_is_replaced_at_the_first_write(tmp_path: Path) -> None:
    older = tmp_path / "truth.jsonl"
    older.write_bytes(b"older")
    with LateFile(str(older)) as file:
        assert older.read_bytes() == b"older"
        file.write(b"new")
    assert older.read_bytes() == b"new"
