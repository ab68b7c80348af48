"""Follows tables at a broker: connects, subscribes, receives, requests events that are missing, and comes back.

All that a follower sends by itself are requests. One that publishes too gives each connection a will.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Protocol

import msgspec

from shoe_controller.follow.table import Request
from shoe_controller.mqtt.broker import (
    Broker,
    BrokerError,
    BrokerLostError,
    BrokerSession,
    DiscardedMessage,
    Incoming,
    Will,
)
from shoe_controller.mqtt.discard_reports import DiscardReports

LOOK_EVERY = 0.25
"""Seconds between two looks at what is missing."""

FIRST_RETRY, LAST_RETRY = 0.25, 4.0
"""Seconds between attempts to reach a broker."""

REQUEST_EXPIRES = 10
"""Seconds after which a request for what is missing need not be delivered any more: it is sent again."""

MOST_UNREADABLE = 1000
"""Topics that are remembered as unreadable, so that strangers cannot fill the memory."""


class Followed(Protocol):
    """What is followed: one table, or those of a site."""

    @property
    def subscriptions(self) -> tuple[str, ...]: ...

    def broker_up(self, session: BrokerSession) -> None:
        """There is a new connection."""

    def broker_down(self) -> None:
        """The connection is gone."""

    def receive(self, message: Incoming, now: float) -> None:
        """A message of the subscriptions; `msgspec.DecodeError` if it cannot be read."""

    def requests(self, now: float) -> Iterable[Request]:
        """What should be requested now; called a few times a second."""


class FollowObserver(Protocol):
    """Is notified of what a person should know."""

    def broker_up(self) -> None: ...

    def broker_down(self, error: BrokerError) -> None:
        """Called once for each outage."""

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        """Called once for each topic."""

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        """So many messages since the start were discarded unread; called at most once a minute."""

    def not_sent(self, topic: str, error: BrokerError) -> None:
        """The broker refused a request; of those for missing events only the first is reported."""


class Follower:
    def __init__(  # noqa: PLR0913 - the parts of a follower, each given by name
        self,
        *,
        broker: Broker,
        followed: Followed,
        changed: Callable[[], None],
        observer: FollowObserver,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        will: Callable[[], Will | None] = lambda: None,
    ) -> None:
        """`will` is called before each connection."""
        self._broker = broker
        self._followed = followed
        self._changed = changed
        self._observer = observer
        self._clock = clock
        self._sleep = sleep
        self._will = will
        self._is_up = False
        self._unreadable: set[str] = set()
        self._request_refused = False
        self._discards = DiscardReports(observer.discarded)

    async def run(self) -> None:
        """Follow until cancelled. Nothing here catches a cancellation, whatever else happens in the same moment."""
        delay, reported = FIRST_RETRY, False
        while True:
            try:
                await self._one_session()
            except BrokerError as error:
                if self._is_up or not reported:
                    self._observer.broker_down(error)
                reported = True
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
        async with self._broker.connect(
            self._will(), self._followed.subscriptions, on_discarded=self._discards.discarded
        ) as session:
            self._is_up = True
            self._followed.broker_up(session)
            self._changed()
            self._observer.broker_up()
            await _until_one_fails(self._request_missing(session), self._receive_all(session))

    async def _receive_all(self, session: BrokerSession) -> None:
        async for message in session.incoming():
            self._receive(message)

    def _receive(self, message: Incoming) -> None:
        try:
            self._followed.receive(message, self._clock())
        except msgspec.DecodeError as error:
            if message.topic not in self._unreadable and len(self._unreadable) < MOST_UNREADABLE:
                self._unreadable.add(message.topic)
                self._observer.unreadable(message.topic, error)
        self._changed()

    async def _request_missing(self, session: BrokerSession) -> None:
        while True:
            await self._sleep(LOOK_EVERY)
            if session.dropped:
                raise BrokerLostError("messages came faster than they could be read; all of it is read anew.")
            for request in self._followed.requests(self._clock()):
                sent = session.publish_soon(
                    request.topic, request.payload, response_topic=request.response_topic, expiry=REQUEST_EXPIRES
                )
                sent.add_done_callback(lambda sent, topic=request.topic: self._was_sent(topic, sent))  # type: ignore[misc]  # bound at once

    def _was_sent(self, topic: str, sent: "asyncio.Future[None]") -> None:
        error = None if sent.cancelled() else sent.exception()
        if isinstance(error, BrokerError) and not isinstance(error, BrokerLostError) and not self._request_refused:
            self._request_refused = True
            self._observer.not_sent(topic, error)


async def _until_one_fails(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all parts until one of them ends, then end the others and raise its error.

    This is not a `TaskGroup`, which before Python 3.13 drops a cancellation that arrives together with an error: a
    process that was told to stop just as the broker went away would never end.
    """
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
