"""`shoe-controller roads BBnPTpB`: the five roads of a shoe, drawn in the terminal or as JSON.

Parses the results and draws what `baccarat.roads` makes of them. Every cell is distinguished by its letter or shape as
well as by its colour, so the drawing loses nothing in a file, on a printer or to a colour-blind reader.
"""

import argparse
from typing import NamedTuple

from shoe_controller.baccarat.roads import ROWS, Colour, DerivedRoad, RoadResult, Roads, RoadWinner, roads
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, console, print_json

_WINNERS = {winner.value: winner for winner in RoadWinner}
_MARKS = {"b": "banker_pair", "p": "player_pair", "n": "natural"}
_SEPARATORS = ",-"
_HOW_TO_WRITE = (
    "write B, P or T for each round and directly after it, where they apply, "
    "b (Banker pair), p (Player pair), n (natural); as in BBnPTpB"
)


class BadResultsError(ValueError):
    """A text that is not a list of results."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "roads",
        help="draw the five roads of a list of results",
        description="Draw bead plate, big road, big eye boy, small road and cockroach road.",
    )
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULTS",
        help=f"{_HOW_TO_WRITE}; blanks, commas and dashes between rounds are ignored, '' is a shoe without a round",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        board = roads(parse_results(" ".join(args.results)))
    except BadResultsError as error:
        return bad_input(args, "bad_results", str(error))
    if args.json:
        print_json(board)
    else:
        _draw(board)
    return GOOD


def parse_results(text: str) -> list[RoadResult]:
    """Parse "BBnPTpB". The error names the position, counted from 1."""
    rounds: list[tuple[RoadWinner, set[str]]] = []
    marks_may_follow = False
    for position, letter in enumerate(text, start=1):
        if letter in _WINNERS:
            rounds.append((_WINNERS[letter], set()))
            marks_may_follow = True
        elif letter.isspace() or letter in _SEPARATORS:
            # A lone lower-case letter was probably meant as a result: it must not pass as a mark.
            marks_may_follow = False
        elif letter not in _MARKS:
            raise BadResultsError(f"{letter!r} at position {position} is neither a result nor a mark: {_HOW_TO_WRITE}")
        elif not marks_may_follow:
            raise BadResultsError(
                f"{letter!r} at position {position} is a mark without a result directly before it: {_HOW_TO_WRITE}"
            )
        elif letter in rounds[-1][1]:
            raise BadResultsError(
                f"{letter!r} at position {position} is given twice for the same round: write each mark once, "
                "and results in capitals"
            )
        else:
            rounds[-1][1].add(letter)
    return [
        RoadResult(winner=winner, **{field: mark in marks for mark, field in _MARKS.items()})
        for winner, marks in rounds
    ]


class _Inked(NamedTuple):
    """What is drawn in one cell, and in which colour."""

    text: str
    style: str


_Grid = dict[tuple[int, int], _Inked]
_EMPTY = _Inked(".", "dim")
_WINNER_STYLES = {RoadWinner.BANKER: "bold red", RoadWinner.PLAYER: "bold blue", RoadWinner.TIE: "bold green"}
_COLOUR_STYLES = {Colour.RED: "red", Colour.BLUE: "blue"}


class _Shapes(NamedTuple):
    red: str
    blue: str


class _ShapesOfRoads(NamedTuple):
    big_eye: _Shapes
    small: _Shapes
    cockroach: _Shapes


_SHAPES = _ShapesOfRoads(big_eye=_Shapes("○", "◇"), small=_Shapes("●", "◆"), cockroach=_Shapes("/", "\\"))
_ASCII_SHAPES = _ShapesOfRoads(big_eye=_Shapes("r", "b"), small=_Shapes("R", "B"), cockroach=_Shapes("/", "\\"))


def _draw(board: Roads) -> None:
    # Imported late: only drawing needs rich.
    from rich.text import Text  # noqa: PLC0415 - see above

    out = console(width_of_a_file=None)
    shapes = _SHAPES if out.encoding.startswith("utf") else _ASCII_SHAPES
    pictures = (
        ("Bead plate (b Banker pair, p Player pair, n natural)", _bead_plate_grid(board)),
        ("Big road (a number counts ties)", _big_road_grid(board)),
        (_derived_title("Big eye boy", shapes.big_eye), _derived_grid(board.big_eye, shapes.big_eye)),
        (_derived_title("Small road", shapes.small), _derived_grid(board.small, shapes.small)),
        (_derived_title("Cockroach road", shapes.cockroach), _derived_grid(board.cockroach, shapes.cockroach)),
    )
    for number, (title, grid) in enumerate(pictures):
        if number:
            out.print()
        out.print(Text(title, style="bold"))
        remark, lines = _window(grid, out.width)
        if remark:
            out.print(Text(remark, style="dim"))
        for line in lines:
            drawn = Text.assemble(*line)
            drawn.rstrip()
            # A single cell is not broken in two, even if it is wider than the terminal.
            out.print(drawn, overflow="ignore", crop=False)


def _bead_plate_grid(board: Roads) -> _Grid:
    return {
        (cell.column, cell.row): _Inked(
            cell.winner.value + "".join(mark for mark, field in _MARKS.items() if getattr(cell, field)),
            _WINNER_STYLES[cell.winner],
        )
        for cell in board.bead_plate.cells
    }


def _big_road_grid(board: Roads) -> _Grid:
    """Letters with the number of ties after them; T while there have been only ties."""
    grid = {}
    for cell in board.big_road.cells:
        winner = cell.winner or RoadWinner.TIE
        grid[cell.column, cell.row] = _Inked(f"{winner.value}{cell.ties or ''}", _WINNER_STYLES[winner])
    return grid


def _derived_title(name: str, shapes: _Shapes) -> str:
    return f"{name} ({shapes.red} red, {shapes.blue} blue)"


def _derived_grid(road: DerivedRoad, shapes: _Shapes) -> _Grid:
    return {
        (cell.column, cell.row): _Inked(
            shapes.red if cell.colour is Colour.RED else shapes.blue, _COLOUR_STYLES[cell.colour]
        )
        for cell in road.cells
    }


def _window(grid: _Grid, width: int) -> tuple[str, list[list[_Inked]]]:
    """Return the part of a road that fits, as lines of cells, and a remark on what does not.

    As on a board that scrolls, this is the right end; but the latest cell (the last in the grid) is always visible,
    even if a very long tail reaches further right.
    """
    if not grid:
        return "nothing yet", []
    latest_column, _ = next(reversed(grid))
    columns = 1 + max(column for column, _ in grid)
    cell_width = 1 + max(len(inked.text) for inked in grid.values())
    # The last cell needs no blank after it, hence the + 1.
    shown = min(columns, max(1, (width + 1) // cell_width))
    first = min(columns - shown, latest_column)
    remark = f"{columns - shown} of {columns} columns do not fit here; --json has all" if shown < columns else ""
    lines = []
    for row in range(ROWS):
        inks = (grid.get((column, row), _EMPTY) for column in range(first, first + shown))
        lines.append([_Inked(ink.text.ljust(cell_width), ink.style) for ink in inks])
    return remark, lines
