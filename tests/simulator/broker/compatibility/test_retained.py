"""Retained messages: kept, replaced, cleared, and given to those who subscribe later."""

import pytest

from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import V5, Subscription

pytestmark = pytest.mark.asyncio


async def retained(raw: RawClient, *filters: str | Subscription) -> list[tuple[str, bytes]]:
    """Subscribe and give what was retained there."""
    await raw.subscribe("fence", *filters)
    await raw.publish("fence")
    found = await raw.messages_until("fence")
    assert all(each.retain for each in found)
    return sorted((each.topic, each.payload) for each in found)


async def test_the_last_one_is_kept(port: int, version: int) -> None:
    async with client(port, "table", version=version) as table:
        for number in range(3):
            await table.publish("state/shoe", b"%d" % number, retain=True)
        await table.publish("state/round", b"open", retain=True)
        await table.publish("state/shoe", b"passing by")
    async with client(port, "display", version=version) as display:
        assert await retained(display, "state/#") == [("state/round", b"open"), ("state/shoe", b"2")]


async def test_an_empty_one_clears_the_place_and_is_still_passed_on(port: int, version: int) -> None:
    async with client(port, "table", version=version) as table, client(port, "display", version=version) as display:
        await table.publish("state/shoe", b"open", retain=True)
        await display.subscribe("state/#")
        assert (await display.message()).payload == b"open"
        await table.publish("state/shoe", b"", retain=True)
        cleared = await display.message()
        assert (cleared.payload, cleared.retain) == (b"", False)
        assert await retained(table, "state/#") == []


@pytest.mark.parametrize("qos", [0, 1])
async def test_it_keeps_its_qos_up_to_what_the_subscriber_asks(port: int, version: int, qos: int) -> None:
    async with client(port, "table", version=version) as table:
        await table.publish("state", b"x", qos=qos, retain=True)
        for asked in range(3):
            await table.subscribe(Subscription(topic_filter="state", qos=asked))
            assert (await table.message()).qos == min(asked, qos)


async def test_those_already_subscribed_are_not_told_it_was_retained(port: int, version: int) -> None:
    async with client(port, "table", version=version) as table, client(port, "display", version=version) as display:
        await display.subscribe("state")
        await table.publish("state", b"x", retain=True)
        assert not (await display.message()).retain


async def test_retain_as_published_tells_them(port: int) -> None:
    async with client(port, "table") as table, client(port, "display") as display:
        await display.subscribe(Subscription(topic_filter="state", qos=1, retain_as_published=True))
        for is_retained in (True, False):
            await table.publish("state", b"x", retain=is_retained)
            assert (await display.message()).retain is is_retained


async def test_when_they_are_sent_is_the_subscribers_choice(port: int) -> None:
    async with client(port, "display") as display:
        await display.publish("state", b"x", retain=True)

        async def sent(handling: int, qos: int = 1) -> bool:
            return bool(await retained(display, Subscription(topic_filter="state", qos=qos, retain_handling=handling)))

        assert not await sent(2)
        assert not await sent(1)
        assert await sent(0)
        assert await sent(0)
        await display.unsubscribe("state")
        assert await sent(1)
        assert not await sent(1)
        assert not await sent(1, qos=0)


async def test_subscribing_again_brings_them_again(port: int, version: int) -> None:
    async with client(port, "display", version=version) as display:
        await display.publish("state", b"x", retain=True)
        for _ in range(3):
            assert await retained(display, "state") == [("state", b"x")]


async def test_a_wildcard_reaches_no_dollar_topic(port: int, version: int) -> None:
    async with client(port, "display", version=version) as display:
        await display.publish("$house/state", b"x", retain=True)
        await display.publish("house/state", b"x", retain=True)
        assert await retained(display, "+/state") == [("house/state", b"x")]
        assert await retained(display, "$house/#") == [("$house/state", b"x")]


async def test_they_outlive_their_publisher_across_versions(port: int) -> None:
    async with client(port, "table") as table:
        await table.publish("state", b"x", retain=True, props={"content_type": "application/json"})
    async with client(port, "old display", version=4) as display:
        assert await retained(display, "state") == [("state", b"x")]
    async with client(port, "display", version=V5) as display:
        await display.subscribe("state")
        assert (await display.message()).properties["content_type"] == "application/json"
