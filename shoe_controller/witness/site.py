"""All tables of a site: sorts messages by their topics, and writes every line before anything is published."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import msgspec

from shoe_controller.follow.table import Request, reply_topic
from shoe_controller.messages.topics import ANY, RESERVED_TABLES, Topics, witness_topic
from shoe_controller.messages.witness import WitnessMessage
from shoe_controller.mqtt.broker import BrokerSession, Incoming
from shoe_controller.process.lines_file import Started
from shoe_controller.witness.judgement import Judgement
from shoe_controller.witness.lines import AlarmRaised, AnyLine
from shoe_controller.witness.lines_file import LinesFile
from shoe_controller.witness.table import CHECKPOINT, WatchedTable

MOST_TABLES = 1000
"""More than any site has; messages of further ones are ignored, so that they cannot fill the memory."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")

_read_own = msgspec.json.Decoder(WitnessMessage).decode


class AlarmObserver(Protocol):
    def alarm(self, line: AlarmRaised) -> None:
        """An alarm is in the file."""

    def file_failed(self, error: OSError) -> None:
        """A line could not be written; the process must end, and read its file anew when it is started again."""


class WitnessedSite:
    """A `Followed`: the tables of a site, and the file of the witness."""

    def __init__(  # noqa: PLR0913 - the parts of a witness, each given by name
        self,
        site: str,
        *,
        client: str,
        instance: str,
        file: LinesFile,
        heads_every: int,
        observer: AlarmObserver,
        clock: Callable[[], float],
        wall: Callable[[], int],
    ) -> None:
        """`client` is our user name at the broker, `instance` unlike that of any other start of this program.

        `clock` only goes forward, in seconds; `wall` is in milliseconds since 1970.
        """
        self._site = site
        self._client = client
        self._instance = instance
        self._file = file
        self._heads_every = heads_every
        self._observer = observer
        self._clock = clock
        self._wall = wall
        self._all = Topics(site, ANY)
        self._prefix = self._all.prefix.removesuffix(ANY)
        self._own_prefix = witness_topic(site, client, "")
        self._tables: dict[str, WatchedTable] = {}
        self._session: BrokerSession | None = None
        self._published: dict[str, bytes] = {}

    def begin(self, version: str, acknowledged: int) -> int:
        """Take up what is in the file, and write that the witness was started; returns the bytes that were torn."""
        for line in self._file.restored():
            self._remember(line)
        started = self._file.start(version, acknowledged, self._wall())
        self._remember(started)
        return started.torn

    def end(self) -> None:
        """Write what still waits."""
        for table in self._tables.values():
            self._write(table, table.judgement.heads_now())

    # --- Followed ----------------------------------------------------------------------------------------------------

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return (
            self._all.status,
            self._all.event(CHECKPOINT),
            reply_topic(self._all, self._client, self._instance),
            f"{self._own_prefix}{ANY}",
        )

    def broker_up(self, session: BrokerSession) -> None:
        self._session = session
        self._published.clear()
        for table in self._tables.values():
            table.broker_up(self._clock())

    def broker_down(self) -> None:
        self._session = None

    def receive(self, message: Incoming, now: float) -> None:
        if message.topic.startswith(self._own_prefix):
            self._compare_own(message)
            return
        name, _, below = message.topic.removeprefix(self._prefix).partition("/")
        table = self._table(name)
        if not message.topic.startswith(self._prefix) or table is None or not message.payload:
            return
        wall = self._wall()
        self._write(table, table.receive(below, message.payload, retained=message.retain, now=now, wall=wall))

    def requests(self, now: float) -> Iterator[Request]:
        for table in self._tables.values():
            self._write(table, table.look(now, self._wall()))
            self._publish(table)
            request = table.request(now)
            if request is not None:
                yield request

    # --- lines and messages ------------------------------------------------------------------------------------------

    def _compare_own(self, message: Incoming) -> None:
        """What this witness has published before must be in its file."""
        if not message.retain or not message.payload:
            return
        own = _read_own(message.payload)
        number, _, digest = own.line.partition(":")
        table = self._table(own.table)
        if table is not None and number.isdecimal() and self._file.lacks(int(number), bytes.fromhex(digest)):
            self._write(table, table.judgement.file_cut(int(number), self._wall()))

    def _table(self, name: str) -> WatchedTable | None:
        table = self._tables.get(name)
        if table is None and name not in RESERVED_TABLES and self._has_room_for(name):
            judgement = Judgement(name, self._heads_every)
            table = WatchedTable(Topics(self._site, name), judgement, client=self._client, instance=self._instance)
            table.broker_up(self._clock())
            self._tables[name] = table
        return table

    def _has_room_for(self, name: str) -> bool:
        return len(self._tables) < MOST_TABLES and TABLE_NAME.fullmatch(name) is not None

    def _remember(self, line: AnyLine) -> None:
        tables = self._tables.values() if isinstance(line, Started) else (self._table(line.table),)
        for table in tables:
            if table is not None:
                table.judgement.remember(line)

    def _write(self, table: WatchedTable, lines: Iterable[AnyLine]) -> None:
        try:
            for line in lines:
                written = self._file.add(line, self._wall())
                table.judgement.remember(written)
                if isinstance(written, AlarmRaised):
                    self._observer.alarm(written)
        except OSError as error:
            self._observer.file_failed(error)

    def _publish(self, table: WatchedTable) -> None:
        """What is known of a table, if it has changed since it was published."""
        if self._session is None or self._file.last is None or not table.judgement.journal:
            return
        message = table.message("")
        known = msgspec.json.encode(message)
        name = message.table
        if self._published.get(name) != known:
            self._published[name] = known
            payload = msgspec.json.encode(msgspec.structs.replace(message, line=self._file.last.end))
            self._session.publish_soon(witness_topic(self._site, self._client, name), payload, retain=True)
