"""What MQTT 5 hangs on a message travels with it; its time to live runs while it waits."""

import pytest

from tests.simulator.broker.raw_client import client
from tests.simulator.broker.wire import V311, Properties

pytestmark = pytest.mark.asyncio

PROPERTIES: Properties = {
    "payload_format": 1,
    "content_type": "application/json",
    "response_topic": "console/answers",
    "correlation_data": bytes(range(256)),
    "user_properties": [("round", "12"), ("round", "13"), ("", ""), ("Gerät", "Schuh")],
}


@pytest.mark.parametrize("qos", [0, 1])
@pytest.mark.parametrize("name", [*PROPERTIES, "all"])
async def test_they_travel_unchanged(port: int, qos: int, name: str) -> None:
    given = PROPERTIES if name == "all" else {name: PROPERTIES[name]}
    async with client(port, "both") as both:
        await both.subscribe("cards")
        await both.publish("cards", b"{}", qos=qos, props=given)
        assert (await both.message()).properties == given


async def test_a_3_1_1_client_gets_the_message_without_them(port: int) -> None:
    async with client(port, "new") as new, client(port, "old", version=V311) as old:
        await old.subscribe("cards")
        await new.publish("cards", b"{}", props=PROPERTIES | {"message_expiry": 100})
        assert (await old.message()).payload == b"{}"


async def test_a_message_lives_no_longer_than_it_may(port: int) -> None:
    kept: Properties = {"clean": False, "props": {"session_expiry": 1000}}
    async with client(port, "display", **kept) as display:
        await display.subscribe("cards")
        await display.disconnect()
    async with client(port, "watcher") as watcher:
        for expiry in (1, 1000, None):
            props = {} if expiry is None else {"message_expiry": expiry}
            await watcher.publish("cards", f"{expiry}".encode(), props=props)
            await watcher.publish(f"state/{expiry}", f"{expiry}".encode(), props=props, retain=True)
        await watcher.outlive_a_message(2)
        async with client(port, "display", **kept) as display:
            found = [await display.message() for _ in range(2)]
            await display.nothing_waits()
        assert [each.payload for each in found] == [b"1000", b"None"]
        assert 900 < found[0].properties["message_expiry"] < 1000
        assert "message_expiry" not in found[1].properties
        await watcher.subscribe("state/#")
        found = [await watcher.message() for _ in range(2)]
        await watcher.nothing_waits()
        assert {each.topic for each in found} == {"state/1000", "state/None"}
