"""Wagers put right and rounds amended through the whole chain: terminal, Mosquitto, daemon, journal, display."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    CardCorrected,
    RoundAmended,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
    ShoeLinkChanged,
    WagersCorrected,
)
from shoe_controller.messages.requests import Answer
from simulator.scenario import planned
from tests.daemon.test_acts import AtTheTable, at_the_table

pytestmark = pytest.mark.asyncio


async def by_two(table: AtTheTable, act: str, **details: Any) -> None:  # noqa: ANN401 - the act's own fields
    assert (await asked(table, act, details)).code == "ok"
    proposal = table.state.proposal
    assert proposal is not None
    await table.supervisor("approve", person="shah", proposal=proposal.proposal)


async def asked(table: AtTheTable, act: str, details: dict[str, Any]) -> Answer:
    """The details of an amendment have a shoe and a round too."""
    return await table.terminal.supervisor(act, reason="seen on the recording", about=details)


async def refused(table: AtTheTable, code: str, act: str, **details: Any) -> Any:  # noqa: ANN401 - as above
    answer = await asked(table, act, details)
    assert answer.code == code, answer
    return answer.refusal


async def test_a_wager_is_put_right_by_one_and_after_a_card_by_two(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, bets_close="dealer", finished_round="two_supervisors") as table:
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet", {"seat": "1"})
        await table.ok("no_more_bets")
        await table.supervisor("set_wager", seat="1", wager="base.player", stake=2000)
        await table.supervisor("move_wager", seat="1", wager="base.player", to_seat="2")
        moved = await table.told(WagersCorrected, 2)
        assert (moved.difference, moved.stakes) == ({"1": 2000, "2": -2000}, 2000)
        await refused(table, "above_maximum", "set_wager", seat="1", wager="base.tie", stake=10**9)
        await table.draw(1)
        await by_two(table, "set_wager", seat="3", wager="base.banker", stake=1000)
        await table.display.until(lambda: len(table.state.wagers) == 2, what="both wagers")
        assert [(wager.seat, wager.stake) for wager in table.state.wagers] == [("2", 2000), ("3", 1000)]
        await table.draw(3)
        await table.phase("complete")
        # The house has two supervisors for a finished round; Player's 9 stays one with another suit.
        await by_two(table, "correct_card", number=1, card="9D")
        await table.told(CardCorrected)
        await by_two(table, "void_and_replay")
        await table.told(RoundVoided)
        table.shoe.press(Button.RESULT, held=True)
        await table.phase("betting")
        assert {(wager.seat, wager.stake) for wager in table.state.wagers} == {("2", 2000), ("3", 1000)}
        answer = await table.terminal.bet("3", {"base.banker": 0})
        assert answer.code == "ok"
        await table.ok("no_more_bets")
        await table.draw(4)
        table.shoe.press(Button.RESULT)
        settled = await table.told(RoundSettled)
        assert [(wager.seat, wager.stake) for wager in settled.settlement.wagers] == [("2", 2000)]


async def test_what_came_after_the_first_card_is_returned_and_no_more(tmp_path: Path) -> None:
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet", {"seat": "1"})
        # The line is silent as the first card leaves the shoe: the table does not know of it yet, and takes a wager.
        table.shoe.inject(msgspec.structs.replace(planned("silence"), seconds=2.0))
        table.shoe.draw()
        # It has lain there for longer than frames and requests wait on any busy machine.
        await asyncio.sleep(0.5)
        late = await table.terminal.bet("1", {"base.player": 3000, "base.tie": 500})
        assert late.code == "ok"
        await table.display.until(lambda: table.state.alerts, what="the late wager")
        (alert,) = table.state.alerts
        assert alert.kind == "late_wager"
        await table.supervisor("clear_alert", alert=alert.number)
        corrected = await table.told(WagersCorrected)
        assert (corrected.cause, corrected.difference) == ("late", {"1": 2500})
        assert [(wager.wager, wager.stake) for wager in table.state.wagers] == [("base.player", 1000)]
        await table.draw(3)
        table.shoe.press(Button.RESULT)
        settled = await table.told(RoundSettled)
        assert [(wager.wager, wager.stake) for wager in settled.settlement.wagers] == [("base.player", 1000)]


def bead_plate(table: AtTheTable) -> list[str]:
    roads = table.display.roads
    return [] if roads is None else [cell.winner.value for cell in roads.roads.bead_plate.cells]


async def test_a_round_of_this_shoe_and_of_an_earlier_one_is_amended(tmp_path: Path) -> None:
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        for number in (1, 2):
            await table.draw_a_round()
            table.shoe.press(Button.RESULT)
            await table.told(RoundResult, number)
        await refused(table, "round_not_found", "amend_round", shoe=1, round=3, cards=[{"number": 1, "card": "4H"}])
        await refused(table, "no_whole_round", "amend_round", shoe=1, round=1, cards=[{"number": 1, "card": "2H"}])
        # Player's 9 was a 6 in truth, and Banker's 5 an 8: Banker wins.
        cards = [{"number": 1, "card": "6H"}, {"number": 4, "card": "8C"}]
        await by_two(table, "amend_round", shoe=1, round=1, cards=cards)
        first = await table.told(RoundAmended)
        assert (first.of_round, first.difference, first.outcome.winner.value) == (1, {"1": -2000}, "banker")
        await table.display.until(lambda: bead_plate(table) == ["B", "P"], what="the roads to follow")

        await table.supervisor("end_shoe")
        await table.told(ShoeEnded)
        table.shoe.press(Button.NEW_SHOE)
        await table.phase("first_card")
        links = len(table.display.facts_of(ShoeLinkChanged))
        assert await table.chain.stop_daemon() == 0
        await table.chain.start_daemon()
        await table.told(ShoeLinkChanged, links + 2)
        await table.display.until(lambda: table.display.status is not None and table.display.status.online, what="it")
        wagers = [{"seat": "1", "wager": "base.player", "stake": 500}]
        await by_two(table, "amend_round", shoe=1, round=1, wagers=wagers)
        second = await table.told(RoundAmended, 2)
        assert (second.replaces, second.replaces_settlement) == (first.seq, first.seq)
        assert second.difference == {"1": 500}
