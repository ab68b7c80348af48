"""Keeps a floor told: connects to the broker, reads, asks for events that are missing, and comes back after every loss.

A board has no will and says nothing of itself: it may not write anything but its request for a replay.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from shoe_controller.board.floor import Floor
from shoe_controller.mqtt.broker import Broker, BrokerError, BrokerLostError, BrokerSession, Incoming

LOOK_EVERY = 0.25
"""Seconds between two looks at what is missing."""

TOUCH_EVERY = 30.0
"""Seconds after which pages look again by themselves, for what changes with time alone."""

FIRST_RETRY, LAST_RETRY = 0.25, 4.0
"""Seconds between attempts to reach a broker."""


class Watcher(Protocol):
    def broker_up(self) -> None: ...

    def broker_down(self, error: BrokerError) -> None:
        """Called once for each outage."""

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        """Called once for each topic."""

    def not_asked(self, error: BrokerError) -> None:
        """The broker does not let us ask for what is missing; called once."""


class Follower:
    def __init__(  # noqa: PLR0913 - the parts of a follower, each given by name
        self,
        *,
        broker: Broker,
        floor: Floor,
        changed: Callable[[], None],
        watcher: Watcher,
        clock: Callable[[], float],
        request_id: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._broker = broker
        self._floor = floor
        self._changed = changed
        self._watcher = watcher
        self._clock = clock
        self._request_id = request_id
        self._sleep = sleep
        self._unreadable: set[str] = set()
        self._asking_failed = False

    async def run(self) -> None:
        """Follow until cancelled."""
        delay, told = FIRST_RETRY, False
        while True:
            try:
                await self._one_session()
            except* BrokerError as group:
                was_up = self._floor.connected
                if was_up or not told:
                    self._watcher.broker_down(_first(group))
                told = True
                delay = FIRST_RETRY if was_up else min(delay * 2, LAST_RETRY)
            if self._floor.connected:
                self._floor.broker_down()
                self._changed()
            await self._sleep(delay)

    async def _one_session(self) -> None:
        async with self._broker.connect(None, self._floor.subscriptions) as session:
            self._floor.broker_up()
            self._changed()
            self._watcher.broker_up()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._look_for_gaps(session))
                async for message in session.incoming():
                    self._take(message)

    def _take(self, message: Incoming) -> None:
        try:
            self._floor.heard(message.topic, message.payload, self._clock())
        except msgspec.DecodeError as error:
            if message.topic not in self._unreadable and len(self._unreadable) < 1000:
                self._unreadable.add(message.topic)
                self._watcher.unreadable(message.topic, error)
        self._changed()

    async def _look_for_gaps(self, session: BrokerSession) -> None:
        touched = self._clock()
        while True:
            await self._sleep(LOOK_EVERY)
            now = self._clock()
            if session.dropped:
                raise BrokerLostError("messages came faster than they could be read; all of it is read anew.")
            for ask in self._floor.asks(now, self._request_id):
                sent = session.publish_soon(ask.topic, ask.payload, response_topic=ask.response_topic, expiry=10)
                sent.add_done_callback(self._was_asked)
            if now - touched >= TOUCH_EVERY:
                touched = now
                self._floor.touch()
                self._changed()

    def _was_asked(self, sent: "asyncio.Future[None]") -> None:
        error = None if sent.cancelled() else sent.exception()
        if isinstance(error, BrokerError) and not isinstance(error, BrokerLostError) and not self._asking_failed:
            self._asking_failed = True
            self._watcher.not_asked(error)


def _first(group: BaseExceptionGroup[BrokerError]) -> BrokerError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, BrokerError) else BrokerLostError(str(error))
