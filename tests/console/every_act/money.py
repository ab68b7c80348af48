"""Wagers and payments that are put right on the console, disputes, and commission."""

from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    CommissionCollected,
    CommissionWaived,
    DisputeClosed,
    DisputeOpened,
    PaymentAdjusted,
    RoundAmended,
    RoundSettled,
    WagersCorrected,
)
from tests.console.every_act.trial import Evening, Trial

BANKER_WINS = "AS 2C " + " ".join(["2H 9D 3S KC"] * 12)


async def set_wager(trial: Trial) -> None:
    await trial.come_in()
    await trial.at.draw(2)
    await trial.bet("1", base_banker="10")
    await trial.bet("2", base_banker="10")
    await trial.tap("do-no_more_bets")
    await trial.at.phase("closed")
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor", "act-set_wager", "seat-1", "wager-base.banker")
    await trial.fill("stake", "5000")
    await trial.tap("next", "reason-0")
    await trial.identify()
    await trial.is_refused()  # the refusal names the limit
    await trial.tap("close")
    await trial.tap("tab-supervisor", "act-set_wager", "seat-1", "wager-base.banker")
    await trial.fill("stake", "20")
    await trial.tap("next")
    await trial.give_reason_and_pin()
    assert (await trial.fact(WagersCorrected)).difference == {"1": -1000}


def standing(trial: Trial, seat: str) -> str:
    """The button of this seat's wager, among those that stand."""
    state = trial.at.display.state
    assert state is not None
    return f"from-{[wager.seat for wager in state.wagers].index(seat)}"


async def move_wager(trial: Trial) -> None:
    await trial.supervise("move_wager", standing(trial, "1"), "to_seat-3", "next")
    assert (await trial.fact(WagersCorrected)).difference == {"1": 2000, "3": -2000}
    # Once a card has left the shoe it takes two.
    await trial.at.draw(1)
    await trial.supervise("move_wager", standing(trial, "3"), "to_seat-1", "next")
    await trial.reads(".proposal .about")
    await trial.second_supervisor_approves()
    assert (await trial.fact(WagersCorrected, 2)).difference == {"1": -2000, "3": 2000}
    await trial.at.draw(3)
    trial.at.shoe.press(Button.RESULT)
    await trial.fact(RoundSettled)
    await trial.at.phase("betting")


async def amend_round(trial: Trial) -> None:
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor", "act-amend_round", "round-1-1", "wager-1 base.banker")
    await trial.fill("stake", "30")
    await trial.tap("next", "card-1", "rank-3", "suit-H", "next", "next")
    await trial.give_reason_and_pin()
    await trial.reads(".proposal .about")
    await trial.second_supervisor_approves()
    assert (await trial.fact(RoundAmended)).difference == {"1": 1000}
    await trial.reads(".difference")


async def adjust(trial: Trial) -> None:
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor", "act-adjust", "past-1.1", "seat-1", "way--1", "next")
    await trial.is_refused()  # no amount was given
    await trial.fill("amount", "0.20")
    await trial.tap("next")
    await trial.give_reason_and_pin()
    await trial.reads(".alert.proposal .detail")
    await trial.second_supervisor_approves()
    adjusted = await trial.fact(PaymentAdjusted)
    assert (adjusted.of_round, adjusted.seat, adjusted.amount) == (1, "1", -20)


async def open_dispute(trial: Trial) -> None:
    await trial.supervise("open_dispute", "past-1.1", "seat-2", "next")
    opened = (await trial.fact(DisputeOpened)).dispute
    assert (opened.shoe, opened.round, opened.seat) == (1, 1, "2")
    await trial.tap("tab-alerts")
    await trial.reads(".alert.dispute h3")


async def close_dispute(trial: Trial) -> None:
    await trial.tap("tab-alerts", "close-dispute-1")
    await trial.give_reason_and_pin()
    assert (await trial.fact(DisputeClosed)).dispute.number == 1


async def collect_commission(trial: Trial) -> None:
    await trial.tap("tab-payments")
    await trial.hold("collect-1-1")
    assert (await trial.fact(CommissionCollected)).seat == "1"


async def waive_commission(trial: Trial) -> None:
    await trial.supervise("waive_commission", "due-0")
    await trial.reads(".alert.proposal .detail")
    await trial.second_supervisor_approves()
    waived = await trial.fact(CommissionWaived)
    assert (waived.seat, waived.amount) == ("2", 50)
    await trial.tap("tab-rounds", "round-1.1")
    await trial.reads("[data-round='1.1'] .details")


MONEY_PUT_RIGHT = Evening(
    {
        "set_wager": set_wager,
        "move_wager": move_wager,
        "amend_round": amend_round,
        "adjust": adjust,
        "open_dispute": open_dispute,
        "close_dispute": close_dispute,
        "collect_commission": collect_commission,
        "waive_commission": waive_commission,
    },
    BANKER_WINS,
    {"more": {"house": {"commission": {"taken": "marked"}}}, "bets_close": "dealer"},
)
