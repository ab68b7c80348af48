"""Messages that come: questions with their answers, what is too large, and floods."""

import asyncio

import pytest

from shoe_controller.mqtt.broker import INBOX_BYTES, LARGEST_PACKET, MESSAGE_BYTES, BrokerLostError
from tests.mqtt.brokers import PATIENCE, BrokerUnderTest, becomes, connected, next_message
from tests.mqtt.scripted import SUBSCRIBED, WELCOME, saying
from tests.simulator.broker.compatibility.brokers import Setting
from tests.simulator.broker.raw_client import client

pytestmark = pytest.mark.asyncio


async def test_a_question_finds_its_answer(port: int) -> None:
    async with client(port, "console") as console, connected(port, "request/+/#") as session:
        await console.subscribe("reply/console")
        await console.publish(
            "request/dealer/open", b"{}", props={"response_topic": "reply/console", "correlation_data": b"\x00\xff"}
        )
        question = await next_message(session)
        assert (question.topic, question.payload, question.retain) == ("request/dealer/open", b"{}", False)
        assert (question.response_topic, question.correlation) == ("reply/console", b"\x00\xff")
        assert question.response_topic is not None
        await session.publish(question.response_topic, b"ok", correlation=question.correlation, expiry=30)
        answer = await console.message()
        assert (answer.payload, answer.properties["correlation_data"]) == (b"ok", b"\x00\xff")
        assert 29 <= answer.properties["message_expiry"] <= 30


async def test_a_message_without_a_question_has_neither(port: int) -> None:
    async with connected(port, "cards") as session:
        await session.publish("cards", b"x")
        message = await next_message(session)
        assert (message.response_topic, message.correlation) == (None, None)


@pytest.mark.parametrize("remembered", [False, True])
async def test_a_question_asked_while_we_were_away_is_not_heard(port: int, *, remembered: bool) -> None:
    async with connected(port, "request/#") as session:
        await session.publish("request/1", b"while here")
        await next_message(session)
    if remembered:  # somebody has had the broker keep messages for a client of our name
        async with client(port, "table-7", clean=False, props={"session_expiry": 1000}) as namesake:
            await namesake.subscribe("request/#")
    async with client(port, "console") as console:
        await console.publish("request/2", b"while away")
    async with connected(port, "request/#") as session:
        await session.publish("request/3", b"here again")
        assert (await next_message(session)).topic == "request/3"


async def test_what_is_too_large_does_not_come_and_the_rest_does(port: int) -> None:
    async with connected(port, "#") as session:
        for size in (LARGEST_PACKET, 10 * LARGEST_PACKET, LARGEST_PACKET - 100):
            await session.publish("x", bytes(size))
        assert len((await next_message(session)).payload) == LARGEST_PACKET - 100


async def test_a_broker_that_sends_too_much_nevertheless_is_left_before_it_fills_the_memory() -> None:
    huge = bytes.fromhex("d0 ff ff ff 7f 00 01 78 00")  # the head of an answer to a ping of 256 MiB
    async with saying(WELCOME, SUBSCRIBED + huge) as port, connected(port, "x") as session:
        async with asyncio.timeout(PATIENCE):
            assert "larger than the accepted 65536 bytes" in str(await session.lost())


@pytest.mark.parametrize("setting", [Setting(queued=10_000)], ids=["a patient broker"])
async def test_nothing_of_a_flood_is_lost_that_fits_into_the_memory(port: int) -> None:
    floods = 5000
    async with connected(port, "flood") as session:
        await asyncio.gather(*(session.publish_soon("flood", b"%d" % number) for number in range(floods)))
        for number in range(floods):
            assert (await next_message(session)).payload == b"%d" % number
        assert session.dropped == 0


PAYLOAD = 16_000
"""With topic and properties 16,004 bytes, which MQTT writes as 84 7d."""
FIT = INBOX_BYTES // (MESSAGE_BYTES + PAYLOAD)


async def test_of_more_than_fits_the_first_are_kept_and_the_rest_counted() -> None:
    extra = 20
    body = bytes.fromhex("00 01 78 00") + bytes(PAYLOAD)
    flood = (bytes.fromhex("30 84 7d") + body) * (FIT + extra)
    async with saying(WELCOME, SUBSCRIBED + flood) as port, connected(port, "x") as session:
        await becomes(lambda: session.dropped == extra)
        for _ in range(FIT):
            assert len((await next_message(session)).payload) == PAYLOAD
        assert session.dropped == extra


async def test_a_flood_leaves_the_loop_time_for_everything_else() -> None:
    flood = bytes.fromhex("30 05 00 01 78 00 79") * 30_000
    async with saying(WELCOME, SUBSCRIBED + flood) as port, connected(port, "x") as session:
        turns = 0

        async def take_turns() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        others = asyncio.create_task(take_turns())
        for _ in range(30_000):
            await next_message(session)
        others.cancel()
        # Read in one go, 30,000 messages would give others no more than a few turns of the loop.
        assert turns > 300


async def test_what_came_before_the_loss_is_read_before_the_loss_is_told(broker: BrokerUnderTest) -> None:
    async with connected(broker.port, "x") as session:
        for _ in range(3):
            await session.publish("x", b"y")
        await session.publish("y", b"")  # whatever came for us came before this was confirmed
        assert (await next_message(session)).payload == b"y"
        await broker.kill()
        async with asyncio.timeout(PATIENCE):
            await session.lost()
        for _ in range(2):
            assert (await next_message(session)).payload == b"y"
        for _ in range(2):
            with pytest.raises(BrokerLostError, match="gone"):
                await next_message(session)
