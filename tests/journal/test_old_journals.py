"""Journals that commit 25f84e2 wrote open, verify before and after, and hold every record and hash as it was."""

# ruff: noqa: S608 - the statements are made of the names in this file

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.daemon.table_journal import (
    SOFTWARE,
    published_fact,
    read_fact,
    recover,
    replay,
    same_fact,
    snapshot_if_needed,
)
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Event, Head, RecordKind
from shoe_controller.journal.schema import SCHEMA, Schema
from shoe_controller.journal.store import Journal, open_journal
from shoe_controller.journal.verify import Report, verify
from shoe_controller.table.view import view_of
from tests.commands.running import run_program
from tests.journal.old_journals import FOLDER, NAMES, TABLE, copied, differences, said
from tests.journal.samples import NOON, STAMP
from tests.journal.tampering import query, tampered
from tests.reckoning import read_journal, sound_journal

WRITTEN_BY = "0.1.0"
"""As that commit named itself: with this name, all that it decided is replayed here."""
LAYOUT_1 = (RecordKind.FACT, RecordKind.MESSAGE)
MENDED = {"carried_card": [".standing.next_hand: player is banker now"]}
"""Shown wrongly then: the carried card is Player's first, so that the next one that leaves the shoe is Banker's."""


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    return copied(name, tmp_path)


def opened(path: Path, schema: Schema = SCHEMA) -> Journal:
    identity = Identity(table=TABLE, journal_id="of a new journal")
    return open_journal(path, identity=identity, software=SOFTWARE, now_ms=NOON, stamp=STAMP, schema=schema)


def upgraded(path: Path) -> Path:
    journal = opened(path)
    journal.close()
    assert journal.backup is not None
    return journal.backup


def verified(path: Path, heads: list[Head] | None = None) -> Report:
    return verify(
        path,
        replay=replay,
        agree=same_fact,
        software=WRITTEN_BY,
        heads=heads or [],
        progress=lambda _done, _all: None,
    )


def records(path: Path) -> list[Any]:
    return query(path, "SELECT * FROM record ORDER BY number")


def is_as_verified_then(report: Report, name: str) -> None:
    then = said(name)["verify"]
    assert report.good, report.problems
    assert str(report.head) == then["head"]
    assert (report.records, report.pruned) == (then["records"], then["pruned"])
    assert (report.replayed, report.not_replayed) == (then["replay"]["same"], then["replay"]["not_replayed"])


def recalled(path: Path) -> list[Any]:
    answer = run_program("journal", "recall", "--json", str(path), "1000")
    assert answer.exit_code == 0, answer.err
    return [msgspec.json.decode(line) for line in answer.out.splitlines()]


def test_all_of_them_are_tried() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.journal")) == list(NAMES)


def test_it_is_verified_and_recalled_as_it_is_without_changing_it(path: Path, name: str) -> None:
    """An archived journal of the old layout is never brought up to date for that."""
    before = path.read_bytes()
    is_as_verified_then(verified(path), name)
    assert differences(said(name)["recall"], recalled(path)) == []
    assert path.read_bytes() == before
    assert query(path, "PRAGMA user_version") == [(1,)]


def test_no_record_and_no_hash_changes_with_the_layout(path: Path, name: str) -> None:
    before = records(path)
    backup = upgraded(path)
    assert records(path) == records(backup) == before
    assert query(path, "PRAGMA user_version") == [(2,)]
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    is_as_verified_then(verified(path), name)
    is_as_verified_then(verified(backup), name)
    assert differences(said(name)["recall"], recalled(path)) == []
    assert opened(path).backup is None, "the second start has nothing to do"


def test_the_table_stands_where_it_stood(path: Path, name: str) -> None:
    upgraded(path)
    then = said(name)
    with JournalReader(path) as reader:
        table = recover(reader, SOFTWARE)
        position = reader.position()
        assert snapshot_if_needed(reader, table, SOFTWARE) is not None, "so that the old inputs are replayed no more"
    state = msgspec.json.decode(msgspec.json.encode(table.state))
    del state["shoe"]["rules"]
    assert differences(then["state"], state) == []
    view = view_of(table.state, read_rules)
    assert differences(then["view"], msgspec.json.decode(msgspec.json.encode(view))) == MENDED.get(name, [])
    assert view.last_outcome is None or f"base.{view.last_outcome.winner.value}" in view.last_outcome.won
    assert (position.last_seq, position.published_seq) == (then["last_seq"], then["published_seq"])


def test_its_events_are_read_with_the_heads_that_were_published(path: Path, name: str) -> None:
    upgraded(path)
    messages = query(
        path,
        "SELECT message.seq, message.name, message.body, before.number, before.hash FROM record AS message "
        "JOIN record AS before ON before.number = message.number - 1 WHERE message.kind = 'message' ORDER BY 1",
    )
    assert len(messages) == said(name)["messages"]
    with JournalReader(path) as reader:
        pruned = reader.tombstones()[-1].last_seq if reader.tombstones() else 0
        events = reader.events(pruned)
    assert [(one.seq, one.name, one.body, one.head.number, one.head.hash) for one in events] == messages
    for event in events:
        fact = read_fact(Event(name=event.name, body=event.body))
        published = published_fact(event)
        assert published.topic == event.name == f"event/{fact.TOPIC}"
        assert (published.shoe, published.round) == (fact.shoe, fact.round)
    assert verified(path, [event.head for event in events]).good


@pytest.mark.parametrize("kind", LAYOUT_1)
@pytest.mark.parametrize("change", ["body = CAST(body || ' ' AS BLOB)", "name = name || 's'", "kind = 'event'"])
def test_a_changed_record_of_the_old_kinds_is_found(path: Path, kind: RecordKind, change: str) -> None:
    upgraded(path)
    numbers = [number for (number,) in query(path, f"SELECT number FROM record WHERE kind = '{kind}' ORDER BY number")]
    number = numbers[len(numbers) // 2]
    tampered(path, f"UPDATE record SET {change} WHERE number = {number}")
    assert number in {problem.number for problem in verified(path).problems}


def test_facts_are_compared_as_the_caller_says(path: Path) -> None:
    def other(inputs: Any) -> list[Event]:  # noqa: ANN401 - as `Replay` has it
        return [msgspec.structs.replace(event, body=event.body + b" ") for event in replay(inputs)]

    for agree in (True, False):
        report = verify(
            path,
            replay=other,
            agree=lambda stored, computed, agree=agree: agree and stored.name == computed.name,  # type: ignore[misc]  # bound at once
            software=WRITTEN_BY,
            progress=lambda _done, _all: None,
        )
        assert report.good == agree


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    before = records(path), query(path, "SELECT * FROM sqlite_schema"), query(path, "PRAGMA user_version")
    half = SCHEMA.migrations[1][:1]
    with pytest.raises(FileError):
        opened(path, Schema(version=2, tables=SCHEMA.tables, migrations={1: half}))
    assert (records(path), query(path, "SELECT * FROM sqlite_schema"), query(path, "PRAGMA user_version")) == before
    upgraded(path)
    assert verified(path).good


def test_an_old_shoe_is_pruned_across_the_layouts(tmp_path: Path) -> None:
    """The tombstones and exports of the old program still fit."""
    path = copied("pruned_shoe", tmp_path)
    upgraded(path)
    with JournalReader(path) as reader:
        before = reader.tombstones()
    exports = tmp_path / "exports"
    exports.mkdir()
    for export in FOLDER.glob("*.jsonl"):
        shutil.copy(export, exports)
    answer = run_program("journal", "prune", str(path), "--older-than", "0", "--export-to", str(exports), "--json")
    assert answer.exit_code == 0, answer.err
    assert answer.json["shoes"] == 2
    with JournalReader(path) as reader:
        assert reader.tombstones()[: len(before)] == before
        assert {"fact", "message"} <= reader.tombstones()[-1].counts.keys()
        assert recover(reader, SOFTWARE).state.shoe_number == 4
    assert verified(path).good


@pytest.mark.parametrize("name", [name for name in NAMES if name != "pruned_shoe"])
def test_a_display_of_that_time_has_what_the_journal_holds(name: str, tmp_path: Path) -> None:
    journal = read_journal(copied(name, tmp_path))
    with_heads = {seq: (topic, _with_head(journal.heads[seq], body)) for seq, (topic, body) in journal.earlier.items()}
    assert with_heads
    sound_journal(tmp_path / "table.journal", with_heads, software=WRITTEN_BY)
    last = max(with_heads)
    with pytest.raises(AssertionError):
        sound_journal(tmp_path / "table.journal", with_heads | {last: ("event/card", b"{}")}, software=WRITTEN_BY)


def _with_head(head: str, body: bytes) -> bytes:
    """As that program put it in front of every outcome; others had none, and a head more does no harm here."""
    return b'{"head":"' + head.encode() + b'",' + body[1:]
