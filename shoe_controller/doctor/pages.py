"""Checks of a file that is no table's: itself, its secrets, the broker, the tables it follows, its database."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from shoe_controller.config.archive import ArchiveSettings
from shoe_controller.config.board import BoardSettings
from shoe_controller.config.file_kind import kind_of
from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.pit import PitSettings
from shoe_controller.config.site_people import SiteRole
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import LOADERS, ArchiveConfig, ConsoleConfig, OtherConfig, PitConfig
from shoe_controller.config.witness import WitnessSettings
from shoe_controller.doctor.broker import connection, judge_certificate, sentence
from shoe_controller.doctor.broker_advice import to_do_about
from shoe_controller.doctor.configuration import NO_CONFIGURATION, files_of_mqtt, judge_files, problems_of
from shoe_controller.doctor.findings import Finding, Patient, good, not_looked, problem
from shoe_controller.doctor.rights import quoted
from shoe_controller.follow.in_sight import LISTINGS, listed, read_all
from shoe_controller.messages.topics import ANY, Topics
from shoe_controller.mqtt.broker import BrokerError, BrokerSession


async def look_at_configuration(patient: Patient) -> list[Finding]:
    kind = kind_of(patient.file)
    try:
        patient.pages = LOADERS[kind](patient.file, None)
    except BadFileError as error:
        return problems_of(error)
    return good(f"{patient.file} is good for `shoe-controller {kind.value}`, and its secret files can be used")


async def look_at_files(patient: Patient) -> list[Finding]:
    if patient.pages is None:
        return not_looked(NO_CONFIGURATION)
    return judge_files(patient, list(_files_of(patient.file, patient.pages)), has_people=False)


async def look_at_broker(patient: Patient) -> list[Finding]:
    config = patient.pages
    if config is None:
        return not_looked(NO_CONFIGURATION)
    try:
        async with _connected(config):
            patient.broker_ready = True
    except BrokerError as error:
        return problem(sentence(error), to_do_about(error, _as_this_user(config)))
    who = "an anonymous client" if config.username is None else f"the user {config.username}"
    return good(f"the broker at {config.mqtt.host}:{config.mqtt.port} accepts {who}")


async def look_at_certificate(patient: Patient) -> list[Finding]:
    if patient.pages is None:
        return not_looked(NO_CONFIGURATION)
    return await judge_certificate(patient.pages.mqtt, patient)


async def look_at_tables(patient: Patient) -> list[Finding]:
    """Whether something is retained of every table that is followed; what else there is comes from the same broker."""
    config = patient.pages
    if config is None or not patient.broker_ready:
        return not_looked("the broker cannot be reached, see above")
    site, names = _followed(config)
    statuses = tuple(Topics(site, name).status for name in names or (ANY,))
    try:
        async with _connected(config, *statuses) as session:
            found = {message.topic for message in await read_all(session) if message.payload}
        missing = [f"{site}/{name}" for name in names if Topics(site, name).status not in found]
        if not names and not found:
            missing = [f"any table of site {site}"]
        if not missing:
            return good(f"{len(found)} of the tables that are followed have published a status here")
        async with _connected(config, LISTINGS) as session:
            there = listed(await read_all(session))
    except BrokerError as error:
        return problem(sentence(error))
    what = f"nothing has been received from {', '.join(missing)}"
    if there:
        return problem(f"{what}; this broker shows this user {', '.join(there)}")
    return problem(
        f"{what}, and this broker shows this user no other table",
        "Start the table, or correct the site and the tables in the file, or the user's rights in the access list.",
    )


async def look_at_people(patient: Patient) -> list[Finding]:
    """Whether the file of the site's people names somebody for the pit; that it can be used, the first check says."""
    config = patient.pages
    if not isinstance(config, PitConfig):
        return not_looked(NO_CONFIGURATION)
    file = config.settings.people_file
    pit = [person.id for person in config.people if SiteRole.PIT in person.roles]
    if not pit:
        return problem(
            f"{file} names nobody with the role pit: nobody may sign in at the page",
            f"Add a person, with that person's own id and name: `sudo shoe-controller config person add "
            f"{quoted([file])} --pit rana='B. Rana'`, and restart the service.",
        )
    return good(f"{len(pit)} may sign in at the pit's page: {', '.join(pit)}")


async def look_at_database(patient: Patient) -> list[Finding]:
    """Whether the archive's database takes its user, and has its schema; nothing is changed."""
    # No other file's doctor should wait for PostgreSQL's library.
    from shoe_controller.archive.migrate import what_is_missing  # noqa: PLC0415 - see above
    from shoe_controller.postgres.connection import DatabaseError, connect  # noqa: PLC0415 - see above

    config = patient.pages
    if not isinstance(config, ArchiveConfig):
        return not_looked(NO_CONFIGURATION)
    password = None if config.database_password is None else config.database_password.reveal()
    try:
        async with connect(config.settings.database, password=password) as connection:
            wrong = await what_is_missing(connection)
    except DatabaseError as error:
        return problem(f"{config.settings.database}: {error}")
    if wrong:
        return problem(wrong)
    return good(f"{config.settings.database} takes this user, and what the archive needs is there")


def _followed(config: OtherConfig) -> tuple[str, tuple[str, ...]]:
    """The site, and the tables of it that must be there; none where all are followed."""
    if isinstance(config, ConsoleConfig):
        return config.site, (config.table,)
    settings = config.settings
    tables = settings.tables if isinstance(settings, BoardSettings | PitSettings | ArchiveSettings) else ()
    return config.settings.site, tables


def _connected(config: OtherConfig, *subscriptions: str) -> AbstractAsyncContextManager[BrokerSession]:
    password = None if config.password is None else config.password.reveal()
    return connection(config.mqtt, subscriptions, config.username, password)


def _as_this_user(config: OtherConfig) -> MqttSettings:
    """The broker's settings with the user and the password that the program connects with."""
    own = config.settings.username is not None
    password_file = config.settings.password_file if own else config.mqtt.password_file
    return config.mqtt._replace(username=config.username, password_file=password_file)


def _files_of(file: Path, config: OtherConfig) -> Iterator[Path]:
    yield file
    yield from files_of_mqtt(config.mqtt)
    settings = config.settings
    pages = () if isinstance(settings, WitnessSettings | ArchiveSettings) else (settings.cert_file, settings.key_file)
    people: tuple[Path | None, ...] = (settings.people_file,) if isinstance(settings, PitSettings) else ()
    if isinstance(settings, ArchiveSettings):
        people = (settings.database_password_file,)
    yield from (each for each in (settings.password_file, *people, *pages) if each is not None)
