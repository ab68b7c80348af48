"""What a follower needs of a connection beyond what a controller does: no will, and requests with a response topic."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from shoe_controller.mqtt.broker import PublishRefusedError
from shoe_controller.mqtt.client import NetworkBroker
from tests.mqtt.brokers import BrokerUnderTest, HangingEmulated, HangingMosquitto, address, next_message
from tests.simulator.broker.compatibility.brokers import EMULATED, MOSQUITTO, Setting


@pytest_asyncio.fixture(params=[EMULATED, MOSQUITTO])
async def broker(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BrokerUnderTest]:
    setting = Setting()
    chosen = HangingEmulated(setting) if request.param == EMULATED else HangingMosquitto(setting, tmp_path)
    await chosen.start()
    yield chosen
    await chosen.end()


@pytest.mark.asyncio
async def test_a_request_says_where_its_answer_goes(broker: BrokerUnderTest) -> None:
    reader = NetworkBroker(address(broker.port, client_id="reader")).connect(None, ["asked/#"])
    asker = NetworkBroker(address(broker.port, client_id="asker")).connect(None, [])
    async with reader as reading, asker as asking:
        await asking.publish_soon("asked/1", b"?", response_topic="answers/1", correlation=b"7")
        await asking.publish_soon("asked/2", b"?")
        first, second = await next_message(reading), await next_message(reading)
    assert (first.topic, first.response_topic, first.correlation) == ("asked/1", "answers/1", b"7")
    assert (second.topic, second.response_topic) == ("asked/2", None)


@pytest.mark.asyncio
@pytest.mark.parametrize("topic", ["", "answers/#", "answers/+", "x" * 70_000, "nul\0"])
async def test_a_response_topic_that_is_none_is_refused_and_the_connection_lives_on(
    broker: BrokerUnderTest, topic: str
) -> None:
    async with NetworkBroker(address(broker.port)).connect(None, ["asked"]) as session:
        with pytest.raises(PublishRefusedError, match="response topic"):
            await session.publish_soon("asked", b"?", response_topic=topic)
        await session.publish_soon("asked", b"!", response_topic="answers")
        assert (await next_message(session)).payload == b"!"


@pytest.mark.asyncio
async def test_who_has_no_will_leaves_without_a_word(broker: BrokerUnderTest) -> None:
    async with NetworkBroker(address(broker.port, client_id="watcher")).connect(None, ["#"]) as watching:
        silent = NetworkBroker(address(broker.port, client_id="silent")).connect(None, [])
        with pytest.raises(asyncio.CancelledError):
            async with silent:
                raise asyncio.CancelledError  # hangs up instead of saying goodbye
        await watching.publish_soon("after", b"")
        assert (await next_message(watching)).topic == "after"
