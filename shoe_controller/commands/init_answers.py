"""What `init` asks: each answer is checked as it is given, and asked for again with what is wrong with it.

Nothing is written here. Without a terminal nothing is asked either: options and defaults decide.
"""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.commands.init_figures import draw_figures
from shoe_controller.commands.installed_table import FOLDER
from shoe_controller.commands.output import as_text
from shoe_controller.commands.prompts import NotAnsweredError, Questions, missing
from shoe_controller.config.house import HouseEntry, house_from
from shoe_controller.config.mqtt import TLS_PORT, MqttEntry, MqttSettings, mqtt_from
from shoe_controller.config.people import PersonEntry, people_from
from shoe_controller.config.pins import NOBODY, hash_pin
from shoe_controller.config.shoe import WIRES, ShoeEntry, Wire, shoe_from
from shoe_controller.config.strict_reading import BadFileError, Problem
from shoe_controller.config.table import ANCHORS, JOURNALS, TableEntry, table_from
from shoe_controller.config.table_file import Config
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.messages.acts import Role
from shoe_controller.setup.anchor_place import choose_folder
from shoe_controller.setup.attached_shoes import candidates, lasting_name, look_at, overhear
from shoe_controller.setup.neighbours import Neighbour, check_alone
from shoe_controller.setup.new_table import NewPerson, NewTable, seat_users_of
from shoe_controller.transports.serial_port import USUAL_BAUD
from shoe_controller.transports.transport import TransportError

SALT_BYTES = 16
SEATS = "1,2,3,5,6,7,8,9"
DRAW_SECONDS = 20.0
"""Seconds in which a card should be drawn, so that it is heard how the shoe reports it."""

SITE = "The house, as part of every topic (letters, digits, - and _)"
TABLE = "The table's name, as part of every topic"
PORT = "Where the shoe is plugged in"

Judge = Callable[[NewTable], Config]
"""The configuration that a table would have; it raises `BadFileError` with what is wrong."""


class Asked(NamedTuple):
    """Who is asked, about what, beside which tables."""

    args: argparse.Namespace
    questions: Questions
    there: tuple[Neighbour, ...]

    @property
    def first(self) -> Neighbour | None:
        return self.there[0] if self.there else None


def decided(args: argparse.Namespace, questions: Questions, there: tuple[Neighbour, ...], judge: Judge) -> NewTable:
    """The table that the options and answers describe."""
    asked = Asked(args, questions, there)
    people = list(_named(args))
    _refuse_gaps(asked)
    new = _with_table(_of_shoe(asked), asked)
    new = _with_broker(new, asked)
    new = _with_game(new, asked, judge)
    return new._replace(people=tuple(_people(asked, people, new)))


def broker_port(mqtt: MqttSettings | None) -> int | None:
    """The port at which this machine's tables reach the broker, unless it is the usual one."""
    return None if mqtt is None or not mqtt.tls or mqtt.port == TLS_PORT else mqtt.port


def _refuse_gaps(asked: Asked) -> None:
    """All that is missing at once, where nobody can be asked."""
    args = asked.args
    needed = (
        ("--site", args.site or (asked.first and asked.first.table.site), SITE),
        ("--table", args.table, TABLE),
        ("--port", args.port, PORT),
    )
    gaps = [missing(option, what) for option, given, what in needed if given is None]
    if gaps and not asked.questions.ask:
        raise NotAnsweredError("\n".join(gaps))


# --- the shoe --------------------------------------------------------------------------------------------------------


def _of_shoe(asked: Asked) -> NewTable:
    args, questions = asked.args, asked.questions
    found: dict[str, Wire | None] = {}
    port = args.port
    if port is None:
        port, found = _port(asked)
    said = args.wire
    if said is None and questions.ask:
        usual = _usual_wire(port, found, questions)
        said = questions.text("--wire", None, "The shoe's wire, native, angel_eye or lines", usual, check=_wire_problem)
    wire = next((known for known in WIRES if known == (said or WIRES[0])), None)
    if wire is None:
        raise NotAnsweredError(f"--wire: {_wire_problem(said)}")
    return NewTable(
        site="",
        name="",
        title="",
        currency="",
        wire=wire,
        port=port,
        insecure=args.insecure,
        base_game="",
        decks=0,
        layout="",
        offer=(),
        seats=(),
        least=0,
        most=0,
        broker_host=None,
        journal=args.journal,
        anchor=None,
        people=(),
        seat_users={},
        bets_button=args.bets_button,
    )


def _port(asked: Asked) -> tuple[str, dict[str, Wire | None]]:
    """The port, and what was found out about those that are there."""
    questions, found = asked.questions, dict[str, Wire | None]()
    ports = list(candidates())
    usual = ports[0] if ports else None
    if ports:
        sys.stdout.write("Plugged in:\n" + "".join(f"  {number}  {each}\n" for number, each in enumerate(ports, 1)))
        if questions.agrees("Open each of them, to see which is the shoe? A native shoe blinks.", usually=True):
            for number, each in enumerate(ports, 1):
                attached = asyncio.run(look_at(each))
                found[each] = attached.wire
                sys.stdout.write(f"  {number}  {as_text(each)}: {as_text(attached.what)}\n")
            usual = next((port for port, wire in found.items() if wire is not None), usual)
    else:
        sys.stdout.write("No serial port is plugged in. A shoe may also be at socket://host:port or usb:VVVV:PPPP.\n")

    def chosen(answer: str) -> str:
        return ports[int(answer) - 1] if answer.isdecimal() and 0 < int(answer) <= len(ports) else answer

    question = f"{PORT}{', its number or' if ports else ','} its path or address"
    answer = questions.text(
        "--port", None, question, usual, check=lambda text: _port_problem(chosen(text), asked.there)
    )
    port = lasting_name(chosen(answer))
    if port != chosen(answer):
        sys.stdout.write(f"  That is {port}, a name that stays when it is plugged in anew.\n")
    return port, found


def _usual_wire(port: str, found: dict[str, Wire | None], questions: Questions) -> Wire:
    """The wire that the shoe speaks, as far as it can be heard."""
    wire = found.get(port)
    if wire is not None or port not in found:
        return wire or WIRES[0]
    for tried in ("angel_eye", "lines"):
        rate = f"{USUAL_BAUD[tried]} baud"
        if not questions.agrees(f"Draw a card, to hear which wire the shoe speaks? It is listened to at {rate}."):
            break
        sys.stdout.write(f"  Draw a card within {DRAW_SECONDS:g} s.\n")
        sys.stdout.flush()
        try:
            heard, count = asyncio.run(overhear(port, tried, DRAW_SECONDS))
        except TransportError as error:
            sys.stdout.write(f"  {error}\n")
            break
        if heard is not None:
            sys.stdout.write(f"  That was the wire {heard}.\n")
            return heard
        sys.stdout.write(f"  {count} bytes came, of no wire that is known, or at another rate.\n")
    return WIRES[0]


def _wire_problem(said: str) -> str:
    return "" if said in WIRES else f"the wire is native, angel_eye or lines, not {said!r}"


def _port_problem(port: str, there: tuple[Neighbour, ...]) -> str:
    problems: list[Problem] = []
    shoe_from(ShoeEntry(port=port, insecure=True), Path(), problems)
    return _first(problems) or _taken(there, port=port)


def _taken(
    there: tuple[Neighbour, ...], *, site: str = "", name: str = "", port: str = "", publishes: bool = False
) -> str:
    try:
        check_alone(site, name, port, there, publishes=publishes)
    except ValueError as error:
        return str(error)
    return ""


def _first(problems: list[Problem]) -> str:
    return problems[0].message if problems else ""


# --- the table and its broker ----------------------------------------------------------------------------------------


def _with_table(new: NewTable, asked: Asked) -> NewTable:
    args, questions, first = asked.args, asked.questions, asked.first

    def wrong(**entry: str) -> str:
        problems: list[Problem] = []
        table_from(msgspec.convert({"site": "s", "name": "t"} | entry, TableEntry), problems)
        return _first(problems)

    def wrong_name(answer: str) -> str:
        return wrong(name=answer) or _taken(asked.there, site=site, name=answer)

    def wrong_site(answer: str) -> str:
        return wrong(site=answer) or _taken(asked.there, site=answer, publishes=not args.no_broker)

    site = questions.text(
        "--site",
        args.site,
        SITE,
        None if first is None else first.table.site,
        check=wrong_site,
    )
    name = questions.text("--table", args.table, TABLE, check=wrong_name)
    return new._replace(
        site=site,
        name=name,
        title=questions.text(
            "--title", args.title, "The table's name on boards", name, check=lambda answer: wrong(title=answer)
        ),
        currency=questions.text(
            "--currency",
            args.currency,
            "The currency shown on boards",
            "" if first is None else first.table.currency,
            check=lambda answer: wrong(currency=answer),
        ),
        anchor=args.anchor or _chosen_anchor(args, site, name),
    )


def _with_broker(new: NewTable, asked: Asked) -> NewTable:
    args, first = asked.args, asked.first
    shared = None if first is None else first.config.mqtt
    if args.no_broker or (first is not None and shared is None and args.broker_host is None):
        return new

    def wrong(answer: str) -> str:
        problems: list[Problem] = []
        mqtt_from(MqttEntry(host=answer), Path(), problems)
        return _first(problems)

    usual = "127.0.0.1" if shared is None else shared.host
    question = "The broker's host, as tables reach it"
    host = asked.questions.text("--broker-host", args.broker_host, question, usual, check=wrong)
    same = shared is not None and host == shared.host
    return new._replace(broker_host=host, broker_port=broker_port(shared) if same else None)


def _chosen_anchor(args: argparse.Namespace, site: str, name: str) -> str | None:
    """A place on another file system than the journal's; only for a table that the installed unit runs."""
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


# --- the game --------------------------------------------------------------------------------------------------------


def _with_game(new: NewTable, asked: Asked, judge: Judge) -> NewTable:
    """Ask for the rules until the guard has nothing against them, and the person neither."""
    questions = asked.questions
    usual = new._replace(
        base_game="commission",
        decks=8,
        layout="nepal_super_baccarat",
        offer=("base", "pairs"),
        seats=_listed(SEATS),
        least=100,
        most=100_000,
    )
    args = asked.args
    while True:
        answered = _rules(usual, asked._replace(args=args))
        if args.seat_users:
            answered = answered._replace(seat_users=seat_users_of(answered.name, answered.seats))
        if not questions.ask:
            return answered
        try:
            config = judge(answered)
        except BadFileError as error:
            sys.stdout.write("".join(f"  {as_text(str(problem))}\n" for problem in error.problems))
            if not questions.agrees("Answer the questions about the game again?", usually=True):
                raise
        else:
            draw_figures(config.house)
            if questions.agrees("Are these the rules of the table?", usually=True):
                return answered
        # What options said can be answered otherwise now.
        usual = answered
        args = argparse.Namespace(**vars(args) | dict.fromkeys(_RULES))


_RULES = ("base_game", "decks", "layout", "offer", "seats", "min", "max")


def _rules(usual: NewTable, asked: Asked) -> NewTable:
    args, questions = asked.args, asked.questions
    catalogue = built_in_catalogue()

    def wrong(key: str, value: object) -> str:
        problems: list[Problem] = []
        house_from(msgspec.convert({key: value}, HouseEntry), catalogue, problems)
        return _first([problem for problem in problems if problem.place == f"house.{key}"])

    def listed_wrong(key: str) -> Callable[[str], str]:
        return lambda answer: wrong(key, _listed(answer))

    def not_below(least: int) -> Callable[[str], str]:
        return lambda answer: "" if int(answer) >= least else f"an amount here is at least {least}, not {answer}"

    if questions.ask and any(getattr(args, name) is None for name in ("base_game", "layout")):
        sys.stdout.write(
            f"Base games: {', '.join(catalogue.base_games)}. Layouts: {', '.join(catalogue.layouts)}.\n"
            f"Groups of wagers: {', '.join(catalogue.groups)}. `shoe-controller catalogue` explains them.\n"
        )
    new = usual._replace(
        base_game=questions.text(
            "--base-game",
            args.base_game,
            "The base game",
            usual.base_game,
            check=lambda answer: wrong("base_game", answer),
        ),
        decks=questions.number(
            "--decks", args.decks, "Decks in the shoe", usual.decks, check=lambda answer: wrong("decks", int(answer))
        ),
        layout=questions.text(
            "--layout", args.layout, "The layout", usual.layout, check=lambda answer: wrong("layout", answer)
        ),
        offer=_listed(
            questions.text(
                "--offer",
                args.offer,
                "The groups and wagers offered",
                ",".join(usual.offer),
                check=listed_wrong("offer"),
            )
        ),
        seats=_listed(
            questions.text(
                "--seats",
                args.seats,
                "The seats, from the dealer's right",
                ",".join(usual.seats),
                check=listed_wrong("seats"),
            )
        ),
        least=questions.number(
            "--min", args.min, "The lowest stake, in minor units (500 is 5.00)", usual.least, check=not_below(1)
        ),
    )
    most = questions.number(
        "--max", args.max, "The highest stake, in minor units", usual.most, check=not_below(new.least)
    )
    return new._replace(most=most)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


# --- the people ------------------------------------------------------------------------------------------------------


class _Named(NamedTuple):
    id: str
    name: str
    role: Role


def _named(args: argparse.Namespace) -> Iterator[_Named]:
    """The people of the options, before anybody is asked for a PIN."""
    for role in Role:
        for given in getattr(args, role.value):
            identity, _, name = given.partition("=")
            if not identity or not name:
                raise NotAnsweredError(f"--{role.value} takes ID=NAME, such as anita='Anita Rai', not {given!r}")
            yield _Named(identity, name, role)


def _people(asked: Asked, named: list[_Named], new: NewTable) -> Iterator[NewPerson]:
    shared = () if named else _shared_people(asked)
    if shared:
        yield from shared
        return
    questions = asked.questions
    owners: dict[str, str] = {}
    known: list[_Named] = []

    def with_pin(each: _Named) -> NewPerson:
        pin = questions.new_pin(each.id, each.name, each.role, owners)
        owners[pin] = each.name
        known.append(each)
        return NewPerson(*each, hash_pin(pin, secrets.token_bytes(SALT_BYTES)))

    for each in named:
        yield with_pin(each)
    if named or not questions.ask:
        return
    for role in Role:
        while True:
            more = _asked_person(role, known, questions)
            if more is not None:
                yield with_pin(more)
                continue
            lack = _lack(role, known, new)
            if not lack or questions.agrees(lack):
                break


def _asked_person(role: Role, known: list[_Named], questions: Questions) -> _Named | None:
    def wrong(identity: str, name: str) -> str:
        twin = next((each for each in known if each.id.casefold() == identity.casefold()), None)
        if twin is not None:
            return f"{identity!r} is the id of {twin.name} already: each person needs their own"
        problems: list[Problem] = []
        entries = [PersonEntry(each.id, each.name, each.role.value, None) for each in known]
        people_from((*entries, PersonEntry(identity, name, role.value, NOBODY)), problems)
        mine = f"people[{len(entries) + 1}]"
        return _first([problem for problem in problems if problem.place.startswith(mine)])

    identity = questions.text(
        "",
        None,
        f"The id of a {role.value} (leave empty to finish)",
        "",
        check=lambda answer: wrong(answer, answer) if answer else "",
    )
    if not identity:
        return None
    name = questions.text("", None, "The name", identity, check=lambda answer: wrong(identity, answer))
    return _Named(identity, name, role)


def _lack(role: Role, known: list[_Named], new: NewTable) -> str:
    """What a table with no more people of this role could not do, as a question."""
    count = sum(each.role is role for each in known)
    if role is Role.SUPERVISOR and count == 0:
        return "Without a supervisor no alert can be cleared. Go on without?"
    if role is Role.SUPERVISOR and count == 1:
        return "With one supervisor no result can be taken back: that takes two. Go on with one?"
    if role is Role.DEALER and count == 0 and new.has_console:
        return "Without a dealer only a supervisor can sign in and deal. Go on without?"
    return ""


def _shared_people(asked: Asked) -> tuple[NewPerson, ...]:
    """The people of the table that is there, with their PINs."""
    first, questions = asked.first, asked.questions
    if first is None or not first.people:
        return ()
    names = ", ".join(person.id for person in first.people)
    if questions.ask and not questions.agrees(f"Take over the people of {first.table.name} ({names})?", usually=True):
        return ()
    sys.stdout.write(f"The people of {first.table.name}, with their PINs: {names}.\n")
    return tuple(NewPerson(each.id, each.name, each.role, each.pin.reveal()) for each in first.people)
