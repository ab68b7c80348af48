"""Wills: the message a client leaves behind is published when it vanishes, and only then."""

import pytest

from tests.simulator.broker.compatibility.brokers import Broker
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import V5, Properties, Will

pytestmark = pytest.mark.asyncio

WILL = Will(topic="table/state", payload=b"offline", qos=1)


async def watching(port: int) -> RawClient:
    watcher = await RawClient.open(port)
    await watcher.connect("watcher")
    await watcher.subscribe("table/#", "fence")
    return watcher


@pytest.mark.parametrize("qos", [0, 1])
@pytest.mark.parametrize("retain", [False, True])
async def test_it_is_published_when_the_client_vanishes(port: int, version: int, qos: int, retain: bool) -> None:  # noqa: FBT001 - a test's parameter
    watcher = await watching(port)
    will = Will(topic="table/state", payload=b"offline", qos=qos, retain=retain)
    async with client(port, "table", version=version, will=will) as table:
        await table.ping()
    message = await watcher.message()
    assert (message.topic, message.payload, message.qos) == ("table/state", b"offline", qos)
    assert not message.retain
    await watcher.publish("fence")
    assert await watcher.messages_until("fence") == []
    async with client(port, "late") as late:
        await late.subscribe("table/state")
        if retain:
            assert (await late.message()).payload == b"offline"
        await late.nothing_waits()
    await watcher.drop()


async def test_a_goodbye_discards_it(port: int, version: int) -> None:
    watcher = await watching(port)
    async with client(port, "table", version=version, will=WILL) as table:
        await table.disconnect()
    await watcher.publish("fence")
    assert await watcher.messages_until("fence") == []
    await watcher.drop()


async def test_a_goodbye_can_ask_for_it(port: int) -> None:
    watcher = await watching(port)
    async with client(port, "table", will=WILL) as table:
        await table.disconnect(0x04)
    assert (await watcher.message()).payload == b"offline"
    await watcher.drop()


async def test_a_client_that_talks_nonsense_gets_it_published(port: int, version: int) -> None:
    watcher = await watching(port)
    async with client(port, "table", version=version, will=WILL) as table:
        await table.send(b"\xff" * 8)
        assert (await watcher.message()).payload == b"offline"
    await watcher.drop()


async def test_a_client_that_is_replaced_gets_it_published(port: int, version: int) -> None:
    watcher = await watching(port)
    async with (
        client(port, "table", version=version, will=WILL),
        client(port, "table", version=version),
    ):
        assert (await watcher.message()).payload == b"offline"
    await watcher.drop()


async def test_it_carries_its_properties(port: int) -> None:
    watcher = await watching(port)
    properties = {
        "payload_format": 1,
        "content_type": "text/plain",
        "response_topic": "table/answers",
        "correlation_data": b"\0\1",
        "user_properties": [("pit", "4"), ("pit", "5")],
        "message_expiry": 1000,
    }
    async with client(port, "table", will=Will(topic="table/state", payload=b"offline", properties=properties)):
        pass
    assert (await watcher.message()).properties == properties
    await watcher.drop()


async def test_a_broker_stopped_in_order_publishes_all_of_them(broker: Broker) -> None:
    kept: Properties = {"clean": False, "props": {"session_expiry": 1000}}
    async with client(broker.port, "watcher", **kept) as watcher:
        await watcher.subscribe("table/#")
    will = Will(topic="table/state", payload=b"offline", qos=1, retain=True)
    async with client(broker.port, "table", will=will, version=V5):
        await broker.restart(keep=True)
    async with client(broker.port, "watcher", **kept) as watcher:
        assert (await watcher.message()).payload == b"offline"
        await watcher.unsubscribe("table/#")
        await watcher.subscribe("table/state")
        found = await watcher.message()
        assert (found.payload, found.retain) == (b"offline", True)
