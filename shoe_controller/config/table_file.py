"""The one TOML file of a table, read and checked as a whole.

Everything wrong with it is reported at once, each with its place: unknown keys, wrong types, contradictions between
settings, and what the guard objects to. `docs/table.example.toml` shows every key. Each section has a module here
for its keys.

Only `[house]` is required. `for_running` checks what the daemon needs besides, and reads the secret files. The board,
the console, the witness, the pit's process and the archive need no house: what they need is read by `load_board`,
`load_console`, `load_witness`, `load_pit` and `load_archive`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from firmware_protocol.lines.cards_file import BadCardsFileError, CardIds
from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.archive import ArchiveEntry, ArchiveSettings, archive_from
from shoe_controller.config.board import BoardEntry, BoardSettings, board_from
from shoe_controller.config.console import ConsoleEntry, ConsoleSettings, console_from
from shoe_controller.config.file_kind import FileKind
from shoe_controller.config.house import HouseEntry, house_from
from shoe_controller.config.mqtt import MqttEntry, MqttSettings, mqtt_from
from shoe_controller.config.people import Person, PersonEntry, people_from
from shoe_controller.config.pit import PitEntry, PitSettings, pit_from
from shoe_controller.config.procedure import ProcedureEntry, procedure_from
from shoe_controller.config.secret_files import (
    Secret,
    SecretFileError,
    read_password,
    read_seal_key,
    read_shoe_key,
)
from shoe_controller.config.shoe import ShoeEntry, ShoeSettings, card_ids, shoe_from
from shoe_controller.config.site_people import SitePerson, read_site_people
from shoe_controller.config.strict_reading import (
    BadFileError,
    Problem,
    join_place,
    parse_toml,
    read_text,
    read_what_fits,
)
from shoe_controller.config.table import (
    JournalEntry,
    JournalSettings,
    LogEntry,
    LogSettings,
    TableEntry,
    TableSettings,
    journal_from,
    table_from,
)
from shoe_controller.config.tls_files import check_tls_files
from shoe_controller.config.witness import WitnessEntry, WitnessSettings, witness_from
from shoe_controller.house.catalogue_files import built_in_catalogue, extend
from shoe_controller.house.texts import CatalogueTexts, built_in_texts, house_text_of
from shoe_controller.messages.limits import LONGEST_SEAT, LONGEST_WAGER
from shoe_controller.table.procedure import Procedure

T = TypeVar("T")


class ConfigFile(msgspec.Struct):
    """The sections of the file. `house` may be `None` here, so that its absence hides no other problem."""

    house: HouseEntry | None = None
    procedure: ProcedureEntry = msgspec.field(default_factory=ProcedureEntry)
    table: TableEntry | None = None
    shoe: ShoeEntry | None = None
    mqtt: MqttEntry | None = None
    journal: JournalEntry = msgspec.field(default_factory=JournalEntry)
    people: tuple[PersonEntry, ...] = ()
    log: LogEntry = msgspec.field(default_factory=LogEntry)
    board: BoardEntry | None = None
    console: ConsoleEntry | None = None
    witness: WitnessEntry | None = None
    pit: PitEntry | None = None
    archive: ArchiveEntry | None = None


COUNTED_LIMIT = 0.5
"""Units that a counter may win in a shoe before `config check` warns, unless the house says otherwise."""


class Config(NamedTuple):
    """A valid configuration of a table."""

    file: Path
    house: House
    catalogue: Catalogue
    house_text: str
    catalogue_texts: CatalogueTexts
    """The texts from which `house.texts.house_from_texts` builds the same house."""
    procedure: Procedure
    table: TableSettings | None
    shoe: ShoeSettings | None
    mqtt: MqttSettings | None
    journal: JournalSettings | None
    people: tuple[Person, ...]
    log: LogSettings
    board: BoardSettings | None
    console: ConsoleSettings | None
    witness: WitnessSettings | None
    pit: PitSettings | None
    archive: ArchiveSettings | None
    counted_limit: float
    """Units that a counter may win in a shoe before `config check` warns."""


class RunningConfig(NamedTuple):
    """Everything the daemon needs, secrets included."""

    file: Path
    house: House
    catalogue: Catalogue
    house_text: str
    catalogue_texts: CatalogueTexts
    procedure: Procedure
    table: TableSettings
    shoe: ShoeSettings
    shoe_key: Secret[bytes] | None
    """`None` on wires without keys, and where the house runs without a key."""
    shoe_cards: CardIds | None
    """The cards that a reader's ids stand for; `None` on wires that name cards themselves."""
    mqtt: MqttSettings | None
    """`None` to run without a broker."""
    mqtt_password: Secret[str] | None
    journal: JournalSettings
    seal_key: Secret[bytes] | None
    """`None` where the table does not seal its messages."""
    people: tuple[Person, ...]
    log: LogSettings


class BoardConfig(NamedTuple):
    """Everything the board needs, its password included."""

    settings: BoardSettings
    mqtt: MqttSettings
    username: str | None
    """The board's user at the broker."""
    password: Secret[str] | None
    home: str | None
    """The table of the file, if it has one."""
    log: LogSettings


class ConsoleConfig(NamedTuple):
    """Everything the console needs, its password included."""

    settings: ConsoleSettings
    site: str
    table: str
    mqtt: MqttSettings
    username: str | None
    """The console's user at the broker."""
    password: Secret[str] | None
    log: LogSettings

    @property
    def client(self) -> str:
        """The client name in reply topics: the user's, so that the broker can keep each user's replies apart."""
        return self.username or "console"


class WitnessConfig(NamedTuple):
    """Everything the witness needs, its password included."""

    settings: WitnessSettings
    mqtt: MqttSettings
    username: str | None
    """The user of the witness at the broker."""
    password: Secret[str] | None
    log: LogSettings

    @property
    def client(self) -> str:
        """The client name in topics: the user's, so that the broker can keep each user's apart."""
        return self.username or "witness"


class PitConfig(NamedTuple):
    """Everything the pit's process needs, its password and the people of the site included."""

    settings: PitSettings
    people: tuple[SitePerson, ...]
    mqtt: MqttSettings
    username: str | None
    """The user of the process at the broker."""
    password: Secret[str] | None
    log: LogSettings

    @property
    def client(self) -> str:
        """The client name in topics: the user's, so that the broker can keep each user's apart."""
        return self.username or "pit"


class ArchiveConfig(NamedTuple):
    """Everything the archive needs, its passwords included."""

    settings: ArchiveSettings
    mqtt: MqttSettings
    username: str | None
    """The user of the archive at the broker."""
    password: Secret[str] | None
    database_password: Secret[str] | None
    log: LogSettings

    @property
    def client(self) -> str:
        """The client name in topics: the user's, so that the broker can keep each user's apart."""
        return self.username or "archive"


def load_config(file: Path, text: str | None = None, *, guarded: bool = True) -> Config:
    """Read a table's file; raise `BadFileError` with everything that is wrong with it.

    With `text`, as if the file said that. `guarded=False` is only for rules that the guard has passed before.
    """
    problems: list[Problem] = []
    folder = file.parent
    entry = _entry(file, text, problems)
    table = None if entry.table is None else table_from(entry.table, problems)
    shoe = None if entry.shoe is None else shoe_from(entry.shoe, folder, problems)
    mqtt = None if entry.mqtt is None else mqtt_from(entry.mqtt, folder, problems)
    journal = journal_from(entry.journal, folder, table, problems)
    people = people_from(entry.people, problems)
    procedure = procedure_from(entry.procedure, problems)
    board = None
    if entry.board is not None:
        board = board_from(entry.board, folder, None if table is None else table.site, problems)
    console = None if entry.console is None else console_from(entry.console, folder, problems)
    witness = None
    if entry.witness is not None:
        witness = witness_from(entry.witness, folder, None if table is None else table.site, problems)
    pit = None
    if entry.pit is not None:
        pit = pit_from(entry.pit, folder, None if table is None else table.site, problems)
    archive = None
    if entry.archive is not None:
        archive = archive_from(entry.archive, folder, None if table is None else table.site, problems)
    if entry.house is None:
        if not any(problem.place == "house" for problem in problems):
            problems.append(Problem("house", f"is missing: {_instead_of_table(entry)}"))
        raise BadFileError(str(file), problems)
    sources = [(folder / name, read_text(folder / name)) for name in entry.house.catalogue]
    catalogue = built_in_catalogue()
    if sources:
        catalogue = extend(catalogue, [(str(path), text) for path, text in sources])
    house = house_from(entry.house, catalogue, problems, guarded=guarded)
    if house is not None:
        problems += _not_in_requests(house)
        problems += _seats_of_nobody(house, mqtt)
    if house is None or problems:
        raise BadFileError(str(file), problems)
    return Config(
        file=file,
        house=house,
        catalogue=catalogue,
        house_text=house_text_of(entry.house),
        catalogue_texts=built_in_texts() + tuple((path.name, text) for path, text in sources),
        procedure=procedure,
        table=table,
        shoe=shoe,
        mqtt=mqtt,
        journal=journal,
        people=people,
        log=LogSettings(entry.log.level, entry.log.format),
        board=board,
        console=console,
        witness=witness,
        pit=pit,
        archive=archive,
        counted_limit=COUNTED_LIMIT if entry.house.counted_limit is None else entry.house.counted_limit,
    )


def _instead_of_table(entry: ConfigFile) -> str:
    """What to do with a file that has no rules of a house: it may be that of another program."""
    others = [name for name in ("board", "console", "witness", "pit", "archive") if getattr(entry, name) is not None]
    if entry.shoe is None and others:
        return f"this is not a table's file but one for `shoe-controller {others[0]}`; name the table's"
    return "add a [house] section with the rules of the game; docs/table.example.toml shows one"


def _not_in_requests(house: House) -> Iterator[Problem]:
    """Names that no request could hold."""
    for place, longest, names in (
        ("house.seats", LONGEST_SEAT, house.seats),
        ("house.offer", LONGEST_WAGER, house.offered),
    ):
        for name in names:
            if len(name) > longest:
                yield Problem(place, f"{name!r} must have at most {longest} characters")


def _seats_of_nobody(house: House, mqtt: MqttSettings | None) -> Iterator[Problem]:
    for user, seat in () if mqtt is None else mqtt.seat_users.items():
        if seat not in house.seats:
            yield Problem(
                join_place("mqtt.seat_users", user),
                f"there is no seat {seat!r} in house.seats: add it there, or name another",
            )


def for_running(config: Config) -> RunningConfig:
    """Return what the daemon needs, secrets read; raise `BadFileError` with all that is missing or cannot be read."""
    problems: list[Problem] = []
    for name, section in (("table", config.table), ("shoe", config.shoe)):
        if section is None:
            problems.append(Problem(name, f"is missing: a table cannot run without its [{name}] section; add it"))
    shoe_key = shoe_cards = mqtt_password = seal_key = None
    if config.journal is not None:
        seal_key = _secret("journal.seal_key_file", config.journal.seal_key_file, read_seal_key, problems)
    if config.shoe is not None:
        shoe_key = _secret("shoe.key_file", config.shoe.key_file, read_shoe_key, problems)
        shoe_cards = _shoe_cards(config.shoe, config.house.decks, problems)
    if config.mqtt is not None:
        mqtt_password = _secret("mqtt.password_file", config.mqtt.password_file, read_password, problems)
        check_tls_files("mqtt", config.mqtt.ca_file, config.mqtt.cert_file, config.mqtt.key_file, problems)
    if problems or config.table is None or config.shoe is None or config.journal is None:
        raise BadFileError(str(config.file), problems)
    return RunningConfig(
        file=config.file,
        house=config.house,
        catalogue=config.catalogue,
        house_text=config.house_text,
        catalogue_texts=config.catalogue_texts,
        procedure=config.procedure,
        table=config.table,
        shoe=config.shoe,
        shoe_key=shoe_key,
        shoe_cards=shoe_cards,
        mqtt=config.mqtt,
        mqtt_password=mqtt_password,
        journal=config.journal,
        seal_key=seal_key,
        people=config.people,
        log=config.log,
    )


def load_board(file: Path, text: str | None = None) -> BoardConfig:
    """Read what the board needs from a file: a table's, or one without a house and a table."""
    problems: list[Problem] = []
    entry, table, mqtt = _broker_and_table(file, text, problems)
    if entry.mqtt is None:
        problems.append(Problem("mqtt", "is missing: a board gets everything from the broker; add [mqtt]"))
    settings = board_from(entry.board or BoardEntry(), file.parent, None if table is None else table.site, problems)
    password = None if settings is None else _pages_password("board", settings, mqtt, problems)
    if problems or mqtt is None or settings is None:
        raise BadFileError(str(file), problems)
    return BoardConfig(
        settings=settings,
        mqtt=mqtt,
        username=settings.username or mqtt.username,
        password=password,
        home=None if table is None else table.name,
        log=LogSettings(entry.log.level, entry.log.format),
    )


def load_console(file: Path, text: str | None = None) -> ConsoleConfig:
    """Read what the console needs from a file: the table's own, or one without a house, a shoe and people."""
    problems: list[Problem] = []
    entry, table, mqtt = _broker_and_table(file, text, problems)
    if entry.table is None:
        problems.append(
            Problem("table", "is missing: a console belongs to one table; add [table] with its site and name")
        )
    if entry.mqtt is None:
        problems.append(Problem("mqtt", "is missing: a console talks to the table over the broker; add [mqtt]"))
    settings = console_from(entry.console or ConsoleEntry(), file.parent, problems)
    password = _pages_password("console", settings, mqtt, problems)
    if problems or table is None or mqtt is None:
        raise BadFileError(str(file), problems)
    return ConsoleConfig(
        settings=settings,
        site=table.site,
        table=table.name,
        mqtt=mqtt,
        username=settings.username or mqtt.username,
        password=password,
        log=LogSettings(entry.log.level, entry.log.format),
    )


def load_witness(file: Path, text: str | None = None) -> WitnessConfig:
    """Read what a witness needs from a file, which need not have anything else."""
    problems: list[Problem] = []
    entry, table, mqtt = _broker_and_table(file, text, problems)
    if entry.mqtt is None:
        problems.append(Problem("mqtt", "is missing: a witness gets everything from the broker; add [mqtt]"))
    site = None if table is None else table.site
    settings = witness_from(entry.witness or WitnessEntry(), file.parent, site, problems)
    password = None
    if mqtt is not None and settings is not None:
        own = settings.username is not None
        place, secret = ("witness", settings.password_file) if own else ("mqtt", mqtt.password_file)
        password = _secret(f"{place}.password_file", secret, read_password, problems)
        check_tls_files("mqtt", mqtt.ca_file, mqtt.cert_file, mqtt.key_file, problems)
    if problems or mqtt is None or settings is None:
        raise BadFileError(str(file), problems)
    return WitnessConfig(
        settings=settings,
        mqtt=mqtt,
        username=settings.username or mqtt.username,
        password=password,
        log=LogSettings(entry.log.level, entry.log.format),
    )


def load_pit(file: Path, text: str | None = None) -> PitConfig:
    """Read what the pit's process needs from a file, which need not have anything else."""
    problems: list[Problem] = []
    entry, table, mqtt = _broker_and_table(file, text, problems)
    if entry.mqtt is None:
        problems.append(Problem("mqtt", "is missing: the pit's process gets everything from the broker; add [mqtt]"))
    site = None if table is None else table.site
    settings = pit_from(entry.pit or PitEntry(), file.parent, site, problems)
    password, people = None, tuple[SitePerson, ...]()
    if settings is not None:
        password = _pages_password("pit", settings, mqtt, problems)
        try:
            people = read_site_people(settings.people_file)
        except BadFileError as error:
            problems += (Problem("pit.people_file", f"{error.file}: {each}") for each in error.problems)
    if problems or mqtt is None or settings is None:
        raise BadFileError(str(file), problems)
    return PitConfig(
        settings=settings,
        people=people,
        mqtt=mqtt,
        username=settings.username or mqtt.username,
        password=password,
        log=LogSettings(entry.log.level, entry.log.format),
    )


def load_archive(file: Path, text: str | None = None) -> ArchiveConfig:
    """Read what the archive needs from a file, which need not have anything else."""
    problems: list[Problem] = []
    entry, table, mqtt = _broker_and_table(file, text, problems)
    if entry.mqtt is None:
        problems.append(Problem("mqtt", "is missing: an archive gets everything from the broker; add [mqtt]"))
    site = None if table is None else table.site
    settings = archive_from(entry.archive or ArchiveEntry(), file.parent, site, problems)
    password = database_password = None
    if settings is not None:
        place = "archive.database_password_file"
        database_password = _secret(place, settings.database_password_file, read_password, problems)
    if mqtt is not None and settings is not None:
        own = settings.username is not None
        place, secret = ("archive", settings.password_file) if own else ("mqtt", mqtt.password_file)
        password = _secret(f"{place}.password_file", secret, read_password, problems)
        check_tls_files("mqtt", mqtt.ca_file, mqtt.cert_file, mqtt.key_file, problems)
    if problems or mqtt is None or settings is None:
        raise BadFileError(str(file), problems)
    return ArchiveConfig(
        settings=settings,
        mqtt=mqtt,
        username=settings.username or mqtt.username,
        password=password,
        database_password=database_password,
        log=LogSettings(entry.log.level, entry.log.format),
    )


OtherConfig = BoardConfig | ConsoleConfig | WitnessConfig | PitConfig | ArchiveConfig
"""What a file holds that is no table's."""

LOADERS: dict[FileKind, Callable[[Path, str | None], OtherConfig]] = {
    FileKind.BOARD: load_board,
    FileKind.CONSOLE: load_console,
    FileKind.WITNESS: load_witness,
    FileKind.PIT: load_pit,
    FileKind.ARCHIVE: load_archive,
}
"""What reads the files that are no table's, or checks such a text as if the file said that."""


def _entry(file: Path, text: str | None, problems: list[Problem]) -> ConfigFile:
    plain = parse_toml(str(file), read_text(file) if text is None else text)
    return read_what_fits(plain, ConfigFile, problems) or ConfigFile()


def _broker_and_table(
    file: Path, text: str | None, problems: list[Problem]
) -> tuple[ConfigFile, TableSettings | None, MqttSettings | None]:
    entry = _entry(file, text, problems)
    table = None if entry.table is None else table_from(entry.table, problems)
    mqtt = None if entry.mqtt is None else mqtt_from(entry.mqtt, file.parent, problems)
    return entry, table, mqtt


def _pages_password(
    section: str,
    settings: BoardSettings | ConsoleSettings | PitSettings,
    mqtt: MqttSettings | None,
    problems: list[Problem],
) -> Secret[str] | None:
    """The password for the broker: the section's own, else the table's. Certificates and keys are checked too."""
    password = None
    if mqtt is not None:
        own = settings.username is not None
        place, file = (section, settings.password_file) if own else ("mqtt", mqtt.password_file)
        password = _secret(f"{place}.password_file", file, read_password, problems)
        check_tls_files("mqtt", mqtt.ca_file, mqtt.cert_file, mqtt.key_file, problems)
    check_tls_files(section, None, settings.cert_file, settings.key_file, problems)
    return password


def _secret(place: str, file: Path | None, reader: Callable[[Path], T], problems: list[Problem]) -> T | None:
    if file is None:
        return None
    try:
        return reader(file)
    except SecretFileError as error:
        problems.append(Problem(place, str(error)))
        return None


def _shoe_cards(shoe: ShoeSettings, decks: int, problems: list[Problem]) -> CardIds | None:
    try:
        return None if shoe.lines is None else card_ids(shoe.lines, decks)
    except BadCardsFileError as error:
        problems.append(Problem("shoe.cards_files", str(error)))
        return None
