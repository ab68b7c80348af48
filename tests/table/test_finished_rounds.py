"""Two supervisors for a round that is complete, or whose result is known, where the house has it so."""

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    EnterCard,
    RevealCards,
    VoidAndReplay,
    VoidRound,
    rule_of,
)
from shoe_controller.messages.facts import ActProposed, CardCorrected, CardDealt, PersonActed, RoundVoided
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.procedure import FinishedRound
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, undo

TWO = FinishedRound.TWO_SUPERVISORS
OTHER = Card.parse("9D")
ACTS = (CorrectCard(number=1, card=OTHER), VoidRound(), VoidAndReplay())
HANDS = ("7H 4D KS 2C", "2H 4D KS 2C", "2H 4D KS 2C 5S", "2H 4D KS 2C 5S 9C")
"""Complete after four cards, after two of six, and after five and six."""

each_act = pytest.mark.parametrize("act", ACTS, ids=lambda act: rule_of(act).name)


def opened(finished: FinishedRound = TWO, reveal: Reveal = Reveal.AT_DRAW) -> Sitting:
    table = Sitting(finished_round=finished, reveal=reveal)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def two_people(table: Sitting, act: AnyAct) -> bool:
    acts = view_of(table.state, read_rules).acts
    return next(listed.two_people for listed in acts if listed.act is rule_of(act).name)


def takes_two(table: Sitting, act: AnyAct) -> bool:
    """Whether it is only proposed, as the list says it is."""
    before = len(table.all(PersonActed))
    listed = two_people(table, act)
    assert table.act(act).refusal is None
    proposed = table.state.lasting.proposal is not None
    assert proposed == listed == (len(table.all(PersonActed)) == before)
    return proposed


@each_act
@pytest.mark.parametrize("finished", FinishedRound)
@pytest.mark.parametrize("cards", HANDS)
def test_every_number_of_cards(act: AnyAct, finished: FinishedRound, cards: str) -> None:
    for number in range(1, len(cards.split()) + 1):
        table = opened(finished)
        table.deal(" ".join(cards.split()[:number]))
        is_complete = table.at(Phase.COMPLETE)
        assert takes_two(table, act) == (is_complete and finished is TWO)


@each_act
def test_the_second_supervisor_does_it(act: AnyAct) -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.act(act)
    assert table.at(Phase.COMPLETE)
    assert not table.all(CardCorrected) + table.all(RoundVoided)
    assert table.act(Approve(proposal=1), person="ann").refusal is not None
    assert table.act(Approve(proposal=1), person="ben").refusal is None
    assert table.last(PersonActed).approved_by == "ben"
    assert len(table.all(CardCorrected) + table.all(RoundVoided)) == 1


def test_a_card_is_entered_into_a_finished_round_by_two() -> None:
    """It moves every card after it, and so another hand may win."""
    act = EnterCard(number=1, card=OTHER)
    for finished in FinishedRound:
        table = opened(finished)
        table.deal(PLAYER_WINS)
        assert takes_two(table, act) == (finished is TWO)
    table.act(Approve(proposal=1), person="ben")
    assert table.last(CardDealt).place.card is OTHER


def test_nor_are_all_its_wagers_returned_by_one_who_clears_an_alert() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.card("9S", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    table.bet("1", "base.player", 500)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("9S"), carried_over=True))
    alert = ClearAlert(alert=table.alert_number("shown_card_carried"))
    offered = next(listed for listed in view_of(table.state, read_rules).acts if listed.act == "clear_alert")
    assert offered.alerts == (alert.alert,)
    for hand, face in ((Hand.BANKER, "3D"), (Hand.PLAYER, "KC"), (Hand.BANKER, "4C")):
        table.card(face, hand)
    assert table.at(Phase.COMPLETE)
    handled = table.act(alert)
    assert handled.refusal is not None
    assert handled.refusal.code == "cannot_be_cleared"
    assert "clear_alert" not in {listed.act for listed in view_of(table.state, read_rules).acts}
    assert takes_two(table, VoidRound())


@each_act
@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
@pytest.mark.parametrize("cards", HANDS)
def test_it_does_not_show_whether_cards_that_lie_face_down_are_all(act: AnyAct, reveal: Reveal, cards: str) -> None:
    for number in range(1, len(cards.split()) + 1):
        table = opened(reveal=reveal)
        table.deal(" ".join(cards.split()[:number]))
        assert takes_two(table, act) == (number >= 4)


def test_a_proposed_face_is_not_published_while_the_card_lies_face_down() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.act(CorrectCard(number=1, card=OTHER))
    proposal = view_of(table.state, read_rules).proposal
    assert proposal is not None
    assert proposal.act == table.last(ActProposed).act == CorrectCard(number=1, card=None)
    assert OTHER.value.encode() not in msgspec.json.encode(view_of(table.state, read_rules))
    table.act(Approve(proposal=1), person="ben")
    assert table.last(PersonActed).act == CorrectCard(number=1, card=None)
    assert OTHER.value.encode() not in msgspec.json.encode(table.facts)
    table.dealer(RevealCards())
    assert table.state.round is not None
    assert table.state.round.cards[0].card is OTHER


def test_the_shoes_result_makes_it_known_also_where_a_card_is_not() -> None:
    table = opened()
    table.deal("7H 4D KS")
    table.card(None)
    table.result(IndicatedWinner.PLAYER)
    assert table.at(Phase.DEALING)
    assert takes_two(table, VoidRound())


def test_a_result_that_was_taken_back_stays_known_when_a_card_is_due_again() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    undo(table)
    assert takes_two(table, CorrectCard(number=1, card=Card.parse("2D")))
    table.act(Approve(proposal=2), person="ben")
    assert table.at(Phase.DEALING)
    assert takes_two(table, CorrectCard(number=1, card=Card.parse("7D")))


def test_cards_that_were_assigned_are_not_approved_once_another_came() -> None:
    def offered() -> bool:
        return any(possible.act == "approve" for possible in view_of(table.state, read_rules).acts)

    table = opened()
    table.deal(PLAYER_WINS)
    sides = (Side.PLAYER, Side.BANKER) * 2
    named = (Card.parse("8S"), None, None, None)
    assign = AssignCards(
        cards=tuple(AssignedCard(hand=side, card=face) for side, face in zip(sides, named, strict=True))
    )
    assert table.act(assign).refusal is None
    assert offered()
    table.card("7S", Hand.EXTRA)
    assert not offered()
    assert table.act(Approve(proposal=1), person="ben").refusal is not None
