"""Older copies of a journal, a lost log, forged anchors and messages: what counts stops the table, the rest does not.

The journal, its anchor and the table's messages are those of one evening, each taken from a moment of its own. Whether
that must be noticed is worked out from the moments alone.
"""

import asyncio
import random
import secrets
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.events import IndicatedWinner
from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table import JournalSettings
from shoe_controller.config.table_file import RunningConfig, for_running
from shoe_controller.daemon.assembly import Opened, open_table
from shoe_controller.daemon.rollback import HeadNotes, RolledBackError
from shoe_controller.daemon.table_journal import SOFTWARE, replay
from shoe_controller.journal.anchor import Claim, seal, write_anchor
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Head
from shoe_controller.journal.store import open_journal
from shoe_controller.journal.verify import verify
from shoe_controller.messages.retained import HeadMessage
from tests.attacks.attack import Attack
from tests.attacks.table_journal import IDENTITY, NAME, SITE, STAMP, write
from tests.recorded_sitting import RecordedSitting
from tests.table_files import load, small_house

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
CLOCK = SystemClock()


class Evening(NamedTuple):
    entries: list[Entry]
    heads: list[Head]
    """After each entry."""
    fork: list[Entry]
    """Another evening that began in the same way."""
    fork_heads: list[Head]
    config: RunningConfig


def _entries(last: str, winner: IndicatedWinner) -> list[Entry]:
    table = RecordedSitting()
    table.open_shoe("3H")
    for cards, won in (("9H 4D KS 2C", IndicatedWinner.PLAYER), (last, winner)):
        table.bet("1", "base.player", 50)
        table.deal(cards)
        table.result(won)
    return list(table.entries)


def _heads(folder: Path, entries: list[Entry]) -> list[Head]:
    journal = folder / f"heads-{secrets.token_hex(4)}.journal"
    write(journal, entries)
    with JournalReader(journal) as reader:
        ends = {record.entry: Head(number=record.number, hash=record.hash) for record in reader.records(0, 10**6)}
    return list(ends.values())


def _evening(folder: Path) -> Evening:
    sections = {
        "table": {"site": SITE, "name": NAME},
        "shoe": {"wire": "angel_eye", "port": "/dev/ttyS99"},
        "journal": {"file": "none.journal", "anchor": "none.anchor"},
    }
    config = for_running(load(folder, small_house() | sections))
    entries = _entries("2H 9D KS KC", IndicatedWinner.BANKER)
    fork = _entries("2H 9C KS KC", IndicatedWinner.BANKER)
    return Evening(entries, _heads(folder, entries), fork, _heads(folder, fork), config)


class Found(NamedTuple):
    """What lies on the disk and at the broker when the table starts."""

    journal: int
    """Entries in it."""
    lost_log: bool
    anchor: Head | None
    other_anchor: bool
    """The anchor is about another journal, or is no anchor."""
    message: Head | None
    sealed: bool


def _choose(evening: Evening, chance: random.Random) -> Found:
    def head() -> Head | None:
        return chance.choice([None, *evening.heads, *evening.fork_heads])

    return Found(
        journal=chance.randint(1, len(evening.entries)),
        lost_log=chance.random() < 0.1,
        anchor=head(),
        other_anchor=chance.random() < 0.2,
        message=head(),
        sealed=chance.random() < 0.5,
    )


def _put_down(evening: Evening, found: Found, journal: Path, anchor: Path) -> list[Head]:
    """Write the files; returns the heads of the records that the journal has now."""
    entries = evening.entries[: found.journal]
    if found.lost_log:
        writer = open_journal(journal, identity=IDENTITY, software=SOFTWARE, now_ms=0, stamp=STAMP)
        for entry in entries:
            writer.submit(entry).result(timeout=30)
        without = journal.read_bytes()
        writer.close()
        journal.write_bytes(without)
    else:
        write(journal, entries)
    if found.anchor is not None and found.other_anchor:
        anchor.write_bytes(b"another " + str(found.anchor).encode() if found.journal % 2 else b"\0nonsense")
    elif found.anchor is not None:
        write_anchor(anchor, [Claim(IDENTITY.journal_id, found.anchor)])
    with JournalReader(journal) as reader:
        return [Head(number=each.number, hash=each.hash) for each in reader.records(0, 10**6)]


def _message(found: Found) -> bytes:
    if found.message is None:
        return b""
    return _sealed(found.message, KEY if found.sealed else OTHER_KEY)


def _sealed(head: Head, key: bytes) -> bytes:
    claim = Claim(IDENTITY.journal_id, head)
    made = HeadMessage(journal=IDENTITY.journal_id, head=str(head), seal=seal(key, IDENTITY.table, claim))
    return msgspec.json.encode(made)


def _check_taken_over(opened: Opened, journal: Path, there: list[Head]) -> None:
    assert opened.reader.identity.journal_id != IDENTITY.journal_id, "the table goes on under the same journal id"
    alerts = opened.table.state.lasting.alerts
    assert [alert.kind for alert in alerts] == ["journal_rolled_back"], alerts
    (kept,) = journal.parent.glob(f"{journal.name}.rolled-back-*Z")
    with JournalReader(kept) as reader:
        assert reader.position().head == (there[-1] if there else Head(number=0, hash=IDENTITY.genesis))
    report = verify(journal, replay=replay, software=SOFTWARE, progress=lambda *_: None)
    assert report.good, report.problems


async def _start(evening: Evening, found: Found, folder: Path) -> str:
    journal, anchor = folder / "t.journal", folder / "t.anchor"
    there = _put_down(evening, found, journal, anchor)
    config = evening.config._replace(journal=JournalSettings(journal, folder / "keys", anchor))
    by_anchor = found.anchor is not None and not found.other_anchor and found.anchor not in there
    opened = open_table(config, CLOCK)
    try:
        if by_anchor:
            _check_taken_over(opened, journal, there)
            return "anchor stopped the table"
        assert opened.reader.identity.journal_id == IDENTITY.journal_id, "an alarm without a cause"
        notes = HeadNotes(opened.reader, opened.anchor, KEY)
        try:
            warning = notes.compare(_message(found))
        except RolledBackError as error:
            assert found.sealed, "a message without a valid seal stopped the table"
            assert found.message not in there, "an alarm without a cause"
            opened.close()
            opened = open_table(config, CLOCK, rolled_back=error)
            _check_taken_over(opened, journal, there)
            return "own message stopped the table"
        assert found.message is None or found.message in there or not found.sealed, "a rollback went unnoticed"
        if warning is None:
            assert found.message is None or found.message in there
            return "no alarm, and none was due"
        return "forged message warned only"
    finally:
        opened.close()


def journal_after_rollback(folder: Path) -> Path:
    """A table finds an older copy of its journal, by its anchor; returns the new one, in which it goes on."""
    evening = _evening(folder)
    journal, anchor = folder / "t.journal", folder / "t.anchor"
    found = Found(
        journal=len(evening.entries) - 1,
        lost_log=False,
        anchor=evening.heads[-1],
        other_anchor=False,
        message=None,
        sealed=False,
    )
    _put_down(evening, found, journal, anchor)
    settings = JournalSettings(journal, folder / "keys", anchor)

    async def start() -> None:
        open_table(evening.config._replace(journal=settings), CLOCK).close()

    asyncio.run(start())
    return journal


def put_back(folder: Path, tries: int) -> str:
    evening = _evening(folder)
    chance = random.Random(16)  # noqa: S311 - the same attacks every time
    held: Counter[str] = Counter()
    for number in range(tries):
        held[asyncio.run(_start(evening, _choose(evening, chance), _place(folder, number)))] += 1
    return ", ".join(f"{what} {count}" for what, count in sorted(held.items()))


def put_disk_back(folder: Path, tries: int) -> str:
    """The journal's whole disk is put back and the broker emptied; the anchor has a disk of its own."""
    evening = _evening(folder)
    chance = random.Random(17)  # noqa: S311 - the same attacks every time
    for number in range(tries):
        copied = chance.randint(1, len(evening.entries) - 1)
        found = Found(
            journal=copied,
            lost_log=False,
            anchor=chance.choice(evening.heads[copied:]),
            other_anchor=False,
            message=None,
            sealed=False,
        )
        assert asyncio.run(_start(evening, found, _place(folder, number))) == "anchor stopped the table"
    return "the anchor stopped the table every time"


async def _clones(evening: Evening, chance: random.Random, folder: Path) -> int:
    """Two tables go on from one journal; each reads what the other has noted. Returns how many of them stop."""
    stopped = 0
    forked = sum(one == other for one, other in zip(evening.heads, evening.fork_heads, strict=False))
    entries = [evening.entries, evening.fork]
    lengths = [chance.randint(forked, len(each)) for each in entries]
    heads = [evening.heads[: lengths[0]], evening.fork_heads[: lengths[1]]]
    for one, other in ((0, 1), (1, 0)):
        place = folder / str(one)
        place.mkdir()
        write(place / "t.journal", entries[one][: lengths[one]])
        config = evening.config._replace(
            journal=JournalSettings(place / "t.journal", place / "keys", place / "t.anchor")
        )
        opened = open_table(config, CLOCK)
        noted = heads[other][-1]
        try:
            HeadNotes(opened.reader, opened.anchor, KEY).compare(_sealed(noted, KEY))
            assert noted in heads[one], "a clone goes on though it has read what it does not have"
        except RolledBackError:
            assert noted not in heads[one], "an alarm without a cause"
            stopped += 1
        finally:
            opened.close()
    assert stopped or heads[0][-1] == heads[1][-1], "both go on with different records"
    return stopped


def clones(folder: Path, tries: int) -> str:
    evening = _evening(folder)
    chance = random.Random(18)  # noqa: S311 - the same attacks every time
    stopped = Counter(asyncio.run(_clones(evening, chance, _place(folder, number))) for number in range(tries))
    return f"both stopped {stopped[2]}, the one behind stopped {stopped[1]}, no difference yet {stopped[0]}"


def _place(folder: Path, number: int) -> Path:
    place = folder / str(number)
    place.mkdir()
    return place


ATTACKS = (
    Attack("older journals, anchors and messages put back", put_back, tries=500, sample=15),
    Attack("the journal's disk put back, the anchor on another", put_disk_back, tries=200, sample=3),
    Attack("two live clones of one machine", clones, tries=200, sample=5),
)
