"""What stands in for `shoe_controller/mqtt/client.py`: the daemon's connection to the emulated broker's core."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from shoe_controller.mqtt.broker import (
    BrokerLostError,
    BrokerSession,
    BrokerUnreachableError,
    DiscardedMessage,
    Inbox,
    Incoming,
    PublishRefusedError,
    Will,
    why_unsendable,
)
from tests.simulation.virtual_broker import Endpoint, Outgoing, VirtualBroker
from tests.simulation.virtual_time import DaemonLoop, VirtualTime
from tests.simulator.broker import wire
from tests.simulator.broker.wire import Received

CLIENT_ID = "shoe-controller"
REQUESTS_ID = f"{CLIENT_ID}-requests"
LARGEST = 1024 * 1024


class DaemonBroker:
    """The `Broker` of one daemon."""

    def __init__(self, broker: VirtualBroker, time: VirtualTime, loop: DaemonLoop, client_id: str) -> None:
        self._broker = broker
        self._client_id = client_id
        self._time = time
        self._loop = loop
        self._session: Session | None = None

    @asynccontextmanager
    async def connect(
        self,
        will: Will | None,
        subscriptions: Sequence[str],
        *,
        retained: bool = True,
        on_discarded: Callable[[DiscardedMessage], None] = lambda _: None,  # noqa: ARG002 - everything can be read
        admits: Callable[[str], bool] = lambda _: True,
    ) -> AsyncGenerator[BrokerSession, None]:
        session = Session(
            Endpoints(self._broker, self._time, self._loop, self._client_id),
            will,
            subscriptions,
            retained=retained,
            admits=admits,
        )
        self._session = session
        try:
            await session.opened
            yield session
            session.end.say_goodbye()
        finally:
            if self._loop.alive:
                session.end.hang_up("the connection was given up")

    def vanish(self) -> None:
        """The program was killed: its system closes the connection."""
        if self._session is not None:
            self._session.end.hang_up("the program is gone")


class Endpoints(NamedTuple):
    """Where a session is, and as whom."""

    broker: VirtualBroker
    time: VirtualTime
    loop: DaemonLoop
    client_id: str


class Session:
    """A `BrokerSession`."""

    def __init__(
        self,
        ends: Endpoints,
        will: Will | None,
        subscriptions: Sequence[str],
        *,
        retained: bool,
        admits: Callable[[str], bool],
    ) -> None:
        self._loop = loop = ends.loop
        self._admits = admits
        self._inbox = Inbox()
        self.opened: asyncio.Future[None] = loop.create_future()
        self._gone: asyncio.Future[BrokerLostError] = loop.create_future()
        self._under_way: set[asyncio.Future[None]] = set()
        self.end = Endpoint(
            ends.broker,
            ends.time,
            ends.client_id,
            filters=tuple(subscriptions),
            retained=retained,
            on_ready=self._soon(self._ready),
            on_message=self._heard,
            on_lost=self._lost,
        )
        last_words = None if will is None else wire.Will(topic=will.topic, payload=will.payload, qos=1, retain=True)
        self.end.connect(clean=True, will=last_words)

    def _soon(self, call: Callable[[], None]) -> Callable[[], None]:
        def soon() -> None:
            if self._loop.alive:
                self._loop.call_soon(call)

        return soon

    def _ready(self) -> None:
        if not self.opened.done():
            self.opened.set_result(None)

    def _heard(self, message: Received) -> None:
        if not self._admits(message.topic):
            return
        incoming = Incoming(
            topic=message.topic,
            payload=message.payload,
            response_topic=message.properties.get("response_topic"),
            correlation=message.properties.get("correlation_data"),
            retain=message.retain,
        )
        self._loop.call_soon(self._inbox.put, incoming)

    def _lost(self, why: str) -> None:
        if self._loop.alive:
            self._loop.call_soon(self._tell_everybody, why)

    def _tell_everybody(self, why: str) -> None:
        if not self.opened.done():
            self.opened.set_exception(BrokerUnreachableError(why))
        if not self._gone.done():
            self._gone.set_result(BrokerLostError(why))
            self._inbox.end(BrokerLostError(why))
        for future in list(self._under_way):
            _fail(future, BrokerLostError(why))

    # --- what the publisher does with it ------------------------------------------------------------------------------

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

    async def retained_arrived(self) -> None:
        """Everything that the core sends at once has been sent."""

    def publish_soon(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        response_topic: str | None = None,
        correlation: bytes | None = None,
        expiry: int | None = None,
        answer: bool = False,  # noqa: ARG002 - nothing ever waits here
    ) -> "asyncio.Future[None]":
        future: asyncio.Future[None] = self._loop.create_future()
        if self._gone.done():
            _fail(future, self._gone.result().again())
        elif fault := why_unsendable(topic, payload, correlation, expiry, LARGEST, response_topic=response_topic):
            _fail(future, PublishRefusedError(topic, fault))
        else:
            self._under_way.add(future)
            future.add_done_callback(self._under_way.discard)
            properties: dict[str, object] = {} if correlation is None else {"correlation_data": correlation}
            if response_topic is not None:
                properties["response_topic"] = response_topic

            def taken(reason: int) -> None:
                self._loop.call_soon(_settle, future, topic, reason)

            self.end.publish(Outgoing(topic, payload, retain, properties, taken))
        return future

    def incoming(self) -> AsyncIterator[Incoming]:
        return self._inbox

    @property
    def dropped(self) -> int:
        return self._inbox.dropped

    @property
    def local_address(self) -> str:
        return ""

    async def lost(self) -> BrokerLostError:
        return await asyncio.shield(self._gone)


def _settle(future: "asyncio.Future[None]", topic: str, reason: int) -> None:
    if future.done():
        return
    if reason >= 0x80:
        _fail(future, PublishRefusedError(topic, f"the broker answered {reason:#x}.", f"{reason:#x}"))
    else:
        future.set_result(None)


def _fail(future: "asyncio.Future[None]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # unawaited failures are not logged
