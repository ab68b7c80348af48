"""Honest evenings at a table on the bench, with the truth of the shoe beside: the reckoner must find nothing in them.

Together they hold every kind of event that the reckoner looks at, and every way in which wagers and cards can end.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyStoredEvent,
    CardDrawn,
    CutCard,
    DoubleFeed,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
)
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    Adjust,
    AmendedCard,
    AmendRound,
    AnyAct,
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
    IdentifyCard,
    MoveWager,
    NoMoreBets,
    Note,
    OpenDispute,
    OpenShoe,
    RevealCards,
    Role,
    SetWager,
    SignOut,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    WaiveCommission,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard
from shoe_controller.table.inputs import LinkBack, LinkLost, PinVerdict
from shoe_controller.table.procedure import FinishedRound
from shoe_controller.table.table import Handled
from simulator.reckoner.mismatch import Json
from simulator.reckoner.reckoning import Step
from tests.table.sitting import Sitting
from tests.table.state_checks import as_json, rules_of

UNREAD = "9H"
"""The face of a card that the shoe does not read here, or keeps to itself."""


class Evening(NamedTuple):
    truth: list[dict[str, Any]]
    steps: list[Step]
    info: Json
    """What the table posts."""

    def copied(self) -> "Evening":
        truth, steps = as_json((self.truth, self.steps))
        return Evening(truth, [Step(*step) for step in steps], self.info)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [cast("dict[str, Any]", event) for step in self.steps for event in step.events]


class Table(Sitting):
    """Writes down the truth as well."""

    def __init__(self, house: dict[str, Any], **procedure: Any) -> None:  # noqa: ANN401 - as in `Sitting`
        self.truth: list[dict[str, Any]] = []
        self.out = 0
        self.hands: dict[str, list[str]] = {"player": [], "banker": []}
        super().__init__({"offer": ["base", "pairs"]} | house, **procedure)

    def event(self, event: AnyStoredEvent, *, age_ms: int = 0) -> Handled:
        match event:
            case CardDrawn(carried_over=False):
                self._left(event.card, event.hand, event.position)
            case Misread():
                self._left(None, event.hand, event.position, reading="unread")
            case DoubleFeed():
                self._left(None, Hand.PLAYER, 1, reading="with_another")
                self._left(None, Hand.EXTRA, None, reading="with_another")
            case ResultIndicated():
                winner = None if event.winner is None else event.winner.value
                self.truth.append(
                    {"what": "round_ended", "t": float(self.out), "round": 0, "winner": winner} | self.hands
                )
                self.hands = {"player": [], "banker": []}
            case _:
                pass
        return super().event(event, age_ms=age_ms)

    def _left(self, card: Card | None, hand: Hand | None, position: int | None, reading: str = "read") -> None:
        self.out += 1
        to = "extra" if hand is None else hand.value
        face = UNREAD if card is None else card.value
        line = {"what": "card_out", "t": float(self.out), "card": face, "card_id": f"c{self.out}", "number": self.out}
        self.truth.append(line | {"to": to, "position": position, "reading": reading})
        if to in self.hands:
            self.hands[to].append(face)

    def left(self, event: CardDrawn) -> None:
        """A card leaves a shoe that is not heard."""
        self._left(event.card, event.hand, event.position)

    def late(self, event: CardDrawn) -> None:
        """The shoe reports a card that left long ago."""
        super().event(event, age_ms=60_000)

    def ended(self, winner: str) -> None:
        """The round ends at a shoe that is not heard."""
        self.truth.append({"what": "round_ended", "t": float(self.out), "round": 0, "winner": winner} | self.hands)
        self.hands = {"player": [], "banker": []}

    def wins(self, side: str) -> None:
        self.result(IndicatedWinner(side))

    def force_end(self) -> None:
        """The round ends at the shoe without a result, before it is voided."""
        self.hands = {"player": [], "banker": []}

    def both_agree(self, act: AnyAct) -> None:
        self.act(act, person="ann")
        proposal = self.state.lasting.proposal
        if proposal is not None:
            self.act(Approve(proposal=proposal.number), person="ben")

    def evening(self) -> Evening:
        steps = [Step(as_json(given), as_json(facts)) for given, _, facts in self.history]
        return Evening(self.truth, steps, rules_of(self.rules))


def everything() -> Evening:
    """Marked commission; voids, undone results, cards too many, cards that a person names."""
    shown = {"shown_card": ShownCard.FREE_HAND}
    table = Table({"base_game": "commission", "commission": {"taken": "marked"}}, **shown)
    table.open_shoe("3H")
    table.bets("1", [("base.banker", 100), ("base.tie", 50)], request_id="r1")
    table.bet("2", "base.player", 200, request_id="r2")
    table.bet("2", "base.player", 300, request_id="r3")
    table.deal("2H 9D 3S KC")
    table.wins("banker")

    table.bet("1", "base.player", 100)
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.act(IdentifyCard(number=1, card=Card(UNREAD)))
    table.deal("4D KS 2C")
    table.act(CorrectCard(number=3, card=Card("QS")))
    table.act(CorrectCard(number=3, card=Card("KS")))
    table.wins("player")

    table.bet("3", "base.tie", 40)
    table.deal("9C 9D KS KC")
    table.card("5H", Hand.EXTRA)
    table.act(UseExtraCard())
    table.wins("tie")
    table.hands["player"].append("5H")
    table.card("7C", Hand.BANKER, position=1)
    table.deal("4D KD")
    table.wins("player")

    _voids(table)
    _undone(table)
    _disputed(table)
    table.both_agree(EndShoe())
    table.open_shoe("AD")
    _owed(table)
    table.bet("1", "base.banker", 500)
    table.deal("2H 9D 3S KC")
    table.card("6H", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.wins("banker")
    return table.evening()


def _voids(table: Table) -> None:
    table.bet("1", "base.player", 100)
    table.bet("2", "base.banker", 100)
    table.deal("9H 4D")
    table.act(VoidRound())
    table.force_end()
    table.bet("1", "base.player", 100)
    table.deal("8H 4D")
    table.act(VoidAndReplay())
    table.force_end()
    table.deal("8H 3D KS KC")
    table.wins("player")
    table.card(None, Hand.BURN)
    table.act(ClearAlert(alert=table.alert_number("burned_between_rounds")))
    table.event(DoubleFeed())
    table.act(VoidRound())
    table.force_end()
    table.deal("8H 3D KS KC")
    table.card("6H", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.wins("player")
    table.card(None, Hand.BURN)
    table.act(ClearAlert(alert=table.alert_number("burned_between_rounds")))


def _undone(table: Table) -> None:
    table.bets("1", [("base.banker", 200), ("pairs.banker", 20)])
    table.deal("7H 9D TS 9C")
    table.wins("banker")
    table.bet("2", "base.player", 100)
    table.both_agree(UndoLastResult())
    table.act(Confirm())
    table.dealer(CallSupervisor())
    table.act(ClearAlert(alert=table.alert_number("supervisor_called")))


def _disputed(table: Table) -> None:
    table.act(Note(round=1), reason="seat 2 was away")
    table.act(Note(), person="dan", role=Role.DEALER, pin=PinVerdict.NOT_GIVEN, reason="a glass fell over")
    table.act(OpenDispute(round=2, seat="1"), reason="wants to see round 2 again")
    table.act(OpenDispute(round=1, seat="2"), reason="says that it was 400")
    table.both_agree(Adjust(round=1, seat="2", amount=-20))
    table.act(CloseDispute(dispute=2), reason="the recording shows 300")


def _owed(table: Table) -> None:
    """Seat 1 pays what it owes from the first shoe; seat 2 pays before its result is undone, seat 3 is let off."""
    table.dealer(CollectCommission(seat="1", shoe=1))
    for seat in ("2", "3"):
        table.bet(seat, "base.banker", 300)
    table.deal("2H 9D 3S KC")
    table.wins("banker")
    table.dealer(CollectCommission(seat="2"))
    table.both_agree(WaiveCommission(seat="3"))
    table.both_agree(UndoLastResult())
    table.act(Confirm())


def face_down() -> Evening:
    """Cards are shown by the dealer or at the result; what a round pays is limited; commission at once."""
    house = {"base_game": "commission", "round_limit": {"amount": 700, "groups": ["pairs"]}}
    table = Table(house, reveal=Reveal.BY_DEALER)
    table.open_shoe("KS")
    table.bets("1", [("base.banker", 800), ("base.tie", 30)])
    table.bet("2", "base.banker", 400)
    table.deal("2H 9D")
    table.dealer(RevealCards())
    table.deal("3S KC")
    table.act(CorrectCard(number=4, card=Card("QC")))
    table.act(CorrectCard(number=4, card=Card("KC")))
    table.wins("banker")
    table.bet("3", "base.player", 10)
    table.bet("3", "base.player", 0)
    table.bets("1", [("base.player", 10), ("pairs.player", 50), ("pairs.banker", 30)])
    table.bets("2", [("base.banker", 30), ("pairs.banker", 25)])
    table.deal("KH 9D KS 9C")
    table.wins("banker")
    return table.evening()


def put_right() -> Evening:
    """Wagers put right after the close, late ones, rounds amended, and a settled round that is settled anew."""
    table = Table({"base_game": "commission", "commission": {"taken": "marked"}})
    table.open_shoe("3H")
    table.bet("1", "base.banker", 100)
    table.bet("2", "base.player", 200)
    table.dealer(NoMoreBets())
    table.act(SetWager(seat="1", wager="base.banker", stake=150))
    table.act(MoveWager(seat="2", wager="base.player", to_seat="3"))
    table.deal("2H")
    table.both_agree(SetWager(seat="2", wager="base.tie", stake=20))
    table.deal("9D 3S KC")
    table.wins("banker")

    table.bet("1", "base.player", 40)
    table.bet("2", "base.player", 60)
    table.wait(5)
    table.bets("1", [("base.player", 90), ("base.tie", 10)])
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card("9H")), age_ms=1000)
    table.act(ClearAlert(alert=table.alert_number("late_wager")))
    table.deal("4D KS KC")
    table.wins("player")

    table.dealer(CollectCommission(seat="1"))
    suit = AmendedCard(number=2, card=Card("9S"))
    table.both_agree(AmendRound(shoe=1, round=1, cards=(suit,), wagers=(PlacedWager("1", "base.banker", 50),)))
    table.both_agree(AmendRound(shoe=1, round=2, wagers=(PlacedWager("3", "base.player", 30),)))
    table.both_agree(UndoLastResult())
    table.both_agree(SetWager(seat="3", wager="base.player", stake=0))
    table.act(Confirm())
    table.both_agree(AmendRound(shoe=1, round=2, cards=(AmendedCard(number=1, card=Card("9C")),)))
    table.both_agree(AmendRound(shoe=1, round=2, cards=(AmendedCard(number=1, card=Card("9H")),)))

    table.bet("1", "base.banker", 100)
    table.deal("8H 4D KH KC")
    table.act(VoidAndReplay())
    table.force_end()
    table.bet("1", "base.banker", 0)
    table.bet("2", "base.tie", 30)
    table.deal("8H 4D KH KC")
    table.wins("player")
    table.both_agree(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=2, card=Card("9D")),)))
    for stake in (250, 150):
        table.both_agree(AmendRound(shoe=1, round=1, wagers=(PlacedWager("1", "base.banker", stake),)))
    table.both_agree(EndShoe())
    table.open_shoe("AD")
    table.both_agree(AmendRound(shoe=1, round=1, wagers=(PlacedWager("3", "base.player", 0),)))
    table.deal("8H 4D KH KC")
    table.wins("player")
    table.both_agree(AmendRound(shoe=2, round=1, wagers=(PlacedWager("3", "base.player", 70),)))
    table.bet("1", "base.banker", 500)
    table.deal("2H 9D 3S KC")
    table.wins("banker")
    return table.evening()


def relief() -> Evening:
    """Dealers sign in and relieve each other; who takes over burns a card, and once forgets it, or to sign in."""
    table = Table({"base_game": "commission"}, dealer_signs_in=True, new_dealer_burns=True, bets_close=BetsClose.DEALER)
    table.open_shoe("AS")
    for dealer in ("dan", "eve", "fay", "dan"):
        if dealer != table.state.lasting.dealer_id:
            table.sign_in(dealer)
        if dealer == "eve":
            table.event(CardDrawn(hand=Hand.BURN))
        table.bet("1", "base.player", 100)
        table.dealer(NoMoreBets())
        if dealer == "fay":
            table.event(Misread(hand=Hand.BURN))
            table.act(ClearAlert(alert=table.alert_number("bad_card_out_of_round")))
        table.card("9C")
        if dealer == "dan" and table.alerts:
            table.act(ClearAlert(alert=table.alert_number("burn_due")))
        table.deal("4D KS 2C")
        table.wins("player")
    table.dealer(CallSupervisor())
    table.act(ClearAlert(alert=table.alert_number("supervisor_called")))
    table.dealer(SignOut())
    table.act(NoMoreBets())
    table.card("9C")
    table.sign_in("dan")
    table.deal("4D KS 2C")
    table.wins("player")
    return table.evening()


def by_hand() -> Evening:
    """A round is dealt by hand, one card of it is entered later than the others, and the shoe reports all of them."""
    table = Table({"base_game": "commission"})
    table.open_shoe("AS")
    table.bet("1", "base.banker", 100)
    table.deal("2H 9D 3S KC")
    table.wins("banker")
    table.give(LinkLost(reason="cable"))
    table.act(BeginHandEntry())
    table.bet("1", "base.player", 100)
    kept = []
    for hand, text in zip(("player", "banker") * 2, ("9H", "KD", "KS", "5C"), strict=True):
        event = CardDrawn(hand=Hand(hand), card=Card(text))
        kept.append(event)
        table.left(event)
        if text != "KD":  # the dealer forgets it
            table.dealer(DealCard(card=Card(text)))
        table.wait(2)
    table.act(EnterCard(number=2, card=Card("KD")))
    table.dealer(DealCard(cut_card=True))
    table.ended("player")
    table.dealer(Confirm())
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    for event in kept:
        table.late(event)
    table.act(EndHandEntry())
    table.event(CutCard())
    table.dealer(OpenShoe())
    table.event(CardDrawn(hand=Hand.BURN, card=Card("AD"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.BURN, card=None))
    table.bet("2", "base.banker", 100)
    table.deal("4D 9C 3C KS")
    table.wins("banker")
    return table.evening()


def placed() -> Evening:
    """Cards are assigned and discarded, one too many was due or begins a free hand, and the first card is corrected."""
    table = Table({}, shown_card=ShownCard.FREE_HAND, discarded_card=DiscardedCard.NEXT_CARD)
    table.open_shoe("AS")
    table.bet("1", "base.banker", 100)
    table.deal("6H 3D KS 2C")
    table.card("4S", Hand.PLAYER)
    sides = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER, Side.BANKER)
    table.act(AssignCards(cards=tuple(AssignedCard(hand=side) for side in sides)))
    table.wins("banker")
    table.bet("1", "base.player", 100)
    table.deal("2H 4D KS 2C")
    table.act(CorrectCard(number=1, card=Card("7H")))
    table.card("5C", Hand.PLAYER, position=3)
    table.act(BurnExtraCard())
    table.act(CorrectCard(number=1, card=Card("2H")))
    table.wins("player")
    table.bet("2", "base.player", 100)
    table.deal("7H 4D")
    table.act(DiscardCard(number=2, cause=DiscardCause.DAMAGED, card=Card("4D")))
    table.deal("5D KS AC")
    table.wins("player")
    table.deal("7D 4H KD 2S")
    table.card("9C", Hand.EXTRA)
    table.act(UseExtraCard())
    table.wins("player")
    table.hands["player"].append("9C")
    table.card("4D", Hand.BANKER, position=1)
    table.deal("KS 2D")
    table.wins("player")
    table.both_agree(EndShoe())
    table.dealer(OpenShoe())
    table.event(CardDrawn(hand=Hand.BURN, card=Card("3H"), first_of_shoe=True))
    table.act(CorrectCard(number=0, card=Card("5H")))
    for _ in range(2):
        table.event(CardDrawn(hand=Hand.BURN, card=None))
    table.act(CorrectCard(number=0, card=Card("3H")))
    table.event(CardDrawn(hand=Hand.BURN, card=None))
    table.bet("1", "base.player", 100)
    table.deal("7H 4D KS 2C")
    table.card("9D", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.wins("player")
    table.bet("1", "base.player", 100)
    table.hands["player"].append("9D")
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card("9D"), carried_over=True))
    table.card("4D", Hand.BANKER, position=1)
    table.deal("KS 2D")
    table.wins("player")
    return table.evening()


def counted() -> Evening:
    """Two correct a finished round. The shoe is exchanged, ends, and is counted by hand and through the reader."""
    two = {"finished_round": FinishedRound.TWO_SUPERVISORS}
    table = Table({"base_game": "commission"}, remainder=Remainder.COUNTED, **two)
    table.open_shoe("AS")
    table.bet("1", "base.banker", 100)
    table.deal("2H 9D 3S KC")
    table.both_agree(CorrectCard(number=4, card=Card("QC")))
    table.both_agree(CorrectCard(number=4, card=Card("KC")))
    table.wins("banker")
    table.act(ExchangeShoe())
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.act(EndShoe())
    table.act(CountRemainder(cards=409))
    table.act(CountRemainder(cards=410))
    table.both_agree(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=2, card=Card("9S")),)))
    table.act(BeginRunOut())
    for text in ("9H", "KD"):
        table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card(text)))
    table.act(EndRunOut())
    table.both_agree(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=2, card=Card("9D")),)))
    table.act(OpenShoe())
    table.event(CardDrawn(hand=Hand.BURN, card=Card("AD"), first_of_shoe=True))
    table.act(EndShoe())
    table.act(CountRemainder(cards=415))
    table.dealer(OpenShoe())
    return table.evening()


EVENINGS: dict[str, Callable[[], Evening]] = {
    "everything": cache(everything),
    "face_down": cache(face_down),
    "put_right": cache(put_right),
    "relief": cache(relief),
    "by_hand": cache(by_hand),
    "placed": cache(placed),
    "counted": cache(counted),
}
