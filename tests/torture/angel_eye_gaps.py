"""On the Angel Eye wire, what happened while the controller was away is lost: the round is partial and waits.

The daemon is killed, or the shoe unplugged, at a moment of a round; the dealer, who does not notice, goes on for some
cards. Afterwards nothing may be settled until a supervisor has acted.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.facts import RoundResult, RoundSettled
from simulator.firmware import Stage
from tests.daemon.harness import Chain
from tests.torture.hand_shoe import PATIENCE, HandShoe, deal, hand_shoe
from tests.torture.sitting import Books, Sitting, people_at

VOIDS = frozenset({"shoe_lost", "event_gap", "shoe_restarted"})
"""Cards are missing, so the round cannot be finished."""

MOMENTS = ("betting", "dealing", "complete")
AWAY = ("kill", "unplug")
UNPLUGGED = 2.0


async def go_away(
    folder: Path,
    *,
    how: str,
    disclosing: str,
    seed: int,
    moments: tuple[str, ...] = MOMENTS,
    tell: Callable[[str], None] = lambda _: None,
) -> Books:
    async with Chain(folder, wire="angel_eye", seed=seed) as chain:
        await chain.start_daemon()
        async with (
            hand_shoe(chain, seed=seed, disclosing=Disclosing(disclosing)) as hand,
            people_at(chain, VOIDS) as table,
        ):
            await table.display.until(lambda: table.display.status and table.display.status.shoe_link, PATIENCE)
            await deal(hand, table, lambda: _settled(table) >= 1)
            for missed, moment in enumerate(moments, 1):
                await _reach(moment, hand, table)
                table.supervisor.is_away = True
                await _away_and_back(how, hand, table, missed)
                await _waits(hand, table)
                table.supervisor.comes_back()
                goal = _settled(table) + 2
                await deal(hand, table, lambda: _settled(table) >= goal)  # noqa: B023 - used at once
                tell(f"{how}, {disclosing}, {moment}: {len(table.supervisor.acts)} acts")
            await table.people_leave()
            await table.display.has_everything()
            assert await chain.stop_daemon() == 0
            return table.compare(hand.truth, wire_loses=True)


def _settled(table: Sitting) -> int:
    return len(table.display.facts_of(RoundSettled))


async def _reach(moment: str, hand: HandShoe, table: Sitting) -> None:
    stage = {"betting": Stage.READY, "dealing": Stage.DEALING, "complete": Stage.COMPLETE}[moment]
    await deal(hand, table, lambda: hand.stage is stage)
    phases = {"complete": ("dealing", "complete")}.get(moment, (moment,))  # face down, nobody can tell these two apart
    await table.display.until(lambda: table.display.phase in phases, PATIENCE, what=f"the display to show {moment}")


async def _away_and_back(how: str, hand: HandShoe, table: Sitting, missed: int) -> None:
    """The dealer does so many things more before the line is up again."""
    session = table.session
    if how == "kill":
        await table.chain.kill_daemon()
    else:
        hand.inject("unplug", UNPLUGGED)
        await table.display.until(lambda: table.display.status and not table.display.status.shoe_link, PATIENCE)
    for _ in range(missed):
        await table.chain.becomes(lambda: hand.line_is_free, PATIENCE)
        await hand.try_to_step()
    await table.chain.becomes(lambda: hand.line_is_free, PATIENCE)
    if how == "kill":
        await table.chain.daemon.start()
        await table.is_back(session)
    await table.display.until(
        lambda: table.display.status and table.display.status.shoe_link, PATIENCE, what="the shoe to be back"
    )


async def _waits(hand: HandShoe, table: Sitting) -> None:
    """Whatever the dealer does now, the table stops, and no result is published until a supervisor has acted."""
    results = len(table.display.facts_of(RoundResult))
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not (table.display.state and table.display.state.stopped and hand.shoe.emulation.shoe.gate_locked):
        assert asyncio.get_running_loop().time() < deadline, f"nobody noticed what was missed: {table.display.state}"
        if hand.line_is_free:
            await hand.try_to_step()
        await asyncio.sleep(0.05)
    await table.display.has_everything()
    assert len(table.display.facts_of(RoundResult)) == results, "a result was published for a round that is partial"
