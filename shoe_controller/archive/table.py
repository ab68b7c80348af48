"""One table whose events are stored: what has come of them in order, and from where its journal is followed. Pure.

The position of a journal is in the database. A new journal is reported, and its events wait until that position is
known; from there on every event is a step for the database, and where the table has removed some, that is a hole.

What is not needed to store events is not read: a newer table may publish what this version does not know.
"""

from collections.abc import Callable

import msgspec

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.archive.steps import AnnouncedHead, Hole, Step
from shoe_controller.archive.store import MOST_OF_INTEGER
from shoe_controller.follow.event_sequencer import Event
from shoe_controller.follow.table import FollowedTable
from shoe_controller.journal.records import head_from
from shoe_controller.messages.limits import LARGEST_SEQ
from shoe_controller.messages.topics import HEAD, STATE, STATUS, Topics

MOST_WAITING = 100
"""Events of a table that are kept while earlier ones are missing: all tables of a large house may be behind at once."""


SET_BACK_AFTER = 10.0
"""Seconds that a `state` may be older than the events; it is published after them."""


class _Fields(msgspec.Struct):
    """What is read of an event."""

    time: int = 0
    shoe: int = 0
    round: int = 0
    head: str = ""


class _Announced(msgspec.Struct):
    """What is read of a retained message."""

    journal: str
    seq: int = 0
    head: str = ""


_read_fields = msgspec.json.Decoder(_Fields).decode
_read_announced = msgspec.json.Decoder(_Announced).decode


def as_published(event: Event) -> bytes:
    """The bytes of an event without the topic that a replay puts before them."""
    before = b'{"topic":"%b",' % event.topic.encode()
    if event.payload.startswith(before):
        return b"{" + event.payload[len(before) :]
    return event.payload


def event_of(  # noqa: PLR0913 - the parts of an event, each given by name
    *, journal_id: int, site: str, table: str, journal: str, seq: int, fact: str, topic: str, payload: bytes, at_ms: int
) -> tuple[ArchivedEvent, AnnouncedHead | None]:
    """An event to store, and the head that it announces; `at_ms` is for one whose time cannot be read."""
    try:
        fields = _read_fields(payload)
    except msgspec.DecodeError:
        fields = _Fields(time=at_ms)
    event = ArchivedEvent(
        journal_id=journal_id,
        site=site,
        table=table,
        journal=journal,
        seq=seq,
        at_ms=fields.time,
        fact=fact.replace("\0", "\N{REPLACEMENT CHARACTER}"),
        shoe=_as_integer(fields.shoe),
        round=_as_integer(fields.round),
        topic=topic,
        payload=payload,
    )
    return event, head_of(journal_id, fields.head, seq, fields.time)


def head_of(journal_id: int, text: str, seq: int | None, at_ms: int) -> AnnouncedHead | None:
    """A head that was announced; nothing where the text is none. An event that said it is kept as it came."""
    try:
        head = head_from(text)
    except ValueError:
        return None
    return AnnouncedHead(journal_id, head.number, head.hash, seq, at_ms)


class JournalFeed:
    """An `EventFold` that makes steps of events."""

    def __init__(self, site: str, table: str, put: Callable[[Step], None]) -> None:
        self.journal = ""
        self.journal_id: int | None = None
        """Its number in the database; `None` while that is not known."""
        self.position = 0
        """The last event that became a step."""
        self.stored = 0
        """The last event that is in the database."""
        self._site = site
        self._table = table
        self._put = put
        self._at_ms = 0

    def known(self, journal_id: int, position: int) -> None:
        """The journal is in the database, and stands there."""
        self.journal_id, self.position = journal_id, position

    def begin(self, journal: str, after: int) -> None:
        if journal != self.journal:
            self.journal, self.journal_id, self.position, self.stored = journal, None, 0, 0
        elif self.journal_id is not None and after > self.position:
            self._put(Hole(self.journal_id, self.position + 1, after))
            self.position = after

    def apply(self, event: Event, _now: float) -> None:
        if self.journal_id is None:
            return  # the database is another one, and does not know the journal yet: it comes again
        step, head = event_of(
            journal_id=self.journal_id,
            site=self._site,
            table=self._table,
            journal=self.journal,
            seq=event.seq,
            fact=event.fact,
            topic=event.topic,
            payload=as_published(event),
            at_ms=self._at_ms,
        )
        self._at_ms = step.at_ms
        self.position = event.seq
        self._put(step)
        if head is not None:
            self._put(head)

    def announced(self, text: str, at_ms: int) -> None:
        """A head of the journal, in a retained message."""
        head = None if self.journal_id is None else head_of(self.journal_id, text, None, at_ms)
        if head is not None:
            self._put(head)


class ArchivedTable(FollowedTable):
    """Messages in; steps for the database and requests out. What cannot be read raises `msgspec.DecodeError`."""

    def __init__(  # noqa: PLR0913 - the parts of a table, each given by name
        self,
        site: str,
        table: str,
        *,
        client: str,
        instance: str,
        put: Callable[[Step], None],
        wall: Callable[[], int],
    ) -> None:
        self.feed = JournalFeed(site, table, put)
        super().__init__(
            Topics(site, table),
            self.feed,
            client=client,
            instance=instance,
            latest=None,
            begins=False,
            most_waiting=MOST_WAITING,
        )
        self._wall = wall
        self._announced: dict[str, int] = {}
        """The last event, by journal: that of a new one may come before its status."""
        self._state = 0
        """The last event that its newest `state` includes."""
        self._short_since: float | None = None
        self._heads: dict[str, str] = {}
        self._kept_head = ""

    @property
    def newest(self) -> int | None:
        return self._announced.get(self.feed.journal)

    @property
    def waits_for_position(self) -> bool:
        return bool(self.feed.journal) and self.feed.journal_id is None

    @property
    def behind(self) -> int:
        """Events that were announced and are not stored yet."""
        return 0 if self.waits_for_position else max(0, (self.newest or 0) - self.feed.stored)

    def is_set_back(self, now: float) -> bool:
        """Whether the table has had fewer events than the archive for a while, as after its journal was set back."""
        if not self.online or self.waits_for_position or not 0 < self._state < self.feed.position:
            self._short_since = None
            return False
        if self._short_since is None:
            self._short_since = now
        return now - self._short_since > SET_BACK_AFTER

    def position_known(self, journal_id: int, position: int, stored: int, now: float) -> None:
        """The journal is in the database; what comes after this position is wanted."""
        self.feed.known(journal_id, position)
        self.feed.stored = stored
        self.begin_after(position, now)
        self._keep_head()

    def receive_retained(self, below: str, payload: bytes, *, retained: bool = False) -> None:
        if below == STATUS:
            super().receive_retained(below, payload, retained=retained)
        if below in (STATUS, STATE, HEAD):
            announced = _read_announced(payload)
            if below == STATE and announced.journal == self.journal:
                self._state = announced.seq
            self._take_announced(announced)

    def _take_announced(self, message: _Announced) -> None:
        journal = message.journal
        self._announced[journal] = max(min(message.seq, LARGEST_SEQ), self._announced.get(journal, 0))
        if message.head:
            self._heads[journal] = message.head
        for known in (self._announced, self._heads):
            for other in [each for each in known if each not in (journal, self.journal)]:
                del known[other]
        self._keep_head()

    def _keep_head(self) -> None:
        """A head of the journal, if it is not the one that was kept last."""
        head = self._heads.get(self.feed.journal, "")
        if head and head != self._kept_head and self.feed.journal_id is not None:
            self._kept_head = head
            self.feed.announced(head, self._wall())


def _as_integer(number: int) -> int:
    return number if 0 <= number <= MOST_OF_INTEGER else 0
