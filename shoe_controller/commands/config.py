"""`shoe-controller config check FILE`: everything that is wrong with a table's file, at once."""

import argparse
import sys
from pathlib import Path

from shoe_controller.baccarat.house import House
from shoe_controller.commands.answers import BAD_INPUT, GOOD, add_json_option, as_text, print_json
from shoe_controller.config import load_config
from shoe_controller.strict_reading import BadFileError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("config", help="check a table's configuration")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check",
        help="report everything that is wrong with a file",
        description="Report everything that is wrong with a table's configuration, each with its place.",
    )
    check.add_argument("file", type=Path, metavar="FILE")
    add_json_option(check)
    check.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        house = load_config(args.file).house
    except BadFileError as error:
        if args.json:
            problems = [{"place": problem.place, "message": as_text(problem.message)} for problem in error.problems]
            print_json({"good": False, "file": as_text(error.file), "problems": problems})
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    if args.json:
        print_json({"good": True, "file": as_text(str(args.file)), "problems": []})
    else:
        sys.stdout.write(f"{as_text(str(args.file))} is good: {_summary(house)}\n")
    return GOOD


def _summary(house: House) -> str:
    return (
        f"base game {house.schedule.base_game}, {house.decks} decks, "
        f"{_count(len(house.offered), 'wager')} offered, {_count(len(house.seats), 'seat')}"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
