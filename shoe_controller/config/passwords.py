"""Passwords of the people of a site: hashing, checking, and refusing those that are too easy to guess.

Unlike a PIN, a password is judged over a network, where a stranger may try for a long time: it is long, and wrong tries
are counted in `web/tries.py`. `scrypt_hash.py` has the format of the hash.
"""

import unicodedata

from shoe_controller.config.scrypt_hash import LOG_COST, HashedSecret, ScryptHash, hashed

LEAST_CHARACTERS, MOST_CHARACTERS = 12, 200

PASSWORD = HashedSecret("a password", "shoe-controller keys password")

_FEWEST_DIFFERENT = 5

_SILLY = frozenset(
    {
        "abcdefghijkl",
        "abcdefghijklm",
        "baccarat1234",
        "baccaratbaccarat",
        "baccarattable",
        "changemechangeme",
        "changethis123",
        "correcthorsebatterystaple",
        "dragondragon",
        "iloveyou1234",
        "iloveyouiloveyou",
        "letmeinletmein",
        "letmeinplease",
        "monkeymonkey",
        "password1234",
        "password12345",
        "password123456",
        "passwordpassword",
        "passw0rd1234",
        "p@ssw0rd1234",
        "p@ssword1234",
        "qwerty123456",
        "qwertyqwerty",
        "qwertyuiop12",
        "qwertyuiop123",
        "qwertyuiopas",
        "qwertyuiop[]",
        "1q2w3e4r5t6y",
        "1qaz2wsx3edc",
        "1234567890ab",
        "administrator",
        "administrator1",
        "admin1234567",
        "adminadminadmin",
        "supervisor12",
        "supervisor123",
        "shoecontroller",
        "shoe-controller",
        "welcome12345",
        "welcomewelcome",
        "trustno1trustno1",
        "sunshine1234",
        "thisismypassword",
    }
)
_ROWS = ("abcdefghijklmnopqrstuvwxyz" * 2, "0123456789" * 3, "qwertyuiopasdfghjklzxcvbnm")


class BadPasswordError(ValueError):
    """A password that cannot be used. The message does not show it."""


def parse_password_hash(text: str) -> ScryptHash:
    """The hash in this text; `BadHashError` if there is none."""
    return ScryptHash.parse(text, PASSWORD)


def hash_password(password: str, salt: bytes, *, log_cost: int = LOG_COST) -> str:
    """Return the hash for the file of people. A lower cost is for passwords that protect nothing."""
    return hashed(_composed(password), salt, log_cost=log_cost).text()


def password_fits(password: str, made: ScryptHash) -> bool:
    """Whether the password matches; it takes as long for any text."""
    return made.fits(_composed(password))


def check_password(password: str, identity: str = "") -> None:
    """Raise `BadPasswordError` for a password that is easy to guess, or is little more than the person's id."""
    if not LEAST_CHARACTERS <= len(password) <= MOST_CHARACTERS:
        raise BadPasswordError(
            f"a password has {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters; a few words that do not belong "
            "together are easy to remember"
        )
    if not password.isprintable() or password != password.strip():
        raise BadPasswordError("a password has no control characters, and no blanks at its ends")
    plain = password.casefold()
    if plain in _SILLY or any(plain in row or plain in row[::-1] for row in _ROWS):
        raise BadPasswordError("this password is one of those that are tried first: choose another")
    if len(set(plain)) < _FEWEST_DIFFERENT:
        raise BadPasswordError(f"this password has fewer than {_FEWEST_DIFFERENT} different characters: choose another")
    if identity and len(plain.replace(identity.casefold(), "")) < LEAST_CHARACTERS // 2:
        raise BadPasswordError("this password is little more than the person's id: choose another")


def _composed(password: str) -> str:
    """The same letters whichever keyboard they come from: some send an accent as a character of its own."""
    return unicodedata.normalize("NFC", password)
