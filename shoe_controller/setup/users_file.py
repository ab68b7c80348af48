"""`broker-users.toml`: the broker users made by `init`, each with its role and its password file.

Only the house's own people need it: `doctor` uses it to test that each role has its rights, and no others.
"""

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
    entry = read_what_fits(parse_toml(str(file), read_text(file)), UsersFile, problems) or UsersFile()
    known = [_known(each, file.parent, f"users[{number}]", problems) for number, each in enumerate(entry.users, 1)]
    if problems:
        raise BadFileError(str(file), problems)
    return tuple(user for user in known if user is not None)


def _known(entry: UserEntry, folder: Path, place: str, problems: list[Problem]) -> KnownUser | None:
    before = len(problems)
    role = ROLES.get(entry.role)
    if role is None:
        problems.append(Problem(f"{place}.role", unknown("role", entry.role, ROLES)))
    if not entry.name:
        problems.append(Problem(f"{place}.name", "is missing"))
    password = None
    try:
        password = read_password(folder / entry.password_file)
    except SecretFileError as error:
        problems.append(Problem(f"{place}.password_file", str(error)))
    if role is None or password is None or len(problems) > before:
        return None
    return KnownUser(BrokerUser(entry.name, role, entry.table), password)
