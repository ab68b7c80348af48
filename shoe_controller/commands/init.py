"""`shoe-controller init FOLDER`: writes everything that a new table needs, from a few answers.

At a terminal it asks for what no option gives; elsewhere that is an error which names the option. Running it again
changes nothing without asking: existing files stay as they are, keys and passwords are kept.
"""

import argparse
import asyncio
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoe_controller.commands.installed_table import FOLDER
from shoe_controller.commands.output import GOOD, as_text, bad_input
from shoe_controller.commands.prompts import NotAnsweredError, Questions
from shoe_controller.config.pins import BadPinError
from shoe_controller.config.shoe import WIRES
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table import ANCHORS
from shoe_controller.messages.acts import Role
from shoe_controller.setup.broker_files import BROKER_FOLDER, CONFIGURATION
from shoe_controller.setup.certificates import CertificateError
from shoe_controller.setup.file_writer import WriteOutcome, differs, write
from shoe_controller.setup.new_table import BOARD_PORT, CONSOLE_PORT, NewTable

if TYPE_CHECKING:
    from shoe_controller.config.table_file import Config, RunningConfig
    from shoe_controller.setup.apply import Places

UNITS_FOLDER = Path("/etc/systemd/system")
NOT_WRITTEN, INTERRUPTED = 1, 130


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
    parser.add_argument("--seats", metavar="A,B", help="from the dealer's right (default: 1 to 9 without 4)")
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
    from shoe_controller.setup.apply import Places  # noqa: PLC0415 - see above

    questions = Questions(ask=sys.stdin.isatty() and not args.yes)
    near = args.folder / "broker"
    broker = args.broker_folder or (BROKER_FOLDER if args.folder == FOLDER else near)
    places = Places(args.folder, broker, args.file, UNITS_FOLDER if args.folder == FOLDER else None)
    try:
        if Path(args.file).name != args.file or not args.file.endswith(".toml"):
            return bad_input(args, "bad_file", f"--file must be a file name such as table.toml, not {args.file!r}")
        _check_writable(args.folder)
        new, is_new = _table(args, questions, places)
        left = _written(new, places, args, questions)
    except KeyboardInterrupt:
        sys.stderr.write("\nshoe-controller init: stopped. Nothing was written.\n")
        return INTERRUPTED
    except (NotAnsweredError, BadPinError, BadFileError, CertificateError, ValueError) as error:
        return bad_input(args, "bad_answer", str(error))
    except OSError as error:
        return bad_input(args, "cannot_write", f"{error.filename or args.folder}: {error.strerror or error}")
    exit_code = _conclusion(args, places, new.console_port)
    if exit_code == GOOD and is_new and questions.ask:
        return _try_out(new, places, questions)
    return exit_code if questions.ask or not left else _not_up_to_date(left, exit_code)


def _not_up_to_date(left: list[Path], exit_code: int) -> int:
    files = ", ".join(as_text(str(file)) for file in left)
    sys.stderr.write(f"shoe-controller init: not everything is up to date: {files} must be written again. ")
    sys.stderr.write("Run it again with --yes.\n")
    return exit_code or NOT_WRITTEN


def _check_writable(folder: Path) -> None:
    """Before anybody answers a question in vain."""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise NotAnsweredError(f"{there} cannot be written to: use sudo, or name another folder")


def _table(args: argparse.Namespace, questions: Questions, places: "Places") -> tuple[NewTable, bool]:
    """The table, and whether it is a new one."""
    from shoe_controller.commands.init_answers import decided  # noqa: PLC0415 - see `run`
    from shoe_controller.setup.apply import judged  # noqa: PLC0415 - see `run`
    from shoe_controller.setup.neighbours import check_alone, check_journal_alone, neighbours  # noqa: PLC0415 - see `run`

    there = _from_existing(args)
    if there is not None:
        return _with_free_ports(there, places), False
    others = neighbours(args.folder)

    def judge(table: NewTable) -> "Config":
        config = judged(table, places)
        check_journal_alone(config.journal, others)
        return config

    new = decided(args, questions, others, judge)
    check_alone(new.site, new.name, new.port, others, publishes=new.broker_host is not None)
    judge(new)
    new = _with_free_ports(new, places)
    file = as_text(str(places.folder / places.table_file))
    if questions.ask and not questions.agrees(f"Write {file}, and all that the table needs?", usually=True):
        raise NotAnsweredError("nothing was written, as you said")
    return new, True


def _written(new: NewTable, places: "Places", args: argparse.Namespace, questions: Questions) -> list[Path]:
    """Write the files one after another; return those that were left as they are, though they should change.

    One answer applies to all: a key and its certificate, or users and their passwords, belong together. Everything is
    made and asked before the first file is written, and Ctrl-C waits until the last one is.
    """
    from shoe_controller.setup.apply import plan  # noqa: PLC0415 - see `run`

    everything = list(plan(new, places, renew_certificate=args.renew_certificate))
    changed = [planned for planned in everything if planned.ours and differs(planned)]
    over = bool(args.yes)
    if changed and not over:
        over = questions.agrees(f"{as_text(str(changed[0].file))} has changed. Write it again?")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        for planned in everything:
            outcome = write(planned, over=over)
            if outcome is not WriteOutcome.SAME:
                sys.stdout.write(f"{as_text(str(planned.file))}: {outcome.value}\n")
    finally:
        with suppress(KeyboardInterrupt):  # of the moment before; the next question can be left in this way
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return [] if over else [planned.file for planned in changed]


def _try_out(new: NewTable, places: "Places", questions: Questions) -> int:
    """A round with the new rules, and what the doctor says; the table is there whatever comes of it."""
    from shoe_controller.commands import doctor  # noqa: PLC0415 - see `run`

    try:
        if questions.agrees("\nDeal a test round with an emulated shoe? It leaves the table alone.", usually=True):
            sys.stdout.write("It is dealt; this takes some seconds.\n")
            sys.stdout.flush()
            _deal(new)
        if questions.agrees("Let the doctor look? Restart the broker and start the table first.", usually=True):
            doctor.run(argparse.Namespace(**_DOCTOR | {"config": places.folder / places.table_file}))
    except (KeyboardInterrupt, NotAnsweredError):
        sys.stderr.write("\nshoe-controller init: stopped. Everything that the table needs is written.\n")
        return INTERRUPTED
    return GOOD


_DOCTOR: dict[str, object] = {
    "command": "doctor",
    "skip": [],
    "user": None,
    "users": None,
    "listen": 5.0,
    "list": False,
    "json": False,
}
"""What `shoe-controller doctor FILE` is called with."""


def _deal(new: NewTable) -> None:
    from shoe_controller.commands.init_figures import draw_round  # noqa: PLC0415 - see `run`
    from shoe_controller.commands.recall import recalled  # noqa: PLC0415 - see `run`
    from shoe_controller.config.table_file import load_config  # noqa: PLC0415 - see `run`
    from shoe_controller.journal.reading import JournalReader  # noqa: PLC0415 - see `run`
    from shoe_controller.setup.apply import TABLE_FILE  # noqa: PLC0415 - see `run`
    from shoe_controller.setup.trial_round import NoRoundError, deal_trial_round  # noqa: PLC0415 - see `run`

    with tempfile.TemporaryDirectory(prefix="shoe-trial-") as name:
        folder = Path(name)
        try:
            journal = asyncio.run(deal_trial_round(new, folder, secrets.randbelow(1 << 31)))
        except NoRoundError as error:
            sys.stdout.write(f"The test round was not dealt: {error}\n")
            return
        with JournalReader(journal) as reader:
            playing = next(each for each in recalled(reader, 1) if each.counts)
        draw_round(load_config(folder / TABLE_FILE).house, playing)
        sys.stdout.write("\nThat round was dealt, stored and settled. Its journal and its key are thrown away.\n")


def _conclusion(args: argparse.Namespace, places: "Places", console_port: int) -> int:
    from shoe_controller.config.table_file import for_running, load_config  # noqa: PLC0415 - see `run`

    file = places.folder / places.table_file
    try:
        config = for_running(load_config(file))
    except BadFileError as error:
        return bad_input(args, "bad_config", f"the table cannot run yet:\n{error}")
    key = config.shoe.key_file
    put_key = "" if key is None else f"Put {key.name} into the shoe. "
    sys.stdout.write(_journal_folder(args, config))
    sys.stdout.write(_first_key(config))
    sys.stdout.write(_anchor_folder(config))
    if config.mqtt is not None:
        sys.stdout.write(f"The console of {config.table.name} is served at http://127.0.0.1:{console_port}/\n")
    sys.stdout.write(f"\n{as_text(str(file))} is ready. {put_key}Next:\n")
    if config.mqtt is not None:
        sys.stdout.write(f"  {_start_broker(places.broker / CONFIGURATION)}\n")
    for words in _next(file, installed=args.folder == FOLDER, publishes=config.mqtt is not None):
        sys.stdout.write(f"  {words}\n")
    return GOOD


def _start_broker(configuration: Path) -> str:
    """How the broker takes up its files; where they are not among those that it reads by itself, it is run by hand."""
    by_hand = configuration.is_file()
    return f"sudo mosquitto -c {as_text(str(configuration))}" if by_hand else "sudo systemctl restart mosquitto"


def _next(file: Path, *, installed: bool, publishes: bool) -> Iterator[str]:
    """The commands that come next; where no service runs this file, it is run by hand."""
    if installed:
        instance = "" if file.name == "table.toml" else f"@{file.stem}"
        board = "" if instance else " shoe-board"  # one for all tables
        pages = f" shoe-console{instance}{board}" if publishes else ""
        yield f"sudo systemctl enable --now shoe-controller{instance}{pages}"
    else:
        yield f"shoe-controller run {as_text(str(file))}"
    yield f"sudo shoe-controller doctor {as_text(str(file))}"


def _journal_folder(args: argparse.Namespace, config: "RunningConfig") -> str:
    """Make the folder of a journal that was named; returns what to say of it. The service makes the default one."""
    from shoe_controller.setup.journal_folder import make_journal_folder  # noqa: PLC0415 - see `run`

    folder = config.journal.file.parent
    try:
        made = None if args.journal is None else make_journal_folder(folder)
    except OSError as error:
        return (
            f"The journal's folder {as_text(str(folder))} was not made ({error.strerror}): make it for the service's "
            "user, or set another place as file in [journal].\n"
        )
    return "" if made is None else f"{as_text(str(made))}: made, for the journal.\n"


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
        f"`shoe-controller journal verify {as_text(str(config.journal.file))} --key {public.name}` proves that nobody "
        "has changed the journal.\n"
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
    from shoe_controller.commands.init_answers import broker_port  # noqa: PLC0415 - see `run`
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
        broker_port=broker_port(config.mqtt),
    )


def _with_free_ports(new: NewTable, places: "Places") -> NewTable:
    from shoe_controller.setup.neighbours import free_port  # noqa: PLC0415 - see `run`

    board = free_port(places.folder, places.folder / "board.toml", BOARD_PORT)
    return new._replace(
        board_port=board, console_port=free_port(places.folder, places.own("console.toml"), CONSOLE_PORT)
    )


def _own_anchor(config: "Config") -> str | None:
    """The anchor of an existing table, if it is not in the default folder."""
    anchor = None if config.journal is None else config.journal.anchor
    return None if anchor is None or anchor.parent == ANCHORS else str(anchor)
