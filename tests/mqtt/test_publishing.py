"""Messages that leave: in order, confirmed or refused, as many under way as the broker allows."""

import asyncio

import pytest

from shoe_controller.mqtt.broker import PublishRefusedError
from simulator.broker import BrokerLimits, EmulatedBroker, Reason
from tests.mqtt.brokers import connected, next_message
from tests.simulator.broker.compatibility.brokers import Setting
from tests.simulator.broker.raw_client import client

pytestmark = pytest.mark.asyncio

USERS = {"table": "secret"}
GUARDED = Setting(users=USERS, access_file="user table\ntopic readwrite allowed/#\n")
TABLE = {"username": "table", "password": "secret"}


async def test_a_confirmed_message_is_at_the_broker(port: int) -> None:
    async with client(port, "display") as display, connected(port) as session:
        await display.subscribe("cards/#")
        await session.publish("cards/drawn", "9♥".encode())
        message = await display.message()
        assert (message.topic, message.payload, message.retain) == ("cards/drawn", "9♥".encode(), False)
        await session.publish("cards/none", b"")
        assert (await display.message()).payload == b""


async def test_many_at_once_arrive_in_the_order_of_the_calls_and_are_all_confirmed(port: int) -> None:
    async with client(port, "display") as display, connected(port) as session:
        await display.subscribe("cards")
        confirmed: list[int] = []
        futures = [session.publish_soon("cards", b"%d" % number) for number in range(300)]
        for future in futures:
            future.add_done_callback(lambda done: confirmed.append(futures.index(done)))
        found = [(await display.message()).payload for _ in range(300)]
        await asyncio.gather(*futures)
        assert found == [b"%d" % number for number in range(300)]
        assert confirmed == list(range(300))


async def test_no_more_are_under_way_than_the_broker_allows() -> None:
    async with EmulatedBroker(limits=BrokerLimits(in_flight=3)) as broker, connected(broker.port) as session:
        broker.misbehaviour.withhold_acknowledgements()
        async with client(broker.port, "display") as display:
            await display.subscribe("cards")
            futures = [session.publish_soon("cards", b"%d" % number) for number in range(10)]
            assert [(await display.message()).payload for _ in range(3)] == [b"0", b"1", b"2"]
            await display.nothing_waits()
            futures[5].cancel()  # it has not left yet, so it never does
            broker.misbehaviour.behave()
            broker.release_acknowledgements()
            rest = [(await display.message()).payload for _ in range(6)]
            assert rest == [b"3", b"4", b"6", b"7", b"8", b"9"]
            await asyncio.gather(*(each for each in futures if not each.cancelled()))


async def test_events_go_first_then_retained_messages_then_answers_which_leave_room_for_them() -> None:
    async with EmulatedBroker(limits=BrokerLimits(in_flight=4)) as broker, connected(broker.port) as session:
        broker.misbehaviour.withhold_acknowledgements()
        async with client(broker.port, "display") as display:
            await display.subscribe("#")
            futures = [session.publish_soon(f"answer/{number}", b"x", answer=True) for number in range(10)]
            assert [(await display.message()).topic for _ in range(2)] == ["answer/0", "answer/1"]
            await display.nothing_waits()
            # Nothing was confirmed yet, and still there is room for two of these.
            futures += [session.publish_soon("state", b"%d" % number, retain=True) for number in range(3)]
            futures += [session.publish_soon("card", b"%d" % number) for number in range(3)]
            assert [(await display.message()).payload for _ in range(2)] == [b"0", b"1"]
            await display.nothing_waits()
            broker.misbehaviour.behave()
            broker.release_acknowledgements()
            rest = [(await display.message()).topic for _ in range(12)]
            assert rest == ["card"] * 3 + ["state"] + [f"answer/{number}" for number in range(2, 10)]
            await asyncio.gather(*futures)


async def test_a_retained_message_stays(port: int) -> None:
    async with connected(port) as session:
        await session.publish("state", b"open", retain=True)
    async with connected(port, "state") as session:
        message = await next_message(session)
        assert (message.payload, message.retain) == (b"open", True)


@pytest.mark.parametrize("setting", [GUARDED])
async def test_a_message_the_access_list_denies_is_refused_and_nothing_else(port: int) -> None:
    async with connected(port, **TABLE) as session:
        topics = ["allowed/1", "forbidden", "allowed/2"]
        answers = await asyncio.gather(*(session.publish_soon(each, b"x") for each in topics), return_exceptions=True)
        assert [type(each) for each in answers] == [type(None), PublishRefusedError, type(None)]
        with pytest.raises(
            PublishRefusedError, match=r"'forbidden'.*not authorized.*the user table.*access list"
        ) as it:
            await session.publish("forbidden", b"x")
        assert it.value.topic == "forbidden"
        await session.publish("allowed/3", b"x")


@pytest.mark.parametrize("reason", [Reason.NOT_AUTHORISED, Reason.QUOTA_EXCEEDED, Reason.UNSPECIFIED_ERROR])
async def test_every_refusal_is_told_with_its_reason(reason: Reason) -> None:
    async with EmulatedBroker() as broker, connected(broker.port) as session:
        broker.misbehaviour.deny_publishes(reason, times=1)
        words = reason.name.lower().replace("_", " ").replace("authorised", "authorized")
        with pytest.raises(PublishRefusedError, match=words):
            await session.publish("cards", b"x")
        await session.publish("cards", b"x")


@pytest.mark.parametrize("topic", ["", "a/+", "#", "a\0b", "x" * 65536, "\ud800"])
async def test_what_is_no_topic_is_refused_and_costs_nothing(port: int, topic: str) -> None:
    async with connected(port) as session:
        with pytest.raises(PublishRefusedError, match="not a topic"):
            await session.publish(topic, b"x")
        await session.publish("cards", b"x")


@pytest.mark.parametrize("expiry", [-1, 0, 1 << 32])
async def test_nonsense_beside_a_message_is_refused_too(port: int, expiry: int) -> None:
    async with connected(port) as session:
        with pytest.raises(PublishRefusedError, match="cannot expire"):
            await session.publish("cards", b"x", expiry=expiry)
        with pytest.raises(PublishRefusedError, match="correlation data has 65536 bytes"):
            await session.publish("cards", b"x", correlation=bytes(65536))
        await session.publish("cards", b"x", expiry=(1 << 32) - 1, correlation=bytes(65535))


@pytest.mark.parametrize("setting", [Setting(packet_bytes=2000)])
async def test_a_message_larger_than_the_broker_takes_is_refused_and_the_connection_stays(port: int) -> None:
    async with connected(port) as session:
        with pytest.raises(PublishRefusedError, match=r"has 2\d\d\d bytes, and the broker accepts 2000"):
            await session.publish("cards", bytes(2000))
        await session.publish("cards", bytes(1900), correlation=b"1234")


async def test_a_cancelled_publish_disturbs_nobody(port: int) -> None:
    async with connected(port, "cards") as session:
        impatient = asyncio.ensure_future(session.publish("cards", b"1"))
        await asyncio.sleep(0)
        impatient.cancel()
        await session.publish("cards", b"2")
        assert [(await next_message(session)).payload for _ in range(2)] == [b"1", b"2"]
