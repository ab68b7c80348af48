"""`shoe-controller catalogue`: what can be offered, what each wager pays, and where it comes from."""

import argparse

from shoe_controller.baccarat.wagers import Catalogue, PayTable, Row, odds_text
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, console, print_json
from shoe_controller.commands.schedule_options import add_catalogue_option, chosen_catalogue
from shoe_controller.config.strict_reading import BadFileError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "catalogue",
        help="list wagers, base games and layouts",
        description="What can be offered at a table: wagers with their pay tables, base games, layouts.",
    )
    add_catalogue_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        catalogue = chosen_catalogue(args)
    except BadFileError as error:
        return bad_input(args, "bad_catalogue", str(error))
    if args.json:
        print_json(_as_json(catalogue))
    else:
        _draw(catalogue)
    return GOOD


def _as_json(catalogue: Catalogue) -> dict[str, object]:
    return {
        "documents": {
            name: {"title": document.title, "decks": sorted(document.decks)}
            for name, document in catalogue.documents.items()
        },
        "groups": catalogue.groups,
        "wagers": [
            {
                "wager": wager.id,
                "name": wager.names,
                "documents": wager.documents,
                "decks": sorted(wager.decks),
                "default_pay_table": wager.default_table or None,
                "pay_tables": _tables_as_json(wager.pay_tables),
            }
            for wager in catalogue.wagers.values()
        ],
        "base_games": [
            {
                "base_game": game.id,
                "name": game.names,
                "commission": f"{float(game.commission):.2%}",
                "pay_tables": _tables_as_json(game.pay_tables),
            }
            for game in catalogue.base_games.values()
        ],
        "layouts": [
            {
                "layout": layout.id,
                "name": layout.names,
                "document": layout.document,
                "decks": sorted(catalogue.documents[layout.document].decks),
                "offers": catalogue.expand(layout.offers),
                "pay_tables": layout.pay_tables,
                "option_rule": layout.option_rule,
            }
            for layout in catalogue.layouts.values()
        ],
    }


def _tables_as_json(tables: dict[str, PayTable]) -> dict[str, list[dict[str, object]]]:
    return {
        name: [{"when": row.when, "pays": _price(row), "commission": row.commission} for row in table]
        for name, table in tables.items()
    }


def _price(row: Row) -> str:
    return "push" if row.pays is None else odds_text(row.pays)


def _draw(catalogue: Catalogue) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    out = console()
    wagers = Table(title="Wagers")
    wagers.add_column("wager", no_wrap=True)
    for heading in ("name", "", "pays", "decks", "from"):
        wagers.add_column(heading)
    for wager in catalogue.wagers.values():
        prices = "\n".join(
            f"{name + ': ' if name else ''}{', '.join(dict.fromkeys(_price(row) for row in table))}"
            for name, table in wager.pay_tables.items()
        )
        wagers.add_row(
            wager.id,
            wager.names.en,
            wager.names.zh_hant,
            prices or "by the base game",
            _decks(wager.decks),
            ", ".join(wager.documents),
        )
    out.print(wagers)
    games = Table("base game", "name", "", "Banker pays", title="Base games")
    for game in catalogue.base_games.values():
        prices = "\n".join(
            f"{row.when}: {_price(row)}" + (f" less {float(game.commission):.0%} commission" if row.commission else "")
            for row in game.pay_tables["base.banker"]
        )
        games.add_row(game.id, game.names.en, game.names.zh_hant, prices)
    out.print(games)
    layouts = Table("layout", "name", "offers", "decks", title="Layouts")
    for layout in catalogue.layouts.values():
        decks = catalogue.documents[layout.document].decks
        layouts.add_row(layout.id, layout.names.en, ", ".join(layout.offers), _decks(decks))
    out.print(layouts)


def _decks(decks: frozenset[int]) -> str:
    return " ".join(str(number) for number in sorted(decks))
