"""Everything that `init` writes for a table: planned first, then written; what is there already is left alone.

| file, in the folder of the tables         | what it is                                    | who may read it |
|-------------------------------------------|-----------------------------------------------|-----------------|
| `table.toml`, `shoe.key`, `mqtt.password` | the table, its shoe's key, its user's password | shoe-controller |
| `seal.key`                                | the key of what it publishes of its journal   | shoe-controller |
| `board.toml`, `board.password`            | the results boards                            | shoe-board      |
| `console.toml`, `console.password`        | the console                                   | shoe-console    |
| `witness.toml`, `witness.password`        | the witness                                   | shoe-witness    |
| `pit.toml`, `pit.password`                | the pit's process                             | shoe-pit        |
| `archive.toml`, `archive.password`        | the archive                                   | shoe-archive    |
| `site_people.toml`                        | who may sign in at the pit's page             | shoe-pit        |
| `broker-users.toml`, `users/*.password`   | every user at the broker, for the doctor      | root            |
| `authority/ca.key`                        | the key of the house's own authority          | root            |
| in the broker's folder: everything        | Mosquitto's configuration, users, certificate | mosquitto       |
| in systemd's folder: `*.d/anchor.conf`    | the table's unit may write to its anchor      | everyone        |

Where a machine has several tables, the names of the second one's own files begin with its own.
"""

import secrets
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from firmware_protocol.native.session import KEY_BYTES
from shoe_controller.config.secret_files import SEAL_KEY_BYTES
from shoe_controller.config.site_people import SITE_PEOPLE_FILE
from shoe_controller.config.table_file import Config, load_config
from shoe_controller.setup import broker_files
from shoe_controller.setup.access_list import BrokerUser, access_list
from shoe_controller.setup.anchor_place import unit_addition
from shoe_controller.setup.certificates import Made, make_authority, make_broker_certificate
from shoe_controller.setup.file_writer import Planned
from shoe_controller.setup.new_table import (
    ARCHIVE,
    BOARD,
    PIT,
    WITNESS,
    FileNames,
    NewTable,
    archive_text,
    board_text,
    console_text,
    pit_text,
    table_text,
    users_of,
    witness_text,
)
from shoe_controller.setup.passwords import PASSWORD_BYTES, SALT_BYTES, password_of
from shoe_controller.setup.template import example_text
from shoe_controller.setup.users_file import USERS_FILE, read_names

TABLE_FILE = "table.toml"
TABLE_GROUP, BOARD_GROUP, CONSOLE_GROUP, BROKER_GROUP = "shoe-controller", "shoe-board", "shoe-console", "mosquitto"
WITNESS_GROUP, PIT_GROUP, ARCHIVE_GROUP = "shoe-witness", "shoe-pit", "shoe-archive"


NOBODY_YET = """\
# The people who may sign in at the pages of the house; nobody yet. This adds one, and asks for a password:
# shoe-controller config person add FILE --pit rana="B. Rana"
"""


class Places(NamedTuple):
    folder: Path
    broker: Path
    """Where the broker's own files go."""
    table_file: str = TABLE_FILE
    units: Path | None = None
    """Systemd's folder for what is added to units; `None` if no unit runs this table."""

    def own(self, name: str) -> Path:
        """A file of this table alone."""
        stem = Path(self.table_file).stem
        return self.folder / (name if self.table_file == TABLE_FILE else f"{stem}.{name}")


def judged(new: NewTable, places: Places) -> Config:
    """The table's configuration as it would be; raise `BadFileError` if it would not be valid, the guard included."""
    return load_config(places.folder / places.table_file, table_text(new, example_text(), _names(places)))


def plan(new: NewTable, places: Places, *, renew_certificate: bool = False) -> Iterator[Planned]:
    """Yield every file, in the order of writing. Existing keys and passwords are kept."""
    names = _names(places)
    example = example_text()
    if new.wire == "native" and not new.insecure:
        key = _kept(places.folder / names.shoe_key) or f"{secrets.token_hex(KEY_BYTES)}\n".encode()
        yield Planned(places.folder / names.shoe_key, key, group=TABLE_GROUP)
    seal_key = _kept(places.folder / names.seal_key) or f"{secrets.token_hex(SEAL_KEY_BYTES)}\n".encode()
    yield Planned(places.folder / names.seal_key, seal_key, group=TABLE_GROUP)
    if new.broker_host is not None:
        yield from _plan_broker(new, places, names, renew_certificate=renew_certificate)
        board = board_text(new, example, names).encode()
        yield Planned(places.folder / "board.toml", board, group=BOARD_GROUP)
        console = console_text(new, example, names).encode()
        yield Planned(places.own("console.toml"), console, group=CONSOLE_GROUP)
        witness = witness_text(new, example, names).encode()
        yield Planned(places.folder / "witness.toml", witness, group=WITNESS_GROUP)
        pit = pit_text(new, example, names).encode()
        yield Planned(places.folder / "pit.toml", pit, group=PIT_GROUP)
        archive = archive_text(new, example, names).encode()
        yield Planned(places.folder / "archive.toml", archive, group=ARCHIVE_GROUP)
        yield Planned(places.folder / names.site_people, NOBODY_YET.encode(), group=PIT_GROUP)
    if new.anchor is not None and places.units is not None:
        addition = unit_addition((places.folder / new.anchor).parent).encode()
        yield Planned(places.units / f"{_unit(places)}.d" / "anchor.conf", addition, secret=False, ours=True)
    # Last: once the table's own file is there, everything that it names is. From then on people edit it.
    if not (places.folder / places.table_file).exists():
        table = table_text(new, example, names).encode()
        yield Planned(places.folder / places.table_file, table, group=TABLE_GROUP)


def _unit(places: Places) -> str:
    stem = Path(places.table_file).stem
    return "shoe-controller.service" if places.table_file == TABLE_FILE else f"shoe-controller@{stem}.service"


def _names(places: Places) -> FileNames:
    return FileNames(
        shoe_key=places.own("shoe.key").name,
        seal_key=places.own("seal.key").name,
        table_password=places.own("mqtt.password").name,
        board_password="board.password",  # noqa: S106 - the name of a file
        console_password=places.own("console.password").name,
        witness_password="witness.password",  # noqa: S106 - the name of a file
        pit_password="pit.password",  # noqa: S106 - the name of a file
        archive_password="archive.password",  # noqa: S106 - the name of a file
        site_people=SITE_PEOPLE_FILE,
        ca="ca.pem",
    )


def _plan_broker(new: NewTable, places: Places, names: FileNames, *, renew_certificate: bool) -> Iterator[Planned]:
    passwords = {user.name: _password(places, user) for user in users_of(new)}
    for name, password in passwords.items():
        yield Planned(_password_file(places, name), f"{password}\n".encode())
    copies = (
        (names.table_password, f"table-{new.name}", TABLE_GROUP),
        (names.board_password, BOARD, BOARD_GROUP),
        (names.console_password, f"console-{new.name}", CONSOLE_GROUP),
        (names.witness_password, WITNESS, WITNESS_GROUP),
        (names.pit_password, PIT, PIT_GROUP),
        (names.archive_password, ARCHIVE, ARCHIVE_GROUP),
    )
    for file, user, group in copies:
        yield Planned(places.folder / file, f"{passwords[user]}\n".encode(), group=group)
    users = _all_users(new, places)
    listed = broker_files.users_toml((user, f"users/{user.name}.password") for user in users)
    yield Planned(places.folder / USERS_FILE, listed.encode(), ours=True)
    yield from _plan_certificates(new, places, renew_certificate=renew_certificate)
    yield from _plan_mosquitto(new, places, users, passwords)


def _plan_mosquitto(
    new: NewTable, places: Places, users: tuple[BrokerUser, ...], passwords: Mapping[str, str]
) -> Iterator[Planned]:
    there = _kept(places.broker / broker_files.PASSWORDS) or b""
    salts = {user: secrets.token_bytes(SALT_BYTES) for user in passwords}
    texts = (
        (broker_files.PASSWORDS, broker_files.password_file(there.decode(), passwords, salts)),
        (broker_files.ACCESS, access_list(new.site, users)),
    )
    for file, text in texts:
        yield Planned(places.broker / file, text.encode(), group=BROKER_GROUP, ours=True)
    # Debian's Mosquitto reads everything in conf.d; elsewhere the house must include it itself.
    read_by_itself = places.broker.parent / "conf.d"
    folder = read_by_itself if read_by_itself.is_dir() else places.broker
    configuration = broker_files.mosquitto_conf(places.broker).encode()
    yield Planned(folder / broker_files.CONFIGURATION, configuration, group=BROKER_GROUP, ours=True)


def _plan_certificates(new: NewTable, places: Places, *, renew_certificate: bool) -> Iterator[Planned]:
    authority = places.folder / "authority"
    certificate, key = _kept(places.folder / "ca.pem"), _kept(authority / "ca.key")
    if certificate is None or key is None:
        made = make_authority(f"shoe-controller of {new.site}")
    else:
        made = Made(certificate, key)
    yield Planned(authority / "ca.key", made.key)
    for file in (places.folder / "ca.pem", places.broker / broker_files.AUTHORITY):
        yield Planned(file, made.certificate, secret=False)
    shown, hidden = places.broker / broker_files.CERTIFICATE, places.broker / broker_files.KEY
    if renew_certificate or not (shown.exists() and hidden.exists()):
        broker = make_broker_certificate(
            made, _hosts(new.broker_host), key=None if renew_certificate else _kept(hidden)
        )
        yield Planned(hidden, broker.key, group=BROKER_GROUP, ours=True)
        yield Planned(shown, broker.certificate, secret=False, ours=True)


def _hosts(broker_host: str | None) -> Iterator[str]:
    """Every name of the broker: the one the tables use, and those of its own machine."""
    if broker_host is not None:
        yield broker_host
    yield from (socket.gethostname(), "localhost", "127.0.0.1", "::1")


def _all_users(new: NewTable, places: Places) -> tuple[BrokerUser, ...]:
    """The users of this table, preceded by those of existing tables."""
    file = places.folder / USERS_FILE
    known = read_names(file) if file.exists() else ()
    return tuple(dict.fromkeys([*known, *users_of(new)]))


def _password_file(places: Places, user: str) -> Path:
    return places.folder / "users" / f"{user}.password"


def _password(places: Places, user: BrokerUser) -> str:
    kept = _kept(_password_file(places, user.name))
    return password_of(secrets.token_bytes(PASSWORD_BYTES)) if kept is None else kept.decode().strip()


def _kept(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None
