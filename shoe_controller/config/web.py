"""What `[board]` and `[console]` have in common: where pages are served, and the user at the broker."""

from ipaddress import ip_address
from pathlib import Path
from typing import Literal, Protocol

from shoe_controller.config.section import Section

LONGEST_USERNAME = 200

Language = Literal["en", "zh-hant", "zh-hans"]


class ServingEntry(Protocol):
    """The keys as read, not yet checked."""

    host: str
    port: int
    username: str | None
    password_file: str | None
    cert_file: str | None
    key_file: str | None


class ServingSettings(Protocol):
    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...

    @property
    def cert_file(self) -> Path | None: ...

    @property
    def key_file(self) -> Path | None: ...


def check_serving(section: Section, entry: ServingEntry) -> None:
    """Report everything that is wrong with these keys."""
    if not _is_address(entry.host):
        section.problem("host", f"must be an IP address to listen on, or localhost, not {entry.host!r}")
    section.whole_number("port", entry.port, 1, 65535)
    section.one_line("username", entry.username, LONGEST_USERNAME, may_be_empty=False)
    if entry.username is not None and set(entry.username) & set("/+#"):
        section.problem("username", "must not have /, + or # in it, because it is part of topics")
    if entry.password_file is not None and entry.username is None:
        section.problem("password_file", "a password needs a username beside it: add it, or leave this key out")
    if (entry.cert_file is None) != (entry.key_file is None):
        there, missing = ("key_file", "cert_file") if entry.cert_file is None else ("cert_file", "key_file")
        message = f"a certificate and its key belong together: {missing} is missing. Add it, or leave {there} out"
        section.problem(there, message)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
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
