"""Output of commands: JSON or a drawing on standard output, errors for the user on standard error."""

import argparse
import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from shoe_controller.baccarat.deal import DealError, UnderDrawError
from shoe_controller.words.printable import printable
from shoe_controller.words.render import ENGLISH

if TYPE_CHECKING:
    from rich.console import Console

GOOD = 0
BAD_INPUT = 2

WIDTH_OF_A_FILE = 160
"""Columns of tables that are not written to a terminal: there is no reason to squeeze them into 80."""


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def print_json(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def as_text(name: str) -> str:
    """Return a file's name in printable form, even if its bytes are not text or move the cursor; lines stay lines."""
    return printable(name.encode(errors="surrogateescape").decode(errors="replace"), keep="\n")


def deal_error_text(error: DealError) -> str:
    """What is wrong with a round, and what the rules say instead."""
    if error.reason is None:
        return str(error)
    missing = "The next card is missing: " if isinstance(error, UnderDrawError) else ""
    return f"{error} {missing}{ENGLISH.of(error.reason)}."


def bad_input(args: argparse.Namespace, code: str, message: str, **more: object) -> int:
    """Report input that cannot be used; with --json also as an error object on standard output."""
    message = as_text(message)
    if args.json:
        print_json({"error": {"code": code, "message": message, **more}})
    for line in message.split("\n"):
        sys.stderr.write(f"shoe-controller {args.command}: {line}\n")
    return BAD_INPUT


def console(width_of_a_file: int | None = WIDTH_OF_A_FILE) -> "Console":
    """Return the console for drawings; without a width, what is not a terminal has 80 columns or COLUMNS.

    Imports rich late, because only drawing needs it.
    """
    from rich.console import Console  # noqa: PLC0415 - see above

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `cli.main`; rich would end the program as a failure."""
            raise BrokenPipeError

    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal with another encoding gets question marks for characters it cannot show, not an error.
        sys.stdout.reconfigure(errors="replace")
    if sys.stdout.isatty():
        return PlainConsole(highlight=False, markup=False)
    return PlainConsole(highlight=False, markup=False, color_system=None, width=width_of_a_file)


def draw_table(title: str, texts: Sequence[str], figures: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with these headings, of which no cell is cut.

    In a narrow terminal headings are wrapped, then the frame goes, and then names with a dot stand on two lines.
    """
    from rich.table import Table  # noqa: PLC0415 - see `console`

    out = console()
    headings = (*texts, *figures)
    narrow = [(row[0].replace(".", ".\n  "), *row[1:]) for row in rows]
    for shown, gap in ((rows, None), (rows, 2), (narrow, 2), (narrow, 1)):
        cells = [[line for row in shown for line in row[number].splitlines()] for number in range(len(headings))]
        # Rich would rather cut a cell than wrap another column's heading.
        widths = [max(map(len, (*heading.split(), *column))) for heading, column in zip(headings, cells, strict=True)]
        width = sum(widths) + (3 * len(widths) + 1 if gap is None else gap * (len(widths) - 1))
        if width <= out.width:
            break
    table = Table(title=title) if gap is None else Table(title=title, box=None, pad_edge=False, padding=(0, gap, 0, 0))
    spare = out.width - width
    for number, heading in enumerate(headings):
        wider = min(spare, max(len(heading) - widths[number], 0))
        spare -= max(wider, 0)
        justify: Literal["left", "right"] = "left" if number < len(texts) else "right"
        table.add_column(heading, justify=justify, width=widths[number] + max(wider, 0))
    for row in shown:
        table.add_row(*row)
    # A terminal that is narrower still wraps the lines itself: of a figure that is cut, nobody knows that it is.
    out.width = max(width, out.width)
    out.print(table)
