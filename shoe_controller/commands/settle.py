"""`shoe-controller settle CONFIG WAGERS.json 9H …`: settles a table's wagers by the rules of the house."""

import argparse
import sys
from pathlib import Path

import msgspec

from firmware_protocol.cards import BadCardError, Card
from shoe_controller.baccarat.deal import DealError
from shoe_controller.baccarat.house import CommissionTaken, PlacedWager
from shoe_controller.baccarat.outcome import dealt_round
from shoe_controller.baccarat.settlement import Settlement, WagersRefusedError, settle
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, console, deal_error_text, print_json
from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.strict_reading import BadFileError, why_unreadable
from shoe_controller.config.table_file import load_config
from shoe_controller.words.render import Words

_IN_MINOR_UNITS = Words(decimals=0)
"""Amounts as they were typed."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "settle",
        help="settle a table's wagers for one round",
        description="Settle all wagers of a table for one round, with the steps in the dealer's order of action.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the table's configuration")
    parser.add_argument(
        "wagers",
        metavar="WAGERS.json",
        help='[{"seat":"1","wager":"base.player","stake":2500}, …]; stakes in minor units; - reads standard input',
    )
    parser.add_argument("cards", nargs="+", metavar="CARD", help="in the order they leave the shoe, as in 9H")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        house = load_config(args.config).house
        placed = _read_wagers(args.wagers)
        facts = dealt_round([Card.parse(text) for text in args.cards], house.decks).facts
        settlement = settle(house, facts, placed)
    except BadFileError as error:
        return bad_input(args, "bad_config", str(error))
    except _BadWagersError as error:
        return bad_input(args, "bad_wagers", str(error))
    except BadCardError as error:
        return bad_input(args, "bad_card", str(error))
    except DealError as error:
        return bad_input(args, error.code, deal_error_text(error))
    except WagersRefusedError as error:
        lines = [_IN_MINOR_UNITS.of(refusal) for refusal in error.refused]
        refused = [
            {**msgspec.to_builtins(refusal), "message": line}
            for refusal, line in zip(error.refused, lines, strict=True)
        ]
        return bad_input(args, "refused", "\n".join([*lines, "Nothing was settled."]), refused=refused)
    if args.json:
        print_json(settlement)
    else:
        _draw(settlement)
    return GOOD


class _BadWagersError(ValueError):
    """A file of wagers that cannot be read."""


def _read_wagers(name: str) -> list[PlacedWager]:
    try:
        data = sys.stdin.buffer.read() if name == "-" else read_plain(Path(name))
        return msgspec.json.decode(data, type=list[PlacedWager])
    except OSError as error:
        raise _BadWagersError(f"{name} cannot be read: {why_unreadable(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _BadWagersError(f"{name} is not a list of wagers: {error}") from None


def _draw(settlement: Settlement) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    out = console()
    wagers = Table("seat", "wager", "result", title="Wagers")
    for heading in ("stake", "pays", "winnings", "commission", "cut", "returned"):
        wagers.add_column(heading, justify="right")
    for wager in settlement.wagers:
        amounts = (wager.stake, wager.pays or "", wager.winnings, wager.commission, wager.cut, wager.returned)
        wagers.add_row(wager.seat, wager.wager, wager.result.value, *map(str, amounts))
    totals = settlement.totals
    sums = (totals.stakes, "", totals.winnings, totals.commission, totals.cut, totals.returned)
    wagers.add_section()
    wagers.add_row("", "total", "", *map(str, sums))
    out.print(wagers)
    steps = Table("", "step", "seat", "wager", title="In the dealer's order")
    steps.add_column("amount", justify="right")
    for number, step in enumerate(settlement.steps, 1):
        steps.add_row(str(number), step.step, step.seat, step.wager, str(step.amount))
    out.print(steps)
    if totals.commission and settlement.commission_taken is CommissionTaken.MARKED:
        out.print(f"Commission of {totals.commission} is marked, and due until it is collected.")
    reached = settlement.limit_reached
    if reached is not None:
        out.print(
            f"Winnings of {reached.winnings} were over the round's limit of {reached.limit}; "
            f"{totals.cut} were cut ({reached.policy.value})."
        )
