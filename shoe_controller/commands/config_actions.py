"""`shoe-controller config set`, `config person add` and `config wager off`: change one thing in a table's file."""

import argparse
import functools
import math
import secrets
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from shoe_controller.commands.installed_table import FOLDER
from shoe_controller.commands.output import GOOD, as_text, bad_input
from shoe_controller.commands.prompts import NotAnsweredError, Questions
from shoe_controller.config.passwords import BadPasswordError, hash_password
from shoe_controller.config.people import Person
from shoe_controller.config.pins import BadPinError, check_pin, hash_pin
from shoe_controller.config.site_people import SitePerson, SiteRole
from shoe_controller.config.strict_reading import BadFileError, join_place
from shoe_controller.config.table_file import LOADERS, Config
from shoe_controller.messages.acts import Role
from shoe_controller.setup.config_change import Changed, Edit, Loaded, NotChangedError, change, change_site_people
from shoe_controller.setup.offer_edit import without_wager
from shoe_controller.setup.toml_edit import EditError, Keys, parse_key, with_section, with_value

SALT_BYTES = 16
AT_RELOAD = frozenset({"people", "house_text", "catalogue_texts", "procedure"})
AT_RESTART = frozenset({"table", "shoe", "mqtt", "journal", "log"})
OF_OTHERS = tuple(kind.value for kind in LOADERS)
"""Parts of the configuration by when they are taken up."""


def add_actions(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    put = actions.add_parser(
        "set",
        help="set one key of a table's file",
        description="Set one key of a table's file, if the file is valid with it. Comments, owner and mode stay.",
    )
    _add_file(put)
    put.add_argument("key", metavar="KEY", help="""such as house.decks, or 'house.limits."base.tie".max'""")
    put.add_argument(
        "value", metavar="VALUE", help="""as in the file, such as 6, true or '["1", "2"]'; text may go without quotes"""
    )
    put.set_defaults(run=run_set, json=False)

    person = actions.add_parser("person", help="add a person to a table's file, or to that of a site's people")
    added = person.add_subparsers(dest="what", required=True, metavar="ACTION").add_parser(
        "add",
        help="add a person, with a PIN or a password",
        description="Add a dealer or a supervisor, with a PIN, to a table's file; or a person who signs in at a page "
        "of the site, with a password, to the file of the site's people. The secret is asked for, twice and without "
        "showing it; if standard input is not a terminal, its first line is that.",
    )
    _add_file(added)
    role = added.add_mutually_exclusive_group(required=True)
    for each in Role:
        role.add_argument(f"--{each.value}", metavar="ID=NAME", help=f"such as anita='Anita Rai', a {each.value}")
    for site_role, may in (("pit", "live edges and alarms"), ("reports", "reports"), ("auditor", "rounds")):
        role.add_argument(f"--{site_role}", metavar="ID=NAME", help=f"such as rana='B. Rana', who may see {may}")
    added.set_defaults(run=run_person_add, json=False)

    wager = actions.add_parser("wager", help="stop offering a wager")
    off = wager.add_subparsers(dest="what", required=True, metavar="ACTION").add_parser(
        "off",
        help="stop offering a wager or a group of wagers",
        description="Take a wager, or a group of wagers, out of what a table offers; limits and other settings that "
        "were for it alone become comments.",
    )
    _add_file(off)
    off.add_argument("wager", metavar="WAGER", help="such as lucky_6 or pairs.player")
    off.set_defaults(run=run_wager_off, json=False)


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="TABLE.toml")


def run_set(args: argparse.Namespace) -> int:
    try:
        keys = parse_key(args.key)
    except EditError as error:
        return bad_input(args, "bad_key", str(error))
    refused: list[BadFileError] = []
    for value in _readings(args.value):
        try:
            return _report(args, change(args.file, _setting(keys, value)))
        except BadFileError as error:
            refused.append(error)
        except (NotChangedError, EditError) as error:
            return bad_input(args, "not_changed", f"{args.file} was left as it is: {error}")
    return _refused(args, next((error for error in refused if not _is_of_other_type(error, keys)), refused[0]))


def run_person_add(args: argparse.Namespace) -> int:
    roles: tuple[Role | SiteRole, ...] = (*Role, *SiteRole)
    role, given = next((each, chosen) for each in roles if (chosen := getattr(args, each.value)) is not None)
    identity, _, name = given.partition("=")
    if not identity or not name:
        return bad_input(args, "bad_person", f"--{role.value} takes ID=NAME, such as anita='Anita Rai', not {given!r}")
    return (
        _add_to_table(args, identity, name, role)
        if isinstance(role, Role)
        else _add_to_site(args, identity, name, role)
    )


def _add_to_site(args: argparse.Namespace, identity: str, name: str, role: SiteRole) -> int:
    def add(text: str, people: tuple[SitePerson, ...]) -> str:
        _refuse_twin(identity, people)
        password = Questions(ask=sys.stdin.isatty()).new_password(identity)
        hashed = hash_password(password, secrets.token_bytes(SALT_BYTES))
        return with_section(text, "people", {"id": identity, "name": name, "roles": [role.value], "password": hashed})

    try:
        change_site_people(args.file, add)
    except BadFileError as error:
        return _refused(args, error)
    except (NotChangedError, EditError, BadPasswordError, NotAnsweredError) as error:
        return bad_input(args, "not_changed", f"{args.file} was left as it is: {error}")
    sys.stdout.write(
        f"{as_text(str(args.file))} is changed.\nThe pages that it is for take it up when they are restarted.\n"
    )
    return GOOD


def _refuse_twin(identity: str, people: Iterable[Person | SitePerson]) -> None:
    """Before anything secret is asked for: nobody types that in vain."""
    twin = next((each for each in people if each.id.casefold() == identity.casefold()), None)
    if twin is not None:
        raise NotChangedError(f"{identity!r} is the id of {twin.name} already: each person needs their own")


def _add_to_table(args: argparse.Namespace, identity: str, name: str, role: Role) -> int:
    def add(text: str, loaded: Loaded) -> str:
        people = _table(loaded).people
        _refuse_twin(identity, people)
        pin = Questions(ask=sys.stdin.isatty()).new_pin(identity, name, role)
        if any(check_pin(pin, each.pin.reveal()) for each in people):
            raise BadPinError("somebody else at this table has this PIN: choose another")
        hashed = hash_pin(pin, secrets.token_bytes(SALT_BYTES))
        return with_section(text, "people", {"id": identity, "name": name, "role": role.value, "pin": hashed})

    return _change(args, add)


def run_wager_off(args: argparse.Namespace) -> int:
    return _change(args, lambda text, loaded: without_wager(text, _table(loaded), args.wager))


def _table(loaded: Loaded) -> Config:
    if not isinstance(loaded, Config):
        raise NotChangedError("it is not a table's file: name the table's own, such as table.toml")
    return loaded


def _change(args: argparse.Namespace, edit: Edit) -> int:
    try:
        return _report(args, change(args.file, edit))
    except BadFileError as error:
        return _refused(args, error)
    except (NotChangedError, EditError, BadPinError, NotAnsweredError) as error:
        return bad_input(args, "not_changed", f"{args.file} was left as it is: {error}")


def _refused(args: argparse.Namespace, error: BadFileError) -> int:
    return bad_input(
        args, "not_valid", f"{as_text(str(args.file))} was left as it is, because with this change:\n{error}"
    )


def _setting(keys: Keys, value: object) -> Edit:
    return lambda text, _: with_value(text, keys, value)


def _is_of_other_type(error: BadFileError, keys: Keys) -> bool:
    """Whether the key takes another type than this reading of the value has: then it was not what was meant."""
    place = functools.reduce(join_place, keys, "")
    return any(problem.place == place and problem.message.startswith("expected ") for problem in error.problems)


def _readings(text: str) -> Iterator[object]:
    """What a value on the command line can mean: as TOML, as text, as a list of texts."""
    try:
        value = tomllib.loads(f"value = {text}", parse_float=_number)
    except (ValueError, RecursionError):
        value = {}
    if list(value) == ["value"]:
        yield value["value"]
        if isinstance(value["value"], list | dict | str):
            return
    yield text
    if value == {} and not set(text) & set("[]{}\"'"):
        yield [part.strip() for part in text.split(",") if part.strip()]


def _number(text: str) -> float:
    """TOML's nan is a text here: no key takes it as a number, and it is equal to nothing."""
    number = float(text)
    if math.isnan(number):
        raise ValueError(text)
    return number


def _report(args: argparse.Namespace, changed: Changed | None) -> int:
    file = as_text(str(args.file))
    if changed is None:
        sys.stdout.write(f"{file} says so already.\n")
        return GOOD
    sys.stdout.write(f"{file} is changed.\n{_next(args.file, changed)}\n")
    return GOOD


def _next(file: Path, changed: Changed) -> str:
    """When a running table takes it up, and what is to do for it."""
    if not isinstance(changed.after, Config):
        return "It is taken up when the program of this file is restarted."
    parts = (*AT_RELOAD, *AT_RESTART, *OF_OTHERS)
    different = {name for name in parts if getattr(changed.before, name) != getattr(changed.after, name)}
    unit = _unit(file)
    for name in OF_OTHERS:
        if name in different:
            return f"The {name} takes it up when it is restarted."
    if different & AT_RESTART:
        how = f"sudo systemctl restart {unit}" if unit else "end it, and start it again with this file"
        return f"A running table takes it up when it is restarted, also in mid-shoe: {how}"
    how = f"sudo systemctl reload {unit}" if unit else "send it SIGHUP"
    return (
        f"A running table takes it up {'' if different <= {'people'} else 'with the next shoe '}after a reload: {how}"
    )


def _unit(file: Path) -> str:
    """The service that runs the table of this file, if it is an installed one."""
    if file.parent.resolve() != FOLDER.resolve():
        return ""
    return "shoe-controller" if file.name == "table.toml" else f"shoe-controller@{file.stem}"
