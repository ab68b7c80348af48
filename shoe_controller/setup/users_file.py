"""`broker-users.toml`: the broker users made by `init`, each with its role and its password file.

Only the house's own people need it: `doctor` uses it to test that each role has its rights, and no others.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.wagers import unknown
from shoe_controller.config.secret_files import Secret, SecretFileError, read_password
from shoe_controller.config.strict_reading import BadFileError, Problem, parse_toml, read_text, read_what_fits
from shoe_controller.setup.access_list import EVERY_TABLE, BrokerRole, BrokerUser

USERS_FILE = "broker-users.toml"
"""Its name, beside the table's file."""

ROLES = {role.value: role for role in BrokerRole}


class UserEntry(msgspec.Struct):
    name: str = ""
    role: str = ""
    password_file: str = ""
    table: str = EVERY_TABLE


class UsersFile(msgspec.Struct):
    users: tuple[UserEntry, ...] = ()


class KnownUser(NamedTuple):
    user: BrokerUser
    password: Secret[str]


def read_users(file: Path) -> tuple[KnownUser, ...]:
    """Read the file; raise `BadFileError` with everything that is wrong with it or with a password file."""
    problems: list[Problem] = []
    known = []
    for place, entry, user in _entries(file, problems):
        try:
            password = read_password(file.parent / entry.password_file)
        except SecretFileError as error:
            problems.append(Problem(f"{place}.password_file", str(error)))
        else:
            known += [] if user is None else [KnownUser(user, password)]
    if problems:
        raise BadFileError(str(file), problems)
    return tuple(known)


def read_names(file: Path) -> tuple[BrokerUser, ...]:
    """The users alone: a password that was moved away is made anew."""
    problems: list[Problem] = []
    users = [user for _, _, user in _entries(file, problems)]
    if problems:
        raise BadFileError(str(file), problems)
    return tuple(user for user in users if user is not None)


def _entries(file: Path, problems: list[Problem]) -> Iterator[tuple[str, UserEntry, BrokerUser | None]]:
    """Each entry with its place in the file, and the user if it names one."""
    read = read_what_fits(parse_toml(str(file), read_text(file)), UsersFile, problems) or UsersFile()
    for number, entry in enumerate(read.users, 1):
        place = f"users[{number}]"
        role = ROLES.get(entry.role)
        if role is None:
            problems.append(Problem(f"{place}.role", unknown("role", entry.role, ROLES)))
        if not entry.name:
            problems.append(Problem(f"{place}.name", "is missing"))
        yield place, entry, BrokerUser(entry.name, role, entry.table) if role is not None and entry.name else None
