"""The `[mqtt]` section of a table's file: the table's broker. Without the section there is none."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem, join_place
from shoe_controller.messages.requests import LONGEST_USER

PLAIN_PORT, TLS_PORT = 1883, 8883
LONGEST_USERNAME = 200
LONGEST_KEEP_ALIVE = 60

_ADDRESS = re.compile(r"(?:[a-z]+://)?(?P<host>[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/?")
"""A broker as other programs write it, in one text."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")


class MqttEntry(msgspec.Struct):
    host: str | None = None
    port: int | None = None
    username: str | None = None
    password_file: str | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    keep_alive: int = 5
    seat_users: dict[str, str] = {}


class MqttSettings(NamedTuple):
    host: str
    port: int
    username: str | None
    password_file: Path | None
    ca_file: Path | None
    """The authority trusted to sign the broker's certificate; with it the connection uses TLS."""
    cert_file: Path | None
    key_file: Path | None
    """The client certificate and its key, where the broker requires one."""
    keep_alive: int
    """Seconds; a broker that hangs is noticed after twice this time."""
    seat_users: Mapping[str, str]
    """Users of the broker that may bet for one seat alone, each with that seat."""

    @property
    def tls(self) -> bool:
        return self.ca_file is not None


def mqtt_from(entry: MqttEntry, folder: Path, problems: list[Problem]) -> MqttSettings | None:
    section = Section("mqtt", problems)
    section.require("host", entry.host, 'the name or address of the broker, as in host = "127.0.0.1"')
    if entry.host is not None and not _is_host(entry.host):
        message = f"must be a host name or an IP address and nothing else, not {entry.host!r}"
        section.problem("host", f"{message}{_rewritten(entry.host)}")
    section.whole_number("port", entry.port, 1, 65535)
    section.whole_number("keep_alive", entry.keep_alive, 1, LONGEST_KEEP_ALIVE)
    section.one_line("username", entry.username, LONGEST_USERNAME, may_be_empty=False)
    for user in entry.seat_users:
        if not (0 < len(user) <= LONGEST_USER and user.isprintable() and not set(user) & set("/+#")):
            message = (
                f"must be a user of 1 to {LONGEST_USER} characters without /, + and #, because it is part of topics"
            )
            section.problem(join_place("seat_users", user), message)
    if entry.password_file is not None and entry.username is None:
        section.problem("password_file", "a password needs a username beside it: add it, or leave this key out")
    if (entry.cert_file is None) != (entry.key_file is None):
        there, missing = ("key_file", "cert_file") if entry.cert_file is None else ("cert_file", "key_file")
        message = f"a certificate and its key belong together: {missing} is missing. Add it, or leave {there} out"
        section.problem(there, message)
    if entry.ca_file is None and (entry.cert_file is not None or entry.key_file is not None):
        section.problem(
            "ca_file",
            "is missing: TLS needs an authority to trust; name the file with the certificate that signed the broker's",
        )
    if entry.host is None:
        return None
    ca_file = section.path("ca_file", entry.ca_file, folder)
    return MqttSettings(
        host=entry.host,
        port=entry.port if entry.port is not None else PLAIN_PORT if ca_file is None else TLS_PORT,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
        ca_file=ca_file,
        cert_file=section.path("cert_file", entry.cert_file, folder),
        key_file=section.path("key_file", entry.key_file, folder),
        keep_alive=entry.keep_alive,
        seat_users=entry.seat_users,
    )


def _rewritten(text: str) -> str:
    """How the same broker is written here, where that can be seen."""
    parts = _ADDRESS.fullmatch(text)
    if parts is None or not _is_host(parts["host"]):
        return ""
    port = "" if parts["port"] is None else f" and port = {int(parts['port'])}"
    return f': write host = "{parts["host"]}"{port}'


def _is_host(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return _HOST_NAME.fullmatch(text) is not None
    return True
