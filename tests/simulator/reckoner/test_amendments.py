"""What the reckoner works out itself of amendments, corrected wagers and late ones."""

from typing import Any

import pytest

from simulator.reckoner.amendments import amended_round, amended_wagers, check_correction, check_difference, difference
from simulator.reckoner.drawing import dealt
from simulator.reckoner.late_wagers import SeatHistory
from simulator.reckoner.mismatch import MismatchError
from simulator.reckoner.settlement import SettledRow, Wager

NATURAL = dealt(["9H", "KD", "KS", "5C"])


def act(cards: list[tuple[int, str]] | None = None, wagers: list[Wager] | None = None) -> dict[str, Any]:
    return {
        "cards": [{"number": number, "card": card} for number, card in cards or []],
        "wagers": [wager._asdict() for wager in wagers or []],
    }


def test_cards_that_were_others_in_truth() -> None:
    assert amended_round(NATURAL, act([(1, "8D"), (4, "6C")])) == dealt(["8D", "KD", "KS", "6C"])
    with pytest.raises(MismatchError, match="no whole round"):
        amended_round(NATURAL, act([(1, "2H")]))


def test_wagers_that_should_have_been_others() -> None:
    rows = [
        SettledRow("1", "base.player", 50, "win", 50, 0, 0, 100),
        SettledRow("2", "base.tie", 5, "lose", 0, 0, 0, 0),
    ]
    changes = [Wager("1", "base.player", 80), Wager("2", "base.tie", 0), Wager("3", "base.tie", 7)]
    assert amended_wagers(rows, act(wagers=changes)) == [Wager("1", "base.player", 80), Wager("3", "base.tie", 7)]
    assert difference(rows, ()) == {"1": -50, "2": 5}
    check_difference({"1": -50, "2": 5}, difference(rows, ()), "here")
    with pytest.raises(MismatchError):
        check_difference({"1": -50}, difference(rows, ()), "a seat is forgotten")
    with pytest.raises(MismatchError):
        check_difference(None, {}, "a round was settled before, and nothing is said of it")


@pytest.mark.parametrize(
    ("done", "after"),
    [
        ({"act": "set_wager", "seat": "1", "wager": "base.player", "stake": 80}, [("1", 80), ("2", 70)]),
        ({"act": "set_wager", "seat": "1", "wager": "base.player", "stake": 0}, [("2", 70)]),
        ({"act": "move_wager", "seat": "1", "wager": "base.player", "to_seat": "3"}, [("3", 50), ("2", 70)]),
    ],
)
def test_a_wager_put_right(done: dict[str, Any], after: list[tuple[str, int]]) -> None:
    def rows(stakes: list[tuple[str, int]]) -> list[dict[str, Any]]:
        return [Wager(seat, "base.player", stake)._asdict() for seat, stake in stakes]

    check_correction({"before": rows([("1", 50), ("2", 70)]), "after": rows(after)}, done)
    for wrong in (after[:-1], [*after, ("9", 1)], [(seat, stake + 1) for seat, stake in after]):
        with pytest.raises(MismatchError):
            check_correction({"before": rows([("1", 50), ("2", 70)]), "after": rows(wrong)}, done)


def history() -> SeatHistory:
    """Seat 1 has 50, raises to 90 at 2000 and takes it back at 3000."""
    seen = SeatHistory()
    seen.changed("1", 1000, (Wager("1", "base.player", 50),))
    seen.changed("1", 2000, (Wager("1", "base.player", 90),))
    seen.changed("1", 3000, ())
    return seen


@pytest.mark.parametrize(("left", "stake"), [(500, 0), (1500, 50), (2500, 90), (3500, 0)])
def test_what_a_seat_had_when_the_card_left(left: int, stake: int) -> None:
    for said in (0, 50, 90):
        seen = history()
        seen.first_card = left
        standing = {"1": (Wager("1", "base.player", said),)} if said else {}
        if said == stake:
            seen.check_late(["1"], standing)
        else:
            with pytest.raises(MismatchError):
                seen.check_late(["1"], standing)


def test_a_clock_that_was_set_tells_only_what_a_seat_ever_had() -> None:
    seen = history()
    seen.first_card, seen.times_are_known = 500, False
    seen.check_late(["1"], {"1": (Wager("1", "base.player", 90),)})
    with pytest.raises(MismatchError):
        seen.check_late(["1"], {"1": (Wager("1", "base.player", 91),)})


def test_what_supervisors_said_of_a_wager_stands_and_the_others_are_returned() -> None:
    seen = history()
    seen.changed("1", 4000, (Wager("1", "base.player", 90), Wager("1", "base.tie", 20)))
    seen.first_card = 1500
    said = Wager("1", "base.player", 30)
    seen.decided("1", "base.player", (said, Wager("1", "base.tie", 20)))
    seen.check_late(["1"], {"1": (said,)})
    for wrong in ((said, Wager("1", "base.tie", 20)), (Wager("1", "base.player", 50),)):
        with pytest.raises(MismatchError):
            seen.check_late(["1"], {"1": wrong})
