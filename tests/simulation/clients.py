"""Those at the other end of the broker: displays that keep every event, and terminals that ask and wait."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from shoe_controller.follow.event_sequencer import Event
from shoe_controller.follow.table import FollowedTable, subscriptions
from shoe_controller.messages.refusals import Failed
from shoe_controller.messages.requests import Answer, RequestRole
from shoe_controller.messages.retained import StateMessage, StatusMessage, TableView
from shoe_controller.messages.topics import Topics
from tests.simulation.virtual_broker import Endpoint, Outgoing, VirtualBroker
from tests.simulation.virtual_time import VirtualTime
from tests.simulator.broker.wire import Received

BACK_AFTER = 1.0
"""Seconds until a client that lost its connection tries again."""
ASK_AGAIN = 6.0
"""Seconds that a person or a display waits for an answer before asking again."""

GRACE = 1.0
"""Seconds between two looks of a display that is behind."""

# Several clients get each of these, and look at the same bytes.
_decode_state = lru_cache(maxsize=16)(msgspec.json.Decoder(StateMessage).decode)
_decode_status = lru_cache(maxsize=16)(msgspec.json.Decoder(StatusMessage).decode)
_decode_answer = msgspec.json.Decoder(Answer).decode


class _Numbered(msgspec.Struct):
    journal: str
    seq: int


_decode_numbered = msgspec.json.Decoder(_Numbered).decode


class Client:
    """Comes back by itself after every loss."""

    def __init__(
        self,
        broker: VirtualBroker,
        time: VirtualTime,
        topics: Topics,
        name: str,
        *filters: str,
        clean: bool,
    ) -> None:
        self.name = name
        self.topics = topics
        self.time = time
        self._clean = clean
        self.end = Endpoint(
            broker, time, name, filters=filters, on_ready=self.came, on_message=self.heard, on_lost=self.lost
        )
        self.end.connect(clean=clean)

    def came(self) -> None:
        """The connection stands."""

    def heard(self, message: Received) -> None:
        raise NotImplementedError

    def lost(self, _why: str) -> None:
        self.time.after(BACK_AFTER, lambda: self.end.connect(clean=self._clean))

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        response_topic: str | None = None,
        correlation: bytes | None = None,
        retain: bool = False,
    ) -> None:
        properties: dict[str, object] = {}
        if response_topic is not None:
            properties["response_topic"] = response_topic
        if correlation is not None:
            properties["correlation_data"] = correlation
        if self.end.ready:
            self.end.publish(Outgoing(topic, payload, retain, properties, lambda _: None))


class Shown(NamedTuple):
    topic: str
    """Below the table's own topic."""
    payload: bytes

    @property
    def journal(self) -> str:
        """The journal that the event itself names."""
        return _decode_numbered(self.payload).journal


class Display(Client):
    """Follows the table from its first event on, by the product's own follower, and keeps all of it.

    Of a journal that was replaced, what is known is laid by.
    """

    def __init__(
        self,
        broker: VirtualBroker,
        time: VirtualTime,
        topics: Topics,
        name: str,
        *,
        clean: bool,
        told: Callable[["Display", int, Shown | None], None],
    ) -> None:
        self.journal = ""
        """The journal whose events these are."""
        self.laid_by: dict[str, dict[int, Shown]] = {}
        """What was known of journals before it."""
        self.events: dict[int, Shown] = {}
        self.repeats = 0
        self.replays = 0
        self._told = told
        self._looks_later = False
        self._table = FollowedTable(topics, self, client=name, instance="display", latest=None)
        super().__init__(
            broker, time, topics, name, *subscriptions(topics, self._table.reply_topic), topics.roads, clean=clean
        )

    def came(self) -> None:
        self._table.broker_up()
        self._look()

    def lost(self, _why: str) -> None:
        self._table.broker_down()
        super().lost(_why)

    def heard(self, message: Received) -> None:
        below = self.topics.below(message.topic)
        if self.topics.is_event(message.topic):
            self._came(_decode_numbered(message.payload).seq, Shown(below, message.payload))
        elif message.topic in (self.topics.state, self.topics.status):
            self._told(self, _decode_numbered(message.payload).seq, None)
        self._table.receive(below, message.payload, self.time.now, retained=message.retain)
        self._look_later()

    def begin(self, journal: str, _after: int) -> None:
        if journal == self.journal:
            return
        if self.journal:
            self.laid_by[self.journal] = self.events
        self.journal, self.events = journal, {}

    def apply(self, event: Event, _now: float) -> None:
        shown = Shown(event.topic, event.payload)
        self._told(self, event.seq, shown)
        self.events[event.seq] = shown

    def _came(self, seq: int, shown: Shown) -> None:
        self.repeats += shown.journal == self.journal and seq in self.events
        self._told(self, seq, shown)

    @property
    def last(self) -> int:
        """All events up to this one are here."""
        return self._table.have or 0

    @property
    def state(self) -> StateMessage | None:
        return self._table.state

    @property
    def _is_behind(self) -> bool:
        state = self._table.state
        return state is not None and self.last < state.seq

    def _look_later(self) -> None:
        if self._is_behind and not self._looks_later:
            self._looks_later = True
            self.time.after(GRACE, self._look)

    def _look(self) -> None:
        self._looks_later = False
        request = self._table.request(self.time.now) if self.end.ready else None
        if request is not None:
            self.replays += 1
            self.publish(request.topic, request.payload, response_topic=request.response_topic, correlation=b"replay")
        self._look_later()


class Terminal(Client):
    """Asks, waits, and asks again with the same number: an answer may have been lost."""

    def __init__(self, broker: VirtualBroker, time: VirtualTime, topics: Topics, name: str) -> None:
        self.view: TableView | None = None
        self.status: StatusMessage | None = None
        self.looks: list[Callable[[TableView], None]] = []
        """Called with every new view."""
        self._replies = f"{topics.replies}{name}/answer"
        self._open: dict[str, tuple[str, bytes, Callable[[Answer], None]]] = {}
        self._numbers = 0
        self.asked = 0
        super().__init__(broker, time, topics, name, topics.state, topics.status, self._replies, clean=True)

    def heard(self, message: Received) -> None:
        if message.topic == self.topics.state:
            self.view = _decode_state(message.payload)
            for look in self.looks:
                look(self.view)
        elif message.topic == self.topics.status:
            self.status = _decode_status(message.payload)
        else:
            answer = _decode_answer(message.payload)
            # What could not be understood at all is answered without its number.
            asked = self._open.pop((message.properties.get("correlation_data") or b"").decode(), None)
            if asked is not None:
                asked[2](answer)

    def ask(self, name: str, answered: Callable[[Answer], None], fields: dict[str, object], *, tries: int = 3) -> str:
        """`name` is as in "wagers/place"."""
        self._numbers += 1
        request_id = f"{self.name}{self._numbers}"
        body = msgspec.json.encode({"request_id": request_id} | fields)
        self._open[request_id] = (name, body, answered)
        self._send(request_id, tries)
        return request_id

    def again(self, request_id: str, name: str, fields: dict[str, object]) -> None:
        """Send a request once more, whether it was answered or not."""
        body = msgspec.json.encode({"request_id": request_id} | fields)
        self.publish(self._request_topic(name), body, response_topic=self._replies, correlation=b"again")

    def _request_topic(self, name: str) -> str:
        role, _, below = name.partition("/")
        return self.topics.request(RequestRole(role), self.name, below)

    def _send(self, request_id: str, tries: int) -> None:
        asked = self._open.get(request_id)
        if asked is None:
            return
        if tries == 0:
            self._open.pop(request_id)
            asked[2](Answer(status="error", request_id=request_id, refusal=Failed()))
            return
        self.asked += 1
        topic = self._request_topic(asked[0])
        self.publish(topic, asked[1], response_topic=self._replies, correlation=request_id.encode())
        self.time.after(ASK_AGAIN, lambda: self._send(request_id, tries - 1))
