"""What a board makes of the events of a table: the last result, void rounds and the pace."""

import pytest

from shoe_controller.board.model import PACE_LASTS, BoardTable
from shoe_controller.follow.event_sequencer import PATIENCE
from shoe_controller.messages.facts import CardDealt, Fact
from shoe_controller.messages.topics import Topics
from tests.follow.samples import SITE, TABLE, encode, other, published, result, state, status, undone, voided


def board(*facts: Fact) -> BoardTable:
    """A table that is there, and these events."""
    table = BoardTable(Topics(SITE, TABLE), client="board", instance="start")
    table.followed.broker_up()
    table.followed.receive("status", encode(status()), 0.0)
    table.followed.receive("state", encode(state(0)), 0.0)
    for fact in facts:
        table.followed.receive(f"event/{fact.TOPIC}", published(fact), 0.0)
    return table


def test_a_result_is_kept_until_it_is_taken_back() -> None:
    assert board(result(1, 1), result(2, 2)).result == result(2, 2)
    taken_back = board(result(1, 1), result(2, 2), undone(3, replaces=2))
    assert taken_back.result is None
    assert taken_back.followed.have == 3


def test_an_older_result_that_is_taken_back_leaves_the_last_one() -> None:
    assert board(result(1, 1), result(2, 2), undone(3, replaces=1)).result == result(2, 2)


def test_a_void_is_kept() -> None:
    assert board(voided(1, 4)).void == voided(1, 4)


def test_what_a_board_does_not_use_is_not_decoded() -> None:
    """Of a card only the numbers and the name are read, so that one which this board could not read does no harm."""
    table = board(result(1))
    card = b'{"journal":"4f2a","fact":"card_dealt","seq":2,"card":{"of another":"version"}}'
    table.followed.receive(f"event/{CardDealt.TOPIC}", card, 0.0)
    table.followed.receive("event/outcome", published(result(3)), 0.0)
    assert table.result == result(3)


def test_a_board_requests_the_last_hundred_events() -> None:
    table = BoardTable(Topics(SITE, TABLE), client="board", instance="start")
    table.followed.broker_up()
    table.followed.receive("status", encode(status()), 0.0)
    table.followed.receive("state", encode(state(1000)), 0.0)
    table.followed.request(0.0)
    request = table.followed.request(PATIENCE)
    assert request is not None
    assert b'"after":900' in request.payload


# --- how fast --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rounds", "minutes", "pace"), [(2, 1, 60), (11, 1, 60), (11, 2, 30), (60, 1, 60)])
def test_the_pace_is_that_of_the_last_rounds(rounds: int, minutes: int, pace: int) -> None:
    table = board(*(result(seq, seq, minute=seq * minutes) for seq in range(1, rounds + 1)))
    assert table.pace(1.0) == pace


def test_one_round_has_no_pace_nor_has_a_table_that_stopped_dealing() -> None:
    assert board(result(1)).pace(0.0) is None
    table = board(result(1, minute=1), result(2, minute=2))
    assert table.pace(PACE_LASTS - 1) == 60
    assert table.pace(PACE_LASTS + 1) is None


def test_a_clock_that_was_set_back_gives_no_pace() -> None:
    assert board(result(1, minute=9), result(2, minute=2)).pace(0.0) is None


def test_a_result_that_was_taken_back_does_not_count() -> None:
    facts = [result(1, minute=1), result(2, minute=2), undone(3, replaces=2), other(4), result(5, minute=3)]
    assert board(*facts).pace(0.0) == 30
