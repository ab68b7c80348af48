"""What people are told of money after amendments, undos and voids, in real Chromium before a real table."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.console.process import STATIC
from shoe_controller.messages.acts import CollectCommission, Confirm, CorrectCard, SetWager, UndoLastResult, VoidRound
from tests.console.browser import desk_at
from tests.console.served import serving
from tests.mqtt.counter import DEALERS, PINS
from tests.table.sitting import Sitting
from tests.table.test_amendments import BANKER_WINS, MARKED, amend, approved, card, play

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES = ((1280, 800), (1024, 600))
LANGUAGES = ("en", "zh-Hans", "zh-Hant")


def words_of(language: str) -> dict[str, Any]:
    words: dict[str, Any] = msgspec.json.decode((STATIC / f"words.{language}.json").read_bytes())
    return words


def undo(table: Sitting) -> None:
    assert table.act(UndoLastResult()).refusal is None
    assert approved(table) is None


async def test_what_is_confirmed_after_an_undo_counts_and_not_the_amendment_before(
    browser: Browser, tmp_path: Path
) -> None:
    async with serving(tmp_path) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        table = served.table
        play(table, BANKER_WINS, ("1", "base.player", 50))
        assert amend(table, card(2, "4D"), wagers=(PlacedWager("1", "base.player", 70),)) is None
        undo(table)
        table.act(CorrectCard(number=2, card=Card.parse("6D")))
        table.act(SetWager(seat="1", wager="base.player", stake=50))
        assert approved(table) is None
        assert table.act(Confirm()).refusal is None
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        await desk.tap("tab-rounds", "round-1.1")
        for language in LANGUAGES:
            words = words_of(language)
            await desk.tap(f"language-{language}")
            await desk.says("[data-round='1.1'] .round-head", f"{words['banker']} 7 : 8")
            taken_back = f"{words['amended']} 1 · 1 {words['player']} 7 : 6 ({words['undone']})"
            await desk.says("[data-round='1.1'] .details", taken_back)
            await desk.fits(f"taken-back-{language}", *SIZES)
        await desk.tap("language-en", "mode")
        await desk.identify("ann", PINS["ann"])
        await desk.tap("tab-supervisor", "act-amend_round")
        await desk.says("[data-key='round-1-1']", "Banker 7 : 8")
        await desk.tap("round-1-1")
        await expect(desk.at("card-2").locator(".card")).to_have_attribute("data-card", "6D")
        await expect(desk.at("wager-1 base.player")).to_contain_text("50")


async def test_the_record_of_a_void_round_that_was_settled_says_the_difference(
    browser: Browser, tmp_path: Path
) -> None:
    async with serving(tmp_path) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        play(served.table, BANKER_WINS, ("1", "base.player", 50), ("2", "base.banker", 100))
        undo(served.table)
        assert served.table.act(VoidRound()).refusal is None
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        await desk.tap("tab-rounds", "round-1.1")
        for language in LANGUAGES:
            words = words_of(language)
            await desk.tap(f"language-{language}")
            await desk.says("[data-round='1.1'] .round-head", words["void"])
            seat = words["seat"]
            owed = f"{seat} 1: {words['pay']} 0.50{words['comma']}{seat} 2: {words['collect']} 1"
            await desk.says("[data-round='1.1'] .details", f"{words['difference']} · {owed}")
            await desk.fits(f"void-{language}", *SIZES)


async def test_nothing_of_a_void_round_is_worked_off(browser: Browser, tmp_path: Path) -> None:
    async with serving(tmp_path) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        table = served.table
        play(table, BANKER_WINS, ("1", "base.player", 50), ("2", "base.banker", 100))
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        await expect(desk.page.locator(".step")).to_have_count(2)
        assert amend(table, card(2, "4D")) is None
        undo(table)
        assert table.act(VoidRound()).refusal is None
        served.follow()
        await desk.tap("tab-payments")
        await expect(desk.page.locator(".step")).to_have_count(0)
        for language in LANGUAGES:
            await desk.tap(f"language-{language}")
            await desk.says("#panel", words_of(language)["nothing_to_pay"])
            await desk.fits(f"void-payments-{language}", *SIZES)


async def test_payments_shows_every_difference_that_is_open(browser: Browser, tmp_path: Path) -> None:
    async with serving(tmp_path) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        table = served.table
        for seat in ("1", "2"):
            play(table, BANKER_WINS, (seat, "base.player", 50))
        for number in (1, 2):
            assert amend(table, card(2, "4D"), round=number) is None
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        shown = desk.page.locator(".difference")
        for language in LANGUAGES:
            words = words_of(language)
            await desk.tap(f"language-{language}")
            await expect(shown).to_have_count(2)
            for number in (1, 2):
                panel = shown.nth(number - 1)
                await expect(panel).to_contain_text(f"{words['shoe']} 1 · {words['round']} {number}")
                await expect(panel.locator(".pay")).to_have_text(f"{words['pay']}{words['seat']} {number}1")
            await desk.fits(f"two-differences-{language}", *SIZES)
        # The next one joins them; closing wagers ends them all.
        undo(table)
        assert table.act(VoidRound()).refusal is None
        served.follow()
        await expect(shown).to_have_count(3)
        await expect(shown.nth(2).locator(".take")).to_contain_text("0.50")
        table.card("9H")
        served.follow()
        await expect(shown).to_have_count(0)


async def test_payments_shows_which_commission_to_pay_back_and_which_is_owed_more(
    browser: Browser, tmp_path: Path
) -> None:
    async with serving(tmp_path, house=MARKED) as served, desk_at(browser, served.address, SIZES[0]) as desk:
        table = served.table
        for shoe in (1, 2):
            if shoe > 1:
                table.open_shoe()
            play(table, BANKER_WINS, ("1", "base.player", 100), ("1", "base.banker", 100))
            assert table.dealer(CollectCommission(seat="1")).refusal is None
        play(table, BANKER_WINS, ("2", "base.banker", 200), ("3", "base.player", 50))
        served.follow()
        await desk.sign_in("dan", DEALERS["dan"])
        await expect(desk.page.locator(".step")).to_have_count(2)
        shown = desk.page.locator(".difference")
        for shoe in (1, 2):
            assert amend(table, card(2, "4D"), shoe=shoe) is None
            served.follow()
            await expect(shown).to_have_count(shoe)
        for language in LANGUAGES:
            words = words_of(language)
            seat = f"{words['seat']} 1"
            await desk.tap(f"language-{language}")
            for number, back in enumerate(("pay_back_if_collected", "pay_back")):
                rows = shown.nth(number).locator("tr")
                await expect(rows).to_have_text(
                    [f"{words[back]}{seat}0.05", f"{words['commission']}{seat}\N{MINUS SIGN}0.05"]
                )
                await expect(shown.nth(number)).to_be_in_viewport(ratio=1)
            await desk.fits(f"commission-back-{language}", *SIZES)
        higher = (PlacedWager("2", "base.banker", 300), PlacedWager("3", "base.player", 80))
        assert amend(table, wagers=higher, shoe=2, round=2) is None
        served.follow()
        for language in LANGUAGES:
            words = words_of(language)
            await desk.tap(f"language-{language}")
            await expect(shown.nth(2).locator("tr")).to_have_text(
                [
                    f"{words['pay']}{words['seat']} 21",
                    f"{words['collect']}{words['seat']} 30.30",
                    f"{words['commission']}{words['seat']} 2+0.05",
                ]
            )
            for width, height in SIZES:
                await desk.page.set_viewport_size({"width": width, "height": height})
                await expect(shown.nth(2)).to_be_in_viewport(ratio=1)
            await desk.fits(f"three-differences-{language}", *SIZES)
        # Who works the steps off sees the next one.
        await desk.tap("step-0")
        await expect(desk.at("step-1")).to_be_in_viewport(ratio=1)
        await desk.tap("tab-rounds", "round-2.2")
        words = words_of(LANGUAGES[-1])
        await desk.says("[data-round='2.2'] .details", f"{words['commission']} {words['seat']} 2 +0.05")
