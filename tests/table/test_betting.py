"""Wagers: placed, changed, withdrawn and refused; settled, returned and corrected so that the money balances."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import CardDrawn, CutCard, Fault, FaultCode, Hand, IndicatedWinner, ResultIndicated
from shoe_controller.baccarat.deal import Deal
from shoe_controller.messages.actors import FirstCardDrawn
from shoe_controller.messages.acts import (
    Approve,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    NoMoreBets,
    OpenShoe,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.facts import (
    BettingClosed,
    FreeHandAnnounced,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    WagersChanged,
    WagersCorrected,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.table.inputs import LinkBack, LinkLost
from shoe_controller.table.table import Handled
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"
BANKER_WINS = "7H 6D KS 2C"


def code_of(handled: Handled) -> str | None:
    return None if handled.refusal is None else handled.refusal.code


def opened(house: dict[str, Any] | None = None, **procedure: Any) -> Sitting:  # noqa: ANN401 - as `Sitting`
    table = Sitting(house, **procedure)
    table.open_shoe()
    return table


def stakes(table: Sitting) -> dict[tuple[str, str], int]:
    assert table.state.round is not None
    return {(wager.seat, wager.wager): wager.stake for wager in table.state.round.wagers}


# --- placing ---------------------------------------------------------------------------------------------------------


def test_place_change_and_withdraw() -> None:
    table = opened()
    table.bets("1", [("base.player", 50), ("base.tie", 5)])
    table.bet("2", "base.banker", 70)
    assert table.last(WagersChanged).total == 70
    table.bet("1", "base.player", 60)
    assert table.last(WagersChanged).total == 65
    table.bet("1", "base.tie", 0)
    assert stakes(table) == {("1", "base.player"): 60, ("2", "base.banker"): 70}
    table.bets("1", [("base.player", 0), ("base.banker", 10)])
    assert stakes(table) == {("1", "base.banker"): 10, ("2", "base.banker"): 70}


def closed_by_dealer(table: Sitting) -> None:
    table.dealer(NoMoreBets())


def first_card(table: Sitting) -> None:
    table.deal("7H")


def complete(table: Sitting) -> None:
    table.deal(PLAYER_WINS)


def ended(table: Sitting) -> None:
    table.act(EndShoe())


def stopped(table: Sitting) -> None:
    table.event(Fault(code=FaultCode.GATE_FORCED))


def link_lost(table: Sitting) -> None:
    table.give(LinkLost(reason="cable"))


def free_hand(table: Sitting) -> None:
    table.dealer(FreeHand())


@pytest.mark.parametrize(
    ("before", "code"),
    [
        (closed_by_dealer, "betting_closed"),
        (first_card, "betting_closed"),
        (complete, "betting_closed"),
        (ended, "betting_closed"),
        (stopped, "stopped"),
        (link_lost, "no_shoe_link"),
        (free_hand, "free_hand"),
    ],
)
def test_when_wagers_are_refused(before: Callable[[Sitting], None], code: str) -> None:
    table = opened()
    before(table)
    facts = len(table.facts)
    assert code_of(table.bet("1", "base.player", 50)) == code
    assert code_of(table.bet("1", "base.player", 0)) == code
    assert len(table.facts) == facts


@pytest.mark.parametrize(
    ("seat", "wagers", "code"),
    [
        ("9", [("base.player", 50)], "unknown_seat"),
        ("9", [("base.player", 0)], "unknown_seat"),
        ("1", [("base.player", 1001)], "above_maximum"),
        ("1", [("base.player", -1)], "below_minimum"),
        ("1", [("base.plyer", 5)], "not_offered"),
        ("1", [("base.tie", 0)], "no_such_wager"),
        ("1", [("base.tie", 5), ("base.player", 1001)], "above_maximum"),
        ("1", [("pairs.player", 5)], "needs_base_wager"),
        ("1", [("base.tie", 5), ("pairs.player", 5)], "needs_base_wager"),
    ],
)
def test_what_the_house_does_not_permit(seat: str, wagers: list[tuple[str, int]], code: str) -> None:
    table = opened({"needs_base": ["pairs"]})
    assert code_of(table.bets(seat, wagers)) == code
    assert stakes(table) == {}, "all of a request, or nothing"


def test_the_base_wager_cannot_be_taken_back_from_under_a_side_wager_that_needs_it() -> None:
    table = opened({"needs_base": ["pairs"]})
    assert code_of(table.bets("1", [("pairs.player", 5), ("base.player", 50)])) is None
    assert code_of(table.bet("1", "base.player", 0)) == "needs_base_wager"
    assert code_of(table.bets("1", [("base.player", 0), ("base.banker", 5)])) is None
    assert code_of(table.bets("1", [("base.banker", 0), ("pairs.player", 0)])) is None
    assert stakes(table) == {}


def test_wagers_for_another_round_are_late() -> None:
    table = opened()
    assert code_of(table.bet("1", "base.player", 50, round=2)) == "other_round"
    assert code_of(table.bet("1", "base.player", 50, shoe=2)) == "other_round"


def test_a_warning_or_a_link_that_is_back_stops_no_wager() -> None:
    table = opened()
    table.dealer(CallSupervisor())
    link_lost(table)
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    assert code_of(table.bet("1", "base.player", 50)) is None


def test_a_shoe_that_may_have_dealt_unheard_stops_them() -> None:
    table = opened()
    link_lost(table)
    table.give(LinkBack(keeps_events=False, authenticated=True))
    assert code_of(table.bet("1", "base.player", 50)) == "stopped"


# --- closing ---------------------------------------------------------------------------------------------------------


def test_the_first_card_closes_the_wagers() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.deal("7H")
    assert (table.last(BettingClosed).closed_by, table.last(BettingClosed).stakes) == (FirstCardDrawn(), 50)
    assert table.alerts == []


@pytest.mark.parametrize("age_ms", [0, 90, 110, 60_000])
def test_a_wager_accepted_after_the_first_card_had_left_is_late(age_ms: int) -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=age_ms)
    assert table.alerts == (["late_wager"] if age_ms > 100 else [])


def test_a_late_wager_found_after_no_more_bets() -> None:
    table = opened(bets_close=BetsClose.DEALER)
    table.bet("1", "base.player", 50)
    table.dealer(NoMoreBets())
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=60_000)
    assert table.alerts == ["late_wager"]
    table.act(ClearAlert(alert=table.alert_number("late_wager")))
    assert table.last(WagersCorrected).difference == {"1": 50}
    table.deal("4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    assert table.all(RoundSettled) == []


def test_wagers_that_stay_for_a_round_dealt_again_are_not_late() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.deal("7H")
    table.act(VoidAndReplay())
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=60_000)
    assert table.alerts == []
    assert stakes(table) == {("1", "base.player"): 50}


# --- free hands ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bets_close", BetsClose)
def test_a_free_hand_is_dealt_without_wagers_and_still_says_what_they_would_have_paid(bets_close: BetsClose) -> None:
    table = opened(bets_close=bets_close)
    table.bet("1", "base.player", 50)
    assert code_of(table.dealer(FreeHand())) == "wagers_stand"
    table.bet("1", "base.player", 0)
    assert code_of(table.dealer(FreeHand())) is None
    assert code_of(table.dealer(FreeHand())) == "free_hand"
    assert not table.table.desired_shoe.gate_locked
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == []
    assert table.last(RoundResult).free
    assert table.last(RoundResult).outcome.wagers["base.player"].pays == "1:1"
    assert table.all(RoundSettled) == []
    assert code_of(table.bet("1", "base.player", 50)) is None, "the next one is an ordinary round"


def test_a_free_hand_announced_by_mistake_is_voided() -> None:
    table = opened()
    table.dealer(FreeHand())
    assert code_of(table.act(VoidRound())) is None
    assert code_of(table.bet("1", "base.player", 50)) is None
    assert len(table.all(FreeHandAnnounced)) == 1


# --- money -----------------------------------------------------------------------------------------------------------

COMMISSION = {"base_game": "commission", "layout": "nepal_super_baccarat"}
MARKED = COMMISSION | {"commission": {"taken": "marked"}}


def play(table: Sitting, cards: str, winner: IndicatedWinner, stake: int = 100) -> None:
    table.bet("1", "base.banker", stake)
    table.deal(cards)
    table.result(winner)


def undo(table: Sitting) -> None:
    table.act(UndoLastResult())
    table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")


def test_marked_commission_is_collected_at_the_end_of_the_shoe() -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, IndicatedWinner.BANKER)
    assert table.last(RoundSettled).settlement.totals.returned == 200
    play(table, PLAYER_WINS, IndicatedWinner.PLAYER)
    play(table, BANKER_WINS, IndicatedWinner.BANKER, stake=200)
    table.act(EndShoe())
    assert table.last(ShoeEnded).commission_due == {"1": 15}


@pytest.mark.parametrize("end", [EndShoe(), OpenShoe()])
def test_commission_of_a_result_that_was_taken_back_is_not_collected(end: EndShoe | OpenShoe) -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, IndicatedWinner.BANKER)
    play(table, BANKER_WINS, IndicatedWinner.BANKER, stake=200)
    undo(table)
    table.act(CorrectCard(number=2, card=Card.parse("4D")))
    table.act(Confirm())
    assert table.last(RoundResult).outcome.winner.value == "player"
    table.act(end)
    assert table.last(ShoeEnded).commission_due == {"1": 5}


def test_commission_told_at_the_end_is_corrected_by_an_end_that_replaces_it() -> None:
    table = opened(MARKED, last_rounds=0)
    table.event(CutCard())
    play(table, BANKER_WINS, IndicatedWinner.BANKER)
    first = table.last(ShoeEnded)
    assert first.commission_due == {"1": 5}
    undo(table)
    table.act(VoidRound())
    assert (table.last(ShoeEnded).replaces, table.last(ShoeEnded).commission_due) == (first.seq, {})


wager = st.sampled_from(["base.player", "base.banker", "base.tie", "pairs.player", "pairs.banker", "tie_wins_on.6"])
bet = st.tuples(st.sampled_from("123"), wager, st.integers(1, 1000))
ending = st.sampled_from(["result", "confirm", "void", "replay", "undo and confirm", "undo and void"])


@pytest.mark.parametrize("house", [{}, COMMISSION, MARKED, {"round_limit": {"amount": 700}}], ids=str)
@settings(max_examples=25)
@given(rounds=st.lists(st.tuples(st.lists(bet, max_size=6), ending), max_size=4), seed=st.integers(0, 999))
def test_money_balances(house: dict[str, Any], rounds: list[tuple[list[tuple[str, str, int]], str]], seed: int) -> None:
    """All that was staked is settled or returned; the table's own sums agree with its seats' (`state_checks.py`)."""
    table = opened(house)
    stack = [*CARDS_BY_NUMBER] * 7
    random.Random(seed).shuffle(stack)  # noqa: S311 - the same stack every time
    staked = 0
    for bets, how in rounds:
        for seat, name, stake in bets:
            table.bet(seat, name, stake)
        staked += sum(stakes(table).values())
        deal_one(table, stack)
        finish(table, how, stack)
        assert table.at(Phase.BETTING)
    undone = {fact.replaces for fact in table.all(SettlementUndone)}
    settled = sum(fact.settlement.totals.stakes for fact in table.all(RoundSettled) if fact.seq not in undone)
    returned = sum(fact.total for fact in table.all(RoundVoided)) + sum(
        fact.total for fact in table.all(WagersReturned)
    )
    assert staked == settled + returned


def deal_one(table: Sitting, stack: list[Card]) -> None:
    while not table.at(Phase.COMPLETE):
        table.card(stack.pop().value)


def finish(table: Sitting, how: str, stack: list[Card]) -> None:
    match how:
        case "confirm":
            table.dealer(Confirm())
        case "void":
            table.act(VoidRound())
        case "replay":
            table.act(VoidAndReplay())
            deal_one(table, stack)
            table.dealer(Confirm())
        case _:
            assert table.state.round is not None
            deal = Deal()
            for laid in table.state.round.cards:
                assert laid.card is not None
                deal.feed(laid.card)
            table.event(ResultIndicated(winner=IndicatedWinner(deal.facts.winner.value)))
    if how.startswith("undo"):
        undo(table)
        table.act(Confirm() if how.endswith("confirm") else VoidRound())
