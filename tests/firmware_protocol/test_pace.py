"""Which cards come too fast for a hand, and which only too fast for a machine that is busy."""

import pytest

from firmware_protocol.pace import CARD_TAKES, CardPace


def noticed(*came: tuple[float, int], card_takes: float = CARD_TAKES) -> list[float]:
    pace = CardPace(card_takes)
    return [now for now, cards in came if pace.held_up(cards, now)]


def test_a_whole_round_at_once_shows_a_stall_whatever_time_has_passed() -> None:
    assert noticed((0.0, 1), (60.0, 4)) == [60.0]
    assert noticed((60.0, 80)) == [60.0]


@pytest.mark.parametrize("gap", [0.001, 0.01, 0.05])
def test_cards_that_come_in_pieces_show_it_before_the_round_can_be_over(gap: float) -> None:
    (at,) = noticed(*((number * gap, 1) for number in range(16)))
    assert at <= 4 * gap


@pytest.mark.parametrize("held", [0.1, 0.5])
def test_a_busy_machine_and_a_quick_hand_show_nothing(held: float) -> None:
    drawn = [0.4 * number for number in range(40)]
    reads = [held * number for number in range(int(16 / held) + 1)]
    came = [(read, sum(read - held < at <= read for at in drawn)) for read in reads]
    assert sum(cards for _, cards in came) >= 39
    assert noticed(*came) == []


def test_one_stall_is_said_once_and_the_next_one_again() -> None:
    assert noticed((10.0, 4), (10.1, 6), (10.2, 3), (20.0, 5)) == [10.0, 20.0]


def test_what_is_no_hand_is_not_judged() -> None:
    assert noticed((0.0, 80), card_takes=0.0) == []
