"""The five roads on a baccarat board: results of a shoe in, cells with column and row out.

Pure, and independent of every other module. `roads` computes the whole board from the results, so a result that is
taken back leaves no trace. The values encode to the JSON that boards and `shoe-controller roads` show.
Columns and rows count from 0, at the upper left. In every road the cells are in chronological order.

Two kinds of column must not be confused. A *logical* column of the big road is one streak of the same winner, however
long; the derived roads compare those. Where its cells are *drawn* depends on the six rows of a board: `_places`.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby

import msgspec

ROWS = 6


class RoadWinner(Enum):
    """Who won a round, as boards write it."""

    BANKER = "B"
    PLAYER = "P"
    TIE = "T"


class Colour(Enum):
    """Red means that the shoe repeats itself, blue that it does not; neither stands for Banker or Player."""

    RED = "red"
    BLUE = "blue"


class RoadResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one round ended, as far as a board shows it."""

    winner: RoadWinner
    banker_pair: bool = False
    player_pair: bool = False
    natural: bool = False


class BeadCell(msgspec.Struct, frozen=True, kw_only=True):
    """A round on the bead plate."""

    column: int
    """Counted from 0, from the left."""
    row: int
    """Counted from 0, from the top."""
    winner: RoadWinner
    """Who won the round."""
    banker_pair: bool
    """Whether Banker's first two cards were a pair."""
    player_pair: bool
    """Whether Player's first two cards were a pair."""
    natural: bool
    """Whether a natural ended the round."""


class BigRoadCell(msgspec.Struct, frozen=True, kw_only=True):
    """A round that was not a tie. The marks are that round's own; those of a tie are shown on the bead plate only."""

    column: int
    """Counted from 0, from the left."""
    row: int
    """Counted from 0, from the top."""
    winner: RoadWinner | None
    """`None` while the shoe has had only ties."""
    ties: int
    """Ties that followed this round; in the first cell also those that came before it."""
    banker_pair: bool
    """Whether Banker's first two cards were a pair."""
    player_pair: bool
    """Whether Player's first two cards were a pair."""
    natural: bool
    """Whether a natural ended the round."""


class DerivedCell(msgspec.Struct, frozen=True, kw_only=True):
    """A mark on one of the three derived roads."""

    column: int
    """Counted from 0, from the left."""
    row: int
    """Counted from 0, from the top."""
    colour: Colour
    """The mark's colour."""


class BeadPlate(msgspec.Struct, frozen=True, kw_only=True):
    """Every round in its own cell, column by column."""

    cells: tuple[BeadCell, ...]
    """In the order of the rounds."""


class BigRoad(msgspec.Struct, frozen=True, kw_only=True):
    """A column for each run of wins of one hand."""

    cells: tuple[BigRoadCell, ...]
    """In the order of the rounds."""


class DerivedRoad(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the big road repeats itself."""

    sequence: str
    """The colours alone, one letter per cell: R for red, B for blue."""
    cells: tuple[DerivedCell, ...]
    """In the order in which they were made."""


class Roads(msgspec.Struct, frozen=True, kw_only=True):
    """The five roads of a shoe."""

    bead_plate: BeadPlate
    """The bead plate."""
    big_road: BigRoad
    """The big road."""
    big_eye: DerivedRoad
    """The big eye boy."""
    small: DerivedRoad
    """The small road."""
    cockroach: DerivedRoad
    """The cockroach road."""


def roads(results: Sequence[RoadResult]) -> Roads:
    """All five roads of a shoe with these results, the oldest first."""
    decided = [result for result in results if result.winner is not RoadWinner.TIE]
    streaks = _streaks(result.winner for result in decided)
    return Roads(
        bead_plate=_bead_plate(results),
        big_road=_big_road(decided, _ties_by_cell(results), streaks),
        big_eye=_derived_road(streaks, 1),
        small=_derived_road(streaks, 2),
        cockroach=_derived_road(streaks, 3),
    )


def _bead_plate(results: Sequence[RoadResult]) -> BeadPlate:
    return BeadPlate(
        cells=tuple(
            BeadCell(
                column=number // ROWS,
                row=number % ROWS,
                winner=result.winner,
                banker_pair=result.banker_pair,
                player_pair=result.player_pair,
                natural=result.natural,
            )
            for number, result in enumerate(results)
        )
    )


def _ties_by_cell(results: Sequence[RoadResult]) -> list[int]:
    """How many ties each cell of the big road carries; one number even when no cell has a winner yet."""
    ties = [0]
    first_cell_has_its_winner = False
    for result in results:
        if result.winner is RoadWinner.TIE:
            ties[-1] += 1
        elif first_cell_has_its_winner:
            ties.append(0)
        else:
            first_cell_has_its_winner = True
    return ties


def _big_road(decided: Sequence[RoadResult], ties: Sequence[int], streaks: Sequence[int]) -> BigRoad:
    if not decided and ties[0]:
        only_ties = BigRoadCell(
            column=0, row=0, winner=None, ties=ties[0], banker_pair=False, player_pair=False, natural=False
        )
        return BigRoad(cells=(only_ties,))
    return BigRoad(
        cells=tuple(
            BigRoadCell(
                column=column,
                row=row,
                winner=result.winner,
                ties=ties[number],
                banker_pair=result.banker_pair,
                player_pair=result.player_pair,
                natural=result.natural,
            )
            for number, (result, (column, row)) in enumerate(zip(decided, _places(streaks), strict=True))
        )
    )


def _derived_road(streaks: Sequence[int], distance: int) -> DerivedRoad:
    colours = list(_derived_colours(streaks, distance))
    return DerivedRoad(
        sequence="".join("R" if colour is Colour.RED else "B" for colour in colours),
        cells=tuple(
            DerivedCell(column=column, row=row, colour=colour)
            for colour, (column, row) in zip(colours, _places(_streaks(colours)), strict=True)
        ),
    )


def _derived_colours(streaks: Sequence[int], distance: int) -> Iterator[Colour]:
    """Compare each cell of the big road with the logical column `distance` to its left.

    The first cell of a column describes the column that has just ended: red if it is as long as the one `distance`
    before it. Any further cell is blue only if the compared column ended just above it; if there is a cell beside it,
    or neither beside it nor beside the cell above, the shoe repeats itself. Columns without one to compare with are
    skipped: that leaves out the first columns, and the first cell of the column after them.
    """
    for number, length in enumerate(streaks):
        if number > distance:
            yield Colour.RED if streaks[number - 1] == streaks[number - 1 - distance] else Colour.BLUE
        if number >= distance:
            compared = streaks[number - distance]
            for depth in range(1, length):
                yield Colour.BLUE if compared == depth else Colour.RED


def _streaks(marks: Iterable[Enum]) -> list[int]:
    """The lengths of the logical columns."""
    return [sum(1 for _ in streak) for _, streak in groupby(marks)]


def _places(streaks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where the cells of these logical columns are drawn: column and row of each, in order.

    A column goes down until the board ends or an earlier tail is in its way; then it turns right and stays on that
    row to its end (the dragon tail), even where the row below is free again. The next column starts on row 0, in the
    first free column after the *start* of the one before, so it may well be above that one's tail.

    A tail never runs into anything: whatever lies to the right of it came from further left, and would have had to
    come through the tail's own column on the same row.
    """
    taken: set[tuple[int, int]] = set()
    start = -1
    for length in streaks:
        start += 1
        while (start, 0) in taken:
            start += 1
        column, row = start, 0
        turned = False
        for _ in range(length):
            taken.add((column, row))
            yield column, row
            turned = turned or row == ROWS - 1 or (column, row + 1) in taken
            if turned:
                column += 1
            else:
                row += 1
