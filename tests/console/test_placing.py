"""Cards assigned and discarded in real Chromium, as `docs/operator.md` says it, with the whole chain."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.events import Button
from shoe_controller.messages.facts import CardBurned, CardDiscarded, CardsAssigned, ExtraCardDecided, RoundResult
from tests.console.browser import desk_at
from tests.console.console_chain import console_at
from tests.console.test_disputes import SIZES, told

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_card_in_the_wrong_hand_and_a_damaged_one(browser: Browser, tmp_path: Path) -> None:
    async with (
        console_at(tmp_path, discarded_card="next_card") as at,
        desk_at(browser, at.address, SIZES[0]) as desk,
    ):
        await desk.come_in()
        await at.draw(2)
        await at.phase("betting")
        await at.draw(3)
        at.shoe.inject("out_of_turn")
        await at.draw(1)
        await desk.supervisor_mode()
        await desk.tap("tab-alerts")
        for language, text in (("zh-Hans", "归位"), ("zh-Hant", "歸位"), ("en", "A supervisor can assign the cards")):
            await desk.tap(f"language-{language}")
            await desk.says(".alert[data-kind='out_of_turn']", text)
        # Every card in the order of the draw; the last one went to Player, and is Banker's.
        await desk.tap("tab-supervisor", "act-assign_cards", "hand-4-banker")
        await desk.fits("assign", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        lie = await told(at, CardsAssigned)
        assert [place.hand.value for place in lie.places] == ["player", "banker", "player", "banker"]
        await expect(desk.page.locator("dialog")).to_be_hidden()
        # Then it turns out to be damaged.
        await desk.tap("tab-supervisor", "act-discard_card", "number-4", "cause-damaged")
        await desk.fits("discard", *SIZES)
        await desk.tap("next", "reason-1")
        await desk.identify("rana")
        assert str((await told(at, CardDiscarded)).place.card) == "5C"
        at.shoe.press(Button.RESULT, held=True)  # the shoe cannot account for its round
        await desk.tap("tab-rounds", "round-1.1")
        await desk.says(".record", "Cards assigned")
        await desk.says(".record", "Discarded Card 4 5C it is damaged")
        await desk.fits("placed-record", *SIZES)
        assert desk.complaints == []


async def test_the_first_card_and_a_card_that_lay_face_up(browser: Browser, tmp_path: Path) -> None:
    async with (
        console_at(tmp_path, "3S 2C 2C " + "9H KD KS 5C " * 10, reveal="by_dealer", gate_locks="when_stopped") as at,
        desk_at(browser, at.address, SIZES[0]) as desk,
    ):
        await desk.come_in()
        await at.draw(2)
        await at.phase("burning")
        await desk.supervisor_mode()
        await desk.tap("tab-supervisor", "act-correct_card", "rank-2", "suit-S")
        await desk.fits("first-card", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        assert (await told(at, CardBurned, 3)).to_burn == 2
        await at.draw(1)
        await at.phase("betting")
        await at.draw(4)
        await at.phase("dealing")
        await at.draw(1)
        await desk.tap("tab-supervisor", "act-use_extra_card", "face-up", "reason-0")
        await desk.identify("rana")
        await desk.says("dialog .message", "Everyone has seen this card")
        await desk.tap("close", "act-burn_extra_card", "reason-0")
        await desk.identify("rana")
        assert not (await told(at, ExtraCardDecided)).used
        assert at.display.facts_of(RoundResult) == []
        assert desk.complaints == []
