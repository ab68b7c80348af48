"""The console in real Chromium, with the real daemon, Mosquitto and an emulated shoe that is dealt by hand.

Every test reads from the page what people would read, and compares it with what the table published to the display.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.events import Button
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.reasons import SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.console.forms import LONGEST
from shoe_controller.messages.actors import Person
from shoe_controller.messages.facts import (
    AlertRaised,
    CardCorrected,
    PersonActed,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    WagersChanged,
    WrongPin,
)
from shoe_controller.messages.refusals import SamePerson, WrongPinRefused
from shoe_controller.words.render import ENGLISH
from tests.console.browser import desk_at
from tests.console.console_chain import ConsoleAt, console_at
from tests.daemon.house_file import DEALER, DEALER_PIN, PINS
from tests.web.words import TABLE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def told(at: ConsoleAt, kind: type, count: int = 1) -> Any:  # noqa: ANN401 - a fact of that kind
    await at.display.until(lambda: len(at.display.facts_of(kind)) >= count, what=kind.__name__)
    await at.display.is_up_to_date()
    return at.display.facts_of(kind)[-1]


async def test_a_round_from_the_wagers_to_the_last_chip(browser: Browser, tmp_path: Path) -> None:  # noqa: PLR0915 - one whole round
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.says("#door", "Sign in at this table")
        await desk.come_in()
        await desk.says("#sentence", "Draw the first card and show it.")
        await at.draw(2)
        await desk.says("#sentence", "Take the wagers")
        await desk.bet("1", base_player="50", base_tie="5")
        await desk.bet("3", base_banker="12.50")
        await expect(desk.page.locator("dialog")).to_be_hidden()
        # Refused, with the reason in the dialog; then changed, then taken back.
        await desk.bet("2", base_tie="5000")
        await desk.says("dialog .message", "Seat 2, Tie: 5,000 is above the maximum of 1,000.")
        await desk.at("base.tie").fill("nonsense")
        await desk.tap("place")
        await desk.says("dialog .message", "not an amount")
        await desk.at("base.tie").fill("7")
        await desk.tap("place")
        await desk.says("[data-seat='2']", "7")
        await desk.bet("2", base_tie="9")
        await desk.says("[data-seat='2'] .sum", "9")
        await desk.tap("seat-2", "clear")
        await desk.says("[data-seat='2'] .sum", "—")
        await desk.says(".sum-line", "67.50")
        await at.display.is_up_to_date()
        changed = at.display.facts_of(WagersChanged)
        assert [(fact.seat, fact.total) for fact in changed] == [
            ("1", 5500),
            ("3", 1250),
            ("2", 700),
            ("2", 900),
            ("2", 0),
        ]
        assert await desk.at("do-confirm").count() == 0, "only what is allowed now has a button"
        await desk.tap("do-no_more_bets")
        await at.phase("closed")
        await desk.says("#sentence", "Draw a card for Player.")
        await expect(desk.at("seat-1")).to_be_disabled()
        await at.draw(3)
        await desk.says("#sentence", "Draw a card for Banker.")
        await desk.says("#because", ENGLISH.of(SecondCard(hand=Side.BANKER)))
        assert (await desk.cards("player"), await desk.cards("banker")) == (["9H", "KS"], ["KD"])
        await desk.says(".hand.player .total", "9")
        await desk.says(".hand.banker .total", "0")
        await desk.page.reload()
        await desk.says("#because", ENGLISH.of(SecondCard(hand=Side.BANKER)))
        assert (await desk.cards("player"), await desk.cards("banker")) == (["9H", "KS"], ["KD"])
        await at.draw(1)
        await desk.tap("do-confirm")
        settled = (await told(at, RoundSettled)).settlement
        await expect(desk.page.locator(".step")).to_have_count(len(settled.steps))
        words = {"take": "Take", "pay": "Pay", "push": "Push"}
        names = {"base.player": "Player", "base.banker": "Banker", "base.tie": "Tie"}
        amounts = {500: "5", 1250: "12.50", 5000: "50"}
        shown = await desk.page.locator(".step").evaluate_all(
            "all => all.map((step) => [...step.children].slice(1).map((part) => part.textContent))"
        )
        assert shown == [
            [words[step.step], f"Seat {step.seat}", names[step.wager], amounts[step.amount]] for step in settled.steps
        ]
        assert [step.step for step in settled.steps] == ["take", "take", "pay"]
        await desk.says(".tab.payments .count", "3")
        await desk.tap("step-0", "step-1")
        await desk.page.reload()
        await expect(desk.at("step-0")).to_have_attribute("aria-checked", "true")
        await expect(desk.at("step-2")).to_have_class("step pay next")
        await desk.tap("step-2")
        await expect(desk.at("tab-wagers")).to_have_attribute("aria-selected", "true")
        await desk.says(".hand.player", "wins")
        result = at.display.facts_of(RoundResult)[-1]
        assert (result.confirmed_by, result.outcome.winner) == (Person(person=DEALER), Winner.PLAYER)


async def test_a_misread_card_is_named_and_then_corrected(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.come_in()
        await at.draw(2)
        at.shoe.inject("misread")
        await at.draw(1)
        alert = (await told(at, AlertRaised)).alert
        assert alert.kind == "misread"
        await desk.says(".alert h3", "A card left the shoe and could not be read.")
        await desk.says(".alert .to-do", ENGLISH.to_do(alert.kind))
        await desk.says(".alert footer", "It must be put right: Name a card")
        await desk.says("#sentence", ENGLISH.to_do(alert.kind))
        assert await desk.cards("player") == ["?"]
        await desk.tap(f"mend-{alert.number}")
        await desk.identify("rana")
        await desk.tap(f"mend-{alert.number}-identify_card", "rank-9", "suit-H", "next", "reason-0")
        await desk.identify("rana", "000000")
        await desk.says("dialog .message", ENGLISH.of(WrongPinRefused()))
        await desk.identify("rana")
        await expect(desk.page.locator("dialog")).to_be_hidden()
        await expect(desk.page.locator(".alert")).to_have_count(0)
        assert await desk.cards("player") == ["9H"]
        await desk.tap("tab-supervisor", "act-correct_card", "rank-8", "suit-D", "next")
        await desk.at("reason").fill("The camera shows it")
        await desk.tap("next")
        await desk.identify("shah")
        assert str((await told(at, CardCorrected)).place.card) == "8D"
        acted = at.display.facts_of(PersonActed)[-1]
        assert (acted.person, acted.reason) == ("shah", "The camera shows it")
        await desk.says(".hand.player .total", "8")
        assert await desk.cards("player") == ["8D"]
        # All of it can be looked back at.
        await desk.tap("tab-rounds", "round-1.1")
        for text in (
            "named 9H by rana “Seen on the table”",
            "corrected 9H → 8D by shah “The camera shows it”",
            "A card left the shoe and could not be read.",
            "rana · wrong PIN",
        ):
            await desk.says("[data-round='1.1'] .details", text)


async def test_a_void_is_held_and_not_tapped(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.come_in()
        await at.draw(2)
        await desk.bet("5", base_banker="20")
        await desk.says("[data-seat='5'] .sum", "20")
        await at.draw(2)
        at.shoe.press(Button.RESULT)
        alert = (await told(at, AlertRaised)).alert
        assert alert.kind == "result_too_early"
        await desk.says(".alert footer", "The dealer may clear it.")
        await desk.tap(f"clear-{alert.number}")
        await expect(desk.page.locator(".alert")).to_have_count(0)
        await desk.supervisor_mode()
        await desk.tap("act-void_round", "reason-0")
        await desk.at("pin").fill(PINS["rana"])
        await desk.tap("go")
        await desk.hold("go", 1.0)
        await at.display.is_up_to_date()
        assert at.display.facts_of(RoundVoided) == [], "a tap, and half of the time, is not enough"
        await desk.hold("go")
        void = await told(at, RoundVoided)
        assert (void.reason, void.total) == ("Misdeal", 2000)
        await desk.says("#sentence", "Take the wagers")
        await desk.tap("tab-rounds", "round-1.1")
        await desk.says("[data-round='1.1'] .details", "“Misdeal”")


async def test_two_people_undo_a_result(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.come_in()
        await at.draw(2)
        await at.draw(4)
        await desk.tap("do-confirm")
        await told(at, RoundResult)
        await desk.supervisor_mode()
        await desk.tap("act-undo_last_result", "reason-0")
        await desk.identify("rana")
        await desk.says(".proposal h3", "rana proposes: Undo last result")
        await desk.tap("approve")
        await desk.identify("rana")
        await desk.says("dialog .message", ENGLISH.of(SamePerson()))
        await desk.identify("shah")
        await told(at, ResultUndone)
        acted = at.display.facts_of(PersonActed)[-1]
        assert (acted.person, acted.approved_by) == ("rana", "shah")
        await desk.says("#sentence", "Wait: a supervisor corrects a card")
        assert await desk.at("do-confirm").count() == 0, "the dealer cannot confirm a result that was taken back"
        await desk.tap("tab-supervisor", "act-confirm")
        await desk.identify("rana")
        await told(at, RoundResult, 2)
        await desk.says("#sentence", "Take the wagers")


async def test_wrong_pins_lock_out(browser: Browser, tmp_path: Path) -> None:
    async with (
        console_at(tmp_path, wrong_pins=3, locked_out_for=600) as at,
        desk_at(browser, at.address) as desk,
    ):
        await expect(desk.at("person")).to_have_attribute("maxlength", str(LONGEST["person"]))
        await expect(desk.at("pin")).to_have_attribute("maxlength", str(LONGEST["pin"]))
        for _ in range(3):
            await desk.sign_in(pin="111111")
            await desk.says("#door .message", ENGLISH.of(WrongPinRefused()))
            await expect(desk.at("pin")).to_have_value("")
        assert (await told(at, WrongPin, 3)).locked_out
        await desk.sign_in(DEALER, DEALER_PIN)
        await desk.says("#door .message", "anita is locked out for another")
        await expect(desk.page.locator("#console")).to_be_hidden()
        await desk.sign_in("shah", PINS["shah"])
        await expect(desk.page.locator("#console")).to_be_visible()
        log = at.console.output + at.chain.daemon.output
        assert not any(pin in log for pin in ("111111", DEALER_PIN, PINS["shah"]))


async def test_with_the_keyboard_alone(browser: Browser, tmp_path: Path) -> None:  # noqa: PLR0915 - everything once
    async with (
        console_at(tmp_path, reveal="by_dealer", bets_close="dealer") as at,
        desk_at(browser, at.address, (1280, 800)) as desk,
    ):
        keys = desk.page.keyboard

        async def focus(key: str) -> None:
            for _ in range(60):
                if await desk.page.evaluate("document.activeElement?.dataset.key") == key:
                    return
                await keys.press("Tab")
            raise AssertionError(f"{key} cannot be reached with the tabulator")

        await expect(desk.at("person")).to_be_focused()
        await keys.type(DEALER)
        await keys.press("Enter")
        await keys.type(DEALER_PIN)
        await keys.press("Enter")
        await expect(desk.page.locator("#console")).to_be_visible()
        await at.draw(2)
        await desk.says("#sentence", "Take the wagers")
        await keys.press("7")
        await keys.type("25")
        await keys.press("Tab")
        await keys.type("30")
        await keys.press("Enter")
        await desk.says("[data-seat='7'] .sum", "55")
        await expect(desk.page.locator("dialog")).to_be_hidden()
        await keys.press("n")
        await at.phase("closed")
        at.shoe.inject("cut_card_in_round")  # before it, a new shoe is not for the dealer
        await at.draw(4)
        await expect(desk.page.locator(".hand .card.back")).to_have_count(4)
        await expect(desk.at("do-reveal_cards-player")).to_be_visible()
        assert (await desk.cards("player"), await desk.cards("banker")) == (["?", "?"], ["?", "?"])
        await keys.press("r")
        await expect(desk.page.locator(".hand.player [data-card]")).to_have_count(2)
        assert (await desk.cards("player"), await desk.cards("banker")) == (["9H", "KS"], ["?", "?"])
        await keys.press("r")
        await expect(desk.page.locator(".hand.banker [data-card]")).to_have_count(2)
        await desk.says("#sentence", "Ask for the result.")
        await keys.press("c")
        await told(at, RoundSettled)
        await expect(desk.page.locator(".step")).to_have_count(2)
        await keys.press("t")
        await focus("step-1")
        await keys.press("Space")
        await expect(desk.at("tab-wagers")).to_have_attribute("aria-selected", "true")
        # A new shoe is held, also with a key.
        await keys.press("o")
        await keys.press("Enter")
        await at.display.is_up_to_date()
        assert at.display.state is not None
        assert at.display.state.shoe == 1
        await keys.down("Enter")
        await at.display.until(lambda: at.display.state is not None and at.display.state.shoe == 2, what="the new shoe")
        await keys.up("Enter")
        await keys.press("v")
        await keys.type("rana")
        await keys.press("Enter")
        await keys.type(PINS["rana"])
        await keys.press("Enter")
        await expect(desk.at("act-end_shoe")).to_be_visible()
        await focus("act-end_shoe")
        await keys.press("Enter")
        await keys.press("Enter")  # the first of the reasons
        await keys.type(PINS["rana"])
        await keys.press("Enter")
        await keys.down("Enter")
        await at.phase("ended")
        await keys.up("Enter")
        await desk.says("#sentence", "The shoe is over.")
        await expect(desk.page.locator("dialog")).to_be_hidden()
        await keys.press("s")
        await desk.says(".alert h3", "The dealer calls for a supervisor.")


LOOKING = "() => [...document.querySelectorAll('body *')].flatMap((one) => [...one.childNodes])"
LOOKING += ".filter((node) => node.nodeType === 3 && node.parentElement.checkVisibility()).map((node) => node.data)"

KEPT = {"anita", "rana", "table-1", "EN"}
"""What is the same in every language: names, and what nobody translates."""


async def test_all_that_staff_read_is_in_their_language(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address, (1280, 800)) as desk:

        async def is_chinese() -> None:
            said = [text for text in await desk.page.evaluate(LOOKING) if re.search("[A-Za-z]{2}", text)]
            assert {word for text in said for word in re.findall("[A-Za-z-]{2,}[0-9]?", text)} <= KEPT, said

        await desk.tap("language-zh-Hant")
        await desk.says("#door", "登入本枱")
        await desk.sign_in(pin="000000")
        await desk.says("#door .message", "編號或密碼錯誤。")
        await desk.come_in()
        await desk.says("#sentence", "抽出首張牌並展示。")
        await at.draw(2)
        await desk.says("#sentence", "接受投注")
        await is_chinese()
        await desk.bet("2", base_tie="5000")
        await desk.says("dialog .message", "超過最高投注 1,000")
        await desk.tap("close")
        await at.draw(3)
        await desk.says("#sentence", "為莊家抽牌。")
        await desk.says("#because", "莊家第二張牌。")
        await is_chinese()
        at.shoe.press(Button.RESULT)
        alert = (await told(at, AlertRaised)).alert
        early = TABLE["zh-Hant"]["alerts"]["result_too_early"]
        await desk.says(".alert h3", early["happened"])
        await desk.says("#sentence", early["to_do"])
        await desk.tap("language-zh-Hans")
        early = TABLE["zh-Hans"]["alerts"]["result_too_early"]
        await desk.says(".alert h3", early["happened"])
        await desk.page.reload()
        await desk.says("#sentence", early["to_do"])
        await expect(desk.page.locator("html")).to_have_attribute("lang", "zh-Hans")
        await desk.tap("tab-alerts", f"clear-{alert.number}")
        await at.draw(1)
        await desk.tap("do-confirm")
        await told(at, RoundResult)
        await desk.supervisor_mode()
        await is_chinese()
        await desk.tap("tab-rounds", "round-1.1")
        await desk.says("[data-round='1.1'] .details", early["happened"])
        await desk.says("[data-round='1.1'] .details", "庄家第二张牌")
        other = await browser.new_context()
        try:
            page = await other.new_page()
            await page.goto(at.address)
            await expect(page.locator("#door")).to_contain_text("Sign in at this table")  # each browser has its own
        finally:
            await other.close()


SIZES = ((800, 480), (1024, 600), (1280, 800), (1920, 1080), (768, 1024))


async def test_everything_fits_and_is_large_enough_to_touch(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.fits("door", *SIZES)
        await desk.come_in()
        await at.draw(2)
        for language in ("zh-Hant", "zh-Hans", "en"):
            await desk.tap(f"language-{language}")
            await desk.fits(f"wagers-{language}", *SIZES)
        await desk.tap("seat-9")
        await desk.fits("seat", *SIZES)
        await desk.tap("close")
        await at.draw(4)
        await desk.supervisor_mode()
        await desk.fits("acts", *SIZES)
        await desk.tap("act-correct_card")
        await desk.fits("card", *SIZES)
        await desk.tap("number-4", "rank-9", "suit-D", "next")
        await desk.fits("reason", *SIZES)
        await desk.tap("reason-0")
        await desk.fits("who", *SIZES)
        await desk.tap("close", "do-call_supervisor")
        await expect(desk.page.locator(".alert")).to_have_count(1)
        await desk.fits("call", *SIZES)


MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>&amp;<b>bold</b>"


async def test_text_that_comes_over_mqtt_is_never_markup(browser: Browser, tmp_path: Path) -> None:
    more = {"table": {"title": "<b onclick=alert(3)>T1</b>"}}
    async with console_at(tmp_path, more=more) as at, desk_at(browser, at.address) as desk:
        desk.page.on("dialog", lambda dialog: desk.complaints.append(dialog.message))
        await desk.come_in()
        await desk.says("#title", "<b onclick=alert(3)>T1</b>")
        await at.draw(2)
        terminal = await at.chain.terminal(at.display)
        answer = await terminal.act("call_supervisor", person="<i>x</i>")
        assert answer.status == "ok"
        await desk.says(".alert .detail", "<i>x</i>")
        await at.draw(4)
        await desk.tap("do-confirm")
        await told(at, RoundResult)
        assert (await terminal.supervisor("undo_last_result", reason=MARKUP)).status == "ok"
        await desk.says(".proposal .detail", MARKUP)
        await desk.tap("tab-rounds")
        await desk.at("round-1.1").click()
        await desk.says("[data-round='1.1'] .details", MARKUP)
        assert await desk.page.locator("img, #panel script, #panel b b, #panel i").count() == 0


async def test_the_page_says_when_it_is_not_live_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.come_in()
        await at.draw(2)
        await desk.says("#sentence", "Take the wagers")
        await at.chain.kill_daemon()
        await desk.says("#sentence", "The controller is away")
        assert await desk.page.locator("#acts button").count() == 0
        await at.chain.start_daemon()
        await desk.says("#health", "Live")
        await at.chain.broker.kill()
        await desk.says("#sentence", "No connection to the broker")
        await at.chain.broker.start()
        await desk.says("#health", "Live")
        await at.console.kill()
        await expect(desk.page.locator("#sentence")).to_contain_text("No connection to the console")
        await at.console.start()
        await expect(desk.page.locator("#door")).to_be_visible()  # sessions do not outlive the process
        # The browser tells of connections that it could not make, and that nobody is signed in any more.
        assert all(re.search(r"ERR_|401", text) for text in desk.complaints)
        desk.complaints.clear()


async def test_supervisor_mode_ends_by_itself_and_a_session_with_its_sign_out(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path) as at, desk_at(browser, at.address) as desk:
        await desk.come_in()
        # Supervisor mode ends by itself, whatever was begun in it.
        await desk.page.clock.install()
        await desk.page.reload()
        await desk.supervisor_mode()
        await desk.tap("act-end_shoe", "reason-0")
        await desk.page.clock.fast_forward(121_000)
        await expect(desk.page.locator("dialog")).to_be_hidden()
        await expect(desk.at("tab-supervisor")).to_have_count(0)
        other = await desk.page.context.new_page()
        await other.goto(at.address)
        await expect(other.locator("#person")).to_have_text(DEALER)
        await other.click("#sign-out")
        await expect(other.locator("#door")).to_contain_text("Signed out.")
        await desk.says("#door", "Signed out after a while")
        await expect(desk.page.locator("#console")).to_be_hidden()
        assert await desk.page.context.cookies() == []
