"""`shoe-controller init FOLDER`: writes everything that a new table needs, from a few answers.

At a terminal it asks for what no option gives; elsewhere that is an error which names the option. Running it again
changes nothing without asking: existing files stay as they are, keys and passwords are kept.
"""

import argparse
import asyncio
import getpass
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from shoe_controller.commands.installed_table import FOLDER
from shoe_controller.commands.output import GOOD, as_text, bad_input
from shoe_controller.commands.prompts import NotAnsweredError, Questions
from shoe_controller.config.pins import BadPinError, check_strength, hash_pin, least_digits
from shoe_controller.config.shoe import WIRES
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table import ANCHORS, JOURNALS
from shoe_controller.messages.acts import Role
from shoe_controller.setup.certificates import CertificateError
from shoe_controller.setup.file_writer import Planned, WriteOutcome, differs, write
from shoe_controller.setup.new_table import NewPerson, NewTable, seat_users_of

if TYPE_CHECKING:
    from shoe_controller.config.table_file import Config, RunningConfig

BROKER_FOLDER = Path("/etc/mosquitto/shoe-controller")
UNITS_FOLDER = Path("/etc/systemd/system")
NOT_WRITTEN = 1
SALT_BYTES = 16
SEATS = "1,2,3,5,6,7,8,9"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "init",
        help="set up a new table: configuration, keys, broker users, certificates",
        description="Write what a new table needs: a complete commented configuration, the shoe's key, the users of "
        "the broker with their passwords and access list, and certificates of the house's own authority. Existing "
        "files stay as they are. PINs of people are asked for, or read from standard input: one on each line, dealers "
        "first.",
    )
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--file", default="table.toml", metavar="NAME", help="the table's file (default: table.toml)")
    parser.add_argument("--site", help="the house, as part of every topic")
    parser.add_argument("--table", help="the table's name, as part of every topic")
    parser.add_argument("--title", help="the table's name on boards (default: its name)")
    parser.add_argument("--currency", help="the currency shown on boards (default: none)")
    parser.add_argument("--wire", choices=WIRES, help="the shoe's protocol (default: native)")
    parser.add_argument("--port", help="where the shoe is plugged in: /dev/shoe/…, socket://host:port, usb:VVVV:PPPP")
    parser.add_argument(
        "--insecure", action="store_true", help="run without a key; anyone at the cable can pretend to be the shoe"
    )
    parser.add_argument("--base-game", metavar="NAME", help="default: commission")
    parser.add_argument("--layout", metavar="NAME", help="default: nepal_super_baccarat")
    parser.add_argument("--offer", metavar="A,B", help="groups and wagers offered (default: base,pairs)")
    parser.add_argument("--decks", type=int, help="default: 8")
    parser.add_argument("--seats", metavar="A,B", help=f"from the dealer's right (default: {SEATS})")
    parser.add_argument("--min", type=int, metavar="AMOUNT", help="the lowest stake, in minor units")
    parser.add_argument("--max", type=int, metavar="AMOUNT", help="the highest stake, in minor units")
    parser.add_argument(
        "--broker-host", metavar="HOST", help="the broker's host, as tables reach it (default: 127.0.0.1)"
    )
    parser.add_argument("--broker-folder", type=Path, metavar="FOLDER", help=f"default: {BROKER_FOLDER}, or beside")
    parser.add_argument(
        "--seat-users", action="store_true", help="a user at the broker for each seat, which bets for that seat alone"
    )
    parser.add_argument(
        "--bets-button", action="store_true", help='the shoe has a button for "no more bets", which closes the wagers'
    )
    parser.add_argument("--no-broker", action="store_true", help="a table that does not publish")
    parser.add_argument("--journal", metavar="FILE", help="default: /var/lib/shoe-controller/NAME.journal")
    parser.add_argument(
        "--anchor",
        metavar="FILE",
        help="where the table notes how far its journal has come (default: on another file system than the journal's, "
        "if one is mounted; otherwise /var/lib/shoe-controller-anchor/SITE-NAME.anchor)",
    )
    for role in Role:
        people = f"--{role.value}"
        parser.add_argument(people, action="append", default=[], metavar="ID=NAME", help=f"a {role.value} with a PIN")
    parser.add_argument("--renew-certificate", action="store_true", help="make a new certificate for the broker")
    parser.add_argument("--yes", action="store_true", help="do not ask; generated files may be replaced")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # Imported late: it brings the event loop and all libraries along.
    from shoe_controller.setup.apply import Places, check, plan  # noqa: PLC0415 - see above

    questions = Questions(ask=sys.stdin.isatty() and not args.yes)
    near = args.folder / "broker"
    broker = args.broker_folder or (BROKER_FOLDER if args.folder == FOLDER else near)
    places = Places(args.folder, broker, args.file, UNITS_FOLDER if args.folder == FOLDER else None)
    try:
        if Path(args.file).name != args.file or not args.file.endswith(".toml"):
            return bad_input(args, "bad_file", f"--file must be a file name such as table.toml, not {args.file!r}")
        new = _from_existing(args) or _decided(args, questions)
        check(new, places)
        left = _write(plan(new, places, renew_certificate=args.renew_certificate), args, questions)
    except (NotAnsweredError, BadPinError, BadFileError, CertificateError, ValueError) as error:
        return bad_input(args, "bad_answer", str(error))
    except OSError as error:
        return bad_input(args, "cannot_write", f"{error.filename or args.folder}: {error.strerror or error}")
    exit_code = _conclusion(args, places.folder / places.table_file)
    if left and not questions.ask:
        files = ", ".join(as_text(str(file)) for file in left)
        sys.stderr.write(f"shoe-controller init: not everything is up to date: {files} must be written again. ")
        sys.stderr.write("Run it again with --yes.\n")
        return exit_code or NOT_WRITTEN
    return exit_code


def _write(everything: Iterator[Planned], args: argparse.Namespace, questions: Questions) -> list[Path]:
    """Write the files one after another; return those that were left as they are, though they should change.

    One answer applies to all: a key and its certificate, or users and their passwords, belong together.
    """
    left: list[Path] = []
    over: bool | None = True if args.yes else None
    for planned in everything:
        changed = planned.ours and differs(planned)
        if changed and over is None:
            over = questions.agrees(f"{as_text(str(planned.file))} has changed. Write it again?")
        if changed and not over:
            left.append(planned.file)
        outcome = write(planned, over=bool(over))
        if outcome is not WriteOutcome.SAME:
            sys.stdout.write(f"{as_text(str(planned.file))}: {outcome.value}\n")
    return left


def _conclusion(args: argparse.Namespace, file: Path) -> int:
    from shoe_controller.config.table_file import for_running, load_config  # noqa: PLC0415 - see `run`

    try:
        config = for_running(load_config(file))
    except BadFileError as error:
        return bad_input(args, "bad_config", f"the table cannot run yet:\n{error}")
    key = config.shoe.key_file
    put_key = "" if key is None else f"Put {key.name} into the shoe. "
    sys.stdout.write(_first_key(config))
    sys.stdout.write(_anchor_folder(config))
    sys.stdout.write(
        f"\n{as_text(str(file))} is ready. Next: sudo shoe-controller doctor {as_text(str(file))}\n"
        f"{put_key}Restart the broker, and start the table.\n"
    )
    return GOOD


def _first_key(config: "RunningConfig") -> str:
    """Make the first key of the journal; returns what to do with its public half."""
    from shoe_controller.setup.first_key import make_first_key  # noqa: PLC0415 - see `run`

    try:
        public = make_first_key(config.table, config.journal, time.time_ns() // 1_000_000)
    except OSError as error:
        return f"The journal's first key was not made ({error.strerror}): the table makes it when it starts.\n"
    if public is None:
        return ""
    return (
        f"{as_text(str(public))}: made. Move it to a place that this machine cannot write to: with it, "
        "`shoe-controller journal verify FILE --key` proves that nobody has changed the journal.\n"
    )


def _anchor_folder(config: "RunningConfig") -> str:
    """Make the anchor's folder; returns what to say of it."""
    from shoe_controller.setup.anchor_place import make_anchor_folder  # noqa: PLC0415 - see `run`

    anchor = config.journal.anchor
    if anchor is None:
        return ""
    try:
        made = make_anchor_folder(anchor, config.journal.file)
    except OSError as error:
        return (
            f"The anchor's folder {as_text(str(anchor.parent))} was not made ({error.strerror}): make it for the "
            "service's user, or set another place as anchor in [journal].\n"
        )
    return "" if made is None else f"{as_text(str(made))}: made, for the anchor.\n"


# --- what is decided -------------------------------------------------------------------------------------------------


def _from_existing(args: argparse.Namespace) -> NewTable | None:
    """The table of an existing file, so that a second run needs no answers."""
    from shoe_controller.config.table_file import load_config  # noqa: PLC0415 - see `run`

    file = args.folder / args.file
    if not file.exists():
        return None
    config = load_config(file, guarded=False)
    if config.table is None or config.shoe is None:
        raise ValueError(f"{file} exists, and is not a table's file: correct it, or name another with --file")
    for option, given, there in (("--site", args.site, config.table.site), ("--table", args.table, config.table.name)):
        if given not in (None, there):
            raise ValueError(f"{file} is for {there!r}, but {option} is {given!r}: name another file with --file")
    house = config.house
    seat_users = {} if config.mqtt is None else config.mqtt.seat_users
    if args.seat_users and not seat_users:
        raise ValueError(f"{file} is there: put seat_users into its [mqtt], and run init again without --seat-users")
    return NewTable(
        site=config.table.site,
        name=config.table.name,
        title=config.table.title,
        currency=config.table.currency,
        wire=config.shoe.wire,
        port=config.shoe.address,
        insecure=config.shoe.insecure,
        base_game=house.schedule.base_game,
        decks=house.decks,
        layout="",
        offer=(),
        seats=tuple(house.seats),
        least=0,
        most=0,
        broker_host=None if config.mqtt is None else config.mqtt.host,
        journal=None,
        anchor=_own_anchor(config),
        people=(),
        seat_users=seat_users,
    )


def _own_anchor(config: "Config") -> str | None:
    """The anchor of an existing table, if it is not in the default folder."""
    anchor = None if config.journal is None else config.journal.anchor
    return None if anchor is None or anchor.parent == ANCHORS else str(anchor)


def _decided(args: argparse.Namespace, questions: Questions) -> NewTable:
    site = questions.text("--site", args.site, "The house, as part of every topic (letters, digits, - and _)")
    name = questions.text("--table", args.table, "The table's name, as part of every topic")
    said = questions.text("--wire", args.wire, "The shoe's wire, native, angel_eye or lines", "native")
    wire = next((known for known in WIRES if known == said), None)
    if wire is None:
        raise NotAnsweredError(f"the wire is native, angel_eye or lines, not {said!r}")
    new = NewTable(
        site=site,
        name=name,
        title=questions.text("--title", args.title, "The table's name on boards", name),
        currency=questions.text("--currency", args.currency, "The currency shown on boards", ""),
        wire=wire,
        port=args.port or _port(questions),
        insecure=args.insecure,
        base_game=questions.text("--base-game", args.base_game, "The base game", "commission"),
        decks=questions.number("--decks", args.decks, "Decks in the shoe", 8),
        layout=questions.text("--layout", args.layout, "The layout", "nepal_super_baccarat"),
        offer=_listed(questions.text("--offer", args.offer, "The groups and wagers offered", "base,pairs")),
        seats=_listed(questions.text("--seats", args.seats, "The seats, from the dealer's right", SEATS)),
        least=questions.number("--min", args.min, "The lowest stake, in minor units", 100),
        most=questions.number("--max", args.max, "The highest stake, in minor units", 100_000),
        broker_host=None
        if args.no_broker
        else questions.text("--broker-host", args.broker_host, "The broker's host, as tables reach it", "127.0.0.1"),
        journal=args.journal,
        anchor=args.anchor or _chosen_anchor(args, site, name),
        people=tuple(_people(args, questions)),
        seat_users={},
        bets_button=args.bets_button,
    )
    return new._replace(seat_users=seat_users_of(name, new.seats)) if args.seat_users else new


def _chosen_anchor(args: argparse.Namespace, site: str, name: str) -> str | None:
    """A place on another file system than the journal's; only for a table that the installed unit runs."""
    from shoe_controller.setup.anchor_place import choose_folder  # noqa: PLC0415 - see `run`

    if args.folder != FOLDER:
        return None
    chosen = choose_folder(Path(args.journal or JOURNALS / f"{name}.journal"))
    if chosen is None:
        sys.stdout.write(f"The anchor goes to {ANCHORS}: no file system that every boot mounts would be better.\n")
        return None
    folder, mount = chosen
    place = f"{as_text(str(mount.point))} ({mount.kind})"
    sys.stdout.write(f"The anchor goes to {as_text(str(folder))}: {place} is not the journal's file system.\n")
    return str(folder / f"{site}-{name}.anchor")


def _port(questions: Questions) -> str:
    from shoe_controller.setup.attached_shoes import candidates, look_at  # noqa: PLC0415 - see `run`

    ports = list(candidates())
    if not questions.ask or not ports:
        return questions.text("--port", None, "Where the shoe is plugged in")
    sys.stdout.write("Plugged in: " + ", ".join(ports) + "\n")
    chosen = ports[0]
    if questions.agrees("Open each of them, to see which is the shoe?"):
        attached = [asyncio.run(look_at(port)) for port in ports]
        for each in attached:
            sys.stdout.write(f"  {each.port}: {each.what}\n")
        chosen = next((each.port for each in attached if each.wire is not None), chosen)
    return questions.text("--port", None, "Where the shoe is plugged in", chosen)


def _people(args: argparse.Namespace, questions: Questions) -> Iterator[NewPerson]:
    named = any(getattr(args, role.value) for role in Role)
    owners: dict[str, str] = {}
    for role in Role:
        for given in getattr(args, role.value):
            identity, _, name = given.partition("=")
            if not identity or not name:
                raise NotAnsweredError(f"--{role.value} takes ID=NAME, such as anita='Anita Rai', not {given!r}")
            yield _person(identity, name, role, owners)
        while not named and questions.ask:
            identity = questions.text("", None, f"The id of a {role.value} (leave empty to finish)", "")
            if not identity:
                break
            yield _person(identity, questions.text("", None, "The name", identity), role, owners)


def _person(identity: str, name: str, role: Role, owners: dict[str, str]) -> NewPerson:
    """`owners`: the PINs that were given before, each with whose it is."""
    try:
        pin = _pin(name, least_digits(role))
    except BadPinError as error:
        raise BadPinError(f"the PIN of {name} (--{role.value} {identity}): {error}") from None
    first = owners.setdefault(pin, name)
    if first != name:
        raise BadPinError(f"{name} and {first} have the same PIN: let one of them choose another")
    return NewPerson(identity, name, role, hash_pin(pin, secrets.token_bytes(SALT_BYTES)))


def _pin(name: str, least: int) -> str:
    if not sys.stdin.isatty():
        line = sys.stdin.readline(1000)
        if not line:
            raise BadPinError("standard input has ended; give one PIN on each line, dealers first, then supervisors")
        pin = line.rstrip("\r\n")
        check_strength(pin, least)
        return pin
    pin = getpass.getpass(f"{name}'s PIN: ")
    check_strength(pin, least)
    if getpass.getpass("The same PIN again: ") != pin:
        raise BadPinError("those were two different PINs: try again")
    return pin


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
