"""The roads against a second way to work them out, against the rules of drawing, and against boards done by hand."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, product

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoe_controller.baccarat.roads import (
    BeadPlate,
    BigRoad,
    BigRoadCell,
    Colour,
    DerivedCell,
    DerivedRoad,
    RoadResult,
    Roads,
    RoadWinner,
    roads,
)

Place = tuple[int, int]


def results_of(winners: str) -> list[RoadResult]:
    return [RoadResult(winner=RoadWinner(letter)) for letter in winners]


def board_of(winners: str) -> Roads:
    return roads(results_of(winners))


def winners_of(streaks: Sequence[int]) -> str:
    """Streaks of Banker and Player in turn, Banker first."""
    return "".join("BP"[number % 2] * length for number, length in enumerate(streaks))


def picture(cells: Sequence[BigRoadCell] | Sequence[DerivedCell]) -> list[str]:
    """The road as six lines of letters, a dot where nothing is drawn."""
    letters = {}
    for cell in cells:
        if isinstance(cell, BigRoadCell):
            letters[cell.column, cell.row] = cell.winner.value if cell.winner else "?"
        else:
            letters[cell.column, cell.row] = "R" if cell.colour is Colour.RED else "B"
    width = 1 + max(column for column, _ in letters)
    return ["".join(letters.get((column, row), ".") for column in range(width)) for row in range(6)]


# Streaks up to 14 make long tails, and many short ones after them make the tails collide.
streak_lists = st.lists(st.one_of(st.integers(1, 3), st.integers(4, 14)), max_size=40)
any_results = st.lists(
    st.builds(
        RoadResult,
        winner=st.sampled_from(RoadWinner),
        banker_pair=st.booleans(),
        player_pair=st.booleans(),
        natural=st.booleans(),
    ),
    max_size=120,
)


# --- Derived roads, a second way: cell by cell as the results arrive, on a board without a bottom. -------------------


def beside(heights: Sequence[int], column: int, depth: int, distance: int) -> str:
    """The colour of a cell below the first one: look at its neighbour to the left and at the one above that."""
    neighbour = heights[column - distance] > depth
    neighbour_above = heights[column - distance] > depth - 1
    return "R" if neighbour == neighbour_above else "B"


def derived_as_results_arrive(winners: str, distance: int) -> str:
    """A column's first cell takes the opposite of what the column before would have got, had it gone on."""
    opposite = {"R": "B", "B": "R"}
    heights: list[int] = []
    sequence = ""
    previous = ""
    for winner in winners:
        if winner == previous:
            heights[-1] += 1
            if len(heights) > distance:
                sequence += beside(heights, len(heights) - 1, heights[-1] - 1, distance)
        else:
            heights.append(1)
            if len(heights) - 1 > distance:
                ended = len(heights) - 2
                sequence += opposite[beside(heights, ended, heights[ended], distance)]
        previous = winner
    return sequence


def assert_derived_roads_agree(winners: str) -> None:
    board = board_of(winners)
    for distance, road in enumerate((board.big_eye, board.small, board.cockroach), start=1):
        assert road.sequence == derived_as_results_arrive(winners, distance), (winners, distance)
        assert road.sequence == "".join("R" if cell.colour is Colour.RED else "B" for cell in road.cells)


@pytest.mark.parametrize("length", range(13))
def test_derived_roads_of_every_short_shoe(length: int) -> None:
    for winners in product("BP", repeat=length):
        assert_derived_roads_agree("".join(winners))


@given(streak_lists)
def test_derived_roads_of_long_shoes(streaks: list[int]) -> None:
    assert_derived_roads_agree(winners_of(streaks))


# --- Where cells are drawn. These rules together leave no choice, so they fix every place. ---------------------------


def assert_drawn_by_the_rules(streaks: Sequence[Sequence[Place]]) -> None:
    taken: set[Place] = set()
    previous_start = -1
    for streak in streaks:
        start, top = streak[0]
        assert top == 0
        free = (column for column in range(previous_start + 1, 10_000) if (column, 0) not in taken)
        assert start == next(free)
        previous_start = start
        turned = False
        for (column, row), following in pairwise(streak):
            blocked = row == 5 or (column, row + 1) in taken
            turned = turned or blocked
            assert following == ((column + 1, row) if turned else (column, row + 1))
        for place in streak:
            assert place not in taken
            assert 0 <= place[1] < 6
            taken.add(place)


def drawn_streaks(cells: Sequence[BigRoadCell] | Sequence[DerivedCell]) -> list[list[Place]]:
    def told_apart_by(cell: BigRoadCell | DerivedCell) -> object:
        return cell.winner if isinstance(cell, BigRoadCell) else cell.colour

    return [[(cell.column, cell.row) for cell in streak] for _, streak in groupby(cells, key=told_apart_by)]


@given(streak_lists)
@example([12, 11, 10, 9, 8, 4, 2, 3])
@example([40, 40, 40, 40, 40, 40, 40, 2, 9])
@example([7, 6, 5, 4, 3, 2, 1])
def test_every_road_is_drawn_by_the_rules(streaks: list[int]) -> None:
    board = board_of(winners_of(streaks))
    drawn = drawn_streaks(board.big_road.cells)
    assert [len(streak) for streak in drawn] == streaks
    assert_drawn_by_the_rules(drawn)
    for road in (board.big_eye, board.small, board.cockroach):
        assert_drawn_by_the_rules(drawn_streaks(road.cells))


@given(any_results)
def test_bead_plate_has_every_round_column_by_column(results: list[RoadResult]) -> None:
    cells = roads(results).bead_plate.cells
    assert [cell.column * 6 + cell.row for cell in cells] == list(range(len(results)))
    assert all(0 <= cell.row < 6 for cell in cells)
    shown = [
        RoadResult(winner=cell.winner, banker_pair=cell.banker_pair, player_pair=cell.player_pair, natural=cell.natural)
        for cell in cells
    ]
    assert shown == results


# --- Ties and marks on the big road. ---------------------------------------------------------------------------------


def every_shoe_with_ties(longest: int) -> Iterator[str]:
    for length in range(longest + 1):
        for winners in product("BPT", repeat=length):
            yield "".join(winners)


def test_ties_stay_with_the_cell_before_and_change_nothing_else() -> None:
    for winners in every_shoe_with_ties(8):
        board = board_of(winners)
        without_ties = board_of(winners.replace("T", ""))
        shown = [(cell.winner, cell.ties) for cell in board.big_road.cells]
        leading = len(winners) - len(winners.lstrip("T"))
        expected: list[tuple[RoadWinner | None, int]] = [
            (RoadWinner(cell[0]), len(cell) - 1) for cell in re.findall("[BP]T*", winners)
        ]
        if expected:
            winner, ties = expected[0]
            expected[0] = (winner, ties + leading)
        elif leading:
            expected = [(None, leading)]
        assert shown == expected, winners
        assert (board.big_eye, board.small, board.cockroach) == (
            without_ties.big_eye,
            without_ties.small,
            without_ties.cockroach,
        )
        if without_ties.big_road.cells:
            assert picture(board.big_road.cells) == picture(without_ties.big_road.cells)


def test_leading_ties_wait_in_the_first_cell_for_its_winner() -> None:
    (waiting,) = board_of("TTT").big_road.cells
    assert waiting == BigRoadCell(
        column=0, row=0, winner=None, ties=3, banker_pair=False, player_pair=False, natural=False
    )
    first, second = board_of("TTTPTB").big_road.cells
    assert (first.column, first.row, first.winner, first.ties) == (0, 0, RoadWinner.PLAYER, 4)
    assert (second.column, second.row, second.winner, second.ties) == (1, 0, RoadWinner.BANKER, 0)


@given(any_results)
def test_marks_on_the_big_road_are_those_of_the_rounds_that_somebody_won(results: list[RoadResult]) -> None:
    won = [result for result in results if result.winner is not RoadWinner.TIE]
    cells = [cell for cell in roads(results).big_road.cells if cell.winner is not None]
    assert [(cell.winner, cell.banker_pair, cell.player_pair, cell.natural) for cell in cells] == [
        (result.winner, result.banker_pair, result.player_pair, result.natural) for result in won
    ]


def test_marks_of_leading_ties_are_on_the_bead_plate_only() -> None:
    board = roads([RoadResult(winner=RoadWinner.TIE, banker_pair=True, player_pair=True, natural=True)])
    (big,) = board.big_road.cells
    assert not big.banker_pair
    assert not big.player_pair
    assert not big.natural
    (bead,) = board.bead_plate.cells
    assert bead.banker_pair
    assert bead.player_pair
    assert bead.natural


# --- Taking the last result back. ------------------------------------------------------------------------------------


def shortened(road: DerivedRoad, cells: int) -> DerivedRoad:
    return DerivedRoad(sequence=road.sequence[:cells], cells=road.cells[:cells])


def taken_back(board: Roads, last: RoadWinner, cells_before: tuple[int, int, int]) -> Roads:
    """The board with its last result wiped off by hand, nothing else touched."""
    big = board.big_road.cells
    if last is RoadWinner.TIE:
        fewer_ties = msgspec.structs.replace(big[-1], ties=big[-1].ties - 1)
        nothing_left = fewer_ties.winner is None and fewer_ties.ties == 0
        big = big[:-1] if nothing_left else (*big[:-1], fewer_ties)
    elif big[-1].ties:
        # Only leading ties can be on the cell of the last result: they wait for a winner again.
        assert len(big) == 1
        big = (msgspec.structs.replace(big[0], winner=None, banker_pair=False, player_pair=False, natural=False),)
    else:
        big = big[:-1]
    big_eye, small, cockroach = cells_before
    return Roads(
        bead_plate=BeadPlate(cells=board.bead_plate.cells[:-1]),
        big_road=BigRoad(cells=big),
        big_eye=shortened(board.big_eye, big_eye),
        small=shortened(board.small, small),
        cockroach=shortened(board.cockroach, cockroach),
    )


def assert_last_result_can_be_taken_back(results: Sequence[RoadResult]) -> None:
    before = roads(results[:-1])
    board = roads(results)
    cells_before = (len(before.big_eye.cells), len(before.small.cells), len(before.cockroach.cells))
    cells_now = (len(board.big_eye.cells), len(board.small.cells), len(board.cockroach.cells))
    most_added = 0 if results[-1].winner is RoadWinner.TIE else 1
    assert all(0 <= now - then <= most_added for now, then in zip(cells_now, cells_before, strict=True))
    assert taken_back(board, results[-1].winner, cells_before) == before


@given(any_results.filter(bool))
def test_taking_back_the_last_result_wipes_off_that_result_alone(results: list[RoadResult]) -> None:
    assert_last_result_can_be_taken_back(results)


@given(streak_lists.filter(bool))
def test_taking_back_the_last_result_among_dragon_tails(streaks: list[int]) -> None:
    assert_last_result_can_be_taken_back(results_of(winners_of(streaks)))


def test_taking_back_the_last_result_of_every_short_shoe() -> None:
    for winners in every_shoe_with_ties(7):
        if winners:
            assert_last_result_can_be_taken_back(results_of(winners))


# --- Boards done by hand. --------------------------------------------------------------------------------------------


def test_no_result_no_cells() -> None:
    board = roads([])
    assert (board.bead_plate, board.big_road) == (BeadPlate(cells=()), BigRoad(cells=()))
    assert board.big_eye == board.small == board.cockroach == DerivedRoad(sequence="", cells=())


def test_dragon_tail() -> None:
    assert picture(board_of("BBBBBBBBPPB").big_road.cells) == [
        "BPB",
        "BP.",
        "B..",
        "B..",
        "B..",
        "BBB",
    ]


def test_a_tail_that_lies_on_another_goes_on_beyond_its_end() -> None:
    assert picture(board_of("BBBBBBBB" + "PPPPPPPPP" + "BBBBBB").big_road.cells) == [
        "BPB...",
        "BPB...",
        "BPB...",
        "BPBBB.",
        "BPPPPP",
        "BBB...",
    ]


def test_tails_stacked_to_the_top_push_the_next_column_right() -> None:
    assert picture(board_of(winners_of([12, 11, 10, 9, 8, 4, 2, 3])).big_road.cells) == [
        "BPBPBPPPPBBP",
        "BPBPBBBBBBBP",
        "BPBPPPPPPP.P",
        "BPBBBBBBB...",
        "BPPPPPPP....",
        "BBBBBBB.....",
    ]


def test_derived_roads_have_dragon_tails_too() -> None:
    # Banker and Player in turn: every column is as long as those before it, so all is red, nine times.
    board = board_of("BPBPBPBPBPB")
    assert board.big_eye.sequence == "RRRRRRRRR"
    assert picture(board.big_eye.cells) == ["R...", "R...", "R...", "R...", "R...", "RRRR"]


def test_derived_roads_compare_streaks_not_drawn_columns() -> None:
    # The Player column stands above the Banker's tail, but is compared with all eight of that streak: at depth 6 and 7
    # there is a cell beside it (red), at depth 8 the Banker streak has just ended (blue), then it is past it (red).
    board = board_of("BBBBBBBB" + "PPPPPPPPPP")
    assert board.big_eye.sequence == "RRRRRRR" + "B" + "R"


@pytest.mark.parametrize(
    ("winners", "big_eye", "small", "cockroach"),
    [
        # The second cell of the second column is the first to be compared; a lone cell waits for the column after.
        ("B", "", "", ""),
        ("BP", "", "", ""),
        ("BPP", "B", "", ""),
        ("BBPP", "R", "", ""),
        ("BPB", "R", "", ""),
        ("BBPB", "B", "", ""),
        ("BPBB", "RB", "B", ""),
        ("BPBP", "RR", "R", ""),
        ("BPBPP", "RRB", "RB", "B"),
        ("BPBPB", "RRR", "RR", "R"),
        # Streaks of 2, 1, 1, 3, 1.
        ("BBPBPPPB", "BRBRB", "BBRB", "RBB"),
        # Streaks of 3, 3, 1, 2, 2, worked out cell by cell.
        ("BBBPPPBPPBB", "RRRBBBR", "BRBB", "RBR"),
    ],
)
def test_derived_roads_by_hand(winners: str, big_eye: str, small: str, cockroach: str) -> None:
    board = board_of(winners)
    assert (board.big_eye.sequence, board.small.sequence, board.cockroach.sequence) == (big_eye, small, cockroach)


def test_the_json_is_what_boards_are_promised() -> None:
    board = roads(
        [
            RoadResult(winner=RoadWinner.BANKER, natural=True),
            RoadResult(winner=RoadWinner.PLAYER, banker_pair=True),
            RoadResult(winner=RoadWinner.TIE, player_pair=True),
            RoadResult(winner=RoadWinner.PLAYER),
        ]
    )
    no_marks = {"banker_pair": False, "player_pair": False, "natural": False}
    assert msgspec.json.decode(msgspec.json.encode(board)) == {
        "bead_plate": {
            "cells": [
                {"column": 0, "row": 0, "winner": "B", **no_marks, "natural": True},
                {"column": 0, "row": 1, "winner": "P", **no_marks, "banker_pair": True},
                {"column": 0, "row": 2, "winner": "T", **no_marks, "player_pair": True},
                {"column": 0, "row": 3, "winner": "P", **no_marks},
            ]
        },
        "big_road": {
            "cells": [
                {"column": 0, "row": 0, "winner": "B", "ties": 0, **no_marks, "natural": True},
                {"column": 1, "row": 0, "winner": "P", "ties": 1, **no_marks, "banker_pair": True},
                {"column": 1, "row": 1, "winner": "P", "ties": 0, **no_marks},
            ]
        },
        "big_eye": {"sequence": "B", "cells": [{"column": 0, "row": 0, "colour": "blue"}]},
        "small": {"sequence": "", "cells": []},
        "cockroach": {"sequence": "", "cells": []},
    }
