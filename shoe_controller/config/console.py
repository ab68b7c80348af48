"""The `[console]` section of a table's file: where the dealer's console is served, and its own user at the broker."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.config.web import Language, check_serving, is_loopback

LEAST_IDLE, MOST_IDLE = 30, 12 * 3600


class ConsoleEntry(msgspec.Struct):
    host: str = "127.0.0.1"
    port: int = 8081
    language: Language = "en"
    idle_timeout: int = 600
    username: str | None = None
    password_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


class ConsoleSettings(NamedTuple):
    host: str
    port: int
    language: Language
    idle_timeout: int
    """Seconds without a touch after which the person signed in is signed out."""
    username: str | None
    """The console's user at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None
    cert_file: Path | None
    key_file: Path | None
    """With both, the page is served over TLS."""


def console_from(entry: ConsoleEntry, folder: Path, problems: list[Problem]) -> ConsoleSettings:
    section = Section("console", problems)
    check_serving(section, entry)
    section.whole_number("idle_timeout", entry.idle_timeout, LEAST_IDLE, MOST_IDLE)
    # PINs are entered at the console.
    if entry.cert_file is None and entry.key_file is None and not is_loopback(entry.host):
        section.problem("host", "without a certificate (cert_file, key_file) only this machine is served: 127.0.0.1")
    return ConsoleSettings(
        host=entry.host,
        port=entry.port,
        language=entry.language,
        idle_timeout=entry.idle_timeout,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
        cert_file=section.path("cert_file", entry.cert_file, folder),
        key_file=section.path("key_file", entry.key_file, folder),
    )
