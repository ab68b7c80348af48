"""`docs/journal.md` is enough to read and check a journal: its own code does, on its example and on real journals."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shoe_controller.clock.moment import Moment
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Entry, Event, Input, Raw, RecordKind
from shoe_controller.journal.schema import TABLES
from shoe_controller.journal.store import open_journal
from tests.attacks.table_journal import table_journal
from tests.commands.running import run_program
from tests.documents.snippets import snippets_of, text_of
from tests.journal.old_journals import NAMES, copied
from tests.journal.samples import entry, opened, shoes, write
from tests.journal.tampering import query, tampered
from tests.journal.test_old_journals import upgraded

DOCUMENT = "docs/journal.md"
CHECK, READ = (snippet.text for snippet in snippets_of(DOCUMENT) if snippet.language == "python")
(EXPORT,) = (snippet.text for snippet in snippets_of(DOCUMENT) if snippet.language == "json")
CHECKED, READ_OUT = (snippet.text for snippet in snippets_of(DOCUMENT) if snippet.language == "text")


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it as a reader would, by itself: nothing of ours can be imported (-I)."""
    words = [sys.executable, "-I", "-S", "-c", code, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", timeout=60)


def head_of(path: Path) -> str:
    with JournalReader(path) as reader:
        return str(reader.position().head)


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The journal that the document shows."""
    raw, given, event = (json.loads(line) for line in EXPORT.splitlines())
    path = tmp_path / "example.journal"
    identity = Identity(table="north/t1", journal_id="4f2a9c1e77b3d508")
    journal = open_journal(path, identity=identity, software="0.1.0", now_ms=0, stamp="")
    journal.submit(
        Entry(
            at=Moment(wall_ms=given["wall_ms"], mono_ns=given["mono_ns"], synchronised=True),
            shoe=1,
            round=1,
            raw=(Raw(direction=Direction(raw["name"]), data=b"\x02\x04\x07", mono_ns=raw["mono_ns"]),),
            input=Input(name=given["name"], body=given["text"].encode()),
            events=(Event(name=event["name"], body=event["text"].encode()),),
        )
    ).result(timeout=10)
    journal.close()
    return path


def test_the_example_is_what_the_program_writes(example: Path) -> None:
    answer = run_program("journal", "export", str(example))
    assert answer.out == EXPORT
    assert f"Its genesis is `{Identity(table='north/t1', journal_id='4f2a9c1e77b3d508').genesis.hex()}`" in text_of(
        DOCUMENT
    )


def test_the_code_prints_what_the_document_says(example: Path) -> None:
    assert run(CHECK, str(example)).stdout == CHECKED
    assert run(CHECK, str(example), head_of(example)).stdout == CHECKED
    assert run(READ, str(example)).stdout == READ_OUT


@pytest.mark.parametrize("name", NAMES)
def test_the_code_checks_and_reads_real_journals_of_both_layouts(tmp_path: Path, name: str) -> None:
    path = copied(name, tmp_path)
    for _ in range(2):
        checked = run(CHECK, str(path))
        assert checked.stdout.endswith(f"the head is {head_of(path)}\n"), checked.stderr
        with JournalReader(path) as reader:
            seqs = [seq for (seq,) in query(path, "SELECT seq FROM record WHERE seq IS NOT NULL ORDER BY seq")]
            assert seqs[-1] == reader.position().last_seq
        assert [int(line.split()[0]) for line in run(READ, str(path)).stdout.splitlines()] == seqs
        if query(path, "PRAGMA user_version") == [(1,)]:
            upgraded(path)


def test_the_code_finds_what_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write(path, shoes(2))
    kept = head_of(path)
    with opened(path) as journal:
        journal.submit(entry(50)).result(timeout=10)
    assert run(CHECK, str(path), kept).returncode == 0
    number = int(kept.partition(":")[0])
    assert f"{number}:{'00' * 32} is not in" in run(CHECK, str(path), f"{number}:{'00' * 32}").stderr
    tampered(path, "UPDATE record SET body = x'00' WHERE number = 9")
    assert "record 9 does not follow from record 8" in run(CHECK, str(path)).stderr


def test_the_code_wants_tombstones_that_the_chain_confirms(tmp_path: Path) -> None:
    made = table_journal(tmp_path)
    answer = run(CHECK, str(made.path), *map(str, made.heads))
    assert answer.returncode == 0, answer.stderr
    assert 0 < answer.stdout.count("is not proved") < len(made.heads)
    tampered(made.path, "UPDATE tombstone SET export_name = 'x' WHERE shoe = 1")
    assert "does not confirm the tombstones" in run(CHECK, str(made.path)).stderr
    tampered(made.path, "DELETE FROM tombstone WHERE shoe = 4", "DELETE FROM record WHERE kind = 'pruned'")
    assert run(CHECK, str(made.path)).returncode != 0


def test_every_table_and_column_is_described() -> None:
    text = text_of(DOCUMENT)
    for sql in (statement.strip() for statement in TABLES if "CREATE TABLE" in statement):
        table, columns = sql.split()[2], [line.split()[0] for line in sql.splitlines()[1:-1]]
        assert [name for name in (table, *columns) if f"`{name}`" not in text] == []
    assert [kind for kind in RecordKind if f"`{kind}`" not in text] == []
