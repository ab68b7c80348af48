"""`shoe-controller config check FILE`: everything that is wrong with a file, of a table or of its pages, at once.

The actions that change a file are in `config_actions.py`.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.payments import PaymentRange, payment_range
from shoe_controller.commands.config_actions import add_actions
from shoe_controller.commands.output import BAD_INPUT, GOOD, add_json_option, as_text, console, print_json
from shoe_controller.config.board import BoardSettings
from shoe_controller.config.console import ConsoleSettings
from shoe_controller.config.file_kind import FileKind, kind_of
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import (
    LOADERS,
    BoardConfig,
    Config,
    ConsoleConfig,
    WitnessConfig,
    for_running,
    load_config,
)
from shoe_controller.config.witness import WitnessSettings
from shoe_controller.messages.acts import Role


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("config", help="check a configuration, or change one thing in it")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check",
        help="report everything that is wrong with a file",
        description="Report everything that is wrong with a configuration, each with its place: a table's, or that of "
        "a board, a console or a witness. Of a table's it shows the smallest and the largest payment of every wager.",
    )
    check.add_argument("file", type=Path, metavar="FILE")
    check.add_argument(
        "--running",
        action="store_true",
        help="also check that everything a running table needs is there, and that its secret files can be used",
    )
    add_json_option(check)
    check.set_defaults(run=run)
    add_actions(actions)


def run(args: argparse.Namespace) -> int:
    kind = kind_of(args.file)
    try:
        if kind is not FileKind.TABLE:
            return _show_pages(args, kind)
        config = load_config(args.file)
        if args.running:
            for_running(config)
    except BadFileError as error:
        if args.json:
            problems = [{"place": problem.place, "message": as_text(problem.message)} for problem in error.problems]
            print_json({"good": False, "file": as_text(error.file), "problems": problems})
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    payments = {wager: payment_range(config.house, wager) for wager in config.house.offered}
    if args.json:
        print_json({"good": True, "file": as_text(str(args.file)), "problems": [], "payments": payments})
    else:
        sys.stdout.write(f"{as_text(str(args.file))} is valid: {', '.join(_summary(config))}\n")
        sys.stdout.flush()
        _draw(config.house, payments)
    return GOOD


def _show_pages(args: argparse.Namespace, kind: FileKind) -> int:
    """Of a file for the pages or the witness everything is checked that they need, secret files too."""
    summary = ", ".join(_summary_of_pages(LOADERS[kind](args.file, None)))
    if args.json:
        print_json({"good": True, "file": as_text(str(args.file)), "problems": [], "for": kind.value})
    else:
        sys.stdout.write(f"{as_text(str(args.file))} is valid for `shoe-controller {kind.value}`: {as_text(summary)}\n")
    return GOOD


def _summary_of_pages(config: BoardConfig | ConsoleConfig | WitnessConfig) -> Iterator[str]:
    settings = config.settings
    if isinstance(config, ConsoleConfig):
        yield f"table {config.site}/{config.table}"
    elif isinstance(settings, BoardSettings):
        tables = ", ".join(settings.tables)
        yield f"site {settings.site}, {f'of it {tables}' if tables else 'all tables'}"
    elif isinstance(settings, WitnessSettings):
        yield f"site {settings.site}, file {settings.file}"
    if isinstance(settings, BoardSettings | ConsoleSettings):
        yield f"pages at {settings.host} port {settings.port}{'' if settings.cert_file is None else ' with TLS'}"
    user = "without a user" if config.username is None else f"as {config.username}"
    yield f"broker at {config.mqtt.host} port {config.mqtt.port}{' with TLS' if config.mqtt.tls else ''} {user}"


def _draw(house: House, payments: Mapping[str, PaymentRange | None]) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    title = "What a win is paid, after commission, in minor units"
    table = Table("wager", "pay table", title=title)
    for heading in ("lowest stake", "smallest payment", "highest stake", "largest payment"):
        table.add_column(heading, justify="right")
    for wager, pays in payments.items():
        amounts = ["none"]
        if pays is not None:
            amounts = [f"{amount:,}" for amount in (pays.lowest_stake, pays.smallest, pays.highest_stake, pays.largest)]
        table.add_row(wager, house.schedule.table_names[wager], *amounts)
    console().print(table)


def _summary(config: Config) -> Iterator[str]:
    house = config.house
    yield f"base game {house.schedule.base_game}"
    yield f"{house.decks} decks"
    yield f"{_count(len(house.offered), 'wager')} offered"
    yield _count(len(house.seats), "seat")
    if config.table is not None:
        yield f"table {config.table.site}/{config.table.name}"
    if config.shoe is not None:
        yield f"{config.shoe.wire} shoe at {config.shoe.address}{' without a key' if config.shoe.insecure else ''}"
    if config.mqtt is not None:
        yield f"broker at {config.mqtt.host} port {config.mqtt.port}{' with TLS' if config.mqtt.tls else ''}"
    for role in Role:
        number = sum(person.role is role for person in config.people)
        if number:
            yield _count(number, role.value)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
