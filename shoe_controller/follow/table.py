"""What is known of one table that is followed: its retained messages, and its events in order. Pure.

`now` is in seconds, by a clock that only goes forward.

Events are followed beside the retained messages for what those do not hold. They are numbered over all event topics
together (`seq`), so a follower subscribes to all of them: with a part of them it could not distinguish a lost event
from one it does not subscribe to. Of an event only `seq`, `fact` and `journal` are read here; what is not needed is
never decoded.

Which journal is the current one is decided in `retained.py`. A new one is followed from its own beginning. An event of
another journal is dropped: if it belongs to the next one, it is missing there, and requested.
"""

from typing import NamedTuple, Protocol

import msgspec

from shoe_controller.follow.event_sequencer import MOST_WAITING, Event, EventSequencer
from shoe_controller.follow.retained import RetainedTable
from shoe_controller.messages.requests import REPLAY, Answer, ReplayRequest, RequestRole
from shoe_controller.messages.topics import Topics, event_topic

MOST_AT_ONCE = 2000
"""Events requested at once."""

EVENT_PREFIX = event_topic("")

BATCH = 100
"""Events in one message of a replay."""


class EventFold(Protocol):
    """What a user of the follower makes of the events."""

    def begin(self, journal: str, after: int) -> None:
        """The events after this number come next, without a gap. What was made of earlier ones does not count."""

    def apply(self, event: Event, now: float) -> None:
        """The next event; `msgspec.DecodeError` if it cannot be read."""


class Request(NamedTuple):
    """A request for events that are missing."""

    topic: str
    payload: bytes
    response_topic: str


class _Header(msgspec.Struct):
    """What is read of an event."""

    fact: str
    seq: int
    journal: str
    topic: str = ""
    """In events that were requested: the topic on which they were published."""


class _Reply(msgspec.Struct):
    """What distinguishes events that were requested from the answer that comes after them."""

    events: tuple[msgspec.Raw, ...] | None = None


_read_header = msgspec.json.Decoder(_Header).decode
_read_reply = msgspec.json.Decoder(_Reply).decode
_read_answer = msgspec.json.Decoder(Answer).decode


def reply_topic(topics: Topics, client: str, instance: str) -> str:
    """Where events that were requested arrive; `client` is our user name at the broker."""
    return f"{topics.replies}{client}/{instance}/replay"


def subscriptions(topics: Topics, replies: str) -> tuple[str, ...]:
    """What to subscribe to for a table and its events."""
    return topics.status, topics.info, topics.state, topics.events, replies


class FollowedTable(RetainedTable):
    """One table with its events, as far as they have come. What cannot be read raises `msgspec.DecodeError`."""

    def __init__(  # noqa: PLR0913 - the parts of a table, each given by name
        self,
        topics: Topics,
        fold: EventFold,
        *,
        client: str,
        instance: str,
        latest: int | None,
        begins: bool = True,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """`client` is our user name at the broker, `instance` unlike that of any other start of this program.

        Of the events before the beginning the `latest` ones are requested; with `None`, all that the journal has.
        Without `begins`, and with `latest` as `None`, a new journal is reported to the fold, and its events wait until
        `begin_after` says which of them are wanted. `most_waiting` is how many events are kept while earlier ones are
        missing.
        """
        super().__init__()
        self.topics = topics
        self.client = client
        self.reply_topic = reply_topic(topics, client, instance)
        self._reply_below = topics.below(self.reply_topic)
        self._fold = fold
        self._instance = instance
        self._latest = latest
        self._begins = begins
        self._most_waiting = most_waiting
        self._events = EventSequencer(most_waiting)
        self._requests = 0
        self._awaited = ""

    @property
    def have(self) -> int | None:
        """The last event that was applied; `None` before the beginning is known."""
        return self._events.have

    @property
    def newest(self) -> int | None:
        """The last event that the table has announced; `None` before it has."""
        return None if self.state is None else self.state.seq

    def broker_up(self) -> None:
        """A new connection: an answer that was awaited is lost."""
        super().broker_up()
        self._events.ask_anew()

    # --- messages ----------------------------------------------------------------------------------------------------

    def receive(self, below: str, payload: bytes, now: float, *, retained: bool = False) -> None:
        """A message on a topic of the table, without the table's own part of it: "state", "event/card".

        `retained` says whether the broker had kept it when we subscribed.
        """
        if below.startswith(EVENT_PREFIX):
            self._take_event(below, payload, now)
            self.version += 1
        elif below == self._reply_below:
            self._take_reply(payload, now)
            self.version += 1
        else:
            before = self.journal
            self.receive_retained(below, payload, retained=retained)
            if self.journal is not None and self.journal != before:
                self._forget_events(self.journal)
            if self.have is None and self._latest is not None and self.state is not None:
                self._begin_events(max(0, self.state.seq - self._latest), now)

    def _forget_events(self, journal: str) -> None:
        self._events = EventSequencer(self._most_waiting)
        self._awaited = ""
        self._fold.begin(journal, 0)
        if self._latest is None and self._begins:
            self._events.begin(0)

    def _begin_events(self, after: int, now: float) -> None:
        self._events.begin(after)
        self._fold.begin(self.journal or "", after)
        self._apply(now)

    def begin_after(self, after: int, now: float) -> None:
        """Begin once more, so that earlier events come too: those after this number."""
        self._awaited = ""
        self._begin_events(after, now)

    # --- events ------------------------------------------------------------------------------------------------------

    def _take_event(self, topic: str, payload: bytes, now: float) -> None:
        header = _read_header(payload)
        if header.journal == self.journal:
            self._events.keep(Event(header.seq, header.fact, topic or header.topic, payload))
            self._apply(now)

    def _take_reply(self, payload: bytes, now: float) -> None:
        events = _read_reply(payload).events
        if events is None:
            self._take_answer(_read_answer(payload), now)
            return
        for event in events:
            self._take_event("", bytes(event), now)

    def _take_answer(self, answer: Answer, now: float) -> None:
        if answer.request_id != self._awaited:
            return
        self._awaited = ""
        after = self._events.answered(answer)
        if after is not None:
            self._begin_events(after, now)

    def _apply(self, now: float) -> None:
        for event in self._events.ready():
            self._fold.apply(event, now)

    # --- what is missing ---------------------------------------------------------------------------------------------

    def request(self, now: float) -> Request | None:
        """The request for events that are missing, if it should be sent now; it counts as sent."""
        newest = self.newest
        is_behind = newest is not None and self._events.is_behind(newest)
        after = self._events.wanted(now, missing=self.online and is_behind)
        if after is None:
            return None
        self._events.asked(now)
        self._requests += 1
        self._awaited = f"{self._instance}-{self._requests}"
        request = ReplayRequest(request_id=self._awaited, after=after, limit=MOST_AT_ONCE, batch=BATCH)
        topic = self.topics.request(RequestRole.DISPLAY, self.client, REPLAY)
        return Request(topic, msgspec.json.encode(request), self.reply_topic)

    def awaits(self, now: float) -> bool:
        """Whether an answer to the last request may still come."""
        return bool(self._awaited) and self._events.awaits(now)
