"""Wagers put right and rounds amended on the console in real Chromium, with the real daemon, Mosquitto and a shoe."""

from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.events import Button, IndicatedWinner
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.console.process import STATIC
from shoe_controller.messages.acts import AmendRound, Approve, CollectCommission
from shoe_controller.messages.facts import CardCorrected, RoundAmended, RoundResult, RoundVoided, WagersCorrected
from tests.console.browser import Desk, desk_at
from tests.console.console_chain import console_at
from tests.console.served import serving
from tests.console.test_browser import told
from tests.mqtt.counter import DEALERS
from tests.table.sitting import Sitting

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES = ((1280, 800), (1024, 600))


async def approve(desk: Desk, proposes: str) -> None:
    await desk.says(".proposal .about", proposes)
    await desk.tap("approve")
    await desk.says("dialog .what", proposes)
    await desk.identify("shah")
    await expect(desk.page.locator("dialog")).to_be_hidden()


async def test_a_wager_is_set_and_moved(browser: Browser, tmp_path: Path) -> None:
    async with (
        console_at(tmp_path, bets_close="dealer", finished_round="two_supervisors") as at,
        desk_at(browser, at.address, SIZES[0]) as desk,
    ):
        await desk.come_in()
        await at.draw(2)
        await desk.bet("1", base_player="50")
        await desk.says("[data-seat='1'] .sum", "50")
        await desk.tap("do-no_more_bets")
        await at.phase("closed")
        await desk.supervisor_mode()
        await desk.tap("tab-supervisor", "act-set_wager", "seat-1", "wager-base.player")
        await desk.at("stake").fill("80")
        await desk.fits("set-wager", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        assert (await told(at, WagersCorrected)).difference == {"1": -3000}
        await desk.tap("tab-supervisor", "act-move_wager", "from-0", "to_seat-3")
        await desk.fits("move-wager", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        assert (await told(at, WagersCorrected, 2)).difference == {"1": 8000, "3": -8000}
        await desk.tap("tab-wagers")
        await desk.says("[data-seat='3'] .sum", "80")
        # Once a card is out, another supervisor approves it, and sees what it is, in the language of the page.
        await at.draw(1)
        await desk.tap("language-zh-Hans")
        await desk.tap("tab-supervisor", "act-set_wager", "seat-3", "wager-base.player")
        await desk.at("stake").fill("0")
        await desk.fits("take-back", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        await approve(desk, "座位 3 · 闲 · 0")
        assert (await told(at, WagersCorrected, 3)).difference == {"3": 8000}
        # A finished round takes two as well.
        await at.draw(3)
        await at.phase("complete")
        await desk.tap("tab-supervisor", "act-correct_card", "number-1", "rank-9", "suit-D", "next", "reason-0")
        await desk.identify("rana")
        await approve(desk, "第 1 张: 9D")
        await told(at, CardCorrected)
        await desk.tap("tab-supervisor", "act-void_round", "reason-0")
        await desk.identify("rana")
        await desk.tap("approve")
        await desk.identify("shah")
        await told(at, RoundVoided)
        await desk.tap("tab-rounds", "round-1.1")
        await desk.says("[data-round='1.1'] .details", "80")


async def test_a_round_further_back_is_amended(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address, SIZES[0]) as desk:
        await desk.come_in()
        await at.draw(2)
        for number in (1, 2):
            await desk.bet("1", base_player="50")
            await desk.says("[data-seat='1'] .sum", "50")
            await at.draw(4)
            at.shoe.press(Button.RESULT)
            await told(at, RoundResult, number)
            await desk.tap("tab-wagers")
        await desk.supervisor_mode()
        await desk.tap("tab-supervisor", "act-amend_round")
        await expect(desk.at("round-1-2")).to_be_visible()
        await desk.fits("rounds", *SIZES)
        await desk.tap("round-1-1", "card-1", "rank-6", "suit-H", "next", "card-4", "rank-8", "suit-C", "next")
        await desk.tap("wager-1 base.player")
        await desk.at("stake").fill("40")
        await desk.tap("next", "add-wager", "seat-5", "wager-base.banker")
        await desk.at("stake").fill("10")
        await desk.tap("next")
        await desk.fits("changes", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        await approve(desk, "Shoe 1 · Round 1: Card 1: 6H, Card 4: 8C, Seat 1 · Player · 40, Seat 5 · Banker · 10")
        amended = await told(at, RoundAmended)
        # Seat 1 had won 50 and has lost 40; seat 5 has won on Banker, who has 8.
        assert amended.difference["1"] == -9000
        assert amended.difference["5"] > 0
        await desk.says(".difference", "Difference · Shoe 1 · Round 1")
        await desk.says(".difference", "Seat 1")
        await desk.tap("tab-rounds", "round-1.1")
        await desk.says("[data-round='1.1'] .round-head", "Banker 6 : 8")
        await desk.says("[data-round='1.1'] .details", "rana + shah")
        # A round that is not in the list has a number; what the table refuses is shown beside it.
        await desk.tap("tab-supervisor", "act-amend_round")
        await desk.at("shoe").fill("1")
        await desk.at("round").fill("9")
        await desk.tap("other-round", "card-1", "rank-6", "suit-H", "next", "next", "reason-0")
        await desk.identify("rana")
        await desk.says("dialog .message", "There is no result of shoe 1, round 9")


def collected_and_amended(table: Sitting, shoe: int) -> None:
    """Round 1 of this shoe is settled again with half the stake of seat 1, who has paid its commission."""
    halved = AmendRound(shoe=shoe, round=1, wagers=(PlacedWager("1", "base.banker", 100),))
    assert table.act(halved, person="ann").refusal is None
    assert table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben").refusal is None
    assert table.last(RoundAmended).commission_back == {"1": 5}


async def test_the_record_says_whether_commission_to_pay_back_was_collected(browser: Browser, tmp_path: Path) -> None:
    marked = {"base_game": "commission", "commission": {"taken": "marked"}}
    async with serving(tmp_path, house=marked) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        table = served.table
        for shoe in (1, 2):
            if shoe > 1:
                table.open_shoe()
            table.bet("1", "base.banker", 200)
            table.deal("2H 9D 3S KC")
            table.result(IndicatedWinner.BANKER)
            table.dealer(CollectCommission(seat="1"))
        for shoe in (1, 2):
            collected_and_amended(table, shoe)
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        await desk.tap("tab-rounds")
        for number, says in (("1.1", "commission_back_if_collected"), ("2.1", "commission_back")):
            await desk.tap(f"round-{number}")
            for language in ("en", "zh-Hans", "zh-Hant"):
                words = msgspec.json.decode((STATIC / f"words.{language}.json").read_bytes())
                await desk.tap(f"language-{language}")
                await desk.says(f"[data-round='{number}'] .details", f"{words[says]} {words['seat']} 1")
