"""What a dealer does on the console, in the order of `docs/operator.md`: who deals, a new shoe, a round."""

from playwright.async_api import expect

from firmware_protocol.events import Button
from shoe_controller.messages.actors import Person
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    BettingClosed,
    CardsShown,
    DealerChanged,
    FreeHandAnnounced,
    NoteMade,
    RoundResult,
    RoundSettled,
    ShoeEnded,
    ShoeOpened,
    WrongPin,
)
from simulator.truth import Identified
from tests.console.every_act.trial import Evening, Trial
from tests.daemon.house_file import DEALER


async def sign_in(trial: Trial) -> None:
    await trial.choose_language()
    await trial.desk.sign_in(pin="000000")
    await trial.fact(WrongPin)
    await trial.is_refused()
    await trial.desk.come_in()
    assert (await trial.fact(DealerChanged)).dealer == DEALER
    await trial.reads("#sentence")


async def no_more_bets(trial: Trial) -> None:
    await trial.at.draw(2)
    await trial.at.phase("betting")
    await trial.tap("seat-2")
    await trial.fill("base.tie", "5000")
    await trial.tap("place")
    await trial.is_refused()
    await trial.tap("close")
    await trial.bet("1", base_player="50")
    await trial.tap("do-no_more_bets")
    assert (await trial.fact(BettingClosed)).stakes == 5000


async def reveal_cards(trial: Trial) -> None:
    await trial.at.draw(4)
    await trial.tap("do-reveal_cards-player")
    await trial.fact(CardsShown)
    await trial.tap("do-reveal_cards-banker")
    await trial.fact(CardsShown, 2)
    assert [str(place.card) for shown in trial.facts(CardsShown) for place in shown.places] == ["9H", "KS", "KD", "5C"]


async def confirm(trial: Trial) -> None:
    await trial.tap("do-confirm")
    assert (await trial.fact(RoundResult)).confirmed_by == Person(person=DEALER)
    await trial.fact(RoundSettled)
    trial.at.shoe.press(Button.RESULT)
    await trial.tap("step-0")


async def note(trial: Trial) -> None:
    await trial.tap("tab-rounds", "note", "reason-0")
    assert (await trial.fact(NoteMade)).of_round == 2
    await trial.tap("round-1.1")
    await trial.reads("[data-round='1.1'] .details")


async def call_supervisor(trial: Trial) -> None:
    await trial.tap("do-call_supervisor")
    assert (await trial.fact(AlertRaised)).alert.kind is AlertKind.SUPERVISOR_CALLED
    await trial.reads(".alert h3")


async def blink_shoe(trial: Trial) -> None:
    await trial.tap("tab-alerts", "do-blink_shoe")
    chain = trial.at.chain
    await chain.becomes(
        lambda: any(isinstance(happened, Identified) for happened in chain.truth), what="the shoe to blink"
    )


async def clear_alert(trial: Trial) -> None:
    # The call is cleared by a supervisor, with a reason and a PIN.
    called = trial.at.display.facts_of(AlertRaised)[-1].alert
    await trial.tap("tab-alerts", f"clear-{called.number}", "reason-0")
    await trial.identify()
    await trial.is_done()
    await trial.fact(AlertEnded)
    # A result asked for too early is cleared by the dealer.
    await trial.tap("do-no_more_bets")
    await trial.at.draw(2)
    trial.at.shoe.press(Button.RESULT)
    early = (await trial.fact(AlertRaised)).alert
    assert early.kind is AlertKind.RESULT_TOO_EARLY
    await trial.tap(f"clear-{early.number}")
    await trial.fact(AlertEnded, 2)
    await trial.at.draw(2)
    trial.at.shoe.press(Button.RESULT)
    await trial.fact(RoundResult)


async def free_hand(trial: Trial) -> None:
    await trial.tap("do-free_hand")
    await trial.fact(FreeHandAnnounced)
    await trial.reads("#where")


async def open_shoe(trial: Trial) -> None:
    # Before the cut card it is not for the dealer; it comes in the free hand, which is the last round.
    await expect(trial.desk.at("do-open_shoe")).to_have_count(0)
    trial.at.shoe.inject("cut_card_in_round")
    await trial.at.draw(4)
    await trial.tap("do-reveal_cards-player", "do-reveal_cards-banker", "do-confirm")
    await trial.fact(ShoeEnded)
    await trial.hold("do-open_shoe")
    assert (await trial.fact(ShoeOpened)).opened_by == Person(person=DEALER)
    await trial.reads("#sentence")


async def sign_out(trial: Trial) -> None:
    # A supervisor signs out a dealer who has left without it; another time the dealer does it.
    await trial.supervise("sign_out", reason=False)
    await trial.fact(DealerChanged)
    await expect(trial.desk.page.locator("#door")).to_be_visible()
    await trial.reads("#door .note")
    await trial.desk.come_in()
    await trial.fact(DealerChanged, 2)
    await trial.desk.page.locator("#sign-out").click()
    assert (await trial.fact(DealerChanged, 3)).dealer is None
    await trial.reads("#door .note")


A_DEALERS_EVENING = Evening(
    {
        "sign_in": sign_in,
        "no_more_bets": no_more_bets,
        "reveal_cards": reveal_cards,
        "confirm": confirm,
        "note": note,
        "call_supervisor": call_supervisor,
        "blink_shoe": blink_shoe,
        "clear_alert": clear_alert,
        "free_hand": free_hand,
        "open_shoe": open_shoe,
        "sign_out": sign_out,
    },
    settings={"bets_close": "dealer", "reveal": "by_dealer", "dealer_signs_in": True, "last_rounds": 0},
)
