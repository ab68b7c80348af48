"""A journal as a table leaves it after some evenings, with what was published of it and exported from it."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from firmware_protocol.events import IndicatedWinner
from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import SOFTWARE, TOPICS_BY_FACT
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.prune import Pruned, prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Entry, Head, Raw
from shoe_controller.journal.store import open_journal
from tests.journal.samples import first_keys, key_folder
from tests.recorded_sitting import RecordedSitting

SITE, NAME = "north", "t1"
IDENTITY = Identity(table=f"{SITE}/{NAME}", journal_id="4f2a9c1e77b3d508")
STAMP = "20261116T120000Z"
PRUNED_AT = 1_790_000_000_000
LATER = 4_000_000_000_000
"""Milliseconds since 1970, later than anything in these journals."""

Hands = tuple[tuple[str, IndicatedWinner], ...]
HANDS: Hands = (("9H 4D KS 2C", IndicatedWinner.PLAYER), ("2H 9D KS KC", IndicatedWinner.BANKER))
"""The rounds of each shoe."""


@dataclass(frozen=True, slots=True)
class TableJournal:
    path: Path
    exports: Path
    """The folder with the exports of the pruned shoes."""
    heads: tuple[Head, ...]
    """As every outcome carried its own, in order; also those of shoes that were pruned since."""
    older: Path
    """A copy from before the last shoe was opened."""
    key: str = ""
    """The first public key, if it is signed."""


def table_journal(
    folder: Path, identity: Identity = IDENTITY, hands: Hands = HANDS, *, signed: bool = False
) -> TableJournal:
    """Six shoes. The first two were pruned, then two more, with the records that told of the first pruning.

    The fifth shoe is over and may be pruned; the sixth is being dealt. `signed` has a checkpoint after every shoe.
    """
    made = TableJournal(folder / "table.journal", folder / "exports", (), folder / "older.journal")
    made.exports.mkdir()
    table = RecordedSitting()
    heads: list[Head] = []
    keys = key_folder(folder / "keys", table=identity.table)
    for shoe in range(1, 7):
        table.open_shoe("3H")
        for cards, winner in hands:
            table.bet("1", "base.player", 50)
            table.deal(cards)
            table.result(winner)
        write(made.path, table.entries[table.written :], identity)
        table.written = len(table.entries)
        heads += _published(made.path, identity, table.facts[-1].seq, heads)
        if signed:
            sign_journal(made.path, identity, keys, shoe)
        if shoe in {3, 5}:
            prune_old(made.path, made.exports)
        if shoe == 5:
            shutil.copy(made.path, made.older)
    table.deal("8H 7D")
    write(made.path, table.entries[table.written :], identity)
    return replace(made, heads=tuple(heads), key=first_keys(folder / "keys")[0] if signed else "")


def write(path: Path, entries: Iterable[Entry], identity: Identity = IDENTITY) -> None:
    """Store them as the table's controller does, with something for the link to remember."""
    journal = open_journal(path, identity=identity, software=SOFTWARE, now_ms=0, stamp=STAMP)
    try:
        for number, entry in enumerate(entries):
            stored = msgspec.structs.replace(
                entry,
                raw=(Raw(direction=Direction.FROM_SHOE, data=b"\x02\x04%d" % number, mono_ns=entry.at.mono_ns - 1),),
                link_state=b'{"boot_id":1,"sequence":%d}' % number,
            )
            journal.submit(stored).result(timeout=30)
    finally:
        journal.close()


def prune_old(path: Path, exports: Path) -> Pruned:
    """Prune everything but the current shoe."""
    return prune(
        path,
        older_than_ms=LATER,
        folder=exports,
        now=Moment(wall_ms=PRUNED_AT, mono_ns=1, synchronised=True),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=lambda: None,
    )


def sign_journal(path: Path, identity: Identity, keys: KeyFolder, shoe: int) -> None:
    journal = open_journal(path, identity=identity, software=SOFTWARE, now_ms=0, stamp=STAMP)
    try:
        with JournalReader(path) as reader:
            keys.begin(identity.journal_id, reader.last_checkpoint(), PRUNED_AT)
        at = Moment(wall_ms=PRUNED_AT, mono_ns=1, synchronised=True)
        entry = Entry(at=at, shoe=shoe, round=len(HANDS) + 1, checkpoint=keys.prepare())
        journal.submit(entry).result(timeout=30)
        keys.retire()
    finally:
        journal.close()


def _published(path: Path, identity: Identity, last_seq: int, known: list[Head]) -> list[Head]:
    """The heads of outcomes that are not yet known; everything counts as published then."""
    journal = open_journal(path, identity=identity, software=SOFTWARE, now_ms=0, stamp=STAMP)
    try:
        journal.confirm(last_seq).result(timeout=30)
        with JournalReader(path) as reader:
            oldest = reader.tombstones()[-1].last_seq if reader.tombstones() else 0
            events = reader.events(oldest, limit=last_seq)
    finally:
        journal.close()
    last = known[-1].number if known else 0
    outcomes = (event.head for event in events if TOPICS_BY_FACT[event.name] == "event/outcome")
    return [head for head in outcomes if head.number > last]
