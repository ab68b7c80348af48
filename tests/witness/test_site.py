"""All tables of a site: what is subscribed, published and compared, and what the file proves about a journal."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.topics import Topics, witness_topic
from shoe_controller.messages.witness import WitnessMessage
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.witness.evidence import differing_checkpoints, differing_heads, evidence_of
from shoe_controller.witness.lines import AlarmRaised, CheckpointSeen, HeadSeen, digest_of
from shoe_controller.witness.lines_file import LinesFile
from shoe_controller.witness.site import MOST_TABLES, WitnessedSite
from tests.journal.samples import IDENTITY
from tests.witness.samples import JOURNAL, checkpoint, status


class Published:
    """A session that only remembers what is published."""

    def __init__(self) -> None:
        self.messages: dict[str, WitnessMessage] = {}

    def publish_soon(self, topic: str, payload: bytes, *, retain: bool) -> "asyncio.Future[None] | None":
        assert retain
        self.messages[topic] = msgspec.json.decode(payload, type=WitnessMessage)
        return None


class Witness:
    """A witness without a broker."""

    def __init__(self, path: Path) -> None:
        self.alarms: list[AlarmRaised] = []
        self.file = LinesFile(path)
        self.published = Published()
        self.now = 0.0
        self.site = WitnessedSite(
            "north",
            client="w",
            instance="i",
            file=self.file,
            heads_every=0,
            observer=self,
            clock=lambda: self.now,
            wall=lambda: 1_790_000_000_000 + int(self.now * 1000),
        )
        self.site.begin("1", 0)
        self.site.broker_up(self.published)  # type: ignore[arg-type]  # all that is used of a session

    def alarm(self, line: AlarmRaised) -> None:
        self.alarms.append(line)

    def file_failed(self, error: OSError) -> None:
        raise error

    def receive(self, topic: str, message: Any, *, retained: bool = False) -> None:  # noqa: ANN401 - any message
        self.site.receive(Incoming(topic=topic, payload=msgspec.json.encode(message), retain=retained), self.now)

    def look(self) -> None:
        self.now += 1.0
        list(self.site.requests(self.now))


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witness]:
    made = Witness(tmp_path / "north.witness")
    yield made
    made.file.close()


def test_it_subscribes_to_heads_checkpoints_and_what_is_for_it_alone(witness: Witness) -> None:
    prefix = "shoe/v1/north"
    assert witness.site.subscriptions == (
        f"{prefix}/+/status",
        f"{prefix}/+/event/checkpoint",
        f"{prefix}/+/reply/w/i/replay",
        f"{prefix}/witness/w/+",
    )


def test_what_is_published_names_the_last_line_and_is_sent_when_it_changes(witness: Witness) -> None:
    witness.receive(Topics("north", "t1").status, status(1, 10))
    witness.look()
    (message,) = witness.published.messages.values()
    assert witness.file.last is not None
    assert (message.table, message.journal, message.line) == ("t1", JOURNAL, witness.file.last.end)
    witness.published.messages.clear()
    witness.look()
    assert witness.published.messages == {}


def test_a_file_whose_end_was_cut_off_is_alarmed(tmp_path: Path) -> None:
    path = tmp_path / "north.witness"
    first = Witness(path)
    older = path.read_bytes()
    first.receive(Topics("north", "t1").status, status(1, 10))
    first.look()
    (message,) = first.published.messages.values()
    first.file.close()
    for content, codes in ((path.read_bytes(), []), (older, ["witness_file_cut"])):
        path.write_bytes(content)
        second = Witness(path)
        second.receive(witness_topic("north", "w", "t1"), message, retained=True)
        assert [line.alarm.code for line in second.alarms] == codes
        second.file.close()


def test_no_more_tables_than_so_many_and_none_with_a_reserved_name(witness: Witness) -> None:
    for number in range(MOST_TABLES + 5):
        witness.receive(f"shoe/v1/north/t{number}/status", {"online": False, "session": 1})
    witness.receive("shoe/v1/north/witness/status", status(1, 10))
    witness.receive("shoe/v1/north/a b/status", status(1, 10))
    witness.look()
    assert len(witness.site._tables) == MOST_TABLES  # noqa: SLF001 - a bound on memory shows nowhere else


def test_what_a_file_proves_of_a_journal(witness: Witness, whole: Path, tmp_path: Path) -> None:
    journal = tmp_path / "table.journal"
    shutil.copy(whole, journal)
    with JournalReader(journal) as reader:
        kept = msgspec.convert(reader.checkpoints_after(-1, 9), list[Checkpoint], from_attributes=True)
        head = reader.position().head
    for each in kept[:2]:
        witness.file.add(CheckpointSeen(table="t1", checkpoint=each), 5)
    witness.file.add(HeadSeen(table="t1", journal=IDENTITY.journal_id, session=1, head=str(head)), 9)
    witness.file.add(CheckpointSeen(table="t2", checkpoint=checkpoint(1)), 9)
    found = evidence_of(witness.file.path, IDENTITY.journal_id)
    assert (found.newest, found.seen, [each.index for each in found.checkpoints]) == (head, 9, [1, 2])
    assert differing_checkpoints(found, journal) == []
    witness.file.add(CheckpointSeen(table="t1", checkpoint=checkpoint(3, journal=IDENTITY.journal_id)), 5)
    witness.file.add(CheckpointSeen(table="t1", checkpoint=checkpoint(4, journal=IDENTITY.journal_id)), 5)
    found = evidence_of(witness.file.path, IDENTITY.journal_id)
    assert differing_checkpoints(found, journal) == [
        "checkpoint 3 is not the one that the witness saw.",
        "checkpoint 4 is missing; the witness saw it.",
    ]
    assert evidence_of(witness.file.path, "another").newest is None


def test_a_journal_is_compared_with_every_head_of_a_line(witness: Witness, whole: Path) -> None:
    with JournalReader(whole) as reader:
        hashes = {record.number: record.hash.hex() for record in reader.records(0, 10**6)}
        head = reader.position().head
    numbers = sorted(hashes)[:5]
    line = HeadSeen(
        table="t1",
        journal=IDENTITY.journal_id,
        session=1,
        head=str(head),
        earlier=tuple(numbers),
        digest=digest_of(hashes[number] for number in numbers),
    )
    witness.file.add(line, 5)
    found = evidence_of(witness.file.path, IDENTITY.journal_id)
    assert (found.head_count, differing_heads(found, whole)) == (6, [])
    swapped = digest_of(hashes[number] for number in reversed(numbers))
    witness.file.add(msgspec.structs.replace(line, digest=swapped), 6)
    witness.file.add(msgspec.structs.replace(line, earlier=(*numbers, head.number + 9)), 7)
    found = evidence_of(witness.file.path, IDENTITY.journal_id)
    assert differing_heads(found, whole) == [
        f"not all of the records {', '.join(map(str, numbers))} are those that the witness saw (its line 3)."
    ]
