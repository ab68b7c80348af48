"""Leaving: the will is published when we vanish and only then, and nothing is left behind, whatever the broker does."""

import asyncio
import sys
import time

import pytest

from shoe_controller.mqtt.broker import BrokerLostError
from tests.mqtt.brokers import PATIENCE, BrokerUnderTest, connected, nothing_left_since
from tests.simulator.broker.raw_client import client
from tests.transports.leaks import Belongings

pytestmark = pytest.mark.asyncio

A_CONTROLLER = """
import asyncio, sys
from tests.mqtt.brokers import connected
async def main():
    async with connected(int(sys.argv[1])):
        print("here", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_the_will_is_published_and_kept_when_the_controller_is_killed(port: int) -> None:
    async with client(port, "display") as display:
        await display.subscribe("status")
        controller = await asyncio.create_subprocess_exec(
            sys.executable, "-c", A_CONTROLLER, str(port), stdout=asyncio.subprocess.PIPE
        )
        assert controller.stdout is not None
        async with asyncio.timeout(PATIENCE):
            assert await controller.stdout.readline() == b"here\n"
        controller.kill()
        await controller.wait()
        assert (await display.message()).payload == b"offline"
    async with client(port, "late display") as late:
        await late.subscribe("status")
        message = await late.message()
        assert (message.payload, message.retain, message.qos) == (b"offline", True, 1)


async def test_the_will_is_published_when_an_error_ends_the_context(port: int) -> None:
    async with client(port, "display") as display:
        await display.subscribe("status")
        with pytest.raises(ZeroDivisionError):
            async with connected(port):
                raise ZeroDivisionError
        assert (await display.message()).payload == b"offline"


async def test_the_will_is_not_published_after_a_goodbye(port: int) -> None:
    async with client(port, "display") as display:
        await display.subscribe("status")
        async with connected(port) as session:
            await session.publish("status", b"offline, in order", retain=True)
        assert (await display.message()).payload == b"offline, in order"
        async with connected(port):
            pass
        await display.nothing_waits()


async def test_the_goodbye_is_heard_in_the_middle_of_a_flood(port: int) -> None:
    async with client(port, "display") as display, client(port, "flooder") as flooder:
        await display.subscribe("status")
        async with connected(port, "flood") as session:
            for _ in range(200):
                await flooder.publish("flood", bytes(1000), qos=0)
            await session.publish("x", b"")
        await display.nothing_waits()


async def test_after_leaving_everybody_is_told(port: int) -> None:
    async with connected(port) as session:
        reader = asyncio.ensure_future(anext(session.incoming()))
        await asyncio.sleep(0)
    with pytest.raises(BrokerLostError, match="was closed"):
        await reader
    with pytest.raises(BrokerLostError, match="was closed"):
        await session.publish("x", b"")


async def test_nothing_is_left_after_a_goodbye(port: int) -> None:
    before = Belongings.now()
    for _ in range(5):
        async with connected(port, "x") as session:
            session.publish_soon("x", b"")
    await nothing_left_since(before)


@pytest.mark.parametrize("publishes", [0, 50])
async def test_leaving_does_not_wait_for_a_hanging_broker(broker: BrokerUnderTest, publishes: int) -> None:
    async with connected(broker.port, "x") as session:
        broker.hang()
        for _ in range(publishes):
            session.publish_soon("x", bytes(500_000))
        inside = Belongings.now()
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert len(inside.files - Belongings.now().files) == 1, "our end of the connection is still there"
    broker.wake()


@pytest.mark.parametrize("hanging", [False, True])
async def test_a_cancelled_context_leaves_nothing_and_does_not_wait(broker: BrokerUnderTest, *, hanging: bool) -> None:
    entered = asyncio.Event()

    async def stay() -> None:
        async with connected(broker.port, "x") as session:
            session.publish_soon("x", bytes(2_000_000))
            entered.set()
            await asyncio.Event().wait()

    before = Belongings.now()
    staying = asyncio.ensure_future(stay())
    await entered.wait()
    if hanging:
        broker.hang()
    began = time.monotonic()
    staying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await staying
    assert time.monotonic() - began < 5
    broker.wake()
    await nothing_left_since(before)


@pytest.mark.parametrize("turns", range(12))
async def test_cancelled_at_any_moment_of_connecting_it_leaves_nothing(broker: BrokerUnderTest, turns: int) -> None:
    async def enter() -> None:
        async with connected(broker.port, "x"):
            await asyncio.Event().wait()

    before = Belongings.now()
    entering = asyncio.ensure_future(enter())
    for _ in range(turns):
        await asyncio.sleep(0)
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entering
    await nothing_left_since(before)


async def test_with_a_broker_given_by_its_address_no_thread_is_ever_started(port: int) -> None:
    before = Belongings.now().threads
    async with connected(port, "x") as session:
        await session.publish("x", b"")
        assert Belongings.now().threads == before
