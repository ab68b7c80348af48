"""Cards that came before the round on the table was decided on: none is dealt twice, and none waits unnoticed."""

from collections.abc import Callable
from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, ForeignCard, Hand, IndicatedWinner, Misread, ResultIndicated, Started
from shoe_controller.messages.acts import (
    AnyAct,
    BeginHandEntry,
    ClearAlert,
    Confirm,
    CorrectCard,
    DealCard,
    DiscardCard,
    EnterCard,
    IdentifyCard,
    VoidRound,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import CardDealt, RoundResult, RoundSettled
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import DiscardedCard, Reveal
from shoe_controller.messages.prompts import EnterReportedCards
from shoe_controller.messages.refusals import AnyRefusal, CardWaits
from shoe_controller.table.dealing_on import WAITS_ALSO_BY_HAND
from shoe_controller.table.desired_shoe import desired_shoe
from shoe_controller.table.inputs import ControllerStarted, LinkBack, LinkLost
from shoe_controller.table.procedure import GateLocks
from shoe_controller.table.view import prompt
from tests.table.sitting import Sitting

PLACES = [(Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)]
PLAYER_WINS = ["7H", "4D", "KS", "2C"]
NEXT = ["2H", "4S", "KC", "3C"]
"""Player has 2 and draws."""
NATIVE = LinkBack(keeps_events=True, authenticated=True, boot_id=1)


def round_of(faces: list[str]) -> list[CardDrawn]:
    return [
        CardDrawn(hand=hand, position=at, card=Card.parse(face)) for (hand, at), face in zip(PLACES, faces, strict=True)
    ]


def table_with(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    table = Sitting(gate_locks=GateLocks.WHEN_STOPPED, **procedure)
    table.give(NATIVE)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def stopped_with_result(table: Sitting) -> None:
    """A card was corrected to the wrong face before the shoe gave its result."""
    for event in round_of(PLAYER_WINS):
        table.event(event)
    table.act(CorrectCard(number=1, card=Card.parse("6H")))
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    assert table.alerts == ["result_differs"]


def test_a_restart_that_waits_lets_no_card_of_another_round_wait_unnoticed() -> None:
    table = table_with()
    stopped_with_result(table)
    table.event(Started())
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    assert (table.alerts, table.state.phase) == ([], Phase.COMPLETE), "the dealer has to confirm it anew"
    table.event(round_of(NEXT)[0])
    assert table.alerts == ["place_filled"]


def test_no_card_is_let_out_while_others_wait_for_the_round_before_them() -> None:
    table = table_with()
    stopped_with_result(table)
    table.event(round_of(NEXT)[0])
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    assert table.alerts == []
    assert desired_shoe(table.state).gate_locked


def test_cards_that_wait_go_on_with_a_round_from_which_the_first_was_discarded() -> None:
    table = table_with(discarded_card=DiscardedCard.NEXT_CARD)
    table.event(ForeignCard(card=None, card_id=None, deck_set=None, hand=Hand.PLAYER, position=1))
    # The shoe ends this round, and deals what it takes for another one.
    table.event(ResultIndicated(winner=None))
    for event in round_of(PLAYER_WINS):
        table.event(event)
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    assert len(table.all(CardDealt)) == 1
    table.act(DiscardCard(number=1, cause=DiscardCause.FOREIGN, card=None))
    [settled] = table.all(RoundSettled)
    assert [(row.seat, row.returned) for row in settled.settlement.wagers] == [("1", 100)]
    assert (settled.round, table.alerts) == (1, ["bad_shoe"])


def test_a_card_that_was_entered_while_others_waited_is_not_dealt_again() -> None:
    """Those that waited were reported before it, so that the shoe reports it after them."""
    table = table_with(reveal=Reveal.AT_RESULT)
    stopped_with_result(table)
    for event in round_of(NEXT):
        table.event(event)
    table.give(LinkLost(reason="the cable was pulled"))
    table.wait(5)
    assert table.act(EnterCard(number=5, card=Card.parse("8D"))).refusal is None
    assert table.act(VoidRound()).refusal is None
    dealt = len(table.all(CardDealt))
    cards_out = table.state.shoe.cards_out if table.state.shoe else 0
    table.give(NATIVE)
    table.event(CardDrawn(hand=Hand.PLAYER, position=3, card=Card.parse("8D")), age_ms=7000)
    assert len(table.all(CardDealt)) == dealt
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out == cards_out


def test_a_round_that_lacks_cards_says_so_when_nothing_else_stops_the_table() -> None:
    """The shoe has ended it by force and dealt another: the table would ask for a card, and let that one wait too."""
    table = table_with()
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.event(ResultIndicated(winner=None))
    for event in round_of(PLAYER_WINS):
        table.event(event)
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    assert table.alerts == ["misread"]
    table.act(IdentifyCard(number=1, card=Card.parse("8S")))
    assert table.alerts == ["place_filled"]
    table.act(VoidRound())
    assert table.alerts == []
    assert table.all(RoundResult)[-1].round == 2


def restarted_in_round(table: Sitting) -> None:
    """The shoe lost its power after three cards; nobody has said yet whether what comes next is of that round."""
    for event in round_of(NEXT)[:3]:
        table.event(event)
    table.event(Started())


def entered(table: Sitting, face: str) -> AnyRefusal | None:
    return table.act(EnterCard(number=4, card=Card.parse(face), hand=None)).refusal


def test_a_card_that_waits_is_not_entered_as_well() -> None:
    table = table_with()
    restarted_in_round(table)
    table.event(round_of(PLAYER_WINS)[0])
    assert entered(table, "7H") == CardWaits()
    assert len(table.all(CardDealt)) == 3
    assert entered(table, "3H") is None, "the shoe has not reported this one"


def test_while_a_card_waits_whose_face_is_not_told_none_is_entered() -> None:
    table = table_with()
    restarted_in_round(table)
    table.event(Misread(hand=Hand.BANKER, position=2))
    assert entered(table, "3H") == CardWaits()


# --- dealing by hand begins while cards wait -------------------------------------------------------------------------


def with_cards_that_wait(*, by_hand: bool) -> Sitting:
    """Round 1 is stopped with the shoe's result, and four cards of round 2 wait."""
    table = table_with()
    stopped_with_result(table)
    for event in round_of(NEXT):
        table.event(event)
    if by_hand:
        assert table.act(BeginHandEntry()).refusal is None
        assert table.alerts == ["result_differs"]
    return table


def right_card(table: Sitting) -> None:
    assert table.act(CorrectCard(number=1, card=Card.parse("7H"))).refusal is None


def confirmed(table: Sitting) -> None:
    right_card(table)
    assert table.dealer(Confirm()).refusal is None


def voided(table: Sitting) -> None:
    assert table.act(VoidRound()).refusal is None


def faces(table: Sitting) -> tuple[int, list[str | None], int]:
    """The round on the table with its cards, and how many left the shoe."""
    state = table.state
    assert state.shoe is not None
    cards = () if state.round is None else state.round.cards
    return state.round_number, [None if laid.card is None else laid.card.value for laid in cards], state.shoe.cards_out


@pytest.mark.parametrize("decided", [confirmed, voided])
@pytest.mark.parametrize("by_hand", [False, True])
def test_cards_that_wait_are_dealt_to_the_next_round_also_by_hand(
    decided: Callable[[Sitting], None], *, by_hand: bool
) -> None:
    table = with_cards_that_wait(by_hand=by_hand)
    decided(table)
    assert faces(table) == (2, NEXT, 10)
    assert (table.alerts, table.state.phase) == ([], Phase.DEALING)
    assert [fact.round for fact in table.all(RoundSettled)] == ([1] if decided is confirmed else [])


@pytest.mark.parametrize("by_hand", [False, True])
def test_cards_that_wait_after_a_restart_go_on_with_its_round_also_by_hand(*, by_hand: bool) -> None:
    table = table_with()
    restarted_in_round(table)
    for event in round_of(PLAYER_WINS)[:2]:
        table.event(event)
    before = faces(table)
    if by_hand:
        assert table.act(BeginHandEntry()).refusal is None
    assert (faces(table), table.alerts) == (before, ["shoe_restarted"])
    table.act(ClearAlert(alert=table.alert_number("shoe_restarted")))
    assert faces(table) == (1, [*NEXT[:3], *PLAYER_WINS[:2]], 7)
    assert table.alerts == []


def test_what_the_shoe_reports_by_hand_comes_after_the_cards_that_wait() -> None:
    table = with_cards_that_wait(by_hand=True)
    table.event(CardDrawn(hand=Hand.PLAYER, position=3, card=Card.parse("5C")))
    right_card(table)
    assert not isinstance(prompt(table.state), EnterReportedCards)
    deal: AnyAct = DealCard(card=Card.parse("5C"))
    assert table.dealer(deal).refusal == CardWaits(), "of the round that is not confirmed it is none"
    assert table.dealer(Confirm()).refusal is None
    assert faces(table) == (2, NEXT, 10)
    assert prompt(table.state) == EnterReportedCards(cards=1)
    assert table.dealer(deal).refusal is None
    assert faces(table) == (2, [*NEXT, "5C"], 11)
    assert table.alerts == []


def test_a_void_by_hand_takes_no_card_that_came_after_those_that_wait() -> None:
    table = with_cards_that_wait(by_hand=True)
    table.event(CardDrawn(hand=Hand.PLAYER, position=3, card=Card.parse("5C")))
    voided(table)
    assert faces(table) == (2, NEXT, 10)
    assert prompt(table.state) == EnterReportedCards(cards=1)
    assert table.alerts == []


def test_in_a_journal_of_an_earlier_program_they_were_dealt_at_once() -> None:
    table = with_cards_that_wait(by_hand=False)
    table.give(ControllerStarted(boot="first", revision=WAITS_ALSO_BY_HAND - 1))
    table.give(NATIVE)
    table.act(BeginHandEntry())
    assert table.alerts == ["result_differs", "place_filled"]
