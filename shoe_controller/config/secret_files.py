"""Reads secrets from their own files: the shoe's key, the seal's key and the broker's password.

A secret is wrapped as soon as it is read, so that no message, log line or traceback shows it by accident.
"""

import os
import stat
from pathlib import Path
from typing import Generic, TypeVar

from firmware_protocol.native.session import INSECURE_KEY, KEY_BYTES

T = TypeVar("T")

SEAL_KEY_BYTES = 32

MOST_BYTES = 64 * 1024
"""Longer than any secret, a certificate's key included."""

NOT_FOR_OTHERS = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP
"""Forbidden mode bits. The group may read: that is needed for root's file with the service's group, and by systemd."""


class Secret(Generic[T]):
    """A value that is never shown. `reveal` is called where it is used and nowhere else."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def reveal(self) -> T:
        return self._value

    def __repr__(self) -> str:
        return "Secret(hidden)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))


class SecretFileError(ValueError):
    """A secret that cannot be read. The message names the file and what to do, and never its content."""


def read_shoe_key(file: Path) -> Secret[bytes]:
    """Read the key of a shoe, in hexadecimal digits as written by `shoe-controller keys shoe`."""
    key = _read_key(file, KEY_BYTES, f"`shoe-controller keys shoe {file}` makes one")
    if key == INSECURE_KEY:
        raise SecretFileError(
            f"{file} contains only zeros, which is no key. Move it away, and "
            f"`shoe-controller keys shoe {file}` makes one"
        )
    return Secret(key)


def read_seal_key(file: Path) -> Secret[bytes]:
    """Read the key that seals a table's messages about its journal, in hexadecimal digits as written by `init`."""
    return Secret(
        _read_key(file, SEAL_KEY_BYTES, f"`(umask 077; openssl rand -hex {SEAL_KEY_BYTES} > {file})` makes one")
    )


def _read_key(file: Path, size: int, how_to_make: str) -> bytes:
    try:
        key = bytes.fromhex(read_secret(file, how_to_make).reveal().decode())
    except ValueError as error:
        if isinstance(error, SecretFileError):
            raise
        key = b""
    if len(key) != size:
        raise SecretFileError(
            f"{file} contains no key: a key is {2 * size} hexadecimal digits and nothing else. "
            f"Move it away, and {how_to_make}"
        )
    return key


def read_password(file: Path) -> Secret[str]:
    """Read a password: the only line of a file, without its line end."""
    try:
        text = read_secret(file, "write the password of this user of the broker into it, on one line").reveal().decode()
    except UnicodeDecodeError:
        raise SecretFileError(f"{file} contains no password: it is not UTF-8 text") from None
    line = text.removesuffix("\n").removesuffix("\r")
    if not line.isprintable():
        raise SecretFileError(f"{file} contains no password: write it on one line, without control characters")
    return Secret(line)


def read_secret(file: Path, how_to_make: str = "") -> Secret[bytes]:
    """Read a file that others may not read; raise `SecretFileError` otherwise."""
    try:
        # Non-blocking, so that a pipe without a writer is refused below instead of blocking.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise SecretFileError(f"{file} cannot be read: {_reason(error)}{_remedy(error, how_to_make)}") from None
    try:
        _check_privacy(file, os.fstat(descriptor).st_mode)
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise SecretFileError(f"{file} cannot be read: {_reason(error)}") from None
    finally:
        os.close(descriptor)
    if not content.strip():
        raise SecretFileError(f"{file} is empty{how_to_make and ': '}{how_to_make}")
    if len(content) > MOST_BYTES:
        raise SecretFileError(f"{file} is too long for a secret: more than {MOST_BYTES} bytes")
    return Secret(content)


def _check_privacy(file: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise SecretFileError(f"{file} is not a file: name one, or correct the path")
    if mode & NOT_FOR_OTHERS:
        raise SecretFileError(
            f"{file} is open to others (mode {stat.S_IMODE(mode):04o}): "
            f"remove their rights with `chmod g-wx,o-rwx {file}`, and if anyone may have read it, make a new secret"
        )


def _remedy(error: Exception, how_to_make: str) -> str:
    if isinstance(error, PermissionError):
        return "; run this with sudo, or as the user of the service"
    return f"; correct the path, or {how_to_make}" if isinstance(error, FileNotFoundError) and how_to_make else ""


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
