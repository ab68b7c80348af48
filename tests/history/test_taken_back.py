"""Rounds that were amended, taken back and settled anew or voided: what counts in the end, and what is owed for it."""

from io import StringIO
from typing import cast

from rich.console import Console

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.history.drawing import draw
from shoe_controller.history.recall import last_rounds
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.messages.acts import Confirm, CorrectCard, SetWager, UndoLastResult, VoidRound
from shoe_controller.messages.facts import RoundVoided
from tests.table.sitting import Sitting
from tests.table.test_amendments import BANKER_WINS, amend, approved, card, opened, play

SEVENTY = (PlacedWager("1", "base.player", 70),)


def round_1(table: Sitting) -> RecalledRound:
    rounds = last_rounds([facts for _, _, facts in table.history], 1000, from_beginning=True)
    assert rounds is not None
    (found,) = (each for each in rounds if each.round == 1)
    return found


def drawn(told: RecalledRound) -> str:
    out = Console(file=StringIO(), width=10_000, no_color=True)
    draw(out, [told], "")
    return cast("StringIO", out.file).getvalue()


def undo(table: Sitting) -> None:
    assert table.act(UndoLastResult()).refusal is None
    assert approved(table) is None


def amended_and_undone() -> Sitting:
    """Banker wins; amended to Player, with another stake; taken back."""
    table = opened()
    play(table, BANKER_WINS, ("1", "base.player", 50))
    assert amend(table, card(2, "4D"), wagers=SEVENTY) is None
    undo(table)
    return table


def test_an_undo_takes_back_what_the_result_was_amended_to() -> None:
    told = round_1(amended_and_undone())
    (amended,) = told.amended
    assert amended.undone is not None
    assert amended.undone == told.attempts[0].results[0].undone
    assert (told.state, told.outcome) == ("under_way", None)


def test_after_the_undo_cards_and_wagers_lie_as_they_were_amended() -> None:
    table = amended_and_undone()
    told = round_1(table)
    assert [str(each.card) for each in told.attempts[0].cards] == ["7H", "4D", "KS", "2C"]
    assert told.wagers == list(SEVENTY)
    assert table.state.round is not None
    assert [(each.seat, each.stake) for each in table.state.round.wagers] == [("1", 70)]
    standing = told.attempts[0].standing
    assert standing is not None
    assert (standing.player_total, standing.banker_total, standing.complete) == (7, 6, True)
    text = drawn(told)
    assert "Player has 7, Banker has 6." in text
    assert "seat 1  70  base.player" in text


def test_the_result_that_is_confirmed_after_it_counts() -> None:
    table = amended_and_undone()
    assert table.act(CorrectCard(number=2, card=Card.parse("6D"))).refusal is None
    assert table.act(SetWager(seat="1", wager="base.player", stake=50)).refusal is None
    assert approved(table) is None
    assert table.act(Confirm()).refusal is None
    told = round_1(table)
    assert told.outcome is not None
    assert told.outcome.winner.value == "banker"
    changes = told.attempts[0].cards[1].changes
    assert [(str(each.old), str(each.new)) for each in changes] == [("6D", "4D"), ("4D", "6D")]
    text = drawn(told)
    assert text.startswith("Shoe 1, round 1: Banker wins")
    assert text.index("AMENDED") < text.index("Settled anew. Seat 1: collect 120.")
    assert text.count("AMENDED") == 1


def test_the_record_of_a_void_round_that_was_settled_has_the_difference() -> None:
    table = opened()
    play(table, BANKER_WINS, ("1", "base.player", 50), ("2", "base.banker", 100))
    undo(table)
    assert table.act(VoidRound()).refusal is None
    told = round_1(table)
    assert told.attempts[0].void_difference == table.last(RoundVoided).difference == {"1": 50, "2": -100}
    assert told.returned[0].total == 150
    text = drawn(told)
    assert "Settled before. Seat 1: pay 50." in text
    assert "Settled before. Seat 2: collect 100." in text


def test_a_void_round_that_was_not_settled_has_none() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.card("9H")
    assert table.act(VoidRound()).refusal is None
    told = round_1(table)
    assert told.attempts[0].void_difference is None
    assert "Settled before" not in drawn(told)


def test_an_amendment_after_the_new_result_counts() -> None:
    table = amended_and_undone()
    assert table.act(Confirm()).refusal is None
    assert amend(table, card(2, "6D")) is None
    told = round_1(table)
    assert [each.undone is None for each in told.amended] == [False, True]
    assert told.outcome == told.amended[-1].outcome
    assert drawn(told).startswith("Shoe 1, round 1: Banker wins")
