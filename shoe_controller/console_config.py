"""The `[console]` section of a table's file: where the dealer's console is served, and its own user at the broker."""

from ipaddress import ip_address
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from shoe_controller.config_section import Section
from shoe_controller.strict_reading import Problem

LONGEST_USERNAME = 200
LEAST_IDLE, MOST_IDLE = 30, 12 * 3600

Language = Literal["en", "zh-hant", "zh-hans"]


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
    """Seconds without a touch after which whoever is signed in is signed out."""
    username: str | None
    """Our user at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None
    cert_file: Path | None
    key_file: Path | None
    """With both, the page is served over TLS."""


def console_from(entry: ConsoleEntry, folder: Path, problems: list[Problem]) -> ConsoleSettings:
    section = Section("console", problems)
    if not _is_address(entry.host):
        section.problem("host", f"must be an IP address to listen on, or localhost, not {entry.host!r}")
    section.whole_number("port", entry.port, 1, 65535)
    section.whole_number("idle_timeout", entry.idle_timeout, LEAST_IDLE, MOST_IDLE)
    section.one_line("username", entry.username, LONGEST_USERNAME, may_be_empty=False)
    if entry.username is not None and set(entry.username) & set("/+#"):
        section.problem("username", "must not have /, + or # in it, because it is part of topics")
    if entry.password_file is not None and entry.username is None:
        section.problem("password_file", "a password needs a username beside it")
    if (entry.cert_file is None) != (entry.key_file is None):
        there, missing = ("key_file", "cert_file") if entry.cert_file is None else ("cert_file", "key_file")
        section.problem(there, f"a certificate and its key belong together: {missing} is missing")
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


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach it; PINs are typed at the console."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return text == "localhost"
    return True
