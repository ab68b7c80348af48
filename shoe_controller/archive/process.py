"""`shoe-controller archive`: puts the parts of an archive together and runs them."""

import asyncio
import secrets
import signal
import time
from contextlib import AbstractAsyncContextManager, suppress
from datetime import date
from pathlib import Path

from shoe_controller.archive.intake import Intake
from shoe_controller.archive.site import ArchivedSite, SetBack
from shoe_controller.archive.steps import Hole, StepQueue
from shoe_controller.archive.store import GapError
from shoe_controller.config.table_file import ArchiveConfig, load_archive
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.process import Logbook, broker_for, follow_until
from shoe_controller.postgres.connection import Connection, DatabaseLostError, connect
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier


class IntakeLog:
    """An `IntakeObserver` that writes log lines."""

    def __init__(self, log: Log, service: SystemdNotifier) -> None:
        self._log = log
        self._service = service

    def database_up(self) -> None:
        self._log.info("database_up")
        self._service.status("Storing.")

    def database_down(self, error: DatabaseLostError) -> None:
        self._log.warning("database_down", why=str(error), what="events wait in the journals of the tables")
        self._service.status(f"Not storing: {error}")

    def standing_by(self) -> None:
        self._log.info("standing_by", what="another archive stores into this database; this one takes over after it")
        self._service.status("Standing by.")

    def journal_begins(self, table: str, journal: str, have: int) -> None:
        self._log.info("journal_begins", table=table, journal=journal, have=have)

    def hole(self, hole: Hole) -> None:
        self._log.warning(
            "hole",
            journal_id=hole.journal_id,
            first=hole.first,
            last=hole.last,
            what="the table has removed these events; `archive FILE load JOURNAL` stores them from an older copy",
        )

    def set_back(self, which: SetBack) -> None:
        self._log.error(
            "journal_set_back",
            table=which.table,
            journal=which.journal,
            what="the table has fewer events than the archive, as with an older copy of its journal: what it publishes "
            "under numbers that are stored already is not stored; compare them with `archive FILE verify JOURNAL`",
        )

    def gap(self, error: GapError) -> None:
        self._log.warning("gap", why=str(error), what="what is missing is requested again")

    def month_dropped(self, month: date, events: int) -> None:
        self._log.warning("month_dropped", month=f"{month:%Y-%m}", events=events, what="older than retention_years")


def database_of(config: ArchiveConfig) -> AbstractAsyncContextManager[Connection]:
    """A new connection to the database of the file."""
    password = None if config.database_password is None else config.database_password.reveal()
    return connect(config.settings.database, password=password)


async def _serve(config: ArchiveConfig, log: Log, service: SystemdNotifier) -> None:
    settings = config.settings
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    queue, observer = StepQueue(), IntakeLog(log, service)
    site = ArchivedSite(
        settings.site,
        tables=frozenset(settings.tables),
        client=config.client,
        instance=secrets.token_hex(6),
        queue=queue,
        clock=time.monotonic,
        wall=lambda: time.time_ns() // 1_000_000,
        new_start=lambda: secrets.token_hex(4),
        set_back=observer.set_back,
    )
    intake = Intake(
        lambda: database_of(config),
        site,
        queue,
        observer=observer,
        retention_years=settings.retention_years,
        clock=time.monotonic,
    )
    client_id = f"shoe-archive-{settings.site}-{secrets.token_hex(8)}"
    password = None if config.password is None else config.password.reveal()
    follower = Follower(
        broker=broker_for(config.mqtt, client_id, config.username, password),
        followed=site,
        changed=lambda: None,
        observer=Logbook(log, service),
        clock=time.monotonic,
        will=site.will,
    )
    log.info("ready", database=settings.database)
    service.ready("Looking for broker and database.")
    try:
        await follow_until(stop, follower, service, intake.run())
    finally:
        service.stopping()
        log.info("stopped")


def run(file: Path) -> None:
    """Store the events of this file's site until a signal ends it. Errors are for the person who typed the command."""
    config = load_archive(file)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(config, set_up_process(config.log), SystemdNotifier.from_environment()))
