"""Rounds reassembled from what the table published: every turn a round can take, and never a card too early."""

import random
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from rich.console import Console

from firmware_protocol.cards import Card
from firmware_protocol.events import CardIdentified, CutCard, Hand, IndicatedWinner, Misread, ResultIndicated
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.reasons import FirstCard, NotDue, NotShown, SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.commands.recall import recalled
from shoe_controller.history.drawing import draw
from shoe_controller.history.recall import last_rounds
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.actors import FirstCardDrawn, Person, Shoe
from shoe_controller.messages.acts import (
    Adjust,
    Approve,
    BeginRunOut,
    BurnExtraCard,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    EndRunOut,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    Note,
    OpenDispute,
    RevealCards,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
    Withdraw,
)
from shoe_controller.messages.causes import EndedByPerson, ProposalWithdrawn, RoundVoidedNow
from shoe_controller.messages.facts import RemainderCounted, ShoeEnded
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.inputs import ClockStepped, PinVerdict
from tests.recorded_sitting import RecordedSitting

NATURAL = "9H 4D KS 2C"
"""Player wins 9 to 6 with two cards each."""


def rounds_of(table: RecordedSitting, count: int = 1000) -> list[RecalledRound]:
    rounds = last_rounds([facts for _, _, facts in table.history], count, from_beginning=True)
    assert rounds is not None
    return rounds


def last_of(table: RecordedSitting) -> RecalledRound:
    """The last round that counts."""
    return [playing for playing in rounds_of(table, 1) if playing.counts][-1]


def opened(**procedure: Any) -> RecordedSitting:  # noqa: ANN401 - the settings of a procedure
    table = RecordedSitting(**procedure)
    table.open_shoe()
    return table


def undo(table: RecordedSitting) -> None:
    table.act(UndoLastResult(), reason="two fives")
    assert table.state.lasting.proposal is not None
    table.act(Approve(proposal=table.state.lasting.proposal.number), person="bob")


def natural(table: RecordedSitting) -> str:
    """As `NATURAL`, in a suit that follows the number of cards out, so that the decks hold enough of them."""
    assert table.state.shoe is not None
    suit = "CDHS"[table.state.shoe.cards_out % 4]
    return f"9{suit} 4{suit} K{suit} 2{suit}"


def plain(table: RecordedSitting) -> None:
    table.bet("1", "base.player", 50)
    table.deal(natural(table))
    table.result(IndicatedWinner.PLAYER)


# --- a round without trouble -----------------------------------------------------------------------------------------


def test_a_round_as_it_was_dealt() -> None:
    table = opened()
    table.bets("1", [("base.player", 50), ("base.tie", 5)])
    table.bet("2", "base.banker", 20)
    table.deal("2H 4D 3S AC 4C 5D")
    table.result(IndicatedWinner.PLAYER)
    told = last_of(table)
    assert (told.shoe, told.round, told.state, told.closed_by) == (1, 1, "settled", FirstCardDrawn())
    (attempt,) = told.attempts
    assert [str(card.card) for card in attempt.cards] == ["2H", "4D", "3S", "AC", "4C", "5D"]
    assert [str(card.hand) for card in attempt.cards] == ["Player", "Banker"] * 3
    deal = Deal()
    for card in attempt.cards:
        assert card.why == deal.why
        assert card.card is not None
        deal.feed(card.card)
    (result,) = attempt.results
    assert (result.why, result.confirmed_by, result.undone) == (deal.why, Shoe(), None)
    assert (result.outcome.player.total, result.outcome.banker.total) == (9, 0)
    assert result.settlement is not None
    assert result.settlement.totals.stakes == 75
    assert [(wager.seat, wager.stake) for wager in told.wagers] == [("1", 50), ("1", 5), ("2", 20)]
    assert told.ended == result.time > told.began
    assert (told.alerts, told.acts, told.returned) == ([], [], [])


def test_a_round_tells_who_dealt_it() -> None:
    table = opened(dealer_signs_in=True)
    table.deal(natural(table)[:5])
    table.sign_in("eve")
    table.deal(natural(table)[5:])
    table.result(IndicatedWinner.PLAYER)
    told = last_of(table)
    assert told.dealer == "dan"
    assert [result.dealer for result in told.attempts[0].results] == ["eve"]
    assert [(act.act, act.person) for act in told.acts] == [("sign_in", "eve")]


def test_what_comes_before_the_first_round_and_after_the_last() -> None:
    table = RecordedSitting(last_rounds=0)
    table.open_shoe("3H")
    table.event(CutCard())
    plain(table)
    before, only = rounds_of(table)
    assert (before.round, before.state) == (0, "before")
    names = [type(fact).__name__ for fact in before.about_shoe]
    assert names == ["ShoeOpened", "CardBurned", "CardBurned"]
    assert [act.act for act in before.acts] == ["open_shoe"]
    assert [type(fact).__name__ for fact in only.about_shoe] == ["CutCardOut", "ShoeEnded"]
    assert rounds_of(table, 1) == [only]


def test_a_round_counts_when_its_wagers_are_closed() -> None:
    table = opened(bets_close=BetsClose.DEALER)
    assert rounds_of(table, 1)[-1].state == "before"
    table.bet("1", "base.player", 50)
    assert [playing.state for playing in rounds_of(table, 1)] == ["before", "open"]
    table.dealer(NoMoreBets())
    (told,) = rounds_of(table, 1)
    assert (told.state, told.closed_by, told.attempts) == ("under_way", Person(person="dan"), [])
    assert [act.act for act in told.acts] == ["no_more_bets"]


def test_an_open_round_follows_the_last_as_soon_as_it_has_something_to_tell() -> None:
    table = opened()
    plain(table)
    assert [playing.round for playing in rounds_of(table, 1)] == [1]
    table.give(ClockStepped(by_ms=5000))
    first, open_ = rounds_of(table, 1)
    assert (first.round, open_.round, open_.state) == (1, 2, "open")
    assert [alert.alert.kind for alert in open_.alerts] == ["clock_stepped"]
    assert open_.alerts[0].ended is None


def test_a_free_hand() -> None:
    table = opened()
    table.dealer(FreeHand())
    table.deal(NATURAL)
    table.result(IndicatedWinner.PLAYER)
    told = last_of(table)
    assert told.free
    assert told.attempts[0].results[0].settlement is None


# --- cards that somebody had to name ---------------------------------------------------------------------------------


def test_identified_and_corrected_cards_say_by_whom_and_why() -> None:
    table = opened()
    table.deal("9H 4D")
    table.event(Misread(hand=Hand.PLAYER, position=2))
    table.act(IdentifyCard(number=3, card=Card.parse("KS")), reason="seen")
    table.card("3C")
    table.act(CorrectCard(number=4, card=Card.parse("2C")), person="bob", reason="a deuce")
    told = last_of(table)
    cards = told.attempts[0].cards
    (identified,), (corrected,) = cards[2].changes, cards[3].changes
    assert (identified.what, identified.old, str(identified.new)) == ("identified", None, "KS")
    assert (identified.person, identified.reason) == ("ann", "seen")
    assert (corrected.what, str(corrected.old), str(corrected.new)) == ("corrected", "3C", "2C")
    assert (corrected.person, corrected.reason) == ("bob", "a deuce")
    assert [(act.act, act.card_number, str(act.card)) for act in told.acts] == [
        ("identify_card", 3, "KS"),
        ("correct_card", 4, "2C"),
    ]
    (alert,) = told.alerts
    assert (alert.alert.kind, alert.ended_how) == ("misread", "identify_card")
    assert alert.cause == EndedByPerson(person="ann")
    assert alert.ended is not None


def test_a_card_that_was_not_due_says_so() -> None:
    table = opened()
    table.deal("2H 4D 3S 2C 9C")
    table.act(CorrectCard(number=3, card=Card.parse("6S")), reason="a six")
    told = last_of(table)
    assert [card.why for card in told.attempts[0].cards][-1] == NotDue()
    assert "card_not_due" in [alert.alert.kind for alert in told.alerts]


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_no_face_is_told_before_it_is_shown(reveal: Reveal) -> None:
    """Every face is its own: none of them may occur anywhere, whoever named it."""
    table = opened(reveal=reveal)
    table.deal("2H 4D")
    table.event(Misread(hand=Hand.PLAYER, position=2))
    table.act(IdentifyCard(number=3, card=Card.parse("3S")), reason="seen")
    table.card("3C")
    table.act(CorrectCard(number=1, card=Card.parse("AD")), reason="smudged")
    table.card("9C")
    text = msgspec.json.encode(rounds_of(table)[1:]).decode()
    assert not [face for face in ("2H", "4D", "3S", "3C", "AD", "9C") if f'"{face}"' in text]
    told = last_of(table)
    whys = [card.why for card in told.attempts[0].cards]
    assert whys[3:] == [SecondCard(hand=Side.BANKER), NotShown()]
    assert [(act.act, act.card) for act in told.acts] == [("identify_card", None), ("correct_card", None)]
    table.dealer(Confirm())
    told = last_of(table)
    assert told.state == "settled"
    assert [str(card.card) for card in told.attempts[0].cards] == ["AD", "4D", "3S", "3C", "9C"]


def test_reasons_are_right_where_only_a_later_card_is_known() -> None:
    table = opened()
    for _ in range(4):
        table.card(None)
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("9H")))
    cards = last_of(table).attempts[0].cards
    assert [card.card and str(card.card) for card in cards] == [None, None, "9H", None]
    assert [card.why for card in cards] == [
        FirstCard(hand=Side.PLAYER),
        FirstCard(hand=Side.BANKER),
        SecondCard(hand=Side.PLAYER),
        SecondCard(hand=Side.BANKER),
    ]


def test_a_hand_that_the_dealer_turned_is_told_and_the_other_is_not() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(NATURAL)
    table.dealer(RevealCards(hand=table.state.round.cards[0].hand if table.state.round else None))
    told = last_of(table)
    assert [card.card and str(card.card) for card in told.attempts[0].cards] == ["9H", None, "KS", None]
    standing = told.attempts[0].standing
    assert standing is not None
    assert (standing.player_total, standing.banker_total) == (9, None)


def test_cards_of_a_void_round_that_were_never_shown_stay_hidden() -> None:
    table = opened(reveal=Reveal.AT_RESULT)
    table.deal("9H 4D KS")
    table.act(VoidRound(), reason="fire alarm")
    plain(table)
    void = rounds_of(table)[1]
    assert void.state == "void"
    assert [card.card for card in void.attempts[0].cards] == [None] * 3


# --- void, replay, undo ----------------------------------------------------------------------------------------------


def test_a_void_round_says_why_and_what_went_back() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.card("9H")
    table.act(VoidRound(), reason="chips fell over")
    told = last_of(table)
    assert (told.state, told.wagers) == ("void", [])
    assert (told.attempts[0].ended, told.attempts[0].void_reason, told.attempts[0].voided_by) == (
        "void",
        "chips fell over",
        "ann",
    )
    (returned,) = told.returned
    assert (returned.reason, returned.total, returned.wagers[0].seat) == ("chips fell over", 50, "1")


def test_a_round_that_was_dealt_again_shows_both_attempts() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.card("9H")
    table.card("9D", hand=Hand.PLAYER, position=2)
    table.act(VoidAndReplay(), reason="out of turn")
    table.deal(NATURAL)
    table.card("2D", hand=Hand.EXTRA)
    table.act(BurnExtraCard(), reason="too many")
    table.result(IndicatedWinner.PLAYER)
    told = last_of(table)
    first, second = told.attempts
    assert (first.ended, first.void_reason, len(first.cards)) == ("replay", "out of turn", 1)
    assert [str(aside.card) for aside in first.set_aside] == ["9D"]
    assert [str(card.card) for card in second.cards] == NATURAL.split()
    assert (second.extra_cards[0].burned, second.extra_cards[0].person) == (1, "ann")
    assert (told.state, told.returned, told.wagers[0].stake) == ("settled", [], 50)
    out_of_turn = told.alerts[0]
    assert (out_of_turn.alert.kind, out_of_turn.ended_how) == ("out_of_turn", "void_and_replay")
    assert out_of_turn.cause == RoundVoidedNow()


def test_an_undone_result_is_marked_and_the_new_one_follows_it() -> None:
    table = opened()
    plain(table)
    table.bet("2", "base.tie", 10)
    undo(table)
    told = last_of(table)
    assert (told.round, told.state, told.ended) == (1, "under_way", None)
    table.act(CorrectCard(number=4, card=Card.parse("5C")), reason="a five")
    table.act(Confirm())
    told = last_of(table)
    undone, again = told.attempts[0].results
    assert undone.undone is not None
    assert (undone.undone.person, undone.undone.approved_by, undone.undone.reason) == ("ann", "bob", "two fives")
    assert undone.outcome.winner.value == "player"
    assert (again.outcome.winner.value, again.undone, told.state) == ("tie", None, "settled")
    # The wager on the next round went back, and is listed there; the act belongs to the round it took back.
    assert (told.acts[0].act, told.acts[0].approved_by) == ("undo_last_result", "bob")
    following = rounds_of(table, 1)[-1]
    assert (following.round, following.state, following.acts) == (2, "open", [])
    assert [returned.total for returned in following.returned] == [10]


def test_a_proposal_that_came_to_nothing_is_told_with_the_round_it_was_about() -> None:
    table = opened()
    plain(table)
    table.act(UndoLastResult(), reason="not sure")
    assert [(act.act, act.outcome) for act in last_of(table).acts] == [("undo_last_result", "proposed")]
    assert table.state.lasting.proposal is not None
    table.act(Withdraw(proposal=table.state.lasting.proposal.number))
    (act,) = last_of(table).acts
    assert act.outcome == "not_done"
    assert act.not_done == ProposalWithdrawn(person="ann")


def test_a_result_that_came_too_late_and_differs_is_told_with_its_round() -> None:
    table = opened()
    table.deal(NATURAL)
    table.dealer(Confirm())
    table.event(ResultIndicated(winner=IndicatedWinner.BANKER))
    (told,) = rounds_of(table, 1)
    assert (told.round, [alert.alert.kind for alert in told.alerts]) == (1, ["settled_result_differs"])
    table.act(ClearAlert(alert=table.alert_number("settled_result_differs")), reason="the lamp is broken")
    told, following = rounds_of(table, 1)
    assert (told.alerts[0].cause, told.alerts[0].ended_how) == (EndedByPerson(person="ann"), "clear_alert")
    assert following.acts[0].alert_kind == "settled_result_differs"


def test_wagers_voided_before_the_first_card_leave_the_number_free() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.act(VoidRound(), reason="wrong seat")
    plain(table)
    told = last_of(table)
    assert (told.round, told.state) == (1, "settled")
    assert [attempt.ended for attempt in told.attempts] == ["void", None]
    assert [returned.reason for returned in told.returned] == ["wrong seat"]


def test_a_shoe_that_ends_before_the_next_round_says_so() -> None:
    table = opened()
    plain(table)
    table.bet("1", "base.player", 50)
    table.act(EndShoe(), reason="worn")
    last, not_dealt = rounds_of(table, 1)
    assert [type(fact).__name__ for fact in last.about_shoe] == ["ShoeEnded"]
    assert (not_dealt.state, not_dealt.returned[0].total) == ("not_dealt", 50)


def test_the_end_of_a_shoe_is_told_once_also_when_its_last_result_was_taken_back() -> None:
    table = opened(last_rounds=0)
    table.event(CutCard())
    plain(table)
    undo(table)
    table.act(Confirm())
    assert table.state.phase is Phase.ENDED
    told = last_of(table)
    assert [type(fact).__name__ for fact in told.about_shoe] == ["CutCardOut", "ShoeEnded"]
    assert told.about_shoe[-1].seq == table.last(ShoeEnded).seq
    assert len(told.attempts[0].results) == 2


def test_what_is_left_of_a_shoe_is_told_with_its_faces() -> None:
    table = opened()
    plain(table)
    table.act(EndShoe(), reason="worn")
    table.act(BeginRunOut())
    table.card("7S")
    table.card("7S")
    table.act(EndRunOut())
    facts = last_of(table).about_shoe
    told = [type(fact).__name__ for fact in facts]
    assert told == ["ShoeEnded", "RunOutBegun", "CardCounted", "RemainderCounted"]
    out = Console(file=StringIO(), width=10_000, no_color=True)
    draw(out, rounds_of(table, 1), "")
    text = cast("StringIO", out.file).getvalue()
    ended, counted = table.last(ShoeEnded), table.last(RemainderCounted)
    assert ended.inventory is not None
    assert counted.faces is not None
    assert f"Known to have come: {', '.join(f'{card} {n}' for card, n in ended.inventory.known.items())}." in text
    assert f"{ended.inventory.remainder} must be left." in text
    assert f"2 cards were left of {counted.expected}: it DOES NOT FIT." in text
    assert f"AS {counted.faces.missing[Card.parse('AS')]}" in text


def test_wrong_pins_are_told() -> None:
    table = opened()
    table.deal("9H")
    table.act(VoidRound(), pin=PinVerdict.WRONG)
    (act,) = last_of(table).acts
    assert (act.outcome, act.person, act.failures, act.locked_out) == ("wrong_pin", "ann", 1, False)


def test_remarks_are_told_where_they_were_made_and_with_the_round_that_they_are_about() -> None:
    table = opened(house={"base_game": "commission", "commission": {"taken": "marked"}})
    table.bet("1", "base.banker", 200)
    table.deal("2H 9D 3S KC")
    table.result(IndicatedWinner.BANKER)
    table.bet("1", "base.banker", 100)
    table.deal("2D 9H 3C KS")
    table.result(IndicatedWinner.BANKER)
    table.act(Note(round=1), reason="seat 2 came late")
    table.act(OpenDispute(round=1, seat="1"), reason="says 300")
    table.act(Adjust(round=2, seat="1", amount=20), reason="paid too little")
    table.act(Approve(proposal=1), person="bob")
    table.dealer(CollectCommission(seat="1"))
    first, second, third = [playing for playing in rounds_of(table) if playing.round]

    def facts(playing: RecalledRound) -> list[str]:
        return [str(remark.fact.__struct_config__.tag) for remark in playing.remarks]

    assert facts(first) == ["note_made", "dispute_opened"]
    assert facts(second) == ["payment_adjusted"]
    assert facts(third) == ["note_made", "dispute_opened", "payment_adjusted", "commission_collected"]
    assert {(remark.of_shoe, remark.of_round) for remark in first.remarks} == {(1, 1)}
    assert [(remark.person, remark.approved_by) for remark in second.remarks] == [("ann", "bob")]
    undo(table)
    (undone,) = [playing.attempts[0].results[0].undone for playing in rounds_of(table) if playing.round == 2]
    assert undone is not None
    assert undone.commission_back == {"1": 5}


# --- out of a journal ------------------------------------------------------------------------------------------------


def void(table: RecordedSitting) -> None:
    table.bet("2", "base.banker", 30)
    table.deal(natural(table)[:5])
    table.act(VoidRound(), reason="void")


def void_open(table: RecordedSitting) -> None:
    table.bet("3", "base.banker", 30)
    table.act(VoidRound(), reason="void")


def void_closed(table: RecordedSitting) -> None:
    table.dealer(NoMoreBets())
    table.act(VoidRound(), reason="void")


def replay(table: RecordedSitting) -> None:
    table.bet("2", "base.banker", 30)
    table.deal(natural(table)[:5])
    table.act(VoidAndReplay(), reason="again")
    table.deal(natural(table))
    table.result(IndicatedWinner.PLAYER)


def undo_if_possible(table: RecordedSitting) -> None:
    if table.state.shoe is not None and table.state.shoe.previous is not None:
        undo(table)
        table.act(Confirm())


def clock(table: RecordedSitting) -> None:
    """An alert that outlasts rounds, or the end of one."""
    if "clock_stepped" in table.alerts:
        table.dealer(ClearAlert(alert=table.alert_number("clock_stepped")))
    else:
        table.give(ClockStepped(by_ms=1000))


def new_shoe(table: RecordedSitting) -> None:
    table.open_shoe("2D")


def dispute(table: RecordedSitting) -> None:
    """About the first round of this shoe, or of the one before."""
    table.act(OpenDispute(shoe=max(1, table.state.shoe_number - 1), round=1), reason="disputed")
    table.act(Note(round=table.state.round_number), reason="noted")


def close_dispute(table: RecordedSitting) -> None:
    for open_ in table.state.lasting.disputes[:1]:
        table.act(CloseDispute(dispute=open_.number), reason="decided")


TURNS: list[Callable[[RecordedSitting], None]] = [
    plain,
    plain,
    void,
    void_open,
    void_closed,
    replay,
    undo_if_possible,
    clock,
    new_shoe,
    dispute,
    close_dispute,
]


@pytest.mark.parametrize("seed", range(6))
def test_however_many_are_asked_for_they_are_the_end_of_the_whole_story(seed: int, tmp_path: Path) -> None:
    """Reading back only as far as is needed gives the same as reading everything, whatever happened."""
    chance = random.Random(seed)  # noqa: S311 - a story for a test
    table = opened()
    for _ in range(30):
        chance.choice(TURNS)(table)
        assert table.state.phase is Phase.BETTING
    if seed % 2:
        table.deal("9H 4D KS")
    path = table.write(tmp_path / "table.journal")
    counted = sum(playing.counts for playing in rounds_of(table))
    with JournalReader(path) as reader:
        for count in range(1, counted + 3):
            told = recalled(reader, count)
            assert told == rounds_of(table, count)
            assert sum(playing.counts for playing in told) == min(count, counted)


def test_a_result_taken_back_after_several_void_rounds_is_found_whole(tmp_path: Path) -> None:
    table = opened()
    plain(table)
    for _ in range(5):
        void(table)
    undo(table)
    with JournalReader(table.write(tmp_path / "table.journal")) as reader:
        (told,) = [playing for playing in recalled(reader, 1) if playing.counts]
    assert (told.round, told.state) == (1, "under_way")
    assert [card.hand.value for card in told.attempts[0].cards] == ["player", "banker"] * 2
    assert told.wagers[0].stake == 50
