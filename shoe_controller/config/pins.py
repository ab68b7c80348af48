"""PINs of the people at a table: hashing, checking, and refusing those that are too easy to guess.

A hash notes the number of digits, so that a PIN that is too short can be found; hashes without it, which earlier
versions made, stay valid. A PIN has few digits, so it can be brute-forced from its hash: hashes are secret too, and
wrong attempts are counted elsewhere. `scrypt_hash.py` has the format.
"""

import re
from itertools import pairwise

from shoe_controller.config.scrypt_hash import LOG_COST, HashedSecret, ScryptHash, hashed
from shoe_controller.messages.acts import Role

LEAST_DIGITS, MOST_DIGITS = 4, 12
SUPERVISOR_DIGITS = 6
"""The fewest digits of a supervisor's PIN in a new file."""

PIN = HashedSecret("a PIN", "shoe-controller keys pin")

_PIN = re.compile(rf"[0-9]{{{LEAST_DIGITS},{MOST_DIGITS}}}")


class BadPinError(ValueError):
    """A PIN that cannot be used. The message does not show it."""


def parse_pin_hash(text: str) -> ScryptHash:
    """The hash in this text; `BadHashError` if there is none."""
    return ScryptHash.parse(text, PIN)


def least_digits(role: Role) -> int:
    """The fewest digits that a new PIN for this role may have."""
    return SUPERVISOR_DIGITS if role is Role.SUPERVISOR else LEAST_DIGITS


def hash_pin(pin: str, salt: bytes, *, log_cost: int = LOG_COST) -> str:
    """Return the hash for a table's file. A lower cost is for PINs that protect nothing, as in a demonstration."""
    if not _PIN.fullmatch(pin):
        raise BadPinError(f"a PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits and nothing else")
    return hashed(pin, salt, digits=len(pin), log_cost=log_cost).text()


def check_pin(pin: str, pin_hash: str) -> bool:
    """Whether the PIN matches; raises `BadHashError` if the hash is invalid. What cannot be a PIN does not match.

    It takes as long for any text, so that the time shows nothing about the PIN.
    """
    fits = parse_pin_hash(pin_hash).fits(pin)
    return fits and _PIN.fullmatch(pin) is not None


def check_strength(pin: str, least_digits: int = LEAST_DIGITS) -> None:
    """Raise `BadPinError` for a PIN that is easy to guess."""
    if not _PIN.fullmatch(pin) or len(pin) < least_digits:
        raise BadPinError(f"this PIN needs {least_digits} to {MOST_DIGITS} digits and nothing else")
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    if steps == {0}:
        raise BadPinError("all digits of this PIN are the same, which is easy to guess: choose another")
    if len(steps) == 1:
        raise BadPinError("the digits of this PIN follow each other like 1234 or 8642: choose another")


NOBODY = ScryptHash.of_nothing().text()
"""The hash of no PIN: checking against it takes as long as against any other."""
