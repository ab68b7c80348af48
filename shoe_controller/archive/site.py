"""All tables of a site, as an archive follows them: sorts messages, lets go of what the database cannot take now. Pure.

Nothing is lost by letting go: the journals of the tables keep the events, and they are requested when there is room.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from shoe_controller.archive.steps import StepQueue
from shoe_controller.archive.table import ArchivedTable
from shoe_controller.follow.table import EVENT_PREFIX, Request, reply_topic
from shoe_controller.messages.archive import ArchiveMessage
from shoe_controller.messages.topics import ANY, REPLY, RESERVED_TABLES, STATUS, Topics, archive_topic
from shoe_controller.mqtt.broker import BrokerSession, Incoming, Will

MOST_TABLES = 2000
"""More than any site has; messages of further ones are ignored, so that they cannot fill the memory."""

MOST_ASKED = 8
"""Tables that are asked for events at once: what comes must fit into the queues of the broker, and into ours."""

ROOM_TO_ASK = 0.4
"""Of the queue: with less, nothing is requested."""

RENEW = 20.0
"""Seconds after which the presence is published again, if nothing has changed."""

RENEW_BEHIND = 2.0
"""Seconds between two messages of which only the number of events behind differs."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Unknown(NamedTuple):
    """A journal whose position is not known."""

    table: str
    journal: str


class SetBack(NamedTuple):
    """A journal that has fewer events than the archive: it may be an older copy, and what follows another history."""

    table: str
    journal: str


_read_own = msgspec.json.Decoder(ArchiveMessage).decode


class ArchivedSite:
    """A `Followed`; what comes is put into the queue, in the order of each journal."""

    def __init__(  # noqa: PLR0913 - the parts of a site, each given by name
        self,
        site: str,
        *,
        tables: frozenset[str],
        client: str,
        instance: str,
        queue: StepQueue,
        clock: Callable[[], float],
        wall: Callable[[], int],
        new_start: Callable[[], str],
        set_back: Callable[[SetBack], None] = lambda _: None,
    ) -> None:
        """Of all tables only those named are followed, if any are.

        `client` is our user name at the broker, `instance` unlike that of any other start of this program. `clock` only
        goes forward, in seconds; `wall` is in milliseconds since 1970. `set_back` is called once for each journal.
        """
        self.site = site
        self._only = tables
        self._client = client
        self._instance = instance
        self._queue = queue
        self._clock = clock
        self._wall = wall
        self._new_start = new_start
        self._set_back = set_back
        self._were_set_back: set[SetBack] = set()
        self._all = Topics(site, ANY)
        self._prefix = self._all.prefix.removesuffix(ANY)
        self._own = archive_topic(site, client)
        self._tables: dict[str, ArchivedTable] = {}
        self._session: BrokerSession | None = None
        self._start = ""
        self._other: ArchiveMessage | None = None
        """What another archive has published on the same topic, last."""
        self._storing = self._standby = False
        self._let_go = False
        self._published: ArchiveMessage | None = None
        self._published_at = 0.0

    # --- presence ----------------------------------------------------------------------------------------------------

    def will(self) -> Will:
        """What the broker publishes when the next connection is lost."""
        self._start = self._new_start()
        message = ArchiveMessage(online=False, start=self._start, time=self._wall())
        return Will(self._own, msgspec.json.encode(message))

    def works(self, *, storing: bool, standby: bool = False) -> None:
        """Whether the database takes what comes; or whether another archive stores into it."""
        self._storing, self._standby = storing, standby
        self._publish_presence()

    @property
    def behind(self) -> int:
        return sum(table.behind for table in self._tables.values())

    def _publish_presence(self) -> None:
        if self._session is None:
            return
        if self._standby and self._other is not None and self._other.online and not self._other.standby:
            return  # the one that stores is shown
        message = ArchiveMessage(
            online=True,
            start=self._start,
            time=self._wall(),
            storing=self._storing,
            standby=self._standby,
            behind=self.behind,
        )
        self._published, self._published_at = message, self._clock()
        self._session.publish_soon(self._own, msgspec.json.encode(message), retain=True)

    def _look_at_presence(self) -> None:
        """Publish what has changed, or has not been published for long."""
        since, before = self._clock() - self._published_at, self._published
        if before is None or since >= RENEW or (since >= RENEW_BEHIND and before.behind != self.behind):
            self._publish_presence()

    def _receive_own(self, payload: bytes) -> None:
        """The late will of a connection that was cut off, or another archive with the same user."""
        message = _read_own(payload)
        if message.start != self._start:
            self._other = message
            self._published = None  # with the next look, so that two that disagree do not keep each other busy

    # --- Followed ----------------------------------------------------------------------------------------------------

    @property
    def subscriptions(self) -> tuple[str, ...]:
        topics = self._all
        replies = reply_topic(topics, self._client, self._instance)
        return topics.status, topics.state, topics.head, topics.events, replies, self._own

    def broker_up(self, session: BrokerSession) -> None:
        self._session, self._published, self._other = session, None, None
        for table in self._tables.values():
            table.broker_up()

    def broker_down(self) -> None:
        self._session = None
        for table in self._tables.values():
            table.broker_down()

    def receive(self, message: Incoming, now: float) -> None:
        if message.topic == self._own:
            if message.payload:
                self._receive_own(message.payload)
            return
        name, _, below = message.topic.removeprefix(self._prefix).partition("/")
        if not message.topic.startswith(self._prefix) or not self._is_ours(name):
            return
        if not message.payload:
            if below == STATUS:
                self._tables.pop(name, None)
            return
        table = self._table(name)
        if table is None:
            return
        if below.startswith((EVENT_PREFIX, f"{REPLY}/")) and not self._has_room_for(table):
            return
        table.receive(below, message.payload, now, retained=message.retain)
        if table.waits_for_position:
            self._queue.stir()

    def requests(self, now: float) -> Iterator[Request]:
        self._look_at_presence()
        if not self._storing or self._queue.room < ROOM_TO_ASK:
            return
        self._take_up(now)
        self._look_for_older_journals(now)
        asked = sum(table.awaits(now) for table in self._tables.values())
        for name, table in list(self._tables.items()):
            if asked >= MOST_ASKED:
                break
            request = table.request(now)
            if request is not None:
                asked += 1
                self._tables[name] = self._tables.pop(name)  # the others come before it
                yield request

    def _has_room_for(self, table: ArchivedTable) -> bool:
        """Whether its events can be taken now; what it has announced, and is not stored, is requested later."""
        self._let_go |= self._queue.is_full
        return not self._queue.is_full and not table.waits_for_position

    def _take_up(self, now: float) -> None:
        """There is room again: what was let go is requested."""
        if self._let_go:
            self._let_go = False
            for table in self._tables.values():
                if not table.waits_for_position and table.feed.journal:
                    table.begin_after(table.feed.position, now)

    def _look_for_older_journals(self, now: float) -> None:
        for name, table in self._tables.items():
            which = SetBack(name, table.feed.journal)
            if table.is_set_back(now) and which not in self._were_set_back:
                self._were_set_back.add(which)
                self._set_back(which)

    # --- the database ------------------------------------------------------------------------------------------------

    def unknown(self) -> list[Unknown]:
        """Journals whose position must be looked up."""
        return [Unknown(name, table.feed.journal) for name, table in self._tables.items() if table.waits_for_position]

    def position_known(self, which: Unknown, journal_id: int, position: int, stored: int) -> None:
        """A journal is in the database up to `stored`, and up to `position` with what waits."""
        table = self._tables.get(which.table)
        if table is not None and table.feed.journal == which.journal:
            table.position_known(journal_id, position, stored, self._clock())

    def resume(self, stored: Mapping[int, int], positions: Mapping[int, int]) -> None:
        """There is a new connection to the database: these are its positions, and those with what waits."""
        for table in self._tables.values():
            journal_id = table.feed.journal_id
            if journal_id is None or journal_id not in stored:
                table.feed.journal_id = None  # another database: the journal needs a row
                continue
            position = positions.get(journal_id, stored[journal_id])
            table.position_known(journal_id, position, stored[journal_id], self._clock())

    def stored(self, have: Mapping[int, int]) -> None:
        """These positions were committed."""
        for table in self._tables.values():
            if table.feed.journal_id is not None:
                table.feed.stored = have.get(table.feed.journal_id, table.feed.stored)

    def newest(self) -> dict[int, int]:
        """The last events that tables have announced, by journal."""
        return {
            table.feed.journal_id: table.newest or 0
            for table in self._tables.values()
            if table.feed.journal_id is not None
        }

    # --- tables ------------------------------------------------------------------------------------------------------

    def _is_ours(self, name: str) -> bool:
        if name in RESERVED_TABLES or TABLE_NAME.fullmatch(name) is None:
            return False
        return not self._only or name in self._only

    def _table(self, name: str) -> ArchivedTable | None:
        table = self._tables.get(name)
        if table is None and len(self._tables) < MOST_TABLES:
            table = self._tables[name] = ArchivedTable(
                self.site,
                name,
                client=self._client,
                instance=self._instance,
                put=self._queue.put,
                wall=self._wall,
            )
            if self._session is not None:
                table.broker_up()
        return table
