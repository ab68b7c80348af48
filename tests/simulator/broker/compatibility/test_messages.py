"""Messages on their way: QoS in both directions, wildcards, subscriptions and their options, windows."""

import itertools
from contextlib import AsyncExitStack

import pytest

from tests.simulator.broker import wire
from tests.simulator.broker.matching import is_match
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import V5, V311, Kind, Subscription

pytestmark = pytest.mark.asyncio

VERSIONS = (V311, V5)


@pytest.mark.parametrize(("from_version", "to_version"), list(itertools.product(VERSIONS, VERSIONS)))
async def test_a_message_arrives_once_with_the_lower_of_the_two_qos(
    port: int, from_version: int, to_version: int
) -> None:
    async with (
        client(port, "publisher", version=from_version) as publisher,
        client(port, "subscriber", version=to_version) as subscriber,
    ):
        for granted in range(2):
            answer = await subscriber.subscribe(Subscription(topic_filter=f"cards/{granted}", qos=granted))
            assert answer.reasons == (granted,)
        await subscriber.subscribe("fence")
        for granted, qos in itertools.product(range(2), range(2)):
            payload = f"{qos} to {granted}".encode()
            assert await publisher.publish(f"cards/{granted}", payload, qos=qos) == 0
            message = await subscriber.message()
            assert (message.topic, message.payload) == (f"cards/{granted}", payload)
            assert message.qos == min(qos, granted)
            assert not message.retain
            assert not message.dup
        await publisher.publish("fence")
        assert await subscriber.messages_until("fence") == []


async def test_a_burst_arrives_whole_and_in_order(port: int, version: int) -> None:
    async with (
        client(port, "publisher", version=version) as publisher,
        client(port, "subscriber", version=version) as subscriber,
    ):
        await subscriber.subscribe("cards/#")
        for start in range(0, 100, 10):
            numbers = range(start, start + 10)
            for number in numbers:
                await publisher.send(
                    wire.publish("cards/drawn", b"%d" % number, version=version, qos=1, packet_id=number + 1)
                )
            for number in numbers:
                assert (await publisher.answer(Kind.PUBACK)).packet_id == number + 1
        assert [(await subscriber.message()).payload for _ in range(100)] == [b"%d" % number for number in range(100)]
        await subscriber.nothing_waits()


@pytest.mark.parametrize("payload", [b"", bytes(range(256)), b"\0" * 200_000], ids=["empty", "every byte", "200 kB"])
async def test_payloads_arrive_byte_for_byte(port: int, version: int, payload: bytes) -> None:
    async with client(port, "both", version=version) as both:
        await both.subscribe("cards")
        await both.publish("cards", payload)
        assert (await both.message()).payload == payload


async def test_nobody_listens(port: int, version: int) -> None:
    async with client(port, "publisher", version=version) as publisher:
        assert await publisher.publish("cards", qos=0) == 0
        assert await publisher.publish("cards", qos=1) == (0x10 if version == V5 else 0)


LEVELS_OF_TOPICS, LEVELS_OF_FILTERS = ("a", "b", ""), ("a", "+", "")
TOPICS = ["/".join(levels) for size in (1, 2, 3) for levels in itertools.product(LEVELS_OF_TOPICS, repeat=size)]
TOPICS = [topic for topic in TOPICS if topic] + ["$a", "$a/b", "a/$b"]
PLAIN_FILTERS = ["/".join(levels) for size in (1, 2, 3) for levels in itertools.product(LEVELS_OF_FILTERS, repeat=size)]
FILTERS = [
    *[each for each in PLAIN_FILTERS if each],
    *["/".join((*levels, "#")) for size in (0, 1, 2) for levels in itertools.product(LEVELS_OF_FILTERS, repeat=size)],
    "$a/#",
    "$a/+",
]


async def test_every_filter_gets_exactly_its_topics(port: int) -> None:
    async with client(port, "publisher") as publisher, AsyncExitStack() as stack:
        subscribers = {each: await stack.enter_async_context(client(port)) for each in FILTERS}
        for topic_filter, subscriber in subscribers.items():
            await subscriber.subscribe(Subscription(topic_filter=topic_filter, qos=0))
        for topic in TOPICS:
            await publisher.publish(topic, qos=0)
        await publisher.ping()
        for topic_filter, subscriber in subscribers.items():
            expected = [topic for topic in TOPICS if is_match(topic, topic_filter)]
            assert [(await subscriber.message()).topic for _ in expected] == expected, topic_filter
            await subscriber.nothing_waits()


async def test_unsubscribing_ends_it(port: int, version: int) -> None:
    async with client(port, "both", version=version) as both:
        await both.subscribe("cards", "fence")
        answer = await both.unsubscribe("cards", "never subscribed")
        assert answer.reasons == ((0x00, 0x11) if version == V5 else ())
        await both.publish("cards")
        await both.publish("fence")
        assert await both.messages_until("fence") == []


async def test_subscribing_again_replaces(port: int, version: int) -> None:
    async with client(port, "both", version=version) as both:
        for qos in (1, 0, 1):
            assert (await both.subscribe(Subscription(topic_filter="cards", qos=qos))).reasons == (qos,)
            await both.publish("cards", qos=1)
            assert (await both.message()).qos == qos
            await both.nothing_waits()


async def test_overlapping_subscriptions(port: int, version: int) -> None:
    async with client(port, "both", version=version) as both:
        await both.subscribe("cards/#", "cards/+", "fence")
        await both.publish("cards/drawn", qos=1)
        await both.publish("fence")
        found = await both.messages_until("fence")
        assert {(each.topic, each.qos) for each in found} == {("cards/drawn", 1)}
        assert len(found) == (2 if version == V5 else 1)


async def test_no_local_spares_the_publisher_alone(port: int) -> None:
    async with client(port, "publisher") as publisher, client(port, "other") as other:
        for each in (publisher, other):
            await each.subscribe(Subscription(topic_filter="cards", qos=1, no_local=True), "fence")
        await publisher.publish("cards")
        await publisher.publish("fence")
        assert await publisher.messages_until("fence") == []
        assert [each.topic for each in await other.messages_until("fence")] == ["cards"]


async def test_no_more_messages_are_under_way_than_the_client_takes(port: int) -> None:
    async with (
        client(port, "publisher") as publisher,
        client(port, "subscriber", props={"receive_maximum": 2}) as subscriber,
    ):
        await subscriber.subscribe("cards")
        for number in range(6):
            await publisher.publish("cards", b"%d" % number)
        first, second = [await subscriber.message(acknowledge=False) for _ in range(2)]
        await subscriber.nothing_waits()
        for each in (first, second):
            assert each.packet_id is not None
            await subscriber.acknowledge(each.packet_id)
        later = [await subscriber.message() for _ in range(4)]
        assert [each.payload for each in (first, second, *later)] == [b"%d" % number for number in range(6)]


async def test_a_message_too_large_for_its_subscriber_is_left_out(port: int) -> None:
    async with (
        client(port, "publisher") as publisher,
        client(port, "subscriber", props={"maximum_packet_size": 100}) as subscriber,
    ):
        await subscriber.subscribe("cards")
        for qos, size in itertools.product(range(2), (200, 20)):
            await publisher.publish("cards", b"x" * size, qos=qos)
        found = [await subscriber.message() for _ in range(2)]
        assert [(each.qos, len(each.payload)) for each in found] == [(0, 20), (1, 20)]
        assert all(each.size <= 100 for each in found)
        await subscriber.nothing_waits()


async def test_a_client_without_a_name_is_given_one(port: int) -> None:
    raw, other = await RawClient.open(port), await RawClient.open(port)
    names = [(await each.connect("")).properties["assigned_client_id"] for each in (raw, other)]
    assert all(names)
    assert names[0] != names[1]
    await raw.drop()
    await other.drop()


async def test_a_nameless_client_of_3_1_1_cannot_keep_a_session(port: int) -> None:
    raw = await RawClient.open(port, V311)
    assert (await raw.connect("", clean=False)).reason == 2
    assert await raw.hung_up() is None
    await raw.close()
    async with client(port, "", version=V311, clean=True) as nameless:
        await nameless.ping()
