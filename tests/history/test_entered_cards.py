"""Rounds with cards that people entered, as they are recalled."""

from io import StringIO

from rich.console import Console

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand
from shoe_controller.history.drawing import draw
from shoe_controller.messages.acts import BeginHandEntry, Confirm, DealCard, EnterCard
from tests.history.test_recall import NATURAL, last_of, opened


def test_a_card_that_left_unseen_lies_in_its_place_and_the_others_after_it() -> None:
    table = opened()
    table.card("9H")
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=Card("KS")))
    table.act(EnterCard(number=2, card=Card("4D")), reason="not read")
    table.card("2C")
    attempt = last_of(table).attempts[0]
    assert [(card.number, card.hand.value, str(card.card), card.entered_by) for card in attempt.cards] == [
        (1, "player", "9H", None),
        (2, "banker", "4D", "ann"),
        (3, "player", "KS", None),
        (4, "banker", "2C", None),
    ]
    assert attempt.set_aside == []
    act = last_of(table).acts[-1]
    assert (act.act, act.card_number, act.card, act.reason) == ("enter_card", 2, Card("4D"), "not read")


def test_a_round_dealt_by_hand_says_who_entered_it() -> None:
    table = opened()
    table.act(BeginHandEntry())
    for text in NATURAL.split():
        table.dealer(DealCard(card=Card(text)))
    table.dealer(Confirm())
    assert {card.entered_by for card in last_of(table).attempts[0].cards} == {"dan"}
    out = StringIO()
    draw(Console(file=out, width=120), [last_of(table)], "")
    assert out.getvalue().count("entered by dan") == 4
