"""Messages that are discarded before paho sees them: connection, acknowledgements, reports."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from shoe_controller.mqtt import discard_reports
from shoe_controller.mqtt.broker import BrokerSession, DiscardedMessage
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.discard_reports import DiscardReports
from tests.mqtt.brokers import address, becomes, next_message
from tests.mqtt.publish_packets import EMPTY_USER_PROPERTY, publish_packet
from tests.mqtt.scripted import SUBSCRIBED, WELCOME, saying
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import client

pytestmark = pytest.mark.asyncio

U_FEFF = b"\x03\0\x03\xef\xbb\xbf"
POISON: dict[str, dict[str, Any]] = {
    "U+FEFF as content type": {"content_type": "\ufeff"},
    "U+FEFF in a response topic": {"response_topic": "reply/\ufeff"},
    "U+FEFF in a user property": {"user_properties": [("\ufeff", "")]},
    "12,500 empty user properties": {"user_properties": [("", "")] * 12_500},
    "properties of 60 kB": {"correlation_data": bytes(60_000)},
    "a packet of 70 kB": {"correlation_data": bytes(60_000), "content_type": "x" * 10_000},
}


@pytest_asyncio.fixture
async def mosquitto(
    tmp_path: Path,
    nothing_leaks: None,  # noqa: ARG001 - started inside the leak check
) -> AsyncIterator[Mosquitto]:
    """Mosquitto passes on what paho cannot read."""
    broker = Mosquitto(tmp_path, "allow_anonymous true")
    await broker.start()
    yield broker
    await broker.kill()


@asynccontextmanager
async def listening(
    port: int, discarded: list[DiscardedMessage], *, retained: bool = True
) -> AsyncIterator[BrokerSession]:
    network = NetworkBroker(address(port))
    async with network.connect(None, ["request/#"], retained=retained, on_discarded=discarded.append) as session:
        yield session


@pytest.mark.parametrize("props", POISON.values(), ids=POISON.keys())
async def test_the_connection_outlives_what_paho_would_not(mosquitto: Mosquitto, props: dict[str, Any]) -> None:
    discarded: list[DiscardedMessage] = []
    async with client(mosquitto.port, "display") as display:
        assert await display.publish("request/kept", b"poison", retain=True, props=props) < 0x80
        async with listening(mosquitto.port, discarded) as session:
            await becomes(lambda: len(discarded) == 1)
            for _ in range(30):  # more than Mosquitto leaves unacknowledged
                await display.publish("request/now", b"poison", props=props)
            await display.publish("request/now", b"sensible")
            assert (await next_message(session)).payload == b"sensible"
            assert len(discarded) == 31


async def test_requests_are_subscribed_without_what_is_retained_and_show_who_retains(mosquitto: Mosquitto) -> None:
    async with client(mosquitto.port, "display") as display:
        await display.publish("request/1", b"kept", retain=True)
        async with listening(mosquitto.port, [], retained=False) as session:
            await display.publish("request/2", b"to be kept", retain=True)
            await display.publish("request/3", b"plain")
            first, second = await next_message(session), await next_message(session)
            assert (first.payload, first.retain) == (b"to be kept", True)
            assert (second.payload, second.retain) == (b"plain", False)


async def test_a_follower_still_gets_what_is_retained(mosquitto: Mosquitto) -> None:
    async with client(mosquitto.port, "display") as display:
        await display.publish("request/1", b"kept", retain=True)
        async with listening(mosquitto.port, []) as session:
            message = await next_message(session)
            assert (message.payload, message.retain) == (b"kept", True)


async def test_acknowledgements_go_out_in_the_order_of_the_messages() -> None:
    heard = bytearray()
    poison = (b"", U_FEFF, b"", EMPTY_USER_PROPERTY * 100, U_FEFF, b"")
    numbers = range(1, len(poison) + 1)
    sent = b"".join(publish_packet(each, number=number) for number, each in zip(numbers, poison, strict=True))
    expected = b"".join(b"\x40\x02" + number.to_bytes(2, "big") for number in numbers)
    discarded: list[DiscardedMessage] = []
    async with (
        saying(WELCOME, SUBSCRIBED + sent, hear=heard.extend) as port,
        listening(port, discarded) as session,
    ):
        for _ in range(3):
            await next_message(session)
        await becomes(lambda: heard.endswith(expected))
        assert len(discarded) == 3


async def test_a_flood_is_reported_at_once_and_then_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discard_reports, "REPORT_EVERY", 0.05)
    reports: list[tuple[int, str]] = []
    counter = DiscardReports(lambda count, newest: reports.append((count, newest.topic)))
    for number in range(1, 1001):
        counter.discarded(DiscardedMessage(f"request/{number}", "why", b""))
    assert (reports, counter.reported) == ([(1, "request/1")], 1)
    await becomes(lambda: len(reports) == 2)
    assert (reports[1], counter.reported) == ((1000, "request/1000"), 1000)
