"""The publisher at a real broker: what one refused topic does to the others, and what a replay does to live events."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from shoe_controller.messages.refusals import BeyondNewest
from shoe_controller.messages.requests import ReplayDone, ReplayRequest
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.mqtt import publisher as under_test
from shoe_controller.mqtt.broker import BrokerError, DiscardedMessage, Incoming, PublishRefusedError
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.publisher import Publisher
from shoe_controller.mqtt.requests import RequestRefusedError
from tests.mqtt.brokers import address, becomes
from tests.mqtt.counter import REPLY, TOPICS, Counter
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import client

pytestmark = pytest.mark.asyncio

CARD = "event/card"


class House:
    """What stands around a publisher: events that are stored, retained messages, and a watcher."""

    def __init__(self, events: int) -> None:
        self.stored = [event(seq) for seq in range(1, events + 1)]
        self.most_read = 0
        """Events that were asked for at once."""
        self.shown = {TOPICS.info: b"info", TOPICS.state: b"state"}
        self.told: list[str] = []
        self.confirmed = 0

    # --- Outbox ------------------------------------------------------------------------------------------------------

    def events(self, after: int, limit: int) -> list[EventMessage]:
        self.most_read = max(self.most_read, limit)
        return self.stored[after : after + limit]

    def newest(self) -> int:
        return len(self.stored)

    def oldest(self) -> int:
        return 1

    def confirm(self, seq: int) -> None:
        self.confirmed = seq

    # --- Presence ----------------------------------------------------------------------------------------------------

    def retained(self) -> Iterator[tuple[str, bytes]]:
        yield from self.shown.items()

    def status(self, session: int, *, online: bool, publishing: str, discarded: int) -> bytes:
        return f"{session} {online} {publishing} {discarded}".encode()

    # --- Watcher -----------------------------------------------------------------------------------------------------

    def own_message(self, payload: bytes) -> None:
        self.told.append(f"own: {payload.decode()}")

    def broker_up(self) -> None:
        self.told.append("up")

    def broker_down(self, error: BrokerError) -> None:
        self.told.append(f"down: {error}")

    def refused(self, error: PublishRefusedError) -> None:
        self.told.append(f"refused: {error.topic}")

    def taken_again(self) -> None:
        self.told.append("taken again")

    def request_served(self, message: Incoming, code: str) -> None:
        self.told.append(f"{message.topic}: {code}")

    def requests_dropped(self) -> None:
        self.told.append("dropped")

    def another_controller(self, status: StatusMessage) -> None:
        self.told.append(f"another controller: {status.start}")

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self.told.append(f"discarded: {count} {newest.topic}")

    # --- what the test does ------------------------------------------------------------------------------------------

    def store_one(self, publisher: Publisher) -> int:
        """One event more, offered at once."""
        one = event(len(self.stored) + 1)
        self.stored.append(one)
        publisher.offer([one])
        return one.seq


def event(seq: int) -> EventMessage:
    return EventMessage(seq, CARD, b'{"seq":%d}' % seq)


@asynccontextmanager
async def publishing(house: House, port: int, folder: Path) -> AsyncIterator[Publisher]:
    made = Publisher(
        broker=NetworkBroker(address(port)),
        topics=TOPICS,
        outbox=house,
        published=0,
        presence=house,
        desk=Counter(folder).desk,
        watcher=house,
        session=lambda: 1,
    )
    running = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        made.stop()
        await running
        made.note()


# --- a refused topic -------------------------------------------------------------------------------------------------


@pytest_asyncio.fixture
async def mosquitto(
    tmp_path: Path,
    nothing_leaks: None,  # noqa: ARG001 - started inside the leak check
) -> AsyncIterator[Mosquitto]:
    """Its access list is the file `access`, which it reads again on SIGHUP."""
    broker = Mosquitto(tmp_path, f"allow_anonymous true\nacl_file {tmp_path / 'access'}")
    write_access(tmp_path, "read")
    await broker.start()
    yield broker
    await broker.kill()


def write_access(folder: Path, info: str) -> None:
    """Everything is permitted; of `info` only what is said."""
    below = ("status", "state", "event/#", "reply/#", "request/#")
    lines = [*(f"topic readwrite {TOPICS.prefix}/{topic}" for topic in below), f"topic {info} {TOPICS.info}"]
    (folder / "access").write_text("\n".join(lines), encoding="utf-8")


async def test_one_refused_retained_topic_disturbs_nothing_else(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_again = 0.05
    monkeypatch.setattr(under_test, "ASK_AGAIN", ask_again)
    house = House(events=3)
    refused = f"refused: {TOPICS.info}"
    async with client(mosquitto.port, "display") as display, publishing(house, mosquitto.port, tmp_path) as publisher:
        await display.subscribe(f"{TOPICS.prefix}/event/#")
        await becomes(lambda: refused in house.told and publisher.published == 3)
        # For as long as it is offered a few times again.
        end = asyncio.get_running_loop().time() + 10 * ask_again
        while asyncio.get_running_loop().time() < end:
            seq = house.store_one(publisher)
            await becomes(lambda seq=seq: publisher.published == seq, within=5)  # type: ignore[misc]  # bound at once
        assert sorted(house.told) == [refused, "up"], "reported once, and not taken back while it is so"
        assert TOPICS.info in publisher.refusal

        write_access(tmp_path, "readwrite")
        process = mosquitto._process  # noqa: SLF001 - only its process can be signalled
        assert process is not None
        process.send_signal(signal.SIGHUP)
        await becomes(lambda: "taken again" in house.told)
        assert sorted(house.told) == [refused, "taken again", "up"]
        assert publisher.refusal == ""
        async with client(mosquitto.port, "newcomer") as newcomer:
            await newcomer.subscribe(TOPICS.info)
            assert (await newcomer.message()).payload == b"info"
            await newcomer.subscribe(TOPICS.status)
            assert (await newcomer.message()).payload == b"1 True  0"
    assert house.confirmed == len(house.stored)


# --- its own status, by another --------------------------------------------------------------------------------------


async def test_a_late_will_of_an_earlier_start_does_not_stay_retained(mosquitto: Mosquitto, tmp_path: Path) -> None:
    house = House(events=0)
    async with client(mosquitto.port, "display") as display, publishing(house, mosquitto.port, tmp_path):
        await becomes(lambda: "up" in house.told)
        await display.publish(TOPICS.status, status_of("earlier", online=False), retain=True)
        await display.subscribe(TOPICS.status)
        while not (await display.message()).payload.startswith(b"1 True "):
            pass
        assert not any("another" in line for line in house.told)


async def test_another_controller_of_the_table_is_reported_once_for_each_of_its_starts(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    house = House(events=0)
    async with client(mosquitto.port, "other") as other, publishing(house, mosquitto.port, tmp_path):
        await becomes(lambda: "up" in house.told)
        await other.publish(TOPICS.status, b"not a status", retain=True)
        for start in ("first", "first", "second"):
            await other.publish(TOPICS.status, status_of(start, online=True), retain=True)
        expected = ["another controller: first", "another controller: second"]
        await becomes(lambda: [line for line in house.told if "another" in line] == expected)


def status_of(start: str, *, online: bool) -> bytes:
    return msgspec.json.encode(StatusMessage(online=online, session=1, start=start))


# --- a replay --------------------------------------------------------------------------------------------------------


async def test_what_is_dealt_during_a_replay_is_not_kept_waiting(port: int, tmp_path: Path) -> None:
    house = House(events=500)
    async with client(port, "display") as display, publishing(house, port, tmp_path) as publisher:
        await becomes(lambda: publisher.published == 500)
        await display.subscribe(f"{TOPICS.prefix}/event/#", TOPICS.replies + "#")
        sent_again = asyncio.create_task(publisher.replay(asked(after=0, limit=2000), REPLY, b"c"))
        heard = [await display.message()]
        live = house.store_one(publisher)
        while not any(message.payload == b'{"seq":%d}' % live for message in heard):
            heard.append(await display.message())
        assert len(heard) < 100, "a card came only after the replay"
        while len(heard) < 501:
            heard.append(await display.message())
        done = await sent_again
        assert done == ReplayDone(sent=500, last=500, oldest=1, newest=live)
        assert house.most_read <= under_test.WINDOW, "no reading of the journal holds up a card for long"
        replayed = [message.payload for message in heard if message.topic == REPLY]
        assert replayed == [b'{"topic":"event/card","seq":%d}' % seq for seq in range(1, 501)]


def asked(**fields: int) -> ReplayRequest:
    return ReplayRequest(request_id="r1", **fields)


async def test_a_replay_ends_where_it_was_asked_to_and_the_next_one_goes_on(port: int, tmp_path: Path) -> None:
    house = House(events=30)
    async with client(port, "display") as display, publishing(house, port, tmp_path) as publisher:
        await becomes(lambda: publisher.published == 30)
        await display.subscribe(TOPICS.replies + "#")
        first = await publisher.replay(asked(after=4, limit=13), REPLY, None)
        assert first == ReplayDone(sent=13, last=17, oldest=1, newest=30)
        second = await publisher.replay(asked(after=first.last), REPLY, None)
        assert second == ReplayDone(sent=13, last=30, oldest=1, newest=30)
        heard = [json.loads((await display.message()).payload)["seq"] for _ in range(26)]
        assert heard == [*range(5, 31)]
        nothing = await publisher.replay(asked(after=30), REPLY, None)
        assert nothing == ReplayDone(sent=0, last=30, oldest=1, newest=30)
        with pytest.raises(RequestRefusedError) as refused:
            await publisher.replay(asked(after=31), REPLY, None)
        assert refused.value.refusal == BeyondNewest(newest=30)


async def test_a_replay_in_batches_has_every_event_once_and_no_large_message(port: int, tmp_path: Path) -> None:
    house = House(events=1000)
    # Larger than a batch may be, by itself; and some that fit by twos.
    house.stored[500] = EventMessage(501, CARD, b'{"seq":501,"text":"%b"}' % (b"x" * (under_test.LARGEST_BATCH + 10)))
    for seq in range(601, 611):
        house.stored[seq - 1] = EventMessage(
            seq, CARD, b'{"seq":%d,"text":"%b"}' % (seq, b"x" * (under_test.LARGEST_BATCH // 3))
        )
    async with client(port, "display") as display, publishing(house, port, tmp_path) as publisher:
        await becomes(lambda: publisher.published == 1000)
        await display.subscribe(TOPICS.replies + "#")
        sent_again = asyncio.create_task(publisher.replay(asked(after=3, limit=1000, batch=100), REPLY, b"c"))
        seqs: list[int] = []
        sizes: list[int] = []
        while not seqs or seqs[-1] < 1000:
            payload = (await display.message()).payload
            events = json.loads(payload)["events"]
            assert {each["topic"] for each in events} == {CARD}
            assert len(events) <= 100
            assert len(payload) < under_test.LARGEST_BATCH + 2000 or len(events) == 1
            seqs += [each["seq"] for each in events]
            sizes.append(len(events))
        assert seqs == [*range(4, 1001)]
        assert max(sizes) == 100
        assert (await sent_again).last == 1000


async def test_replays_take_turns(port: int, tmp_path: Path) -> None:
    """A client that asks for everything does not keep another one waiting until it has all of it."""
    house = House(events=2000)
    async with publishing(house, port, tmp_path) as publisher:
        await becomes(lambda: publisher.published == 2000)
        all_of_it = asyncio.create_task(publisher.replay(asked(after=0, limit=2000), REPLY, b"all"))
        a_few = asyncio.create_task(publisher.replay(asked(after=1990), f"{TOPICS.replies}other/1", b"few"))
        assert (await a_few).sent == 10
        assert not all_of_it.done()
        assert (await all_of_it).sent == 2000
