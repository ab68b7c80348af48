"""Notes, disputes, adjustments and commission in real Chromium, as `docs/operator.md` says it, with the whole chain."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    CommissionCollected,
    CommissionWaived,
    DisputeClosed,
    DisputeOpened,
    NoteMade,
    PaymentAdjusted,
    RoundSettled,
    ShoeEnded,
)
from tests.console.browser import Desk, desk_at
from tests.console.console_chain import ConsoleAt, console_at

pytestmark = pytest.mark.asyncio(loop_scope="session")

BANKER_WINS = "AS 2C " + " ".join(["2H 9D 3S KC"] * 12)
MARKED = {"house": {"commission": {"taken": "marked"}}}
SIZES = ((1280, 800), (1024, 600), (800, 480))


async def told(at: ConsoleAt, kind: type, count: int = 1) -> Any:  # noqa: ANN401 - a fact of that kind
    await at.display.until(lambda: len(at.display.facts_of(kind)) >= count, what=kind.__name__)
    await at.display.is_up_to_date()
    return at.display.facts_of(kind)[-1]


async def play(at: ConsoleAt, desk: Desk, rounds: int, *seats: str) -> None:
    await at.phase("betting")
    await desk.tap("tab-wagers")
    for seat in seats:
        await desk.bet(seat, base_banker="10")
        await expect(desk.page.locator("dialog")).to_be_hidden()
    await at.draw(4)
    await at.phase("complete")
    at.shoe.press(Button.RESULT)
    await told(at, RoundSettled, rounds)
    await at.phase("betting")


async def approve(desk: Desk, person: str) -> None:
    await desk.tap("tab-alerts", "approve")
    await desk.identify(person)
    await expect(desk.page.locator("dialog")).to_be_hidden()


async def test_a_dispute_from_its_beginning_to_its_decision(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path, BANKER_WINS, more=MARKED) as at, desk_at(browser, at.address, SIZES[0]) as desk:
        await desk.come_in()
        await at.draw(2)
        await play(at, desk, 1, "1", "2")
        # The dealer notes something on the round on the table.
        await desk.tap("tab-rounds", "note")
        await desk.at("reason").fill("seat 2 was away")
        await desk.fits("note", *SIZES)
        await desk.tap("next")
        noted = await told(at, NoteMade)
        assert (noted.of_round, noted.text) == (2, "seat 2 was away")
        # A supervisor opens a dispute about the round before.
        await desk.supervisor_mode()
        await desk.tap("tab-supervisor", "act-open_dispute", "past-1.1", "seat-1")
        await desk.fits("open-dispute", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        opened = (await told(at, DisputeOpened)).dispute
        assert (opened.shoe, opened.round, opened.seat) == (1, 1, "1")
        assert opened.text == "Player disputes the stake"
        await desk.says(".tab.alerts .count", "1")
        await desk.tap("tab-alerts")
        await desk.says(".alert.dispute", "Shoe 1 · Round 1 · Seat 1 · rana")
        await desk.fits("dispute", *SIZES)
        # Two of them put the payment right.
        await desk.tap("tab-supervisor", "act-adjust", "past-1.1", "seat-1", "way--1")
        await desk.tap("next")
        await desk.says("dialog .message", "not an amount")
        await desk.at("amount").fill("0.20")
        await desk.fits("adjust", *SIZES)
        await desk.tap("next", "reason-0")
        await desk.identify("rana")
        await desk.says(".alert.proposal", "Seat 1 · Collect 0.20 · Shoe 1 · Round 1")
        await desk.fits("proposal", *SIZES)
        await approve(desk, "shah")
        adjusted = await told(at, PaymentAdjusted)
        assert (adjusted.of_round, adjusted.seat, adjusted.amount) == (1, "1", -20)
        # The shoe does not end silently.
        await desk.tap("tab-supervisor", "act-end_shoe", "reason-0")
        await desk.identify("rana")
        await told(at, ShoeEnded)
        await desk.says(".alert[data-kind='dispute_open']", "The shoe has ended while a dispute is open.")
        await desk.tap("close-dispute-1", "reason-0")
        await desk.identify("rana")
        closed = await told(at, DisputeClosed)
        assert (closed.dispute, closed.decision) == (opened, "Recording shows the round as it is on record")
        await expect(desk.page.locator(".alert")).to_have_count(0)
        await desk.tap("tab-rounds", "round-1.1")
        for text in ("Dispute opened 1 Seat 1", "Payment put right Seat 1 Collect 0.20", "Dispute decided 1"):
            await desk.says(".record", text)
        await desk.fits("record", *SIZES)
        assert desk.complaints == []


async def test_commission_is_shown_collected_and_waived_in_each_language(browser: Browser, tmp_path: Path) -> None:
    async with console_at(tmp_path, BANKER_WINS, more=MARKED) as at, desk_at(browser, at.address, SIZES[0]) as desk:
        await desk.come_in()
        await at.draw(2)
        await play(at, desk, 1, "1", "2")
        await desk.tap("tab-wagers")
        for language, text in (("zh-Hans", "欠佣金 0.50"), ("zh-Hant", "欠佣金 0.50"), ("en", "owes 0.50")):
            await desk.tap(f"language-{language}")
            await desk.says("[data-seat='1']", text)
            await desk.fits(f"owes-{language}", *SIZES)
        await desk.tap("tab-payments")
        await desk.says("[data-due='1.1']", "Seat 1 · Shoe 1 · 0.50")
        await desk.fits("owed", *SIZES)
        await desk.hold("collect-1-1")
        collected = await told(at, CommissionCollected)
        assert (collected.seat, collected.amount) == ("1", 50)
        await expect(desk.page.locator("[data-due='1.1']")).to_have_count(0)
        await desk.supervisor_mode()
        await desk.tap("language-zh-Hant", "tab-supervisor", "act-waive_commission")
        await desk.fits("waive", *SIZES)
        await desk.tap("due-0", "reason-0")
        await desk.identify("rana")
        await desk.says(".alert.proposal", "免收佣金")
        await approve(desk, "shah")
        waived = await told(at, CommissionWaived)
        assert (waived.seat, waived.amount) == ("2", 50)
        assert at.display.state is not None
        assert at.display.state.commission == ()
        assert desk.complaints == []
