"""Chromium at the console, as people use it: what is touched, what is typed, and what the page says."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect
from playwright.async_api import TimeoutError as PlaywrightTimeout

from tests.daemon.house_file import DEALER, DEALER_PIN, PINS

SMALL = (800, 480)

PATIENCE = 60_000
"""Milliseconds after which a test gives up waiting for something that should take far less."""

GLANCE = 2_000
"""Milliseconds after which somebody looks whether another tab has come to the front."""

expect.set_options(timeout=PATIENCE)


class Desk:
    """One page of Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        # A refused sign-in is an ordinary answer; anything the browser itself complains of is not.
        if message.type == "error":
            self.complaints.append(message.text)

    def at(self, key: str) -> Any:  # noqa: ANN401 - a locator
        """What is touched has a key of its own; a dialog is in front of everything else."""
        return self.page.locator(f'dialog[open] [data-key="{key}"], body:not(:has(dialog[open])) [data-key="{key}"]')

    async def tap(self, *keys: str) -> None:
        for before, key in pairwise(("", *keys)):
            if before.startswith("tab-"):
                await self.stays_open(before, key)
            await self.at(key).click()

    async def stays_open(self, tab: str, key: str) -> None:
        """The page turns to what has just come up, also when a tab was just opened: a person opens it once more."""
        for _ in range(PATIENCE // GLANCE):
            try:
                await self.at(key).wait_for(timeout=GLANCE)
            except PlaywrightTimeout:
                if await self.at(tab).get_attribute("aria-selected") != "true":
                    await self.at(tab).click()
            else:
                return

    async def hold(self, key: str, seconds: float = 2.3) -> None:
        await self.at(key).hover()
        await self.page.mouse.down()
        await self.page.wait_for_timeout(seconds * 1000)
        await self.page.mouse.up()

    async def says(self, place: str, text: str) -> None:
        await expect(self.page.locator(place)).to_contain_text(text)

    async def sign_in(self, person: str = DEALER, pin: str = DEALER_PIN) -> None:
        await self.at("person").fill(person)
        await self.at("pin").fill(pin)
        await self.tap("go")

    async def come_in(self) -> None:
        await self.sign_in()
        await expect(self.page.locator("#console")).to_be_visible()
        await expect(self.page.locator("#sentence")).not_to_be_empty()

    async def supervisor_mode(self, person: str = "rana") -> None:
        await self.tap("mode")
        await self.identify(person)
        await expect(self.at("tab-supervisor")).to_be_visible()

    async def identify(self, person: str, pin: str | None = None) -> None:
        """Fill in who it is, and do it."""
        await self.at("person").fill(person)
        await self.at("pin").fill(PINS[person] if pin is None else pin)
        if "hold" in (await self.at("go").get_attribute("class") or ""):
            await self.hold("go")
        else:
            await self.tap("go")

    async def bet(self, seat: str, **stakes: str) -> None:
        await self.tap(f"seat-{seat}")
        for wager, stake in stakes.items():
            await self.at(wager.replace("_", ".", 1)).fill(stake)
        await self.tap("place")

    async def cards(self, side: str) -> list[str]:
        found = self.page.locator(f".hand.{side} .card:not(.due)")
        return [await found.nth(n).get_attribute("data-card") or "?" for n in range(await found.count())]

    async def fits(self, name: str, *sizes: tuple[int, int]) -> None:
        """Nothing sticks out or is cut at these sizes, or at the page's own, and every button can be touched.

        With a folder in the environment as CONSOLE_PICTURES, a picture of each is kept in it.
        """
        own = self.page.viewport_size
        assert own is not None
        for width, height in sizes or ((own["width"], own["height"]),):
            if sizes:
                await self.page.set_viewport_size({"width": width, "height": height})
            if folder := os.environ.get("CONSOLE_PICTURES"):
                await self.page.screenshot(path=f"{folder}/{name}-{width}.png")
            found = await self.page.evaluate(MISFITS)
            assert found == [], (name, width, height, found)
        if sizes:
            await self.page.set_viewport_size(own)


MISFITS = """() => [...document.querySelectorAll("button, input, small, h1, h2, dialog, .card, #sentence, #where")]
.flatMap((one) => {
  const box = one.getBoundingClientRect();
  if (!box.width || one.closest("[hidden]")) return [];
  const is = (name) => one.tagName === name;
  const wrong = Object.entries({
    beside: box.left < -1 || box.right > innerWidth + 1,
    below: !one.closest(".list, .wager-rows, .place-rows, #panel") && (box.top < -1 || box.bottom > innerHeight + 1),
    small: is("BUTTON") && (box.height < 36 || box.width < (one.closest(".letters") ? 28 : 36)),
    illegible: one.matches(".card") && box.height < 36,
    cut: (is("BUTTON") || is("DIALOG")) && one.scrollWidth > one.clientWidth + 1,
    squeezed: is("SMALL") && box.height > 1.5 * box.width && one.textContent.length > 8,
  }).filter(([, yes]) => yes).map(([name]) => name);
  return wrong.length ? [`${wrong}: ${one.dataset.key ?? one.textContent.slice(0, 40)}, ${JSON.stringify(box)}`] : [];
})"""
"""What sticks out of the screen, is cut, squeezed, or too small to touch or read; a list may go on below its edge. Ten
letters stand beside one another also on a phone, as on its own keys."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path="/usr/bin/chromium")
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def desk_at(browser: Browser, address: str, size: tuple[int, int] = SMALL, **options: Any) -> AsyncIterator[Desk]:  # noqa: ANN401 - of Playwright
    """A page at the console's door; at the end nothing may have gone wrong in it."""
    context = await browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
    context.set_default_timeout(PATIENCE)
    try:
        desk = Desk(await context.new_page())
        await desk.page.goto(address)
        yield desk
        assert desk.complaints == []
    finally:
        await context.close()
