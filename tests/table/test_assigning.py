"""A card lies where the rules put it: assigned by a supervisor, discarded, or an extra that was due in truth."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    Misread,
)
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    DealCard,
    DiscardCard,
    EndShoe,
    EnterCard,
    IdentifyCard,
    RevealCards,
    UndoLastResult,
    UseExtraCard,
    VoidRound,
)
from shoe_controller.messages.alerts import Remedy
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import BurnedTooMany, CardOfRound, ProvenBad, ShoeProof
from shoe_controller.messages.facts import (
    AsideCard,
    BettingOpened,
    CardDiscarded,
    CardsAssigned,
    RoundResult,
    ShoeEnded,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import DiscardedCard, Reveal, ShownCard
from shoe_controller.messages.refusals import TableStopped
from shoe_controller.table.inputs import LinkBack, LinkLost
from shoe_controller.table.procedure import FinishedRound
from shoe_controller.table.view import view_of
from tests.table.alert_causes import due_card_elsewhere
from tests.table.sitting import Sitting
from tests.table.test_acts import code_of
from tests.table.test_phases import PLAYER_WINS

DISCARDS = {"discarded_card": DiscardedCard.NEXT_CARD}
SIDES = {"P": Side.PLAYER, "B": Side.BANKER, "-": None}
HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}

faces = st.lists(st.sampled_from(CARDS_BY_NUMBER), min_size=4, max_size=7)


def opened(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    table = Sitting(**procedure)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def assign(table: Sitting, hands: str, **named: str) -> str | None:
    """`P`, `B` or `-` for each card in the order of the draw; `c3="9H"` names the third."""
    cards = tuple(
        AssignedCard(hand=SIDES[hand], card=Card.parse(named[f"c{number}"]) if f"c{number}" in named else None)
        for number, hand in enumerate(hands, 1)
    )
    return code_of(table.act(AssignCards(cards=cards)))


def discard(table: Sitting, number: int, cause: DiscardCause) -> str | None:
    """The card that is displayed at that position."""
    cards = view_of(table.state, read_rules).cards
    face = cards[number - 1].card if number <= len(cards) else None
    return code_of(table.act(DiscardCard(number=number, cause=cause, card=face)))


def lie(table: Sitting) -> str:
    assert table.state.round is not None
    return " ".join(f"{laid.hand.value[0]}{laid.card}" for laid in table.state.round.cards)


def remedies(table: Sitting) -> list[tuple[str, str | None]]:
    return [(alert.kind, alert.remedy) for alert in view_of(table.state, read_rules).alerts]


# --- assigned --------------------------------------------------------------------------------------------------------


def test_player_s_third_drawn_in_error_becomes_banker_s() -> None:
    """Player stands on 6 and the card went to Player all the same; Banker, on 5, must draw."""
    table = opened()
    table.deal("6H 3D KS 2C")
    table.card("4S", Hand.PLAYER)
    assert remedies(table) == [("out_of_turn", Remedy.ASSIGN)]
    assert view_of(table.state, read_rules).aside == (AsideCard(order=5, hand=Side.PLAYER, card=Card.parse("4S")),)
    assert assign(table, "PBPBP") == "not_by_rules"
    assert assign(table, "PBPB-") == "not_by_rules", "the card is due"
    assert assign(table, "PBPB") == "not_all_cards"
    assert assign(table, "PBPBB") is None
    assert lie(table) == "p6H b3D pKS b2C b4S"
    assert table.alerts == []
    assert (table.last(CardsAssigned).person, table.last(CardsAssigned).extra_cards) == ("ann", 0)
    assert table.at(Phase.COMPLETE)
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.winner is Winner.BANKER


def test_a_card_that_went_to_the_wrong_hand_and_those_drawn_after_it() -> None:
    table = opened()
    table.deal("7H")
    table.card("4D", Hand.PLAYER)
    table.card("KS", Hand.BANKER)
    assert table.alerts == ["out_of_turn"]
    assert lie(table) == "p7H bKS"
    assert assign(table, "PBP") is None
    assert lie(table) == "p7H b4D pKS"
    assert table.alerts == []
    # The shoe counts as before: what it says of hands means nothing any more.
    table.event(CardDrawn(hand=Hand.PLAYER, position=3, card=Card.parse("2C")))
    assert lie(table) == "p7H b4D pKS b2C"
    assert table.at(Phase.COMPLETE)
    assert table.alerts == []


def test_a_misread_among_the_first_four_that_changed_who_draws() -> None:
    """Player's 2 was a 7: the fifth card was Banker's, on 5."""
    table = opened()
    table.deal("2H 3D KS 2C 4S")
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    assert remedies(table) == [("card_not_due", Remedy.ASSIGN)]
    assert assign(table, "PBPBB") is None
    assert lie(table) == "p7H b3D pKS b2C b4S"
    table = opened()
    table.deal("2H 3D KS 2C 4S")
    assert assign(table, "PBPBB", c1="7H") is None, "or in one act, by naming the card"
    assert lie(table) == "p7H b3D pKS b2C b4S"
    assert table.state.shoe is not None
    assert table.state.shoe.copies[Card.parse("2H").number] == 0
    assert table.state.shoe.copies[Card.parse("7H").number] == 1


def test_a_card_that_was_never_due_is_extra_and_a_supervisor_decides() -> None:
    table = opened()
    table.deal("2H 3D KS 2C 5H")
    table.act(CorrectCard(number=1, card=Card.parse("9H")))
    assert assign(table, "PBPB-") is None
    assert table.alerts == ["over_draw"]
    assert table.last(CardsAssigned).extra_cards == 1
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.winner is Winner.PLAYER


def test_what_cannot_be_assigned_is_only_voided() -> None:
    table = opened()
    table.deal("7H")
    table.event(DoubleFeed(cards=2))
    assert remedies(table) == [("double_feed", Remedy.VOID)]
    assert assign(table, "PBP") == "order_unknown"
    table = opened()
    table.deal("7H 4D")
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("9C")))
    assert remedies(table) == [("place_filled", Remedy.VOID)]
    assert assign(table, "PB", c1="9C") == "order_unknown"


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_while_cards_lie_face_down_nothing_is_assigned(reveal: Reveal) -> None:
    table = opened(reveal=reveal)
    table.deal("6H 3D KS 2C")
    table.card("4S", Hand.PLAYER)
    assert remedies(table) == [("out_of_turn", Remedy.ASSIGN if reveal is Reveal.BY_DEALER else Remedy.VOID)]
    assert assign(table, "PBPBB") == "cards_lie_face_down"
    assert "4S" not in str(table.facts)
    if reveal is Reveal.BY_DEALER:
        table.dealer(RevealCards())
        assert assign(table, "PBPBB") is None
        assert "4S" not in str(table.facts), "the assigned card still lies face down"
        table.dealer(RevealCards())
        assert table.at(Phase.COMPLETE)


@pytest.mark.parametrize("banker", ["6D", "2D"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_refusal_does_not_tell_of_cards_that_were_set_aside_unseen(banker: str, *, turned: bool) -> None:
    """Banker's second decides whether a fifth card is due."""
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal("2H 3D 3S")
    if turned:
        table.dealer(RevealCards())
    table.card(banker, Hand.PLAYER, position=3)
    table.card("5C", Hand.PLAYER, position=4)
    assert ("assign_cards" in [act.act for act in view_of(table.state, read_rules).acts]) == turned
    assert assign(table, "PBPBP") == "cards_lie_face_down"
    if turned:
        assert assign(table, "PBPBP", c4="6D") == "not_by_rules"
        assert assign(table, "PBPBP", c4="2D") is None


def test_the_face_of_a_card_that_is_left_over_is_counted_too() -> None:
    table = opened()
    table.deal("2H 3D 3S 2D 5C")
    assert assign(table, "PBPB-", c4="6D", c5="8C") is None
    assert table.state.shoe is not None
    copies = table.state.shoe.copies
    assert [copies[Card.parse(text).number] for text in ("2D", "6D", "5C", "8C")] == [0, 1, 0, 1]
    assert assign(table, "PBPB-", c5="8C") == "nothing_changes"
    assert assign(table, "PBPB-", c5="7C") is None
    table = opened()
    table.deal("2H 3D 3S 2D")
    table.event(Misread(hand=Hand.PLAYER, position=3))
    assert assign(table, "PBPB-", c4="6D", c5="8C") is None
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out - sum(table.state.shoe.copies) == 1


def test_a_finished_round_takes_two() -> None:
    table = opened(finished_round=FinishedRound.TWO_SUPERVISORS)
    table.deal(PLAYER_WINS)
    assert assign(table, "PBPB", c1="8H") is None
    assert table.state.lasting.proposal is not None
    assert lie(table) == "p7H b4D pKS b2C"
    table.act(Approve(proposal=table.state.lasting.proposal.number), person="ben")
    assert lie(table) == "p8H b4D pKS b2C"


def test_a_card_that_was_not_read_is_asked_for_once_it_lies_in_a_hand() -> None:
    table = opened()
    table.event(Misread(hand=Hand.BANKER, position=1))
    assert assign(table, "P") is None
    table.act(ClearAlert(alert=table.alert_number("bad_card_out_of_round")))
    assert table.alerts == ["undisclosed_card"]
    table.act(IdentifyCard(number=1, card=Card.parse("7H")))
    assert (lie(table), table.alerts) == ("p7H", [])


def test_nothing_is_assigned_where_all_lies_as_it_should() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    assert assign(table, "PBPB") == "nothing_changes"


def belongs(dealt: Sequence[Card]) -> str:
    """To which hand each card belongs, in the order of the draw."""
    deal, hands = Deal(), ""
    for card in dealt:
        side = deal.next_side
        hands += "-" if side is None else side.value[0].upper()
        if side is not None:
            deal.feed(card)
    return hands


@settings(max_examples=150)
@given(dealt=faces, said=st.text("PB-", min_size=4, max_size=7))
def test_exactly_one_assignment_is_accepted(dealt: list[Card], said: str) -> None:
    """Whatever the shoe says of their hands, the order of the draw and the rules alone say where cards belong."""
    table = opened()
    for card in dealt:
        table.event(CardDrawn(hand=Hand.PLAYER, card=card))
    right = belongs(dealt)
    refused = assign(table, said)
    if said != right:
        assert refused in ("not_by_rules", "not_all_cards")
        assert assign(table, right) is None
    assert table.state.round is not None
    laid = [(one.hand, one.card) for one in table.state.round.cards]
    assert laid == [(SIDES[hand], card) for hand, card in zip(right, dealt, strict=True) if hand != "-"]
    assert len(table.state.round.extras) == right.count("-")


# --- due in truth ----------------------------------------------------------------------------------------------------

DUE = ("2H", "4D", "KS", "2C")
"""As the cards are in truth: Player draws a third."""


@pytest.mark.parametrize("decided", ["not yet", "burned", "carried"])
def test_an_extra_card_that_was_due_in_truth_takes_its_place(decided: str) -> None:
    """Read as a 7, the 2 let Player stand; in truth the extra card is Player's third."""
    table = opened(shown_card=ShownCard.FREE_HAND)
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.EXTRA)
    if decided != "not yet":
        table.act(BurnExtraCard() if decided == "burned" else UseExtraCard())
    assert table.state.shoe is not None
    burned = table.state.shoe.burned
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("2H")))) is None
    assert lie(table) == "p2H b4D pKS b2C p5C"
    assert (table.last(CardsAssigned).person, table.last(CardsAssigned).taken_back) == (None, decided != "not yet")
    assert table.alerts == []
    assert table.state.shoe.carried is None
    assert table.state.shoe.burned == burned - (decided == "burned")
    # Banker, on 6 against a 5, stands: no other card decides the money.
    assert table.at(Phase.COMPLETE)
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.player.total == 7


@pytest.mark.parametrize("put_right", ["corrected", "assigned", "named"])
def test_one_that_was_burned_while_it_was_due_stays_burned(put_right: str) -> None:
    """The supervisor decided that it is not used, and the correction changes nothing about what was due."""
    table = opened()
    table.deal("2H 4D 3S")
    table.card(None if put_right == "named" else "2C")
    if put_right == "named":
        table.act(IdentifyCard(number=4, card=Card.parse("2C")))
    table.card("9S", Hand.EXTRA)
    table.act(BurnExtraCard())
    assert table.state.shoe is not None
    burned = table.state.shoe.burned
    if put_right == "assigned":
        assert assign(table, "PBPB", c1="2D") is None
    else:
        assert code_of(table.act(CorrectCard(number=1, card=Card.parse("2D")))) is None
    assert (lie(table), table.state.shoe.burned) == ("p2D b4D p3S b2C", burned)
    table.card("8C")
    assert lie(table) == "p2D b4D p3S b2C p8C"


def test_also_among_the_first_four_where_one_is_not_read_yet() -> None:
    table = opened()
    table.card("9H")
    table.event(Misread(hand=Hand.BANKER, position=1))
    table.card("7S", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.act(IdentifyCard(number=2, card=Card.parse("4D")))
    assert (lie(table), table.alerts) == ("p9H b4D", [])


@pytest.mark.parametrize("decided", ["burned", "carried"])
def test_one_that_came_before_the_result_was_taken_back_takes_its_place(decided: str) -> None:
    """Drawn as Player's third, the shoe took it for one drawn between two rounds."""
    table = opened(shown_card=ShownCard.FREE_HAND, reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.card("5C", Hand.EXTRA)
    table.act(BurnExtraCard() if decided == "burned" else UseExtraCard())
    table.act(UndoLastResult(), person="ann")
    table.act(Approve(proposal=1), person="ben")
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert lie(table) == "p2H b4D pKS b2C p5C"
    assert table.last(CardsAssigned).taken_back == 1


def test_where_the_next_round_began_with_it_no_other_card_takes_its_place() -> None:
    """It lies in a round that was voided: entered, it would be counted twice."""
    table = opened()
    due_card_elsewhere(table)
    assert remedies(table) == [("out_of_turn", "void")]
    assert code_of(table.act(EnterCard(number=5, card=Card.parse("5C")))) == "order_disturbed"
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("7H")))) is None
    assert (table.alerts, table.at(Phase.COMPLETE)) == ([], True)


def test_nor_does_one_that_is_drawn_meanwhile() -> None:
    table = opened()
    due_card_elsewhere(table)
    table.card("8C")
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("2D")))) is None
    assert remedies(table) == [("out_of_turn", "void")]
    assert code_of(table.dealer(Confirm())) == "stopped"


def test_nor_one_that_was_drawn_before_the_correction() -> None:
    table = opened()
    due_card_elsewhere(table)
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    table.card("8C", Hand.EXTRA)
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert lie(table) == "p2H b4D pKS b2C"
    assert ("out_of_turn", "void") in remedies(table)


def test_nor_the_next_where_one_is_discarded() -> None:
    table = opened(discarded_card=DiscardedCard.NEXT_CARD)
    due_card_elsewhere(table)
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    discard = DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=Card.parse("7H"))
    assert code_of(table.act(discard)) is None
    assert remedies(table) == [("out_of_turn", "void")]


def test_where_no_other_card_left_since_the_next_one_takes_the_place_of_a_discarded_one() -> None:
    table = opened(discarded_card=DiscardedCard.NEXT_CARD)
    table.deal("2H 4D 3S 2C 9S")
    table.dealer(Confirm())
    table.act(UndoLastResult(), person="ann")
    table.act(Approve(proposal=1), person="ben")
    discard = DiscardCard(number=5, cause=DiscardCause.DAMAGED, card=Card.parse("9S"))
    assert code_of(table.act(discard)) is None
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("2D")))) is None
    assert "out_of_turn" not in table.alerts
    table.card("8C")
    assert lie(table) == "p2D b4D p3S b2C p8C"


def test_one_that_was_not_read_is_named_in_its_place() -> None:
    table = opened()
    table.deal("9H 2D KS 3C")
    table.event(Misread(hand=Hand.EXTRA))
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert table.alerts == ["bad_card_out_of_round", "undisclosed_card"]
    assert view_of(table.state, read_rules).alerts[1].detail == CardOfRound(number=5, hand=Side.PLAYER)
    assert code_of(table.act(IdentifyCard(number=5, card=Card.parse("6S")))) is None
    assert table.alerts == ["bad_card_out_of_round"]


def test_also_after_the_result_was_taken_back() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.EXTRA)
    table.act(UseExtraCard())
    table.dealer(Confirm())
    table.act(UndoLastResult(), person="ann")
    table.act(Approve(proposal=1), person="ben")
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert lie(table) == "p2H b4D pKS b2C p5C"


def test_also_when_a_card_is_named_and_the_next_was_drawn_while_the_shoe_was_stopped() -> None:
    table = opened()
    table.deal("7H 4D")
    table.card(None)
    table.event(Fault(code=FaultCode.UNREADABLE, stopped=True))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("2C")))
    table.act(IdentifyCard(number=3, card=Card.parse("KS")))
    assert lie(table) == "p7H b4D pKS b2C"
    assert "extra_card" not in table.alerts


def test_after_a_correction_a_card_that_the_shoe_calls_extra_is_the_one_that_is_due() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))
    assert lie(table) == "p2H b4D pKS b2C p5C"
    assert table.alerts == []
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("6C")))
    assert table.alerts == ["over_draw"]


def test_in_a_shoe_of_an_earlier_revision_it_stays_extra() -> None:
    table = Sitting()
    table.revision = 2
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.EXTRA)
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert lie(table) == "p2H b4D pKS b2C"
    assert table.alerts == ["over_draw"]


# --- discarded -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", DiscardCause)
def test_a_discarded_card_stays_counted_and_the_next_takes_its_place(cause: DiscardCause) -> None:
    table = opened(**DISCARDS)
    table.deal("7H 4D")
    assert discard(table, number=2, cause=cause) is None
    assert code_of(table.act(DiscardCard(number=1, cause=cause, card=Card.parse("4D")))) == "other_card"
    told = table.last(CardDiscarded)
    assert (told.place.number, told.place.card, told.cause) == (2, Card.parse("4D"), cause)
    assert lie(table) == "p7H"
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, table.state.shoe.discarded) == (4, 1)
    assert view_of(table.state, read_rules).discarded == 1
    assert table.state.shoe.copies[Card.parse("4D").number] == (cause is not DiscardCause.FOREIGN)
    # By its own count the shoe is at Player's second card.
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=Card.parse("5D")))
    table.event(CardDrawn(hand=Hand.BANKER, position=2, card=Card.parse("KS")))
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("AC")))
    assert lie(table) == "p7H b5D pKS bAC"
    assert table.alerts == []
    assert table.at(Phase.COMPLETE)


def test_cards_drawn_after_it_move_up() -> None:
    table = opened(**DISCARDS)
    table.deal("7H 4D KS 2C")
    assert discard(table, number=2, cause=DiscardCause.FACE_UP) is None
    assert lie(table) == "p7H bKS p2C"
    assert [place.hand for place in table.last(CardDiscarded).places] == [Side.PLAYER, Side.BANKER, Side.PLAYER]
    assert table.at(Phase.DEALING)
    table.card("6D")
    assert table.at(Phase.COMPLETE)


def test_a_foreign_card_is_discarded_and_its_alert_is_over() -> None:
    table = opened(card_sets=("ours",), **DISCARDS)
    table.card("7H", deck_set="theirs")
    assert remedies(table) == [("foreign_card", Remedy.DISCARD), ("bad_shoe", None)]
    assert discard(table, number=1, cause=DiscardCause.FOREIGN) is None
    assert table.alerts == []
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.winner is Winner.PLAYER


@pytest.mark.parametrize("found_by", ["reader", "supervisor"])
def test_a_round_without_its_foreign_card_is_the_last_of_the_shoe(found_by: str) -> None:
    table = opened(card_sets=("ours",), **DISCARDS)
    rounds = len(table.all(BettingOpened))
    table.card("7H", deck_set="theirs" if found_by == "reader" else "ours")
    assert discard(table, number=1, cause=DiscardCause.FOREIGN) is None
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert table.alerts == ["bad_shoe"]
    assert len(table.all(BettingOpened)) == rounds
    table.act(EndShoe())
    assert table.alerts == []
    ended = table.last(ShoeEnded).inventory
    assert ended is not None
    assert (ended.foreign, sum(ended.known.values()) + ended.unseen) == (1, table.last(ShoeEnded).cards_out)
    assert ended.known.get(Card.parse("7H"), 0) == PLAYER_WINS.count("7H")


DUPLICATES: list[AnyShoeEvent] = [
    CardDrawn(hand=Hand.BANKER, position=1, card=Card.parse("4H"), card_id="a piece"),
    ForeignCard(hand=Hand.BANKER, position=1, card_id="a piece"),
]


@pytest.mark.parametrize("duplicate", DUPLICATES)
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_piece_that_came_twice_and_is_discarded_as_foreign_is_one_proof(
    duplicate: AnyShoeEvent, *, goes_on: bool
) -> None:
    table = opened(**DISCARDS)
    table.card("7H", Hand.PLAYER, position=1, card_id="a piece")
    table.event(duplicate)
    assert "card_twice" in table.alerts
    assert discard(table, number=2, cause=DiscardCause.FOREIGN) is None
    assert table.alerts == []
    if goes_on:
        table.deal("4D KS 2C")
        table.dealer(Confirm())
    else:
        table.act(VoidRound())
    assert [alert.detail for alert in table.state.lasting.alerts] == [ProvenBad(proof=ShoeProof.FOREIGN_CARD)]


def test_in_a_shoe_of_an_earlier_revision_it_is_two() -> None:
    table = Sitting(discarded_card=DiscardedCard.NEXT_CARD)
    table.revision = 3
    table.open_shoe()
    table.card("7H", Hand.PLAYER, position=1, card_id="a piece")
    table.event(DUPLICATES[0])
    discard(table, number=2, cause=DiscardCause.FOREIGN)
    table.act(VoidRound())
    assert table.alerts == ["bad_shoe", "bad_shoe"]


@pytest.mark.parametrize("put_right", ["discarded", "assigned"])
def test_a_burned_card_takes_the_place_of_one_that_is_discarded_or_named_otherwise(put_right: str) -> None:
    """It was drawn next, so it is due, and no card after it decides the money."""
    table = opened(**DISCARDS)
    table.deal("9H KD KS 5C")
    table.card("7H", Hand.EXTRA)
    table.act(BurnExtraCard())
    burned = table.state.shoe and table.state.shoe.burned
    if put_right == "discarded":
        assert discard(table, number=1, cause=DiscardCause.FACE_UP) is None
    else:
        assert assign(table, "PBPB", c1="3H") is None
    lay = {"discarded": "pKD bKS p5C b7H", "assigned": "p3H bKD pKS b5C p7H"}
    assert lie(table) == lay[put_right]
    assert (table.last(CardsAssigned).person, table.last(CardsAssigned).taken_back) == (None, 1)
    assert table.state.shoe is not None
    assert table.state.shoe.burned == (burned or 0) - 1


def test_no_extra_card_is_assigned_before_a_burned_one_that_left_earlier() -> None:
    table = opened()
    table.deal("9H KD KS 5C")
    table.card("7H", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.card("2S", Hand.EXTRA)
    assert assign(table, "PBPBP", c1="3H") == "not_by_rules"
    assert assign(table, "PBPB-", c1="3H") is None
    assert lie(table) == "p3H bKD pKS b5C p7H b2S"


def test_no_later_card_takes_the_place_of_a_burned_one_that_may_be_due() -> None:
    """Player's third is foreign: whether Banker draws, or the burned card replaces it, is not known yet."""
    table = opened(**DISCARDS)
    table.deal("9S 7C QS 8H")
    table.event(ForeignCard(hand=Hand.EXTRA))
    table.card("5H", Hand.EXTRA)
    table.act(BurnExtraCard())
    assert assign(table, "PBPB", c3="2S") is None
    assert (lie(table), "foreign_card" in table.alerts) == ("p9S b7C p2S b8H pNone", True)
    table.card("TD", Hand.BANKER, position=3)
    assert (lie(table), "extra_card" in table.alerts) == ("p9S b7C p2S b8H pNone", True)
    assert discard(table, number=5, cause=DiscardCause.FOREIGN) is None
    assert lie(table) == "p9S b7C p2S b8H p5H bTD"
    assert table.alerts == ["bad_card_out_of_round"]


def found_after_it_was_entered(table: Sitting) -> None:
    table.act(BeginHandEntry())
    table.dealer(DealCard(card=Card.parse("9H")))
    table.event(ForeignCard(hand=Hand.PLAYER, position=1), age_ms=150)


def found_by_a_fault(table: Sitting) -> None:
    table.card("9H")
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))


def found_in_the_wrong_hand(table: Sitting) -> None:
    table.event(ForeignCard(hand=Hand.BANKER, position=1))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    assert assign(table, "P") is None


@pytest.mark.parametrize("found", [found_after_it_was_entered, found_by_a_fault, found_in_the_wrong_hand])
def test_a_foreign_card_is_counted_as_one(found: Callable[[Sitting], None]) -> None:
    table = opened(**DISCARDS)
    found(table)
    assert "bad_shoe" in table.alerts
    assert discard(table, 1, DiscardCause.FOREIGN) is None
    assert "bad_shoe" not in table.alerts
    assert table.state.shoe is not None
    assert table.state.shoe.foreign == 1


SECOND: list[list[AnyShoeEvent]] = [
    [ForeignCard(hand=Hand.PLAYER, position=1)],
    [CardDrawn(hand=Hand.PLAYER, card=Card.parse("9H")), Fault(code=FaultCode.FOREIGN_CARD, stopped=True)],
]


@pytest.mark.parametrize("second", SECOND)
def test_a_second_foreign_card_of_the_round_is_another_proof(second: list[AnyShoeEvent]) -> None:
    table = opened(**DISCARDS)
    table.event(ForeignCard(hand=Hand.PLAYER, position=1))
    assert discard(table, 1, DiscardCause.FOREIGN) is None
    assert table.alerts == []
    for event in second:
        table.event(event)
    assert "bad_shoe" in table.alerts
    assert discard(table, 1, DiscardCause.FOREIGN) is None
    assert "bad_shoe" not in table.alerts
    assert table.state.shoe is not None
    assert table.state.shoe.foreign == 2


def test_a_foreign_card_is_found_beside_what_stands_about_another() -> None:
    table = opened()
    table.event(Misread(hand=Hand.BURN))
    table.card(None)
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    assert table.alerts == ["burned_between_rounds", "bad_card_out_of_round", "foreign_card", "bad_shoe"]
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    assert table.state.shoe is not None
    assert table.state.shoe.foreign == 1
    table = opened()
    table.event(Misread(hand=Hand.BURN))
    table.act(ClearAlert(alert=table.alert_number("burned_between_rounds")))
    table.event(ForeignCard(hand=Hand.BURN))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    assert table.state.shoe is not None
    assert table.state.shoe.foreign == 1


def test_a_third_card_whose_hand_the_shoe_gave_moves_only_where_the_faces_say_so() -> None:
    """It gave the hand by the faces of four cards; without the first of them, Player may draw instead of Banker."""
    table = opened(**DISCARDS)
    for hand in (Hand.PLAYER, Hand.BANKER, Hand.PLAYER, Hand.BANKER, Hand.PLAYER, Hand.BANKER):
        table.card(None, hand)
    assert discard(table, number=1, cause=DiscardCause.DAMAGED) == "card_is_unknown"
    assert discard(table, number=6, cause=DiscardCause.DAMAGED) is None


def test_a_card_that_is_named_last_of_all_ends_the_shoe() -> None:
    """The shoe has given its result: with the last card known the round is settled, and no place is left to take."""
    table = opened()
    table.event(CutCard())
    table.deal("9H KD KS")
    table.card(None, Hand.BANKER)
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == ["undisclosed_card"]
    table.act(IdentifyCard(number=4, card=Card.parse("5C")))
    assert table.last(RoundResult).outcome.winner is Winner.PLAYER
    assert table.at(Phase.ENDED)


def test_nothing_is_bet_when_the_last_round_of_a_bad_shoe_is_settled_by_itself() -> None:
    """It was confirmed, and settled when the shoe came back: the alert stands from then on, not from the next input."""
    table = opened(card_sets=("ours",), **DISCARDS)
    table.card("7H", deck_set="theirs")
    discard(table, number=1, cause=DiscardCause.FOREIGN)
    table.deal(PLAYER_WINS)
    table.event(Fault(code=FaultCode.GATE_FORCED))
    table.result(IndicatedWinner.PLAYER)
    table.give(LinkLost(reason="cable"))
    table.act(ClearAlert(alert=table.alert_number("gate_forced")))
    assert table.alerts == ["shoe_lost"]
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    assert table.last(RoundResult).outcome.winner is Winner.PLAYER
    assert table.alerts == ["bad_shoe"]
    assert isinstance(table.bet("1", "base.player", 100).refusal, TableStopped)


def test_where_the_house_does_not_discard_the_round_is_void() -> None:
    table = opened(card_sets=("ours",))
    table.card("7H", deck_set="theirs")
    assert remedies(table) == [("foreign_card", Remedy.VOID), ("bad_shoe", None)]
    assert discard(table, number=1, cause=DiscardCause.FOREIGN) == "nothing_discarded"


def test_what_can_be_discarded() -> None:
    table = opened(**DISCARDS)
    table.deal("7H")
    assert discard(table, number=2, cause=DiscardCause.DAMAGED) == "no_such_card"
    table.card("4D", Hand.PLAYER)
    assert discard(table, number=1, cause=DiscardCause.DAMAGED) == "order_unknown"
    table = opened(reveal=Reveal.AT_RESULT, **DISCARDS)
    table.deal(PLAYER_WINS)
    assert discard(table, number=2, cause=DiscardCause.DAMAGED) == "cards_lie_face_down"
    assert discard(table, number=4, cause=DiscardCause.DAMAGED) is None


def test_an_extra_card_is_the_next_one_where_it_was_drawn() -> None:
    table = opened(**DISCARDS)
    table.deal(PLAYER_WINS)
    table.card("6C", Hand.EXTRA)
    discard(table, number=4, cause=DiscardCause.DAMAGED)
    assert lie(table) == "p7H b4D pKS b6C"
    assert table.alerts == []


def test_faces_that_the_shoe_gives_for_places_are_not_believed_after_it() -> None:
    table = opened(reveal=Reveal.AT_RESULT, **DISCARDS)
    for hand in (Hand.PLAYER, Hand.BANKER, Hand.PLAYER):
        table.card(None, hand)
    discard(table, number=3, cause=DiscardCause.DAMAGED)
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("9H")))
    assert table.alerts == ["undisclosed_card", "undisclosed_card"]


# --- the first card --------------------------------------------------------------------------------------------------


def burning(first: str, burned: int) -> Sitting:
    table = Sitting()
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse(first), first_of_shoe=True))
    for _ in range(burned):
        table.event(CardDrawn(hand=Hand.BURN))
    return table


@pytest.mark.parametrize(("now", "left"), [("5H", 3), ("KH", 8), ("4H", 2)])
def test_the_first_card_is_corrected_and_the_burns_follow(now: str, left: int) -> None:
    table = burning("3H", 2)
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse(now)))) == "no_such_card"
    assert code_of(table.act(CorrectCard(number=0, card=Card.parse("3H")))) == "same_card"
    assert code_of(table.act(CorrectCard(number=0, card=Card.parse(now)))) is None
    view = view_of(table.state, read_rules)
    assert (view.prompt.code, getattr(view.prompt, "cards", None)) == ("burn_cards", left)
    for remaining in range(left, 0, -1):
        assert table.at(Phase.BURNING), remaining
        # The shoe counts by what it read.
        table.event(CardDrawn(hand=Hand.BURN if remaining > 1 else Hand.PLAYER, burns_left=0))
    assert table.at(Phase.BETTING)
    assert table.alerts == []
    assert table.state.shoe is not None
    assert table.state.shoe.copies[Card.parse("3H").number] == 0


@pytest.mark.parametrize(("first", "now"), [("5H", "3H"), ("3H", "5H")])
def test_the_first_round_lies_by_the_rules_while_the_shoe_counts_by_what_it_read(first: str, now: str) -> None:
    table = burning(first, 2)
    table.act(CorrectCard(number=0, card=Card.parse(now)))
    dealt = [Hand.BURN] * (int(first[0]) - 2) + [Hand.PLAYER, Hand.BANKER] * 3
    left = int(first[0]) - 2
    for number, text in enumerate(["2C"] * (int(now[0]) - 2) + ["7H", "4D", "KS", "2C"]):
        burns = left - number - 1 if dealt[number] is Hand.BURN else None
        table.event(CardDrawn(hand=dealt[number], card=Card.parse(text), burns_left=burns))
    assert lie(table) == "p7H b4D pKS b2C"
    assert table.alerts == []


@pytest.mark.parametrize(("now", "laid"), [("4H", 2), ("6H", 0), ("7H", 0)])
def test_nor_is_a_card_extra_in_it_that_the_shoe_takes_for_one(now: str, laid: int) -> None:
    """The shoe read a 2, burned 2, and dealt a natural; the rest of these are burned, or of the first round."""
    table = Sitting()
    table.announce()
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("2D"), first_of_shoe=True))
    table.act(CorrectCard(number=0, card=Card.parse(now)))
    for left in (1, 0):
        table.event(CardDrawn(hand=Hand.BURN, burns_left=left))
    for text, hand, position in (("9H", "player", 1), ("2H", "banker", 1), ("KH", "player", 2), ("3H", "banker", 2)):
        table.event(CardDrawn(hand=Hand(hand), position=position, card=Card.parse(text)))
    for text in ("8S", "5S"):
        table.event(Fault(code=FaultCode.OVER_DRAW))
        table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse(text)))
    assert table.alerts == []
    assert table.state.round is not None
    assert len(table.state.round.cards) == (laid + 2 if now != "7H" else 1)


def test_after_the_first_round_what_the_shoe_burns_is_burned() -> None:
    table = burning("3S", 0)
    table.act(CorrectCard(number=0, card=Card.parse("AS")))
    table.event(CardDrawn(hand=Hand.BURN))
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.event(CardDrawn(hand=Hand.BURN, burns_left=0))
    assert (table.alerts, table.state.phase) == (["burned_between_rounds"], Phase.BETTING)


def test_faces_that_the_shoe_names_by_place_are_of_other_cards_in_the_first_round() -> None:
    """It dealt the last burned cards to the hands, by what it read: its places are not those of the table."""
    table = burning("AS", 0)
    table.act(CorrectCard(number=0, card=Card.parse("3S")))
    for hand, position in ((Hand.BURN, None), (Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)):
        table.event(CardDrawn(hand=hand, position=position))
    assert table.state.round is not None
    assert len(table.state.round.cards) == 2
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))
    assert [laid.card for laid in table.state.round.cards] == [None, None]
    assert table.alerts == ["undisclosed_card", "undisclosed_card"]
    table.act(IdentifyCard(number=1, card=Card.parse("4D")))
    assert [laid.card for laid in table.state.round.cards] == [Card.parse("4D"), None]


def test_cards_that_the_shoe_burns_unread_are_asked_for_where_they_are_dealt() -> None:
    table = burning("9H", 5)
    table.act(CorrectCard(number=0, card=Card.parse("5H")))
    for left in (3, 2):
        table.event(CardDrawn(hand=Hand.BURN, burns_left=left))
    assert (lie(table), table.alerts) == ("pNone bNone", ["undisclosed_card", "undisclosed_card"])
    for number, text in enumerate(("7H", "4D"), 1):
        table.act(IdentifyCard(number=number, card=Card.parse(text)))
    assert (lie(table), table.alerts) == ("p7H b4D", [])


def test_more_were_burned_than_a_first_card_says_that_is_named_late() -> None:
    table = Sitting()
    table.announce()
    table.event(Misread(hand=Hand.BURN))
    for _ in range(5):
        table.event(CardDrawn(hand=Hand.BURN))
    table.act(IdentifyCard(number=0, card=Card.parse("2H")))
    assert table.alerts == ["burn_differs"]
    assert table.state.lasting.alerts[0].detail == BurnedTooMany(burned=5, to_burn=2)


def test_a_first_card_that_was_not_read_is_named_also_once_the_first_round_is_dealt() -> None:
    table = Sitting()
    table.announce()
    table.event(Misread(hand=Hand.BURN))
    table.card("4D", Hand.PLAYER, position=1)
    assert table.alerts == ["misread", "burn_differs"]
    assert code_of(table.act(IdentifyCard(number=0, card=Card.parse("2H")))) is None
    assert table.alerts == ["burn_differs"]
    assert table.state.shoe is not None
    assert table.state.shoe.copies[Card.parse("2H").number] == 1
    assert code_of(table.act(IdentifyCard(number=0, card=Card.parse("2H")))) == "no_such_card"


def test_more_were_burned_already_than_the_first_card_says() -> None:
    table = burning("9H", 5)
    table.act(CorrectCard(number=0, card=Card.parse("3H")))
    assert table.alerts == ["burn_differs"]
    assert table.at(Phase.BETTING)
    table.act(ClearAlert(alert=table.alert_number("burn_differs")))
    assert table.alerts == []


def test_just_as_many_were_burned_as_it_says_now() -> None:
    table = burning("9H", 3)
    table.act(CorrectCard(number=0, card=Card.parse("3H")))
    assert table.alerts == []
    assert table.at(Phase.BETTING)
