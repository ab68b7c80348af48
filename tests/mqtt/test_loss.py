"""Losing the broker: it dies, it hangs, it stops confirming. Every waiting caller gets an error at once."""

import asyncio
import time

import pytest

from shoe_controller.mqtt.broker import BrokerLostError, BrokerSession, BrokerUnreachableError
from simulator.broker import EmulatedBroker
from tests.mqtt.brokers import PATIENCE, BrokerUnderTest, connected, next_message
from tests.mqtt.scripted import WELCOME, saying

pytestmark = pytest.mark.asyncio

AT_ONCE = 5.0
"""Seconds; it takes milliseconds, but the machine may be busy. The library's own time-out would be 10."""


async def read_to_the_end(session: BrokerSession) -> None:
    async for _ in session.incoming():
        pass


async def test_a_killed_broker_is_told_at_once_to_all_who_wait(broker: BrokerUnderTest) -> None:
    async with connected(broker.port, "x") as session:
        await session.publish("y", b"")
        broker.hang()
        waiting: list[asyncio.Future[None]] = [
            *(session.publish_soon("y", bytes(100)) for _ in range(100)),
            asyncio.ensure_future(read_to_the_end(session)),
            asyncio.ensure_future(session.publish("y", b"")),
        ]
        lost = asyncio.ensure_future(session.lost())
        await asyncio.sleep(0)
        assert not lost.done()
        assert not any(each.done() for each in waiting)
        await broker.kill()
        dead = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            answers = await asyncio.gather(*waiting, return_exceptions=True)
            await lost
        assert time.monotonic() - dead < AT_ONCE
        assert {type(each) for each in answers} == {BrokerLostError}
        with pytest.raises(BrokerLostError, match=rf"127\.0\.0\.1:{broker.port} is gone"):
            await session.publish("y", b"")
        with pytest.raises(BrokerLostError):
            await anext(session.incoming())


async def test_what_was_confirmed_before_the_end_counts_as_confirmed() -> None:
    puback = bytes.fromhex("40 02 00 01")
    async with saying(WELCOME, puback, hang_up=True) as port, connected(port) as session:
        first, second = session.publish_soon("y", b""), session.publish_soon("y", b"")
        async with asyncio.timeout(PATIENCE):
            await session.lost()
        assert first.exception() is None
        assert isinstance(second.exception(), BrokerLostError)


async def test_a_broker_that_comes_back_is_connected_to_again(broker: BrokerUnderTest) -> None:
    async with connected(broker.port) as session:
        await broker.kill()
        async with asyncio.timeout(PATIENCE):
            await session.lost()
    with pytest.raises(
        BrokerUnreachableError, match=r"no broker answers at 127\.0\.0\.1:\d+ .*Check that the broker runs"
    ):
        async with connected(broker.port):
            pass
    await broker.start()
    async with connected(broker.port, "x") as session:
        await session.publish("x", b"again")
        assert (await next_message(session)).payload == b"again"


@pytest.mark.parametrize(("publishing", "sentence"), [(False, "silent for 2 seconds"), (True, "for 2 seconds")])
async def test_a_hanging_broker_is_missed_after_twice_the_keep_alive(
    broker: BrokerUnderTest, *, publishing: bool, sentence: str
) -> None:
    async with connected(broker.port, keep_alive=1) as session:
        await session.publish("y", b"")
        broker.hang()
        began = time.monotonic()
        if publishing:
            session.publish_soon("y", b"")
        async with asyncio.timeout(PATIENCE):
            assert sentence in str(await session.lost())
        assert 1.5 < time.monotonic() - began < 2 + AT_ONCE
    broker.wake()


async def test_a_quiet_connection_is_kept(broker: BrokerUnderTest) -> None:
    async with connected(broker.port, "x", keep_alive=1) as session:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2.6):
                await session.lost()
        await session.publish("x", b"still here")
        assert (await next_message(session)).payload == b"still here"


async def test_a_broker_that_lives_but_confirms_nothing_is_left() -> None:
    async with EmulatedBroker() as broker, connected(broker.port, "x", keep_alive=1) as session:
        broker.misbehaviour.withhold_acknowledgements()
        with pytest.raises(BrokerLostError, match="not confirmed a message for 2 seconds"):
            async with asyncio.timeout(PATIENCE):
                await session.publish("y", b"")


async def test_a_broker_that_hangs_before_it_lets_us_in_is_given_up_in_time(broker: BrokerUnderTest) -> None:
    broker.hang()
    began = time.monotonic()
    with pytest.raises(BrokerUnreachableError, match=r"did not answer within 0\.3 seconds"):
        async with connected(broker.port, connect_timeout=0.3):
            pass
    assert time.monotonic() - began < AT_ONCE
    broker.wake()


async def test_a_second_client_of_the_same_name_takes_over_and_we_say_what_to_do(broker: BrokerUnderTest) -> None:
    async with connected(broker.port) as session, connected(broker.port):
        async with asyncio.timeout(PATIENCE):
            # Mosquitto 2.0 hangs up without a word.
            assert "nother client" in str(await session.lost())
