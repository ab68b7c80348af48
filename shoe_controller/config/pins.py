"""PINs of the people at a table: hashing, checking, and refusing those that are too easy to guess.

A hash includes its parameters: `scrypt$ln=16,r=8,p=1,d=6$SALT$HASH`, salt and hash in base64, `d` the number of digits,
so that a PIN that is too short can be found. Hashes without `d`, which earlier versions made, stay valid. A PIN has few
digits, so it can be brute-forced from its hash: hashes are secret too, and wrong attempts are counted elsewhere.
Hashing takes time and memory on purpose; in a program that must not wait, it belongs in a thread, one at a time.
"""

import base64
import binascii
import hashlib
import hmac
import re
from itertools import pairwise
from typing import NamedTuple

from shoe_controller.messages.acts import Role

LEAST_DIGITS, MOST_DIGITS = 4, 12
SUPERVISOR_DIGITS = 6
"""The fewest digits of a supervisor's PIN in a new file."""

LOG_COST, BLOCK_SIZE, PARALLEL = 16, 8, 1
"""64 MiB per check, an eighth of what the service's unit allows; about 200 ms on a desktop machine."""

LOG_COSTS, BLOCK_SIZES, PARALLELS = range(12, 17), range(1, 9), range(1, 5)
"""What a configuration may use: at most 64 MiB, at most four times our own cost."""
MEMORY_LIMIT = 80 * 1024 * 1024

SALT_SIZES = range(16, 65)
HASH_SIZE = 32

_HASH = re.compile(
    r"scrypt\$ln=([1-9][0-9]?),r=([1-9][0-9]?),p=([1-9][0-9]?)(?:,d=([1-9][0-9]?))?"
    r"\$([A-Za-z0-9+/]{1,100}={0,2})\$([A-Za-z0-9+/]{1,100}={0,2})"
)
_PIN = re.compile(rf"[0-9]{{{LEAST_DIGITS},{MOST_DIGITS}}}")


class BadPinError(ValueError):
    """A PIN that cannot be used. The message does not show it."""


class BadPinHashError(ValueError):
    """A text that is not the hash of a PIN. The message does not show it."""


class PinHash(NamedTuple):
    log_cost: int
    block_size: int
    parallel: int
    digits: int | None
    """Of the PIN; `None` in a hash of an earlier version, which did not note it."""
    salt: bytes
    digest: bytes

    @classmethod
    def parse(cls, text: str) -> "PinHash":
        match = _HASH.fullmatch(text)
        if match is None:
            raise BadPinHashError(
                "this is not the hash of a PIN: write what `shoe-controller keys pin` prints, all of it"
            )
        try:
            digits = None if match[4] is None else int(match[4])
            made = cls(int(match[1]), int(match[2]), int(match[3]), digits, _unpack(match[5]), _unpack(match[6]))
        except binascii.Error:
            made = None
        if made is None or len(made.salt) not in SALT_SIZES or len(made.digest) != HASH_SIZE or made.text() != text:
            raise BadPinHashError("this hash of a PIN is damaged: write what `shoe-controller keys pin` prints")
        for name, number, permitted in (
            ("ln", made.log_cost, LOG_COSTS),
            ("r", made.block_size, BLOCK_SIZES),
            ("p", made.parallel, PARALLELS),
        ):
            if number not in permitted:
                raise BadPinHashError(
                    f"this hash of a PIN has {name}={number}, which must be from {permitted[0]} to {permitted[-1]}: "
                    "make one with `shoe-controller keys pin`"
                )
        return made

    def text(self) -> str:
        salt, digest = base64.b64encode(self.salt).decode(), base64.b64encode(self.digest).decode()
        digits = "" if self.digits is None else f",d={self.digits}"
        return f"scrypt$ln={self.log_cost},r={self.block_size},p={self.parallel}{digits}${salt}${digest}"

    def fits(self, pin: str) -> bool:
        digest = _digest(pin, self.salt, self.log_cost, self.block_size, self.parallel)
        return hmac.compare_digest(digest, self.digest)

    def __repr__(self) -> str:
        return "PinHash(hidden)"


def least_digits(role: Role) -> int:
    """The fewest digits that a new PIN for this role may have."""
    return SUPERVISOR_DIGITS if role is Role.SUPERVISOR else LEAST_DIGITS


def hash_pin(pin: str, salt: bytes, *, log_cost: int = LOG_COST) -> str:
    """Return the hash for a table's file. A salt is random and used once, so that equal PINs do not look equal.

    A lower cost is for PINs that protect nothing, as in a demonstration.
    """
    if not _PIN.fullmatch(pin):
        raise BadPinError(f"a PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits and nothing else")
    if len(salt) not in SALT_SIZES:
        raise ValueError(f"a salt has {SALT_SIZES[0]} to {SALT_SIZES[-1]} bytes, not {len(salt)}")
    digest = _digest(pin, salt, log_cost, BLOCK_SIZE, PARALLEL)
    return PinHash(log_cost, BLOCK_SIZE, PARALLEL, len(pin), salt, digest).text()


def check_pin(pin: str, hashed: str) -> bool:
    """Whether the PIN matches; raises `BadPinHashError` if the hash is invalid. What cannot be a PIN does not match.

    It takes as long for any text, so that the time shows nothing about the PIN.
    """
    fits = PinHash.parse(hashed).fits(pin)
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


def _digest(pin: str, salt: bytes, log_cost: int, block_size: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        pin.encode(errors="replace"),
        salt=salt,
        n=1 << log_cost,
        r=block_size,
        p=parallel,
        maxmem=MEMORY_LIMIT,
        dklen=HASH_SIZE,
    )


def _unpack(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


NOBODY = PinHash(LOG_COST, BLOCK_SIZE, PARALLEL, None, bytes(SALT_SIZES[0]), bytes(HASH_SIZE)).text()
"""The hash of no PIN: checking against it takes as long as against any other."""
