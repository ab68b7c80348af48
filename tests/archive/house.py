"""A table, its broker, a database and an archive, each a process of its own; and whether the archive is complete."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from shoe_controller.archive.journal_file import JournalFile, compare
from shoe_controller.daemon.published import PublishedEvents
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.archive import ArchiveMessage
from shoe_controller.messages.topics import archive_topic
from shoe_controller.postgres.connection import connect
from tests.daemon.clients import Heard, MqttClient, Visitor
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, write_secret
from tests.daemon.programs import PATIENCE, Program
from tests.doctor.guarded_broker import as_the_table, guarded_settings, password_of
from tests.witness.house import as_toml_file

USER = "archive"


class Presences(MqttClient):
    """What archives publish of themselves."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__(visitor, archive_topic(SITE, "+"))
        self.all: list[ArchiveMessage] = []

    def heard(self, message: Heard) -> None:
        self.all.append(msgspec.json.decode(message.payload, type=ArchiveMessage))

    @property
    def now(self) -> ArchiveMessage:
        return self.all[-1] if self.all else ArchiveMessage(online=False, start="", time=0)


class Journal(NamedTuple):
    """What the database says of a journal, and its file."""

    id: int
    journal: str
    have: int
    state: str


class ArchiveHouse:
    def __init__(self, chain: Chain, database: str) -> None:
        self.chain = chain
        self.database = database
        self.archive = self.another("archive")
        self.programs = [self.archive]

    def another(self, name: str) -> Program:
        """An archive with the same user and the same database."""
        folder = self.chain.folder
        settings: dict[str, Any] = {
            "site": SITE,
            "database": self.database,
            "username": USER,
            "password_file": str(write_secret(folder / "archive.password", password_of(USER))),
        }
        config = {
            "mqtt": {"host": "127.0.0.1", "port": self.chain.broker.port},
            "archive": settings,
            "log": {"format": "json"},
        }
        self.file = write_secret(folder / f"{name}.toml", as_toml_file(config))
        return Program("shoe-controller", "archive", str(self.file), log=folder / f"{name}.log")

    async def journals(self) -> list[Journal]:
        async with connect(self.database) as connection:
            rows = await connection.fetch("SELECT id, journal, have, state FROM archive.journal ORDER BY id")
        return [Journal(*row) for row in rows]

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        async with connect(self.database) as connection:
            return [tuple(row) for row in await connection.fetch(query)]

    async def differences(self, *journals: Path) -> list[str]:
        """What differs between the archive and these files."""
        wrong = []
        for path in journals or (self.chain.journal,):
            with JournalReader(path) as reader:
                async with connect(self.database) as connection:
                    file = JournalFile(reader, PublishedEvents(reader).events)
                    found = await compare(connection, file)
                assert found.events or found.differences or not file.last, "nothing was compared"
            wrong += found.differences
        return wrong

    async def is_complete(self, *journals: Path, within: float = PATIENCE) -> None:
        """Wait until everything is stored, and see that it is the same."""
        last = 0
        for path in journals or (self.chain.journal,):
            with JournalReader(path) as reader:
                last += reader.position().last_seq
        await self.stored(last, within)
        assert await self.differences(*journals) == []

    async def has_all_of(self, journal: Path, within: float = PATIENCE) -> None:
        """Wait until nothing of a journal is missing, however it came."""
        with JournalReader(journal) as reader:
            name, last = reader.identity.journal_id, reader.position().last_seq
        async with asyncio.timeout(within):
            while not any(each.journal == name and each.have >= last for each in await self.journals()):  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.05)

    async def stored(self, count: int, within: float = PATIENCE) -> None:
        """Wait until the positions of all journals come to so many events."""
        have: object = None
        try:
            async with asyncio.timeout(within):
                while True:
                    have = await self._sum()
                    if have >= count:
                        return
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"waited {within:g} s for {count} events in the archive, which has {have}") from None

    async def _sum(self) -> int:
        async with connect(self.database) as connection:
            try:
                rows: Sequence[Any] = await connection.fetch(
                    "SELECT coalesce(sum(have), 0)::bigint FROM archive.journal"
                )
            except Exception:  # noqa: BLE001 - there is no schema yet
                return 0
        return int(rows[0][0])


@asynccontextmanager
async def archive_house(folder: Path, database: str, **options: Any) -> AsyncIterator[ArchiveHouse]:  # noqa: ANN401 - of Chain
    guarded = folder / "guarded"
    guarded.mkdir()
    async with Chain(folder, broker_settings=guarded_settings(guarded), mqtt=as_the_table(folder), **options) as chain:
        made = ArchiveHouse(chain, database)
        try:
            yield made
        finally:
            for program in made.programs:
                await program.kill()
                print(program.output[-6000:])  # noqa: T201 - for whoever reads the failure


@asynccontextmanager
async def presences(house: ArchiveHouse) -> AsyncIterator[Presences]:
    visitor = Visitor("pit", house.chain.broker.port, username="pit", password=password_of("pit"))
    async with Presences(visitor) as made:
        yield made
