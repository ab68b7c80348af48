"""The cards that were shown: where cards are shown at the draw, as many of each face as the table's inventory knows.

With LONG_TESTS=1 more sittings in disorder.
"""

import os
from collections import Counter
from itertools import product
from random import Random

import msgspec
import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner, Misread
from shoe_controller.baccarat.sides import Side
from shoe_controller.history.seen_cards import SeenCards
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    DiscardCard,
    EndShoe,
    EnterCard,
    FreeHand,
    IdentifyCard,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import DiscardedCard, Reveal, ShownCard
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.state import RulesSource
from tests.recorded_sitting import RecordedSitting
from tests.table.sitting import QuickSitting, Sitting

SITTINGS = 150 if os.environ.get("LONG_TESTS") else 6
STEPS = 200


def seen(table: Sitting) -> Counter[Card]:
    cards = SeenCards()
    for _, _, facts in table.history:
        cards.take_all(facts)
    return +cards.cards


def counted_out(table: Sitting) -> Counter[Card]:
    """The table's own count of the faces that came out."""
    assert table.state.shoe is not None
    return +Counter(dict(zip(CARDS_BY_NUMBER, table.state.shoe.copies, strict=True)))


def test_cards_of_an_evening_with_everything_in_it() -> None:
    table = RecordedSitting()
    table.open_shoe("3H")
    table.card("9H")
    table.card("9D", hand=Hand.PLAYER, position=2)
    table.act(VoidAndReplay(), reason="the card went to the wrong hand")
    table.deal("9H 4D")
    table.event(Misread(hand=Hand.PLAYER, position=2))
    assert seen(table) == Counter(map(Card, ("3H", "9H", "9H", "9D", "4D")))
    table.act(IdentifyCard(number=3, card=Card.parse("KS")), reason="looked")
    table.card("2C")
    table.result(IndicatedWinner.PLAYER)
    table.act(UndoLastResult(), reason="it was a five")
    assert table.state.lasting.proposal is not None
    table.act(Approve(proposal=table.state.lasting.proposal.number), person="bob")
    table.act(CorrectCard(number=4, card=Card.parse("5C")), reason="it was a five")
    table.act(Confirm())
    assert seen(table) == Counter(map(Card, ("3H", "9H", "9H", "9D", "4D", "KS", "5C")))


@pytest.mark.parametrize(("cause", "gone"), [(DiscardCause.FOREIGN, ["3H"]), (DiscardCause.DAMAGED, ["3H", "9H"])])
def test_a_foreign_card_that_is_discarded_is_still_in_the_shoe(cause: DiscardCause, gone: list[str]) -> None:
    table = RecordedSitting(discarded_card=DiscardedCard.NEXT_CARD)
    table.open_shoe("3H")
    table.card("9H")
    table.act(DiscardCard(number=1, cause=cause, card=Card("9H")), reason="seen")
    assert seen(table) == Counter(map(Card, gone))


def test_cards_that_lie_face_down_are_not_seen_before_the_result() -> None:
    table = RecordedSitting()
    procedure = msgspec.structs.replace(table.rules.procedure, reveal=Reveal.AT_RESULT)
    table.rules = RulesSource(house=table.rules.house, catalogue=table.rules.catalogue, procedure=procedure)
    table.open_shoe("AS")
    table.deal("9H 4D KS 2C")
    assert seen(table) == Counter([Card("AS")])
    table.result(IndicatedWinner.PLAYER)
    assert seen(table) == Counter(map(Card, ("AS", "9H", "4D", "KS", "2C")))


def test_a_card_that_lay_in_a_hand_and_is_extra_in_truth_was_seen() -> None:
    table = QuickSitting()
    table.open_shoe("3H")
    table.deal("2H 4D 3S 2C 6D")
    faces = ("2H", "4D", "6S", "2C", "6D")
    hands = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER, None)
    cards = tuple(AssignedCard(hand=hand, card=Card(face)) for hand, face in zip(hands, faces, strict=True))
    assert table.act(AssignCards(cards=cards)).refusal is None
    assert seen(table) == Counter(map(Card, ("3H", *faces)))


def test_a_card_set_aside_before_a_round_was_dealt_again_stays_seen() -> None:
    table = QuickSitting()
    table.open_shoe("3H")
    table.deal("2H")
    table.card("QH", hand=Hand.PLAYER)
    table.act(VoidAndReplay())
    table.deal("5H")
    table.card("9D", hand=Hand.PLAYER)
    cards = (AssignedCard(hand=Side.PLAYER), AssignedCard(hand=Side.BANKER))
    assert table.act(AssignCards(cards=cards)).refusal is None
    assert seen(table) == Counter(map(Card, ("3H", "2H", "QH", "5H", "9D")))


class Disorder:
    """A random table at which much goes wrong; what is refused comes to nothing."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - a sitting, reproducible by its seed
        self.table = QuickSitting(
            {"layout": "nepal_super_baccarat", "decks": 6},
            shown_card=self.chance.choice(list(ShownCard)),
            discarded_card=self.chance.choice(list(DiscardedCard)),
        )
        self.cards: list[Card] = []

    def step(self) -> None:
        chance, table = self.chance, self.table
        if table.state.phase in (Phase.NO_SHOE, Phase.ENDED):
            self._new_shoe()
        elif table.state.lasting.proposal is not None:
            table.act(Approve(proposal=table.state.lasting.proposal.number), person="bob")
        elif len(self.cards) < 60:
            table.act(EndShoe())
        elif chance.random() < 0.15:
            self._act()
        elif table.alerts and chance.random() < 0.6:
            self._put_right()
        elif table.at(Phase.COMPLETE) and chance.random() < 0.8:
            table.dealer(Confirm())
        else:
            self._draw()

    def _new_shoe(self) -> None:
        self.cards = list(CARDS_BY_NUMBER) * 6
        self.chance.shuffle(self.cards)
        self.table.open_shoe(str(self.cards.pop()))

    def _draw(self) -> None:
        what, card = self.chance.random(), self.cards.pop()
        if what < 0.05:
            self.table.event(Misread(hand=self.chance.choice((Hand.PLAYER, Hand.BANKER)), position=None))
        elif what < 0.1:
            hand = self.chance.choice((Hand.PLAYER, Hand.BANKER, Hand.EXTRA, None))
            self.table.event(CardDrawn(hand=hand, card=card))
        else:
            self.table.card(str(card))

    def _put_right(self) -> None:
        if self.chance.random() < 0.3:
            self._assign()
        for number in range(1, 7):
            self.table.act(IdentifyCard(number=number, card=self.chance.choice(CARDS_BY_NUMBER)))
        for alert in self.table.state.lasting.alerts:
            self.table.act(ClearAlert(alert=alert.number))
        if self.table.alerts and self.chance.random() < 0.2:
            self.table.act(VoidRound())

    def _assign(self) -> None:
        """Faces of cards that are to lie in no hand stay: what a supervisor names there is not published."""
        drawn = drawn_cards(self.table.state)
        known = {one.card.drawn: one.card.card for one in drawn if one.card.card and self.chance.random() < 0.8}
        faces = [known.get(one.card.drawn, self.chance.choice(CARDS_BY_NUMBER)) for one in drawn]
        for hands in product((Side.PLAYER, Side.BANKER, None), repeat=len(drawn)):
            lie = zip(hands, faces, drawn, strict=True)
            cards = tuple(AssignedCard(hand=hand, card=face if hand else one.card.card) for hand, face, one in lie)
            if cards and self.table.act(AssignCards(cards=cards)).refusal is None:
                return

    def _act(self) -> None:
        chance, state = self.chance, self.table.state
        number, card = chance.randrange(7), chance.choice(CARDS_BY_NUMBER)
        earlier = max(state.round_number - chance.randrange(1, 4), 1)
        acts: tuple[AnyAct, ...] = (
            chance.choice((VoidRound(), VoidAndReplay())),
            UndoLastResult(),
            FreeHand(),
            BurnExtraCard(),
            UseExtraCard(face_up=chance.random() < 0.5),
            CorrectCard(number=number, card=card),
            EnterCard(number=number, card=card),
            DiscardCard(number=number, cause=chance.choice(list(DiscardCause)), card=None),
            AmendRound(shoe=state.shoe_number, round=earlier, cards=(AmendedCard(number=max(number, 1), card=card),)),
        )
        if chance.random() < 0.1:
            self._assign()
        else:
            self.table.act(chance.choice(acts))


@pytest.mark.parametrize("seed", range(SITTINGS))
def test_in_disorder_every_card_is_seen_once(seed: int) -> None:
    sitting = Disorder(seed)
    table, cards, taken = sitting.table, SeenCards(), 0
    for _ in range(STEPS):
        before = table.state.shoe_number
        sitting.step()
        if table.state.shoe_number != before:
            cards = SeenCards()
        facts, taken = table.facts[taken:], len(table.facts)
        cards.take_all(fact for fact in facts if fact.shoe == table.state.shoe_number)
        assert +cards.cards == counted_out(table), facts
