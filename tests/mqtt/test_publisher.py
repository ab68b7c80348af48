"""The publisher at a real broker: what one refused topic does to the others."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count, repeat
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from shoe_controller.messages.retained import StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt import peers as asking
from shoe_controller.mqtt import publisher as under_test
from shoe_controller.mqtt.broker import (
    BrokerError,
    DiscardedMessage,
    Incoming,
    PublishRefusedError,
    SubscriptionRefusedError,
)
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.peers import Peer, Peers, Place
from shoe_controller.mqtt.publisher import Publisher
from shoe_controller.mqtt.request_limits import RequestLimits
from tests.mqtt.brokers import address, becomes
from tests.mqtt.counter import TOPICS, Counter
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

    def another_controller(self, peer: Peer) -> None:
        self.told.append(f"another controller: {peer.start} {peer.how.value}")

    def cannot_ask(self, error: SubscriptionRefusedError) -> None:
        self.told.append(f"cannot ask: {error.topic_filter}")

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


def peers(start: str, *, served: float = 0.0, password: str | None = None) -> Peers:
    return peers_of(TOPICS, start, served=served, password=password)


def peers_of(topics: Topics, start: str, *, served: float = 0.0, password: str | None = None) -> Peers:
    """Of a controller that has served for so many seconds."""
    made = Peers(
        topics,
        start=start,
        place=Place(f"machine of {start}", 7, f"boot of {start}"),
        password=password,
        now=iter((0.0, *repeat(served, 1000))).__next__,
        random_id=(f"{start} {number}" for number in count()).__next__,
    )
    if served:
        made.serves()
    return made


@asynccontextmanager
async def publishing(house: House, port: int, folder: Path) -> AsyncIterator[Publisher]:
    made = Publisher(
        broker=NetworkBroker(address(port)),
        topics=TOPICS,
        outbox=house,
        published=0,
        presence=house,
        desk=Counter(folder).desk,
        limits=RequestLimits(TOPICS, lambda: 0.0, house.told.append),
        watcher=house,
        peers=peers("first"),
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
    below = ("status", "state", "controller/#", "event/#", "reply/#", "request/#")
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


async def test_another_controller_that_does_not_answer_is_reported_once_for_each_of_its_starts(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "PATIENCE", 0.05)
    monkeypatch.setattr(under_test, "PATIENCE", 0.05)
    house = House(events=0)
    async with client(mosquitto.port, "other") as other, publishing(house, mosquitto.port, tmp_path):
        await becomes(lambda: "up" in house.told)
        await other.publish(TOPICS.status, b"not a status", retain=True)
        for start in ("a", "a", "second"):
            await other.publish(TOPICS.status, status_of(start, online=True), retain=True)
        expected = ["another controller: a unanswered", "another controller: second unanswered"]
        await becomes(lambda: sorted(line for line in house.told if "another" in line) == expected)


async def test_statuses_of_many_controllers_that_are_not_there_are_a_limited_number_of_reports(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a client sends them that may write `status` because the broker has no access list."""
    monkeypatch.setattr(asking, "PATIENCE", 0.01)
    monkeypatch.setattr(under_test, "PATIENCE", 0.01)
    house = House(events=0)
    async with client(mosquitto.port, "other") as other, publishing(house, mosquitto.port, tmp_path) as publisher:
        await becomes(lambda: "up" in house.told)
        await other.subscribe(TOPICS.questions)
        for number in range(5 * under_test.MOST_SETTLING):
            await other.publish(TOPICS.status, status_of(f"x{number}", online=True), retain=True)
        await becomes(lambda: sum("another" in line for line in house.told) == under_test.MOST_SILENT)
        await becomes(lambda: not publisher._settling)  # noqa: SLF001 - those that were too many leave no trace
        for number in range(2):
            start = f"y{number}"
            await other.publish(TOPICS.status, status_of(start, online=True), retain=True)
            while start.encode() not in (await other.message()).payload:
                pass
        await becomes(lambda: not publisher._settling)  # noqa: SLF001 - as above
        seq = house.store_one(publisher)
        await becomes(lambda: publisher.published == seq)
        assert sum("another" in line for line in house.told) == under_test.MOST_SILENT


def status_of(start: str, *, online: bool) -> bytes:
    return msgspec.json.encode(StatusMessage(online=online, session=1, start=start))
