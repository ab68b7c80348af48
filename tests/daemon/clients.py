"""Those at the other end of the broker: a display that keeps every event, and a terminal that asks and waits.

Both stand on paho, which talks to the broker in a thread of its own and comes back by itself after an outage; what it
receives is handed to the test's event loop.
"""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import msgspec
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from shoe_controller.messages.facts import AnyFact, Fact
from shoe_controller.messages.limits import LARGEST_SEQ
from shoe_controller.messages.refusals import BeyondNewest
from shoe_controller.messages.requests import REPLAY, Answer, RequestRole
from shoe_controller.messages.retained import (
    InfoMessage,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    StatusMessage,
    TableListing,
)
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import TlsFiles
from tests.daemon.house_file import PINS
from tests.daemon.programs import PATIENCE

ASK_AGAIN = 1.0
"""Seconds after which a display asks again: the controller or the broker may have been away when it was asked."""

T = TypeVar("T")
F = TypeVar("F", bound=Fact)


class Visitor(NamedTuple):
    """Who connects, and how."""

    client_id: str
    port: int
    username: str | None = None
    password: str | None = None
    tls: TlsFiles | None = None


class Heard(NamedTuple):
    topic: str
    payload: bytes
    retain: bool
    correlation: bytes | None


class MqttClient:
    """Entered as a context; `heard` is called in the event loop for every message of the subscriptions."""

    def __init__(self, visitor: Visitor, *subscriptions: str) -> None:
        self.visitor = visitor
        self.connections = 0
        self._subscriptions = subscriptions
        self._ready = asyncio.Event()
        self._changed = asyncio.Event()
        self._error: Exception | None = None
        """What went wrong when a message was read; raised to the next waiter."""
        self._loop = asyncio.get_running_loop()
        self._paho = Client(CallbackAPIVersion.VERSION2, visitor.client_id, protocol=MQTTProtocolVersion.MQTTv5)
        self._paho.reconnect_delay_set(min_delay=1, max_delay=1)
        self._paho.max_queued_messages_set(0)
        self._paho.max_inflight_messages_set(1000)
        self._paho.on_connect = lambda *_: self._in_loop(self._connected)
        self._paho.on_disconnect = lambda *_: self._in_loop(self._disconnected)
        self._paho.on_subscribe = lambda *_: self._in_loop(self._ready.set)
        self._paho.on_message = lambda _client, _data, message: self._in_loop(lambda: self._take(message))
        if visitor.username is not None:
            self._paho.username_pw_set(visitor.username, visitor.password)
        if visitor.tls is not None:
            files = visitor.tls
            self._paho.tls_set(_name_of(files.ca_file), _name_of(files.cert_file), _name_of(files.key_file))

    async def __aenter__(self) -> Self:
        self._paho.connect_async("127.0.0.1", self.visitor.port, keepalive=10)
        self._paho.loop_start()
        await self.is_connected()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._paho.disconnect()
        await asyncio.to_thread(self._paho.loop_stop)

    async def is_connected(self, within: float = PATIENCE) -> None:
        """Wait until the broker has let us in and taken our subscriptions."""
        async with asyncio.timeout(within):
            await self._ready.wait()

    async def until(self, condition: Callable[[], object], within: float = PATIENCE, *, what: str = "") -> None:
        """Wait for something that a message brings about."""
        try:
            async with asyncio.timeout(within):
                while not condition():
                    if self._error is not None:
                        raise self._error
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"{self.visitor.client_id} waited {within:g} s for {what or condition}") from None

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int = 1,
        retain: bool = False,
        response_topic: str | None = None,
        correlation: bytes | None = None,
    ) -> None:
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho has no types here
        if response_topic is not None:
            properties.ResponseTopic = response_topic
        if correlation is not None:
            properties.CorrelationData = correlation
        self._paho.publish(topic, payload, qos, retain, properties)

    def heard(self, message: Heard) -> None:
        """A message has come."""
        raise NotImplementedError

    def noticed(self) -> None:
        """Let those who wait look again."""
        self._changed.set()

    def _in_loop(self, call: Callable[[], object]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)

    def _connected(self) -> None:
        self.connections += 1
        if self._subscriptions:
            self._paho.subscribe([(each, SubscribeOptions(qos=1)) for each in self._subscriptions])
        else:
            self._ready.set()

    def _disconnected(self) -> None:
        self._ready.clear()

    def _take(self, message: MQTTMessage) -> None:
        correlation = getattr(message.properties, "CorrelationData", None)
        try:
            self.heard(Heard(message.topic, bytes(message.payload), message.retain, correlation))
        except Exception as error:  # noqa: BLE001 - it is raised again in `until`
            self._error = error
        self.noticed()


def _name_of(file: Path | None) -> str | None:
    return None if file is None else str(file)


class Event(NamedTuple):
    """An event as it was published."""

    topic: str
    """Below the table's own topic, as in `event/card`."""
    payload: bytes

    @property
    def fact(self) -> AnyFact:
        return _decode_fact(self.payload)

    @property
    def head(self) -> str | None:
        """The journal's head, which an outcome carries."""
        head = msgspec.json.decode(self.payload).get("head")
        return None if head is None else str(head)


class _Numbered(msgspec.Struct):
    seq: int


_decode_number = msgspec.json.Decoder(_Numbered).decode
_decode_fact: Callable[[bytes], AnyFact] = msgspec.json.Decoder(AnyFact).decode


class Display(MqttClient):
    """Keeps every event by its number, notices what is missing, and asks for that, as a good display does."""

    def __init__(self, visitor: Visitor, topics: Topics, *, asks_for_more: bool = True) -> None:
        self.topics = topics
        self.reply_topic = f"{topics.replies}{visitor.client_id}/replay"
        super().__init__(visitor, topics.events, *self._retained_topics(topics), self.reply_topic)
        self.events: dict[int, Event] = {}
        self.repeats = 0
        """Events that came once more; that is permitted."""
        self.contradictions: list[str] = []
        """Events that came once more and were not the same; that is not."""
        self.everything: list[Heard] = []
        """Every message in the order in which it came."""
        self.retained: dict[str, bytes] = {}
        self._facts: dict[int, AnyFact] = {}
        """The events that were looked at, decoded."""
        self._complete_to = 0
        """No event up to this one is missing."""
        self._newest_event = 0
        self._read: dict[str, tuple[bytes, Any]] = {}
        self._asks_for_more = asks_for_more
        self._asking = False
        self._newest_stored: dict[bytes, int | None] = {}
        """What the controller answered when it was asked for its newest event, by question."""
        self._numbers = itertools.count(1)

    @staticmethod
    def _retained_topics(topics: Topics) -> tuple[str, ...]:
        return topics.status, topics.info, topics.state, topics.roads, topics.rounds, topics.listing

    def forget(self) -> None:
        """Know nothing of before, as a display that is switched on only now."""
        self.events.clear()
        self._facts.clear()
        self.retained.clear()
        self._complete_to = self._newest_event = 0

    # --- what it knows -----------------------------------------------------------------------------------------------

    @property
    def status(self) -> StatusMessage | None:
        return self._retained(self.topics.status, StatusMessage)

    @property
    def info(self) -> InfoMessage | None:
        return self._retained(self.topics.info, InfoMessage)

    @property
    def roads(self) -> RoadsMessage | None:
        return self._retained(self.topics.roads, RoadsMessage)

    @property
    def rounds(self) -> RoundsMessage | None:
        return self._retained(self.topics.rounds, RoundsMessage)

    @property
    def listing(self) -> TableListing | None:
        return self._retained(self.topics.listing, TableListing)

    @property
    def state(self) -> StateMessage | None:
        return self._retained(self.topics.state, StateMessage)

    @property
    def phase(self) -> str:
        return "" if self.state is None else self.state.phase

    @property
    def newest(self) -> int:
        """The number of the newest event it knows of, directly or in a retained message."""
        return max(self._newest_event, 0 if self.state is None else self.state.seq)

    @property
    def missing(self) -> list[int]:
        while self._complete_to + 1 in self.events:
            self._complete_to += 1
        return [seq for seq in range(self._complete_to + 1, self.newest + 1) if seq not in self.events]

    @property
    def facts(self) -> list[AnyFact]:
        """All facts it has, in order."""
        for seq in self.events.keys() - self._facts.keys():
            self._facts[seq] = self.events[seq].fact
        return [self._facts[seq] for seq in sorted(self._facts)]

    def facts_of(self, *kinds: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kinds)]

    async def has_everything(self, up_to: int | None = None, within: float = PATIENCE) -> None:
        """Wait until no event up to this one, or up to the newest known, is missing."""
        await self.until(
            lambda: not self.missing and self.newest >= (up_to or 0),
            within,
            what=f"all events up to {up_to or self.newest}",
        )

    async def is_up_to_date(self, within: float = PATIENCE) -> None:
        """Wait until events and retained state include everything that the controller has stored by now.

        An answer, a page or a log line can be quicker than the event that belongs to it, and an event is quicker than
        the state: so the controller is asked for the number of its newest event.
        """
        newest = await self._ask_for_newest(within)
        await self.until(
            lambda: self.state is not None and self.state.seq >= newest and not (self._asks_for_more and self.missing),
            within,
            what=f"events and state up to {newest}",
        )

    def ask_for_missing(self) -> None:
        """Ask the controller for what is missing, one request at a time."""
        missing = self.missing
        if missing and not self._asking:
            self._asking = True
            self._ask_for_replay(REPLAY.encode(), missing[0] - 1)
            self._loop.call_later(2 * ASK_AGAIN, self._ask_again)

    async def _ask_for_newest(self, within: float) -> int:
        question = b"newest-%d" % next(self._numbers)
        self._newest_stored[question] = None

        def ask() -> None:
            if question in self._newest_stored and self._newest_stored[question] is None:
                # There is no such event, and the refusal names the newest.
                self._ask_for_replay(question, LARGEST_SEQ)
                self._loop.call_later(ASK_AGAIN, ask)

        ask()
        try:
            await self.until(
                lambda: self._newest_stored[question] is not None, within, what="the newest event's number"
            )
            return self._newest_stored[question] or 0
        finally:
            del self._newest_stored[question]

    def _ask_for_replay(self, correlation: bytes, after: int) -> None:
        request = {"request_id": f"replay-{next(self._numbers)}", "after": after, "limit": 1000}
        self.publish(
            self.topics.request(RequestRole.DISPLAY, self.visitor.client_id, REPLAY),
            msgspec.json.encode(request),
            response_topic=self.reply_topic,
            correlation=correlation,
        )

    # --- what it receives --------------------------------------------------------------------------------------------

    def heard(self, message: Heard) -> None:
        self.everything.append(message)
        below = self.topics.below(message.topic)
        if message.topic == self.reply_topic:
            self._heard_replay(message.payload, message.correlation)
        elif self.topics.is_event(message.topic):
            if message.retain:
                self.contradictions.append(f"{below} was retained")
            self._keep(Event(below, message.payload))
        else:
            self.retained[message.topic] = message.payload
        if self._asks_for_more:
            self.ask_for_missing()

    def _heard_replay(self, payload: bytes, correlation: bytes | None) -> None:
        if b'"fact":' in payload:
            opening, _, rest = payload.partition(b",")
            topic = msgspec.json.decode(opening + b"}")["topic"]
            self._keep(Event(topic, b"{" + rest))
            return
        answer = msgspec.json.decode(payload, type=Answer)
        if correlation == REPLAY.encode():
            self._asking = False
            if answer.replay is not None:  # what is no longer in the journal is not missing
                self._complete_to = max(self._complete_to, answer.replay.oldest - 1)
        elif correlation in self._newest_stored and isinstance(answer.refusal, BeyondNewest):
            self._newest_stored[correlation] = answer.refusal.newest

    def _keep(self, event: Event) -> None:
        seq = _decode_number(event.payload).seq
        self._newest_event = max(seq, self._newest_event)
        before = self.events.setdefault(seq, event)
        if before is not event:
            self.repeats += 1
            if before != event:
                self.contradictions.append(f"event {seq} was {before}, and then {event}")

    def _ask_again(self) -> None:
        """The controller or the broker may have been away when it was asked."""
        if self._asking:
            self._asking = False
            self.ask_for_missing()

    def _retained(self, topic: str, kind: type[T]) -> T | None:
        payload = self.retained.get(topic)
        if not payload:
            return None
        if topic not in self._read or self._read[topic][0] is not payload:
            self._read[topic] = (payload, msgspec.json.decode(payload, type=kind))
        read: T = self._read[topic][1]
        return read


class Terminal(MqttClient):
    """Sends requests and waits for their answers; a dealer's, a supervisor's or a betting player's.

    `act`, `supervisor` and `bet` wait until the display shows what the request has changed, too: an answer can be
    quicker. `ask` waits for the answer alone.
    """

    def __init__(self, visitor: Visitor, topics: Topics, display: Display) -> None:
        self.topics = topics
        self.reply_topic = f"{topics.replies}{visitor.client_id}/answers"
        super().__init__(visitor, self.reply_topic)
        self.answers: dict[bytes, Answer] = {}
        self.answers_heard = 0
        self._display = display
        self._numbers = itertools.count(1)

    def heard(self, message: Heard) -> None:
        if message.correlation is not None:
            self.answers[message.correlation] = msgspec.json.decode(message.payload, type=Answer)
        self.answers_heard += 1

    def new_id(self) -> str:
        """A number for the next request."""
        return f"{self.visitor.client_id}-{next(self._numbers)}"

    def send(self, role: str, name: str, body: dict[str, Any]) -> bytes:
        """Send a request without waiting; what its answer will carry."""
        return self.send_raw(self.request_topic(role, name), msgspec.json.encode(body))

    def request_topic(self, role: str, name: str) -> str:
        return self.topics.request(RequestRole(role), self.visitor.client_id, name)

    def send_raw(self, topic: str, payload: bytes) -> bytes:
        correlation = f"{self.new_id()}-sent".encode()
        self.publish(topic, payload, response_topic=self.reply_topic, correlation=correlation)
        return correlation

    async def answer_to(self, correlation: bytes, within: float = PATIENCE) -> Answer:
        await self.until(lambda: correlation in self.answers, within, what=f"the answer to {correlation!r}")
        return self.answers[correlation]

    async def ask(self, role: str, name: str, body: dict[str, Any], within: float = PATIENCE) -> Answer:
        return await self.answer_to(self.send(role, name, body), within)

    async def act(
        self,
        name: str,
        *,
        role: str = "dealer",
        person: str = "",
        pin: str | None = None,
        token: str | None = None,
        reason: str = "",
        shoe: int | None = None,
        round: int | None = None,  # noqa: A002 - as the request calls it
        request_id: str | None = None,
        within: float = PATIENCE,
        about: dict[str, Any] | None = None,
        **details: Any,  # noqa: ANN401 - whatever the act takes
    ) -> Answer:
        """Ask for an act of a dealer or supervisor, for the shoe and round that the display shows.

        `about` are details that have the name of a field of every request.
        """
        state = self._display.state
        body: dict[str, Any] = {
            "request_id": request_id or self.new_id(),
            "shoe": (state.shoe if state else 0) if shoe is None else shoe,
            "round": (state.round if state else 0) if round is None else round,
            "reason": reason,
            "details": details | (about or {}),
        }
        if person:
            body["person"] = person
        if pin is not None:
            body["pin"] = pin
        if token is not None:
            body["token"] = token
        return await self._shown(await self.ask(role, name, body, within))

    async def supervisor(self, name: str, person: str = "rana", reason: str = "seen by me", **details: Any) -> Answer:  # noqa: ANN401 - as above
        """An act of a supervisor with the right PIN."""
        return await self.act(name, role="supervisor", person=person, pin=PINS[person], reason=reason, **details)

    async def bet(self, seat: str, stakes: dict[str, int], **named: Any) -> Answer:  # noqa: ANN401 - fields of the request
        """Place wagers of a seat, in the round that the display shows."""
        return await self._shown(await self.answer_to(self.send_bet(seat, stakes, **named)))

    async def _shown(self, answer: Answer) -> Answer:
        """A refusal, too, can raise an alert or be put on record."""
        await self._display.is_up_to_date()
        return answer

    def send_bet(self, seat: str, stakes: dict[str, int], **named: Any) -> bytes:  # noqa: ANN401 - as above
        state = self._display.state
        assert state is not None, "wagers are for a round, and no state has come yet"
        body: dict[str, Any] = {
            "request_id": self.new_id(),
            "shoe": state.shoe,
            "round": state.round,
            "seat": seat,
            "stakes": [{"wager": wager, "stake": stake} for wager, stake in stakes.items()],
        }
        return self.send("wagers", "place", body | named)
