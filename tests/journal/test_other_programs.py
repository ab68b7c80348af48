"""Other programs that open a live journal, as a technician does with `sqlite3`: nothing that was stored is lost by it.

SQLite takes whoever closes a file last for the one who may remove its log. That goes by locks, which belong to a whole
process: so the other program is a process of its own here, and so is whoever looks at what is really in the file.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.store import Journal
from tests.journal.samples import entry, opened, verified

LOOK = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1])
print(file.execute("SELECT last_seq FROM position").fetchone()[0])
file.close()
"""
HOLD = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
file.execute("ROLLBACK")
file.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def events_in_file(path: Path) -> int:
    """What another program finds there; it may write, so it tidies up when it takes itself for the last one."""
    done = subprocess.run([sys.executable, "-c", LOOK, str(path)], check=True, capture_output=True, timeout=20)
    return int(done.stdout)


@contextmanager
def held_by_another(path: Path) -> Iterator[IO[bytes]]:
    """Another program has begun to write; what is written to the pipe lets it end."""
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        yield other.stdin
    assert other.returncode == 0


def store(journal: Journal, number: int) -> None:
    assert journal.submit(entry(number)).result(timeout=20).seqs == range(number, number + 1)


def test_another_program_opens_and_closes_the_journal_and_the_log_stays(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    with opened(path) as journal:
        store(journal, 1)
        for number in range(2, 6):
            # A reader of our own looks at the file's bytes before SQLite may touch it, and goes away again.
            with JournalReader(path) as reader:
                assert reader.position().last_seq == number - 1
            log_before = log.stat().st_ino
            assert events_in_file(path) == number - 1
            assert log.stat().st_ino == log_before, "the log that we write to is no longer the file's"
            store(journal, number)
            assert events_in_file(path) == number
    assert verified(path).good


def test_nothing_is_lost_that_waited_for_another_program(path: Path) -> None:
    with opened(path) as journal, JournalReader(path):
        store(journal, 1)
        with held_by_another(path) as let_go:
            answers = [journal.submit(entry(number)) for number in (2, 3, 4)]
            let_go.write(b"\n")
            let_go.flush()
            assert [answer.result(timeout=20).seqs[0] for answer in answers] == [2, 3, 4]
        store(journal, 5)
        assert events_in_file(path) == 5
    assert verified(path).good


def test_what_was_kept_open_for_a_look_is_closed_with_the_last_connection(path: Path) -> None:
    with opened(path), JournalReader(path), JournalReader(path):
        pass
    assert not [each for each in Path("/proc/self/fd").iterdir() if _leads_to(each, path)]


def _leads_to(descriptor: Path, path: Path) -> bool:
    try:
        return descriptor.readlink() == path
    except FileNotFoundError:  # the listing itself needed one, which is closed again
        return False
