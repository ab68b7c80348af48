"""What a broker remembers of a client that is away, what it sends again, take-over, keep-alive, restarts."""

import asyncio

import pytest

from tests.simulator.broker import wire
from tests.simulator.broker.compatibility.brokers import Broker, Setting
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import V5, V311, Subscription, Will

pytestmark = pytest.mark.asyncio

FOR_GOOD = {"session_expiry": 0xFFFF_FFFF}


def kept(version: int) -> wire.Properties:
    """Give what asks, besides clean=False, for a session that outlives its connection."""
    return {"clean": False, "props": FOR_GOOD if version == V5 else None}


@pytest.mark.parametrize("orderly", [True, False])
async def test_whether_a_session_is_there_again(port: int, version: int, orderly: bool) -> None:  # noqa: FBT001 - a test's parameter
    async def connected(*, clean: bool, keep: bool = True) -> bool:
        raw = await RawClient.open(port, version)
        props = ({"session_expiry": 100} if keep else {}) if version == V5 else None
        connack = await raw.connect("display", clean=clean, props=props)
        assert connack.reason == 0
        await (raw.disconnect() if orderly else raw.drop())
        return connack.session_present

    assert not await connected(clean=False)
    assert await connected(clean=False)
    assert not await connected(clean=True, keep=False)
    assert not await connected(clean=False, keep=False)
    # In MQTT 5 a session without an expiry ends with its connection; in 3.1.1 one that is not clean stays.
    assert await connected(clean=False) is (version == V311)


async def test_messages_wait_for_a_client_that_is_away(port: int, version: int) -> None:
    async with client(port, "display", version=version, **kept(version)) as display:
        await display.subscribe("cards/#")
        await display.disconnect()
    async with client(port, "publisher", version=version) as publisher:
        for number in range(30):
            await publisher.publish("cards/drawn", b"%d" % number, qos=number % 2)
    async with client(port, "display", version=version, **kept(version)) as display:
        found = [await display.message() for _ in range(15)]
        await display.nothing_waits()
    assert [each.payload for each in found] == [b"%d" % number for number in range(1, 30, 2)]
    assert {each.qos for each in found} == {1}
    assert not any(each.dup or each.retain for each in found)


async def test_a_clean_start_forgets_subscriptions_and_messages(port: int, version: int) -> None:
    async with client(port, "display", version=version, **kept(version)) as display:
        await display.subscribe("cards")
        await display.disconnect()
    async with client(port, "publisher", version=version) as publisher:
        await publisher.publish("cards", b"before")
        async with client(port, "display", version=version, clean=True) as display:
            await publisher.publish("cards", b"after")
            await display.nothing_waits()


async def test_what_is_not_acknowledged_comes_again(port: int, version: int) -> None:
    async with client(port, "display", version=version, **kept(version)) as display:
        await display.subscribe("cards/#")
        async with client(port, "publisher", version=version) as publisher:
            for number in range(6):
                await publisher.publish("cards/drawn", b"%d" % number)
        first = [await display.message(acknowledge=False) for _ in range(6)]
        assert first[2].packet_id is not None
        await display.acknowledge(first[2].packet_id)
        await display.ping()
    async with client(port, "display", version=version, **kept(version)) as display:
        again = [await display.message() for _ in range(5)]
        await display.nothing_waits()
    assert all(each.dup for each in again)
    assert [(each.packet_id, each.payload, each.qos) for each in again] == [
        (each.packet_id, each.payload, each.qos) for number, each in enumerate(first) if number != 2
    ]


@pytest.mark.parametrize("setting", [Setting(queued=5)])
async def test_only_so_many_messages_wait(port: int, version: int) -> None:
    async with client(port, "display", version=version, **kept(version)) as display:
        await display.subscribe("cards")
        await display.disconnect()
    async with client(port, "publisher", version=version) as publisher:
        for number in range(40):
            assert await publisher.publish("cards", b"%d" % number) == 0
        async with client(port, "display", version=version, **kept(version)) as display:
            assert [(await display.message()).payload for _ in range(5)] == [b"%d" % number for number in range(5)]
            await display.nothing_waits()
            await publisher.publish("cards", b"after")
            assert (await display.message()).payload == b"after"


async def test_a_session_ends_when_its_time_is_over(port: int) -> None:
    async def is_there(name: str) -> bool:
        raw = await RawClient.open(port)
        connack = await raw.connect(name, clean=False)
        await raw.drop()
        return connack.session_present

    for name, expiry in (("short", 1), ("long", 1000)):
        async with client(port, name, clean=False, props={"session_expiry": expiry}):
            pass
    async with client(port, "watcher") as watcher:
        await watcher.outlive_a_message(3)  # asking for the session would end it
    assert not await is_there("short")
    assert await is_there("long")


async def test_the_expiry_can_be_changed_with_the_goodbye(port: int) -> None:
    async with client(port, "display", clean=False, props={"session_expiry": 100}) as display:
        await display.disconnect(0, {"session_expiry": 0})
    raw = await RawClient.open(port)
    assert not (await raw.connect("display", clean=False)).session_present
    await raw.drop()


async def test_a_client_takes_over_from_itself(port: int, version: int) -> None:
    async with client(port, "table", version=version, **kept(version)) as old:
        await old.subscribe("cards")
        new = await RawClient.open(port, version)
        assert (await new.connect("table", **kept(version))).session_present
        # Mosquitto gives the reason since 2.0.15; before, and in 3.1.1, it just hangs up.
        assert await old.hung_up() in ({None, 0x8E} if version == V5 else {None})
        await new.publish("cards", b"9H")
        assert (await new.message()).payload == b"9H"
        await new.drop()


async def test_a_silent_client_is_dropped_and_a_pinging_one_is_not(port: int) -> None:
    async def be_silent(version: int) -> None:
        will = Will(topic=f"gone/{version}")
        async with client(port, f"silent {version}", version=version, keep_alive=1, will=will) as silent:
            assert await silent.hung_up() in ({None, 0x8D} if version == V5 else {None})

    async def ping_until(dropped: asyncio.Event, version: int) -> None:
        # Long enough to be missed if pings did not count, and with time to spare on a busy machine.
        async with client(port, f"pinging {version}", version=version, keep_alive=2) as pinging:
            pings = 0
            while pings < 16 or not dropped.is_set():
                await pinging.ping()
                await asyncio.sleep(0.2)
                pings += 1
            await pinging.ping()

    async with client(port, "watcher", keep_alive=0) as watcher:
        await watcher.subscribe("gone/#")
        dropped = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for version in (V311, V5):
                group.create_task(ping_until(dropped, version))
            async with asyncio.TaskGroup() as drops:
                for version in (V311, V5):
                    drops.create_task(be_silent(version))
            dropped.set()
        assert {(await watcher.message()).topic for _ in range(2)} == {f"gone/{V311}", f"gone/{V5}"}


async def test_an_orderly_restart_keeps_everything(broker: Broker, version: int) -> None:
    async with (
        client(broker.port, "display", version=version, **kept(version)) as display,
        client(broker.port, "publisher", version=version) as publisher,
    ):
        await display.subscribe("cards")
        await publisher.publish("state", b"shoe open", retain=True)
        await publisher.publish("cards", b"under way")
        await display.message(acknowledge=False)
        await display.disconnect()
        await publisher.publish("cards", b"waiting")
        await broker.restart(keep=True)
        assert await publisher.hung_up() is None
    async with client(broker.port, "display", version=version, **kept(version)) as display:
        found = [await display.message() for _ in range(2)]
        assert [(each.payload, each.dup) for each in found] == [(b"under way", True), (b"waiting", False)]
        await display.subscribe("state")
        assert (await display.message()).payload == b"shoe open"


async def test_a_crash_without_a_memory_loses_everything(broker: Broker, version: int) -> None:
    async with (
        client(broker.port, "display", version=version, **kept(version)) as display,
        client(broker.port, "publisher", version=version) as publisher,
    ):
        await display.subscribe("cards")
        await publisher.publish("state", b"shoe open", retain=True)
        await broker.restart(keep=False)
        await display.hung_up()
        await publisher.hung_up()
    raw = await RawClient.open(broker.port, version)
    assert not (await raw.connect("display", **kept(version))).session_present
    await raw.subscribe(Subscription(topic_filter="state", qos=1))
    await raw.nothing_waits()
    await raw.drop()
