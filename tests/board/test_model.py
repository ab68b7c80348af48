"""How fast a table deals, by the rounds that it lists."""

import pytest

from shoe_controller.board.model import PACE_LASTS, BoardTable
from shoe_controller.messages.retained import RoundsMessage
from tests.follow.samples import JOURNAL, encode, rounds_message, status


def board(*messages: RoundsMessage) -> BoardTable:
    """A table that is there, with these messages at second 0."""
    table = BoardTable()
    table.followed.broker_up()
    table.receive("status", encode(status()), 0.0, retained=True)
    for message in messages:
        publish(table, message, 0.0)
    return table


def publish(table: BoardTable, message: RoundsMessage, now: float) -> None:
    table.receive("rounds", encode(message), now, retained=False)


@pytest.mark.parametrize(("rounds", "minutes", "pace"), [(2, 1, 60), (11, 1, 60), (11, 2, 30), (60, 1, 60)])
def test_the_pace_is_that_of_the_last_rounds(rounds: int, minutes: int, pace: int) -> None:
    assert board(rounds_message(1, *(number * minutes for number in range(rounds)))).pace(0.0) == pace


def test_rounds_long_ago_do_not_count() -> None:
    assert board(rounds_message(1, 0, *range(1000, 1020))).pace(0.0) == 60


def test_one_round_has_no_pace_nor_has_a_table_that_stopped_dealing() -> None:
    assert board().pace(0.0) is None
    assert board(rounds_message(1)).pace(0.0) is None
    assert board(rounds_message(1, 1)).pace(0.0) is None
    table = board(rounds_message(1, 1, 2))
    assert table.pace(PACE_LASTS - 1) == 60
    assert table.pace(PACE_LASTS + 1) is None


def test_a_message_that_comes_again_is_no_new_result() -> None:
    """The controller publishes all retained messages once a minute."""
    table = board(rounds_message(2, 1, 2))
    publish(table, rounds_message(2, 1, 2), PACE_LASTS)
    assert table.pace(PACE_LASTS + 1) is None
    publish(table, rounds_message(3, 1, 2, 3), PACE_LASTS + 2)
    assert table.pace(PACE_LASTS + 2) == 60


def test_a_clock_that_was_set_back_gives_no_pace() -> None:
    assert board(rounds_message(1, 9, 2)).pace(0.0) is None


def test_rounds_whose_time_an_earlier_version_did_not_keep_do_not_count() -> None:
    assert board(rounds_message(1, None, None)).pace(0.0) is None
    assert board(rounds_message(1, None, 4, 6)).pace(0.0) == 30


def test_a_new_journal_or_shoe_begins_without_a_pace() -> None:
    table = board(rounds_message(1, 1, 2))
    table.receive("status", encode(status(2, journal="other")), 0.0, retained=False)
    assert table.pace(0.0) is None
    publish(table, rounds_message(9, 5, 6, journal=JOURNAL), 0.0)
    assert table.pace(0.0) is None
    publish(table, rounds_message(1, 5, 7, journal="other"), 0.0)
    assert table.pace(0.0) == 30
    publish(table, rounds_message(2, journal="other"), 0.0)
    assert table.pace(0.0) is None
