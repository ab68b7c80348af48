"""The tables that a machine has already, and what a further one takes over from them or must not share with them.

They share the house: its people, its site, its broker with the certificates. A name, a shoe's port, a journal with its
anchor and the port of a console belong to one table alone.
"""

import socket
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.people import Person
from shoe_controller.config.shoe import ShoeSettings
from shoe_controller.config.strict_reading import Problem, parse_toml, read_text, read_what_fits
from shoe_controller.config.table import JournalSettings, TableSettings
from shoe_controller.config.table_file import Config, ConfigFile, load_config
from shoe_controller.setup.new_table import BOARD_PORT, CONSOLE_PORT
from shoe_controller.transports.socket_port import SOCKET_PREFIX

MOST_PORTS = 1000
"""Ports that are tried, one after another."""

USB_NUMBERS = 3
"""Parts of `usb:VENDOR:PRODUCT`, before a serial number, in which capitals count."""

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Neighbour(NamedTuple):
    """A table whose file is in the same folder."""

    file: Path
    config: Config
    table: TableSettings
    shoe: ShoeSettings

    @property
    def people(self) -> tuple[Person, ...]:
        return self.config.people


def neighbours(folder: Path) -> tuple[Neighbour, ...]:
    """The tables of this folder, `table.toml` first; raise `BadFileError` for one that cannot be read."""
    found = []
    for file, entry in _entries(folder).items():
        if entry.table is not None and entry.shoe is not None:
            config = load_config(file, guarded=False)
            if config.table is not None and config.shoe is not None:
                found.append(Neighbour(file, config, config.table, config.shoe))
    return tuple(sorted(found, key=lambda each: (each.file.name != "table.toml", each.file.name)))


def check_alone(site: str, name: str, port: str, there: Collection[Neighbour], *, publishes: bool) -> None:
    """Raise `ValueError` where the new table would take what belongs to another one."""
    for each in there:
        if publishes and each.config.mqtt is not None and each.table.site != site:
            raise ValueError(
                f"--site is {site!r}, but the broker's access list here is for the site {each.table.site!r} of "
                f"{each.file}: leave --site out, or give the other site a folder and a broker of its own"
            )
        if (each.table.site, each.table.name.casefold()) == (site, name.casefold()):
            raise ValueError(
                f"{each.file} is the table {each.table.name!r} already: give this one another name with --table"
            )
        if port and _place_of(each.shoe.address) == _place_of(port):
            raise ValueError(
                f"{port} is where the shoe of {each.table.name!r} is ({each.file}), and a shoe belongs to one table: "
                "name this table's own with --port"
            )


def check_journal_alone(journal: JournalSettings | None, there: Collection[Neighbour]) -> None:
    """Raise `ValueError` where the new table would write into what another one keeps."""
    if journal is None:
        return
    for each in there:
        kept = {} if each.config.journal is None else _kept_in(each.config.journal)
        for option, path in (("--journal", journal.file), ("--anchor", journal.anchor)):
            what = None if path is None else kept.get(path.resolve())
            if what is not None:
                raise ValueError(
                    f"{path} is the {what} of {each.table.name!r} ({each.file}), and belongs to that table alone: "
                    f"name this table's own with {option}"
                )


def _kept_in(journal: JournalSettings) -> dict[Path, str]:
    anchor = {} if journal.anchor is None else {journal.anchor.resolve(): "anchor"}
    return {journal.file.resolve(): "journal"} | anchor


def free_port(folder: Path, own: Path, usual: int) -> int:
    """The port of a table's page: as its own file says, else the first that no file has and no program listens at."""
    if own.exists():
        there = _entry(own)
        section = there.console if usual == CONSOLE_PORT else there.board
        return usual if section is None else section.port
    entries = _entries(folder).values()
    taken = {section.port for each in entries for section in (each.board, each.console) if section}
    taken |= {BOARD_PORT, CONSOLE_PORT} - {usual}
    tried = range(usual, usual + MOST_PORTS)
    return next((port for port in tried if port not in taken and not _is_taken(port)), usual)


def _entries(folder: Path) -> dict[Path, ConfigFile]:
    return {file: _entry(file) for file in sorted(folder.glob("*.toml"))}


def _entry(file: Path) -> ConfigFile:
    """What is in a configuration, right or wrong; a file of another kind comes out empty."""
    problems: list[Problem] = []
    return read_what_fits(parse_toml(str(file), read_text(file)), ConfigFile, problems) or ConfigFile()


def _place_of(address: str) -> Path | tuple[str, ...]:
    """Where an address of a shoe leads, however it is spelt."""
    if address.startswith("/"):
        return Path(address).resolve()
    if address.startswith(SOCKET_PREFIX):
        host, _, port = address.removeprefix(SOCKET_PREFIX).casefold().rpartition(":")
        return ("localhost" if host in _THIS_MACHINE else host, port.lstrip("0"))
    numbers = address.split(":", USB_NUMBERS)
    return (*map(str.casefold, numbers[:USB_NUMBERS]), *numbers[USB_NUMBERS:])


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: a connection that has just ended keeps no port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
