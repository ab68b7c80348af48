"""The pages as they are painted, measured in Chromium: the main states here, all of them by `make test-pages`."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page

from shoe_controller.web.static_files import LANGUAGES
from tests.pages.gallery import SIZES, gallery
from tests.pages.looking import misfits, resize, violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAIN = ("board-nepal", "pit-alerts", "pit_edges-tables", "console-door", "console-payments")

TWO_SIZES = ((1920, 1080), (390, 844))

PHONE, SMALL, WIDE, LARGEST = (390, 844), (800, 480), (1920, 1080), (3840, 2160)


@asynccontextmanager
async def shown(browser: Browser, name: str, tag: str = "en") -> AsyncIterator[Page]:
    async with gallery(name.__eq__) as (scene,):
        context = await browser.new_context()
        try:
            yield await scene.open(context, tag)
        finally:
            await context.close()


@pytest.mark.parametrize("tag", LANGUAGES.values())
@pytest.mark.parametrize("name", MAIN)
async def test_a_page_can_be_read_by_everybody(browser: Browser, name: str, tag: str) -> None:
    """Nothing is too small, cut or covered, and axe-core objects to nothing."""
    async with shown(browser, name, tag) as page:
        for size in SIZES if tag == "en" else TWO_SIZES:
            await resize(page, size)
            assert await misfits(page, name) == [], size
            if size in TWO_SIZES:
                assert await violations(page) == [], size


FILLED = """() => {
  const boxes = [...document.querySelectorAll(".table")].map((tile) => tile.getBoundingClientRect());
  const area = boxes.reduce((sum, box) => sum + box.width * box.height, 0);
  return {
    share: area / (innerWidth * innerHeight),
    bottom: Math.max(...boxes.map((box) => box.bottom)) / innerHeight,
    letters: parseFloat(getComputedStyle(document.querySelector(".table")).fontSize),
    heights: boxes.map((box) => Math.round(box.height)),
    widths: boxes.map((box) => Math.round(box.width)),
    texts: [...document.querySelectorAll(".top, .pace")].map((text) => text.textContent),
  };
}"""


async def test_six_tables_fill_the_pits_screen_and_an_alert_stretches_no_other(browser: Browser) -> None:
    async with shown(browser, "pit-six") as page:
        letters = []
        for size in ((1280, 800), WIDE, LARGEST):
            await resize(page, size)
            seen = await page.evaluate(FILLED)
            assert 0.45 < seen["share"] < 1, size
            assert 0.6 < seen["bottom"] < 1, size
            letters.append(seen["letters"])
            others = seen["heights"][1:]
            assert max(others) - min(others) <= 2, "each is as tall as it would be without the alert"
            assert seen["widths"][0] > 1.8 * seen["widths"][1], "its words stand beside its road"
        more = "alerts => { for (let n = 0; n < 4; n += 1) alerts.append(alerts.firstChild.cloneNode(true)); }"
        await page.locator(".wordy .alerts").evaluate(more)
        after = await page.evaluate(FILLED)
        assert after["heights"][0] > 1.5 * seen["heights"][0]
        assert after["heights"][1:] == seen["heights"][1:], "however much there is to say of one table"
        assert letters == sorted(letters)
        assert letters[-1] > 1.8 * letters[-2] > 15
        assert any("Shoe 1 · Round 18" in text for text in seen["texts"])
        assert "48 rounds an hour" in seen["texts"]


async def test_a_phone_shows_a_board_without_empty_room(browser: Browser) -> None:
    async with shown(browser, "board-nepal") as page:
        await resize(page, PHONE)
        wagers = page.locator("#side .wager")
        assert await page.locator("#price-page").inner_text() == "", "all side wagers stand there, to be scrolled"
        last = await wagers.last.bounding_box()
        notes = await page.locator("#notes").bounding_box()
        assert last is not None
        assert notes is not None
        assert last["y"] > PHONE[1], "the board goes on below the screen"
        assert notes["y"] - last["y"] - last["height"] < 40, "nothing is empty above the note"


async def test_a_wall_says_which_page_of_side_wagers_it_shows(browser: Browser) -> None:
    async with shown(browser, "board-nepal") as page:
        await resize(page, SMALL)
        text = await page.locator("#price-page").inner_text()
        assert re.fullmatch(r"Page \d+ of \d+", text), text


CUT_NAMES = """() => [...document.querySelectorAll("#side .name")].filter((name) => name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent)"""


async def test_a_side_wager_with_a_long_name_has_the_whole_line(browser: Browser) -> None:
    """Its price would lie over the wager beside it otherwise."""
    async with shown(browser, "board-no_commission") as page:
        for size in (WIDE, SMALL, PHONE):
            await resize(page, size)
            assert await misfits(page, "board-no_commission") == [], size
            assert await page.evaluate(CUT_NAMES) == [], size


async def test_a_third_card_fits_into_its_hand_and_marks_into_the_head(browser: Browser) -> None:
    async with shown(browser, "board-marked") as page:
        assert await page.locator("#player .card").count() == 3
        for size in ((1280, 800), (1024, 600), SMALL, PHONE):
            await resize(page, size)
            assert await misfits(page, "board-marked") == [], size


async def test_five_payments_are_seen_on_a_small_screen_and_a_sixth_is_announced(browser: Browser) -> None:
    async with shown(browser, "console-payments") as page:
        await resize(page, SMALL)
        panel = await page.locator("#panel").bounding_box()
        assert panel is not None
        steps = await page.locator(".step").evaluate_all("all => all.map((one) => one.getBoundingClientRect().bottom)")
        assert len(steps) == 6
        assert steps[4] <= panel["y"] + panel["height"] + 1 < steps[5]
        assert await page.locator("#panel").get_attribute("data-goes-on") == ""
        await page.locator("#panel").evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
        await page.locator("#panel:not([data-goes-on])").wait_for()


async def test_a_board_that_waits_for_its_table_says_for_which(browser: Browser) -> None:
    async with shown(browser, "board-unknown") as page:
        assert await page.locator("h1").inner_text() == "nobody-knows-it"
        assert await violations(page) == []


async def test_three_cards_and_whatever_is_said_of_the_table_fit_on_the_console(browser: Browser) -> None:
    async with shown(browser, "console-payments") as page:
        await page.locator(".hand.player .card").first.evaluate("card => card.after(card.cloneNode(true))")
        for size in ((1080, 1920), SMALL, PHONE):
            await resize(page, size)
            said = "Shoe 1 · Round 82 · Free hand · last round · Extra card begins the round 10H · Dealt by hand"
            await page.locator("#where").evaluate("(where, said) => { where.textContent = said; }", said)
            assert await misfits(page, "console-payments") == [], size


async def test_what_measures_a_page_sees_what_is_wrong_with_it(browser: Browser) -> None:
    async with shown(browser, "console-payments") as page:
        await resize(page, PHONE)
        assert await misfits(page, "console-payments") == []
        wrong = {
            ".step .amount": ("fontSize", "9px", "is 9 px tall"),
            "#where": ("position", "fixed", "are over one another"),
            ".hand .card": ("height", "200px", "sticks out of its hand"),
            "#sentence": ("whiteSpace", "nowrap", "is outside the screen"),
        }
        for selector, (style, value, said) in wrong.items():
            change = "(one, [style, value]) => { one.style[style] = value; }"
            await page.locator(selector).first.evaluate(change, [style, value])
            assert any(said in each for each in await misfits(page, "console-payments")), selector
            await page.locator(selector).first.evaluate(change, [style, ""])
        await page.locator("#where").evaluate("one => { one.style.color = '#39424b'; }")
        assert any("color-contrast" in each for each in await violations(page))
