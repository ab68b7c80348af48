"""Kills the daemon with `kill -9` at seeded moments of a shoe, with wagers in every round, and starts it again.

While it is dead, the journal is looked at as the crash left it; at the end of the shoe all three accounts must agree.
"""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from simulator.reckoner.alignment import Leniency
from simulator.reckoner.displays import display_problems
from tests.reckoning import StoredJournal, read_journal, reckoned
from tests.torture.sitting import PATIENCE, Books, Sitting, copy_of_journal, sitting

MOST_BETWEEN = 50
"""Events between two kills: so twenty of them fall all over a shoe of eight decks, which has some 800."""


async def kill_daemon(
    folder: Path, *, seed: int, kills: int, cut_card: int | None = None, tell: Callable[[str], None] = lambda _: None
) -> tuple[int, Books]:
    """Kill it so many times in the course of a shoe; how often that was, should the shoe be over before."""
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    async with sitting(folder, seed=seed, cut_card=cut_card) as table:
        done = 0
        while done < kills and await table.some_more_events(chance.randint(1, MOST_BETWEEN)):
            await asyncio.sleep(chance.choice((0.0, chance.uniform(0, 0.02), chance.uniform(0, 0.2))))
            await _kill(table, chance)
            table.players.repeat()
            done += 1
            tell(f"daemon killed {done} of {kills} times, {len(table.display.events)} events")
        return done, await table.finish()


async def _kill(table: Sitting, chance: random.Random) -> None:
    """Kill it, look at what it left, start it again; now and then it dies once more while it starts."""
    await table.chain.kill_daemon()
    left = _as_it_was_left(table)
    await asyncio.sleep(chance.choice((0.0, 0.0, 0.3)))
    if chance.random() < 0.2:
        await table.chain.daemon.start()
        await asyncio.sleep(chance.uniform(0, 0.8))
        await table.chain.kill_daemon()
        left = _as_it_was_left(table)
    session = table.session
    await table.chain.daemon.start()
    await table.is_back(session)
    await table.display.has_everything(max(left.events, default=0), PATIENCE)
    assert display_problems(left.events, {seq: table.display.events[seq] for seq in left.events}) == []


def _as_it_was_left(table: Sitting) -> StoredJournal:
    """The journal just after the crash: all that was shown is in it, and nothing is in it that never happened."""
    shown = dict(table.display.events)
    journal = read_journal(copy_of_journal(table.chain))
    assert display_problems(journal.events, journal.events | shown) == []
    reckoned(journal, table.chain.truth, info=table.display.info, leniency=Leniency(under_way=True))
    return journal
