"""What a broker can do to a table: die (`kill -9`, with all its memory), hang, or not be there at all.

The table deals on, and whatever a subscriber missed it gets afterwards.
"""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

from tests.daemon.harness import Chain
from tests.torture.sitting import PATIENCE, Books, Sitting, people_at, sitting

MOST_BETWEEN = 30
"""Events between two deaths."""
KEEP_ALIVE = 2
"""Seconds, as the harness configures it."""


async def kill_broker(
    folder: Path,
    *,
    seed: int,
    kills: int,
    speed: int = 40,
    cut_card: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[int, Books]:
    """Kill it so many times in the course of a shoe; each time it comes back with nothing in its memory."""
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    async with sitting(folder, seed=seed, speed=speed, cut_card=cut_card) as table:
        done = 0
        while done < kills and await table.some_more_events(chance.randint(1, MOST_BETWEEN)):
            await asyncio.sleep(chance.uniform(0, 0.05))
            session = table.session
            await table.chain.broker.kill()
            table.chain.broker.forget()
            await asyncio.sleep(chance.choice((0.0, 0.3)))
            await table.chain.broker.start()
            await table.is_back(session)
            table.players.repeat()
            await table.display.has_everything(within=PATIENCE)
            done += 1
            tell(f"broker killed {done} of {kills} times, {len(table.display.events)} events")
        return done, await table.finish()


async def hang_broker(folder: Path, *, seed: int, speed: int = 40) -> Books:
    """It hangs for longer than twice the keep-alive: the daemon gives it up, deals on, and comes back."""
    async with sitting(folder, seed=seed, speed=speed) as table:
        await table.some_more_events(40)
        session, dealt = table.session, table.cards_out
        _signal(table.chain, signal.SIGSTOP)
        try:
            await table.chain.becomes(
                lambda: table.chain.times_logged("broker_down"), 4 * KEEP_ALIVE + 5, what="the daemon to notice"
            )
            await _deals_on(table, dealt + 10)
        finally:
            _signal(table.chain, signal.SIGCONT)
        await table.is_back(session)
        return await table.finish()


async def no_broker_at_first(folder: Path, *, seed: int, speed: int = 150) -> Books:
    """The daemon starts, and a good part of the shoe is dealt, before there is a broker."""
    async with Chain(folder, seed=seed, speed=str(speed)) as chain:
        await chain.broker.kill()
        await chain.start_daemon()
        await chain.start_emulator()
        await chain.becomes(lambda: len(chain.truth) > 300, PATIENCE, what="the dealer to deal")
        await chain.broker.start()
        async with people_at(chain) as table:
            return await table.finish()


async def _deals_on(table: Sitting, cards: int) -> None:
    await table.chain.becomes(lambda: table.cards_out >= cards, PATIENCE, what="the dealer to deal on")


def _signal(chain: Chain, number: signal.Signals) -> None:
    process = chain.broker._process  # noqa: SLF001 - only its process can be made to hang
    assert process is not None
    os.kill(process.pid, number)
