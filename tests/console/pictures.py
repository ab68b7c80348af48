"""Pictures of the console, taken from a real run: emulated shoe, daemon, Mosquitto, console, Chromium."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, expect

from firmware_protocol.events import Button
from tests.console.browser import Desk, chromium, desk_at
from tests.console.console_chain import ConsoleAt, console_at

SIZES = {"": (800, 480), "-large": (1280, 800), "-phone": (390, 844)}
LANGUAGES = ("en", "zh-Hant", "zh-Hans")

DOCUMENTED = {"console-04-payments": "console", "console-06-supervisor": "console-supervisor"}
"""Pictures of the documents, of the small screen and in English."""

PHONE = (390, 844)
ON_A_PHONE = {"console-05-alert": "console-phone"}
"""Also of the documents, as a supervisor's phone shows it."""

Shoot = Callable[[str], Awaitable[None]]


async def take_console(folder: Path, scratch: Path, *, everything: bool) -> None:
    """Each state of an evening in each size and language; or those of the documents alone."""
    async with chromium() as browser, console_at(scratch) as at:
        await _evening(at, browser, folder, everything=everything)


async def _evening(at: ConsoleAt, browser: Browser, folder: Path, *, everything: bool) -> None:
    async with desk_at(browser, at.address) as desk:

        async def at_size(size: tuple[int, int], file: Path) -> None:
            await desk.page.set_viewport_size({"width": size[0], "height": size[1]})
            await desk.page.screenshot(path=file)
            await desk.page.set_viewport_size({"width": SIZES[""][0], "height": SIZES[""][1]})

        async def shoot(name: str) -> None:
            if not everything:
                if name in DOCUMENTED:
                    await desk.page.screenshot(path=folder / f"{DOCUMENTED[name]}.png")
                if name in ON_A_PHONE:
                    await at_size(PHONE, folder / f"{ON_A_PHONE[name]}.png")
                return
            for suffix, size in SIZES.items():
                await at_size(size, folder / f"{name}{suffix}.png")

        async def in_each_language(name: str) -> None:
            await shoot(name)
            for language in LANGUAGES[1:] if everything else ():
                await desk.tap(f"language-{language}")
                await expect(desk.page.locator("html")).to_have_attribute("lang", language)
                await shoot(f"{name}-{language}")
            await desk.tap("language-en")
            await expect(desk.page.locator("html")).to_have_attribute("lang", "en")

        await in_each_language("console-01-door")
        await desk.come_in()
        await at.draw(2)
        await _bet(desk, in_each_language, shoot)
        await at.draw(3)
        await expect(desk.page.locator("#because")).to_contain_text("second card")
        await in_each_language("console-03-dealing")
        await at.draw(1)
        at.shoe.press(Button.RESULT)
        await expect(desk.page.locator(".step").first).to_be_visible()
        await desk.tap("step-0", "step-1")
        await in_each_language("console-04-payments")
        at.shoe.inject("misread")
        await at.draw(1)
        await expect(desk.page.locator(".alert")).to_be_visible()
        await in_each_language("console-05-alert")
        await _supervise(desk, in_each_language, shoot)
        await at.draw(1)
        await expect(desk.page.locator(".alert").first).to_be_visible()
        await desk.tap("tab-rounds", "round-1.1")
        await in_each_language("console-09-rounds")
        await desk.tap("round-1.2")
        await in_each_language("console-09-rounds-alert")
        await at.chain.kill_daemon()
        await expect(desk.page.locator("#sentence")).to_contain_text("away")
        await in_each_language("console-10-away")


async def _bet(desk: Desk, in_each_language: Shoot, shoot: Shoot) -> None:
    for seat, stakes in (
        ("1", {"base_player": "50", "base_tie": "5"}),
        ("3", {"base_banker": "120"}),
        ("5", {"base_banker": "1000", "base_tie": "20"}),
        ("8", {"base_player": "12.50"}),
    ):
        await desk.bet(seat, **stakes)
        await expect(desk.page.locator("dialog")).to_be_hidden()
    await in_each_language("console-02-betting")
    await desk.bet("2", base_tie="5000")
    await expect(desk.page.locator("dialog .message")).to_contain_text("maximum")
    await shoot("console-02-refused")
    await desk.tap("close")


async def _supervise(desk: Desk, in_each_language: Shoot, shoot: Shoot) -> None:
    await desk.supervisor_mode()
    await desk.tap("tab-supervisor")
    await in_each_language("console-06-supervisor")
    await desk.tap("act-identify_card", "rank-9", "suit-H")
    await shoot("console-07-which-card")
    await desk.tap("next")
    await shoot("console-07-why")
    await desk.tap("reason-0")
    await shoot("console-07-who")
    await desk.identify("rana")
    await expect(desk.page.locator("dialog")).to_be_hidden()
    await desk.tap("tab-supervisor", "act-void_round", "reason-0")
    await shoot("console-08-held")
    await desk.tap("close")
