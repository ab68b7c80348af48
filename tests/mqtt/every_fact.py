"""Sittings at real tables that, taken together, publish every event there is."""

from typing import Any

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CutCard, Hand, IndicatedWinner, LinkDownCause
from shoe_controller.messages.acts import (
    Approve,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    FreeHand,
    IdentifyCard,
    RevealCards,
    SignIn,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    Withdraw,
)
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.inputs import AnyInput, CheckpointMade, LinkBack, LinkLost, PinVerdict
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Handled
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"
THIRD_CARDS = "2H 3D KS TC 5S 9D"
MARKED = {"base_game": "commission", "commission": {"taken": "marked"}}


CHECKPOINT = Checkpoint(
    journal="4f2a9c1e77b3d508",
    index=17,
    number=4811,
    hash=bytes(range(32)).hex(),
    time=1_790_000_000_000,
    key=bytes(range(32, 64)).hex(),
    next_key=bytes(range(64, 96)).hex(),
    signature=bytes(range(96, 160)).hex(),
)


class RememberedSitting(Sitting):
    """Keeps every state in which the table was."""

    def __init__(self, house: dict[str, Any] | None = None, **procedure: Any) -> None:  # noqa: ANN401 - as in Sitting
        self.states: list[TableState] = []
        super().__init__(house, **procedure)

    def give(self, given: AnyInput) -> Handled:
        handled = super().give(given)
        self.states.append(self.state)
        return handled


House = dict[str, Any]


def every_sitting(house: House | None = None) -> list[RememberedSitting]:
    """At tables of the same house; without one, of the house that sittings have anyhow."""
    settings = house or {}
    return [
        _with_wagers(settings),
        _with_cards_too_many(settings),
        _face_down(settings),
        _taken_back(settings),
        _to_the_end(settings),
        _without_a_shoe(settings),
    ]


def _with_wagers(house: House) -> RememberedSitting:
    table = RememberedSitting(house)
    table.open_shoe()
    table.bets("1", [("base.player", 50), ("base.tie", 5)])
    table.bets("3", [("base.banker", 70)])
    table.deal(THIRD_CARDS)
    table.result(IndicatedWinner.PLAYER)
    table.bet("1", "base.player", 50)
    table.wait(10)
    table.bet("2", "base.banker", 20)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=5000)
    table.act(ClearAlert(alert=table.alert_number("late_wager")))
    table.act(VoidAndReplay())
    table.card("9C")
    table.act(VoidRound())
    table.dealer(FreeHand())
    table.deal(PLAYER_WINS)
    return table


def _with_cards_too_many(house: House) -> RememberedSitting:
    table = RememberedSitting(house)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.card("9D", Hand.PLAYER)
    table.act(BurnExtraCard())
    table.result(IndicatedWinner.PLAYER)
    table.deal(PLAYER_WINS)
    table.card("9D", Hand.PLAYER)
    table.act(UseExtraCard())
    table.dealer(CallSupervisor())
    table.card("9D", Hand.BANKER)
    return table


def _face_down(house: House) -> RememberedSitting:
    table = RememberedSitting(house, reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.deal("7H")
    table.card(None)
    table.dealer(RevealCards())
    table.act(IdentifyCard(number=2, card=Card.parse("4D")))
    table.deal("KS 2C")
    table.dealer(RevealCards())
    table.act(CorrectCard(number=1, card=Card.parse("8H")))
    table.result(IndicatedWinner.PLAYER)
    return table


def _taken_back(house: House) -> RememberedSitting:
    table = RememberedSitting(house | MARKED)
    table.open_shoe()
    table.bet("1", "base.banker", 100)
    table.deal("4D 3H KS 2C 9C")
    table.result(IndicatedWinner.BANKER)
    table.act(SignIn(), pin=PinVerdict.WRONG)
    table.act(UndoLastResult())
    table.act(Withdraw(proposal=1))
    table.act(UndoLastResult())
    table.act(Approve(proposal=2), person="ben")
    table.act(CorrectCard(number=4, card=Card.parse("3C")))
    table.act(Confirm())
    return table


def _to_the_end(house: House) -> RememberedSitting:
    table = RememberedSitting(house)
    table.open_shoe()
    table.event(CutCard())
    for _ in range(2):
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)
    return table


def _without_a_shoe(house: House) -> RememberedSitting:
    table = RememberedSitting(house)
    table.give(LinkLost(how=LinkDownCause.DISCONNECTED, reason="the line was disconnected"))
    table.give(LinkBack(keeps_events=True, authenticated=False, boot_id=2))
    table.give(CheckpointMade(checkpoint=CHECKPOINT))
    return table
