"""The connection for the requests of displays and wager terminals comes back with the table's other one."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from shoe_controller.messages.requests import PLACE, RequestRole
from shoe_controller.mqtt import request_connection
from shoe_controller.mqtt.broker import BrokerError, Incoming
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.request_connection import RequestConnection
from shoe_controller.mqtt.request_limits import RequestLimits
from tests.mqtt.brokers import address, becomes
from tests.mqtt.counter import TOPICS, Counter
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import client


class Watcher:
    def __init__(self) -> None:
        self.outages = 0
        self.served: list[tuple[str, str]] = []

    def requests_down(self, error: BrokerError) -> None:
        assert str(error)
        self.outages += 1

    def request_served(self, message: Incoming, code: str) -> None:
        self.served.append((message.topic, code))

    def requests_dropped(self) -> None:
        raise AssertionError("there are few")


@pytest.mark.asyncio
async def test_it_does_not_wait_longer_than_the_connection_that_says_online(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_connection, "RETRY", 3600.0)
    mosquitto = Mosquitto(tmp_path, "allow_anonymous true")
    await mosquitto.start()
    await mosquitto.kill()
    watcher = Watcher()
    connection = RequestConnection(
        broker=NetworkBroker(address(mosquitto.port)),
        topics=TOPICS,
        desk=Counter(tmp_path).desk,
        limits=RequestLimits(TOPICS, lambda: 0.0, lambda *_: None),
        watcher=watcher,
        on_discarded=lambda _: None,
    )
    running = asyncio.create_task(connection.run())
    try:
        await becomes(lambda: watcher.outages == 1)
        await mosquitto.start()
        connection.broker_up()
        topic = TOPICS.request(RequestRole.WAGERS, "players", PLACE)
        async with client(mosquitto.port, "players") as players:
            while not watcher.served:
                await players.publish(topic, b"{}")
                await asyncio.sleep(0.05)
        assert watcher.served[0] == (topic, "bad_request")
        assert watcher.outages == 1
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await mosquitto.kill()
