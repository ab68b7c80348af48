"""The hash of a PIN or a password as a configuration writes it: how it was made, its salt and its digest.

`scrypt$ln=16,r=8,p=1,d=6$SALT$HASH`, salt and hash in base64; `d` is the number of digits of a PIN, and absent in the
hash of a password. Hashing takes time and memory on purpose; in a program that must not wait, it belongs in a thread,
one at a time.
"""

import base64
import binascii
import hashlib
import hmac
import re
from typing import NamedTuple

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


class BadHashError(ValueError):
    """A text that is not such a hash. The message does not show it."""


class HashedSecret(NamedTuple):
    """What is hashed, for messages to people."""

    what: str
    command: str
    """The command that makes its hash."""


class ScryptHash(NamedTuple):
    log_cost: int
    block_size: int
    parallel: int
    digits: int | None
    """Of a PIN; `None` in the hash of a password, or of a PIN by an earlier version, which did not note it."""
    salt: bytes
    digest: bytes

    @classmethod
    def parse(cls, text: str, of: HashedSecret) -> "ScryptHash":
        match = _HASH.fullmatch(text)
        if match is None:
            raise BadHashError(f"this is not the hash of {of.what}: write what `{of.command}` prints, all of it")
        try:
            digits = None if match[4] is None else int(match[4])
            made = cls(int(match[1]), int(match[2]), int(match[3]), digits, _unpack(match[5]), _unpack(match[6]))
        except binascii.Error:
            made = None
        if made is None or len(made.salt) not in SALT_SIZES or len(made.digest) != HASH_SIZE or made.text() != text:
            raise BadHashError(f"this hash of {of.what} is damaged: write what `{of.command}` prints")
        for name, number, permitted in (
            ("ln", made.log_cost, LOG_COSTS),
            ("r", made.block_size, BLOCK_SIZES),
            ("p", made.parallel, PARALLELS),
        ):
            if number not in permitted:
                raise BadHashError(
                    f"this hash of {of.what} has {name}={number}, which must be from {permitted[0]} to "
                    f"{permitted[-1]}: make one with `{of.command}`"
                )
        return made

    @classmethod
    def of_nothing(cls) -> "ScryptHash":
        """The hash of no secret: checking against it takes as long as against any other that we make."""
        return cls(LOG_COST, BLOCK_SIZE, PARALLEL, None, bytes(SALT_SIZES[0]), bytes(HASH_SIZE))

    def of_nothing_like_it(self) -> "ScryptHash":
        """The hash of no secret that takes as long to check as this one."""
        return self._replace(digits=None, salt=bytes(len(self.salt)), digest=bytes(HASH_SIZE))

    def text(self) -> str:
        salt, digest = base64.b64encode(self.salt).decode(), base64.b64encode(self.digest).decode()
        digits = "" if self.digits is None else f",d={self.digits}"
        return f"scrypt$ln={self.log_cost},r={self.block_size},p={self.parallel}{digits}${salt}${digest}"

    def fits(self, secret: str) -> bool:
        digest = _digest(secret, self.salt, self.log_cost, self.block_size, self.parallel)
        return hmac.compare_digest(digest, self.digest)

    def __repr__(self) -> str:
        return "ScryptHash(hidden)"


def hashed(secret: str, salt: bytes, *, digits: int | None = None, log_cost: int = LOG_COST) -> ScryptHash:
    """Hash it. A salt is random and used once, so that equal secrets do not look equal."""
    if len(salt) not in SALT_SIZES:
        raise ValueError(f"a salt has {SALT_SIZES[0]} to {SALT_SIZES[-1]} bytes, not {len(salt)}")
    digest = _digest(secret, salt, log_cost, BLOCK_SIZE, PARALLEL)
    return ScryptHash(log_cost, BLOCK_SIZE, PARALLEL, digits, salt, digest)


def _digest(secret: str, salt: bytes, log_cost: int, block_size: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        secret.encode(errors="replace"),
        salt=salt,
        n=1 << log_cost,
        r=block_size,
        p=parallel,
        maxmem=MEMORY_LIMIT,
        dklen=HASH_SIZE,
    )


def _unpack(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
