"""Brings what waits into the database, over one connection at a time, which also holds the lock of the archive.

Two archives on one database are one that stores and one that waits: the lock belongs to the connection that stores, so
that whoever loses it stores nothing more. While the database is away, full or slow, steps wait, up to the bound of
their queue; and after it has come back, its own positions say where each journal goes on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import date
from typing import Protocol

from shoe_controller.archive.migrate import prepare
from shoe_controller.archive.site import ArchivedSite
from shoe_controller.archive.steps import Hole, StepQueue
from shoe_controller.archive.store import GapError, Store
from shoe_controller.postgres.connection import Connection, DatabaseLostError

FIRST_RETRY, LAST_RETRY = 0.25, 8.0
"""Seconds between attempts to reach the database."""

LOCK = 0x5_40E_A2C_001
"""The advisory lock of the archive that stores."""

LOOK_FOR_LOCK = 1.0
"""Seconds between two looks of one that stands by."""

STEPS_AT_ONCE, BYTES_AT_ONCE = 5000, 8 * 1024 * 1024
"""What is stored in one transaction, at most."""

IDLE = 2.0
"""Seconds without anything to store after which the connection is tried."""

RETENTION_EVERY = 6 * 3600.0
"""Seconds between two looks for months that are older than the house keeps them."""


async def take_lock(connection: Connection) -> bool:
    """Whether this connection is the one that stores, from now on until it is closed."""
    return bool((await connection.fetch("SELECT pg_try_advisory_lock($1)", LOCK))[0][0])


class IntakeObserver(Protocol):
    """Is notified of what a person should know."""

    def database_up(self) -> None: ...

    def database_down(self, error: DatabaseLostError) -> None:
        """Called once for each outage."""

    def standing_by(self) -> None:
        """Another archive stores into this database."""

    def journal_begins(self, table: str, journal: str, have: int) -> None:
        """A journal is followed from this position."""

    def hole(self, hole: Hole) -> None:
        """A table does not have these events any more."""

    def gap(self, error: GapError) -> None:
        """The database is not where it was thought to be, as after it was restored; what is missing comes again."""

    def month_dropped(self, month: date, events: int) -> None: ...


class Intake:
    def __init__(  # noqa: PLR0913 - the parts of an intake, each given by name
        self,
        connect: Callable[[], AbstractAsyncContextManager[Connection]],
        site: ArchivedSite,
        queue: StepQueue,
        *,
        observer: IntakeObserver,
        retention_years: int,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """With 0 `retention_years`, nothing is ever dropped."""
        self._connect = connect
        self._site = site
        self._queue = queue
        self._observer = observer
        self._retention_years = retention_years
        self._clock = clock
        self._sleep = sleep
        self._is_up = False

    async def run(self) -> None:
        """Store until cancelled; `DatabaseError` where a person must act."""
        delay, reported = FIRST_RETRY, False
        while True:
            try:
                async with self._connect() as connection:
                    await self._serve(connection)
            except DatabaseLostError as error:
                if self._is_up or not reported:
                    self._observer.database_down(error)
                reported = True
                delay = FIRST_RETRY if self._is_up else min(delay * 2, LAST_RETRY)
            finally:
                self._is_up = False
                self._site.works(storing=False)
            await self._sleep(delay)

    async def _serve(self, connection: Connection) -> None:
        await prepare(connection)
        await self._take_lock(connection)
        store = Store(connection)
        await self._resume(store)
        self._is_up = True
        self._observer.database_up()
        self._site.works(storing=True)
        retention_at = self._clock()
        while True:
            if self._retention_years and self._clock() >= retention_at:
                retention_at = self._clock() + RETENTION_EVERY
                for month, events in await store.drop_months(await store.keeps_from(self._retention_years)):
                    self._observer.month_dropped(month, events)
            await self._look_up(store)
            if not await self._store_some(store):
                await self._queue.stirred(IDLE)
                if not len(self._queue):
                    await connection.fetch("SELECT 1")

    async def _take_lock(self, connection: Connection) -> None:
        is_waiting = False
        while not await take_lock(connection):
            if not is_waiting:
                is_waiting = True
                self._observer.standing_by()
                self._site.works(storing=False, standby=True)
            await self._sleep(LOOK_FOR_LOCK)

    async def _resume(self, store: Store) -> None:
        stored = await store.positions()
        self._queue.keep_what_follows(stored)
        self._site.resume(stored, self._queue.positions())

    async def _look_up(self, store: Store) -> None:
        """Journals that have appeared get a row, and their positions are looked up."""
        unknown = self._site.unknown()
        waiting = self._queue.positions() if unknown else {}
        for which in unknown:
            journal_id, have = await store.journal(self._site.site, which.table, which.journal)
            self._observer.journal_begins(which.table, which.journal, have)
            position = max(have, waiting.get(journal_id, 0))
            self._site.position_known(which, journal_id, position, have)

    async def _store_some(self, store: Store) -> bool:
        """Store what comes next in the queue; whether there was anything."""
        batch = self._queue.first(STEPS_AT_ONCE, BYTES_AT_ONCE)
        if not batch:
            return False
        try:
            stored = await store.store(batch, self._site.newest())
        except GapError as error:
            self._observer.gap(error)
            await self._resume(store)
            return True
        self._queue.stored(len(batch))
        self._site.stored(stored.have)
        for step in batch:
            if isinstance(step, Hole):
                self._observer.hole(step)
        return True
