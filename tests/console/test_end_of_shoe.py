"""A shoe announced too early, its remainder and its exchange in real Chromium, with the whole chain."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.cards import Card
from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    AlertRaised,
    CardCounted,
    RemainderCounted,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
)
from tests.console.browser import Desk, desk_at
from tests.console.console_chain import console_at
from tests.console.test_disputes import SIZES, told

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def supervise(desk: Desk, act: str, *steps: str) -> None:
    await desk.tap("tab-supervisor", f"act-{act}", *steps, "reason-0")
    await desk.identify("rana")
    await expect(desk.page.locator("dialog")).to_be_hidden()


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
async def test_what_is_left_is_counted_and_then_the_next_shoe_is_opened(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    async with (
        console_at(tmp_path, remainder="counted", gate_locks="when_stopped") as at,
        desk_at(browser, at.address, SIZES[0]) as desk,
    ):
        await desk.come_in()
        await at.draw(2)
        await at.phase("betting")
        await expect(desk.at("do-open_shoe")).to_have_count(0)
        await desk.supervisor_mode()
        await desk.tap(f"language-{language}")
        await supervise(desk, "end_shoe")
        await told(at, ShoeEnded)
        await desk.tap("tab-supervisor")
        await expect(desk.at("act-open_shoe")).to_be_disabled()
        await desk.tap("act-count_remainder")
        await desk.at("cards-left").fill("413")
        await desk.fits(f"count-{language}", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        assert not (await told(at, RemainderCounted)).fits
        assert (await told(at, AlertRaised)).alert.kind == "remainder_differs"
        await supervise(desk, "begin_run_out")
        await at.shoe.until(lambda: at.shoe.emulation.shoe.why_no_card is None)
        at.shoe.draw()
        await told(at, CardCounted)
        await supervise(desk, "end_run_out")
        counted = await told(at, RemainderCounted, 2)
        assert counted.found == 1
        await desk.tap("tab-rounds", "round-1.0")
        record = desk.page.locator(".record")
        await expect(record).to_contain_text(f"{counted.expected}")
        assert counted.faces is not None
        await expect(record).to_contain_text(f"AS {counted.faces.missing[Card.parse('AS')]}")
        await desk.fits(f"remainder-{language}", *SIZES)
        await supervise(desk, "open_shoe")
        assert (await told(at, ShoeOpened, 2)).shoe == 2


async def test_a_shoe_announced_too_early_and_another_one_in_its_place(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address, SIZES[0]) as desk:
        await desk.come_in()
        await at.draw(2)
        await at.phase("betting")
        await desk.supervisor_mode()
        links = len(at.display.facts_of(ShoeLinkChanged))
        await supervise(desk, "exchange_shoe")
        await told(at, ShoeExchanged)
        await told(at, ShoeLinkChanged, links + 2)
        at.shoe.press(Button.NEW_SHOE)
        assert (await told(at, AlertRaised)).alert.kind == "shoe_change_unconfirmed"
        assert at.display.facts_of(ShoeEnded) == []
        await supervise(desk, "open_shoe")
        assert (await told(at, ShoeOpened, 2)).shoe == 2
