"""A journal that cannot be trusted when the daemon starts: it is set aside, never overwritten, and an alert reports it.

A table dies in the middle of a round, something damages its journal, and it is started again.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path

from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import SOFTWARE, entry_for, recover
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry
from shoe_controller.journal.store import open_journal
from shoe_controller.messages.details import JournalSetAside
from shoe_controller.messages.facts import RoundSettled
from shoe_controller.table.inputs import ClockStepped
from shoe_controller.table.table import Handled
from shoe_controller.words.render import ENGLISH
from simulator.firmware import Stage
from tests.daemon.harness import Chain
from tests.journal.tampering import query, tampered
from tests.reckoning import sound_journal
from tests.torture.hand_shoe import PATIENCE, HandShoe, all_told, deal, hand_shoe
from tests.torture.sitting import Sitting, people_at

STAMP = "20200101T000000Z"


def overwritten(journal: Path, seed: int) -> None:
    """Somebody, or a failing disk, has overwritten a part of what the shoe sent."""
    data = bytearray(journal.read_bytes())
    places = [found.start() for found in re.finditer(rb'"input":"shoe_report"', data)]
    start = random.Random(seed).choice(places)  # noqa: S311 - the same place every time
    data[start : start + 600] = bytes(600)
    journal.write_bytes(data)


def cut_off(journal: Path, _seed: int) -> None:
    """The end of the file is gone."""
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) * 2 // 3])


def rewritten(journal: Path, _seed: int) -> None:
    """Somebody has changed a card of the current shoe and did not know of the chain."""
    tampered(
        journal,
        "UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'player', 'banker') AS BLOB) "
        "WHERE kind = 'input' AND number > 20",
    )


def no_journal(journal: Path, _seed: int) -> None:
    """It is another file altogether."""
    journal.write_bytes(b"this was a journal once\n" * 500)


def differs(journal: Path, _seed: int) -> None:
    """The chain is sound, but an input does not lead to its facts, as if another program had written it."""
    with JournalReader(journal) as reader:
        identity = Identity(table=reader.identity.table, journal_id=reader.identity.journal_id)
        table = recover(reader)
    at = Moment(wall_ms=1_600_000_000_000, mono_ns=1, synchronised=True)
    nothing = Handled(state=table.state, facts=(), refusal=None, changed=True)
    entry: Entry = entry_for(ClockStepped(by_ms=60_000), nothing, at)
    opened = open_journal(journal, identity=identity, software=SOFTWARE, now_ms=at.wall_ms, stamp=STAMP)
    try:
        opened.submit(entry).result(timeout=PATIENCE)
    finally:
        opened.close()


DAMAGES: dict[str, Callable[[Path, int], None]] = {
    damage.__name__: damage for damage in (overwritten, cut_off, rewritten, no_journal, differs)
}


async def damage_journal(folder: Path, *, damage: str, seed: int) -> str:
    """Do it; what the table says of it."""
    async with Chain(folder, seed=seed) as chain:
        await chain.start_daemon()
        async with hand_shoe(chain, seed=seed) as hand:
            async with people_at(chain) as table:
                await deal(hand, table, lambda: hand.cards_out >= 30 and hand.stage is Stage.DEALING)
                await all_told(hand, table)
            await chain.kill_daemon()
            # What a crash leaves in SQLite's log goes into the file, where it can be damaged.
            query(chain.journal, "PRAGMA wal_checkpoint(TRUNCATE)")
            DAMAGES[damage](chain.journal, seed)
            damaged = chain.journal.read_bytes()
            await chain.start_daemon()
            aside = _set_aside(chain, damaged)
            async with people_at(chain) as table:
                table.supervisor.is_away = True
                detail = await _everybody_is_told(table, aside)
                await _goes_on_with_a_new_shoe(hand, table)
                assert await chain.stop_daemon() == 0
                journal = sound_journal(chain.journal, table.display.events)
            assert "journal_damaged" in journal.alerts()
            return detail


def _set_aside(chain: Chain, damaged: bytes) -> Path:
    """The one file that holds what the damaged journal held, byte by byte, under a name of its own."""
    kept = [
        file
        for file in chain.folder.glob(f"{chain.journal.name}*")
        if file != chain.journal and file.is_file() and file.read_bytes() == damaged
    ]
    assert len(kept) == 1, f"the damaged journal is not there: {sorted(chain.folder.iterdir())}"
    return kept[0]


async def _everybody_is_told(table: Sitting, aside: Path) -> str:
    """In the log, in the status, and as an alert that stops the table and names the file; what its detail is."""
    display = table.display
    assert table.chain.times_logged("journal_damaged") == 1
    await display.until(
        lambda: display.status and display.status.alert and display.status.alert.kind == "journal_damaged", PATIENCE
    )
    await display.until(lambda: display.state and display.state.stopped, PATIENCE)
    assert display.state is not None
    (alert,) = [alert for alert in display.state.alerts if alert.kind == "journal_damaged"]
    assert isinstance(alert.detail, JournalSetAside)
    assert alert.detail.files == (aside.name,), alert
    return ENGLISH.detail(alert)


async def _goes_on_with_a_new_shoe(hand: HandShoe, table: Sitting) -> None:
    """It waits: no card can be drawn. A supervisor looks at it, new cards are put in, and two rounds are settled."""
    display = table.display
    await display.until(lambda: display.status and display.status.shoe_link, PATIENCE)
    await hand.shoe.until(lambda: hand.shoe.emulation.shoe.gate_locked, within=PATIENCE)
    table.supervisor.comes_back()
    # Beside an alert that is a supervisor's, the shoe's button opens nothing.
    await display.until(lambda: display.state and not display.state.alerts, PATIENCE, what="the supervisor")
    hand.shoe.new_cards()
    await display.until(lambda: display.phase == "first_card", PATIENCE, what="the new shoe")
    await deal(hand, table, lambda: len(display.facts_of(RoundSettled)) >= 2)
    await table.people_leave()
    await display.has_everything()
