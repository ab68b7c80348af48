"""Corrected and identified cards: everything after them is worked out anew, and no card ever changes its hand.

Also results that are taken back: what is settled then replaces what was settled before.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import CardIdentified, CutCard, Hand, IndicatedWinner, ResultIndicated
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.outcome import outcome_of
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.actors import Shoe
from shoe_controller.messages.acts import (
    Approve,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    IdentifyCard,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.facts import (
    BettingOpened,
    CardCorrected,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"
"""Player stands on 7, Banker on 6."""

PLAYER_DRAWS = [Card.parse(text) for text in ("2H", "3D", "KS", "2C", "5H", "9C")]

cards = st.sampled_from(CARDS_BY_NUMBER)


def legal_round(faces: list[Card]) -> Deal:
    """As many of six cards as the rules allow."""
    deal = Deal()
    for card in faces:
        if not deal.complete:
            deal.feed(card)
    return deal


def hands_of(table: Sitting) -> list[tuple[Side, int]]:
    assert table.state.round is not None
    return [(laid.hand, number) for number, laid in enumerate(table.state.round.cards)]


@settings(max_examples=250)
@given(faces=st.lists(cards, min_size=6, max_size=6), place=st.integers(0, 5), other=cards, last=cards)
@example(faces=PLAYER_DRAWS, place=0, other=Card.parse("9H"), last=Card.parse("AC"))
def test_any_card_of_any_round_corrected_to_any_other(faces: list[Card], place: int, other: Card, last: Card) -> None:
    table = Sitting(burn=False)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    dealt = list(legal_round(faces).cards)
    table.deal(" ".join(card.value for card in dealt))
    place %= len(dealt)
    if dealt[place] is other:
        return
    before = hands_of(table)
    assert table.act(CorrectCard(number=place + 1, card=other)).refusal is None
    assert hands_of(table) == before, "no card changes its hand"
    told = table.last(CardCorrected)
    assert (told.place.number, told.place.card, told.place.hand) == (place + 1, other, before[place][0])

    corrected = [*dealt[:place], other, *dealt[place + 1 :]]
    count_is_right(table, corrected)
    deal = Deal()
    try:
        for (hand, _), card in zip(before, corrected, strict=True):
            deal.feed(card, hand)
    except DealError:
        assert table.alerts == ["card_not_due"]
        only_voiding_or_correcting_helps(table, place, dealt[place])
        return
    assert table.alerts == []
    if not deal.complete:
        assert table.at(Phase.DEALING)
        assert table.table.desired_shoe.next_hand is (Hand.PLAYER if deal.next_side is Side.PLAYER else Hand.BANKER)
        while not deal.complete:
            table.card(last.value)
            deal.feed(last)
    assert table.at(Phase.COMPLETE)
    table.dealer(Confirm())
    house = read_rules(table.rules)
    assert table.last(RoundResult).outcome == outcome_of(deal, house.schedule)


def count_is_right(table: Sitting, expected: list[Card]) -> None:
    assert table.state.shoe is not None
    assert table.state.shoe.copies == tuple(expected.count(card) for card in CARDS_BY_NUMBER)


def only_voiding_or_correcting_helps(table: Sitting, place: int, was: Card) -> None:
    assert table.dealer(Confirm()).refusal is not None
    for winner in IndicatedWinner:
        table.event(ResultIndicated(winner=winner))
    assert table.all(RoundResult) == []
    assert table.alerts == ["card_not_due"]
    if place % 2:
        table.act(VoidRound())
        assert table.last(RoundVoided).total == 50
        assert table.at(Phase.BETTING)
    else:
        table.act(CorrectCard(number=place + 1, card=was))
    assert table.alerts == []


@settings(max_examples=60)
@given(faces=st.lists(cards, min_size=6, max_size=6), unread=st.sets(st.integers(0, 5), min_size=1))
def test_unread_cards_that_are_identified_come_to_the_same_round(faces: list[Card], unread: set[int]) -> None:
    dealt = legal_round(faces)
    table = Sitting(burn=False)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    sides = list(_sides(dealt))
    for number, (side, card) in enumerate(sides):
        table.card(None if number in unread else card.value, Hand(side.value))
    for number, (_, card) in enumerate(sides):
        if number in unread:
            assert table.act(IdentifyCard(number=number + 1, card=card)).refusal is None
    count_is_right(table, list(dealt.cards))
    assert table.alerts == []
    table.result(IndicatedWinner(dealt.facts.winner.value))
    assert table.last(RoundResult).outcome == outcome_of(dealt, read_rules(table.rules).schedule)


def _sides(deal: Deal) -> list[tuple[Side, Card]]:
    again, sides = Deal(), []
    for card in deal.cards:
        side = again.next_side
        assert side is not None
        sides.append((side, card))
        again.feed(card)
    return sides


# --- the shoe's own result and corrections ---------------------------------------------------------------------------


def complete(table: Sitting) -> None:
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal(PLAYER_WINS)


def test_a_correction_that_does_not_explain_the_shoes_result_does_not_end_the_difference() -> None:
    table = Sitting()
    complete(table)
    table.result(IndicatedWinner.BANKER)
    assert table.alerts == ["result_differs"]
    table.act(CorrectCard(number=1, card=Card.parse("7D")))
    assert table.alerts == ["result_differs"]
    table.act(CorrectCard(number=2, card=Card.parse("6D")))
    assert table.alerts == []


def test_after_a_correction_somebody_has_to_confirm_anew() -> None:
    table = Sitting()
    complete(table)
    table.result(IndicatedWinner.BANKER)
    table.act(CorrectCard(number=2, card=Card.parse("6D")))
    table.wait(60)
    assert table.table.next_timer is None, "the button was pressed for other cards"
    assert table.all(RoundResult) == []
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.winner.value == "banker"


MARKS = ("player_pair", "banker_pair", "banker_six")
ROUNDS = {
    "7H 4D KS 2C": (IndicatedWinner.PLAYER, set()),
    "4H 6D 4S 2C": (IndicatedWinner.TIE, {"player_pair"}),
    "4H 3D 3S 3C": (IndicatedWinner.PLAYER, {"banker_pair"}),
    "KH 4D KS 2C 9H": (IndicatedWinner.PLAYER, {"player_pair"}),
    "KH 4D QS 2C 5H": (IndicatedWinner.BANKER, {"banker_six"}),
    "KH 3D KS 3C 5H": (IndicatedWinner.BANKER, set(MARKS)),
}


@pytest.mark.parametrize("cards", ROUNDS)
@pytest.mark.parametrize(
    "said", [set(), *({mark} for mark in MARKS), set(MARKS)], ids=lambda said: "-".join(sorted(said)) or "none"
)
@pytest.mark.parametrize("winner", [None, *IndicatedWinner])
def test_each_mark_of_the_shoes_result_is_compared(cards: str, said: set[str], winner: IndicatedWinner | None) -> None:
    """A mark that the shoe leaves out means nothing: not all shoes know it."""
    table = Sitting()
    table.open_shoe()
    table.deal(cards)
    assert table.at(Phase.COMPLETE)
    right, marks = ROUNDS[cards]
    table.event(ResultIndicated(winner=winner, **dict.fromkeys(said, True)))
    if winner is None:
        assert table.alerts == ["ended_by_force"]
    else:
        assert table.alerts == ([] if winner is right and said <= marks else ["result_differs"])
    assert len(table.all(RoundResult)) == (not table.alerts)


def test_a_warning_about_a_round_ends_with_it() -> None:
    table = Sitting()
    table.open_shoe()
    table.deal("2H 4D KS 2C")
    table.timer()
    table.act(CorrectCard(number=1, card=Card.parse("7H")))
    assert table.alerts == ["draw_too_slow"]
    table.dealer(Confirm())
    assert table.alerts == []


def test_a_difference_that_a_supervisor_clears_still_has_to_be_confirmed_by_somebody() -> None:
    table = Sitting()
    complete(table)
    table.result(IndicatedWinner.BANKER)
    table.act(ClearAlert(alert=table.alert_number("result_differs")))
    table.wait(60)
    assert table.table.next_timer is None, "the shoe's button was answered by its result"
    table.dealer(Confirm())
    assert table.last(RoundResult).outcome.winner.value == "player"


def test_a_result_on_cards_that_the_shoe_never_named_waits_for_each_of_them() -> None:
    table = Sitting()
    table.open_shoe()
    table.card(None)
    table.deal("4D")
    table.card(None)
    table.deal("2C")
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == ["undisclosed_card", "undisclosed_card"]
    table.act(IdentifyCard(number=1, card=Card.parse("7H")))
    assert table.alerts == ["undisclosed_card"]
    table.act(IdentifyCard(number=3, card=Card.parse("KS")))
    assert table.alerts == []
    assert table.last(RoundResult).confirmed_by == Shoe()


def test_a_result_that_came_while_a_card_was_unread_is_compared_when_it_is_known() -> None:
    for face, alerts in (("7H", []), ("6H", ["result_differs"])):
        table = Sitting()
        table.open_shoe()
        table.card(None)
        table.deal("4D KS 2C")
        table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
        table.act(IdentifyCard(number=1, card=Card.parse(face)))
        assert table.alerts == alerts
        assert len(table.all(RoundResult)) == (not alerts)


def test_a_result_that_came_too_early_is_not_taken_for_the_result_of_the_round() -> None:
    table = Sitting()
    table.open_shoe()
    table.deal("2H 4D KS 2C")
    table.event(ResultIndicated(winner=IndicatedWinner.BANKER))
    table.dealer(ClearAlert(alert=table.alert_number("result_too_early")))
    table.deal("5H")
    table.dealer(Confirm())
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    assert table.alerts == []


def test_an_undisclosed_card_with_a_number_is_not_taken_for_a_second_one() -> None:
    table = Sitting()
    table.open_shoe()
    table.card(None, card_id="x")
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H"), card_id="x"))
    table.card(None, card_id="y")
    table.act(IdentifyCard(number=2, card=Card.parse("4D")))
    assert table.alerts == []


# --- results that are taken back -------------------------------------------------------------------------------------


def undo(table: Sitting) -> None:
    assert table.act(UndoLastResult()).refusal is None
    assert table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben").refusal is None


def settled(table: Sitting) -> None:
    complete(table)
    table.result(IndicatedWinner.PLAYER)


def test_undone_corrected_and_confirmed_the_new_result_replaces_the_old() -> None:
    table = Sitting()
    settled(table)
    result, settlement = table.last(RoundResult), table.last(RoundSettled)
    undo(table)
    assert table.last(ResultUndone).replaces == result.seq
    assert table.last(SettlementUndone).replaces == settlement.seq
    assert table.alerts == ["result_undone"]
    assert table.state.shoe is not None
    assert table.state.shoe.results == ()
    table.act(CorrectCard(number=2, card=Card.parse("6D")))
    refusal = table.dealer(Confirm()).refusal
    assert refusal is not None
    assert refusal.code == "not_a_supervisor"
    assert table.act(Confirm()).refusal is None
    assert table.last(RoundResult).replaces == result.seq
    assert table.last(RoundResult).round == 1
    assert table.last(RoundResult).outcome.winner.value == "banker"
    assert table.last(RoundSettled).replaces == settlement.seq
    assert table.last(RoundSettled).settlement.totals.taken == 50
    assert table.state.round_number == 2
    assert len(table.state.shoe.results) == 1


def test_a_correction_after_an_undo_that_asks_for_a_card_lets_it_be_drawn() -> None:
    table = Sitting()
    settled(table)
    undo(table)
    table.act(CorrectCard(number=1, card=Card.parse("2H")))
    assert table.at(Phase.DEALING)
    assert not table.table.desired_shoe.gate_locked
    table.deal("3C")
    assert table.at(Phase.COMPLETE)
    timer = table.table.next_timer
    assert timer is None, "nothing that was pressed before confirms the new cards"
    table.result(IndicatedWinner.BANKER)
    assert table.last(RoundResult).outcome.winner.value == "banker"
    assert table.last(RoundResult).replaces is not None


def test_undone_and_voided_all_wagers_are_returned() -> None:
    table = Sitting()
    settled(table)
    undo(table)
    table.act(VoidRound())
    assert table.last(RoundVoided).total == 50
    assert table.state.shoe is not None
    assert table.state.shoe.results == ()
    assert table.state.round_number == 2
    assert table.act(UndoLastResult()).refusal is not None


def test_undone_and_dealt_again() -> None:
    table = Sitting()
    settled(table)
    undo(table)
    table.act(VoidAndReplay())
    assert table.at(Phase.BETTING)
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    assert table.last(RoundSettled).replaces is not None
    assert table.state.round_number == 2


def test_an_older_round_dealt_again_takes_no_number_twice() -> None:
    table = Sitting()
    settled(table)
    table.deal("7H")
    table.act(VoidRound())
    assert table.state.round_number == 3
    undo(table)
    assert table.state.round_number == 1
    table.act(VoidAndReplay())
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    assert table.state.round_number == 3


def test_wagers_for_the_next_round_are_returned_when_the_last_result_is_taken_back() -> None:
    table = Sitting()
    settled(table)
    table.bet("2", "base.tie", 30)
    undo(table)
    returned = table.last(WagersReturned)
    assert (returned.total, returned.round) == (30, 2)
    assert table.state.round is not None
    assert [(wager.seat, wager.stake) for wager in table.state.round.wagers] == [("1", 50)]


def test_a_result_is_not_taken_back_while_something_is_wrong_with_the_next_round() -> None:
    table = Sitting()
    settled(table)
    table.card("5C", Hand.EXTRA)
    refusal = table.act(UndoLastResult()).refusal
    assert refusal is not None
    assert refusal.code == "stopped"


def test_the_last_round_of_a_shoe_keeps_its_wagers_and_can_be_taken_back() -> None:
    table = Sitting(last_rounds=0)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal("7H 4D")
    table.event(CutCard())
    table.deal("KS 2C")
    table.result(IndicatedWinner.PLAYER)
    assert table.at(Phase.ENDED)
    assert table.all(WagersReturned) == []
    first_end = table.last(ShoeEnded)
    undo(table)
    table.act(CorrectCard(number=2, card=Card.parse("6D")))
    table.act(Confirm())
    assert table.last(RoundSettled).settlement.totals.taken == 50
    assert table.at(Phase.ENDED)
    assert table.last(ShoeEnded).replaces == first_end.seq


def test_the_last_round_voided_returns_its_wagers_once() -> None:
    table = Sitting(last_rounds=0)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal("7H")
    table.event(CutCard())
    table.act(VoidRound())
    assert table.at(Phase.ENDED)
    assert table.all(WagersReturned) == []
    assert table.last(RoundVoided).total == 50


def test_a_shoe_that_a_supervisor_ended_stays_ended_after_an_undo() -> None:
    table = Sitting()
    settled(table)
    table.act(EndShoe())
    undo(table)
    table.act(Confirm())
    assert table.at(Phase.ENDED)
    assert len(table.all(BettingOpened)) == 2


def test_the_last_round_dealt_again_and_then_voided_is_still_the_last() -> None:
    table = Sitting(last_rounds=0)
    complete(table)
    table.event(CutCard())
    table.act(VoidAndReplay())
    assert table.at(Phase.BETTING)
    table.act(VoidRound())
    assert table.at(Phase.ENDED)
