"""The people of a site: the one file with everybody who may sign in at a page of the house, in which roles.

People of a table, with their PINs, are in the table's own file (`people.py`). The file has hashes of passwords, so it
is a secret: it is refused if others can read it.
"""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.wagers import unknown
from shoe_controller.config.passwords import parse_password_hash
from shoe_controller.config.people import LONGEST_ID, LONGEST_NAME, is_id
from shoe_controller.config.scrypt_hash import BadHashError, ScryptHash
from shoe_controller.config.secret_files import Secret, SecretFileError, read_secret
from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import BadFileError, Problem, parse_toml, read_text, read_what_fits

SITE_PEOPLE_FILE = "site_people.toml"
"""Its name, beside the files of the processes that read it."""

_TO_WRITE = {
    "id": 'the short name that is entered at the page, as in id = "rana"',
    "name": 'the whole name, as in name = "B. Rana"',
    "roles": 'what the person may see, as in roles = ["pit"]',
    "password": "password = and, in quotes, the hash that `shoe-controller keys password` prints",
}
_HOW_TO_MAKE = "`shoe-controller config person add` needs it to be there, empty but for a comment"


class SiteRole(StrEnum):
    """What a person of the site may see."""

    PIT = "pit"
    """Live edges and alarms."""
    REPORTS = "reports"
    """The reports of the house."""
    AUDITOR = "auditor"
    """Rounds, with everything that is recorded about them."""


ROLES = {role.value: role for role in SiteRole}


class SitePersonEntry(msgspec.Struct):
    id: str | None = None
    name: str | None = None
    roles: tuple[str, ...] | None = None
    password: object = None
    """Of any type, because the reader's error would show a password of the wrong type."""


class SitePeopleEntries(msgspec.Struct):
    people: tuple[SitePersonEntry, ...] = ()


class SitePerson(NamedTuple):
    id: str
    name: str
    roles: frozenset[SiteRole]
    password: Secret[ScryptHash]


def is_of_site_people(file: Path) -> bool:
    """Whether a file has people and nothing else: a table's has the rules of its house besides."""
    try:
        return parse_toml(str(file), read_text(file)).keys() == {"people"}
    except BadFileError:
        return False


def read_site_people(file: Path) -> tuple[SitePerson, ...]:
    """Read the file; raise `BadFileError` with everything that is wrong with it, or with who may read it."""
    try:
        text = read_secret(file, _HOW_TO_MAKE).reveal().decode()
    except SecretFileError as error:
        raise BadFileError(str(file), [Problem("", str(error).removeprefix(f"{file} "))]) from None
    except UnicodeDecodeError as error:
        problem = Problem("", f"cannot be read: byte {error.start} is not utf-8; save it as UTF-8 in your editor")
        raise BadFileError(str(file), [problem]) from None
    return site_people_in(file, text)


def site_people_in(file: Path, text: str) -> tuple[SitePerson, ...]:
    """The people of this text, as if the file said that."""
    problems: list[Problem] = []
    entries = (read_what_fits(parse_toml(str(file), text), SitePeopleEntries, problems) or SitePeopleEntries()).people
    people = [_person(entry, Section(f"people[{number}]", problems)) for number, entry in enumerate(entries, 1)]
    problems += _twins(entries)
    if problems:
        raise BadFileError(str(file), problems)
    return tuple(person for person in people if person is not None)


def _person(entry: SitePersonEntry, section: Section) -> SitePerson | None:
    for key, example in _TO_WRITE.items():
        section.require(key, getattr(entry, key), example)
    if entry.id is not None and not is_id(entry.id):
        message = f"must be 1 to {LONGEST_ID} letters (a-z, A-Z), digits, -, _ or ."
        section.problem("id", f"{message}; not {entry.id!r}")
    section.one_line("name", entry.name, LONGEST_NAME, may_be_empty=False)
    if entry.roles == ():
        section.problem("roles", f"must not be empty: write {_TO_WRITE['roles'].partition(', as in ')[2]}")
    for role in entry.roles or ():
        if role not in ROLES:
            section.problem("roles", unknown("role", role, ROLES))
    password = _password(entry.password, section)
    if entry.id is None or entry.name is None or not entry.roles or password is None:
        return None
    return SitePerson(entry.id, entry.name, frozenset(ROLES[role] for role in entry.roles if role in ROLES), password)


def _password(value: object, section: Section) -> Secret[ScryptHash] | None:
    if value is None:
        return None
    try:
        made = parse_password_hash(value if isinstance(value, str) else "")
    except BadHashError as error:
        # Not shown: it may be the password itself.
        section.problem("password", f"{error}. If it is the password itself, let its owner choose another")
        return None
    if made.digits is not None:
        section.problem("password", "this is the hash of a PIN: write what `shoe-controller keys password` prints")
        return None
    return Secret(made)


def _twins(entries: tuple[SitePersonEntry, ...]) -> Iterator[Problem]:
    ids: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        if entry.id is not None:
            # Anna and anna are the same person to the reader of a log.
            first = ids.setdefault(entry.id.casefold(), number)
            if first != number:
                message = f"{entry.id!r} is the id of people[{first}] already; each person needs their own"
                yield Problem(f"people[{number}].id", message)
