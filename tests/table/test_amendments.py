"""Rounds further back: settled again beside the old settlement, with the difference for every seat."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CutCard, Hand
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    Approve,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    Role,
    SetWager,
    UndoLastResult,
)
from shoe_controller.messages.facts import (
    PersonActed,
    ResultUndone,
    RoundAmended,
    RoundResult,
    RoundSettled,
    SettlementUndone,
    ShoeEnded,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal, RoundPruned
from shoe_controller.mqtt.retained import roads_message, rounds_message
from shoe_controller.table.commission import owed_by_seat
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.past import PrunedRound
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting

MARKED = {"base_game": "commission", "layout": "nepal_super_baccarat", "commission": {"taken": "marked"}}
PLAYER_WINS, BANKER_WINS = "7H 4D KS 2C", "7H 6D KS 2C"


def play(table: Sitting, cards: str, *wagers: tuple[str, str, int]) -> None:
    for wager in wagers:
        assert table.bet(*wager).refusal is None
    table.deal(cards)
    table.dealer(Confirm())


def opened(house: dict[str, Any] | None = None) -> Sitting:
    table = Sitting(house)
    table.open_shoe()
    return table


def card(number: int, text: str) -> AmendedCard:
    return AmendedCard(number=number, card=Card.parse(text))


def approved(table: Sitting) -> AnyRefusal | None:
    return table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben").refusal


def amend(
    table: Sitting,
    *cards: AmendedCard,
    wagers: tuple[PlacedWager, ...] = (),
    round: int = 1,  # noqa: A002 - a round of the game
    shoe: int | None = None,
) -> str | None:
    of_shoe = table.state.shoe_number if shoe is None else shoe
    refusal = table.act(AmendRound(shoe=of_shoe, round=round, cards=cards, wagers=wagers)).refusal
    refusal = approved(table) if refusal is None else refusal
    return None if refusal is None else refusal.code


# --- this shoe -------------------------------------------------------------------------------------------------------


def test_a_round_further_back_is_settled_again() -> None:
    table = opened()
    play(table, BANKER_WINS, ("1", "base.player", 50), ("2", "base.banker", 30))
    settled = table.last(RoundSettled)
    play(table, BANKER_WINS, ("1", "base.player", 50))
    assert amend(table, card(2, "4D")) is None
    fact = table.last(RoundAmended)
    assert (fact.of_shoe, fact.of_round, fact.shoe, fact.round) == (1, 1, 1, 3)
    assert (fact.replaces, fact.replaces_settlement) == (table.all(RoundResult)[0].seq, settled.seq)
    assert fact.old_settlement == settled.settlement
    assert (fact.old_outcome.winner.value, fact.outcome.winner.value) == ("banker", "player")
    paid = settled.settlement.seats["2"].paid
    assert fact.difference == {"1": 100, "2": -30 - paid}
    assert table.last(PersonActed).approved_by == "ben"
    assert [cell.winner.value for cell in roads_message(table.state, "j").roads.bead_plate.cells] == ["P", "B"]
    listed = rounds_message(table.state, "j").rounds[0]
    assert (listed.winner.value, listed.seq, listed.banker.cards[0]) == ("player", fact.seq, Card.parse("4D"))


def test_wagers_are_set_added_and_removed() -> None:
    table = opened()
    play(table, PLAYER_WINS, ("1", "base.player", 50), ("2", "base.banker", 30))
    play(table, PLAYER_WINS)
    wagers = (PlacedWager("1", "base.player", 80), PlacedWager("2", "base.banker", 0), PlacedWager("3", "base.tie", 20))
    assert amend(table, wagers=wagers) is None
    assert table.last(RoundAmended).difference == {"1": 30, "2": 30, "3": -20}
    settlement = table.last(RoundAmended).settlement
    assert settlement is not None
    assert {(wager.seat, wager.stake) for wager in settlement.wagers} == {("1", 80), ("3", 20)}


def test_a_round_is_amended_again() -> None:
    table = opened()
    play(table, BANKER_WINS, ("1", "base.player", 50))
    play(table, BANKER_WINS)
    assert amend(table, card(2, "4D")) is None
    first = table.last(RoundAmended)
    assert amend(table, card(2, "6D")) is None
    second = table.last(RoundAmended)
    assert (second.replaces, second.replaces_settlement) == (first.seq, first.seq)
    assert second.old_settlement == first.settlement
    assert second.difference == {seat: -amount for seat, amount in first.difference.items()}


def test_marked_commission_follows() -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, ("1", "base.banker", 100))
    play(table, BANKER_WINS, ("2", "base.banker", 100))
    assert table.state.shoe is not None
    assert dict(owed_by_seat(table.state.shoe)) == {"1": 5, "2": 5}
    assert amend(table, card(2, "4D")) is None
    assert table.last(RoundAmended).difference == {"1": -200}
    assert table.last(RoundAmended).commission == {"1": -5}
    assert table.last(RoundAmended).commission_back == {}
    table.act(EndShoe())
    assert table.last(ShoeEnded).commission_due == {"2": 5}


def test_a_free_hand_has_no_wagers_to_amend() -> None:
    table = opened()
    table.dealer(FreeHand())
    play(table, BANKER_WINS)
    assert amend(table, wagers=(PlacedWager("1", "base.player", 50),)) == "free_hand"
    assert amend(table, card(2, "4D")) is None
    assert table.last(RoundAmended).settlement is None


def test_the_last_round_amended_and_then_taken_back() -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, ("1", "base.banker", 100))
    assert amend(table, card(2, "5D"), wagers=(PlacedWager("1", "base.banker", 200),)) is None
    amended = table.last(RoundAmended)
    last = view_of(table.state, read_rules).last_outcome
    assert last is not None
    assert last.banker.cards[0] is Card.parse("5D")
    table.act(UndoLastResult())
    approved(table)
    assert table.last(ResultUndone).replaces == table.last(SettlementUndone).replaces == amended.seq
    table.act(Confirm())
    assert table.last(RoundSettled).difference == {}
    assert table.last(RoundSettled).settlement == amended.settlement


# --- earlier shoes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED])
def test_a_round_of_an_earlier_shoe_by_the_rules_of_that_shoe(phase: Phase) -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, ("1", "base.banker", 100))
    play(table, PLAYER_WINS)
    table.rules = Sitting({"limits": {"all": {"min": 1, "max": 10}}}).rules
    table.open_shoe(burn=None if phase is Phase.FIRST_CARD else "AS")
    if phase is Phase.BURNING:
        table.open_shoe(burn=None)
        table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("9S"), first_of_shoe=True))
    if phase is Phase.ENDED:
        table.act(EndShoe())
    assert table.at(phase)
    before = table.state.shoe
    assert before is not None
    assert amend(table, wagers=(PlacedWager("1", "base.banker", 300),), shoe=1) is None
    fact = table.last(RoundAmended)
    assert (fact.difference, fact.commission) == ({"1": 200}, {"1": 10})
    after = table.state.shoe
    assert after is not None
    assert (after.results, after.marks, after.copies) == (before.results, before.marks, before.copies)


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (AmendRound(shoe=1, round=9, cards=(card(1, "2C"),)), "round_not_found"),
        (AmendRound(shoe=7, round=1, cards=(card(1, "2C"),)), "round_not_found"),
        (AmendRound(shoe=1, round=1), "nothing_changes"),
        (AmendRound(shoe=1, round=1, cards=(card(1, "7H"),)), "nothing_changes"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("1", "base.player", 50),)), "nothing_changes"),
        (AmendRound(shoe=1, round=1, cards=(card(1, "2H"),)), "no_whole_round"),
        (AmendRound(shoe=1, round=1, cards=(card(0, "2H"),)), "no_such_card"),
        (AmendRound(shoe=1, round=1, cards=(card(5, "2H"),)), "no_such_card"),
        (AmendRound(shoe=1, round=1, cards=(card(1, "7D"), card(1, "7S"))), "card_named_twice"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("1", "base.player", 1001),)), "above_maximum"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("1", "base.player", -1),)), "below_minimum"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("9", "base.player", 10),)), "unknown_seat"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("2", "base.player", 0),)), "no_such_wager"),
        (AmendRound(shoe=1, round=1, wagers=(PlacedWager("2", "base.tie", 1),) * 2), "wager_named_twice"),
    ],
)
def test_what_is_refused(act: AmendRound, code: str) -> None:
    table = opened()
    play(table, PLAYER_WINS, ("1", "base.player", 50))
    facts = len(table.facts)
    refusal = table.act(act).refusal
    assert refusal is not None
    assert refusal.code == code
    assert len(table.facts) == facts


def test_a_face_that_the_shoe_does_not_hold_so_often() -> None:
    table = opened({"decks": 1})
    play(table, PLAYER_WINS)
    play(table, "7D 4S KC 2D")
    assert amend(table, card(1, "7D")) == "too_many_copies"
    assert amend(table, card(1, "7D"), round=2) == "nothing_changes"
    assert amend(table, card(3, "2C"), card(1, "5H")) == "too_many_copies", "the round has one of it already"
    assert amend(table, card(1, "7C")) is None
    assert amend(table, card(1, "7H"), round=2) is None


def test_a_pruned_round_is_refused_with_the_name_of_its_export() -> None:
    table = opened()
    play(table, PLAYER_WINS)
    act = AmendRound(shoe=1, round=1, cards=(card(1, "7D"),))
    asked = PersonActs(
        act=act, person="ann", role=Role.SUPERVISOR, pin=PinVerdict.RIGHT, reason="seen", shoe=1, round=2
    )
    asked = msgspec.structs.replace(asked, past=PrunedRound(export="t.journal.shoe-1.records-1-9.jsonl"))
    refusal = table.table.handle(asked, table.moment()).refusal
    assert refusal == RoundPruned(shoe=1, round=1, export="t.journal.shoe-1.records-1-9.jsonl")


def test_a_result_that_was_taken_back_is_not_amended_before_there_is_another() -> None:
    table = opened()
    play(table, PLAYER_WINS)
    play(table, PLAYER_WINS)
    table.act(UndoLastResult())
    approved(table)
    assert amend(table, card(1, "7D"), round=2) == "not_now"
    table.act(Confirm())
    assert amend(table, card(1, "7D"), round=2) is None


# --- the same sums ---------------------------------------------------------------------------------------------------

WAGERS = ("base.player", "base.banker", "base.tie", "pairs.player", "lucky_6.lucky_6", "player_wins_on.8")
wagers = st.dictionaries(
    st.tuples(st.sampled_from("123"), st.sampled_from(WAGERS)), st.sampled_from([0, 7, 50, 99]), max_size=6
)
Stakes = dict[tuple[str, str], int]
HOUSES: list[dict[str, Any]] = [
    {},
    MARKED,
    {"base_game": "commission"},
    {"round_limit": {"amount": 300, "over_limit": "in_order"}},
]


def a_round(chance: random.Random) -> list[Card]:
    deal = Deal()
    while not deal.complete:
        deal.feed(chance.choice(list(Card)))
    return list(deal.cards)


def other_faces(cards: list[Card], chance: random.Random) -> tuple[AmendedCard, ...]:
    """Some cards read wrongly, with which the round is as whole as before."""
    dealt = Deal()
    for card_ in cards:
        dealt.feed(card_)
    for _ in range(40):
        numbers = chance.sample(range(len(cards)), chance.randint(0, 3))
        changed = {number: chance.choice(list(Card)) for number in numbers}
        deal = Deal()
        try:
            for number, card_ in enumerate(cards):
                deal.feed(changed.get(number, card_))
            deal.check_complete()
        except DealError:
            continue
        if len(deal.player) == len(dealt.player):
            return tuple(AmendedCard(number=number + 1, card=card_) for number, card_ in changed.items())
    return ()


def sums(table: Sitting, money: dict[str, int]) -> tuple[object, ...]:
    """What every seat has in the end, what is marked for it, the roads, and how often each face is out."""
    shoe = table.state.shoe
    assert shoe is not None
    return {seat: amount for seat, amount in money.items() if amount}, owed_by_seat(shoe), shoe.results, shoe.copies


def paid(settled: RoundSettled) -> dict[str, int]:
    return {seat: totals.returned - totals.stakes for seat, totals in settled.settlement.seats.items()}


def added(money: dict[str, int], difference: dict[str, int] | None) -> dict[str, int]:
    assert difference is not None
    return {seat: money.get(seat, 0) + difference.get(seat, 0) for seat in {*money, *difference}}


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 10**9), before=wagers, after=wagers, house=st.sampled_from(HOUSES), ends=st.booleans())
def test_taking_back_and_amending_end_in_the_same_sums(
    seed: int,
    before: dict[tuple[str, str], int],
    after: dict[tuple[str, str], int],
    house: dict[str, Any],
    *,
    ends: bool,
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same every time
    cards = a_round(chance)
    amended = other_faces(cards, chance)
    stood = {which: stake for which, stake in before.items() if stake}
    changes = {which: stake for which, stake in after.items() if stake != stood.get(which, 0)}
    changed = [one for one in amended if one.card is not cards[one.number - 1]]
    if not stood or not (changes or changed):
        return
    tables = [opened(house), opened(house)]
    for table in tables:
        for (seat, wager), stake in stood.items():
            table.bet(seat, wager, stake)
        table.deal(" ".join(str(each) for each in cards))
        if ends:
            table.event(CutCard())
        table.dealer(Confirm())
    undone, settled_again = tables
    money = paid(undone.last(RoundSettled))
    undone.act(UndoLastResult())
    approved(undone)
    # A card that asks for another on the way would end the result: the round is whole again only with all of them.
    for one in changed:
        undone.act(CorrectCard(number=one.number, card=one.card))
    for (seat, wager), stake in changes.items():
        undone.act(SetWager(seat=seat, wager=wager, stake=stake))
        assert approved(undone) is None
    if undone.state.phase is not Phase.COMPLETE or undone.alerts != ["result_undone"]:
        return
    undone.act(Confirm())
    by_undoing = sums(undone, added(money, undone.last(RoundSettled).difference))
    placed = tuple(PlacedWager(seat, wager, stake) for (seat, wager), stake in changes.items())
    assert amend(settled_again, *amended, wagers=placed) is None
    by_amending = sums(settled_again, added(money, settled_again.last(RoundAmended).difference))
    assert by_undoing == by_amending
    new = settled_again.last(RoundAmended).settlement
    assert new is not None
    assert undone.last(RoundSettled).settlement == new
