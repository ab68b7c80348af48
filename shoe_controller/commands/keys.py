"""`shoe-controller keys shoe|pin|password`: makes the secrets that a table and its site need.

A key goes into a file and never to the terminal; a PIN or a password comes from the keyboard or from standard input,
never from the command line, where others could read it.
"""

import argparse
import getpass
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

from firmware_protocol.native.session import KEY_BYTES
from shoe_controller.commands.output import GOOD, add_json_option, as_text, bad_input, print_json
from shoe_controller.commands.prompts import NotAnsweredError, Questions
from shoe_controller.config.passwords import LEAST_CHARACTERS, BadPasswordError, hash_password
from shoe_controller.config.pins import (
    LEAST_DIGITS,
    MOST_DIGITS,
    SUPERVISOR_DIGITS,
    BadPinError,
    check_strength,
    hash_pin,
    least_digits,
)
from shoe_controller.messages.acts import Role

DEFAULT_KEY_FILE = Path("shoe.key")
SALT_BYTES = 16
LONGEST_LINE = 1000


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("keys", help="make a shoe's key, or the hash of a PIN or a password")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    shoe = actions.add_parser(
        "shoe",
        help="make a new key for a shoe",
        description="Make a random key for a shoe that speaks the native wire, in a file that only its owner can read.",
    )
    shoe.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE",
        help=f"the file to make, which must not exist yet (default: {DEFAULT_KEY_FILE})",
    )
    shoe.add_argument("--output", type=Path, metavar="FILE", help="the same")
    add_json_option(shoe)
    shoe.set_defaults(run=run_shoe)
    pin = actions.add_parser(
        "pin",
        help="hash a PIN for the [[people]] of a table's file",
        description=f"Ask for a PIN of {SUPERVISOR_DIGITS} to {MOST_DIGITS} digits, twice and without showing it, and "
        "print the hash for a table's file. If standard input is not a terminal, its first line is the PIN.",
    )
    pin.add_argument(
        "--role",
        choices=[role.value for role in Role],
        default=Role.SUPERVISOR.value,
        help=f"whose PIN it is: a dealer's may have {LEAST_DIGITS} digits (default: %(default)s)",
    )
    add_json_option(pin)
    pin.set_defaults(run=run_pin)
    password = actions.add_parser(
        "password",
        help="hash a password for the people of a site",
        description=f"Ask for a password of {LEAST_CHARACTERS} characters or more, twice and without showing it, and "
        "print the hash for the file of the site's people. If standard input is not a terminal, its first line is the "
        "password.",
    )
    password.add_argument("--id", default="", metavar="ID", help="whose it is: it may not be little more than that")
    add_json_option(password)
    password.set_defaults(run=run_password)


def run_shoe(args: argparse.Namespace) -> int:
    if args.file is not None and args.output is not None:
        return bad_input(args, "two_files", f"one key goes into one file: name {args.file} or {args.output}")
    file: Path = args.file or args.output or DEFAULT_KEY_FILE
    try:
        _write_new(file, f"{secrets.token_hex(KEY_BYTES)}\n".encode())
    except FileExistsError:
        message = f"{file} exists already and was left alone: name another file, or move that one away"
        return bad_input(args, "file_exists", message)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return bad_input(args, "cannot_write", f"{file} cannot be written: {reason}")
    if args.json:
        print_json({"file": as_text(str(file))})
    else:
        sys.stdout.write(
            f"{as_text(str(file))} contains a new key. Put it into the shoe, and name the file as key_file in the "
            "[shoe] section of the table's file.\n"
        )
    return GOOD


def run_pin(args: argparse.Namespace) -> int:
    try:
        least = least_digits(Role(args.role))
        pin = _typed_pin(least) if sys.stdin.isatty() else _piped_pin()
        check_strength(pin, least)
    except BadPinError as error:
        return bad_input(args, "bad_pin", str(error))
    except (EOFError, KeyboardInterrupt):
        return bad_input(args, "no_pin", "no PIN was given, so there is no hash")
    hashed = hash_pin(pin, secrets.token_bytes(SALT_BYTES))
    if args.json:
        print_json({"pin": hashed})
    else:
        sys.stdout.write(f"{hashed}\n")
    return GOOD


def run_password(args: argparse.Namespace) -> int:
    try:
        password = Questions(ask=sys.stdin.isatty()).new_password(args.id)
    except BadPasswordError as error:
        return bad_input(args, "bad_password", str(error))
    except (NotAnsweredError, KeyboardInterrupt):
        return bad_input(args, "no_password", "no password was given, so there is no hash")
    made = hash_password(password, secrets.token_bytes(SALT_BYTES))
    if args.json:
        print_json({"password": made})
    else:
        sys.stdout.write(f"{made}\n")
    return GOOD


def _write_new(file: Path, content: bytes) -> None:
    """Make the file, complete and private to its owner, or leave nothing behind."""
    # Exclusive: an existing file or link is never touched, even one made a moment ago.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            file.unlink()
        raise


def _typed_pin(least: int) -> str:
    pin = getpass.getpass("PIN: ")
    check_strength(pin, least)
    if getpass.getpass("The same PIN again: ") != pin:
        raise BadPinError("those were two different PINs: try again")
    return pin


def _piped_pin() -> str:
    line = sys.stdin.buffer.readline(LONGEST_LINE)
    if not line:
        raise EOFError
    # What is not text is not a PIN either, and is refused as one.
    return line.decode(errors="replace").removesuffix("\n").removesuffix("\r")
