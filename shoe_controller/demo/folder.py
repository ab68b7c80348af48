"""What a demonstration writes into its temporary folder: each table's file and its shoe's key, and those of the pages.

Nothing here outlives the demonstration, so keys and PINs may come from the seed that is passed in.
"""

import random
from pathlib import Path
from typing import NamedTuple

from firmware_protocol.pace import CARD_TAKES
from shoe_controller.config.passwords import hash_password
from shoe_controller.config.pins import hash_pin
from shoe_controller.config.scrypt_hash import LOG_COSTS
from shoe_controller.config.site_people import SITE_PEOPLE_FILE
from shoe_controller.demo.local_ports import HOST
from shoe_controller.demo.settings import (
    COUNTERS_OFFER,
    FALSE_ALARM_AFTER,
    OFFER,
    SEATS,
    SITE,
    DemoSettings,
    table_name,
)
from shoe_controller.demo.strategies import COUNTS

DEALER, OTHER_DEALER = "maya", "gita"
SUPERVISOR, OTHER_SUPERVISOR = "rana", "bimal"
REPEAT_WITHIN = 1.0
"""Seconds at a person's pace in which the same id is the same reading: shorter than from one card to the next."""
PIT_PERSON = "tara"
"""Who may sign in at the pit's page."""
ROLES = {DEALER: "dealer", SUPERVISOR: "supervisor", OTHER_DEALER: "dealer", OTHER_SUPERVISOR: "supervisor"}


class TableFiles(NamedTuple):
    name: str
    config: Path
    port: Path
    """The symbolic link under which the shoe is plugged in."""
    key: Path | None
    cards: Path | None
    """Which card each id is, where the shoe is a reader of ids: the emulated one writes it when it starts."""
    truth: Path
    journal: Path
    pins: dict[str, str]
    """Of everybody, by id."""


def write_table(folder: Path, number: int, settings: DemoSettings, broker_port: int) -> TableFiles:
    generator = random.Random(f"table {number} {settings.seed}")  # noqa: S311 - secrets of an emulated table
    name = table_name(number)
    files = TableFiles(
        name=name,
        config=folder / f"{name}.toml",
        port=folder / f"{name}.shoe",
        key=folder / f"{name}.key" if settings.wire == "native" else None,
        cards=folder / f"{name}.cards.jsonl" if settings.wire == "lines" else None,
        truth=folder / f"{name}.truth.jsonl",
        journal=folder / f"{name}.journal",
        pins={person: _pin(generator) for person in ROLES},
    )
    if files.key is not None:
        _write_secret(files.key, generator.randbytes(32).hex())
    people = [
        _person(person, ROLES[person], hash_pin(pin, generator.randbytes(16), log_cost=LOG_COSTS[0]))
        for person, pin in files.pins.items()
    ]
    _write_secret(files.config, "\n".join([_table_file(files, settings, broker_port), *people]))
    return files


def write_board(folder: Path, broker_port: int, port: int) -> Path:
    """The file of the process that serves the boards of all tables, and the pit view."""
    file = folder / "board.toml"
    file.write_text(f'{_mqtt(broker_port)}\n[board]\nsite = "{SITE}"\nport = {port}\n', encoding="utf-8")
    return file


def write_console(folder: Path, table: str, broker_port: int, port: int) -> Path:
    """The file of one table's console. It holds no PIN: the table checks them."""
    file = folder / "console.toml"
    where = f'[table]\nsite = "{SITE}"\nname = "{table}"\n'
    file.write_text(f"{where}\n{_mqtt(broker_port)}\n[console]\nport = {port}\n", encoding="utf-8")
    return file


class PitFiles(NamedTuple):
    folder: Path
    password: str
    """Of the one person who may sign in."""
    settings: DemoSettings

    def write(self, broker_port: int, port: int) -> Path:
        """The file of the process that serves the pit's page."""
        file = self.folder / "pit.toml"
        false_alarm = "" if self.settings.counter is None else f"false_alarm_after = {FALSE_ALARM_AFTER}\n"
        file.write_text(
            f'{_mqtt(broker_port)}\n[pit]\nsite = "{SITE}"\nport = {port}\nfile = "pit.alarms"\n{false_alarm}',
            encoding="utf-8",
        )
        return file


def write_pit(folder: Path, settings: DemoSettings) -> PitFiles:
    """The file of the people of the site; that of the process needs its port."""
    generator = random.Random(f"pit {settings.seed}")  # noqa: S311 - the password of a demonstration
    password = f"{_pin(generator)}{_pin(generator)}"
    password_hash = hash_password(password, generator.randbytes(16), log_cost=LOG_COSTS[0])
    person = f'[[people]]\nid = "{PIT_PERSON}"\nname = "{PIT_PERSON.capitalize()}"\nroles = ["pit"]\n'
    _write_secret(folder / SITE_PEOPLE_FILE, f'{person}password = "{password_hash}"\n')
    return PitFiles(folder, password, settings)


def _pin(generator: random.Random) -> str:
    return f"{generator.randrange(100_000, 1_000_000)}"


def _write_secret(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")


def _table_file(files: TableFiles, settings: DemoSettings, broker_port: int) -> str:
    seats = ", ".join(f'"{seat}"' for seat in SEATS)
    key = "" if files.key is None else f'key_file = "{files.key.name}"\n'
    if files.cards is not None:
        key = _reader(files.cards.name, settings.speed)
    if files.key is None:
        # The virtual dealer's hand is quicker by as much as the show is.
        key += f"card_takes = {min(CARD_TAKES, CARD_TAKES / settings.speed):g}\n"
    offered = OFFER if settings.counter is None else (*COUNTERS_OFFER, COUNTS[settings.counter].wager)
    offer = ", ".join(f'"{wager}"' for wager in offered)
    # The catalogue's wagers are for more decks than two.
    few_decks = "" if settings.counter is None else f'allow_decks = ["nepal_super_baccarat", {offer}]\n'
    commission = '[house.commission]\ntaken = "marked"\n' if settings.game == "commission" else ""
    return f"""\
[house]
base_game = "{settings.game}"
decks = {settings.decks}
{few_decks}layout = "nepal_super_baccarat"
offer = [{offer}]
seats = [{seats}]
limits = {{ all = {{ min = 100, max = 10_000 }} }}
{commission}
[procedure]
dealer_signs_in = true
new_dealer_burns = true
finished_round = "two_supervisors"
shown_card = "free_hand"
discarded_card = "next_card"
remainder = "counted"

[table]
site = "{SITE}"
name = "{files.name}"
title = "{files.name.replace("-", " ").capitalize()}"

[shoe]
wire = "{settings.wire}"
port = "{files.port}"
{key}
{_mqtt(broker_port)}
[journal]
file = "{files.journal.name}"
anchor = "{files.name}.anchor"
"""


def _reader(cards: str, speed: float) -> str:
    """How the emulated reader writes a line."""
    return f"""\
cards_files = ["{cards}"]
prefix = "$"
suffix = "*"
checksum = "crc16"
unread = "NOREAD"
repeat_within = {REPEAT_WITHIN / speed:g}
"""


def _mqtt(broker_port: int) -> str:
    return f"""\
[mqtt]
host = "{HOST}"
port = {broker_port}
"""


def _person(who: str, role: str, pin_hash: str) -> str:
    return f"""\
[[people]]
id = "{who}"
name = "{who.capitalize()}"
role = "{role}"
pin = "{pin_hash}"
"""
