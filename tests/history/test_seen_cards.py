"""The cards that were shown: at the end of a shoe, as many of each face as its inventory knows."""

from collections import Counter

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import Hand, IndicatedWinner, Misread
from shoe_controller.history.seen_cards import SeenCards
from shoe_controller.messages.acts import (
    Approve,
    Confirm,
    CorrectCard,
    DiscardCard,
    IdentifyCard,
    UndoLastResult,
    VoidAndReplay,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.procedure import DiscardedCard, Reveal
from shoe_controller.table.state import RulesSource
from tests.recorded_sitting import RecordedSitting


def seen(table: RecordedSitting) -> Counter[Card]:
    cards = SeenCards()
    for _, _, facts in table.history:
        cards.take_all(facts)
    return +cards.cards


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
