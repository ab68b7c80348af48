"""What a person decides about a new table, and the configuration files made from it. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shoe_controller.config.shoe import Wire
from shoe_controller.messages.acts import Role
from shoe_controller.setup.access_list import BrokerRole, BrokerUser
from shoe_controller.setup.template import Template, as_toml

TABLE_SECTIONS = ("house", "procedure", "table", "shoe", "mqtt", "journal", "log")

BOARD = "board"
"""The user that serves all tables of a site."""

WITNESS = "witness"
"""The user that watches the journals of all tables of a site."""

PIT = "pit"
"""The user that follows all tables of a site for the pit alone."""

ARCHIVE = "archive"
"""The user that follows all tables of a site, and stores their events."""

BOARD_PORT, CONSOLE_PORT = 8080, 8081
"""Where pages are served if nothing else is."""

CARDS_FILE = "cards.jsonl"
"""Which card each id is, where a reader sends ids; `cards learn` makes it."""

_IN_USER_NAME = re.compile(r"[A-Za-z0-9_-]+")


class NewPerson(NamedTuple):
    id: str
    name: str
    role: Role
    pin_hash: str


class NewTable(NamedTuple):
    site: str
    name: str
    title: str
    currency: str
    wire: Wire
    port: str
    insecure: bool
    base_game: str
    decks: int
    layout: str
    offer: tuple[str, ...]
    seats: tuple[str, ...]
    least: int
    most: int
    broker_host: str | None
    """`None` for a table without a broker."""
    journal: str | None
    """`None` for the default path."""
    anchor: str | None
    """`None` for the default path."""
    people: tuple[NewPerson, ...]
    seat_users: Mapping[str, str]
    """Users that may bet for one seat alone, each with that seat."""
    bets_button: bool = False
    """The shoe has a button for "no more bets"."""
    broker_port: int | None = None
    """`None` for the usual one."""
    board_port: int = BOARD_PORT
    console_port: int = CONSOLE_PORT

    @property
    def has_console(self) -> bool:
        """A console is set up for every table that has a broker."""
        return self.broker_host is not None


def seat_users_of(table: str, seats: Iterable[str]) -> dict[str, str]:
    """A user for each seat, which can bet for that seat alone; `ValueError` where a seat cannot be in a user's name."""
    unfit = [seat for seat in seats if not _IN_USER_NAME.fullmatch(seat)]
    if unfit:
        names = ", ".join(map(repr, unfit))
        raise ValueError(f"a user for each seat needs names of letters, digits, - and _, and these are not: {names}")
    return {f"seat-{seat}-{table}": seat for seat in seats}


def users_of(new: NewTable) -> tuple[BrokerUser, ...]:
    """The users that a table needs at the broker."""
    return (
        BrokerUser(f"table-{new.name}", BrokerRole.TABLE, new.name),
        BrokerUser(BOARD, BrokerRole.DISPLAY),
        BrokerUser(f"seats-{new.name}", BrokerRole.WAGERS, new.name),
        *(BrokerUser(user, BrokerRole.WAGERS, new.name) for user in new.seat_users),
        BrokerUser(f"dealer-{new.name}", BrokerRole.DEALER, new.name),
        BrokerUser(f"supervisor-{new.name}", BrokerRole.SUPERVISOR, new.name),
        BrokerUser(f"console-{new.name}", BrokerRole.CONSOLE, new.name),
        BrokerUser(WITNESS, BrokerRole.WITNESS),
        BrokerUser(PIT, BrokerRole.PIT),
        BrokerUser(ARCHIVE, BrokerRole.ARCHIVE),
    )


def table_text(new: NewTable, example: str, files: "FileNames") -> str:
    """Return the table's own file: the example with this table's values, complete and commented."""
    template = Template(example)
    _fill_house(template, new)
    _fill_procedure(template, new)
    _fill_table(template, new)
    template.section("procedure").put("finished_round", "two_supervisors")
    shoe = template.section("shoe")
    shoe.put("wire", new.wire)
    shoe.put("port", new.port)
    shoe.leave_out("key_file")
    if new.wire == "native" and new.insecure:
        shoe.put("insecure", value=True)
    elif new.wire == "native":
        shoe.put("key_file", files.shoe_key)
    elif new.wire == "lines":
        shoe.put("cards_files", [CARDS_FILE])
    journal = template.section("journal")
    if new.journal is None:
        journal.leave_out("file")
    else:
        journal.put("file", new.journal)
    if new.anchor is not None:
        journal.put("anchor", new.anchor)
    journal.put("seal_key_file", files.seal_key)
    sections = [name for name in TABLE_SECTIONS if name != "mqtt" or new.broker_host is not None]
    if new.broker_host is not None:
        _fill_mqtt(template, new, f"table-{new.name}", files.table_password, files.ca)
        if new.seat_users:
            template.section("mqtt").put("seat_users", dict(new.seat_users))
    head = (
        f"# The configuration of table {new.site}/{new.name}. Every key is shown; those with a default say so.\n"
        "# Check it with: shoe-controller doctor FILE. All amounts are in whole minor units (cents).\n"
    )
    return "\n".join([head, template.text(*sections), *(_person(each) for each in new.people)])


def board_text(new: NewTable, example: str, files: "FileNames") -> str:
    """Return the file of the results boards; it contains nothing that a board may not know."""
    template = Template(example)
    _fill_mqtt(template, new, None, None, files.ca)
    board = template.section("board")
    board.put("site", new.site)
    board.put("port", new.board_port)
    board.put("username", BOARD)
    board.put("password_file", files.board_password)
    head = f"# The results boards of site {new.site}: shoe-controller board FILE.\n"
    return f"{head}\n{template.text('mqtt', 'board')}"


def console_text(new: NewTable, example: str, files: "FileNames") -> str:
    template = Template(example)
    _fill_table(template, new)
    _fill_mqtt(template, new, None, None, files.ca)
    console = template.section("console")
    console.put("port", new.console_port)
    console.put("username", f"console-{new.name}")
    console.put("password_file", files.console_password)
    head = f"# The console of table {new.site}/{new.name}: shoe-controller console FILE.\n"
    return f"{head}\n{template.text('table', 'mqtt', 'console')}"


def witness_text(new: NewTable, example: str, files: "FileNames") -> str:
    """Return the file of the witness; nothing in it is worth stealing but its password for the broker."""
    template = Template(example)
    _fill_mqtt(template, new, None, None, files.ca)
    witness = template.section("witness")
    witness.put("site", new.site)
    witness.leave_out("file")
    witness.put("username", WITNESS)
    witness.put("password_file", files.witness_password)
    head = f"# The witness of site {new.site}: shoe-controller witness FILE. Best on a machine that is no table's.\n"
    return f"{head}\n{template.text('mqtt', 'witness')}"


def pit_text(new: NewTable, example: str, files: "FileNames") -> str:
    """Return the file of the pit's process; the people of the site are in a file of their own."""
    template = Template(example)
    _fill_mqtt(template, new, None, None, files.ca)
    pit = template.section("pit")
    pit.put("site", new.site)
    pit.leave_out("tables", "file")
    pit.put("people_file", files.site_people)
    pit.put("username", PIT)
    pit.put("password_file", files.pit_password)
    head = f"# Live edges and alarms of site {new.site}, for the pit alone: shoe-controller pit FILE.\n"
    return f"{head}\n{template.text('mqtt', 'pit')}"


def archive_text(new: NewTable, example: str, files: "FileNames") -> str:
    """Return the file of the archive, with a database on its own machine."""
    template = Template(example)
    _fill_mqtt(template, new, None, None, files.ca)
    archive = template.section("archive")
    archive.put("site", new.site)
    archive.leave_out("tables", "database_password_file")
    archive.put("username", ARCHIVE)
    archive.put("password_file", files.archive_password)
    head = f"# The archive of site {new.site} in PostgreSQL: shoe-controller archive FILE. Not on a table's machine.\n"
    return f"{head}\n{template.text('mqtt', 'archive')}"


class FileNames(NamedTuple):
    """Paths of the files that the configurations name, as written there."""

    shoe_key: str
    seal_key: str
    table_password: str
    board_password: str
    console_password: str
    witness_password: str
    pit_password: str
    archive_password: str
    site_people: str
    ca: str


def _fill_house(template: Template, new: NewTable) -> None:
    house = template.section("house")
    for key in ("base_game", "decks", "layout", "offer", "seats"):
        house.put(key, getattr(new, key))
    house.put("needs_base", [])
    for name in ("house.pay_tables", "house.round_limit", "house.rounding", "house.commission"):
        section = template.section(name)
        section.lines[:] = [line if line.startswith("#") or not line else f"# {line}" for line in section.lines]
    limits = template.section("house.limits")
    limits.put("all", {"min": new.least, "max": new.most})
    limits.leave_out("base", "base.tie")


def _fill_procedure(template: Template, new: NewTable) -> None:
    """The strictest choices that the equipment of the table allows."""
    procedure = template.section("procedure")
    procedure.put("bets_close", "dealer" if new.has_console or new.bets_button else "first_card")
    procedure.put("dealer_signs_in", new.has_console)
    procedure.put("new_dealer_burns", new.has_console)
    procedure.put("remainder", "counted" if new.has_console else "not_counted")


def _fill_table(template: Template, new: NewTable) -> None:
    table = template.section("table")
    table.put("site", new.site)
    table.put("name", new.name)
    table.put("title", new.title)
    table.put("currency", new.currency)
    table.leave_out("headline")


def _fill_mqtt(template: Template, new: NewTable, user: str | None, password: str | None, ca: str) -> None:
    mqtt = template.section("mqtt")
    mqtt.put("host", new.broker_host or "127.0.0.1")
    if new.broker_port is not None:
        mqtt.put("port", new.broker_port)
    mqtt.put("ca_file", ca)
    if user is None or password is None:
        mqtt.leave_out("username", "password_file")
    else:
        mqtt.put("username", user)
        mqtt.put("password_file", password)


def _person(person: NewPerson) -> str:
    lines = (("id", person.id), ("name", person.name), ("role", person.role.value), ("pin", person.pin_hash))
    return "\n".join(["[[people]]", *(f"{key} = {as_toml(value)}" for key, value in lines), ""])
