"""Sittings at real tables that, taken together, publish every event there is."""

from typing import Any

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CutCard, Hand, IndicatedWinner, LinkDownCause
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    Adjust,
    AmendedCard,
    AmendRound,
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    BeginRunOut,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    DiscardCard,
    EndHandEntry,
    EndRunOut,
    EndShoe,
    EnterCard,
    ExchangeShoe,
    FreeHand,
    IdentifyCard,
    MoveWager,
    NoMoreBets,
    Note,
    OpenDispute,
    RevealCards,
    SetWager,
    SignIn,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    WaiveCommission,
    Withdraw,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.procedure import DiscardedCard, Reveal, ShownCard
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
        _put_right(settings),
        _face_down(settings),
        _taken_back(settings),
        _disputed(settings),
        _to_the_end(settings),
        _without_a_shoe(settings),
        _by_hand(settings),
        _counted_and_exchanged(settings),
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
    table.bet("1", "base.player", 50)
    table.open_shoe()
    table.dealer(FreeHand())
    table.deal(PLAYER_WINS)
    return table


def _by_hand(house: House) -> RememberedSitting:
    """A card left unseen, then the reader died; later the shoe sends what it has kept."""
    table = RememberedSitting(house)
    table.open_shoe()
    table.bets("1", [("base.player", 50)])
    table.card("7H")
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=Card.parse("KS")))
    table.act(EnterCard(number=2, card=Card.parse("4D")))
    table.give(LinkLost(reason="cable"))
    table.act(BeginHandEntry())
    for round_by_hand in ("2C", PLAYER_WINS):
        for text in round_by_hand.split():
            table.dealer(DealCard(card=Card.parse(text)))
        table.dealer(Confirm())
    table.dealer(DealCard(cut_card=True))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    for text in ("2C", "7D"):
        table.event(CardDrawn(card=Card.parse(text)), age_ms=60_000)
    table.act(EndHandEntry())
    return table


def _counted_and_exchanged(house: House) -> RememberedSitting:
    """Another shoe in the middle; then the shoe ends, and what is left of it is counted twice."""
    table = RememberedSitting(house)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    table.act(ExchangeShoe(), reason="its reader is worn out")
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2))
    table.act(EndShoe())
    table.act(CountRemainder(cards=410))
    table.act(BeginRunOut())
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("9C"), card_id="piece"))
    table.act(EndRunOut())
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


def _put_right(house: House) -> RememberedSitting:
    """Cards that were assigned, discarded and corrected, and a free hand that an extra card begins."""
    table = RememberedSitting(house, shown_card=ShownCard.FREE_HAND, discarded_card=DiscardedCard.NEXT_CARD)
    table.open_shoe()
    table.deal("6H 3D KS 2C")
    table.card("4S", Hand.PLAYER)
    hands = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER, Side.BANKER)
    table.act(AssignCards(cards=tuple(AssignedCard(hand=hand) for hand in hands)))
    table.card("9D", Hand.EXTRA)
    table.act(UseExtraCard())
    table.dealer(Confirm())
    table.card("7H", Hand.BANKER)
    table.act(DiscardCard(number=2, cause=DiscardCause.DAMAGED, card=Card.parse("7H")))
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
    table.act(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card.parse("4S")),)))
    table.act(Approve(proposal=3), person="ben")
    table.dealer(NoMoreBets())
    table.act(SetWager(seat="2", wager="base.player", stake=30))
    table.act(MoveWager(seat="2", wager="base.player", to_seat="3"))
    table.deal("7H")
    table.act(VoidRound())
    table.bet("1", "base.banker", 100)
    table.deal("4D 3H KS 2C 9C")
    table.result(IndicatedWinner.BANKER)
    table.act(UndoLastResult())
    table.act(Approve(proposal=4), person="ben")
    table.act(VoidRound())
    table.bet("2", "base.banker", 100)
    table.deal("4D 3H KS 2C 9C")
    table.result(IndicatedWinner.BANKER)
    table.dealer(CollectCommission(seat="2"))
    table.act(UndoLastResult())
    table.act(Approve(proposal=5), person="ben")
    table.act(Confirm())
    return table


def _disputed(house: House) -> RememberedSitting:
    table = RememberedSitting(house | MARKED)
    table.open_shoe()
    table.bet("1", "base.banker", 200)
    table.deal("2H 9D 3S KC")
    table.result(IndicatedWinner.BANKER)
    table.act(Note(round=1), reason="the player at seat 1 left the table during the round")
    table.act(OpenDispute(round=1, seat="1"), reason="says that the stake was 300")
    table.act(Adjust(round=1, seat="1", amount=-10), reason="paid 10 too much by hand")
    table.act(Approve(proposal=1), person="ben")
    table.act(WaiveCommission(seat="1"))
    table.act(Approve(proposal=2), person="ben")
    table.act(CloseDispute(dispute=1), reason="the recording shows 200; nothing is paid")
    return table


def _to_the_end(house: House) -> RememberedSitting:
    table = RememberedSitting(house)
    table.sign_in()
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
