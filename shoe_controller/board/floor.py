"""All tables of a site: sorts messages by their topics, and knows what to subscribe to and what to request. Pure."""

import re
from collections.abc import Callable, Iterator

from shoe_controller.board.model import BoardTable
from shoe_controller.follow.table import Request, reply_topic, subscriptions
from shoe_controller.messages.topics import ANY, STATUS, Topics
from shoe_controller.mqtt.broker import BrokerSession, Incoming

MOST_TABLES = 1000
"""More than any site has; messages of further ones are ignored, so that they cannot fill the memory."""

MOST_ASKED = 8
"""Tables that may replay at the same time: a broker drops what it cannot deliver quickly enough."""

TOUCH_EVERY = 30.0
"""Seconds after which pages look again by themselves, for what changes with time alone."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Floor:
    """A `Followed`: the tables of a site; `version` grows with every change, of all and of each."""

    def __init__(
        self,
        site: str,
        *,
        client: str,
        instance: str,
        tables: frozenset[str] = frozenset(),
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`client` is our user name at the broker, `instance` unlike that of any other start of this program.

        Of all tables only those named are followed, if any are. `changed` is called where time alone changes something.
        """
        self.tables: dict[str, BoardTable] = {}
        self.versions: dict[str, int] = {}
        self.version = 0
        self.connected = False
        self._site = site
        self._all = Topics(site, ANY)
        self._prefix = self._all.prefix.removesuffix(ANY)
        self._client = client
        self._instance = instance
        self._only = tables
        self._changed_with_time = changed
        self._touched: float | None = None

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return (*subscriptions(self._all, reply_topic(self._all, self._client, self._instance)), self._all.roads)

    def broker_up(self, _session: BrokerSession | None = None) -> None:
        self.connected = True
        for table in self.tables.values():
            table.followed.broker_up()
        self.touch()

    def broker_down(self) -> None:
        self.connected = False
        for table in self.tables.values():
            table.followed.broker_down()
        self.touch()

    def touch(self) -> None:
        """Every page should look again."""
        self.version += 1
        self.versions = dict.fromkeys(self.tables, self.version)

    def receive(self, message: Incoming, now: float) -> None:
        """Any message of the subscriptions; `msgspec.DecodeError` if it cannot be read."""
        name, _, below = message.topic.removeprefix(self._prefix).partition("/")
        if not message.topic.startswith(self._prefix) or not self._is_ours(name):
            return
        if not message.payload and below == STATUS:
            self._forget(name)
            return
        table = self.tables.get(name)
        if table is None:
            if not message.payload or len(self.tables) >= MOST_TABLES:
                return
            table = self.tables[name] = self._new_table(name)
        if message.payload:
            table.followed.receive(below, message.payload, now, retained=message.retain)
        self._changed(name)

    def _new_table(self, name: str) -> BoardTable:
        table = BoardTable(Topics(self._site, name), client=self._client, instance=self._instance)
        table.followed.broker_up()
        return table

    def _is_ours(self, name: str) -> bool:
        return TABLE_NAME.fullmatch(name) is not None and (not self._only or name in self._only)

    def _forget(self, name: str) -> None:
        """The retained status was cleared: the table no longer exists."""
        if self.tables.pop(name, None) is not None:
            self.version += 1
            self.versions.pop(name, None)

    def _changed(self, name: str) -> None:
        self.version += 1
        self.versions[name] = self.version

    def requests(self, now: float) -> Iterator[Request]:
        self._touch_if_due(now)
        asked = sum(table.followed.awaits(now) for table in self.tables.values())
        for table in self.tables.values():
            if asked >= MOST_ASKED:
                return
            request = table.followed.request(now)
            if request is not None:
                asked += 1
                yield request

    def _touch_if_due(self, now: float) -> None:
        if self._touched is None:
            self._touched = now
        if now - self._touched >= TOUCH_EVERY:
            self._touched = now
            self.touch()
            self._changed_with_time()
