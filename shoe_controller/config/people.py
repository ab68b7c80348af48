"""The `[[people]]` sections of a table's file: who may act at the table, in which role, and the hash of their PIN."""

import re
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.wagers import unknown
from shoe_controller.config.pins import parse_pin_hash
from shoe_controller.config.scrypt_hash import BadHashError
from shoe_controller.config.secret_files import Secret
from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.messages.acts import Role

LONGEST_ID = 40
LONGEST_NAME = 80

ROLES = {role.value: role for role in Role}

_ID = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_ID}}}")
_PLAIN_PIN = (
    "this is a PIN in plain text, which only its owner may see: choose another, "
    "and write the hash that `shoe-controller keys pin` prints"
)
_TO_WRITE = {
    "id": 'the short name that is entered at the console, as in id = "anita"',
    "name": 'the whole name, as in name = "Anita Rai"',
    "role": 'role = "dealer" or role = "supervisor"',
    "pin": "pin = and, in quotes, the hash that `shoe-controller keys pin` prints",
}
_NO_HASH = "write the hash that `shoe-controller keys pin` prints, in quotes"


class PersonEntry(msgspec.Struct):
    id: str | None = None
    name: str | None = None
    role: str | None = None
    pin: object = None
    """Of any type, because the reader's error would show a PIN of the wrong type."""


class Person(NamedTuple):
    id: str
    name: str
    role: Role
    pin: Secret[str]
    """The hash, for `pins.check_pin`. A PIN is short enough to be brute-forced from it, so it is a secret too."""


def is_id(text: str) -> bool:
    """Whether it may be the id of a person."""
    return _ID.fullmatch(text) is not None


def people_from(entries: tuple[PersonEntry, ...], problems: list[Problem]) -> tuple[Person, ...]:
    """Return the people whose entries are complete; what cannot be used is added to the problems."""
    people = [_person(entry, Section(f"people[{number}]", problems)) for number, entry in enumerate(entries, 1)]
    _refuse_twins(entries, problems)
    return tuple(person for person in people if person is not None)


def _person(entry: PersonEntry, section: Section) -> Person | None:
    for key, example in _TO_WRITE.items():
        section.require(key, getattr(entry, key), example)
    if entry.id is not None and not is_id(entry.id):
        message = f"must be 1 to {LONGEST_ID} letters (a-z, A-Z), digits, -, _ or ."
        section.problem("id", f"{message}; not {entry.id!r}")
    section.one_line("name", entry.name, LONGEST_NAME, may_be_empty=False)
    role = ROLES.get(entry.role or "")
    if entry.role is not None and role is None:
        section.problem("role", unknown("role", entry.role, ROLES))
    pin = _pin(entry.pin, section)
    if entry.id is None or entry.name is None or role is None or pin is None:
        return None
    return Person(entry.id, entry.name, role, pin)


def _pin(value: object, section: Section) -> Secret[str] | None:
    if value is None:
        return None
    if isinstance(value, int | float) or (isinstance(value, str) and value.strip().isdecimal()):
        section.problem("pin", _PLAIN_PIN)
        return None
    if not isinstance(value, str):
        section.problem("pin", _NO_HASH)
        return None
    try:
        parse_pin_hash(value)
    except BadHashError as error:
        section.problem("pin", str(error))
        return None
    return Secret(value)


def _refuse_twins(entries: tuple[PersonEntry, ...], problems: list[Problem]) -> None:
    ids: dict[str, int] = {}
    pins: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        section = Section(f"people[{number}]", problems)
        if entry.id is not None:
            # Anna and anna are the same person to the reader of a report.
            first = ids.setdefault(entry.id.casefold(), number)
            if first != number:
                section.problem("id", f"{entry.id!r} is the id of people[{first}] already; each person needs their own")
        if isinstance(entry.pin, str):
            first = pins.setdefault(entry.pin, number)
            if first != number:
                section.problem("pin", f"this is the PIN of people[{first}] too; each person needs their own")
