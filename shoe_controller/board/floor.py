"""All tables of a site: sorts messages by their topics, and knows what to subscribe to. Pure."""

import re
from collections.abc import Callable

import msgspec

from shoe_controller.board.model import BoardTable
from shoe_controller.follow.in_sight import Waiting
from shoe_controller.messages.topics import ANY, SITE_WITNESS, STATUS, Topics, witness_topic
from shoe_controller.messages.witness import WitnessMessage
from shoe_controller.mqtt.broker import BrokerSession, Incoming

MOST_TABLES = 1000
"""More than any site has; messages of further ones are ignored, so that they cannot fill the memory."""

TOUCH_EVERY = 30.0
"""Seconds after which pages look again by themselves, for what changes with time alone."""

MOST_WITNESSES = 10
"""Of one table; messages of further ones are ignored."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


_read_witness = msgspec.json.Decoder(WitnessMessage).decode


class Floor:
    """A `Followed`: the tables of a site; `version` grows with every change, of all and of each."""

    def __init__(
        self,
        site: str,
        *,
        tables: frozenset[str] = frozenset(),
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Of all tables only those named are followed, if any are.

        `changed` is called where time alone changes something.
        """
        self.tables: dict[str, BoardTable] = {}
        self.versions: dict[str, int] = {}
        self.version = 0
        self.connected = False
        self.witnesses: dict[str, dict[str, WitnessMessage]] = {}
        """What witnesses publish of each table, by their users."""
        self._in_sight: tuple[str, ...] | None = None
        """Tables that can be seen at the broker in place of those that are waited for; `None` before the first look."""
        self._site = site
        self._all = Topics(site, ANY)
        self._prefix = self._all.prefix.removesuffix(ANY)
        self._only = tables
        self._changed_with_time = changed
        self._touched: float | None = None

    @property
    def subscriptions(self) -> tuple[str, ...]:
        topics = self._all
        witnesses = witness_topic(self._site, ANY, ANY)
        return topics.status, topics.info, topics.state, topics.roads, topics.rounds, witnesses

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

    @property
    def missing(self) -> tuple[str, ...]:
        """The tables of which nothing has come, as SITE/TABLE, although the broker is there."""
        if not self.connected:
            return ()
        if self._only:
            return tuple(f"{self._site}/{name}" for name in sorted(self._only - self.tables.keys()))
        return () if self.tables else (f"{self._site}/*",)

    @property
    def waiting(self) -> Waiting | None:
        """What is waited for in vain."""
        missing = self.missing
        return Waiting(missing, self._in_sight) if missing and self._in_sight is not None else None

    def saw(self, tables: tuple[str, ...]) -> bool:
        """Tables can be seen at the broker, while others are waited for; whether that is news."""
        if tables == self._in_sight:
            return False
        self._in_sight = tables
        self.version += 1
        return True

    def touch(self) -> None:
        """Every page should look again."""
        self.version += 1
        self.versions = dict.fromkeys(self.tables, self.version)

    def receive(self, message: Incoming, now: float) -> None:
        """Any message of the subscriptions; `msgspec.DecodeError` if it cannot be read."""
        name, _, below = message.topic.removeprefix(self._prefix).partition("/")
        if message.topic.startswith(self._prefix) and name == SITE_WITNESS:
            self._take_witness(below, message.payload)
            return
        if not message.topic.startswith(self._prefix) or not self._is_ours(name):
            return
        if not message.payload and below == STATUS:
            self._forget(name)
            return
        table = self.tables.get(name)
        if table is None:
            if not message.payload or len(self.tables) >= MOST_TABLES:
                return
            table = self.tables[name] = BoardTable()
            table.followed.broker_up()
        if message.payload:
            table.receive(below, message.payload, now, retained=message.retain)
        self._changed(name)

    def _take_witness(self, below: str, payload: bytes) -> None:
        """What a witness publishes of a table: `{user}/{table}`. It may come before the table's own messages."""
        user, _, name = below.partition("/")
        if not self._is_ours(name):
            return
        table = self.tables.get(name)
        witnesses = self.witnesses.setdefault(name, {}) if len(self.witnesses) < MOST_TABLES else {}
        if not payload:
            witnesses.pop(user, None)
        elif user in witnesses or len(witnesses) < MOST_WITNESSES:
            witnesses[user] = _read_witness(payload)
        if table is not None:
            self._changed(name)

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

    def requests(self, now: float) -> tuple[()]:
        """Nothing is ever requested. Called a few times a second: pages look again when that is due."""
        if self._touched is None:
            self._touched = now
        if now - self._touched >= TOUCH_EVERY:
            self._touched = now
            self.touch()
            self._changed_with_time()
        return ()
