"""A follower at a real broker, of board or console: what it reports, what it survives, and that it reads anew."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from shoe_controller.board.floor import Floor
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.table_client import TableClient
from shoe_controller.follow.connection import Followed, Follower
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt import broker as broker_module
from shoe_controller.mqtt.broker import BrokerError, BrokerLostError, BrokerSession, DiscardedMessage, Incoming, Will
from shoe_controller.mqtt.client import NetworkBroker
from tests.follow.samples import SITE, TABLE, encode, state, status
from tests.mqtt.brokers import HangingMosquitto, address, becomes
from tests.simulator.broker.compatibility.brokers import Setting
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import client

FEFF = "\ufeff"


class Notebook:
    """A `FollowObserver` that keeps everything."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def broker_up(self) -> None:
        self.lines.append("up")

    def broker_down(self, error: BrokerError) -> None:
        self.lines.append(f"down: {error}")

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        self.lines.append(f"unreadable: {topic} {error}")

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self.lines.append(f"discarded: {count} {newest.topic} {newest.why}")

    def not_sent(self, topic: str, error: BrokerError) -> None:
        self.lines.append(f"not sent: {topic} {error}")

    def count(self, beginning: str) -> int:
        return sum(line.startswith(beginning) for line in self.lines)


@asynccontextmanager
async def board_at(port: int, observer: Notebook) -> AsyncIterator[Floor]:
    floor = Floor(SITE)
    async with following(floor, port, observer):
        yield floor


@asynccontextmanager
async def following(followed: Followed, port: int, observer: Notebook) -> AsyncIterator[None]:
    follower = Follower(
        broker=NetworkBroker(address(port, client_id="follower")),
        followed=followed,
        changed=lambda: None,
        observer=observer,
        clock=asyncio.get_running_loop().time,
    )
    task = asyncio.create_task(follower.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), task.exception()


async def say(port: int, *messages: tuple[str, bytes], **who: str) -> None:
    async with NetworkBroker(address(port, client_id="table", **who)).connect(None, []) as session:
        for below, payload in messages:
            await session.publish(f"shoe/v1/{SITE}/{TABLE}/{below}", payload, retain=True)


@pytest.mark.asyncio
async def test_a_broker_that_comes_and_goes_is_told_of_once_each_time(tmp_path: Path) -> None:
    broker, notes = HangingMosquitto(Setting(), tmp_path), Notebook()
    await broker.start()
    port = broker.port
    try:
        async with board_at(port, notes) as floor:
            await becomes(lambda: floor.connected)
            await say(port, ("status", encode(status())))
            await becomes(_has_status(floor))
            await broker.kill()
            await becomes(lambda: not floor.connected)
            assert not floor.tables[TABLE].followed.online
            await asyncio.sleep(1.0)  # it tries a few times, and does not tell each time
            assert [line.partition(":")[0] for line in notes.lines] == ["up", "down"]
            await broker.start()
            await becomes(lambda: floor.connected)
            assert notes.count("up") == 2
    finally:
        await broker.end()


def _has_status(floor: Floor) -> Callable[[], bool]:
    return lambda: TABLE in floor.tables and floor.tables[TABLE].followed.status is not None


@pytest.mark.asyncio
async def test_what_cannot_be_read_is_told_once_and_harms_nobody(tmp_path: Path) -> None:
    broker, notes = HangingMosquitto(Setting(), tmp_path), Notebook()
    await broker.start()
    try:
        async with board_at(broker.port, notes) as floor:
            await becomes(lambda: floor.connected)
            garbage = [("state", b"{"), ("state", b"\xff"), ("roads", b"[]")]
            await say(broker.port, ("status", encode(status())), *garbage, ("state", encode(state(5))))
            await becomes(lambda: TABLE in floor.tables and floor.tables[TABLE].followed.state == state(5))
            assert notes.count("unreadable") == 2
            assert notes.count("down") == 0
    finally:
        await broker.end()


@pytest.mark.asyncio
async def test_a_retained_message_that_paho_cannot_read_keeps_no_board_away(tmp_path: Path) -> None:
    broker, notes = HangingMosquitto(Setting(), tmp_path), Notebook()
    await broker.start()
    try:
        async with client(broker.port, "table") as table:
            for below in ("info", "roads"):
                await table.publish(f"shoe/v1/{SITE}/{TABLE}/{below}", b"{}", retain=True, props={"content_type": FEFF})
        async with board_at(broker.port, notes) as floor:
            await say(broker.port, ("status", encode(status())), ("state", encode(state(5))))
            await becomes(lambda: TABLE in floor.tables and floor.tables[TABLE].followed.state == state(5))
            assert notes.count("discarded: 1 ") == 1
            assert notes.count("down") == 0
    finally:
        await broker.end()


@pytest.mark.asyncio
async def test_more_than_can_be_read_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broker, notes = HangingMosquitto(Setting(), tmp_path), Notebook()
    await broker.start()
    try:
        await say(broker.port, ("status", encode(status())), ("state", encode(state(5))))
        with monkeypatch.context() as patch:
            patch.setattr(broker_module, "INBOX_BYTES", 0)
            async with board_at(broker.port, notes) as floor:
                await becomes(lambda: notes.count("down") == 1)
                assert "faster than they could be read" in notes.lines[-1]
                patch.undo()
                await becomes(lambda: TABLE in floor.tables and floor.tables[TABLE].followed.online)
    finally:
        await broker.end()


@pytest.mark.asyncio
async def test_a_console_that_may_not_ask_says_so_once_and_goes_on(tmp_path: Path) -> None:
    access = tmp_path / "access"
    access.write_text("topic read shoe/#\n\nuser table\ntopic readwrite shoe/#\n")
    access.chmod(0o600)
    notes = Notebook()
    broker = Mosquitto(tmp_path, f"allow_anonymous true\nacl_file {access}")
    await broker.start()
    try:
        table = ConsoleModel(Topics(SITE, TABLE), client="console", instance="start").followed
        async with following(TableClient(table, notes), broker.port, notes):
            await becomes(lambda: table.connected)
            await say(broker.port, ("status", encode(status())), ("state", encode(state(5))), username="table")
            await becomes(lambda: notes.count("not sent") == 1)
            assert "request/display/console/replay" in notes.lines[-1]
            await say(broker.port, ("state", encode(state(6))), username="table")
            await becomes(lambda: table.state == state(6))
    finally:
        await broker.kill()


class _LostSession:
    """A `BrokerSession` whose connection is lost after so many turns of the loop."""

    dropped = 0

    def __init__(self, turns: int) -> None:
        self._turns = turns

    async def incoming(self) -> AsyncIterator[Incoming]:
        for _ in range(self._turns):
            await asyncio.sleep(0)
        for error in (BrokerLostError("gone"),):
            raise error
        yield Incoming(topic="", payload=b"", response_topic=None, correlation=None, retain=False)


class _LosingBroker:
    """A `Broker` whose every session is lost after so many turns, and takes as many to close."""

    def __init__(self, turns: int, closing: int) -> None:
        self._turns = turns
        self._closing = closing

    @asynccontextmanager
    async def connect(
        self,
        will: Will | None,  # noqa: ARG002 - as the protocol has it
        subscriptions: Sequence[str],  # noqa: ARG002 - as above
        **_options: object,
    ) -> AsyncIterator[BrokerSession]:
        try:
            yield _LostSession(self._turns)  # type: ignore[misc]  # a follower of nothing uses no more of it
        finally:
            for _ in range(self._closing):
                await asyncio.sleep(0)


@pytest.mark.asyncio
@pytest.mark.parametrize("closing", [0, 1, 3])
@pytest.mark.parametrize("lost_after", range(4))
@pytest.mark.parametrize("stopped_after", range(20))
async def test_a_stop_in_the_moment_of_a_loss_is_never_swallowed(
    lost_after: int, stopped_after: int, closing: int
) -> None:
    follower = Follower(
        broker=_LosingBroker(lost_after, closing),
        followed=Floor(SITE),
        changed=lambda: None,
        observer=Notebook(),
        clock=asyncio.get_running_loop().time,
        sleep=lambda _: asyncio.sleep(0),
    )
    task = asyncio.create_task(follower.run())
    for _ in range(stopped_after):
        await asyncio.sleep(0)
    task.cancel()
    for _ in range(50):
        await asyncio.sleep(0)
    ended = task.cancelled()
    task.cancel()  # where the first was swallowed, the test ends all the same
    assert ended
