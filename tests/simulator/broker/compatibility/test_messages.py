"""Messages on their way: QoS in both directions, wildcards, subscriptions and their options, windows, aliases."""

import itertools

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
        for granted in range(3):
            answer = await subscriber.subscribe(Subscription(topic_filter=f"cards/{granted}", qos=granted))
            assert answer.reasons == (granted,)
        await subscriber.subscribe("fence")
        for granted, qos in itertools.product(range(3), range(3)):
            payload = f"{qos} to {granted}".encode()
            assert await publisher.publish(f"cards/{granted}", payload, qos=qos) == 0
            message = await subscriber.message()
            assert (message.topic, message.payload) == (f"cards/{granted}", payload)
            assert message.qos == min(qos, granted)
            assert not message.retain
            assert not message.dup
        await publisher.publish("fence")
        assert await subscriber.messages_until("fence") == []


@pytest.mark.parametrize("qos", [1, 2])
async def test_a_burst_arrives_whole_and_in_order(port: int, version: int, qos: int) -> None:
    async with (
        client(port, "publisher", version=version) as publisher,
        client(port, "subscriber", version=version) as subscriber,
    ):
        await subscriber.subscribe("cards/#")
        for start in range(0, 100, 10):
            numbers = range(start, start + 10)
            for number in numbers:
                await publisher.send(
                    wire.publish("cards/drawn", b"%d" % number, version=version, qos=qos, packet_id=number + 1)
                )
            for number in numbers:
                answer = await publisher.answer(Kind.PUBACK if qos == 1 else Kind.PUBREC)
                assert answer.packet_id == number + 1
            if qos == 2:
                for number in numbers:
                    await publisher.send(wire.acknowledge(Kind.PUBREL, number + 1))
                    assert (await publisher.answer(Kind.PUBCOMP)).packet_id == number + 1
        assert [(await subscriber.message()).payload for _ in range(100)] == [b"%d" % number for number in range(100)]
        await subscriber.nothing_waits()


async def test_a_repeated_qos_2_message_is_delivered_once(port: int, version: int) -> None:
    async with client(port, "both", version=version) as both:
        await both.subscribe("cards", "fence")
        for dup in (False, True):
            await both.send(wire.publish("cards", b"9H", version=version, qos=2, packet_id=7, dup=dup))
            assert (await both.answer(Kind.PUBREC)).packet_id == 7
        for _ in range(2):
            await both.send(wire.acknowledge(Kind.PUBREL, 7))
            assert (await both.answer(Kind.PUBCOMP)).packet_id == 7
        await both.publish("fence", qos=1)
        # The subscriber's own handshake is not begun yet, so nothing else can be on its way.
        assert (await both.message()).payload == b"9H"
        assert (await both.message()).topic == "fence"


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
        assert await publisher.publish("cards", qos=2) == 0


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
    async with client(port, "publisher") as publisher, client(port, "subscriber") as subscriber:
        for number, topic_filter in enumerate(FILTERS, start=1):
            only = Subscription(topic_filter=topic_filter, qos=0)
            await subscriber.subscribe(only, props={"subscription_identifier": [number]})
        for topic in TOPICS:
            await publisher.publish(topic, qos=0)
            expected = {each for each in FILTERS if is_match(topic, each)}
            found = [await subscriber.message() for _ in expected]
            numbers = [number for each in found for number in each.properties["subscription_identifier"]]
            assert {each.topic for each in found} == {topic}
            assert sorted(FILTERS[number - 1] for number in numbers) == sorted(expected), topic
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
        for qos in (2, 0, 1):
            assert (await both.subscribe(Subscription(topic_filter="cards", qos=qos))).reasons == (qos,)
            await both.publish("cards", qos=2)
            assert (await both.message()).qos == qos
            await both.nothing_waits()


async def test_overlapping_subscriptions(port: int, version: int) -> None:
    async with client(port, "both", version=version) as both:
        await both.subscribe("cards/#", "cards/+", "fence")
        await both.publish("cards/drawn", qos=2)
        await both.publish("fence")
        found = await both.messages_until("fence")
        assert {(each.topic, each.qos) for each in found} == {("cards/drawn", 2)}
        assert len(found) == (2 if version == V5 else 1)


async def test_each_copy_says_which_subscription_it_is_for(port: int) -> None:
    async with client(port, "both") as both:
        await both.subscribe("cards/#", props={"subscription_identifier": [268_435_455]})
        await both.subscribe("cards/+", props={"subscription_identifier": [1]})
        await both.subscribe("+/drawn")
        await both.publish("cards/drawn")
        found = [(await both.message()).properties for _ in range(3)]
        assert sorted(each.get("subscription_identifier", []) for each in found) == [[], [1], [268_435_455]]


async def test_no_local_spares_the_publisher_alone(port: int) -> None:
    async with client(port, "publisher") as publisher, client(port, "other") as other:
        for each in (publisher, other):
            await each.subscribe(Subscription(topic_filter="cards", qos=1, no_local=True), "fence")
        await publisher.publish("cards")
        await publisher.publish("fence")
        assert await publisher.messages_until("fence") == []
        assert [each.topic for each in await other.messages_until("fence")] == ["cards"]


async def test_a_topic_alias_stands_for_its_topic_until_it_is_given_another(port: int) -> None:
    raw = await RawClient.open(port)
    connack = await raw.connect("both")
    assert connack.properties["topic_alias_maximum"] >= 10
    await raw.subscribe("#")
    for topic, given in (("cards", True), ("cards", False), ("rounds", True), ("rounds", False)):
        await raw.publish(topic if given else "", props={"topic_alias": 10})
        message = await raw.message()
        assert message.topic == topic
        assert "topic_alias" not in message.properties
    await raw.drop()


async def test_aliases_end_with_their_connection(port: int) -> None:
    async with client(port, "both") as before:
        await before.publish("cards", props={"topic_alias": 1})
    async with client(port, "both") as after:
        await after.send(wire.publish("", props={"topic_alias": 1}))
        assert await after.hung_up() in {0x82, None}


@pytest.mark.parametrize("qos", [1, 2])
async def test_no_more_messages_are_under_way_than_the_client_takes(port: int, qos: int) -> None:
    async with (
        client(port, "publisher") as publisher,
        client(port, "subscriber", props={"receive_maximum": 2}) as subscriber,
    ):
        await subscriber.subscribe("cards")
        for number in range(6):
            await publisher.publish("cards", b"%d" % number, qos=qos)
        first, second = [await subscriber.message(acknowledge=False) for _ in range(2)]
        await subscriber.nothing_waits()
        for each in (first, second):
            assert each.packet_id is not None
            await subscriber.complete(each.packet_id, qos)
        later = [await subscriber.message() for _ in range(4)]
        assert [each.payload for each in (first, second, *later)] == [b"%d" % number for number in range(6)]


async def test_a_message_too_large_for_its_subscriber_is_left_out(port: int) -> None:
    async with (
        client(port, "publisher") as publisher,
        client(port, "subscriber", props={"maximum_packet_size": 100}) as subscriber,
    ):
        await subscriber.subscribe("cards")
        for qos, size in itertools.product(range(3), (200, 20)):
            await publisher.publish("cards", b"x" * size, qos=qos)
        found = [await subscriber.message() for _ in range(3)]
        assert [(each.qos, len(each.payload)) for each in found] == [(0, 20), (1, 20), (2, 20)]
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
