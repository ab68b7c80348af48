"""The shoe taken away at every kind of moment: unplugged, silent, without power, started anew.

All moments come one after another in one shoe, on the native wire. The dealer does not notice at first and does one
more thing; then the shoe comes back, a supervisor does what there is to do, and the table must go on.
"""

from collections.abc import Callable
from pathlib import Path

from shoe_controller.messages.facts import RoundSettled, ShoeLinkChanged
from simulator.firmware import Stage
from tests.daemon.harness import Chain
from tests.torture.hand_shoe import PATIENCE, HandShoe, all_told, deal, hand_shoe
from tests.torture.sitting import Books, Sitting, people_at

FAULTS: dict[str, float | None] = {"unplug": 1.5, "silence": 5.0, "power_loss": 1.5, "reboot": None}
"""Faults of the emulator that take the shoe away, and for how many seconds."""

MOMENTS = ("first_card", "burning", "betting", "dealing", "complete", "over_drawn", "stopped")
"""In the order in which a shoe comes to them."""

VOIDS = frozenset({"shoe_restarted"})
"""The shoe has forgotten the round, so it cannot be finished."""


async def take_shoe_away(
    folder: Path,
    *,
    fault: str,
    seed: int,
    moments: tuple[str, ...] = MOMENTS,
    tell: Callable[[str], None] = lambda _: None,
) -> Books:
    async with Chain(folder, seed=seed) as chain:
        await chain.start_daemon()
        async with hand_shoe(chain, seed=seed) as hand, people_at(chain, VOIDS) as table:
            await table.display.until(lambda: table.display.status and table.display.status.shoe_link, PATIENCE)
            for moment in moments:
                await _reach(moment, hand, table)
                await _away_and_back(fault, hand, table)
                await _goes_on(hand, table, rounds=0 if moment == "first_card" else 2)
                tell(f"{fault} at the moment {moment}: the table goes on after {len(table.supervisor.acts)} acts")
            await all_told(hand, table)
            await table.people_leave()
            assert await chain.stop_daemon() == 0
            return table.compare(hand.truth)


async def _reach(moment: str, hand: HandShoe, table: Sitting) -> None:
    """Deal until the shoe and the display are at this moment."""
    match moment:
        case "first_card":
            await deal(hand, table, lambda: hand.shoe.emulation.shoe.announced)
        case "burning":
            await deal(hand, table, lambda: hand.stage is Stage.BURNING)
        case "betting":
            await deal(hand, table, lambda: hand.stage is Stage.READY)
        case "dealing":
            await deal(hand, table, lambda: hand.stage is Stage.DEALING and len(_firmware_table(hand)) == 2)
        case "complete":
            await deal(hand, table, lambda: hand.stage is Stage.COMPLETE)
        case "over_drawn":
            table.supervisor.is_away = True
            hand.inject("over_draw_burned")
            await deal(hand, table, lambda: bool(hand.shoe.emulation.shoe.firmware.extras))
        case _:
            table.supervisor.is_away = True
            await deal(hand, table, lambda: hand.stage is Stage.DEALING and len(_firmware_table(hand)) == 1)
            hand.shoe.move_lid(opened=True)
    wanted = {"over_drawn": "complete", "stopped": "dealing"}.get(moment, moment)
    stopped = moment in ("over_drawn", "stopped")
    await table.display.until(
        lambda: (state := table.display.state) and state.phase == wanted and state.stopped == stopped,
        PATIENCE,
        what=f"the display to show {moment}",
    )


def _firmware_table(hand: HandShoe) -> list[object]:
    return list(hand.shoe.emulation.shoe.firmware.table)


async def _away_and_back(fault: str, hand: HandShoe, table: Sitting) -> None:
    def losses() -> int:
        return sum(not fact.up for fact in table.display.facts_of(ShoeLinkChanged))

    before = losses()
    hand.inject(fault, FAULTS[fault])
    await hand.try_to_step()
    await table.display.until(lambda: losses() > before, PATIENCE, what="the daemon to notice that the shoe is away")
    await table.display.until(
        lambda: table.display.status and table.display.status.shoe_link, PATIENCE, what="the shoe to be back"
    )


async def _goes_on(hand: HandShoe, table: Sitting, *, rounds: int) -> None:
    """People see to it; then so many more rounds are dealt and settled."""
    if hand.shoe.emulation.shoe.lid_open:
        hand.shoe.move_lid(opened=False)
    table.supervisor.comes_back()

    def settled() -> int:
        return len(table.display.facts_of(RoundSettled))

    goal = settled() + rounds
    await deal(hand, table, lambda: settled() >= goal)
