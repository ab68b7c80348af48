"""Follows tables over MQTT: connects to the broker, reads, asks for events that are missing, comes back after a loss.

A process that serves pages has no will and says nothing of itself: whatever it sends is a request.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

import msgspec

from shoe_controller.mqtt.broker import Broker, BrokerError, BrokerLostError, BrokerSession, Incoming
from shoe_controller.web.replay_request import Ask

LOOK_EVERY = 0.25
"""Seconds between two looks at what is missing."""

FIRST_RETRY, LAST_RETRY = 0.25, 4.0
"""Seconds between attempts to reach a broker."""

ASK_EXPIRES = 10
"""Seconds after which nobody needs to answer a request for what is missing: it is made again."""

MOST_UNREADABLE = 1000
"""Topics that are remembered as unreadable, so that strangers cannot fill the memory."""


class Followed(Protocol):
    """Whoever is kept told."""

    @property
    def subscriptions(self) -> tuple[str, ...]: ...

    def broker_up(self, session: BrokerSession) -> None:
        """There is a connection: who is there must be told anew."""

    def broker_down(self) -> None:
        """The connection is gone."""

    def heard(self, message: Incoming, now: float) -> None:
        """A message of the subscriptions; `msgspec.DecodeError` if it cannot be read."""

    def asks(self, now: float) -> Iterable[Ask]:
        """What should be asked for now; looked at a few times a second."""


class Watcher(Protocol):
    def broker_up(self) -> None: ...

    def broker_down(self, error: BrokerError) -> None:
        """Called once for each outage."""

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        """Called once for each topic."""

    def not_sent(self, topic: str, error: BrokerError) -> None:
        """The broker does not let us ask for this; of what is missing it is told once."""


class Follower:
    def __init__(  # noqa: PLR0913 - the parts of a follower, each given by name
        self,
        *,
        broker: Broker,
        followed: Followed,
        changed: Callable[[], None],
        watcher: Watcher,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._broker = broker
        self._followed = followed
        self._changed = changed
        self._watcher = watcher
        self._clock = clock
        self._sleep = sleep
        self._is_up = False
        self._unreadable: set[str] = set()
        self._asking_failed = False

    async def run(self) -> None:
        """Follow until cancelled."""
        delay, told = FIRST_RETRY, False
        while True:
            try:
                await self._one_session()
            except* BrokerError as group:
                if self._is_up or not told:
                    self._watcher.broker_down(_first(group))
                told = True
                delay = FIRST_RETRY if self._is_up else min(delay * 2, LAST_RETRY)
            finally:
                self._let_go()
            await self._sleep(delay)

    def _let_go(self) -> None:
        if self._is_up:
            self._is_up = False
            self._followed.broker_down()
            self._changed()

    async def _one_session(self) -> None:
        async with self._broker.connect(None, self._followed.subscriptions) as session:
            self._is_up = True
            self._followed.broker_up(session)
            self._changed()
            self._watcher.broker_up()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._look_for_gaps(session))
                async for message in session.incoming():
                    self._take(message)

    def _take(self, message: Incoming) -> None:
        try:
            self._followed.heard(message, self._clock())
        except msgspec.DecodeError as error:
            if message.topic not in self._unreadable and len(self._unreadable) < MOST_UNREADABLE:
                self._unreadable.add(message.topic)
                self._watcher.unreadable(message.topic, error)
        self._changed()

    async def _look_for_gaps(self, session: BrokerSession) -> None:
        while True:
            await self._sleep(LOOK_EVERY)
            if session.dropped:
                raise BrokerLostError("messages came faster than they could be read; all of it is read anew.")
            for ask in self._followed.asks(self._clock()):
                sent = session.publish_soon(
                    ask.topic, ask.payload, response_topic=ask.response_topic, expiry=ASK_EXPIRES
                )
                sent.add_done_callback(lambda sent, topic=ask.topic: self._was_asked(topic, sent))  # type: ignore[misc]  # bound at once

    def _was_asked(self, topic: str, sent: "asyncio.Future[None]") -> None:
        error = None if sent.cancelled() else sent.exception()
        if isinstance(error, BrokerError) and not isinstance(error, BrokerLostError) and not self._asking_failed:
            self._asking_failed = True
            self._watcher.not_sent(topic, error)


def _first(group: BaseExceptionGroup[BrokerError]) -> BrokerError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, BrokerError) else BrokerLostError(str(error))
