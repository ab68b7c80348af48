"""Replays at a real broker: whole, in turns, bounded, and without keeping live events waiting."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.messages.refusals import BeyondNewest
from shoe_controller.messages.requests import ReplayDone, ReplayRequest
from shoe_controller.mqtt import publisher as publisher_under_test
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.replays import LARGEST_BATCH, Replays
from shoe_controller.mqtt.requests import RequestRefusedError
from tests.mqtt.brokers import becomes, connected
from tests.mqtt.counter import REPLY, TOPICS
from tests.mqtt.test_publisher import CARD, House, publishing
from tests.simulator.broker.raw_client import client

pytestmark = pytest.mark.asyncio

Replay = Callable[[ReplayRequest, str, bytes | None], Coroutine[Any, Any, ReplayDone]]


@asynccontextmanager
async def replaying(house: House, port: int) -> AsyncIterator[Replay]:
    """Replays over a connection of their own, to a topic and with correlation data."""
    replays = Replays(house)
    async with connected(port, client_id="replays") as session:

        def replay(request: ReplayRequest, topic: str, correlation: bytes | None) -> Coroutine[Any, Any, ReplayDone]:
            return replays.replay(request, partial(session.publish_soon, topic, correlation=correlation, answer=True))

        yield replay


async def test_what_is_dealt_during_a_replay_is_not_kept_waiting(port: int, tmp_path: Path) -> None:
    house = House(events=500)
    async with (
        client(port, "display") as display,
        publishing(house, port, tmp_path) as publisher,
        replaying(house, port) as replay,
    ):
        await becomes(lambda: publisher.published == 500)
        await display.subscribe(f"{TOPICS.prefix}/event/#", TOPICS.replies + "#")
        sent_again = asyncio.create_task(replay(asked(after=0, limit=2000), REPLY, b"c"))
        heard = [await display.message()]
        live = house.store_one(publisher)
        while not any(message.payload == b'{"seq":%d}' % live for message in heard):
            heard.append(await display.message())
        assert len(heard) < 100, "a card came only after the replay"
        while len(heard) < 501:
            heard.append(await display.message())
        done = await sent_again
        assert done == ReplayDone(sent=500, last=500, oldest=1, newest=live)
        assert house.most_read <= publisher_under_test.WINDOW, "no reading of the journal holds up a card for long"
        replayed = [message.payload for message in heard if message.topic == REPLY]
        assert replayed == [b'{"topic":"event/card","seq":%d}' % seq for seq in range(1, 501)]


def asked(**fields: int) -> ReplayRequest:
    return ReplayRequest(request_id="r1", **fields)


async def test_a_replay_ends_where_it_was_asked_to_and_the_next_one_goes_on(port: int) -> None:
    house = House(events=30)
    async with client(port, "display") as display, replaying(house, port) as replay:
        await display.subscribe(TOPICS.replies + "#")
        first = await replay(asked(after=4, limit=13), REPLY, None)
        assert first == ReplayDone(sent=13, last=17, oldest=1, newest=30)
        second = await replay(asked(after=first.last), REPLY, None)
        assert second == ReplayDone(sent=13, last=30, oldest=1, newest=30)
        heard = [json.loads((await display.message()).payload)["seq"] for _ in range(26)]
        assert heard == [*range(5, 31)]
        nothing = await replay(asked(after=30), REPLY, None)
        assert nothing == ReplayDone(sent=0, last=30, oldest=1, newest=30)
        with pytest.raises(RequestRefusedError) as refused:
            await replay(asked(after=31), REPLY, None)
        assert refused.value.refusal == BeyondNewest(newest=30)


async def test_a_replay_in_batches_has_every_event_once_and_no_large_message(port: int) -> None:
    house = House(events=1000)
    # Larger than a batch may be, by itself; and some that fit by twos.
    house.stored[500] = EventMessage(501, CARD, b'{"seq":501,"text":"%b"}' % (b"x" * (LARGEST_BATCH + 10)))
    for seq in range(601, 611):
        house.stored[seq - 1] = EventMessage(seq, CARD, b'{"seq":%d,"text":"%b"}' % (seq, b"x" * (LARGEST_BATCH // 3)))
    async with client(port, "display") as display, replaying(house, port) as replay:
        await display.subscribe(TOPICS.replies + "#")
        sent_again = asyncio.create_task(replay(asked(after=3, limit=1000, batch=100), REPLY, b"c"))
        seqs: list[int] = []
        sizes: list[int] = []
        while not seqs or seqs[-1] < 1000:
            payload = (await display.message()).payload
            events = json.loads(payload)["events"]
            assert {each["topic"] for each in events} == {CARD}
            assert len(events) <= 100
            assert len(payload) < LARGEST_BATCH + 2000 or len(events) == 1
            seqs += [each["seq"] for each in events]
            sizes.append(len(events))
        assert seqs == [*range(4, 1001)]
        assert max(sizes) == 100
        assert (await sent_again).last == 1000


async def test_replays_take_turns(port: int) -> None:
    """A client that asks for everything does not keep another one waiting until it has all of it."""
    house = House(events=2000)
    async with replaying(house, port) as replay:
        all_of_it = asyncio.create_task(replay(asked(after=0, limit=2000), REPLY, b"all"))
        a_few = asyncio.create_task(replay(asked(after=1990), f"{TOPICS.replies}other/1", b"few"))
        assert (await a_few).sent == 10
        assert not all_of_it.done()
        assert (await all_of_it).sent == 2000
