"""Single wagers put right after the close; what was late is returned; wagers of a round that is dealt again."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AnyAct,
    Approve,
    ClearAlert,
    Confirm,
    FreeHand,
    MoveWager,
    NoMoreBets,
    SetWager,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    rule_of,
)
from shoe_controller.messages.causes import ProposalRoundVoided
from shoe_controller.messages.facts import (
    BettingOpened,
    FreeHandAnnounced,
    PersonActed,
    ProposalEnded,
    RoundResult,
    RoundSettled,
    RoundVoided,
    WagersCorrected,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.betting import MOST_CHANGES
from shoe_controller.table.inputs import ControllerStarted, LinkBack
from shoe_controller.table.state import REVISION
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_betting import code_of, stakes, undo
from tests.table.test_phases import PLAYER_WINS

Stakes = dict[tuple[str, str], int]


def closed(**procedure: Any) -> Sitting:  # noqa: ANN401 - as `Sitting`
    table = Sitting({"needs_base": ["pairs"]}, **procedure)
    table.open_shoe()
    table.bets("1", [("base.player", 50), ("pairs.player", 5)])
    table.bet("2", "base.banker", 70)
    table.dealer(NoMoreBets())
    return table


def done(table: Sitting, act: AnyAct) -> str | None:
    """By as many people as it takes."""
    code = code_of(table.act(act))
    proposal = table.state.lasting.proposal
    return code if code or proposal is None else code_of(table.act(Approve(proposal=proposal.number), person="ben"))


# --- set and moved ---------------------------------------------------------------------------------------------------

CORRECTIONS: list[tuple[AnyAct, Stakes, dict[str, int]]] = [
    (SetWager(seat="1", wager="base.player", stake=80), {("1", "base.player"): 80}, {"1": -30}),
    (SetWager(seat="1", wager="pairs.player", stake=0), {("1", "pairs.player"): 0}, {"1": 5}),
    (SetWager(seat="3", wager="base.tie", stake=10), {("3", "base.tie"): 10}, {"3": -10}),
    (
        MoveWager(seat="2", wager="base.banker", to_seat="3"),
        {("2", "base.banker"): 0, ("3", "base.banker"): 70},
        {"2": 70, "3": -70},
    ),
]


@pytest.mark.parametrize(("act", "change", "difference"), CORRECTIONS)
@pytest.mark.parametrize("cards", ["", "7H", PLAYER_WINS])
def test_a_wager_is_put_right(act: AnyAct, change: Stakes, difference: dict[str, int], cards: str) -> None:
    table = closed()
    table.deal(cards)
    before = stakes(table)
    assert done(table, act) is None
    after = {which: stake for which, stake in (before | change).items() if stake}
    assert stakes(table) == after
    fact = table.last(WagersCorrected)
    assert {(wager.seat, wager.wager): wager.stake for wager in fact.after} == {
        which: stake for which, stake in after.items() if which[0] in fact.seats
    }
    assert {(wager.seat, wager.wager): wager.stake for wager in fact.before} == {
        which: stake for which, stake in before.items() if which[0] in fact.seats
    }
    assert fact.difference == difference
    assert table.last(PersonActed).seq == fact.seq - 1
    table.deal(" ".join(PLAYER_WINS.split()[len(cards.split()) :]))
    table.dealer(Confirm())
    settled = {(wager.seat, wager.wager): wager.stake for wager in table.last(RoundSettled).settlement.wagers}
    assert settled == after


@pytest.mark.parametrize("act", [act for act, *_ in CORRECTIONS], ids=lambda act: rule_of(act).name)
@pytest.mark.parametrize("reveal", Reveal)
def test_one_supervisor_before_a_card_and_two_after(act: AnyAct, reveal: Reveal) -> None:
    for cards in range(5):
        table = closed(reveal=reveal)
        table.deal(" ".join(PLAYER_WINS.split()[:cards]))
        listed = next(one for one in view_of(table.state, read_rules).acts if one.act is rule_of(act).name)
        table.act(act)
        is_proposed = table.state.lasting.proposal is not None
        assert is_proposed == listed.two_people == (cards > 0)
        assert len(table.all(WagersCorrected)) == (cards == 0)


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (SetWager(seat="9", wager="base.player", stake=10), "unknown_seat"),
        (SetWager(seat="1", wager="base.player", stake=50), "nothing_changes"),
        (SetWager(seat="1", wager="base.player", stake=1001), "above_maximum"),
        (SetWager(seat="1", wager="base.player", stake=-1), "below_minimum"),
        (SetWager(seat="1", wager="base.plyer", stake=5), "not_offered"),
        (SetWager(seat="1", wager="base.tie", stake=0), "no_such_wager"),
        (SetWager(seat="1", wager="base.player", stake=0), "needs_base_wager"),
        (MoveWager(seat="1", wager="base.player", to_seat="2"), "needs_base_wager"),
        (MoveWager(seat="1", wager="base.tie", to_seat="2"), "no_such_wager"),
        (MoveWager(seat="1", wager="base.player", to_seat="1"), "nothing_changes"),
        (MoveWager(seat="1", wager="base.player", to_seat="9"), "unknown_seat"),
    ],
)
@pytest.mark.parametrize("cards", ["", "7H"])
def test_what_the_house_does_not_permit_is_refused(act: AnyAct, code: str, cards: str) -> None:
    table = closed()
    table.deal(cards)
    facts = len(table.facts)
    assert code_of(table.act(act)) == code
    assert len(table.facts) == facts


def test_a_wager_does_not_move_onto_one_of_the_same_kind() -> None:
    table = Sitting()
    table.open_shoe()
    for seat in ("1", "2"):
        table.bet(seat, "base.player", 50)
    table.dealer(NoMoreBets())
    assert code_of(table.act(MoveWager(seat="1", wager="base.player", to_seat="2"))) == "placed_twice"


def test_a_free_hand_has_none() -> None:
    table = Sitting()
    table.open_shoe()
    table.dealer(FreeHand())
    table.deal("7H")
    assert code_of(table.act(SetWager(seat="1", wager="base.player", stake=50))) == "free_hand"


def test_what_was_proposed_for_cards_that_are_void_cannot_be_approved() -> None:
    table = closed()
    table.deal("7H")
    table.act(SetWager(seat="1", wager="base.player", stake=80))
    table.act(VoidAndReplay())
    table.dealer(NoMoreBets())
    assert "approve" not in [act.act for act in view_of(table.state, read_rules).acts]
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "no_proposal"
    assert stakes(table)["1", "base.player"] == 50


def test_a_settled_round_with_another_wager_says_the_difference() -> None:
    table = closed()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert table.last(RoundSettled).difference is None
    undo(table)
    assert done(table, SetWager(seat="2", wager="base.banker", stake=0)) is None
    assert done(table, SetWager(seat="1", wager="base.player", stake=80)) is None
    table.act(Confirm())
    # Seat 2 had lost 70; seat 1 had won 50, less its 5 on a pair.
    assert table.last(RoundSettled).difference == {"1": 30, "2": 70}


def test_all_wagers_of_a_settled_round_removed() -> None:
    table = closed()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    undo(table)
    for seat, wager in (("1", "pairs.player"), ("1", "base.player"), ("2", "base.banker")):
        assert done(table, SetWager(seat=seat, wager=wager, stake=0)) is None
    table.act(Confirm())
    assert table.last(RoundSettled).settlement.wagers == ()
    assert table.last(RoundSettled).difference == {"1": -45, "2": 70}


def test_a_settled_round_that_is_voided_says_the_difference() -> None:
    table = closed()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    undo(table)
    table.act(VoidRound())
    assert table.last(RoundVoided).difference == {"1": -45, "2": 70}


def run_by_an_earlier_version() -> Sitting:
    table = Sitting()
    table.give(ControllerStarted(boot="first", revision=3))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
    table.open_shoe()
    return table


@pytest.mark.parametrize("reveal", Reveal)
def test_two_also_while_an_extra_card_lies_aside_before_the_first(reveal: Reveal) -> None:
    table = closed(reveal=reveal)
    table.card("9H", Hand.EXTRA)
    assert (table.state.phase, table.alerts) == (Phase.CLOSED, ["extra_card"])
    corrections = ("set_wager", "move_wager")
    assert [act.two_people for act in view_of(table.state, read_rules).acts if act.act in corrections] == [True, True]
    assert code_of(table.act(SetWager(seat="1", wager="base.player", stake=80))) is None
    assert table.state.lasting.proposal is not None, "another supervisor approves"
    assert stakes(table)["1", "base.player"] == 50


@pytest.mark.parametrize("cards", ["", "7H"])
def test_what_was_proposed_in_a_round_ends_with_its_void(cards: str) -> None:
    """Where no card of it was dealt, the next round has the same number."""
    table = closed(reveal=Reveal.AT_RESULT)
    table.deal(PLAYER_WINS)
    table.card("9H", Hand.EXTRA)
    table.act(UseExtraCard())
    table.dealer(Confirm())
    table.bet("1", "base.player", 50)
    table.dealer(NoMoreBets())
    table.deal(cards)
    table.act(SetWager(seat="1", wager="base.player", stake=500))
    proposal = table.state.lasting.proposals_made
    assert code_of(table.act(VoidRound())) is None
    assert table.last(ProposalEnded).cause == ProposalRoundVoided()
    assert table.state.lasting.proposal is None
    table.bet("2", "base.banker", 5)
    table.dealer(NoMoreBets())
    assert code_of(table.act(Approve(proposal=proposal), person="ben")) == "no_proposal"
    assert stakes(table) == {("2", "base.banker"): 5}


# --- late ------------------------------------------------------------------------------------------------------------


def first_card(table: Sitting, age_ms: int) -> None:
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=age_ms)


def clear_late(table: Sitting) -> None:
    table.act(ClearAlert(alert=table.alert_number("late_wager")))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ([("base.player", 90)], {"1": 40}),
        ([("base.player", 10)], {"1": -40}),
        ([("base.player", 0)], {"1": -50}),
        ([("base.tie", 20)], {"1": 20}),
        ([("base.player", 0), ("base.banker", 30)], {"1": -20}),
    ],
    ids=["raised", "lowered", "withdrawn", "added", "changed"],
)
def test_clearing_returns_what_was_late_and_no_more(change: list[tuple[str, int]], difference: dict[str, int]) -> None:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.bet("2", "base.player", 60)
    table.wait(5)
    table.bets("1", change)
    first_card(table, age_ms=1000)
    assert table.alerts == ["late_wager"]
    clear_late(table)
    assert stakes(table) == {("1", "base.player"): 50, ("2", "base.player"): 60}
    assert table.last(WagersCorrected).difference == difference
    assert table.last(WagersCorrected).cause == "late"
    assert table.all(WagersReturned) == []


@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from(["base.player", "base.tie"]), st.sampled_from([0, 20, 40])),
        min_size=1,
        max_size=8,
    ),
    late=st.integers(0, 8),
)
def test_each_seat_has_what_it_had_when_the_card_left(changes: list[tuple[str, str, int]], late: int) -> None:
    table = Sitting()
    table.open_shoe()
    stood: list[Stakes] = [{}]
    for change in changes:
        table.wait(1)
        table.bet(*change)
        stood.append(stakes(table))
    late = min(late, len(changes))
    first_card(table, age_ms=late * 1100 + 50)
    if "late_wager" in table.alerts:
        clear_late(table)
    assert stakes(table) == stood[len(changes) - late]


def test_a_shoe_of_an_earlier_version_returns_all_of_the_seat() -> None:
    table = Sitting()
    table.revision = 2
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.wait(5)
    table.bet("1", "base.player", 90)
    first_card(table, age_ms=1000)
    clear_late(table)
    assert stakes(table) == {}
    assert table.last(WagersReturned).total == 90


def test_what_supervisors_have_decided_is_not_returned() -> None:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    first_card(table, age_ms=1000)
    assert done(table, SetWager(seat="1", wager="base.player", stake=30)) is None
    clear_late(table)
    assert stakes(table) == {("1", "base.player"): 30}


@pytest.mark.parametrize(
    ("decided", "left"),
    [
        (MoveWager(seat="1", wager="base.player", to_seat="2"), {("2", "base.player"): 50, ("2", "base.tie"): 10}),
        (SetWager(seat="2", wager="base.tie", stake=30), {("1", "base.player"): 50, ("2", "base.tie"): 30}),
        (SetWager(seat="2", wager="base.tie", stake=0), {("1", "base.player"): 50}),
        (
            SetWager(seat="2", wager="base.banker", stake=400),
            {("1", "base.player"): 50, ("2", "base.tie"): 10, ("2", "base.banker"): 400},
        ),
        (
            MoveWager(seat="2", wager="base.banker", to_seat="3"),
            {("1", "base.player"): 50, ("2", "base.tie"): 10, ("3", "base.banker"): 500},
        ),
    ],
)
def test_what_else_was_late_is_returned_all_the_same(decided: SetWager | MoveWager, left: Stakes) -> None:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.bet("2", "base.tie", 10)
    table.wait(5)
    table.bets("2", [("base.banker", 500), ("base.tie", 20)])
    first_card(table, age_ms=1000)
    assert done(table, decided) is None
    clear_late(table)
    assert stakes(table) == left


def test_where_an_earlier_version_ran_the_table_nothing_else_of_the_seat_was_returned() -> None:
    table = run_by_an_earlier_version()
    table.bet("2", "base.tie", 10)
    table.wait(5)
    table.bet("2", "base.banker", 500)
    first_card(table, age_ms=1000)
    assert done(table, SetWager(seat="2", wager="base.tie", stake=30)) is None
    clear_late(table)
    assert stakes(table) == {("2", "base.tie"): 30, ("2", "base.banker"): 500}, "recorded facts are replayed"


def test_a_correction_before_a_card_that_had_left_is_late_too() -> None:
    table = closed()
    table.wait(5)
    assert done(table, SetWager(seat="1", wager="base.player", stake=80)) is None
    first_card(table, age_ms=1000)
    clear_late(table)
    assert stakes(table)["1", "base.player"] == 50


@pytest.mark.parametrize("card_came_before", [False, True])
def test_what_was_late_stays_late_after_a_power_cut(*, card_came_before: bool) -> None:
    """Times of another boot cannot be compared: without a card before it, every wager counts as late."""
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.wait(5)
    table.bet("1", "base.player", 90)
    if card_came_before:
        first_card(table, age_ms=1000)
    table.mono_ns = 5_000_000_000
    table.give(ControllerStarted(boot="second", revision=REVISION))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
    if not card_came_before:
        first_card(table, age_ms=60_000)
    clear_late(table)
    assert stakes(table) == ({("1", "base.player"): 50} if card_came_before else {})


@pytest.mark.parametrize("first", [0, 50])
def test_however_often_a_seat_changes_what_it_had_is_known(first: int) -> None:
    table = Sitting()
    table.open_shoe()
    table.bets("1", [("base.banker", 5), *([("base.player", first)] if first else [])])
    table.wait(5)
    before = table.mono_ns
    answers = [code_of(table.bet("1", "base.player", 100 + n)) for n in range(MOST_CHANGES + 5)]
    assert answers == [None] * (MOST_CHANGES - 1) + ["too_many_changes"] * 6
    assert code_of(table.bet("1", "base.player", stakes(table)["1", "base.player"])) is None, "that changes nothing"
    assert code_of(table.bet("2", "base.player", 70)) is None, "another seat may"
    first_card(table, age_ms=(table.mono_ns - before) // 1_000_000 + 150)
    clear_late(table)
    assert stakes(table) == {("1", "base.banker"): 5} | ({("1", "base.player"): first} if first else {})


def test_a_request_that_changes_nothing_is_not_late() -> None:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.wait(5)
    for _ in range(MOST_CHANGES + 5):
        assert code_of(table.bet("1", "base.player", 50)) is None
    first_card(table, age_ms=12_000)
    assert table.alerts == []


def test_supervisors_may_put_right_what_was_changed_too_often() -> None:
    table = Sitting()
    table.open_shoe()
    for number in range(MOST_CHANGES):
        table.bet("1", "base.player", 50 + number)
    assert code_of(table.bet("1", "base.player", 0)) == "too_many_changes"
    table.dealer(NoMoreBets())
    assert done(table, SetWager(seat="1", wager="base.player", stake=0)) is None
    assert stakes(table) == {}


def test_where_an_earlier_version_ran_the_table_the_oldest_change_was_forgotten() -> None:
    table = run_by_an_earlier_version()
    table.bet("1", "base.player", 50)
    table.wait(5)
    for _ in range(MOST_CHANGES + 1):
        assert code_of(table.bet("1", "base.player", 900)) is None
    first_card(table, age_ms=12_000)
    clear_late(table)
    assert stakes(table) == {("1", "base.player"): 900}, "recorded facts are replayed"


def test_where_an_earlier_version_ran_the_table_a_proposal_outlasted_the_void() -> None:
    table = run_by_an_earlier_version()
    table.bet("1", "base.player", 50)
    table.dealer(NoMoreBets())
    table.deal("7H")
    table.act(SetWager(seat="1", wager="base.player", stake=80))
    table.act(VoidAndReplay())
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "other_round"


def test_nothing_stands_again_in_a_free_hand() -> None:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.wait(5)
    table.bet("1", "base.player", 0)
    table.dealer(FreeHand())
    first_card(table, age_ms=4000)
    assert table.alerts == ["late_wager"]
    clear_late(table)
    assert (stakes(table), table.alerts) == ({}, [])
    table.deal("4D KS 2C")
    table.dealer(Confirm())
    assert table.last(RoundResult).free
    assert table.all(RoundSettled) == []


# --- settled again ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stake", "said"), [(50, [{"1": 50}]), (0, [])])
def test_a_round_without_wagers_that_is_taken_back_says_what_to_pay(stake: int, said: list[dict[str, int]]) -> None:
    table = Sitting()
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    undo(table)
    if stake:
        assert done(table, SetWager(seat="1", wager="base.player", stake=stake)) is None
    assert code_of(table.act(Confirm())) is None
    assert [settled.difference for settled in table.all(RoundSettled)] == said


# --- dealt again -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bets_close", BetsClose)
def test_seats_may_change_or_withdraw_before_a_round_is_dealt_again(bets_close: BetsClose) -> None:
    table = closed(bets_close=bets_close)
    table.deal("7H 4D")
    table.act(VoidAndReplay())
    assert table.at(Phase.BETTING)
    assert {(wager.seat, wager.stake) for wager in table.last(BettingOpened).wagers} == {("1", 50), ("1", 5), ("2", 70)}
    assert table.state.round_number == 1
    assert code_of(table.bet("2", "base.banker", 0)) is None
    assert code_of(table.bet("1", "base.player", 60)) is None
    assert code_of(table.bet("3", "base.tie", 10)) is None
    if bets_close is BetsClose.DEALER:
        table.dealer(NoMoreBets())
    table.deal(PLAYER_WINS)
    assert table.alerts == []
    table.result(IndicatedWinner.PLAYER)
    settled = {(wager.seat, wager.wager): wager.stake for wager in table.last(RoundSettled).settlement.wagers}
    assert settled == {("1", "base.player"): 60, ("1", "pairs.player"): 5, ("3", "base.tie"): 10}


def test_a_card_before_the_close_of_a_round_dealt_again() -> None:
    table = closed(bets_close=BetsClose.DEALER)
    table.deal("7H")
    table.act(VoidAndReplay())
    table.deal("7H")
    assert table.alerts == ["draw_before_close"]


def test_a_change_that_was_late_for_a_round_dealt_again() -> None:
    table = closed()
    table.deal("7H")
    table.act(VoidAndReplay())
    table.wait(5)
    table.bet("2", "base.banker", 0)
    first_card(table, age_ms=1000)
    assert table.alerts == ["late_wager"]
    clear_late(table)
    assert stakes(table)["2", "base.banker"] == 70


def test_a_free_hand_that_is_dealt_again_is_free_again() -> None:
    table = Sitting()
    table.open_shoe()
    table.dealer(FreeHand())
    table.deal("9H 4D")
    opened = len(table.all(BettingOpened))
    table.act(VoidAndReplay())
    assert len(table.all(BettingOpened)) == opened, "no wager is taken"
    assert isinstance(table.facts[-1], FreeHandAnnounced)
    table.deal("9H 4D KS 2C")
    table.dealer(Confirm())
    assert table.last(RoundResult).free
