"""`shoe-controller odds`: exact house edges, hit frequencies and row counts of the wagers."""

import argparse

from shoe_controller.baccarat.odds import WagerOdds, exact_odds
from shoe_controller.baccarat.outcome import number_of_decks
from shoe_controller.baccarat.posted_edges import CombinedEdge, combined_edges
from shoe_controller.baccarat.wagers import CatalogueError
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, console, print_json
from shoe_controller.commands.schedule_options import (
    add_decks_option,
    add_schedule_options,
    chosen_catalogue,
    chosen_schedule,
)
from shoe_controller.config.strict_reading import BadFileError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "odds",
        help="exact odds of the wagers",
        description="Exact odds of the wagers, by enumeration of all six-card draws from a full shoe.",
    )
    parser.add_argument("--wager", metavar="ID", help="one wager, or all of a group; default: all of them")
    add_decks_option(parser)
    add_schedule_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        catalogue = chosen_catalogue(args)
        schedule = chosen_schedule(args, catalogue)
        wagers = catalogue.expand(tuple(catalogue.groups) if args.wager is None else (args.wager,))
    except BadFileError as error:
        return bad_input(args, "bad_catalogue", str(error))
    except CatalogueError as error:
        return bad_input(args, "unknown_name", str(error))
    odds = [exact_odds(schedule, wager, args.decks) for wager in wagers if wager in schedule.pay_tables]
    combined = list(combined_edges(odds))
    if args.json:
        print_json([_as_json(one, combined) for one in odds])
    else:
        _draw(odds, combined, with_rows=args.wager is not None)
    return GOOD


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


def _draw(all_odds: list[WagerOdds], combined: list[CombinedEdge], *, with_rows: bool) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    out = console()
    table = Table("wager", "pay table", title=f"{number_of_decks(all_odds[0].decks)}, full shoe")
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
