"""A broker over the network: the one file that knows the MQTT library, which is paho.

aiomqtt, which is built on paho, is not used: it connects in a thread that cannot be cancelled, treats a refused
message as a confirmed one, leaves publishes hanging when the connection is lost, and hides the properties of the
broker's CONNACK. So the network is asyncio's (names, TLS, time-outs, closing), paho reads and writes the packets, and
this file keeps the promises of `broker.py`. paho gets a line that looks like a socket; that is the one place where one
of its internal methods is replaced. On that line it finds one packet at a time, which `packet_guard.py` has inspected.
"""

import asyncio
import itertools
import ssl
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paho.mqtt.client import Client, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from shoe_controller.mqtt.broker import (
    LARGEST_PACKET,
    BrokerAddress,
    BrokerError,
    BrokerLostError,
    BrokerSession,
    BrokerSettingsError,
    BrokerUnreachableError,
    DiscardedMessage,
    Inbox,
    Incoming,
    NotWelcomeError,
    PublishRefusedError,
    SubscriptionRefusedError,
    Will,
    is_topic,
    why_unsendable,
)
from shoe_controller.mqtt.host_lookup import line_to
from shoe_controller.mqtt.packet_guard import NotMqttError, PacketGuard
from shoe_controller.mqtt.packet_line import PacketLine
from shoe_controller.mqtt.tls_errors import explained, tls_context

if TYPE_CHECKING:
    from paho.mqtt.client import SocketLike

GOODBYE_SECONDS = 0.5
"""Seconds that a broker may take to close after our DISCONNECT; closing shows that it has read it."""
READS_AT_ONCE = 20
"""Packets read before the loop yields, so that a flood of requests holds a card up by 0.3 ms at most, several times."""
UNDER_WAY_LIMIT = 1000
"""Messages under way at most, if the broker allows more."""
LARGEST_PACKET_OF_MQTT = 268_435_460
_EVENTS, _RETAINED, _ANSWERS = range(3)
NOT_AUTHORISED, KEEP_ALIVE_TIMEOUT = 0x87, 0x8D


class NetworkBroker:
    """The broker at an address."""

    def __init__(self, address: BrokerAddress) -> None:
        self._address = address

    @asynccontextmanager
    async def connect(
        self,
        will: Will | None,
        subscriptions: Sequence[str],
        *,
        retained: bool = True,
        on_discarded: Callable[[DiscardedMessage], None] = lambda _: None,
        admits: Callable[[str], bool] = lambda _: True,
    ) -> AsyncGenerator[BrokerSession, None]:
        if will is not None and not is_topic(will.topic):
            raise BrokerSettingsError(
                f"{will.topic!r} is not a valid will topic: it is empty, too long, or has + or #."
            )
        session = _Session(self._address, will, on_discarded, admits)
        try:
            try:
                async with asyncio.timeout(self._address.connect_timeout):
                    await session.open(subscriptions, retained=retained)
            except TimeoutError as error:
                raise BrokerUnreachableError(
                    f"the broker at {self._address} did not answer within {self._address.connect_timeout:g} seconds. "
                    "Check that it runs, and the network."
                ) from error
            yield session
            await session.say_goodbye()
        finally:
            await session.hang_up()


class _PahoClient(Client):
    """A paho client on a connection that is already open."""

    def __init__(self, client_id: str, line: PacketLine) -> None:
        super().__init__(
            CallbackAPIVersion.VERSION2, client_id, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
        )
        self._line = line

    def _create_socket(self) -> "SocketLike":
        return self._line


@dataclass(slots=True)
class _Message:
    """A message on its way to the broker."""

    topic: str
    payload: bytes
    retain: bool
    properties: Properties | None
    taken: asyncio.Future[None]
    sent_at: float = 0.0


class _Session:
    """One connection: `open` it, use it, and `hang_up` whatever happened."""

    def __init__(
        self,
        address: BrokerAddress,
        will: Will | None,
        on_discarded: Callable[[DiscardedMessage], None],
        admits: Callable[[str], bool],
    ) -> None:
        self._address = address
        self._on_discarded = on_discarded
        self._loop = asyncio.get_running_loop()
        self._line = PacketLine(self._received, self._line_ended)
        self._guard = PacketGuard(LARGEST_PACKET, admits)
        self._inbox = Inbox()
        self._to_send: tuple[deque[_Message], ...] = (deque(), deque(), deque())
        """Events, retained messages and answers: each kind waits for those before it."""
        self._under_way: dict[int, _Message] = {}
        self._under_way_limit = UNDER_WAY_LIMIT
        self._largest_packet = LARGEST_PACKET_OF_MQTT
        self._welcome: asyncio.Future[None] = self._loop.create_future()
        self._subscribed: asyncio.Future[list[ReasonCode]] = self._loop.create_future()
        self._gone: asyncio.Future[BrokerLostError] = self._loop.create_future()
        self._filters: Sequence[str] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._reading_on: asyncio.Handle | None = None
        self._client = self._paho(will)

    def _paho(self, will: Will | None) -> _PahoClient:
        client = _PahoClient(self._address.client_id, self._line)
        client.max_inflight_messages = 0  # no limit of paho's: the session counts, by what the broker allows
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        if self._address.username is not None:
            client.username_pw_set(self._address.username, self._address.password)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        client.on_disconnect = self._on_disconnect
        return client

    async def open(self, subscriptions: Sequence[str], *, retained: bool) -> None:
        where, tls = self._address, self._address.tls
        secure = None if tls is None else tls_context(tls)
        try:
            line = await line_to(where.host, where.port)
            name = None if secure is None else where.host
            await self._loop.create_connection(lambda: self._line, sock=line, ssl=secure, server_hostname=name)
        except (OSError, ValueError) as error:  # a ValueError for a host that cannot be the name of one
            raise explained(error, where) from error
        # No largest packet: see `packet_guard.py`.
        properties = _properties(PacketTypes.CONNECT, SessionExpiryInterval=0, ReceiveMaximum=where.receive_maximum)
        self._client.connect(where.host, where.port, where.keep_alive, clean_start=True, properties=properties)
        await self._welcome
        self._tick()
        self._filters = subscriptions
        if subscriptions:
            options = SubscribeOptions(qos=1)
            if not retained:
                options = SubscribeOptions(
                    qos=1,
                    noLocal=True,
                    retainAsPublished=True,
                    retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND,
                )
            try:
                self._client.subscribe([(topic_filter, options) for topic_filter in subscriptions])
            except ValueError as error:
                raise BrokerSettingsError(f"one of these is not a topic filter: {', '.join(subscriptions)}.") from error
            for topic_filter, answer in zip(subscriptions, await self._subscribed, strict=True):
                if answer.is_failure:
                    raise SubscriptionRefusedError(topic_filter, str(answer))

    async def say_goodbye(self) -> None:
        """Disconnect cleanly, so that the will is not published; wait until the broker has read it, or times out."""
        if self._gone.done():
            return
        self._tell_everybody(BrokerLostError(f"the connection to the broker at {self._address} was closed."))
        self._client.disconnect()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await self._line.ended.wait()

    async def hang_up(self) -> None:
        self._lose("the connection was given up")
        for handle in (self._timer, self._reading_on):
            if handle is not None:
                handle.cancel()
        if self._line.transport is not None:
            self._line.transport.abort()
            await self._line.ended.wait()

    # --- What the daemon uses. ---------------------------------------------------------------------------------------

    async def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        correlation: bytes | None = None,
        expiry: int | None = None,
    ) -> None:
        await self.publish_soon(topic, payload, retain=retain, correlation=correlation, expiry=expiry)

    def publish_soon(  # noqa: PLR0913 - as the protocol has it
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        response_topic: str | None = None,
        correlation: bytes | None = None,
        expiry: int | None = None,
        answer: bool = False,
    ) -> asyncio.Future[None]:
        taken: asyncio.Future[None] = self._loop.create_future()
        if self._gone.done():
            _fail(taken, self._gone.result().again())
        elif fault := why_unsendable(
            topic, payload, correlation, expiry, self._largest_packet, response_topic=response_topic
        ):
            _fail(taken, PublishRefusedError(topic, fault))
        else:
            properties = None
            if response_topic is not None or correlation is not None or expiry is not None:
                properties = _properties(
                    PacketTypes.PUBLISH,
                    ResponseTopic=response_topic,
                    CorrelationData=correlation,
                    MessageExpiryInterval=expiry,
                )
            kind = _ANSWERS if answer else _RETAINED if retain else _EVENTS
            self._to_send[kind].append(_Message(topic, payload, retain, properties, taken))
            self._send()
        return taken

    def incoming(self) -> AsyncIterator[Incoming]:
        return self._inbox

    async def retained_arrived(self) -> None:
        # A broker answers in order: what it has retained comes before its answer to a second subscription.
        self._subscribed = self._loop.create_future()
        if self._gone.done():
            raise self._gone.result().again()
        again = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        self._client.subscribe([(topic_filter, again) for topic_filter in self._filters])
        await self._subscribed

    @property
    def dropped(self) -> int:
        return self._inbox.dropped

    @property
    def local_address(self) -> str:
        name = None if self._line.transport is None else self._line.transport.get_extra_info("sockname")
        return str(name[0]) if isinstance(name, tuple) and name else ""

    async def lost(self) -> BrokerLostError:
        return await asyncio.shield(self._gone)

    # --- The way of a message. ---------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Send what waits, as far as the broker allows."""
        while (message := self._next_to_send()) is not None:
            if message.taken.done():  # cancelled meanwhile
                continue
            sent = self._client.publish(message.topic, message.payload, 1, message.retain, message.properties)
            message.sent_at = self._loop.time()
            self._under_way[sent.mid] = message
            if sent.rc is not MQTTErrorCode.MQTT_ERR_SUCCESS:
                self._lose(f"a message could not be sent ({sent.rc.name})")

    def _next_to_send(self) -> _Message | None:
        room = self._under_way_limit - len(self._under_way)
        for kind, waiting in enumerate(self._to_send):
            spare = self._under_way_limit // 2 if kind == _ANSWERS else 0
            if waiting and room > spare:
                return waiting.popleft()
        return None

    def _on_publish(self, _client: Client, _data: object, mid: int, reason: ReasonCode, _more: Properties) -> None:
        message = self._under_way.pop(mid, None)
        if message is None or message.taken.done():  # given up meanwhile, or cancelled
            return
        if reason.is_failure:
            # Without the client id: it may be published, and whoever knows the id can throw this client out.
            hint = f" Let {self._user} write it in the broker's access list." if reason.value == NOT_AUTHORISED else ""
            answer = str(reason).lower()
            sentence = f"the broker answered {answer}.{hint}"
            _fail(message.taken, PublishRefusedError(message.topic, sentence, answer))
        else:
            message.taken.set_result(None)

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self._inbox.put(
            Incoming(
                topic=message.topic,
                payload=bytes(message.payload),
                response_topic=getattr(message.properties, "ResponseTopic", None),
                correlation=getattr(message.properties, "CorrelationData", None),
                retain=message.retain,
            )
        )

    # --- The broker's answers to our connecting. ---------------------------------------------------------------------

    def _on_connect(
        self, _client: Client, _data: object, _flags: object, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if reason.is_failure:
            self._end(self._refusal(reason))
        elif getattr(properties, "MaximumQoS", 1) < 1 or not getattr(properties, "RetainAvailable", 1):
            self._end(
                NotWelcomeError(f"the broker at {self._address} does not support QoS 1, or does not retain messages.")
            )
        elif not self._welcome.done():
            self._under_way_limit = min(UNDER_WAY_LIMIT, getattr(properties, "ReceiveMaximum", UNDER_WAY_LIMIT))
            self._largest_packet = getattr(properties, "MaximumPacketSize", LARGEST_PACKET_OF_MQTT)
            self._welcome.set_result(None)

    def _on_subscribe(
        self, _client: Client, _data: object, _mid: int, reasons: list[ReasonCode], _more: Properties | None
    ) -> None:
        if not self._subscribed.done():
            self._subscribed.set_result(reasons)

    def _refusal(self, reason: ReasonCode) -> BrokerError:
        if reason.value in _PASSING:
            return BrokerUnreachableError(f"the broker at {self._address} accepts no connection now: {reason}.")
        what_to_check = _WHAT_TO_CHECK.get(reason.value, "Check the broker's log.")
        return NotWelcomeError(f"the broker at {self._address} does not let in {self._who}: {reason}. {what_to_check}")

    @property
    def _user(self) -> str:
        user = self._address.username
        return "a client without a user name" if user is None else f"the user {user}"

    @property
    def _who(self) -> str:
        return f"{self._user} (client id {self._address.client_id})"

    @property
    def _what_it_may_want(self) -> str:
        return "whether it wants TLS" if self._address.tls is None else "whether it accepts our certificate"

    # --- Bytes, time, and the end. -----------------------------------------------------------------------------------

    def _received(self, data: bytes) -> None:
        if self._gone.done():
            return
        self._guard.feed(data)
        if self._reading_on is None:
            self._read_some()

    def _read_some(self) -> None:
        """Read what has arrived, a limited number of packets at a time, so that the loop's other work gets its turn."""
        self._reading_on = None
        more = self._read_packets()
        transport = self._line.transport
        if transport is None or transport.is_closing():
            return
        if more:
            transport.pause_reading()
            self._reading_on = self._loop.call_soon(self._read_some)
        else:
            transport.resume_reading()
        self._send()

    def _read_packets(self) -> bool:
        """Whether there may be more packets to read."""
        try:
            for _ in range(READS_AT_ONCE):
                packet = None if self._gone.done() else self._guard.next_packet()
                if packet is None:
                    return False
                if isinstance(packet, DiscardedMessage):
                    self._discard(packet)
                else:
                    self._line.packet = packet
                    self._client.loop_read()
        except NotMqttError as error:
            self._lose(str(error))
        except Exception as error:  # noqa: BLE001 - whatever a strange broker's bytes make paho stumble over
            self._lose(f"the broker sent bytes that are not MQTT ({error!r})")
        return not self._gone.done()

    def _discard(self, message: DiscardedMessage) -> None:
        # paho has acknowledged everything before it: acknowledgements go out in the order of the messages.
        transport = self._line.transport
        if message.acknowledgement and transport is not None and not transport.is_closing():
            transport.write(message.acknowledgement)
        if message.why:
            self._on_discarded(message)

    def _tick(self) -> None:
        """Let paho send pings and check for their answers, and check for confirmations that are overdue."""
        patience = 2 * self._address.keep_alive
        self._client.loop_misc()
        oldest = next(iter(self._under_way.values()), None)
        if oldest is not None and self._loop.time() - oldest.sent_at > patience:
            self._lose(f"the broker has not confirmed a message for {patience} seconds")
        if not self._gone.done():
            self._timer = self._loop.call_later(min(self._address.keep_alive, 5) / 5, self._tick)

    def _on_disconnect(
        self, _client: Client, _data: object, flags: DisconnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        """Paho has given up the connection, or the broker has sent a DISCONNECT."""
        if flags.is_disconnect_packet_from_server:
            self._lose(f"the broker ended it: {reason}{_HINTS.get(reason.value, '')}")
        elif reason.value == KEEP_ALIVE_TIMEOUT:
            self._lose(f"the broker has been silent for {2 * self._address.keep_alive} seconds")
        else:
            self._lose(self._line.fault or "the broker sends what is not MQTT 5")

    def _line_ended(self, error: Exception | None) -> None:
        if isinstance(error, ssl.SSLError):
            self._end(explained(error, self._address))
        hung_up = f"the broker hung up. If it runs, another client may use our client id {self._address.client_id}"
        self._lose(hung_up if error is None else f"the network failed: {error}")

    def _lose(self, what_happened: str) -> None:
        self._end(BrokerLostError(f"the connection to the broker at {self._address} is gone: {what_happened}."))

    def _end(self, error: BrokerError) -> None:
        """Close the connection and fail everything that waits; the first reason counts."""
        if not self._gone.done():
            self._tell_everybody(error)
            if self._line.transport is not None:
                self._line.transport.abort()

    def _tell_everybody(self, error: BrokerError) -> None:
        lost = error if isinstance(error, BrokerLostError) else BrokerLostError(str(error))
        self._gone.set_result(lost)
        self._inbox.end(lost)
        for message in (*self._under_way.values(), *itertools.chain(*self._to_send)):
            _fail(message.taken, lost.again())
        self._under_way.clear()
        for waiting in self._to_send:
            waiting.clear()
        if error is lost:
            error = BrokerUnreachableError(
                f"{lost} The connection was not yet accepted: check its port, and {self._what_it_may_want}."
            )
        _fail(self._welcome, error)
        _fail(self._subscribed, error)


_PASSING = frozenset({0x80, 0x83, 0x88, 0x89, 0x97, 0x9F})
"""Reasons that concern the broker's state rather than this client: it may accept us later."""
_WHAT_TO_CHECK = {
    0x84: "The controller needs MQTT 5, which Mosquitto speaks from version 1.6 on.",
    0x85: "Choose another client id.",
    0x86: "Check user name and password, and the broker's password file.",
    0x87: "Check user name and password, and the broker's password file and access list.",
}
_HINTS = {
    0x8E: ". Another client uses the same client id: give every controller one of its own",
    0x95: ". A message was larger than its max_packet_size",
}


def _properties(packet: int, **values: object) -> Properties:
    properties = Properties(packet)  # type: ignore[no-untyped-call]  # paho has no types here
    for name, value in values.items():
        if value is not None:
            setattr(properties, name, value)
    return properties


def _fail(future: asyncio.Future[Any], error: BrokerError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # marks it as retrieved: unawaited failures are not logged
