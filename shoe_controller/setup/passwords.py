"""Passwords of the broker's users, in the format of Mosquitto's password file."""

import base64
import hashlib

PASSWORD_BYTES = 24
SALT_BYTES = 12
"""Mosquitto accepts no other size."""
ROUNDS = 1000
"""Enough: our passwords are random and too long to guess."""


def password_of(random: bytes) -> str:
    return base64.urlsafe_b64encode(random).decode().rstrip("=")


def password_line(user: str, password: str, salt: bytes) -> str:
    """A line of Mosquitto's `password_file`, as `mosquitto_passwd` writes it."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    return f"{user}:$7${ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"
