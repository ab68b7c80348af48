"""All tables of a site, as the pit sees them: sorts messages, publishes edges and alarms, has alarms written. Pure.

What is published names the connection that it was published over (`start`). The presence of the process, online since
then or offline as its last will, says whether that still counts.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from shoe_controller.follow.table import Request, reply_topic, subscriptions
from shoe_controller.messages.pit import PitMessage, RaisedPitAlarm, StakesFollowEdge, WagerExposed
from shoe_controller.messages.topics import (
    ANY,
    PIT_ALARMS,
    PIT_EDGES,
    RESERVED_TABLES,
    STATUS,
    Topics,
    pit_topic,
)
from shoe_controller.mqtt.broker import BrokerSession, Incoming, Will
from shoe_controller.pit.alarms_file import AlarmsFile
from shoe_controller.pit.exposure import Exposure
from shoe_controller.pit.lines import AlarmRaised
from shoe_controller.pit.prices import SharedPrices
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.pit.table import EXPIRES, RENEW, Figures, OfFile, PitTable
from shoe_controller.protection.shoe_record import ShoeRecord

MOST_TABLES = 1000
"""More than any site has; messages of further ones are ignored, so that they cannot fill the memory."""

MOST_SEAT_ALARMS = 20
"""Alarms about seats that are shown of one table; all of them are in the file."""

MOST_SHOES_REMEMBERED = 3
"""Shoes of one table that were judged: one that ends again after a result was taken back is not judged anew."""

WORKED_OFF_AT_ONCE = 20
"""Earlier rounds whose edges are computed at one look: it delays nothing for longer than a tenth of a second."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class ExposureSink(Protocol):
    """Gets what is known of each table, for the page."""

    def put(self, table: str, exposure: Exposure) -> None: ...

    def forget(self, table: str) -> None: ...


class SiteObserver(Protocol):
    def shoe_ended(self, table: str, ended: EndedShoe, record: ShoeRecord) -> None:
        """A shoe ended: whether stakes of its seats follow the edges can be judged."""


class _Published(NamedTuple):
    """What was published of a table last, and when, by the clock that only goes forward."""

    figures: Figures
    alarms: tuple[RaisedPitAlarm, ...]
    at: float
    """When both were published."""


class ExposedSite:
    """A `Followed`; its owner has what the file says `remembered`."""

    def __init__(  # noqa: PLR0913 - the parts of a site, each given by name
        self,
        site: str,
        *,
        tables: frozenset[str],
        client: str,
        instance: str,
        edge_limit: float,
        acknowledged: int,
        sink: ExposureSink,
        observer: SiteObserver,
        clock: Callable[[], float],
        wall: Callable[[], int],
        new_start: Callable[[], str],
    ) -> None:
        """Of all tables only those named are followed, if any are.

        `client` is our user name at the broker, `instance` unlike that of any other start of this program. `clock` only
        goes forward, in seconds; `wall` is in milliseconds since 1970.
        """
        self.file: AlarmsFile | None = None
        self._site = site
        self._only = tables
        self._client = client
        self._instance = instance
        self._edge_limit = edge_limit
        self._acknowledged = acknowledged
        self._sink = sink
        self._observer = observer
        self._clock = clock
        self._wall = wall
        self._new_start = new_start
        self._prices = SharedPrices()
        self._all = Topics(site, ANY)
        self._prefix = self._all.prefix.removesuffix(ANY)
        self._tables: dict[str, PitTable] = {}
        self._forgotten: dict[str, OfFile] = {}
        """Tables that no longer exist: one that comes back has the same lines in the file."""
        self._session: BrokerSession | None = None
        self._start = ""
        self._published: dict[str, _Published] = {}
        self._stored = True
        self._present_at = 0.0
        """When the presence was published last, by the clock that only goes forward."""
        self._judged: dict[str, list[tuple[str, int]]] = {}

    # --- presence ----------------------------------------------------------------------------------------------------

    def will(self) -> Will:
        """What the broker publishes when the next connection is lost."""
        self._start = self._new_start()
        return Will(pit_topic(self._site, self._client), self._presence(online=False))

    def _presence(self, *, online: bool) -> bytes:
        storing = self.file is None or self.file.works
        message = PitMessage(online=online, start=self._start, time=self._wall(), storing=storing)
        return msgspec.json.encode(message)

    def _publish_presence(self) -> None:
        self._stored, self._present_at = self.file is None or self.file.works, self._clock()
        if self._session is not None:
            topic = pit_topic(self._site, self._client)
            self._session.publish_soon(topic, self._presence(online=True), retain=True)

    # --- Followed ----------------------------------------------------------------------------------------------------

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return subscriptions(self._all, reply_topic(self._all, self._client, self._instance))

    def broker_up(self, session: BrokerSession) -> None:
        self._session = session
        self._published.clear()
        self._publish_presence()
        for name, table in self._tables.items():
            table.broker_up()
            self._publish(name, table)

    def broker_down(self) -> None:
        self._session = None
        for name, table in self._tables.items():
            table.broker_down()
            self._publish(name, table)

    def receive(self, message: Incoming, now: float) -> None:
        name, _, below = message.topic.removeprefix(self._prefix).partition("/")
        if not message.topic.startswith(self._prefix) or not self._is_ours(name):
            return
        if not message.payload:
            if below == STATUS:
                self._forget(name)
            return
        table = self._table(name)
        if table is None:
            return
        try:
            table.receive(below, message.payload, now, retained=message.retain)
        finally:
            self._look_at(name, table)

    def requests(self, now: float) -> Iterator[Request]:
        left = WORKED_OFF_AT_ONCE
        for name, table in self._tables.items():
            request = table.request(now)
            if request is not None:
                yield request
            while left and table.work_off():
                left -= 1
            self._look_at(name, table)
        if self.file is not None:
            self.file.flush()
        has_changed = self.file is not None and self.file.works != self._stored
        # The late will of a connection that was cut off, or of a second process, may have come after ours.
        if has_changed or self._clock() - self._present_at >= RENEW:
            self._publish_presence()

    # --- tables ------------------------------------------------------------------------------------------------------

    def _is_ours(self, name: str) -> bool:
        if name in RESERVED_TABLES or TABLE_NAME.fullmatch(name) is None:
            return False
        return not self._only or name in self._only

    def _table(self, name: str) -> PitTable | None:
        table = self._tables.get(name)
        if table is None and len(self._tables) < MOST_TABLES:
            table = self._tables[name] = PitTable(
                Topics(self._site, name),
                prices=self._prices,
                edge_limit=self._edge_limit,
                client=self._client,
                instance=self._instance,
            )
            before = self._forgotten.pop(name, None)
            if before is not None:
                table.of_file = before
            if self._session is not None:
                table.broker_up()
        return table

    def _forget(self, name: str) -> None:
        """The retained status was cleared: the table no longer exists."""
        table = self._tables.pop(name, None)
        if table is not None:
            if len(self._forgotten) == MOST_TABLES:
                del self._forgotten[next(iter(self._forgotten))]
            self._forgotten[name] = table.of_file
            self._published.pop(name, None)
            self._sink.forget(name)
            if self._session is not None:
                for below in (PIT_EDGES, PIT_ALARMS):
                    self._session.publish_soon(f"{Topics(self._site, name).prefix}/{below}", b"", retain=True)

    def _look_at(self, name: str, table: PitTable) -> None:
        """What follows from what has come."""
        for exposed in table.to_write():
            if self.file is not None:
                self.file.add(name, table.fold.journal, exposed)
        for ended, record in table.records():
            self._judge(name, ended, record)
        self._publish(name, table)

    def _judge(self, name: str, ended: EndedShoe, record: ShoeRecord) -> None:
        judged = self._judged.setdefault(name, [])
        if (ended.journal, ended.shoe) not in judged:
            judged.append((ended.journal, ended.shoe))
            del judged[:-MOST_SHOES_REMEMBERED]
            self._observer.shoe_ended(name, ended, record)

    # --- alarms ------------------------------------------------------------------------------------------------------

    def seat_follows(self, name: str, journal: str, alarm: StakesFollowEdge) -> None:
        """It was found that a seat's stakes follow an edge."""
        if self.file is not None:
            self.file.add(name, journal, alarm)
            self.file.flush()

    def remember(self, line: AlarmRaised) -> None:
        """An alarm is in the file, now or since before this start."""
        table = self._table(line.table) if self._is_ours(line.table) else None
        if table is None:
            return
        if isinstance(line.alarm, WagerExposed):
            table.written(line.journal, line.alarm, line.line)
        elif line.line > self._acknowledged:
            table.of_file.seat_alarms.append(RaisedPitAlarm(line=line.line, time=line.time, alarm=line.alarm))
            del table.of_file.seat_alarms[:-MOST_SEAT_ALARMS]

    # --- what is published -------------------------------------------------------------------------------------------

    def _publish(self, name: str, table: PitTable) -> None:
        """What has changed, or has not been published for long."""
        figures, alarms, now, wall = table.figures(), table.alarms(self._wall()), self._clock(), self._wall()
        before = self._published.get(name)
        due = before is None or now - before.at >= RENEW
        if before is not None and not due and (before.figures, before.alarms) == (figures, alarms):
            return
        edges = table.edges_message(figures, self._start, wall)
        message = table.alarms_message(alarms, self._start)
        if edges is None or message is None:
            return
        if before is None or due or before.figures != figures:
            self._send(f"{table.topics.prefix}/{PIT_EDGES}", edges)
        if before is None or due or before.alarms != alarms:
            self._send(f"{table.topics.prefix}/{PIT_ALARMS}", message)
        self._published[name] = _Published(figures, alarms, now if before is None or due else before.at)
        self._sink.put(name, table.exposure(edges, alarms))

    def _send(self, topic: str, message: msgspec.Struct) -> None:
        if self._session is not None:
            self._session.publish_soon(topic, msgspec.json.encode(message), retain=True, expiry=EXPIRES)
