"""`shoe-controller odds`: exact house edges, hit frequencies and row counts of the wagers.

Of a full shoe, or of what is left when some cards are gone (`--out`), or as a shoe stood (`--journal`). `--counted`
plays shoes, and says what a counter would win (`counted.py`).
"""

import argparse
from pathlib import Path
from typing import NamedTuple

from firmware_protocol.cards import BadCardError, Card
from shoe_controller.baccarat.composition import Composition, CompositionError, full_shoe, shoe_without
from shoe_controller.baccarat.odds import WagerOdds, exact_odds
from shoe_controller.baccarat.outcome import number_of_decks
from shoe_controller.baccarat.posted_edges import CombinedEdge, combined_edges
from shoe_controller.baccarat.wagers import CatalogueError
from shoe_controller.commands import counted
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, console, print_json
from shoe_controller.commands.recall import seen_in_journal
from shoe_controller.commands.schedule_options import (
    add_decks_option,
    add_schedule_options,
    chosen_catalogue,
    chosen_schedule,
)
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.journal.errors import JournalError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "odds",
        help="exact odds of the wagers, and what a counter would win",
        description="Exact odds of the wagers, from the count of every six-card draw: from a full shoe, or from what "
        "is left of one. With --counted: what a player who counts cards would win.",
    )
    parser.add_argument("--wager", metavar="ID", help="one wager, or all of a group; default: all of them")
    add_decks_option(parser)
    add_schedule_options(parser)
    left = parser.add_argument_group("what is left of a shoe")
    left.add_argument(
        "--out",
        nargs="+",
        metavar="CARD",
        help="cards that are gone, as in 9H or 10s, each as often as it is gone",
    )
    left.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="as a shoe stood, from the cards shown at the table of this journal",
    )
    left.add_argument("--shoe", type=_number, metavar="N", help="with --journal: which shoe; default: the last")
    left.add_argument(
        "--round",
        type=_number,
        metavar="M",
        help="with --journal: before the first card of this round; default: at its end",
    )
    counted.add_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 9 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


_CODES: dict[type[Exception], str] = {
    BadFileError: "bad_catalogue",
    CatalogueError: "unknown_name",
    BadCardError: "bad_card",
    CompositionError: "impossible_composition",
    counted.BadOptionsError: "bad_options",
}


def run(args: argparse.Namespace) -> int:
    try:
        if args.counted:
            return counted.run(args)
        _check(args)
        return _show(args)
    except JournalError as error:
        return bad_input(args, "bad_journal", str(error))
    except tuple(_CODES) as error:
        return bad_input(args, _CODES[type(error)], str(error))


def _show(args: argparse.Namespace) -> int:
    catalogue = chosen_catalogue(args)
    schedule = chosen_schedule(args, catalogue)
    wagers = catalogue.expand(tuple(catalogue.groups) if args.wager is None else (args.wager,))
    priced = [wager for wager in wagers if wager in schedule.pay_tables]
    left = _what_is_left(args)
    if left is None:
        odds = [exact_odds(schedule, wager, args.decks) for wager in priced]
        combined = list(combined_edges(odds))
    else:
        # Imported late: numpy takes as long as all the rest.
        from shoe_controller.protection.live_odds import LiveOdds  # noqa: PLC0415 - see above

        odds = LiveOdds(schedule, priced).odds(left.composition, left.decks)
        combined = []  # posted edges are those of full shoes
    if args.json:
        more = {} if left is None else {"cards_left": sum(left.composition)}
        print_json([_as_json(one, combined) | more for one in odds])
    else:
        _draw(odds, combined, left, with_rows=args.wager is not None)
    return GOOD


class _Left(NamedTuple):
    decks: int
    composition: Composition
    title: str


def _check(args: argparse.Namespace) -> None:
    if args.out is not None and args.journal is not None:
        raise counted.BadOptionsError("--out and --journal are two ways to say what is gone: give one of them")
    if args.journal is None and (args.shoe is not None or args.round is not None):
        raise counted.BadOptionsError("--shoe and --round belong to --journal FILE")
    without = counted.given_without(args)
    if without is not None:
        raise counted.BadOptionsError(f"{without} belongs to --counted")


def _what_is_left(args: argparse.Namespace) -> _Left | None:
    if args.out is not None:
        # As `hand` takes them; a list in one argument is read too.
        gone = [Card.parse(text) for each in args.out for text in each.replace(",", " ").split()]
        composition = shoe_without(args.decks, gone)
        return _Left(args.decks, composition, f"{number_of_decks(args.decks)}, {len(gone)} cards gone")
    if args.journal is not None:
        seen = seen_in_journal(args.journal, args.shoe, args.round)
        composition = shoe_without(seen.decks, seen.cards.elements())
        before = "at its end so far" if args.round is None else f"before round {args.round}"
        title = f"Shoe {seen.shoe}, {before}: {sum(composition)} of {sum(full_shoe(seen.decks))} cards not shown"
        return _Left(seen.decks, composition, title)
    return None


def _as_json(odds: WagerOdds, combined: list[CombinedEdge]) -> dict[str, object]:
    return {
        "wager": odds.wager,
        "pay_table": odds.pay_table or None,
        "decks": odds.decks,
        "house_edge": float(odds.house_edge),
        "exact": f"{odds.house_edge.numerator}/{odds.house_edge.denominator}",
        "hit_frequency": float(odds.hit_frequency),
        "standard_deviation": odds.standard_deviation,
        "rows": odds.rows,
        "combined": next((_combined_as_json(edge) for edge in combined if odds.wager in edge.wagers), None),
    }


def _combined_as_json(edge: CombinedEdge) -> dict[str, object]:
    return {
        "wagers": edge.wagers,
        "house_edge": float(edge.house_edge),
        "exact": f"{edge.house_edge.numerator}/{edge.house_edge.denominator}",
        "posted": float(edge.posted.house_edge),
        "posted_decks": edge.posted.decks,
        "as_posted": edge.as_posted,
    }


def _draw(all_odds: list[WagerOdds], combined: list[CombinedEdge], left: _Left | None, *, with_rows: bool) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    out = console()
    title = f"{number_of_decks(all_odds[0].decks)}, full shoe" if left is None else left.title
    table = Table("wager", "pay table", title=title)
    for heading in ("house edge", "wins", "std. deviation"):
        table.add_column(heading, justify="right")
    for odds in all_odds:
        table.add_row(
            odds.wager,
            odds.pay_table,
            f"{float(odds.house_edge):.4%}",
            f"{float(odds.hit_frequency):.4%}",
            f"{odds.standard_deviation:.4f}",
            style="red" if odds.house_edge < 0 else None,
        )
    out.print(table)
    for edge in combined:
        out.print(_posted_line(edge), style="red" if edge.as_posted is False else None)
    if with_rows:
        for odds in all_odds:
            rows = Table("when", "pays", title=odds.wager)
            rows.add_column("draws", justify="right")
            for row in odds.rows:
                rows.add_row(row.when, row.pays, f"{row.count:,}")
            out.print(rows)


def _posted_line(edge: CombinedEdge) -> str:
    posted = f"its document posts {float(edge.posted.house_edge):.1%}"
    match edge.as_posted:
        case True:
            compared = f"{posted}, which is that figure rounded"
        case False:
            compared = f"{posted}, which is another figure"
        case None:
            compared = f"{posted} for {number_of_decks(edge.posted.decks)}"
    together = " and ".join(edge.wagers)
    return f"Equal wagers on {together} ({edge.pay_table}): house edge {float(edge.house_edge):.4%}; {compared}."
