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
from shoe_controller.commands.counted import own_figures
from shoe_controller.commands.output import BAD_INPUT, GOOD, add_json_option, as_text, draw_table, print_json
from shoe_controller.config.archive import ArchiveSettings
from shoe_controller.config.board import BoardSettings
from shoe_controller.config.console import ConsoleSettings
from shoe_controller.config.file_kind import FileKind, kind_of
from shoe_controller.config.pit import PitSettings
from shoe_controller.config.site_people import SiteRole, is_of_site_people, read_site_people
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import (
    LOADERS,
    ArchiveConfig,
    Config,
    ConsoleConfig,
    OtherConfig,
    PitConfig,
    for_running,
    load_config,
)
from shoe_controller.config.witness import WitnessSettings
from shoe_controller.messages.acts import Role
from shoe_controller.protection.figures import Counted, find, pay_table_text, stored_figures


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("config", help="check a configuration, or change one thing in it")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check",
        help="report everything that is wrong with a file",
        description="Report everything that is wrong with a configuration, each with its place: a table's, or that of "
        "a board, a console, a witness, the pit's process or an archive. Of a table's it shows the smallest and the "
        "largest payment of every wager, and what a counter would win with it; it warns of those with which that is "
        "more than the house's limit.",
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
        if is_of_site_people(args.file):
            return _show_people(args)
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
    figures = _counted(config)
    warnings = list(_warnings(config, figures))
    if args.json:
        print_json(
            {
                "good": True,
                "file": as_text(str(args.file)),
                "problems": [],
                "payments": payments,
                "counted": {wager: None if each is None else each.by_depth[0] for wager, each in figures.items()},
                "warnings": warnings,
            }
        )
    else:
        sys.stdout.write(f"{as_text(str(args.file))} is valid: {', '.join(_summary(config))}\n")
        sys.stdout.flush()
        _draw(config.house, payments, figures)
        for warning in warnings:
            sys.stdout.write(f"WARNING: {as_text(warning)}\n")
    return GOOD


def _show_people(args: argparse.Namespace) -> int:
    people = read_site_people(args.file)
    if args.json:
        print_json({"good": True, "file": as_text(str(args.file)), "problems": [], "for": "people of the site"})
    else:
        of_roles = (f"{sum(role in person.roles for person in people)} with the role {role}" for role in SiteRole)
        sys.stdout.write(f"{as_text(str(args.file))} is valid for people of the site: {', '.join(of_roles)}\n")
    return GOOD


def _show_pages(args: argparse.Namespace, kind: FileKind) -> int:
    """Of a file for the pages or the witness everything is checked that they need, secret files too."""
    summary = ", ".join(_summary_of_pages(LOADERS[kind](args.file, None)))
    if args.json:
        print_json({"good": True, "file": as_text(str(args.file)), "problems": [], "for": kind.value})
    else:
        sys.stdout.write(f"{as_text(str(args.file))} is valid for `shoe-controller {kind.value}`: {as_text(summary)}\n")
    return GOOD


def _summary_of_pages(config: OtherConfig) -> Iterator[str]:
    settings = config.settings
    if isinstance(config, ConsoleConfig):
        yield f"table {config.site}/{config.table}"
    elif isinstance(settings, BoardSettings | PitSettings | ArchiveSettings):
        tables = ", ".join(settings.tables)
        yield f"site {settings.site}, {f'of it {tables}' if tables else 'all tables'}"
    elif isinstance(settings, WitnessSettings):
        yield f"site {settings.site}, file {settings.file}"
    if isinstance(config, ArchiveConfig):
        years = config.settings.retention_years
        yield f"database {config.settings.database}, kept {f'{years} years' if years else 'for ever'}"
    if isinstance(config, PitConfig):
        yield f"file {config.settings.file}, {len(config.people)} people of the site"
    if isinstance(settings, BoardSettings | ConsoleSettings | PitSettings):
        yield f"pages at {settings.host} port {settings.port}{'' if settings.cert_file is None else ' with TLS'}"
    user = "without a user" if config.username is None else f"as {config.username}"
    yield f"broker at {config.mqtt.host} port {config.mqtt.port}{' with TLS' if config.mqtt.tls else ''} {user}"


def _counted(config: Config) -> dict[str, Counted | None]:
    """What a counter would win with each wager offered, as far as it was ever simulated: the house's own run first."""
    house = config.house
    known = (*own_figures(config.file).counted, *stored_figures().counted)
    last_rounds = config.procedure.last_rounds
    return {
        wager: find(known, pay_table_text(house.schedule, wager), house.decks, last_rounds) for wager in house.offered
    }


def _warnings(config: Config, figures: Mapping[str, Counted | None]) -> Iterator[str]:
    limit = config.counted_limit
    for wager, each in figures.items():
        if each is None or each.by_depth[0].per_shoe <= limit:
            continue
        first = each.by_depth[0]
        depth, scale = each.depth_under(limit), each.scale_under(limit)
        remedies = [] if depth is None else [f"with the cut card before {depth} cards"]
        remedies += [] if scale is None else [f"with prices {scale:.0%} lower"]
        under = f"; {' or '.join(remedies)} it is at most {limit:g}" if remedies else ""
        yield (
            f"a player who counts cards can win {first.per_shoe:.2f} units in a shoe with {wager}, the cut card before "
            f"{first.cut} cards{under}"
        )
    unknown = [wager for wager, each in figures.items() if each is None]
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        yield (
            f"what a counter would win is not known of {', '.join(unknown[:3])}{more}: run `shoe-controller odds "
            f"--counted --table {config.file}`"
        )


def _draw(house: House, payments: Mapping[str, PaymentRange | None], figures: Mapping[str, Counted | None]) -> None:
    rows = []
    for wager, pays in payments.items():
        amounts = ["none", "", "", ""]
        if pays is not None:
            amounts = [f"{amount:,}" for amount in (pays.lowest_stake, pays.smallest, pays.highest_stake, pays.largest)]
        counted = figures[wager]
        wins = "not known" if counted is None else _wins(counted)
        rows.append((wager, house.schedule.table_names[wager], *amounts, wins))
    title = "What a win is paid, after commission, in minor units"
    headings = ("lowest stake", "smallest payment", "highest stake", "largest payment", "counter wins in a shoe")
    draw_table(title, ("wager", "pay table"), headings, rows)


def _wins(counted: Counted) -> str:
    first = counted.by_depth[0]
    return f"{first.per_shoe:.2f} ± {first.standard_error:.2f}"


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
