"""PROTOCOL.md, section 7, "a shoe and a round, event by event": a table takes each row as the page says.

Each test is a row or two of the page, given to a table in the order that it gives, with nothing else.
"""

import re
from pathlib import Path
from typing import Any

import pytest

import firmware_protocol.native
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CutCard,
    Fault,
    FaultCleared,
    FaultCode,
    GateChanged,
    Hand,
    Health,
    IndicatedWinner,
    ResultIndicated,
    Standby,
    Started,
)
from shoe_controller.messages.actors import Shoe, ShoeButton
from shoe_controller.messages.acts import UseExtraCard
from shoe_controller.messages.facts import CardBurned, CutCardOut, RoundResult, ShoeOpened
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import ShownCard
from tests.table.sitting import Sitting

PAGE = Path(firmware_protocol.native.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")

TWO_CARDS_EACH = (
    (Hand.PLAYER, 1, "9H"),
    (Hand.BANKER, 1, "4D"),
    (Hand.PLAYER, 2, "KS"),
    (Hand.BANKER, 2, "2C"),
)
PLAYER_WINS = ResultIndicated(winner=IndicatedWinner.PLAYER)


def first_card(table: Sitting, face: str) -> None:
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse(face), first_of_shoe=True))


def deal(table: Sitting, *, disclosed: bool = True) -> None:
    for hand, position, face in TWO_CARDS_EACH:
        table.event(CardDrawn(hand=hand, position=position, card=Card.parse(face) if disclosed else None))


def with_a_new_shoe(**procedure: Any) -> Sitting:  # noqa: ANN401 - settings of [procedure]
    table = Sitting(**procedure)
    table.event(Started())
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    first_card(table, "2H")
    table.event(Burn(cards=2))
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("TD"), burns_left=1))
    table.event(CardDrawn(hand=Hand.BURN, burns_left=0))
    return table


def test_the_page_has_as_many_rows_as_are_tried_here() -> None:
    section = PAGE.split("**A shoe and a round, event by event.**")[1].split("\n\n")[1]
    assert len(re.findall(r"^\| ", section, re.MULTILINE)) - 1 == 10


def test_a_new_shoe_and_its_burns() -> None:
    table = with_a_new_shoe()
    assert table.at(Phase.BETTING)
    assert len(table.all(CardBurned)) == 3
    assert table.alerts == []


def test_the_first_card_opens_a_shoe_where_no_button_does() -> None:
    table = Sitting()
    first_card(table, "AS")
    assert len(table.all(ShoeOpened)) == 1
    table.event(CardDrawn(hand=Hand.BURN, burns_left=0))
    assert table.at(Phase.BETTING)
    assert table.alerts == []


@pytest.mark.parametrize("button_before", [True, False])
def test_a_round_with_its_result(button_before: bool) -> None:  # noqa: FBT001 - a case of the table of cases
    table = with_a_new_shoe()
    table.event(ButtonPressed(button=Button.NO_MORE_BETS))
    assert table.at(Phase.CLOSED)
    deal(table)
    if button_before:
        table.event(ButtonPressed(button=Button.RESULT))
    table.event(PLAYER_WINS)
    assert table.last(RoundResult).confirmed_by == Shoe()
    assert table.alerts == []


def test_a_shoe_that_shows_cards_at_the_result_alone() -> None:
    table = with_a_new_shoe()
    deal(table, disclosed=False)
    for hand, position, face in TWO_CARDS_EACH:
        table.event(CardIdentified(hand=hand, position=position, card=Card.parse(face)))
    table.event(PLAYER_WINS)
    assert len(table.all(RoundResult)) == 1
    assert table.alerts == []


def test_the_button_alone_counts_after_two_seconds() -> None:
    table = with_a_new_shoe()
    deal(table)
    pressed = table.mono_ns
    table.event(ButtonPressed(button=Button.RESULT))
    assert table.all(RoundResult) == []
    table.timer()
    assert table.last(RoundResult).confirmed_by == ShoeButton()
    assert 2.0 <= (table.mono_ns - pressed) / 1e9 < 2.5


def test_a_card_too_many_that_begins_the_next_round() -> None:
    table = with_a_new_shoe(shown_card=ShownCard.FREE_HAND)
    deal(table)
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))
    table.event(FaultCleared(code=FaultCode.OVER_DRAW))
    table.act(UseExtraCard())
    table.event(PLAYER_WINS)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("5C"), carried_over=True))
    assert table.at(Phase.DEALING)
    assert table.state.round is not None
    assert table.state.round.free, "everyone has seen the card"
    assert table.alerts == []


def test_the_cut_card_and_what_changes_nothing() -> None:
    table = with_a_new_shoe()
    before = len(table.facts)
    for event in (Standby(), GateChanged(locked=True), Health(millivolts=5000, celsius=20, cards_since_load=3)):
        table.event(event)
    assert len(table.facts) == before
    table.event(CutCard())
    assert len(table.all(CutCardOut)) == 1
    assert table.alerts == []
