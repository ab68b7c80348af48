"""Options shared by several commands: catalogue, base game, pay tables and decks, without a configuration."""

import argparse
from pathlib import Path

from shoe_controller.baccarat.wagers import Catalogue, Schedule
from shoe_controller.house.catalogue_files import catalogue_with

DEFAULT_BASE_GAME = "nepal"
DEFAULT_DECKS = 8


def add_catalogue_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--catalogue",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a house's own catalogue file, added to the built-in one; may be given several times",
    )


def chosen_catalogue(args: argparse.Namespace) -> Catalogue:
    """Return the built-in catalogue with the files named; raise `BadFileError` if one cannot be used."""
    return catalogue_with(args.catalogue)


def add_schedule_options(parser: argparse.ArgumentParser) -> None:
    add_catalogue_option(parser)
    parser.add_argument(
        "--base",
        default=DEFAULT_BASE_GAME,
        metavar="GAME",
        help="base game: nepal, commission, no_commission, or a house's own (default: %(default)s)",
    )
    parser.add_argument(
        "--pay-table",
        action="append",
        default=[],
        type=_pay_table,
        metavar="GROUP_OR_WAGER=NAME",
        help="pay table of a group or wager, as in lucky_8=L8-2; may be given several times",
    )


def add_decks_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--decks", type=_decks, default=DEFAULT_DECKS, metavar="N", help="decks in the shoe, 1 to 8 (default: 8)"
    )


def chosen_schedule(args: argparse.Namespace, catalogue: Catalogue) -> Schedule:
    """Return the pay tables that the options choose; raise `CatalogueError` for an unknown name."""
    return catalogue.schedule(args.base, dict(args.pay_table))


def _pay_table(text: str) -> tuple[str, str]:
    name, equals, table = text.partition("=")
    if not (name and equals and table):
        raise argparse.ArgumentTypeError(f"{text!r} must be GROUP_OR_WAGER=NAME, as in lucky_8=L8-2")
    return name, table


def _decks(text: str) -> int:
    if text not in tuple("12345678"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of decks from 1 to 8")
    return int(text)
