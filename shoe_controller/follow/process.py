"""What every process that follows tables shares: its broker, its log lines, and following until it is told to stop."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec

from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.follow.connection import Follower
from shoe_controller.mqtt.broker import BrokerAddress, BrokerError, DiscardedMessage, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.process.logging import Log
from shoe_controller.process.systemd import SystemdNotifier

LONGEST_KEEP_ALIVE = 3
"""Seconds; pages then show within ten that they are not live, also when the broker hangs rather than exits."""

SIGN_OF_LIFE = 10.0
"""Seconds between two heartbeats, where the service manager does not set an interval."""


class Logbook:
    """A `FollowObserver` that writes log lines. What people type never comes here."""

    def __init__(self, log: Log, service: SystemdNotifier) -> None:
        self._log = log
        self._service = service

    def broker_up(self) -> None:
        self._log.info("broker_up")
        self._service.status("Live.")

    def broker_down(self, error: BrokerError) -> None:
        self._log.warning("broker_down", why=str(error))
        self._service.status(f"Not live: {error}")

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        self._log.warning("unreadable_message", topic=topic, why=str(error))

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self._log.warning("messages_discarded", since_start=count, newest=newest.topic, why=newest.why)

    def not_sent(self, topic: str, error: BrokerError) -> None:
        self._log.warning("request_not_sent", topic=topic, why=str(error))


def broker_for(mqtt: MqttSettings, client_id: str, username: str | None, password: str | None) -> NetworkBroker:
    """`client_id` has a random part, which is new at every start and kept to ourselves."""
    tls = None
    if mqtt.ca_file is not None:
        tls = TlsFiles(ca_file=mqtt.ca_file, cert_file=mqtt.cert_file, key_file=mqtt.key_file)
    return NetworkBroker(
        BrokerAddress(
            host=mqtt.host,
            port=mqtt.port,
            client_id=client_id,
            username=username,
            password=password,
            tls=tls,
            keep_alive=min(mqtt.keep_alive, LONGEST_KEEP_ALIVE),
        )
    )


async def follow_until(
    stop: asyncio.Event, follower: Follower, service: SystemdNotifier, *beside: Coroutine[Any, Any, None]
) -> None:
    """Follow until the event, and give the service manager its heartbeats; `beside` runs as long."""
    following = asyncio.create_task(follower.run(), name="follower")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    living = asyncio.create_task(_live(service), name="watchdog")
    tasks: list[asyncio.Task[Any]] = [following, stopping, living, *map(asyncio.create_task, beside)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _live(service: SystemdNotifier) -> None:
    while True:
        service.alive()
        await asyncio.sleep(SIGN_OF_LIFE if service.watchdog is None else service.watchdog / 3)
