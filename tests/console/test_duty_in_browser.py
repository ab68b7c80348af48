"""The dealer's duty at the console, in real Chromium with the real daemon, Mosquitto and an emulated shoe."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.events import Button
from shoe_controller.messages.facts import BettingClosed, DealerChanged, PersonActed, RoundResult
from tests.console.browser import desk_at
from tests.console.console_chain import console_at
from tests.daemon.house_file import DEALER, PINS

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_one_dealer_relieves_another(browser: Browser, tmp_path: Path) -> None:
    async with (
        console_at(tmp_path, dealer_signs_in=True, new_dealer_burns=True) as at,
        desk_at(browser, at.address, (1280, 800)) as first,
        desk_at(browser, at.address, (1024, 600)) as second,
    ):
        display = at.display
        await first.come_in()
        await first.says("#person", DEALER)
        await first.says("#sentence", "Draw the first card")
        await at.draw(6)
        await first.tap("do-confirm")
        await display.until(lambda: display.facts_of(RoundResult), what="the result")
        assert display.facts_of(RoundResult)[-1].dealer == DEALER
        at.shoe.press(Button.RESULT)

        # Another signs in at another page: the first one's is at the door, and says why.
        await second.sign_in("shah", PINS["shah"])
        await second.says("#sentence", "New dealer: burn a card.")
        await first.says("#door", "Your sign-in is over")
        at.shoe.press(Button.BURN)
        await at.draw(1)
        await second.says("#sentence", "Take the wagers")
        await at.draw(4)
        await second.tap("do-confirm")
        await display.until(lambda: len(display.facts_of(BettingClosed)) == 2, what="the second round")
        assert display.facts_of(BettingClosed)[-1].dealer == "shah"
        await second.tap("language-zh-Hans")
        await second.fits("duty")
        await second.tap("language-en")

        # A supervisor sends the dealer off duty, and the table waits for the next.
        await second.supervisor_mode("rana")
        await second.tap("act-sign_out")
        await second.identify("rana")
        await second.says("#door", "Your sign-in is over")
        await display.until(lambda: display.facts_of(DealerChanged)[-1].dealer is None, what="nobody on duty")
        await first.come_in()
        await first.says("#person", DEALER)
        await first.page.locator("#sign-out").click()
        await first.says("#door", "Signed out.")
        await display.until(lambda: len(display.facts_of(DealerChanged)) == 5, what="the dealer to be off duty")
        assert display.facts_of(PersonActed)[-1].person == DEALER
        log = at.console.output + at.chain.daemon.output
        assert "token" not in log
        await expect(first.page.locator("#console")).to_be_hidden()
