"""A disk that fills up under a running table: the table stops and says so, and goes on when there is room again.

The journal is on the file system of `forgetful_disk.py`, which is filled and emptied at seeded moments. On the native
wire the shoe keeps its events meanwhile; on the Angel Eye wire they wait in the daemon's memory.
"""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from shoe_controller.messages.facts import AlertRaised
from tests.daemon.harness import Chain
from tests.daemon.house_file import Wire
from tests.torture.hand_shoe import PATIENCE, HandShoe, all_told, deal, hand_shoe
from tests.torture.power_cuts import ForgetfulDisk
from tests.torture.sitting import Books, Sitting, people_at

WIRES: tuple[Wire, ...] = ("native", "angel_eye")
FILLED = 8
"""Times that the disk is filled in one sitting."""
ANSWER_WITHIN = 3.0


async def fill_disk(
    folder: Path,
    disk: ForgetfulDisk,
    *,
    wire: Wire,
    seed: int,
    times: int = FILLED,
    tell: Callable[[str], None] = lambda _: None,
) -> Books:
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    chain = Chain(folder, wire=wire, seed=seed)
    chain.journal = disk.folder / f"{wire}-{seed}.journal"
    async with chain:
        await chain.start_daemon()
        async with hand_shoe(chain, seed=seed) as hand, people_at(chain) as table:
            await table.display.until(lambda: table.display.status and table.display.status.shoe_link, PATIENCE)
            try:
                for number in range(1, times + 1):
                    goal = hand.cards_out + chance.randint(1, 12)
                    await deal(hand, table, lambda: hand.cards_out >= goal)  # noqa: B023 - used at once
                    disk.room(chance.randint(0, 20_000))
                    await _deal_into_full_disk(hand, table)
                    await _nothing_is_done(hand, table)
                    disk.room(None)
                    await _goes_on(table, number)
                    tell(f"{wire}: full and empty again {number} of {times} times, {hand.cards_out} cards")
            finally:
                disk.room(None)
            await all_told(hand, table)
            await table.people_leave()
            assert await chain.stop_daemon() == 0
            return table.compare(hand.truth)


async def request_into_full_disk(folder: Path, disk: ForgetfulDisk, *, seed: int) -> Books:
    """Nothing happens at the shoe, and the first thing that does not fit on the disk is a wager."""
    chain = Chain(folder, seed=seed)
    chain.journal = disk.folder / f"request-{seed}.journal"
    async with chain:
        await chain.start_daemon()
        async with hand_shoe(chain, seed=seed) as hand, people_at(chain) as table:
            await deal(hand, table, lambda: table.display.phase == "betting")
            await table.players.all_answered(PATIENCE)
            disk.room(0)
            try:
                for seat in ("2", "3"):
                    answer = await table.terminal.bet(seat, {"base.banker": 5000}, request_id=f"full-{seat}")
                    assert (answer.status, answer.code) == ("error", "journal_full"), answer
                await table.display.until(lambda: not _storing(table), PATIENCE, what="the status to say so")
            finally:
                disk.room(None)
            await _goes_on(table, 1)
            goal = hand.cards_out + 6
            await deal(hand, table, lambda: hand.cards_out >= goal)
            await all_told(hand, table)
            await table.people_leave()
            assert await chain.stop_daemon() == 0
            return table.compare(hand.truth)


async def restart_on_full_disk(folder: Path, disk: ForgetfulDisk, *, seed: int) -> Books:
    """The daemon dies while its disk is full, and is started again before there is room."""
    chain = Chain(folder, seed=seed)
    chain.journal = disk.folder / f"restart-{seed}.journal"
    async with chain:
        await chain.start_daemon()
        async with hand_shoe(chain, seed=seed) as hand, people_at(chain) as table:
            await deal(hand, table, lambda: hand.cards_out >= 20)
            disk.room(0)
            try:
                await _deal_into_full_disk(hand, table)
                session = table.session
                await chain.kill_daemon()
                await chain.daemon.start()
                await table.is_back(session)
                await table.display.until(lambda: not _storing(table), PATIENCE, what="the status to say so")
                await _nothing_is_done(hand, table)
            finally:
                disk.room(None)
            await _goes_on(table, 1)
            goal = hand.cards_out + 6
            await deal(hand, table, lambda: hand.cards_out >= goal)
            await all_told(hand, table)
            await table.people_leave()
            assert await chain.stop_daemon() == 0
            return table.compare(hand.truth)


async def _deal_into_full_disk(hand: HandShoe, table: Sitting) -> None:
    """The dealer deals on until the table tells that it cannot store."""
    for _ in range(4000):
        if not _storing(table):
            return
        if hand.line_is_free:
            await hand.try_to_step()
        await asyncio.sleep(0.005)
    raise AssertionError("the disk never got full")


async def _nothing_is_done(hand: HandShoe, table: Sitting) -> None:
    """Status and answers say why, and the gate is locked."""
    status = table.display.status
    assert status is not None
    assert status.online
    assert status.alert is not None
    assert status.alert.kind == "journal_full", status
    await hand.shoe.until(lambda: hand.shoe.emulation.shoe.gate_locked, within=PATIENCE)
    answer = await table.terminal.act("call_supervisor", within=ANSWER_WITHIN)
    assert (answer.status, answer.code) == ("error", "journal_full"), answer


async def _goes_on(table: Sitting, times: int) -> None:
    await table.display.until(lambda: _storing(table), PATIENCE, what="the status to say that it can store")

    def told() -> int:
        return sum(fact.alert.kind == "journal_full" for fact in table.display.facts_of(AlertRaised))

    await table.display.until(lambda: told() >= times, PATIENCE, what="the alert to be on the record")


def _storing(table: Sitting) -> bool:
    return table.display.status is not None and table.display.status.storing
