"""The connection for the requests of displays and wager terminals, of which there are many, and their answers.

A broker keeps one queue for a connection. Were these requests in the same one as those of dealers and supervisors, a
terminal that floods the table would keep a supervisor waiting; and a replay would stand before cards.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Broker, BrokerError, DiscardedMessage
from shoe_controller.mqtt.request_limits import RequestLimits
from shoe_controller.mqtt.request_service import RequestService, ServiceWatcher
from shoe_controller.mqtt.requests import RequestDesk

RECEIVE_MAXIMUM = 20
"""Requests that the broker may send before the first is acknowledged; the others wait at the broker."""

RETRY = 2.0
"""Seconds between two attempts to connect, unless the other connection is up first."""


class ConnectionWatcher(ServiceWatcher, Protocol):
    def requests_down(self, error: BrokerError) -> None:
        """Called once for each outage."""


class RequestConnection:
    def __init__(  # noqa: PLR0913 - the parts of a connection, each given by name
        self,
        *,
        broker: Broker,
        topics: Topics,
        desk: RequestDesk,
        limits: RequestLimits,
        watcher: ConnectionWatcher,
        on_discarded: Callable[[DiscardedMessage], None],
    ) -> None:
        self._broker = broker
        self._topics = topics
        self._desk = desk
        self._limits = limits
        self._watcher = watcher
        self._on_discarded = on_discarded
        self._broker_up = asyncio.Event()

    def broker_up(self) -> None:
        """The table's other connection is up: `status` says so, and terminals send what waited."""
        self._broker_up.set()

    async def run(self) -> None:
        """Serve until cancelled."""
        reported = False
        while True:
            self._broker_up.clear()
            try:
                async with self._broker.connect(
                    None,
                    self._topics.terminals_requests,
                    retained=False,
                    on_discarded=self._on_discarded,
                    admits=self._limits.admits,
                ) as session:
                    reported = False
                    service = RequestService(session, self._topics, self._desk, self._watcher)
                    try:
                        async for message in session.incoming():
                            service.take(message)
                    finally:
                        await service.end()
            except BrokerError as error:
                if not reported:
                    reported = True
                    self._watcher.requests_down(error)
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY):
                    await self._broker_up.wait()
